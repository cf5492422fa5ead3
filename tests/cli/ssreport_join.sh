#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport --join and --offset: files of several machines and boots, on made-up runs and on a real one.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

refused() {
	expected=$1
	shift
	run ssreport "$@"
	expect_trouble "$expected"
	expect_lines out 0
}

# moved FILE SECONDS [WALL]: the file as if its machine had been booted so much earlier, and its wall clock been so much (0) ahead.
moved() {
	awk -F, -v OFS=, -v by="$2" -v ahead="${3-0}" '
		NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; print; next }
		{
			for (i = 1; i <= NF; i++) {
				if (name[i] ~ /^(monotonic_s|start_s|end_s)$/) $i = add($i, by)
				if (name[i] == "time_unix_s") $i = add($i, ahead)
			}
			print
		}
		# To the last digit, which numbers of awk have no room for.
		function add(time, seconds,    part) { split(time, part, "."); return sprintf("%d.%s", part[1] + seconds, part[2]) }' "$1"
}

# same_as FILE ARG…: the table is that of the file, and nothing is said.
same_as() {
	expected=$1
	shift
	run ssreport "$@"
	expect_status 0
	expect_lines err 0
	sed 's/other\.log/log/g' out >part
	cmp -s "$expected" part || { fail "$what: another table than before"; diff "$expected" part | head; }
}

# ---- Made-up runs: a background in steps of 6 s down and up, and a foreground that has 10 - 4 * load iterations a second

awk 'BEGIN {
	print "time_s,monotonic_s,target,load,time_unix_s" >"log.csv"
	print "instance,iteration,start_s,end_s,time_unix_s" >"fore.csv"
	for (step = 0; step < 6; step++) {
		load = 0.9 - 0.4 * (step < 3 ? step : 5 - step)
		for (row = 1; row <= 12; row++) {
			t = 6 * step + row / 2
			printf "%.6f,%.6f,%.6f,%.6f,%.6f\n", t, 1000.123 + t, load, load + (row % 2 ? 0.002 : -0.002), 1767226600.5 + t >"log.csv"
		}
		count = int(6 * (10 - 4 * load))
		for (i = 0; i < count; i++) {
			start = 6 * step + 6 * i / count
			end = 6 * step + 6 * (i + 1) / count
			printf "0,%d,%.9f,%.9f,%.6f\n", total++, 1000.123 + start, 1000.123 + end, 1767226600.5 + end >"fore.csv"
		}
	}
}'
cut -d, -f1-4 log.csv >log.old.csv
cut -d, -f1-4 fore.csv >fore.old.csv
moved fore.csv 50000 >far.csv
moved log.csv 50000 >other.log.csv
for command in timeline throughput 'throughput -i 1s' 'throughput --per-step' curve 'curve -i 1700m' interference overall; do
	# shellcheck disable=SC2086 # words
	run ssreport $command -f csv log.csv fore.csv
	expect_status 0
	expect_lines err 0
	mv out before
	# shellcheck disable=SC2086 # words
	for join in auto wall monotonic; do same_as before $command -f csv --join "$join" log.csv fore.csv; done
	# shellcheck disable=SC2086 # words
	for files in 'log.csv far.csv' 'other.log.csv fore.csv'; do
		same_as before $command -f csv $files
		same_as before $command -f csv --join wall $files
		refused ': found none of its iterations at the time of its log, expected files of one run \(those of several machines need a column time_unix_s\)$' \
			$command --join monotonic $files
	done
done
# Files of before the column: by CLOCK_MONOTONIC, also when only one of them has none.
run ssreport curve -f csv log.csv fore.csv
sed 's/,log.csv/,LOG/; s/^log,/L,/' out >before
for files in 'log.old.csv fore.old.csv' 'log.csv fore.old.csv' 'log.old.csv fore.csv'; do
	# shellcheck disable=SC2086 # words
	run ssreport curve -f csv $files
	expect_status 0
	sed 's/,log\(.old\)*.csv/,LOG/; s/^log\(.old\)*,/L,/' out >part
	cmp -s before part || fail "$what: another table than with the column"
done
refused '^ssreport: fore.old.csv: found no value in a column time_unix_s, expected some for --join wall$' curve --join wall log.csv fore.old.csv
refused '^ssreport: log.old.csv: found no value in a column time_unix_s, expected some for --join wall$' timeline --join wall log.old.csv
refused '^ssreport: -*join: .*sideways' curve --join sideways log.csv fore.csv
refused '^ssreport: accuracy has no option --join' accuracy --join wall log.csv

# Several logs: the one of its time gets a file of another machine; and without a label it is refused where there is doubt.
awk -F, -v OFS=, 'NR > 1 { $2 += 100; $5 = sprintf("%.6f", $5 + 100) } { print }' log.csv >late.csv
run ssreport overall -f csv log.csv late.csv -l x log.csv fore.csv
expect_trouble '^ssreport: log: found a log, but no iterations'
moved fore.csv 70000 100 >late.fore.csv
run ssreport overall -f csv log.csv late.csv late.fore.csv far.csv
expect_status 0
expect_text out '^late,late.csv,1,1.000,5.000,0.900000,0.900000,25[0-9.]*,6[0-9.]*,$'
expect_text out '^log,log.csv,1,1.000,5.000,0.900000,0.900000,25[0-9.]*,6[0-9.]*,$'

# ---- Known differences of clocks

# The other machine's clock is 2 s slow: all of it comes 2 s too early, until that is said.
run ssreport throughput -i 1s -f csv log.csv fore.csv
mv out before
moved fore.csv 50000 -2 >slow.csv
run ssreport throughput -i 1s -f csv log.csv slow.csv
cmp -s before out && fail "$what: the same, though two seconds too early"
same_as before throughput -i 1s -f csv --offset slow.csv=2s log.csv slow.csv
same_as before throughput -i 1s -f csv --offset 's*w.csv=2s' log.csv "$work/slow.csv"
same_as before throughput -i 1s -f csv --offset log.csv=-2s log.csv slow.csv
same_as before throughput -i 1s -f csv --offset slow.csv=1s --offset slow.csv=+2s log.csv slow.csv
run ssreport throughput -i 1s -f csv -l one log.csv fore.csv
mv out before
same_as before throughput -i 1s -f csv --offset one=2s -l one log.csv slow.csv
refused "^ssreport: --offset: found neither a file 'none.csv' nor a label of iterations$" throughput --offset none.csv=1s log.csv fore.csv
for wrong in slow.csv =2s slow.csv=x slow.csv= slow.csv=--1s; do
	refused "^ssreport: --offset: found '$wrong', expected the name of a file or a label, and a time, such as" throughput --offset "$wrong" log.csv slow.csv
done

# ---- Clocks that drift apart, or are set

# Of 36 s: 9 ms a second are 0.3 s in all, less than a row, and 50 ms are more.
for drift in 0.009 0.05; do
	awk -F, -v OFS=, -v d="$drift" 'NR > 1 { $5 = sprintf("%.6f", $5 + 500 + d * ($4 - 1000)) } { print }' fore.csv >drift.csv
	run ssreport curve -f csv --offset drift.csv=-500s log.csv drift.csv
	expect_status 0
	if [ "$drift" = 0.009 ]; then
		expect_lines err 0
	else
		expect_lines err 1
		expect_text err '^ssreport: warning: the clocks of log.csv and drift.csv drifted apart by 1\.[78][0-9]* s in the run; they are joined as'
	fi
done
# Both were written on a machine whose clock was set in the run: nothing of that matters to CLOCK_MONOTONIC.
awk -F, -v OFS=, 'NR > 1 && $4 > 1018 { $5 = sprintf("%.6f", $5 - 3600) } { print }' fore.csv >set.csv
awk -F, -v OFS=, 'NR > 1 && $2 > 1018 { $5 = sprintf("%.6f", $5 - 3600) } { print }' log.csv >set.log.csv
run ssreport curve -f csv set.log.csv set.csv
expect_lines err 0
run ssreport curve -f csv --join wall set.log.csv set.csv
expect_status 0
expect_lines err 1
expect_text err '^ssreport: warning: the wall clock of set.log.csv was set by -3600\.000 s in the run; it is joined as'

# ---- A real run

run showstopper -q -T 80% -r 2s --log-interval 100m -o real.log.csv -n 2 ssburn --work 500 -o real.%.csv
expect_status 0
set -- real.?*.csv
[ $# -eq 3 ] || fail "$what: wrote $*"
for file in real.[0-9]*.csv; do moved "$file" 50000 >"far.$file"; done
run ssreport throughput -i 200m -f csv --join wall real.log.csv real.[0-9]*.csv
expect_status 0
mv out before
same_as before throughput -i 200m -f csv real.log.csv far.real.*
same_as before throughput -i 200m -f csv --join wall real.log.csv far.real.*
# By either clock it is the same within microseconds.
run ssreport throughput -i 200m -f csv real.log.csv real.[0-9]*.csv
paste -d, before out | awk -F, 'NR > 1 && ($7 - $15 > 0.01 || $15 - $7 > 0.01) { exit 1 }' || { fail "$what: joined otherwise by CLOCK_MONOTONIC"; diff before out; }

finish
