#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench/peers without measuring: what is left to do, rows out of loads, medians, tables, goals and the picture.
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
expect_text out '^sessions left: [0-9]+, about [0-9] minutes$'
run "$bench/peers" --dry-run --output none
expect_text out '^sessions left: [0-9]+, about [1-8]?[0-9] minutes$'
expect_text out '^sunflow P idle default 3$'
expect_text out '^single 6P idle quota 1$'
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

# Rows by hand: from 11 s to 12.5 s at 50 %, with loads of 51 and 48 %, of 50 % and of 54 %; what lies over the ends doesn't count.
mkdir rows
printf 'own_cpu_percent=0.250\nlateness_p99_us=90.5\n' >rows/own.txt
printf '50,10.0,12.5\n' >rows/segments.csv
printf 'time_s,monotonic_s,load\n1,10.8,0.9\n2,11.3,0.9\n3,11.8,0.51\n4,12.3,0.48\n5,12.8,0.9\n' >rows/load.500.csv
printf 'time_s,monotonic_s,load\n1,11.0,0.9\n2,11.37,0.50\n' >rows/load.370.csv
printf 'time_s,monotonic_s,load\n1,11.1,0.9\n2,12.4,0.54\n' >rows/load.1300.csv
rows() {
	run awk -f "$bench/peers_rows.awk" -v session=single,P,idle,default -v repetition=2 -v settle=1 rows/own.txt rows/segments.csv \
		rows/load.500.csv rows/load.370.csv rows/load.1300.csv
}
rows
expect_status 0
expect_lines out 1
expect_text out '^single,P,idle,default,50,2,2,49\.500,-0\.500,2\.500,0\.000,16\.000,0\.250,90\.5$'
# A load that no window lies within is an error, not a row.
printf 'time_s,monotonic_s,load\n1,10.2,0.9\n2,11.5,0.54\n' >rows/load.1300.csv
rows
expect_status 1
# A reading that comes late by more than half a window: the session must be repeated.
printf 'time_s,monotonic_s,load\n1,10.2,0.9\n2,12.4,0.54\n' >rows/load.1300.csv
rows
expect_status 2
expect_lines out 0

# Steps at 3, 6 … s; ten windows of 50 ms make one. The load arrives 0.5 s late.
printf 'time_s,monotonic_s,load\n0.5,100.5,0.1\n9,109,0.1\n' >log.csv
awk 'BEGIN {
	print "time_s,monotonic_s,load"
	for (i = 1; i <= 180; i++) {
		t = i * 0.05
		late = t - 0.5
		printf "%.2f,%.2f,%.2f\n", t, 100 + t, (late > 3.01 && late < 6.01 ? 0.9 : 0.1)
	}
}' >load.50.csv
run awk -f "$bench/peers_steps.awk" log.csv load.50.csv
expect_status 0
expect_text out '^0\.00,[0-9]+,80\.00$'
expect_text out '^0\.75,[0-9]+,0\.00$'

# Medians, tables, goals.
session() { # NAME ROW…
	mkdir -p "report/sessions/$1"
	name=$1
	shift
	printf '%s\n' "$@" >"report/sessions/$name/rows.csv"
}
session single.P.idle.default.1 single,P,idle,default,50,1,15,50.1,0.100,0.5,0.6,0.7,0.2,80
session single.P.idle.default.2 single,P,idle,default,50,2,15,50.3,0.300,0.9,0.6,0.7,0.4,120
session single.P.idle.default.3 single,P,idle,default,50,3,15,49.9,-0.050,0.3,0.6,0.7,0.3,90
session single.P.idle.quota.1 single,P,idle,quota,50,1,15,48.0,-2.000,0.25,0.3,0.3,,
session single.P.idle.cpulimit.1 single,P,idle,cpulimit,50,1,15,55.0,5.000,50,60,70,0.5,
printf 'processors: 2 (x)\nload of the background program alone: 20.5 %%\n' >report/machine.txt
mkdir report/sessions/parallel.P.idle.steps.1
: >report/sessions/parallel.P.idle.steps.1/rows.csv
printf 'after_s,windows,worst_pp\n0.00,3,60\n0.50,3,4\n0.75,3,6\n' >report/sessions/parallel.P.idle.steps.1/steps.csv
run "$bench/peers_report" report
expect_status 0
expect_text report/medians.csv '^single,P,idle,default,50,3,50\.100,0\.100,-0\.050,0\.300,0\.500,0\.300,0\.900,0\.600,0\.700,0\.300,90\.000,1\.000,1\.000$'
expect_text report/medians.csv '^single,P,idle,cpulimit,50,1,.*,50\.000,100\.000$'
expect_text report/peers.md '^\| cpulimit \| \+5\.00, 50\.00 \(50×, 100×\) \| 0\.50 \|$'
expect_text out '^\| mean error, pp \| 0\.1 \| 0\.1 \| single P 50 % \| reached on 1 \|$'
expect_text out "^\| our MSE over the quota's, single, contended, fop \| 3 \| 2 \| single P 50 % \| reached on 1 \|$"
expect_text out '^\| own CPU time per executor, % of a processor \| 0\.15 \| 0\.15 \|'
expect_text out '^\| step .* \| 5 \| 6 \| 0\.75 s after \| missed on 1 of 2 \|$'
if command -v gnuplot >/dev/null; then expect_text report/peers.svg '</svg>'; fi
# For README.md: a row for each tool, over the loads that all held; with background, where that leaves room.
expect_text report/summary.md '^\| Showstopper \| 0\.10 \| 0\.50 \|  \|  \| 1 \|$'
# shellcheck disable=SC2016 # Markdown
expect_text report/summary.md '^\| `cpulimit` \| 5\.00 \| 50\.00 \|  \|  \| 1 \|$'
session single.P.idle.default.4 single,P,idle,default,90,1,15,80,-10,100,0.6,0.7,0.2,80
session parallel.P.idle.default.1 parallel,P,idle,default,50,1,15,50.1,-0.300,1.5,0.6,0.7,0.2,80
session single.P.background.default.1 single,P,background,default,25,1,15,35,10,100,0.6,0.7,0.2,80 single,P,background,default,50,1,15,51,-1,250,0.6,0.7,0.2,80
session single.P.background.CDC.1 single,P,background,CDC,50,1,15,49,-1,250,0.6,0.7,0.2,80
run "$bench/peers_report" report
expect_text report/summary.md '^\| Showstopper \| 0\.20 \| 1\.00 \| 1\.00 \| 250 \| 3 \|$'
expect_text report/summary.md '^\| CDC: a constant duty cycle \|  \|  \| 1\.00 \| 250 \| 1 \|$'
expect_text report/summary.md ' at loads of 50 %;'
[ "$(grep -c '^| [^t-]' report/summary.md)" -le 8 ] || fail "$what: summary.md has more than eight tools"
run "$bench/peers_report" rows
expect_trouble 'no output of tools/bench/peers'

finish
