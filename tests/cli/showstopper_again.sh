#!/bin/sh
# SPDX-License-Identifier: MIT
# What is as it was after Ctrl-Z and fg, after a workload was started again or its first process has ended, and beside an attached process: the load
# that is measured, the log and the record, priorities, processor time, open files. Processes are looked at in showstopper_signals.sh and showstopper_ends.sh.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
tree=
trap '[ -z "$tree" ] || kill -KILL "$tree"; [ -z "$background" ] || end_run KILL; cd /; rm -rf "$work"' EXIT

children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
has_lines() {
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}
# start OPTION…: a run in the background. look: its $master, and its $executors.
start() {
	rm -f log.csv lives
	start_background showstopper -q "$@"
}
look() {
	master=$(children "$background")
	master=${master% }
	executors=$(children "$master")
}
has_executors() {
	look
	# shellcheck disable=SC2086 # a list
	set -- "$1" $executors
	[ $# -gt "$1" ]
}
is_stopped() {
	[ "$(state "$background")" = T ]
}
stop_job() {
	kill -TSTP "$background"
	wait_until is_stopped
}
end_run() {
	kill "-$1" "$background"
	wait_background
}

# ---- What is measured ---------------------------------------------------------------------------------------------------------

# A machine that is busy all the time, but for most of a second in a pause. That is in no sample: neither in one of the log, nor in the estimate
# that is controlled by.
mkdir -p root/proc root/sys
printf 'cpu  100 0 0 2000 0 0 0 0 0 0\ncpu0 50 0 0 1000 0 0 0 0 0 0\ncpu1 50 0 0 1000 0 0 0 0 0 0\nintr 1\nctxt 1\n' >root/proc/stat
let_pass root/proc/stat user=1
start --sysroot root -F source=idle -T 100% -c open -r 2s -o log.csv --log-interval 100m -n 1 sleep 1000
wait_until has_lines log.csv 5
stop_job
let_pass root/proc/stat idle=1
sleep 0.9
let_pass root/proc/stat user=1
idle=$(awk '/^cpu0/ { print $5 - 1000 }' root/proc/stat)
[ "$idle" -ge 90 ] || fail "idle for $idle ticks in the pause, expected 90 or more"
kill -CONT "$background"
wait_background
expect_status 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["load"] < 0.99 || $at["estimate"] < 0.99 { print; wrong = 1 } END { exit wrong || NR < 10 }' log.csv ||
	{ fail "$what: what was idle in the pause counts"; cat log.csv; }
let_stand

# ---- What is recorded -----------------------------------------------------------------------------------------------------------

# Time under control goes on without the pause, by which the clock of the machine is ahead then.
start -T 100% -c open -r 2s -o log.csv --log-interval 200m --export-json record.json -n 2 sleep 1000
wait_until has_lines log.csv 4
stop_job
sleep 1
kill -CONT "$background"
wait_background
expect_status 0
echo "$(awk -F, 'NR == 1 { next } NR == 2 { boot = $2 - $1 } $1 - time > 0.9 { wrong = 1 }
	{ time = $1; late = $2 - $1 - boot } END { print time, late, wrong + 0 }' log.csv) $(jq .result.controlled_s record.json)" |
	awk '{ exit !($1 > 1.99 && $1 < 2.1 && $2 > 0.9 && $3 == 0 && $4 > $1 - 0.01 && $4 < $1 + 0.01) }' ||
	{ fail "$what: wrong times after a pause"; cat log.csv; jq .result.controlled_s record.json; }

# One ends, and all with it: no requirement is missed by that, the log has the end, and the record says who ended.
start -T 100% -c open -r 1h --when-one-ends=stop --require error=100 -o log.csv --log-interval 200m --export-json record.json \
	-n 2 sh -c '[ "$SHOWSTOPPER_INSTANCE" = 1 ] && exec sleep 0.9; exec sleep 1000'
wait_background
expect_status 0
# A quarter of the interval is no row of its own, and belongs to none.
last=$(awk -F, 'NR > 1 { if ($1 - time < 0.049) exit 1; time = $1 } END { print time }' log.csv) || fail "$what: a short row"
jq -e --argjson last "$last" '(.result.controlled_s - $last | fabs) < 0.051 and .exit_status == 0 and
	([.workloads[].ended_by_itself] == [false, true])' record.json >jq.out ||
	{ fail "$what: wrong record of an end"; jq -c '.result.controlled_s, .workloads[]' record.json; cat log.csv; }

# ---- Priority -----------------------------------------------------------------------------------------------------------------

# Of real time, or what there is instead.
policy() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $39 }'
}
# Only what has a workload is an executor: a process that tries out what is permitted comes before it.
executor_is_first() {
	look
	[ "$(children "${executors% }")" ] && [ "$(policy "${executors% }")" = 1 ]
}
is_gone() {
	[ ! -e "/proc/$1" ]
}
if chrt -f 1 true 2>/dev/null; then
	# The first process ends, and one that it has started goes on.
	start -T 100% -c open -r 1h -n 1 sh -c 'while [ ! -e go ]; do sleep 0.05; done; sleep 1000 & exit 0'
	wait_until executor_is_first
	first=$(children "${executors% }")
	: >go
	wait_until is_gone "${first% }"
	wait_until executor_is_first
	end_run TERM
	# It is started again.
	start -T 100% -c open -r 1h --when-one-ends=respawn -n 1 sh -c 'echo life >>lives; [ "$(wc -l <lives)" -gt 2 ] && exec sleep 1000'
	wait_until has_lines lives 3
	wait_until executor_is_first
	end_run TERM
else
	left_out 'no real-time priority is permitted'
fi

# ---- Processor time -----------------------------------------------------------------------------------------------------------

# That of all lives counts, and of what is attached what it has used since. Three lives of 100 ms, beside somebody who had used 500 ms before.
burn='1 while (times)[0] + (times)[1] < $ARGV[0];'
perl -e "$burn"' open my $out, ">", "burnt"; close $out; sleep 1000' 0.5 >hushed 2>&1 &
tree=$!
wait_until test -e burnt
# Priority, nice value, processors, policy and what stands for them elsewhere.
attributes() {
	sed 's/.*) //' "/proc/$tree/stat" | awk '{ print $16, $17, $38, $39 }'
	grep -E '^(Cpus_allowed_list|Sig(Blk|Ign|Cgt)|TracerPid):' "/proc/$tree/status"
	cat "/proc/$tree/cgroup" "/proc/$tree/oom_score_adj"
	find "/proc/$tree/fd" -mindepth 1 | wc -l
}
attributes >before
start -T 100% -c open -r 1h --when-one-ends=respawn --export-json record.json --attach "$tree" \
	-n 1 perl -e "$burn"' open my $out, ">>", "lives"; print $out "life\n"; close $out; sleep 1000 if -s "lives" > 10' 0.1
wait_until has_lines lives 3
end_run TERM
jq -e '.workloads[0].cpu_s >= 0.3 and .workloads[0].respawns == 2 and .workloads[1].attached and .workloads[1].cpu_s < 0.4 and
	([.workloads[] | .cpu_s - (.cpu_parts_s | .before + .control + .after) | . > -1e-6 and . < 1e-6] | all)' record.json >jq.out ||
	{ fail "$what: wrong times"; jq -c '.workloads[]' record.json; }
is_awake() {
	[ "$(state "$tree")" = S ]
}
wait_until is_awake
attributes >after
cmp -s before after || { fail "$what: who was attached is another one"; diff before after; }

# ---- Open files ---------------------------------------------------------------------------------------------------------------

open_files() {
	for process in "$background" "$master" $executors; do
		find "/proc/$process/fd" -mindepth 1 | wc -l
	done | xargs
}
# Whoever looks something up has a file more for a moment, now or then; what is never closed becomes more with each round.
has_no_more() {
	echo "$files $(open_files)" | awk '{ for (i = 1; i <= NF / 2; i++) if ($(i + NF / 2) > $i) exit 1 }'
}
start -T 100% -c open -r 1h -o log.csv --log-interval 50m --when-one-ends=respawn --attach "$tree" \
	-n 1 sh -c 'echo life >>lives; exec sleep 0.2' : -n 1 sleep 1000
wait_until has_executors 3
wait_until has_lines log.csv 3
wait_until has_lines lives 2
files=$(open_files)
for time in 1 2 3; do
	stop_job
	kill -CONT "$background"
	wait_until has_lines lives $((3 * time + 2))
done
wait_until has_no_more || fail "$what: open are $(open_files) files, and $files before"
end_run TERM

finish
