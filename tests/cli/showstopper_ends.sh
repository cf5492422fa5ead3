#!/bin/sh
# SPDX-License-Identifier: MIT
# Workloads that end by themselves (--when-one-ends), and executors that are killed (--keep-going): exit statuses, and how control goes
# on with those that are left.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# All that a run starts inherits this variable, so that what it leaves behind can be found.
show() {
	run env "TEST_MARK=$work" showstopper "$@"
	expect_nothing_left
}

# A second after the end nothing is alive; a busy machine gets more of them.
expect_nothing_left() {
	for _ in $(seq 100); do
		left=$(grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	fail "$what: left behind: $(echo "$left" | tr '\n' ' ')"
}

# expect_between FILE LEAST MOST: number of its lines.
expect_between() {
	lines=$(wc -l <"$1")
	if [ "$lines" -lt "$2" ] || [ "$lines" -gt "$3" ]; then fail "$what: $1 has $lines lines, expected $2 to $3"; fi
}

# column NAME CONDITION ROWS: awk's condition about v holds for a column of log.csv in the rows that the condition about t (s) picks.
expect_rows() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
		{ t = $1; v = $column } '"$3"' { rows++; if (!('"$2"')) wrong++ } END { exit !(rows && !wrong) }' log.csv ||
		{ fail "$what: $1: expected $2 where $3"; tail -n 20 log.csv; }
}

# ---- Values -------------------------------------------------------------------------------------------------------------------

for value in '' Stop continues restart 1; do
	run showstopper -T 50% --when-one-ends="$value" touch started
	expect_trouble "^showstopper: --when-one-ends: '$value' is malformed: expected continue, respawn or stop"
done
run showstopper -T 50% --when-one-ends
expect_trouble "^showstopper: --when-one-ends: its WHAT is missing"
[ ! -e started ] || fail 'started a workload'

# ---- continue -----------------------------------------------------------------------------------------------------------------

# The second workload is left alone when the first ends: it takes the first one's place in the ring, and with it its share.
for mode in '' --when-one-ends=continue; do
	rm -f end.now log.csv
	what="showstopper $mode, one of two ends"
	# shellcheck disable=SC2086
	start_background env "TEST_MARK=$work" showstopper -q -T 50% -c open -s uneven -r 4s $mode -o log.csv --log-interval 100m --log-instances \
		-n 1 sh -c 'while [ ! -e end.now ]; do sleep 0.05; done' : -n 1 sleep 1000
	log_has_rows() { [ -e log.csv ] && [ "$(wc -l <log.csv)" -gt "$1" ]; }
	wait_until log_has_rows 8
	: >end.now
	wait_background
	expect_status 0
	expect_lines err 0
	expect_nothing_left
	expect_rows duty_00 'v > 0.9' 't < 0.6'
	expect_rows duty_01 'v < 0.1' 't < 0.6'
	expect_rows duty_00 'v < 0.1' 't > 3.6'
	expect_rows duty_01 'v > 0.4 && v < 0.6' 't > 3.6'
done
# What was runnable falls.
show -q -T 100% -c open -r 2500m -o log.csv --log-interval 250m -n 1 sleep 0.8 : -n 1 sleep 1000
expect_status 0
expect_rows runnable 'v > 1.9' 't < 0.6'
expect_rows runnable 'v < 1.1' 't > 2'
expect_rows duty 'v > 0.9' 't > 2'

# ---- stop ---------------------------------------------------------------------------------------------------------------------

# Orderly: the other one gets SIGTERM and time, the summary and the log are there.
show --when-one-ends=stop -T 100% -c open -r 1h -o log.csv --log-interval 100m -n 1 sleep 0.7 : \
	-n 1 sh -c 'trap "echo asked >asked; exit" TERM; while :; do sleep 0.05; done'
expect_status 0
expect_text err '^showstopper: workload 0 has ended; the run ends$'
expect_text err '^target load'
[ -e asked ] || fail "$what: no SIGTERM for the other one"
[ "$(wc -l <log.csv)" -gt 3 ] || fail "$what: no log"
show -q --when-one-ends=stop -T 100% -c open -r 1h -n 1 sleep 1000 : -n 1 sh -c 'exit 3'
expect_status 1
expect_lines err 1
expect_text err '^showstopper: workload 1 ended with status 3$'
show -q --when-one-ends=stop --ignore-failures -T 100% -c open -r 1h -n 1 sleep 1000 : -n 1 sh -c 'exit 3'
expect_status 0
show --when-one-ends=stop -T 100% -c open -r 1h -n 1 true
expect_status 0
expect_text err '^showstopper: all workloads have ended(, [0-9.]+ s before the run.s time was over)?$'
# A workload has ended when all of it has.
show -q --when-one-ends=stop -T 100% -c open -r 1h -n 1 sh -c '(setsid sh -c "sleep 0.5; echo done >done" &)' : -n 1 sleep 1000
expect_status 0
[ -e 'done' ] || fail "$what: did not wait for the rest of the workload"
# An end that was asked for is none that comes too early; without it the requirement is missed.
show -q --when-one-ends=stop --require error=100 -T 100% -c open -r 1h -n 1 sleep 2 : -n 1 sleep 1000
expect_status 0
expect_lines err 0
show -q --require error=100 -T 100% -c open -r 1h -n 2 sleep 2
expect_status 3
expect_text err '^showstopper: the run ended [0-9.]+ s early, and --require is for all of it$'
# Nobody ends: the time is over.
show -q --when-one-ends=stop -T 100% -c open -r 300m -n 2 sleep 1000
expect_status 0

# ---- respawn ------------------------------------------------------------------------------------------------------------------

# A command that can't be started again is the end of its workload: so each of these is started three times, however slow the
# machine is. What is left to do is in the file `rest`.
cat >finite <<'END'
#!/bin/sh
echo "$1 $SHOWSTOPPER_INSTANCE"
echo error >&2
echo start >>"starts.$SHOWSTOPPER_INSTANCE"
[ "$(wc -l <"starts.$SHOWSTOPPER_INSTANCE")" -lt 3 ] || rm -f "$0"
. ./rest
END
# finite N: that many of them, and a rest.
finite() {
	rm -f starts.* finite.*
	for number in $(seq 0 $(($1 - 1))); do
		cp finite "finite.$number"
		chmod +x "finite.$number"
	done
	echo "$2" >rest
}

# The same number and arguments; what was written is kept, apart from what was there before the run.
finite 2 :
printf 'old\nold\n' >said.1
before=$(date +%s%N)
show --when-one-ends=respawn -T 100% -c open -r 1h --stdout said.% --stderr said.% --export-json record.json --export-csv record.csv \
	-n 1 ./finite.0 a% : -n 1 ./finite.1 a%
after=$(date +%s%N)
expect_status 1
expect_text err "^showstopper: workload 0 can't be started again: can't execute the command: ./finite.0: No such file or directory\$"
expect_text err "^showstopper: workload 1 can't be started again: can't execute the command: ./finite.1: No such file or directory\$"
expect_text err '^showstopper: all workloads have ended(, [0-9.]+ s before the run.s time was over)?$'
expect_text err '^started again  *4 times \(0: 2, 1: 2\)$'
[ $((after - before)) -ge 300000000 ] || fail "$what: started again too fast"
for number in 0 1; do
	grep -v '^error$' "said.$number" >lines || fail "$what: said.$number has no lines"
	expect_lines lines 3
	[ "$(sort -u lines)" = "a$number $number" ] || { fail "$what: said.$number is wrong"; head "said.$number"; }
	[ "$(grep -c '^error$' "said.$number")" -eq 3 ] || fail "$what: errors are missing in said.$number"
done
[ "$(jq -c '[.configuration.when_one_ends,.workloads[].failures,.workloads[].respawns]' record.json)" = '["respawn",0,0,2,2]' ] ||
	fail "$what: wrong record"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "respawns") at = i } NR == 2 { print $at }' record.csv)" = 4 ] ||
	fail "$what: wrong respawns in record.csv"
/usr/bin/python3 -m jsonschema -i record.json "$source/tests/fixtures/export.schema.json" || fail "$what: record.json is not as its schema says"

# A failure stays one, however often it is started again.
finite 1 'exit 3'
before=$(date +%s%N)
show -q --when-one-ends=respawn -T 100% -c open -r 1h --export-json record.json --stdout /dev/null --stderr /dev/null -n 1 ./finite.0
expect_status 1
# At about 0, 100, 300 and, in vain, 700 ms.
[ $(($(date +%s%N) - before)) -ge 700000000 ] || fail "$what: what fails was started again too fast"
expect_lines err 2
expect_text err '^showstopper: workload 0 failed 3 times, the last time it ended with status 3$'
[ "$(jq -c '[.workloads[0].failures,.workloads[0].exit_status,.exit_status]' record.json)" = '[3,3,1]' ] || fail "$what: wrong record"
finite 1 'kill -KILL $$'
show -q --when-one-ends=respawn --ignore-failures -T 100% -c open -r 1h --stdout /dev/null --stderr /dev/null -n 1 ./finite.0
expect_status 0
expect_text err '^showstopper: workload 0 failed 3 times, the last time it was killed by signal 9 \(Killed\)$'
# The first time fails, later ones don't.
finite 1 'exit $((4 - 4 * ($(wc -l <starts.0) > 1)))'
show -q --when-one-ends=respawn -T 100% -c open -r 1h --export-json record.json --stdout /dev/null --stderr /dev/null -n 1 ./finite.0
expect_status 1
expect_text err '^showstopper: workload 0 ended with status 4$'
[ "$(jq -c '[.workloads[0].failures,.workloads[0].exit_status]' record.json)" = '[1,0]' ] || fail "$what: wrong record"

# What can't be started again leaves the others alone.
finite 1 :
show -q --when-one-ends=respawn -T 100% -c open -r 1500m -o log.csv --log-interval 100m --stdout /dev/null --stderr /dev/null \
	-n 1 sleep 1000 : -n 1 ./finite.0
[ "$(wc -l <log.csv)" -gt 5 ] || fail "$what: the run did not go on"

# Only when all of it is gone.
show -q --when-one-ends=respawn -T 100% -c open -r 1500m --stdout said -n 1 sh -c 'echo start; (setsid sleep 1000 &)'
expect_status 0
expect_lines said 1
finite 1 '(setsid sh -c "sleep 0.3; echo rest >>rests" &)'
show -q --when-one-ends=respawn -T 100% -c open -r 1h --stdout /dev/null --stderr /dev/null -n 1 ./finite.0
expect_lines rests 3

# Under control, stopped for part of the time, beside one that stays.
finite 2 'sleep 0.3'
show -q --when-one-ends=respawn -T 30% -c open -r 1h --stdout /dev/null --stderr /dev/null -n 1 ./finite.0 : -n 1 ./finite.1
expect_status 1
expect_lines starts.0 3
expect_lines starts.1 3

# What lives for a while comes back at once, and stays in the ring.
show -q --when-one-ends=respawn -T 100% -c open -r 4s -o log.csv --stdout said -n 1 sh -c 'echo start; sleep 1.1'
expect_status 0
expect_between said 1 4
expect_rows runnable 'v > 0.5' 't > 0'

# What does some work and is soon done comes back ten times a second, or nearly: with growing delays that would be ten times in seven seconds.
show -q --when-one-ends=respawn -T 100% -c open -r 7s --stdout said -n 1 sh -c 'echo start; i=0; while [ $((i += 1)) -lt 40000 ]; do :; done'
expect_status 0
expect_between said 12 71

# Interrupted while one waits for its next start.
start_background env "TEST_MARK=$work" showstopper -q --when-one-ends=respawn -T 100% -c open --stdout said.% -n 2 true
sleep 1.5
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
expect_nothing_left

# Suspended: none is started meanwhile.
rm -f said
start_background env "TEST_MARK=$work" showstopper -q --when-one-ends=respawn -T 100% -c open --stdout said -n 1 sh -c 'echo start'
said_more_than() { [ -e said ] && [ "$(wc -l <said)" -gt "$1" ]; }
wait_until said_more_than 1
kill -TSTP "$background"
is_stopped() { [ "$(sed 's/.*) //; s/ .*//' "/proc/$background/stat")" = T ]; }
wait_until is_stopped
before=$(wc -l <said)
sleep 2
expect_between said "$before" "$before"
kill -CONT "$background"
wait_until said_more_than "$before"
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
expect_nothing_left

# ---- An executor is killed ------------------------------------------------------------------------------------------------------

# children PID…: their numbers, one a line.
children() {
	for parent in "$@"; do
		cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 /' | awk -v parent="$parent" '$3 == parent { print $1 }'
	done
}
# The executor of instance $1, told by the environment of what it started.
executor_of() {
	for executor in $(children "$(children "$background" | head -n 1)"); do
		for child in $(children "$executor"); do
			if grep -qsz "^SHOWSTOPPER_INSTANCE=$1\$" "/proc/$child/environ"; then echo "$executor"; fi
		done
	done | sort -u | head -n 1
}
all_run() {
	for number in $(seq 0 $(($1 - 1))); do
		[ -n "$(executor_of "$number")" ] || return 1
	done
}
# instance_is_gone N
instance_is_gone() {
	[ -z "$(grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | xargs -r grep -lsz "^SHOWSTOPPER_INSTANCE=$1\$")" ]
}
# A workload that spreads: a child in its group, one in a session of its own, one that lost its parent.
spreading='sleep 1000 & setsid sleep 1000 & (setsid sh -c "sleep 1000" &) ; wait; sleep 1000'

# Without --keep-going the run ends and says why.
start_background env "TEST_MARK=$work" showstopper -q -T 50% -n 3 sh -c "$spreading"
wait_until all_run 3
kill -KILL "$(executor_of 1)"
wait_background
expect_status 125
expect_lines err 1
expect_text err '^showstopper: the executor of workload 1 was killed by signal 9 \(Killed\); the run ends$'
expect_nothing_left

# Suspended at that moment, when an executor is waited for that stands still: what it leaves goes at once, not after a second.
soon=
for _ in 1 2 3 4 5; do
	start_background env "TEST_MARK=$work" showstopper -q -T 100% -c open -n 3 sh -c "$spreading"
	wait_until all_run 3
	executor=$(executor_of 1)
	kill -STOP "$executor"
	kill -TSTP "$background"
	sleep 0.1
	kill -KILL "$executor"
	before=$(date +%s%N)
	wait_until instance_is_gone 1
	took_ms=$((($(date +%s%N) - before) / 1000000))
	# Where the master came to suspending late, the run has ended.
	kill -CONT "$background" 2>/dev/null
	wait_background
	expect_status 125
	expect_nothing_left
	[ "$took_ms" -ge 600 ] || { soon=yes; break; }
done
[ "$soon" ] || fail "$what: what an executor left was there for $took_ms ms, at the fifth attempt, too"

# With it the others go on, take the place of the one that is lost, and the log no longer counts it.
for target in 0 50% 100%; do
	rm -f log.csv
	start_background env "TEST_MARK=$work" showstopper --keep-going -T "$target" -c open -s uneven -o log.csv --log-interval 100m \
		--log-instances --export-json record.json -n 2 sh -c "$spreading"
	wait_until all_run 2
	kill -KILL "$(executor_of 0)"
	wait_until instance_is_gone 0
	lost_at=$(tail -n 1 log.csv | sed 's/,.*//')
	wait_until log_has_rows $(($(wc -l <log.csv) + 20))
	kill -TERM "$background"
	wait_background
	expect_status 125
	expect_text err '^showstopper: the executor of workload 0 was killed by signal 9 \(Killed\); the run goes on without it$'
	expect_text err '^lost  *1 of 2 workloads \(0\)$'
	expect_nothing_left
	expect_rows duty_00 'v == 0' "t > ${lost_at:-0} + 0.5"
	expect_rows duty_01 "v > ${target%\%} / 100 - 0.1 && v < ${target%\%} / 100 + 0.1" "t > ${lost_at:-0} + 0.8"
	expect_rows runnable 'v < 1.01' "t > ${lost_at:-0} + 0.5"
	[ "$(jq -c '[.configuration.keep_going,.workloads[].lost,.exit_status]' record.json)" = '[true,true,false,125]' ] ||
		fail "$what: wrong record"
done

# All are lost, one after the other: the last one ends the run.
start_background env "TEST_MARK=$work" showstopper --keep-going --when-one-ends=stop -T 50% -n 2 sh -c "$spreading"
wait_until all_run 2
kill -KILL "$(executor_of 0)"
wait_until instance_is_gone 0
kill -KILL "$(executor_of 1)"
wait_background
expect_status 125
expect_text err '^showstopper: no workload is left$'
expect_text err '^lost  *2 of 2 workloads \(0, 1\)$'
expect_nothing_left

# While it starts: one that will never be there is not waited for.
mkfifo heard.0
start_background env "TEST_MARK=$work" showstopper --keep-going -T 100% -c open -r 300m --stdout heard.% -n 2 sleep 1000
has_executors() { [ "$(children "$(children "$background" | head -n 1)" | grep -c .)" -eq 2 ]; }
wait_until has_executors
# Instance 0 waits for somebody who reads what it says.
executor=$(children "$(children "$background" | head -n 1)" | sort -n | head -n 1)
sleep 0.3
kill -KILL "$executor"
wait_background
expect_status 125
expect_text err '^showstopper: the executor of workload 0 was killed by signal 9 \(Killed\); the run goes on without it$'
expect_text err '^lost  *1 of 2 workloads \(0\)$'
expect_nothing_left

finish
