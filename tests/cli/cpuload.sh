#!/bin/sh
# SPDX-License-Identifier: MIT
# cpuload: command line, rows, formats, ends, commands, and the same load as mpstat.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# whole_rows FILE COLUMNS: a header, then whole rows of numbers (or nothing), times that grow, loads from 0 to 1. The wall clock, a
# column more, is that of now, and goes as CLOCK_MONOTONIC does.
whole_rows() {
	[ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] || fail "$what: $1 doesn't end with a newline"
	awk -F, -v columns=$(($2 + 1)) -v now="$(date +%s)" '
		NR == 1 { if ($1 != "time_s" || $2 != "monotonic_s" || $3 != "load" || $columns != "time_unix_s" || NF != columns) bad = 1; next }
		$columns < now - 3600 || $columns > now + 1 || $columns !~ /\.[0-9][0-9][0-9][0-9][0-9][0-9]$/ { bad = 1 }
		NF != columns { bad = 1 }
		NR > 2 && ($1 <= time || $2 <= monotonic) { bad = 1 }
		$3 != "" && ($3 < 0 || $3 > 1) { bad = 1 }
		{ for (i = 1; i <= NF; i++) if ($i != "" && $i !~ /^[0-9]+(\.[0-9]+)?$/) bad = 1; time = $1; monotonic = $2 }
		END { exit bad }' "$1" || { fail "$what: $1 has wrong rows"; sed 's/^/  /' "$1"; }
}

# ---- Command line

run cpuload --help
expect_status 0
expect_text out '^usage: cpuload '
expect_lines err 0
run cpuload --version
expect_status 0
expect_text out '^cpuload [0-9]+\.[0-9]+\.[0-9]+( \([^)]+\))?$'

run cpuload --cpus 0-
expect_trouble "'0-' is not a list of processors .*character 3"
run cpuload --cpus 60000
expect_trouble 'no processor 60000'
run cpuload --pid 2147483647
expect_trouble 'no process 2147483647'
run cpuload --pid 1 --cgroup x
expect_trouble 'pid and --cgroup'
run cpuload --pid 1 --cpus 0
expect_trouble "cpus can't be had with --pid"
run cpuload --pid 1 --per-cpu
expect_trouble "per-cpu can't be had with --pid"
run cpuload --cgroup x --source ticks
expect_trouble "source can't be had with --cgroup"
run cpuload --cgroup /no/such/group
expect_trouble "no cgroup '/no/such/group'"
run cpuload --columns steal,speed
expect_trouble "'speed' is none of runqueue, steal, frequency, power, idle, all, zones and counters=EVENT,..."
run cpuload -C steal,counters=cs,cycels
expect_trouble "-C: counters: 'cycels' is no event: expected events such as cycles, "
run cpuload -C counters=
expect_trouble "-C: counters: '' is no event"
run cpuload -C counters=cs,context-switches
expect_trouble "found the event 'context-switches' twice, expected it once"
run cpuload --sysroot /no/such/root
expect_trouble "can't open /proc/stat: No such file or directory \(below /no/such/root\)"
run cpuload --output /no/such/folder/file 0.01 1
expect_trouble "can't create /no/such/folder/file"
run cpuload fast
expect_trouble "interval 'fast': expected a time"
run cpuload 5m
expect_trouble "interval '5m': expected .* from 10ms to"
run cpuload 1 0
expect_trouble "count '0'"
run cpuload 1 2 3
expect_trouble "'3': expected nothing after the count"
run cpuload 1 2 --per-cpu
expect_trouble "'--per-cpu': expected nothing after the count"
run cpuload --
expect_trouble 'expected a command after --'
run cpuload 1 1 --
expect_trouble 'expected a command after --'

# ---- Rows of the machine that we run on

run cpuload 0.05 20
expect_status 0
expect_lines out 21
expect_lines err 0
whole_rows out 3
# Absolute deadlines: a row is never early, however many there were before.
awk -F, 'NR > 1 && $1 < (NR - 1) * 0.05 - 1e-6 { exit 1 }' out || fail "a row came before its time"

for name in ticks idle; do
	run cpuload -s "$name" --per-cpu --columns all 0.1 3
	expect_status 0
	expect_lines out 4
	processors=$(grep -c '^cpu[0-9]' /proc/stat)
	states=$(cat /sys/devices/system/cpu/cpu*/cpuidle/state*/name 2>/dev/null | sort -u | wc -l)
	whole_rows out $((3 + processors + 4 + 2 * states))
	expect_text out '^time_s,monotonic_s,load,load_cpu[0-9]+,.*runqueue,steal,frequency_mhz,power_w(,idle_.*)?,time_unix_s$'
done

run cpuload --per-cpu --columns runqueue,steal --format jsonl 0.05 3
expect_status 0
expect_lines out 3
jq -es 'length == 3 and all(.[]; .time_s > 0 and .monotonic_s > .time_s and .load >= 0 and .load <= 1 and
	(keys | any(startswith("load_cpu"))) and .runqueue >= 0 and has("steal"))' out >/dev/null || fail "$what: JSON is wrong"

run cpuload -f table -C runqueue 0.05 2
expect_status 0
expect_lines out 5
expect_text out '^Linux .*, source [a-z]+, every 50ms$'
expect_text out '^time +load % +runqueue$'
expect_text out '^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{2} +[0-9]+\.[0-9]{2} +[0-9]+$'
expect_text out '^Average +[0-9]+\.[0-9]{2} +[0-9]+$'

first=$(sed -n 's/^cpu\([0-9][0-9]*\) .*/\1/p' /proc/stat | head -1)
run cpuload --cpus "$first" -P 0.05 2
expect_status 0
expect_text out "^time_s,monotonic_s,load,load_cpu$first,time_unix_s\$"

run cpuload --pid $$ 0.05 3
expect_status 0
expect_lines out 4
whole_rows out 3

run cpuload -o rows.csv 0.05 2
expect_status 0
expect_lines out 0
expect_lines rows.csv 3

run sh -c 'exec cpuload 0.05 2 >/dev/full'
expect_trouble "can't write standard output: No space left"
run cpuload -o - 0.05 2
expect_lines out 3
[ ! -e ./- ] || fail 'a file is called -'
run cpuload -o /dev/full 0.05 2
expect_trouble "can't write /dev/full: No space left"
run cpuload -o nowhere/rows 0.05 2
expect_trouble "can't create nowhere/rows: No such file"

# It is neither the command, nor what that reads or writes; and what is refused leaves it as it was.
cp /bin/true program
echo kept >kept.csv
run cpuload -o ./program 0.05 -- "$work/program"
expect_trouble '^cpuload: --output: ./program is the command: expected another file$'
cmp -s program /bin/true || fail "$what: harmed the command"
run sh -c 'exec cpuload -o kept.csv 0.05 -- cat <kept.csv'
expect_trouble '^cpuload: --output: kept.csv is standard input: expected another file$'
run sh -c 'exec cpuload -o kept.csv 0.05 -- cat >>kept.csv'
expect_trouble '^cpuload: --output and standard output: both would be written to kept.csv: expected a file of its own for one of them$'
run cpuload -o kept.csv 0.05 -- ./nosuch
expect_status 127
expect_text err "^cpuload: can't execute './nosuch': No such file"
run cpuload -o kept.csv --pid 999999999 0.05
expect_status 125
[ "$(cat kept.csv)" = kept ] || fail "an output of a refused command line is '$(cat kept.csv)'"

# ---- Its end

# ended_by SIGNAL ARG…: as run, but ended by the signal a moment after it has begun. (The shell ignores SIGINT in the background.)
ended_by() {
	signal=$1
	shift
	what="cpuload $* and SIG$signal"
	: >out
	env --default-signal="$signal" cpuload "$@" >out 2>err &
	until [ -s out ]; do sleep 0.02; done
	sleep 0.3
	kill -s "$signal" $!
	wait $!
	status=$?
}

# A row for what had passed of the interval, and whole lines.
for signal in TERM INT HUP; do
	ended_by "$signal" 10m
	expect_status 0
	whole_rows out 3
	ended_by "$signal" 1h
	expect_status 0
	expect_lines out 2
	whole_rows out 3
done
ended_by INT -f table 0.1
expect_status 0
expect_text out '^Average '

# What was ignored at the start stays ignored.
(
	trap '' HUP
	exec cpuload 0.1 5 >nohup.csv
) &
sleep 0.2
kill -HUP $!
wait $! || fail 'nohup: it ended'
expect_lines nohup.csv 6

# The process ends before cpuload does.
sleep 2 &
run cpuload --pid $! 0.1
expect_status 0
whole_rows out 3

# ---- Commands

run cpuload 0.1 -- sh -c 'sleep 0.35; exit 7'
expect_status 7
whole_rows out 3
[ "$(wc -l <out)" -ge 2 ] || fail "$what: no rows"
run cpuload 1h -- sh -c 'sleep 0.2; kill -KILL $$'
expect_status 137
expect_lines out 2
run cpuload -- true
expect_status 0
expect_text out '^time_s,monotonic_s,load,time_unix_s$'
run cpuload -- no-such-command-here
expect_status 127
expect_lines err 1
expect_text err "can't execute 'no-such-command-here'"
run cpuload -- /dev/null
expect_status 126
expect_text err "can't execute '/dev/null'"
# COUNT ends the rows, not the command.
run cpuload 0.05 2 -- sh -c 'sleep 1; echo done >&2; exit 3'
expect_status 3
expect_lines out 3
expect_text err '^done$'
# Neither does an output that can't be written.
run sh -c 'exec cpuload -o /dev/full 0.05 -- sh -c "sleep 0.2; echo done"'
expect_status 125
expect_text err 'No space left'

# What the command used, with its children's time, beside the machine's.
cat >busy <<'END'
	(i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done)
	sleep 0.2
	times
	exit 4
END
run cpuload -o rows.csv -- sh busy
expect_status 4
expect_lines err 2
expect_text err '^cpuload: sh: [0-9.]+ % of the machine, CPU time [0-9.]+ s \(user [0-9.]+ s, system [0-9.]+ s\) in [0-9.]+ s$'
expect_text err '^cpuload: the machine: [0-9.]+ %, CPU time [0-9.]+ s on [0-9]+ processors?$'
# `times` has minutes and seconds of the shell and, in the second line, of its children, which are all but nothing short of the end.
tr -d '(,)' <err | awk -v processors="$(grep -c '^cpu[0-9]' /proc/stat)" '
	NR == FNR { for (i = 1; i <= 2; i++) { split($i, part, "m"); told += part[1] * 60 + part[2] } next }
	FNR == 1 { load = $3; total = $10; user = $13; system_time = $16; elapsed = $19 }
	END {
		off = total - user - system_time
		by_load = load / 100 * elapsed * processors
		exit !(told > 0.03 && total > told - 0.05 && total < told + 0.5 && off < 0.002 && off > -0.002 &&
			by_load < total * 1.01 + 0.01 && by_load > total * 0.99 - 0.01)
	}' out - || { fail "$what: wrong account"; cat out err; }
run cpuload -q -- true
expect_lines err 0
run cpuload 1h -- sh -c 'kill -KILL $$'
expect_status 137
expect_text err '^cpuload: sh was ended by signal 9 \(Killed\)$'

# Signals are passed on, and the rows go on until the command ends.
for signal in TERM USR1; do
	cpuload -q -o passed.csv 0.05 -- sh -c "trap 'exit 9' $signal; : >ready; while :; do sleep 0.02; done" &
	until [ -e ready ]; do sleep 0.02; done
	rm ready
	kill -s "$signal" $!
	wait $!
	status=$?
	what="command and SIG$signal"
	expect_status 9
	whole_rows passed.csv 3
done
# Ctrl-C of a terminal reaches the command in its process group by itself. One in a session of its own it doesn't reach, nor does cpuload pass it on.
cat >interrupted <<'END'
trap 'echo x >>interrupts' INT
: >ready
until [ -e over ]; do sleep 0.02; done
exit 9
END
if command -v script >/dev/null; then
	terminal 'exec cpuload -q 0.05 -- sh ./interrupted'
	wait_until test -e ready
	ctrl_c
	wait_until test -s interrupts
	: >over
	wait_background
	expect_status 9
	expect_lines interrupts 1
	rm ready over interrupts
	terminal 'exec cpuload -q 0.05 -- setsid sh ./interrupted'
	wait_until test -e ready
	ctrl_c
	sleep 0.4
	: >over
	wait_background
	expect_status 9
	[ ! -e interrupts ] || fail "$what: passed Ctrl-C on"
else
	missing bsdutils terminals
fi

# The command gets signals as its caller had them.
run cpuload -o mask.csv -- sh -c "grep -E '^Sig(Blk|Ign)' /proc/self/status"
mv out of_command
run sh -c "grep -E '^Sig(Blk|Ign)' /proc/self/status"
cmp -s out of_command || { fail 'the command has other signals blocked or ignored'; cat of_command; }

# Counters: those of software, where they are permitted, and what no machine has. The columns stand whether they are there or not.
run cpuload -C counters=cpu-clock,cs:k,no_such_unit/config=1/,L1-dcache-load-misses 0.1 3
expect_status 0
whole_rows out 7
expect_text out '^time_s,monotonic_s,load,cpu_clock_per_s,context_switches_k_per_s,no_such_unit_config_1_per_s,L1_dcache_load_misses_per_s,time_unix_s$'
expect_text err '^cpuload: column no_such_unit/config=1/ is unavailable: there is no /sys/bus/event_source/devices/no_such_unit$'
if ! grep -q 'column cpu-clock is unavailable' err; then
	# Each processor's clock runs as fast as time does.
	awk -F, -v processors="$(nproc --all)" 'NR > 1 && ($4 < 0.5e9 || $4 > 1.5e9 * processors || $6 != "") { exit 1 }' out ||
		{ fail "$what: wrong counts"; cat out; }
	run cpuload -f jsonl -c 0 -C counters=cpu-clock 0.1 1
	expect_text out '"cpu_clock_per_s":(9|1[01])[0-9]+\.[0-9]{3},'
	run sh -c 'ulimit -n 40; cpuload -C counters=cs 0.1 1'
	expect_status 0
	expect_text err '^cpuload: column context-switches is unavailable: 1 event of [0-9]+ processors? take [0-9]+ open files and some more, and ulimit -n allows 40$'
	expect_text out '^[0-9.]+,[0-9.]+,[0-9.]+,,[0-9.]+$'
fi

# ---- Against mpstat: the same kernel counters over the same time. Both take them at their own start, so a try in which the machine
# was too busy to start both at once doesn't count; a real difference would show in every one.

timeout 60 sh -c 'while :; do :; done' &
burner=$!
agreed=no
for try in 1 2 3 4 5 6; do
	mpstat 3 1 >mpstat.out &
	pid=$!
	run cpuload -s ticks 3 1
	wait "$pid" || fail 'mpstat failed'
	expected=$(awk '/%idle/ { for (i = 1; i <= NF; i++) { if ($i == "%idle") idle = i; if ($i == "%iowait") iowait = i } }
		/^Average:/ { print 100 - $idle - $iowait }' mpstat.out | tail -1)
	found=$(awk -F, 'NR == 2 { print $3 * 100 }' out)
	echo "try $try: mpstat $expected %, cpuload $found %"
	if awk -v a="$expected" -v b="$found" 'BEGIN { exit !(a - b < 0.5 && b - a < 0.5) }'; then
		agreed=yes
		break
	fi
done
kill "$burner"
[ "$agreed" = yes ] || fail "cpuload and mpstat disagree"

expect_described cpuload

finish
