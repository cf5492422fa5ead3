#!/bin/sh
# SPDX-License-Identifier: MIT
# sstrace makes traces of what other programs recorded: every interval's mean, what is found and said, what is left out, cut, filled or refused.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_trace LINE…: the trace that came out, in seconds and with six digits.
expect_trace() {
	expect_status 0
	printf '%s\n' "$@" >wanted
	awk '/^interpolate/ { print; next } { printf "%.9g %.6g\n", $1 / 1e9, $2 }' out >found
	cmp -s wanted found || { fail "$what: expected <, found >"; diff wanted found; sed 's/^/  err: /' err; }
}

# ---- sadf -d: the value is of the interval before its time, and idle is also waiting for disks ----------------------------------------

cat >sar.txt <<'END'
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
db1;600;2026-03-01 00:10:01 UTC;-1;5.00;0.00;2.00;3.00;0.00;90.00
db1;600;2026-03-01 00:10:01 UTC;0;50.00;0.00;0.00;0.00;0.00;50.00
db1;600;2026-03-01 00:20:01 UTC;-1;20.00;0.00;5.00;5.00;0.00;70.00
db1;-1;2026-03-01 00:25:00 UTC;LINUX-RESTART	(2 CPU)
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
db1;600;2026-03-01 00:30:01 UTC;-1;20.00;0.00;5.00;5.00;0.00;seventy
db1;600;2026-03-01 00:50:01 UTC;-1;80.00;0.00;0.00;0.00;0.00;20.00
END
run sstrace -t sar.txt
expect_trace 'interpolate step' '0 0.07' '600 0.25' '2400 0.8' '3000 0.8'
expect_text err "^sstrace: sar.txt: sadf, 3 samples; 1 line left out, the first is line 7: found 'seventy', expected a percentage; 1 gap of 20min,"
run sstrace -t --cpu 0 sar.txt
expect_trace 'interpolate step' '0 0.5' '600 0.5'
run sstrace --strict -t sar.txt
expect_trouble "^sstrace: sar.txt:7: found 'seventy', expected a percentage$"
sed 's/seventy/70/' sar.txt >gap.txt
run sstrace --strict -t gap.txt
expect_trouble '1 gap of 10min, .* expected none of that, with --strict$'
grep -v 'LINUX\|00:50\|seventy' sar.txt >clean.txt
run sstrace --strict --check clean.txt
expect_status 0
# No zone, as by sadf -T.
sed 's/ UTC//' clean.txt >local.txt
run sstrace -t local.txt
expect_trace 'interpolate step' '0 0.07' '600 0.25' '1200 0.25'
expect_text err '2 times without a zone, taken as UTC'

# Compressed, from a pipe, in several files, found and named.
run sstrace -t clean.txt
cp out clean.trace
for program in gzip xz zstd; do
	command -v "$program" >/dev/null || { missing "$program"; continue; }
	"$program" -c <clean.txt >packed
	run sstrace -t packed
	cmp -s out clean.trace || fail "compressed by $program it is another trace"
	what="a pipe of $program"
	# shellcheck disable=SC2002 # the pipe is the point
	cat packed | sstrace -t >out 2>err
	cmp -s out clean.trace || fail "through a pipe from $program it is another trace"
	# Two such files in one are one.
	{ head -n 2 clean.txt | "$program" -c; tail -n +3 clean.txt | "$program" -c; } >packed
	run sstrace -t --from sadf packed
	cmp -s out clean.trace || fail "of two pieces by $program it is another trace"
	head -c 60 packed >cut.packed
	run sstrace -t --from sadf cut.packed
	expect_trouble "^sstrace: cut.packed: found (the end of the file within compressed data: it is cut off|damaged $program data)"
done
if command -v xz >/dev/null; then
	xz --lzma2=dict=512MiB -c <clean.txt >packed
	run sstrace -t --from sadf packed
	expect_trouble '^sstrace: packed: found data that take more than 256 MiB of memory to decompress'
fi
head -n 2 clean.txt >first.txt
{ head -n 1 clean.txt; tail -n +3 clean.txt; } >second.txt
run sstrace -t first.txt second.txt
cmp -s out clean.trace || fail 'of two files it is another trace'
sh -c 'sstrace -t --from sadf -' <clean.txt >out 2>err
cmp -s out clean.trace || fail 'of standard input it is another trace'
# A pipe that has a name, as the shell's <(...) has.
mkfifo fifo
cat clean.txt >fifo &
run sstrace -t fifo
cmp -s out clean.trace || fail "of a FIFO it is another trace: $(cat err)"
wait
run sstrace -t --from sadf - -
expect_trouble "^sstrace: found '-' 2 times, expected standard input once$"
# A second file's lines are counted from its own beginning.
sed 's/00:20:01/later/' clean.txt >wrong.txt
run sstrace -t clean.txt wrong.txt
expect_text err "1 line left out, the first is line 4 of wrong.txt: found '2026-03-01 later UTC', expected a time"
# A trace through a pipe is one as before, and long enough to be read in parts.
seq 1 2000 | awk '{ print $1 "s 0.5" }' >long.trace
# shellcheck disable=SC2002
cat long.trace | sstrace -t >out 2>err
what='a trace through a pipe'
expect_lines out 2000
expect_lines err 0

# What sysstat writes today.
sadc=$(find /usr/lib/sysstat /usr/libexec/sysstat -name sadc 2>/dev/null)
if command -v sadf >/dev/null && [ "$sadc" ]; then
	"$sadc" 1 4 sa >/dev/null
	sadf -d sa -- -u >sadf.txt
	awk -F';' '!/^#/ { printf "%.6g\n", 1 - ($NF + $(NF - 2)) / 100 }' sadf.txt >loads
	run sstrace -t sadf.txt
	expect_status 0
	awk '!/^i/ { printf "%.6g\n", $2 }' out | uniq >found
	uniq loads >wanted
	# The last load stands twice, when the trace ends.
	cmp -s wanted found || fail "sadf: $(tr '\n' ' ' <wanted) became $(tr '\n' ' ' <found)"
else
	missing sysstat 'what sadf writes'
fi

# ---- Our own ---------------------------------------------------------------------------------------------------------------------------

printf 'time_s,monotonic_s,load,time_unix_s\n0.5,10.5,0.25,1.5\n1.0,11,0.75,2\n1.5,11.5,x,2.5\n2.0,12,1,3\n' >load.csv
run sstrace -t load.csv
expect_trace 'interpolate step' '0 0.25' '0.5 0.75' '1.5 1' '2 1'
expect_text err '^sstrace: load.csv: cpuload, 3 samples; 1 line left out'
run sstrace --check load.csv
expect_status 0
printf 'time_s,monotonic_s,target,load,estimate\n-0.5,1,,0.9,\n0.5,2,0.5,0.4,\n1.0,2.5,0.5,,\n1.5,3,0.25,0.3,\n' >log.csv
run sstrace -t log.csv
expect_trace 'interpolate step' '0 0.9' '1 0.4' '2.5 0.3' '3 0.3'
expect_text err 'log, 3 samples; 1 sample without a load left out; 1 gap of 500ms'
run sstrace -t --column target log.csv
expect_trace 'interpolate step' '0 0.5' '1.5 0.25' '2 0.25'
cpuload 0.2 3 >own.csv
run sstrace -i own.csv
expect_status 0
expect_text err 'cpuload, 3 samples'

# Of several files time_s begins anew in each: they follow one another by the wall clock, with a gap between them.
printf 'time_s,load,time_unix_s\n1,0.25,101\n2,0.5,102\n' >one.csv
printf 'time_s,load,time_unix_s\n1,0.75,104\n2,1,105\n' >two.csv
run sstrace -t one.csv two.csv
expect_trace 'interpolate step' '0 0.25' '1 0.5' '3 0.75' '4 1' '5 1'
expect_text err 'cpuload, 4 samples; 1 gap of 1s'
printf 'time_s,load\n1,0.25\n2,0.5\n' >old.csv
run sstrace -t old.csv old.csv
expect_trouble "^sstrace: old\.csv: found no column for the time of several files in 'time_s,load', expected --time to say which it is\$"
run sstrace -t --time time_s one.csv
expect_trace 'interpolate step' '0 0.25' '1 0.5' '2 0.5'

# What marks UTF-8, and ends of lines as Windows has them.
printf '\357\273\277time_s,monotonic_s,load\r\n1,1,0.5\r\n2,2,0.75\r\n' >windows.csv
run sstrace -t windows.csv
expect_trace 'interpolate step' '0 0.5' '1 0.75' '2 0.75'
# Options that a format has no use for.
for option in '--machine a' '--mean-of all' '--cpu 0' '--capacity 2' '--step 1s'; do
	# shellcheck disable=SC2086 # an option and its value
	run sstrace -t $option load.csv
	expect_trouble "^sstrace: load.csv: found ${option% *}, expected none of that: cpuload "
done
for option in '--column load' '--time 1' '--unit percent' '--delimiter ;' '--capacity 2' '--step 1s'; do
	# shellcheck disable=SC2086
	run sstrace -t $option clean.txt
	expect_trouble "^sstrace: clean.txt: found ${option% *}, expected none of that: sadf "
done
for option in '--machine m_1' '--mean-of all' '--step 1s' --smooth --scale=2; do
	# shellcheck disable=SC2086
	run sstrace --machines $option clean.txt
	name=${option%=*}
	expect_trouble "^sstrace: found --machines, which makes no trace, and ${name% *}$"
done

# ---- The public traces -----------------------------------------------------------------------------------------------------------------

cat >ali.csv <<'END'
m_1,0,10,50,,,43.04,33.08,4
m_1,10,20,50,,,43.04,33.08,4
m_1,20,thirty,50,,,43.04,33.08,4
m_1,30,40,50,,,43.04,33.08,4
m_2,10,60,50,,,43.04,33.08,4
m_2,0,50,50,,,43.04,33.08,4
m_2,10,99,50,,,43.04,33.08,4
m_2,20,101,50,,,43.04,33.08,4
END
run sstrace -t ali.csv
expect_trouble "found the machines 'm_1' and 'm_2', expected --machine or --mean-of to say which of them, or --machines to list all$"
run sstrace --machines ali.csv
expect_status 0
printf 'machine,samples,span,mean,maximum\nm_1,3,30s,0.233333,0.4\nm_2,4,20s,0.775,1.01\n' >wanted
cmp -s out wanted || { fail 'the list of machines'; diff wanted out; }
run sstrace -t --machine m_1 ali.csv
expect_trace 'interpolate step' '0 0.1' '10 0.2' '30 0.4' '40 0.4'
run sstrace -t --machine m_2 ali.csv
expect_trace 'interpolate step' '0 0.5' '10 0.6' '20 1' '30 1'
expect_text err '1 sample out of order, put in its place; 1 sample left out for an earlier one of its time; 1 load outside 0 to 1, cut'
run sstrace -t --machine m_3 ali.csv
expect_trouble 'found no sample of m_3 \(--machines lists what there is\)$'
grep -v thirty ali.csv | grep -v ',99,' >both.csv
run sstrace -t --mean-of all both.csv
expect_trace 'interpolate step' '0 0.3' '10 0.4' '20 1' '30 0.4' '40 0.4'
run sstrace -t --mean-of m_1,m_2 --step 20s both.csv
expect_trace 'interpolate step' '0 0.35' '20 0.7' '40 0.7'
run sstrace -t --mean-of m_2 both.csv
expect_trace 'interpolate step' '0 0.5' '10 0.6' '20 1' '30 1'
# The first one counts, also for a mean; who isn't there has no part in it.
printf 'm_1,0,10,,,,,,\nm_1,0,90,,,,,,\nm_1,10,20,,,,,,\nm_1,5,20,,,,,,\n' >twice.csv
run sstrace -t --mean-of all twice.csv
expect_trace 'interpolate step' '0 0.133333' '10 0.2' '20 0.2'
expect_text err '4 samples; 1 sample out of order, put in its place; 1 sample left out for an earlier one of its time$'
run sstrace -t --strict --mean-of all twice.csv
expect_trouble 'expected none of that, with --strict$'
run sstrace -t --mean-of m_1,m_9 both.csv
expect_trouble '^sstrace: both.csv: found no sample of m_9 \(--machines lists what there is\)$'
run sstrace -t --machine m_1 --column mem_util_percent ali.csv
expect_text out ' 0\.5$'

printf '0,aaaaaaaaaaaaaaaaaaaaaaaaaaaa=,1.5,20,10.5\n300,aaaaaaaaaaaaaaaaaaaaaaaaaaaa=,1.5,20,wrong\n600,aaaaaaaaaaaaaaaaaaaaaaaaaaaa=,1.5,20,30\n' >azure.csv
run sstrace -t azure.csv
expect_trace 'interpolate step' '0 0.105' '600 0.3' '900 0.3'
expect_text err 'azure, 2 samples; 1 line left out'

# Two users of a machine of two processors; one of them is there for half of an interval.
cat >google.csv <<'END'
start_time,end_time,collection_id,machine_id,average_usage.cpus
600000000,900000000,1,77,0.5
600000000,750000000,2,77,1
900000000,1200000000,1,77,a half
900000000,1200000000,1,77,1.5
END
run sstrace -t google.csv
expect_trouble '--capacity is missing'
run sstrace -t --capacity 2 google.csv
expect_trace 'interpolate step' '0 0.5' '300 0.75' '600 0.75'
expect_text err 'google, 3 samples; 1 line left out'

printf 'Timestamp [ms];\tCPU cores;\tCPU capacity provisioned [MHZ];\tCPU usage [MHZ];\tCPU usage [%%];\tMemory\n1376314846;\t4;\t11703.99;\t1;\t93.25;\t6\n1376315146;\t4;\t11703.99\n1376315446;\t4;\t11703.99;\t1;\t3.25;\t6\n' >7.csv
run sstrace -t 7.csv
expect_text err 'bitbrains, 2 samples; 1 line left out, the first is line 3: found 3 fields'
expect_trace 'interpolate step' '0 0.9325' '600 0.0325' '900 0.0325'
run sstrace --machines 7.csv
expect_text out '^7,2,10min,0.4825,0.9325$'

# ---- Anything --------------------------------------------------------------------------------------------------------------------------

printf 'when|cpu %%|note\n2026-01-01T00:00:00Z|10|a\n2026-01-01T00:00:10Z|"20"|b\n2026-01-01T00:00:20Z|?|c\n2026-01-01T00:00:30Z|40|d\n' >any.txt
run sstrace -t --from csv --delimiter '|' --time when --load 'cpu %' any.txt
expect_trace 'interpolate step' '0 0.1' '10 0.2' '30 0.4' '40 0.4'
expect_text err "csv, 3 samples; 1 line left out, the first is line 4: found '\\?', expected a load: a number such as 10.5; 1 gap of 10s"
run sstrace -t --from csv --delimiter '|' --time 1 --column 2 --stamp end any.txt
expect_trace 'interpolate step' '0 0.1' '10 0.2' '30 0.4' '40 0.4'
printf '1767225600000 0.5\n1767225660000 0.25\n' >ms.txt
run sstrace -t --from csv ms.txt
expect_trace 'interpolate step' '0 0.5' '60 0.25' '120 0.25'
# Milliseconds and tenths of seconds since 1970 are exact.
printf '1767225600100 0.5\n1767225600200 0.25\n' >ms.txt
run sstrace -t --from csv ms.txt
expect_text out '^100000000n 0.25$'
printf '1767225600.1 0.5\n1767225600.2 0.25\n' >s.txt
run sstrace -t --from csv s.txt
expect_text out '^100000000n 0.25$'
printf '0,50\n1,60\n2,70\n' >percent.txt
run sstrace -t --from csv percent.txt
expect_trouble 'found 3 of 3 loads outside 0 to 1, expected fractions \(--unit percent, --column\)$'
run sstrace -t --from csv --unit percent percent.txt
expect_trace 'interpolate step' '0 0.5' '1 0.6' '2 0.7' '3 0.7'
run sstrace -t --from csv --column nothing percent.txt
expect_trouble "found no column 'nothing' for the load"
run sstrace -t --from csv --column 3 percent.txt
expect_trouble "found no column '3' for the load, expected one of the 2 in '0,50'"
printf 'a,load\n10,5\n20,25\n' >names.csv
run sstrace -t --from csv names.csv
expect_trouble "^sstrace: names.csv: found no column for the time in 'a,load', expected --time to say which it is\$"
printf 'time,b\n10,5\n20,25\n' >names.csv
run sstrace -t --from csv names.csv
expect_trouble "^sstrace: names.csv: found no column for the load in 'time,b', expected --column to say which it is\$"
printf 'time;load\n01/03/2026 10:00;10\n01/03/2026 10:05;20\n' >dates.csv
run sstrace --from csv -t dates.csv
expect_trouble "found '01/03/2026 10:00', expected a time: a number, or such as 2026-03-01T18:30:00Z\$"
printf 'time;load\n10;10,5\n20;20,25\n' >commas.csv
run sstrace --from csv -t commas.csv
expect_trouble "found '10,5', expected a load: a number such as 10.5\$"
run sstrace -t --from sar percent.txt
expect_trouble "^sstrace: --from: 'sar' is malformed: expected cpuload, log, sadf"
run sstrace -t --delimiter ab percent.txt
expect_trouble "--delimiter: found 'ab', expected one character, or tab"
run sstrace -t --machine a --mean-of b percent.txt
expect_trouble 'found --machine and --mean-of, expected one of them'
run sstrace -t --from csv /dev/null
expect_trouble '/dev/null: found nothing, expected a recording: it is empty'

# ---- Straight lines have the same means, within 0 and 1 ------------------------------------------------------------------------------

awk 'BEGIN { srand(7); for (t = 0; t < 2000; t++) printf "%d,%.4f\n", 10 * t, t % 5 == 0 ? 1 : t % 7 == 0 ? 0 : rand() }' >rough.csv
run sstrace -t --smooth --from csv rough.csv
expect_status 0
expect_no_text out interpolate
awk -F'[ ,n]+' 'FILENAME == ARGV[1] { wanted[$1 / 10] = $2; next }
	{
		if ($2 < 0 || $2 > 1) { print "outside: " $0; exit }
		if (seen++ && $1 > time) { i = int(time / 1e10); area[i] += ($1 - time) / 1e10 * (load + $2) / 2; width[i] += $1 - time }
		time = $1; load = $2
	}
	END {
		for (i in wanted) {
			d = area[i] - wanted[i]
			if (width[i] != 1e10 || d > 1e-9 || d < -1e-9) { print "interval " i " has the mean " area[i] ", expected " wanted[i]; exit }
		}
	}' rough.csv out >wrong
[ ! -s wrong ] || fail "--smooth: $(cat wrong)"

# Of usual names the first one that is there, wherever its column is.
printf 'time,cpu,load\n0,0,0.7\n1,0,0.6\n2,1,0.8\n' >processors.csv
run sstrace --from csv -t processors.csv
expect_trace 'interpolate step' '0 0.7' '1 0.6' '2 0.8' '3 0.8'
# More fields than names: a decimal comma, say.
printf 'time,load\n0,0,35\n1,0.5\n2,0.25,\n' >comma.csv
run sstrace --from csv -t comma.csv
expect_text err "csv, 2 samples; 1 line left out, the first is line 2: found 3 fields, expected 2 as in the first line"
run sstrace --strict --from csv -t comma.csv
expect_status 125
finish
