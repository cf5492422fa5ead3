#!/bin/sh
# SPDX-License-Identifier: MIT
# sstrace makes traces of our own logs itself, and runs ssimport for the rest; ssimport reads what sysstat and collectd write today.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_trace LINE…: the trace that came out, in seconds and with six digits.
expect_trace() {
	expect_status 0
	printf '%s\n' "$@" >wanted
	awk '/^interpolate/ { print; next } { printf "%.9g %.6g\n", $1 / 1e9, $2 }' out >found
	cmp -s wanted found || { fail "$what: expected <, found >"; diff wanted found; sed 's/^/  err: /' err; }
}

# expect_loads FILE: the trace has these loads, to a rounding; the last one stands twice, where the trace ends.
expect_loads() {
	expect_status 0
	sstrace -t <out 2>/dev/null | awk '!/^i/ { printf "%.6g\n", $2 }' | uniq >found
	uniq "$1" >wanted
	[ -s wanted ] || fail "$what: nothing was recorded"
	cmp -s wanted found || fail "$what: $(tr '\n' ' ' <wanted) became $(tr '\n' ' ' <found)"
}

# ---- Our own logs, without ssimport ---------------------------------------------------------------------------------------------------

mkdir alone
cp "$(command -v sstrace)" alone
printf 'time_s,monotonic_s,load,time_unix_s\n0.5,10.5,0.25,1.5\n1.0,11,0.75,2\n1.5,11.5,x,2.5\n2.0,12,1.5,3\n2.5,12,,3\n' >load.csv
run env PATH=/nonexistent alone/sstrace -t load.csv
expect_trace 'interpolate step' '0 0.25' '0.5 0.75' '1.5 1' '2.5 1'
expect_text err "^sstrace: load.csv: 3 samples; 1 line left out, the first is line 4: found 'x', expected a load: a number such as 0.5; 1 sample without a load left out; 1 load outside 0 to 1, cut$"
what='a pipe'
# shellcheck disable=SC2002 # the pipe is the point
cat load.csv | sstrace -t >out 2>err
expect_trace 'interpolate step' '0 0.25' '0.5 0.75' '1.5 1' '2.5 1'
printf 'time_s,monotonic_s,target,load,estimate\n-0.5,1,,0.9,\n0.5,2,0.5,0.4,\n1.0,2.5,0.5,,\n1.5,3,0.25,0.3,\n' >log.csv
run sstrace -t log.csv
expect_trace 'interpolate step' '0 0.9' '1 0.4' '2.5 0.3' '3 0.3'
run sstrace -t --from log --column target log.csv
expect_trace 'interpolate step' '0 0.5' '1.5 0.25' '2 0.25'
run sstrace --column nothing log.csv
expect_trouble "^sstrace: log.csv:1: found the columns 'time_s,monotonic_s,target,load,estimate', expected nothing$"
printf 'time_s,load\n1,0.5\n1,0.5\n' >same.csv
run sstrace -t same.csv
expect_trouble '^sstrace: same.csv:3: found the time 1, expected times that grow \(ssimport puts them in order\)$'
printf 'time_s,load\n1,5\n2,0.5\n3,7\n' >percent.csv
run sstrace -t percent.csv
expect_trouble '^sstrace: percent.csv: found 2 of 3 loads outside 0 to 1, expected fractions$'
printf 'time_s,load\nx,0.5\n' >none.csv
run sstrace -t none.csv
expect_trouble "^sstrace: none.csv: found no sample; the first line that is none: line 2: found 'x', expected a time in seconds$"
printf 'time_s,load\n5,0.5\n' >one.csv
run sstrace -t one.csv
expect_trace 'interpolate step' '0 0.5' '1 0.5'
cpuload 0.2 3 >own.csv
run sstrace -i own.csv
expect_status 0
expect_text err '^sstrace: own.csv: 3 samples$'

# ---- What others recorded --------------------------------------------------------------------------------------------------------------

head='# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle'
printf '%s\ndb1;600;2026-03-01 00:10:01 UTC;-1;5;0;2;3;0;90\ndb1;600;2026-03-01 00:20:01 UTC;-1;20;0;5;5;0;70\n' "$head" >sar.csv
run env PATH=/nonexistent alone/sstrace -t sar.csv
expect_trouble '^sstrace: sar.csv: found what is no trace, expected ssimport to read it, which isn.t there \(Debian package showstopper-report\)$'
run sstrace -t sar.csv
expect_trace 'interpolate step' '0 0.07' '600 0.25' '1200 0.25'
expect_text err '^ssimport: sar.csv: sadf, 2 samples$'
run sstrace -o sar.trace --clip 10%,90% --strict sar.csv
run sstrace -t sar.trace
expect_trace 'interpolate step' '0 0.1' '600 0.25' '1200 0.25'
# Through pipes, with and without a name.
what='a pipe'
# shellcheck disable=SC2002
cat sar.csv | sstrace -t >out 2>err
expect_trace 'interpolate step' '0 0.07' '600 0.25' '1200 0.25'
mkfifo fifo
cat sar.csv >fifo &
run sstrace -t fifo
expect_trace 'interpolate step' '0 0.07' '600 0.25' '1200 0.25'
wait
run sstrace --machines sar.csv
expect_status 0
expect_text out '^db1,2,10min,0.16,0.25$'
run sstrace -t --step 1s sar.csv
expect_trouble '^ssimport: sar.csv: found --step, expected none of that: sadf '
run sstrace -o half.trace --strict --cpu 9 sar.csv
expect_status 125
[ ! -e half.trace ] || fail 'a file was left of what was refused'
for option in '--machine m_1' '--mean-of all' '--step 1s' --smooth --scale=2; do
	# shellcheck disable=SC2086 # an option and its value
	run sstrace --machines $option sar.csv
	name=${option%=*}
	expect_trouble "^sstrace: found --machines, which makes no trace, and ${name% *}$"
done
run sstrace --machines -o list sar.csv
expect_trouble '^sstrace: found --machines, which writes a list, and --output$'
run sstrace -t - -
expect_trouble "^sstrace: found '-' 2 times, expected standard input once$"
# A trace through a pipe is one as before, and long enough to be read in parts.
seq 1 2000 | awk '{ print $1 "s 0.5" }' >long.trace
# shellcheck disable=SC2002
cat long.trace | sstrace -t >out 2>err
expect_lines out 2000
expect_lines err 0
run ssimport load.csv -o -
expect_text out '^\+500ms 0.75$'
run sh -c 'ssimport sar.csv >/dev/full'
expect_trouble "^ssimport: can't write standard output: No space left on device$"
seq 0 999 | awk 'BEGIN { print "time,load" } { print 60 * $1 "," $1 % 97 / 97 }' >long.csv
run sh -c "ulimit -f 8; exec ssimport --from csv -o half long.csv"
expect_trouble "^ssimport: can't write half: File too large$"
[ ! -s half ] || fail 'half a trace was left'
[ "$(sstrace --complete --from '')" = "$(ssimport --complete --from '')" ] || fail 'sstrace names other formats than ssimport'

# ---- What sysstat and collectd write today ----------------------------------------------------------------------------------------------

sadc=$(find /usr/lib/sysstat /usr/libexec/sysstat -name sadc 2>/dev/null)
if command -v sadf >/dev/null && command -v mpstat >/dev/null && [ "$sadc" ]; then
	"$sadc" 1 4 sa >/dev/null
	sadf -d sa -- -u >sadf.txt
	awk -F';' '!/^#/ { printf "%.6g\n", 1 - ($NF + $(NF - 2)) / 100 }' sadf.txt >loads
	run ssimport --strict sadf.txt
	expect_loads loads
	sadf -j sa -- -u -P ALL >sadf.json
	run ssimport --strict sadf.json
	expect_loads loads
	LC_ALL=C sar -u -f sa >sar.txt
	run ssimport sar.txt
	expect_loads loads
	mpstat -o JSON -P ALL 1 2 >mpstat.json
	awk -F'[:,}]' '/"all"/ { for (i = 1; i < NF; i++) { if ($i ~ /iowait/) wait = $(i + 1); if ($i ~ /idle/) idle = $(i + 1) } printf "%.6g\n", 1 - (idle + wait) / 100 }' mpstat.json >loads
	run ssimport --strict mpstat.json
	expect_loads loads
	# One that is stopped leaves JSON without an end.
	timeout -s TERM 3.5 mpstat -o JSON 1 >cut.json
	run ssimport cut.json
	expect_status 0
	expect_text err '^ssimport: cut.json: mpstat, 3 samples; cut.json is cut off, and what is whole of it is used$|mpstat, 3 samples$'
else
	missing sysstat 'what sadf, sar and mpstat write'
fi
if [ -x /usr/sbin/collectd ]; then
	cat >collectd.conf <<END
Hostname "web1"
FQDNLookup false
Interval 0.5
BaseDir "$PWD"
PIDFile "$PWD/pid"
LoadPlugin cpu
LoadPlugin csv
<Plugin cpu>
	ValuesPercentage true
	ReportByCpu false
</Plugin>
<Plugin csv>
	DataDir "$PWD/csv"
</Plugin>
END
	timeout 2 /usr/sbin/collectd -f -C collectd.conf >said 2>&1
	sed -n '/^[0-9]/s/.*,//p' csv/web1/cpu/percent-idle-* | awk '{ printf "%.6g\n", 1 - $1 / 100 }' >loads
	run ssimport csv/web1/cpu/percent-idle-*
	expect_loads loads
	run ssimport --machines csv/web1/cpu/percent-*
	expect_text out '^web1,'
else
	missing collectd-core 'what collectd writes'
fi

finish
