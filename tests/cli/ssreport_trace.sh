#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport timeline of traces without a run, and the recorded time of day below a replay.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

expect_table() {
	expect_status 0
	printf '%s\n' "$@" >wanted
	cut -d, -f1,3-5 out >found
	cmp -s wanted found || { fail "$what: expected <, found >"; diff wanted found; }
}

printf '# A day.\n\ninterpolate step\n0 20%%\n6h 80%%\n12h free\n18h 40%%\n24h 40%%\n' >day.trace
printf '0 0\n10s 1\n20s 0\n' >tooth.trace
sstrace -o tooth.bin tooth.trace

# From record to record, or in windows, of which the last may be shorter; text and compiled alike.
run ssreport timeline -f csv day.trace
expect_table label,start_s,end_s,target day.trace,0.000,21600.000,0.200000 day.trace,21600.000,43200.000,0.800000 day.trace,43200.000,64800.000, \
	day.trace,64800.000,86400.000,0.400000
run ssreport timeline -f csv -w 8s tooth.bin
expect_table label,start_s,end_s,target tooth.bin,0.000,8.000,0.400000 tooth.bin,8.000,16.000,0.750000 tooth.bin,16.000,20.000,0.200000
run ssreport timeline -f csv tooth.trace
cut -d, -f3- out >text
run ssreport timeline -f csv tooth.bin
cut -d, -f3- out | cmp -s - text || fail 'a compiled trace has another timeline than its text'

printf 'time_s,monotonic_s,target,load\n' >log.csv
seq 1 60 | awk '{ print $1 "," $1 + 7 ",0.5,0.5" }' >>log.csv
run ssreport timeline -f csv --label a tooth.trace log.csv
expect_status 0
expect_lines out 63

run ssreport timeline -w 1ms day.trace
expect_trouble 'Cannot allocate memory$'

# Only a timeline knows traces; what is wrong with one is said as sstrace says it.
run ssreport accuracy tooth.trace
expect_trouble '^ssreport: tooth.trace:1: found the columns 0 0, expected those of a log'
run ssreport timeline --per-step tooth.trace
expect_trouble '^ssreport: tooth.trace: found a trace, expected a log for --per-step$'
printf '0 0\n10s x\n' >wrong.trace
run ssreport timeline wrong.trace
expect_trouble '^ssreport: wrong.trace:2:5: found "x", expected a load'
echo '0 0' >point.trace
run ssreport timeline point.trace
expect_trouble '^ssreport: point.trace: found a trace that ends when it begins, expected one with a length$'

# The recorded time of day.
for wrong in 8:00 24:00 08:60 '08:00,' 08:00,0 08:00,x x; do
	run ssreport timeline --recorded "$wrong" log.csv -o wrong.svg
	expect_trouble "^ssreport: --recorded: found '$wrong', expected a time of day, and perhaps a speed behind it, such as 08:00,144$"
done
run ssreport timeline --recorded 08:00 log.csv
expect_trouble '^ssreport: found --recorded, but no picture'
run ssreport accuracy --recorded 08:00 log.csv
expect_trouble 'accuracy has no option --recorded'

command -v gnuplot >/dev/null || skip_missing gnuplot-nox
run ssreport timeline day.trace tooth.trace -o picture.svg
expect_status 0
expect_text picture.svg 'time \(h\)'
expect_text picture.svg 'tooth\.trace'
expect_text picture.svg '>target<'
expect_no_text picture.svg '>load<'
run ssreport timeline --recorded 00:00 day.trace -o picture.svg
expect_status 0
expect_text picture.svg 'recorded time'
for hour in 00:00 06:00 12:00 18:00; do
	expect_text picture.svg "$hour"
done
# A minute of the run is two hours of the recorded evening and night.
run ssreport timeline --recorded 23:10,120 log.csv -o picture.svg
expect_status 0
for hour in 23:30 00:00 00:30 01:00; do
	expect_text picture.svg "$hour"
done
expect_no_text picture.svg '24:00'

finish
