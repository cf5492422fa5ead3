#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport --join, --offset and --power: files of several machines, boots and power meters, on made-up runs and on a real one.
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

# Iterations that all lie within the first row of a log are at its time.
printf 'instance,iteration,start_s,end_s,time_unix_s\n1,0,1100.223,1100.453,1767226700.83\n' >first.csv
run ssreport throughput -i 500m -f csv log.csv late.csv fore.csv first.csv
expect_status 0
expect_text out '^late,late.csv,0\.000,0\.500,0\.900000,0\.902000,1\.000000,2\.000000,$'

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

# A further log of a run, of a power meter's machine whose clock is 3 s fast: its rows are of another length, and tell the power of each step.
awk 'BEGIN {
	print "time_s,monotonic_s,load,power_w,time_unix_s"
	for (end = 0.75; end <= 36; end += 0.75) {
		step = int((end - 0.375) / 6)
		printf "%.6f,%.6f,0.1,%d,%.6f\n", end, 7000 + end, 50 + 10 * step, 1767226600.5 + end
	}
}' >meter.log.csv
run ssreport efficiency -f csv -l one log.csv meter.log.csv fore.csv
expect_status 0
awk -F, 'NR > 1 { step = $3 - 1; if ($9 != 50 + 10 * step) exit 1; steps++ } END { exit steps != 6 }' out || { fail "$what: other powers"; cat out; }
mv out before
moved meter.log.csv 0 3 >fast.log.csv
sed 's/meter.log/fast.log/' before >expected
run ssreport efficiency -f csv -l one log.csv fast.log.csv fore.csv
cmp -s expected out && fail "$what: the same, though three seconds too late"
same_as expected efficiency -f csv --offset fast.log.csv=-3s -l one log.csv fast.log.csv fore.csv
# It moves the first log as well, to which the others are joined.
same_as expected efficiency -f csv --offset log.csv=3s --offset fore.csv=3s -l one log.csv fast.log.csv fore.csv

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
awk -F, -v OFS=, 'NR > 1 && $4 > 1028 { $5 = sprintf("%.6f", $5 - 3600) } { print }' fore.csv >set.csv
awk -F, -v OFS=, 'NR > 1 && $2 > 1028 { $5 = sprintf("%.6f", $5 - 3600) } { print }' log.csv >set.log.csv
run ssreport curve -f csv set.log.csv set.csv
expect_lines err 0
run ssreport curve -f csv --join wall set.log.csv set.csv
expect_status 0
expect_lines err 1
expect_text err '^ssreport: warning: the wall clock of set.log.csv was set by -3600\.000 s in the run; it is joined as'

# ---- Power

# 1767226600 is 00:16:40 UTC. A reading a second, of 50 W and 100 W for a load of 1, and the first half of the last step is missing.
awk 'BEGIN {
	print "Timestamp,Watts"
	for (i = -2; i <= 40; i++) {
		load = 0.9 - 0.4 * (i < 18 ? int(i / 6) : i < 36 ? 5 - int(i / 6) : 0)
		if (i < 30 || i > 33) printf "2026-01-01T01:%02d:%02d+01:00,%.3f\n", 16 + int((40 + i) / 60), (40 + i) % 60, 50 + 100 * load
	}
}' >meter.csv
run ssreport timeline --per-step --edge 1/3 --power meter.csv -f csv log.csv
expect_status 0
expect_lines err 0
expect_text out '^label,file,start_s,end_s,target,load,iterations,throughput,power_w$'
expect_text out '^log,log.csv,2.000,4.000,0.900000,0.900000,,,140.000$'
expect_text out '^log,log.csv,8.000,10.000,0.500000,0.500000,,,100.000$'
expect_text out '^log,log.csv,16.000,20.000,0.100000,0.100000,,,60.000$'
mv out before
# Of a machine whose clock is 7 s fast, and that is known; for a label; and with throughput.
awk -F, -v OFS=, 'NR > 1 { split($1, part, "[:+]"); $1 = sprintf("%s:%s:%02d+01:00", part[1], part[2] + int((part[3] + 7) / 60), (part[3] + 7) % 60) } { print }' \
	meter.csv >fast.csv
same_as before timeline --per-step --edge 1/3 --power fast.csv --offset fast.csv=-7s -f csv log.csv
run ssreport timeline --per-step --edge 1/3 --power fast.csv -f csv log.csv
cmp -s before out && fail "$what: the same, though seven seconds too late"
run ssreport curve --edge 1/3 --power a=meter.csv -f csv -l a log.csv fore.csv -l b log.csv fore.csv
expect_text out '^a,log.csv,2.000,4.000,0.900000,0.900000,.*,140.000$'
expect_text out '^b,log.csv,2.000,4.000,0.900000,0.900000,.*,6\.[0-9]*,$'
run ssreport efficiency --power meter.csv log.csv fore.csv
expect_status 0
expect_lines err 0
expect_text out 'power W .*iterations/Wh'
refused '^ssreport: meter.csv: found no log of the label .c. to join this power to$' timeline --power c=meter.csv -l a log.csv
refused '^ssreport: meter.csv: found no reading at the time of log.csv, expected some$' timeline --power meter.csv --offset meter.csv=1h log.csv
refused '^ssreport: log.old.csv: found no value in a column time_unix_s, expected some for --power$' timeline --power meter.csv log.old.csv
refused '^ssreport: fore.csv:1: found the columns .*, expected a time \(time_unix_s, time or timestamp\) and a power' timeline --power fore.csv log.csv
refused '^ssreport: interference has no option --power' interference --power meter.csv log.csv fore.csv
refused '^ssreport: --output: meter.csv is one of the files to read: expected another file$' timeline --power meter.csv -o meter.csv log.csv
refused '^ssreport: found --edge without --per-step' timeline --edge 0 log.csv

run ssreport timeline --per-step --power meter.csv set.log.csv
expect_status 0
expect_lines err 1
expect_text err '^ssreport: warning: the wall clock of set.log.csv was set by -3600\.000 s in the run'

# In the picture: a line, means of the steps, and an axis from 0 up with a few numbers.
mkdir bin
printf '#!/bin/sh\ncat >script\necho picture\n' >bin/gnuplot
chmod +x bin/gnuplot
run env PATH="$work/bin:$PATH" ssreport timeline --per-step --edge 1/3 --power meter.csv -o picture.svg log.csv fore.csv
expect_status 0
expect_text script '[$]power0 using 1:2 with lines'
expect_text script '[$]powermean0 using 1:2 with lines'
expect_text script "'power \(W\)'"
expect_text script "'iterations/s'"
expect_text script "^set label [0-9]+ '150' at graph 1\.[0-9]*,1.0000 left$"
# 140 W of 150: the first point of the first mean is as high as that of the line beside it.
awk '/^\$power0/ { inside = 1; next } /^END/ { inside = 0 } inside && NF == 2 && $1 > 1 && $1 < 4.5 && ($2 < 93.2 || $2 > 93.4) { exit 1 }' script ||
	fail "$what: the line is elsewhere"
awk '/^\$powermean0/ { getline; exit !($1 == 2 && $2 > 93.2 && $2 < 93.4) }' script || fail "$what: the mean is elsewhere"
run env PATH="$work/bin:$PATH" ssreport timeline -o picture.svg log.csv fore.csv
expect_no_text script 'power'

# ---- A real run

run showstopper -q -T 100% -c open --log-interval 100m -o real.log.csv -n 2 ssburn --work 500 --iterations 40 -o real.%.csv
expect_status 0
set -- real.?*.csv
[ $# -eq 3 ] || fail "$what: wrote $*"
for file in real.[0-9]*.csv; do moved "$file" 50000 >"far.$file"; done
# On a busy machine a row may come so late that it is taken for several; that is said.
run ssreport throughput -i 200m -f csv --join wall real.log.csv real.[0-9]*.csv
expect_status 0
mv out before
for join in auto wall; do
	run ssreport throughput -i 200m -f csv --join "$join" real.log.csv far.real.*
	expect_status 0
	if grep -v ' have no load, ' err; then fail "$what: said something else"; fi
	cmp -s before out || { fail "$what: other than before"; diff before out; }
done
# By either clock it is the same within microseconds.
run ssreport throughput -i 200m -f csv real.log.csv real.[0-9]*.csv
paste -d, before out | awk -F, 'NR > 1 && ($7 - $16 > 0.01 || $16 - $7 > 0.01) { exit 1 }' || { fail "$what: joined otherwise by CLOCK_MONOTONIC"; diff before out; }

finish
