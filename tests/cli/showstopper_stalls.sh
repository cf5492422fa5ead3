#!/bin/sh
# SPDX-License-Identifier: MIT
# A process of ours that stands still: it is said, what it didn't control isn't counted, and it keeps nobody. (Which of them may stand still
# when, and what then becomes of the run, is tests/faults/model.)
# shellcheck disable=SC2016,SC2317 # awk programs; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
command -v pgrep >/dev/null || skip_missing procps
command -v jq >/dev/null || skip_missing jq

master() {
	pgrep -P "$background" | head -n 1
}
executors() {
	pgrep -P "$(master)"
}
has_workloads() {
	[ "$(executors 2>/dev/null | wc -l)" -ge 2 ] && [ -n "$(pgrep -P "$(executors | paste -sd ,)")" ]
}
# start OPTION…: a run with two workloads, which are there when this returns.
start() {
	start_background showstopper -n 2 "$@" sleep 1000
	wait_until has_workloads
}
says() {
	grep -Eq -- "$1" err
}
has_row() {
	[ -e log ] && tail -n +2 log | awk -F , -v least="$1" '$1 >= least { found = 1 } END { exit !found }'
}

# One executor stands still, and goes on: what lies between is no sample, and has no target in the log.
start -T 50% -r 20s -o log --export-json record --require error=100
wait_until has_row 1
late=$(executors | head -n 1)
kill -STOP "$late"
wait_until says '^showstopper: warning: the executor of workload 0 stands still'
wait_until eval 'awk -F , "NR > 1 && \$3 == \"\" { n++ } END { exit !(n >= 3) }" log'
kill -CONT "$late"
wait_until says '^showstopper: the executor of workload 0 goes on; it had stood still for [0-9.]+ s'
kill -INT "$background" 2>/dev/null # ignored: a background process of a shell
wait_background
expect_status 3
expect_text err '^showstopper: samples cover [0-9.]+ % of the time under control'
expect_text record '"lost": false'
expect_no_text record '"lost": true'
# No more samples than rows that have a target, of which those of the second before it was noticed are taken back, too.
awk -F , 'NR > 1 && $3 != "" && $1 > 0 { n++ } END { print n }' log >with_target
samples=$(jq .result.samples record)
[ "$samples" -lt "$(cat with_target)" ] || fail "$samples samples, expected fewer than the $(cat with_target) rows with a target"
[ "$samples" -gt 20 ] || fail "$samples samples: expected those before and after"

# All of it stands still and goes on, as in a debugger: no sample, no target, no time under control.
start -T 50% -c open -r 6s -o log --export-json record
wait_until has_row 1
all="$background $(master) $(executors | paste -sd ' ')"
# shellcheck disable=SC2086 # numbers
kill -STOP $all
sleep 3
# shellcheck disable=SC2086 # numbers
kill -CONT $all
wait_background
expect_status 0
expect_no_text err 'stands still|had stood still|samples cover'
awk -F , 'NR > 2 && $1 - last > 1.5 { long++; if ($3 != "") bad = 1 } { last = $1 } END { exit bad || long != 1 }' log ||
	{ fail "$what: expected one long row, without a target"; cat log; }
[ "$(jq .result.samples record)" -le 7 ] || fail "$what: $(jq .result.samples record) samples in 3 s"

# It never goes on: it is lost.
start -T 50% -r 4s --export-json record
kill -STOP "$(executors | head -n 1)"
wait_background
expect_status 125
expect_text err '^showstopper: the executor of workload 0 stood still for the last [0-9.]+ s of the run'
[ "$(jq -c '[.workloads[].lost]' record)" = '[true,false]' ] || fail "lost: $(jq -c '[.workloads[].lost]' record)"
expect_text record '"exit_status": 125'

# Nor does it reap: it is killed before its workload has filled the table of processes with dead ones.
start_background showstopper -n 1 -T 100% -r 1M sh -c 'until [ -e fork ]; do sleep 0.1; done
	i=0; while [ $i -lt 1500 ]; do (: &); i=$((i + 1)); done; exec sleep 1000'
wait_until eval '[ -n "$(executors 2>/dev/null)" ] && [ -n "$(pgrep -P "$(executors)")" ]'
kill -STOP "$(executors)"
: >fork
wait_background
expect_status 125
expect_text err '^showstopper: more than 1000 processes have ended that executors don.t reap, as they stand still: that of workload 0, which has most of them, is killed$'
expect_text err '^showstopper: the executor of workload 0 was killed by signal 9'

# A master that stands still: executors end their workloads, and the guardian the run.
start -T 50% -r 2s
workload=$(pgrep -P "$(executors | head -n 1)")
kill -STOP "$(master)"
wait_background
expect_status 125
expect_text err '^showstopper: the master stood still .* and was killed; its workloads were ended'
[ ! -e "/proc/$workload" ] || fail "workload $workload is left"

start -T 50%
kill -STOP "$(master)"
kill -TERM "$background"
wait_background
expect_status 125
expect_text err '^showstopper: the master stood still'

# Waiting out the grace period is no standstill.
start_background showstopper -q -n 1 -T 100% -c open --grace 6s sh -c 'trap "" TERM; : >ready; while :; do sleep 0.1; done'
wait_until test -e ready
kill -TERM "$background"
began=$(date +%s)
wait_background
expect_status 143
expect_lines err 0
[ $(($(date +%s) - began)) -ge 5 ] || fail 'the grace period was cut short'

finish
