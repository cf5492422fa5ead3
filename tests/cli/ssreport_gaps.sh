#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport where rows or records are missing: it says how much, and leaves that time out of every figure.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

expect_out() {
	cat >expected
	cmp -s out expected || { fail "$what: found other than expected"; diff out expected | head -20; }
}

# Two minutes in rows of 500 ms: one at 20 % with a load of 10, one at 60 % with a load of 60. Of 30 s, from 40 to 70 s, the rows are missing: taken
# out by hand, or marked as showstopper does it.
awk 'BEGIN {
	print "time_s,monotonic_s,target,load,others,time_unix_s"
	for (i = -1; i <= 240; i++) {
		time = i / 2; target = time <= 60 ? 20 : 60; load = time <= 60 ? 10 : 60
		printf "%.6f,%.6f,%s,%.6f,0.000000,%.6f\n", time, 100 + time, (i > 0 ? target / 100 : ""), load / 100, 1767225600 + time
	}
}' >whole.csv
awk -F, 'NR == 1 || $1 <= 40 || $1 > 70' whole.csv >cut.csv
awk -F, 'NR == 1 || $1 <= 40 || $1 > 70 { print } $1 == 70 { print "70.000000,170.000000,0.333333,,,1767225670.000000" }' whole.csv >marked.csv
awk -F, -v OFS=, '$1 > 40 && $1 <= 70 { $4 = $5 = "" } { print }' whole.csv >empty.csv
told='^ssreport: [a-z]*.csv: 30\.000 s of 120\.000 s have no load, as rows are missing or without one, and are left out$'

run ssreport accuracy whole.csv
expect_status 0
expect_lines err 0
# 80 rows are 10 pp too low, 100 right: -4.4444 pp, 44.4444 pp^2. The row at the jump is the last one that is known of 20 % in none of them.
for log in cut marked empty; do
	run ssreport accuracy --per-target -f csv $log.csv
	expect_status 0
	expect_lines err 1
	expect_text err "$told"
	expect_text out "^$log,$log.csv,,180,90.000,0.422222,0.377778,-4.4444,44.4444,"
	expect_text out "^$log,$log.csv,0.200000,80,40.000,0.200000,0.100000,"
	expect_text out "^$log,$log.csv,0.600000,100,50.000,0.600000,0.600000,"
	run ssreport accuracy -w 20s -f csv $log.csv
	# Windows from 40 to 80 s have a half of their time, or less; that of 60 s begins with 70.
	expect_text out "^$log,$log.csv,,4,80.000,0.400000,0.350000,-5.0000,50.0000,"
	run ssreport repeats -f csv $log.csv whole.csv
	expect_status 0
	expect_lines err 1
	run ssreport fleet -f csv -w 20s $log.csv
	expect_status 0
	expect_text out "^$log,$log.csv,0.000,120.000,180,0.422222,0.377778,-4.4444,44.4444$"
	expect_text out '^all together,,,120.000,5,0.440000,0.400000,'
	run ssreport timeline -f csv -w 20s $log.csv
	expect_status 0
	expect_out <<END
label,file,start_s,end_s,target,load,iterations,throughput,power_w
$log,$log.csv,0.000,20.000,0.200000,0.100000,,,
$log,$log.csv,20.000,40.000,0.200000,0.100000,,,
$(case $log in cut) echo "$log,$log.csv,40.000,60.000,,,,," ;; marked) echo "$log,$log.csv,40.000,60.000,0.333333,,,," ;; *) echo "$log,$log.csv,40.000,60.000,0.200000,,,," ;; esac)
$log,$log.csv,60.000,80.000,0.600000,0.600000,,,
$log,$log.csv,80.000,100.000,0.600000,0.600000,,,
$log,$log.csv,100.000,120.000,0.600000,0.600000,,,
END
	run ssreport timeline -o $log.svg $log.csv
	if [ "$status" -eq 0 ]; then [ -s $log.svg ] || fail "$what: no picture"; else expect_text err gnuplot; fi
done
# A line is interrupted where nothing is known: what the target was in the mean of what is missing is no step on the way from one to the other.
mkdir bin
printf '#!/bin/sh\ncat >script\necho "<svg/>"\n' >bin/gnuplot
chmod +x bin/gnuplot
ends() { # NAME: the last point before what is missing, and the first one after that.
	awk -v name="\$$1" '$1 == name { inside = 1; next } $1 == "END" { inside = 0 }
		inside && NF == 0 { printf "%s .. ", before; open = 1; next } inside && open { printf "%s,%s", $1, $2; open = 0 } inside { before = $1 "," $2 }' script
}
for log in cut marked; do
	run env PATH="$work/bin:$PATH" ssreport timeline -o picture.svg $log.csv
	expect_status 0
	[ "$(ends load0)" = '40,10 .. 70,60' ] || fail "$what: the load is interrupted at $(ends load0)"
	[ "$(ends target0)" = '40,20 .. 70,60' ] || fail "$what: the target is interrupted at $(ends target0)"
done

# As rows they are one that is as long as what is missing, and has no load.
run ssreport timeline -f csv cut.csv
expect_text out '^cut,cut.csv,40.000,70.000,,,,,$'
expect_text out '^cut,cut.csv,70.000,70.500,0.600000,0.600000,,,$'
expect_lines out 182

# Of one row alone, too; a row that is late is none.
sed 60d whole.csv >one.csv
run ssreport accuracy one.csv
expect_text err '^ssreport: one.csv: 0\.500 s of 120\.000 s have no load'
sed '60s/^\([0-9]*\)\.[0-9]*,\([0-9]*\)\.[0-9]*/\1.700000,\2.700000/' whole.csv >late.csv
[ "$(diff whole.csv late.csv | grep -c '^>')" = 1 ] || fail 'no row is late'
run ssreport accuracy late.csv
expect_lines err 0

# A meter goes on meanwhile.
awk 'BEGIN { print "time,watts"; for (i = 0; i <= 130; i++) printf "%d,%d\n", 1767225600 + i, 50 + i }' >meter.csv
run ssreport timeline -f csv --power meter.csv cut.csv
expect_text out '^cut,cut.csv,40.000,70.000,,,,,105.000$'

# Four iterations a second, each of a second. In the log nothing of them is missing; in the records it is, from 80 to 90 s.
awk 'BEGIN { print "instance,iteration,start_s,end_s"; for (i = 0; i < 480; i++) printf "0,%d,%.3f,%.3f\n", i, 99 + i / 4, 100 + i / 4 }' >it.csv
awk -F, 'NR > 1 && $3 >= 180 && $4 <= 190 { if (!marked++) print "0,,180.000,190.000"; next } { print }' it.csv >lost.csv
run ssreport throughput -i 20s -f csv cut.csv it.csv
expect_status 0
expect_text out '^cut,cut.csv,40.000,60.000,,,80.000000,4.000000,$'
for files in 'cut.csv it.csv' 'cut.csv lost.csv'; do
	# shellcheck disable=SC2086 # words
	run ssreport throughput -i 20s -f csv $files
	expect_status 0
	expect_text out '^cut,cut.csv,60.000,80.000,0.600000,0.600000,80.000000,4.000000,$'
done
expect_text err '^ssreport: lost.csv: the iterations of 10\.000 s are missing; this time is left out$'
expect_text out '^cut,cut.csv,80.000,100.000,0.600000,0.600000,40.000000,4.000000,$'
run ssreport throughput -i 5s -f csv lost.csv
expect_status 0
expect_text out '^lost,,80\.000,85\.000,,,15\.000000,3\.750000,$|^lost,,85\.000,90\.000,,,,,$'
# Of its only step the load is known in part, the rate in another part.
run ssreport curve -f csv -i 120s whole.csv lost.csv
expect_status 0
expect_text out '^whole,whole.csv,0.000,120.000,0.400000,0.350000,'
# Half a second of them.
printf 'instance,iteration,start_s,end_s\n0,0,0,1\n0,,1,1.5\n0,1,1.5,2.5\n' >half.csv
run ssreport throughput -i 500m half.csv
expect_status 0
expect_text err '^ssreport: half.csv: the iterations of 0\.500 s are missing; this time is left out$'

# Two iterations a second, of which every second one failed, are one a second.
awk 'BEGIN { print "instance,iteration,start_s,end_s,status,time_unix_s"; for (i = 0; i < 8; i++) printf "0,%d,%.1f,%.1f,%d,\n", i, i / 2, (i + 1) / 2, i % 2 }' >failed.csv
run ssreport throughput -i 2s -f csv failed.csv
expect_status 0
expect_text err '^ssreport: failed.csv: 4 of 8 iterations failed, and are left out$'
expect_text out '^failed,,0\.000,2\.000,,,2\.000000,1\.000000,$'

finish
