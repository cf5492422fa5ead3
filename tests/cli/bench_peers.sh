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

# Rows by hand: from 11 s to 12.5 s at 50 %, with loads of 51 and 48 %, of 50 % and of 54 %; what lies over the ends doesn't count.
mkdir rows
printf 'own_cpu_percent=0.250\nlateness_p99_us=90.5\n' >rows/own.txt
printf '50,10.0,12.5\n' >rows/segments.csv
printf 'time_s,monotonic_s,load\n1,10.8,0.9\n2,11.3,0.9\n3,11.8,0.51\n4,12.3,0.48\n5,12.8,0.9\n' >rows/load.500.csv
printf 'time_s,monotonic_s,load\n1,11.0,0.9\n2,11.37,0.50\n' >rows/load.370.csv
printf 'time_s,monotonic_s,load\n1,11.1,0.9\n2,12.4,0.54\n' >rows/load.1300.csv
echo time_s,monotonic_s,load >rows/tree.csv
rows() {
	run awk -f "$bench/lib/bursts.awk" -f "$bench/peers_rows.awk" -v session=single,P,idle,default -v repetition=2 -v settle=1 rows/own.txt rows/segments.csv \
		rows/tree.csv rows/load.500.csv rows/load.370.csv rows/load.1300.csv
}
rows
expect_status 0
expect_lines out 1
expect_text out '^single,P,idle,default,50,2,2,49\.500,-0\.500,2\.500,0\.000,16\.000,0\.250,90\.5,,,$'
# With the time of what is measured, of which two samples are not: 2 and 6 % of the machine, 7 and 1 %, 1 % and unknown, 1 and 2 %.
tree() { # LOAD FROM 11.3 S ON, LOAD FROM 11.8 S ON, UNTIL WHEN
	printf 'time_s,monotonic_s,load\n0.9,11.3,0.9\n1.4,11.8,%s\n1.9,%s,%s\n' "$1" "$3" "$2" >rows/tree.csv
}
tree 0.49 0.42 12.8
rows
expect_text out ',0\.250,90\.5,1,1\.000,1\.000$'
tree 0.44 0.47 12.8
rows
expect_text out ',0\.250,90\.5,2,,$'
tree 0.50 0.48 12.1
rows
expect_text out ',0\.250,90\.5,1,1\.000,1\.000$'
tree 0.50 0.46 12.8
rows
expect_text out ',0\.250,90\.5,0,-0\.500,2\.500$'

# What a burst is: samples of 0.5 s from 0.25 s on; others take 10 % from 2 to 2.5 s, as far as it is known, which is until 5 s.
cat >bursts.awk <<'END'
BEGIN {
	for (t = 0.5; t <= 5; t += 0.5) tree_add(t, 0.4, 0)
	for (t = 0; t < 6; t += 0.5) machine_add(t, t + 0.5, t == 2 ? 0.5 : 0.42)
	for (t = 0.25; t < 5.5; t += 0.5) printf "%s", is_calm(t, t + 0.5)
	print ""
}
END
run awk -f "$bench/lib/bursts.awk" -f bursts.awk
expect_text out '^11100011100$'
echo 'BEGIN { print is_whole(50, 2) is_whole(25, 2) is_whole(75, 2) is_whole(33, 12) is_whole(66, 12) is_whole(10, 12) is_whole(1, 2) }' >whole.awk
run awk -f "$bench/lib/whole.awk" -f whole.awk
expect_text out '^1001100$'

# A load that no window lies within is an error, not a row.
printf 'time_s,monotonic_s,load\n1,10.2,0.9\n2,11.5,0.54\n' >rows/load.1300.csv
rows
expect_status 1
# A reading that comes late by more than half a window: the session must be repeated.
printf 'time_s,monotonic_s,load\n1,10.2,0.9\n2,12.4,0.54\n' >rows/load.1300.csv
rows
expect_status 3
expect_lines out 0

cat >interval.awk <<'END'
BEGIN { printf "%.4f %.4f %.3f %.4f [%s]\n", t_of(1), t_of(10), t_of(11), t_of(100), half_interval(1, 1, 1) }
END
run awk -f "$bench/lib/interval.awk" -f interval.awk
expect_text out '^12\.7062 2\.2281 2\.201 1\.9840 \[\]$'

# A row of tools/bench/accuracy, likewise: errors of 1 and 20 pp, the second in a burst.
printf 'time_s,monotonic_s,load\n0.5,100.5,0.5\n1,101,0.59\n1.5,101.5,0.5\n' >machine.csv
accuracy_row() {
	: >table.csv
	run awk -f "$bench/lib/bursts.awk" -f "$bench/accuracy_row.awk" -v profile=single -v target=49 -v repetition=1 -v error=+0.1 -v mse=2.0 -v own=0.3 \
		-v table=table.csv "$1" machine.csv
	expect_status 0
}
printf 'time_s,monotonic_s,load\n3,100.6,0.49\n3.5,101.1,0.5\n4,101.6,0.5\n' >tree.csv
accuracy_row tree.csv
expect_text table.csv '^single,49,1,3,53\.000,4\.000,34\.000,\+0\.1,2\.0,0\.3,2,1\.000,1\.000$'
expect_text out '  MISSED$'
: >tree.csv
accuracy_row tree.csv
expect_text table.csv '^single,49,1,3,53\.000,4\.000,34\.000,\+0\.1,2\.0,0\.3,,,$'
expect_text out ' unknown '

# Of its repeats: errors of 1 and 3 pp, one of which has nothing left without bursts.
cat >table.csv <<'END'
profile,target_percent,repetition,samples,load_percent,mean_error_pp,mse_pp2,reported_error_pp,reported_mse_pp2,own_cpu_percent,bursts,calm_error_pp,calm_mse_pp2
single,50,1,9,51,1,4,+1,4,0.3,2,0.5,2
parallel,50,1,9,51,1,4,+1,4,0.3,2,0.5,2
single,50,2,9,53,3,4,+3,4,0.3,9,,
END
run awk -f "$bench/lib/interval.awk" -f "$bench/accuracy_repeats.awk" table.csv
expect_lines out 3
# shellcheck disable=SC2016 # Markdown
expect_text out '^- `single`, 50 %: \+2\.00 ± 12\.71 pp, 4\.00 ± 0\.00 pp²; without bursts \+0\.50 pp, 2\.00 pp²$'

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
expect_text report/medians.csv '^single,P,idle,default,50,3,50\.100,0\.100,-0\.050,0\.300,0\.500,0\.300,0\.900,0\.600,0\.700,0\.300,90\.000,1\.000,1\.000,45,3,0\.020,0\.300,0\.117,0\.436,0\.567,0\.759,0\.007,0\.127,0\.300,0\.248$'
expect_text report/medians.csv '^single,P,idle,cpulimit,50,1,.*,50\.000,100\.000,15,4,4\.000,40\.000,5\.000,,50\.000,,4\.000,,40\.000,$'
expect_text report/peers.md '^\| cpulimit \|  \| \+5\.00, 50\.00 \(50×, 100×\) \| 0\.50 \|$'
# Other actuators are rows beside the peers, in the order of the help, and no goals are judged by them.
expect_text report/peers.md '^\| default-freezer \|  \| \+0\.40, 0\.10 \(4\.0×, 0\.2×\) \| 0\.60 \|$'
sed -n 's/^| \(default\|default-freezer\|default-quota\|quota\) | .*/\1/p' report/peers.md | head -n 4 >found
printf '%s\n' default default-freezer default-quota quota | cmp -s - found || { fail "$what: peers.md has the tools in another order:"; cat found; }
expect_no_text out 'default-'
if [ -e report/peers.svg ]; then expect_text report/peers.svg '>default-quota<'; fi
expect_no_text report/summary.md 'default|`-a '
expect_text report/peers.md '^Without the 7 of 150 samples that met a burst of others:$'
expect_text report/peers.md '^\| default \| \+0\.01, 0\.50 \| \+0\.02, 0\.30 \|$'
# Errors of 0.1, 0.3 and -0.05 pp, whose standard deviation is 0.1756; t of two degrees of freedom is 4.3027.
expect_text report/peers.md '^default, means of 3 repeats and their 95 % confidence: 50 %: \+0\.12 ± 0\.44 pp, 0\.57 ± 0\.76 pp²\. Without bursts: 50 %: \+0\.01 ± 0\.13 pp, 0\.30 ± 0\.25 pp²\.$'
expect_no_text report/peers.md '^cpulimit, means of'
# Half an instance is none: that is marked, and not counted as a baseline that was beaten. One that whole instances make exactly never was.
expect_text report/peers.md '^\| N-bench \| \+25\.00, 625\.00 \(2500×, 1250×\) \\\* \| \+0\.40, 0\.40 .* \|  \|$'
expect_text report/peers.md "^.\* Whole instances can't make this load\.$"
expect_no_text out 'that of N-bench'
expect_text out '^N-bench is no baseline at 25 %: 2 processors have no whole instances for it\.$'
expect_text out '^7 of 150 samples of 500 ms met a burst of others\.$'
expect_text out '^\| mean error, pp \| 0\.1 \| 0\.1 \| single P 50 % \| reached on 2 \| 0\.02 \|$'
expect_text out "^\| our MSE over the quota's, single, contended, fop \| 3 \| 2 \| single P 50 % \| reached on 1 \| 1\.2 \|$"
expect_text out '^\| own CPU time per executor, % of a processor \| 0\.15 \| 0\.15 \|'
expect_text out '^\| step .* \| 5 \| 6 \| 0\.75 s after \| missed on 1 of 2 \|  \|$'
if command -v gnuplot >/dev/null; then expect_text report/peers.svg '</svg>'; else left_out 'gnuplot is missing'; fi
# For README.md: a row for each tool, over the loads that all held; with background, where that leaves room.
expect_text report/summary.md '^\| Showstopper \| 0\.10 \| 0\.50 \|  \|  \| 1 \|$'
# shellcheck disable=SC2016 # Markdown
expect_text report/summary.md '^\| `cpulimit` \| 5\.00 \| 50\.00 \|  \|  \| 1 \|$'
expect_text report/summary.md " Without the 7 of 90 samples that met a burst of others: Showstopper 0\.02 pp and 0\.30 pp²\.$"
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
