#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench/peers without measuring: what is left to do, means, tables, goals and the picture.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
bench=$source/tools/bench

run "$bench/peers" --help
expect_status 0
expect_text out '^usage: tools/bench/peers'
for bad in '--mode fast' '--workloads single,double' '--tools default,nice' '--level 4' '--level x' '--repeat 0' '--output' 'surplus'; do
	# shellcheck disable=SC2086 # words
	run "$bench/peers" $bad
	expect_trouble '^tools/bench/peers: '
done

# The modes keep to the times that help promises.
run "$bench/peers" --mode quick --dry-run --output none
expect_status 0
expect_text out '^sessions left: [0-9]+, about ([0-9]|1[0-4]) minutes$'
run "$bench/peers" --dry-run --output none
expect_text out '^sessions left: [0-9]+, about [1-8]?[0-9] minutes$'
expect_text out '^sunflow P idle default 3$'
expect_text out '^single 6P idle quota 1$'
expect_text out '^single 6P idle default-quota 1$'
expect_text out '^fop P background default-freezer 1$'
expect_no_text out ' default-freezer 2$'
expect_no_text out '^phased P background'
expect_no_text out 'parallel .* stress-ng'

# What is complete is left out.
run "$bench/peers" --mode quick --tools default,CDC --dry-run --output part
expect_lines out 7
mkdir -p part/sessions/single.P.idle.CDC.1 part/sessions/single.P.background.default.1
: >part/sessions/single.P.idle.CDC.1/rows.csv
run "$bench/peers" --mode quick --tools default,CDC --dry-run --output part
expect_lines out 6
expect_no_text out '^single P idle CDC 1$'
expect_text out '^single P background default 1$'
# What was cut off or failed is not.
mkdir -p part/sessions/single.P.idle.default.1.part part/sessions/parallel.P.idle.CDC.1.failed
echo single,P,idle,default,50,1,15,99,49,2401,2401,2401,0.2,80,0,49,2401 >part/sessions/single.P.idle.default.1.part/rows.csv
cp part/sessions/single.P.idle.default.1.part/rows.csv part/sessions/parallel.P.idle.CDC.1.failed
run "$bench/peers" --mode quick --tools default,CDC --dry-run --output part
expect_lines out 6
run "$bench/peers_report" part
expect_trouble '^tools/bench/peers_report: no session in part is complete$'

# One at a time in a folder, and of one that is killed nothing runs on.
# shellcheck disable=SC2317 # called by wait_until
all_gone() {
	while read -r process; do
		! kill -0 "$process" 2>/dev/null || return 1
	done <"$numbers"
}
numbers=killed/sessions/single.P.idle.N-bench.1.part/pids
set -- -B "$build" --force --mode quick --workloads single --tools N-bench --level 5 --output killed
start_background "$bench/peers" "$@"
wait_until test -s $numbers
run "$bench/peers" "$@"
expect_status 125
expect_text err 'another experiment in killed is running$'
kill -KILL "$background"
wait_background
wait_until all_gone

# Means, tables, goals.
session() { # NAME ROW…
	mkdir -p "report/sessions/$1"
	name=$1
	shift
	printf '%s\n' "$@" >"report/sessions/$name/rows.csv"
}
session single.P.idle.default.1 single,P,idle,default,50,1,15,50.1,0.100,0.5,0.6,0.7,0.2,80,2,0.050,0.4
session single.P.idle.default.2 single,P,idle,default,50,2,15,50.3,0.300,0.9,0.6,0.7,0.4,120,1,0.020,0.2
session single.P.idle.default.3 single,P,idle,default,50,3,15,49.9,-0.050,0.3,0.6,0.7,0.3,90,0,-0.050,0.3
session single.P.idle.quota.1 single,P,idle,quota,50,1,15,48.0,-2.000,0.25,0.3,0.3,,,0,-2.000,0.25
session single.P.idle.default-freezer.1 single,P,idle,default-freezer,50,1,15,50.4,0.400,0.1,0.3,0.3,0.6,200,0,0.400,0.1
session single.P.idle.default-quota.1 single,P,idle,default-quota,50,1,15,50.0,0.001,0.1,0.3,0.3,0.2,90,0,0.001,0.1
session single.P.idle.cpulimit.1 single,P,idle,cpulimit,50,1,15,55.0,5.000,50,60,70,0.5,,4,4.000,40
session single.P.idle.N-bench.1 single,P,idle,N-bench,50,1,15,50,0.400,0.4,0.4,0.4,,,0,0.400,0.4 single,P,idle,N-bench,25,1,15,50,25,625,625,625,,,0,25,625
session single.P.idle.default.5 single,P,idle,default,25,1,15,25,0.010,0.5,0.6,0.7,0.2,80,0,0.010,0.5
printf 'processors: 2 (x)\nload of the background program alone: 20.5 %%\n' >report/machine.txt
mkdir report/sessions/parallel.P.idle.steps.1
: >report/sessions/parallel.P.idle.steps.1/rows.csv
printf 'after_s,windows,worst_pp\n0.00,3,60\n0.50,3,4\n0.75,3,6\n' >report/sessions/parallel.P.idle.steps.1/steps.csv
run "$bench/peers_report" report
expect_status 0
# The size of the mean error is that of 0.1, 0.3 and 0.05 pp, so that the one below doesn't make up for the others.
expect_text report/cells.csv '^single,P,idle,default,50,3,50\.100,0\.117,-0\.050,0\.300,0\.436,0\.150,0\.050,0\.567,0\.300,0\.900,0\.759,0\.600,0\.700,0\.300,96\.667,1\.000,1\.000,45,3,0\.007,0\.127,0\.040,0\.300,0\.248$'
expect_text report/cells.csv '^single,P,idle,cpulimit,50,1,55\.000,5\.000,5\.000,5\.000,,5\.000,5\.000,50\.000,.*,33\.333,88\.235,15,4,4\.000,,4\.000,40\.000,$'
expect_text report/peers.md '^\| cpulimit \|  \|  \| \+5\.00 \(33×\) \| 50\.00 \(88×\) \| 0\.50 \|$'
# Other actuators are rows beside the peers, in the order of the help, and no goals are judged by them.
expect_text report/peers.md '^\| default-freezer \|  \|  \| \+0\.40 \(2\.7×\) \| 0\.10 \(0\.2×\) \| 0\.60 \|$'
sed -n 's/^| \(default\|default-freezer\|default-quota\|quota\) | .*/\1/p' report/peers.md | head -n 4 >found
printf '%s\n' default default-freezer default-quota quota | cmp -s - found || { fail "$what: peers.md has the tools in another order:"; cat found; }
expect_no_text out 'default-'
# The pictures: a column for each tool, workloads in words, of loads that all held. What they are made of doesn't take the place of the rows.
for picture in peers peers-mse; do
	expect_text report/$picture.svg '[ >]default-quota[ <]'
	expect_text report/$picture.svg '[ >]single, 1 per processor[ <]'
	expect_no_text report/$picture.svg '[> ]6?P[, <]|or less'
	expect_text report/peers.md "^!\[.*\]\($picture\.svg\)\$"
done
expect_text report/peers.svg '[ >]5\.00[ <]'
expect_text report/peers-mse.svg '[ >]50(\.0*)?[ <]'
expect_text report/peers.md ', in the mean of the loads of 50 %;'
expect_lines report/peers.csv 11
expect_no_text report/summary.md 'default|`-a '
expect_text report/peers.md '^Without the 7 of 150 samples that met a burst of others:$'
expect_text report/peers.md '^\| default \| \+0\.01 \| 0\.50 \| \+0\.01 \| 0\.30 \|$'
# Errors of 0.1, 0.3 and -0.05 pp, whose standard deviation is 0.1756; t of two degrees of freedom is 4.3027.
expect_text report/peers.md '^default, means of 3 repeats and their 95 % confidence: 50 %: \+0\.12 ± 0\.44 pp, 0\.57 ± 0\.76 pp²\. Without bursts: 50 %: \+0\.01 ± 0\.13 pp, 0\.30 ± 0\.25 pp²\.$'
expect_no_text report/peers.md '^cpulimit, means of'
# Half an instance is none: that is marked, and not counted as a baseline that was beaten. One that whole instances make exactly never was.
expect_text report/peers.md '^\| N-bench \| \+25\.00 \(2500×\) \\\* \| 625\.00 \(1250×\) \\\* \| \+0\.40 .* \| 0\.40 .* \|  \|$'
expect_text report/peers.md "^.\* Whole instances can't make this load\.$"
expect_no_text out 'that of N-bench'
expect_text out '^N-bench is no baseline at 25 %: 2 processors have no whole instances for it\.$'
expect_text out '^7 of 150 samples of 500 ms met a burst of others\.$'
expect_text out '^\| mean error, pp \| 0\.1 \| 0\.15 \| single P 50 % \| missed on 1 of 2 \| 0\.04 \|$'
expect_text out "^\| our MSE over the quota's, single, contended, fop \| 3 \| 2\.27 \| single P 50 % \| reached on 1 \| 1\.2 \|$"
expect_text out '^\| own CPU time per executor, % of a processor \| 0\.15 \| 0\.15 \|'
expect_text out '^\| 500 workloads: mean error, pp \| 0\.5 \| \| \| not measured \| \|$'
expect_text out '^\| step .* \| 5 \| 6 \| 0\.75 s after \| missed on 1 of 2 \|  \|$'
expect_text report/peers.svg '</svg>'
# For README.md: a row for each tool, over the loads that all held; with background, where that leaves room.
expect_text report/summary.md '^\| Showstopper \| 0\.15 \| 0\.57 \|  \|  \| 3 \|$'
# shellcheck disable=SC2016 # Markdown
expect_text report/summary.md '^\| `cpulimit` \| 5\.00 \| 50\.00 \|  \|  \| 1 \|$'
expect_text report/summary.md " Without the 7 of 90 samples in which others took more than 3 % of the machine, or in the second after: Showstopper 0\.04 pp and 0\.30 pp²\.$"
session single.P.idle.default.4 single,P,idle,default,90,1,15,80,-10,100,0.6,0.7,0.2,80
session parallel.P.idle.default.1 parallel,P,idle,default,50,1,15,50.1,-0.300,1.5,0.6,0.7,0.2,80
session single.P.background.default.1 single,P,background,default,25,1,15,35,10,100,0.6,0.7,0.2,80 single,P,background,default,50,1,15,51,-1,250,0.6,0.7,0.2,80
session single.P.background.CDC.1 single,P,background,CDC,50,1,15,49,-1,250,0.6,0.7,0.2,80
run "$bench/peers_report" report
expect_text report/summary.md '^\| Showstopper \| 0\.2[23] \| 1\.03 \| 1\.00 \| 250 \| 5 \|$'
expect_text report/summary.md '^\| CDC: a constant duty cycle \|  \|  \| 1\.00 \| 250 \| 1 \|$'
expect_text report/summary.md ' at loads of 50 %;'
[ "$(grep -c '^| [^t-]' report/summary.md)" -le 8 ] || fail "$what: summary.md has more than eight tools"
# What a busy machine measured says so first.
expect_no_text report/peers.md 'was busy'
echo 'load before the first session: 97.0 %' >>report/machine.txt
run "$bench/peers_report" report
for page in tables summary; do
	head -n 1 report/$page.md >found
	expect_text found '^\*\*The machine was busy: others took 97\.0 % of it '
done
# What was to be measured and wasn't is said in both.
echo 'contended P idle cpulimit 1' >report/left-out
echo "quota, as control groups with quotas can't be made" >report/unavailable
run "$bench/peers_report" report
for page in tables summary; do
	expect_text report/$page.md '^Left out, since the machine stood still for a while in each of several attempts: contended P idle cpulimit 1\.$'
	expect_text report/$page.md "^Unavailable: quota, as control groups with quotas can't be made\.$"
done
run "$bench/closer" rows
expect_trouble '^tools/bench/closer: rows is no output of tools/bench/peers: it has no cells\.csv$'
run "$bench/closer"
expect_trouble '^tools/bench/closer: needs one directory'
# Where others are closer. A unit of 10 ms is 1 pp of a window of two processors, and 0.067 pp of fifteen.
cells() { # one for each line of workload, background, tool, target, repeats, size of the error, the least of it, MSE, the least of it, without bursts
	awk 'BEGIN {
			print "workload,instances,background,tool,target_percent,repeats,mean_error_size_pp,mean_error_size_least_pp,mse_500_pp2,mse_500_least_pp2," \
				"samples,bursts,calm_error_size_pp,calm_mse_500_pp2"
		}
		{ print $1 ",P," $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9 "," 15 * $5 ",0," $10 "," $11 }' >closer/cells.csv
}
mkdir closer
printf 'processors: 2 (x)\nload of the background program alone: 20.5 %%\n' >closer/machine.txt
cells <<-EOF
	single idle default 25 3 0.067 0.01 0.25 0.1 0.067 0.25
	single idle quota 25 1 0.01 0.01 0.1 0.1 0.01 0.1
	single idle default-freezer 25 1 0 0 0 0 0 0
	single idle default 50 3 0.5 0.4 5.38 4 0.02 0.25
	single idle quota 50 1 0.3 0.3 1 1 0.3 1
	single idle cpulimit 50 1 0.1 0.1 2 2 0.01 2
	single idle default 75 3 0.5 0.2 2 0.5 0.5 2
	single idle CDC 75 1 0.3 0.3 1 1 0.3 1
	fop idle default 75 3 0.5 0.4 2 1.5 0.5 2
	fop idle paper 75 1 0.3 0.3 1 1 0.3 1
	fop idle default 90 1 0.5 0.5 2 2 0.5 2
	single background default 25 3 9 9 9 9 9 9
	single background quota 25 1 1 1 1 1 1 1
EOF
run "$bench/closer" closer
expect_status 0
expect_text out '^Of 8 figures of loads that others hold, too, another tool is closer in 8: 2 by floor, 1 by bursts, 2 by chance, 3 of unknown cause\.$'
# shellcheck disable=SC2016 # Markdown
{
	expect_text out '^\| single P 25 % \| mean error, pp \| 0\.07 \| `quota` \| 0\.01 \| floor \|$'
	expect_text out '^\| single P 25 % \| MSE, pp² \| 0\.25 \| `quota` \| 0\.10 \| floor \|$'
	expect_text out '^\| single P 50 % \| mean error, pp \| 0\.50 \| `cpulimit` \| 0\.10 \| unknown \|$'
	expect_text out '^\| single P 50 % \| MSE, pp² \| 5\.38 \(0\.25 without bursts\) \| `quota` \| 1\.00 \(1\.00 without bursts\) \| bursts \|$'
	expect_text out '^\| single P 75 % \| mean error, pp \| 0\.50 \| `CDC` \| 0\.30 \| chance \|$'
	expect_text out '^\| fop P 75 % \| MSE, pp² \| 2\.00 \| `PI-even\+` \| 1\.00 \| unknown \|$'
}
cells <<-EOF
	single idle default 50 3 0.5 0.4 5 4 0.02 0.25
	single idle CDC 50 1 0.6 0.6 7 7 0.6 7
EOF
run "$bench/closer" closer
expect_status 0
expect_text out '^Of 2 figures .* closer in 0: '
expect_lines out 1
echo 'processors:' >closer/machine.txt
run "$bench/closer" closer
expect_trouble "^tools/bench/closer: closer/machine\.txt doesn't say how many processors there were$"

run "$bench/peers_report" rows
expect_trouble 'no output of tools/bench/peers'

finish
