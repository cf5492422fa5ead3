#!/bin/sh
# SPDX-License-Identifier: MIT
# Groups with processors of their own, and free groups: where threads run, what is measured, how runs with free groups end.
# shellcheck disable=SC2016 # commands of the workloads' shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH HWLOC_SYNTHETIC HWLOC_XMLFILE
export SHOWSTOPPER_PINS_TEST="$work"

# What this machine lets us use.
allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
first=$(echo "$allowed" | sed 's/[-,].*//')
last=$(echo "$allowed" | sed 's/.*[-,]//')

# The processes that a run started, by number.
workloads() {
	grep -lsz "^SHOWSTOPPER_INSTANCE=${1:-}" /proc/[0-9]*/environ | sed 's/[^0-9]//g' | while read -r pid; do
		grep -qsz "^SHOWSTOPPER_PINS_TEST=$work\$" "/proc/$pid/environ" && echo "$pid"
	done
}

# ---- What is printed ----------------------------------------------------------------------------------------------------------

HWLOC_SYNTHETIC='pack:2 core:8 pu:2(indexes=16*2:2*8:1*2)'
export HWLOC_SYNTHETIC
run showstopper --list-pins
expect_status 0
expect_lines err 0
cat >expected <<END
neutral      0/2   all
neutral      1/2   all
per-chip     0/2   0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
per-chip     1/2   1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31
per-core     0/2   0-7,16-23
per-core     1/2   8-15,24-31
per-thread   0/2   0-15
per-thread   1/2   16-31
packed       0/2   0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
packed       1/2   1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31
spread       0/2   0-15
spread       1/2   16-31
END
cmp -s out expected || { fail "$what: found, expected:"; diff out expected; }
run showstopper --part 0/4 --list-pins
expect_status 0
expect_lines out 18
expect_text out '^per-thread   -     no core has more than 2 usable threads, too few for 4 parts$'
# What another machine has is of no use here.
run showstopper -T 50% --pin packed --part 1/2 --dry-run true
expect_trouble "--pin: processor [0-9]+ can't be used: it is offline, not there or not allowed; expected some of $allowed\$"
HWLOC_SYNTHETIC='pu:1'
run showstopper -T 50% --pin per-chip --part 0/2 touch started
expect_trouble '--pin=per-chip: the machine has 1 usable chip, too few for 2 parts$'
[ ! -e started ] || fail "$what: started a workload"
unset HWLOC_SYNTHETIC
if ! command -v setcap >/dev/null; then
	missing libcap2-bin 'a program with capabilities'
elif [ "$(id -u)" -eq 0 ] && cp "$build/showstopper" capable && setcap cap_sys_nice+ep capable 2>/dev/null &&
	chmod 755 . capable && [ -x "$build/showstopper" ]; then
	HWLOC_SYNTHETIC='pu:77' setpriv --reuid=65534 --regid=65534 --clear-groups ./capable --list-pins >out 2>err
	what='a program with capabilities and HWLOC_SYNTHETIC'
	expect_no_text out '0-38'
else
	left_out 'a program with capabilities: it takes root, and files that may have them'
fi

run showstopper -T 50% --cpus 65535 touch started
expect_trouble "--cpus: processor 65535 can't be used: it is offline, not there or not allowed; expected some of $allowed\$"
run showstopper -T 50% --free touch started
expect_trouble '--free: nothing would be controlled: expected a group without it, such as --free COMMAND : COMMAND$'
[ ! -e started ] || fail "$what: started a workload"
run showstopper -T 50% --dry-run --cpus "$first" true : --free -n 2 --pin neutral true
expect_status 0
expect_text out "^group 0: processors $first\$"
expect_text out '^group 1: free, processors all \(neutral\)$'
expect_text out '^workload 2: true$'
run showstopper -T 50% --dry-run --pin packed --part 0/1 true
expect_text out "^group 0: processors $allowed \(packed 0/1\)\$"
run showstopper -T 50% --dry-run --bind -n 3 --cpus "$first,$last" true
expect_text out "^group 0: processors $first([,-]$last)?, an instance to each\$"
# Of more processors than instances those are taken that instances are bound to.
run showstopper -T 50% --dry-run --bind -n 1 --pin packed --part 0/1 true
expect_text out "^group 0: processors $first \(packed 0/1\), an instance to each\$"
run showstopper -T 50% --dry-run --bind -n 1 true
expect_text out "^group 0: processors $first, an instance to each\$"
run showstopper -T 50% --bind --pin dynamic touch started : --pin dynamic true
expect_trouble '^showstopper: --bind: expected none with --pin=dynamic, which moves workloads while they run$'
run showstopper -T 50% -c open -r 1s --bind --attach $$
expect_trouble '^showstopper: a command is missing: .* --part, --bind, '
[ ! -e started ] || fail "$what: started a workload"

# ---- Where threads run --------------------------------------------------------------------------------------------------------

# on_processor N PID…: each thread of these may use processor N and no other, and is on it.
on_processor() {
	processor=$1
	shift
	for pid; do
		for task in "/proc/$pid/task/"*; do
			stat=$(sed 's/.*) //' "$task/stat" 2>/dev/null) || continue
			list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$task/status" 2>/dev/null)
			# Behind the name, field 39 is the 37th.
			at=$(echo "$stat" | cut -d ' ' -f 37)
			case $stat in '' | Z* | X*) continue ;; esac
			# It may have ended between two looks.
			[ -n "$list" ] || continue
			[ "$list" = "$processor" ] || fail "$what: $task may use $list, expected $processor"
			[ "$at" = "$processor" ] || fail "$what: $task is on processor $at, expected $processor"
		done
	done
}

# Four threads, and a child that leaves its session.
start_background showstopper -T 40% -r 4s --cpus "$last" -o log --export-json run.json \
	sh -c 'setsid ssburn -p parallel -t 4 & exec ssburn -p parallel -t 2'
wait_until has_records 1
looks=0
while kill -0 "$background" 2>/dev/null && [ "$looks" -lt 60 ]; do
	found=$(workloads)
	# shellcheck disable=SC2086 # a list
	on_processor "$last" $found
	looks=$((looks + 1))
	sleep 0.05
done
[ "$looks" -gt 0 ] || fail "$what: looked only $looks times"
wait_background
expect_status 0
expect_text run.json '"cpus": \['
if [ "$first" != "$last" ]; then
	expect_text run.json "cpus=$last"
	# Of one processor: with its load of 40 % it would be at most half of that on a whole machine.
	run showstopper -v -T 40% -r 500m --cpus "$last" true
	expect_text err "feedback realtime .*cpus=$last"
	run showstopper -v -T 40% -r 500m --cpus "$last" true : --free true : sleep 0
	expect_no_text err 'feedback realtime .*cpus='
fi
run showstopper -T 100% -c open -r 500m --cpus "$first" --contain=pidns sh -c 'grep Cpus_allowed_list /proc/self/status >mask'
if [ "$status" -ne 125 ]; then expect_text mask "[[:space:]]$first\$"; fi

# Each instance, and what replaces it, has its own; the third has that of the first where there are two. Open, since beside
# other tests a controlled one would get no time.
start_background showstopper -T 100% -c open -r 1M --when-one-ends=respawn --bind -n 3 --cpus "$first,$last" --export-json run.json \
	sh -c 'sed -n "s/^Cpus_allowed_list:[[:space:]]*/$SHOWSTOPPER_INSTANCE /p" /proc/self/status >>bound; sleep 0.3'
# shellcheck disable=SC2317 # called by wait_until
is_bound() { [ -f bound ] && [ "$(grep -c . bound)" -ge 7 ]; }
wait_until is_bound
kill -TERM "$background"
wait_background
second=$last
printf '0 %s\n1 %s\n2 %s\n' "$first" "$second" "$first" | sort -u >expected
sort -u bound >found
cmp -s found expected || { fail "$what: found, expected:"; diff found expected; }
expect_text run.json '"bind": true'

# ---- Free groups --------------------------------------------------------------------------------------------------------------

# Runs all the time, where the controlled one does not get to run at all.
start_background showstopper -T 0% -c open -r 3s --log-instances -o log --export-json run.json -n 1 ssburn -n 100000 : --free -n 1 ssburn -n 100000
wait_until has_records 2
for _ in 1 2 3 4 5; do
	for pid in $(workloads 1); do
		case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in T*) fail "$what: the free workload is stopped" ;; esac
	done
	sleep 0.1
done
wait_background
expect_status 0
expect_text err '^free  *workload 1: CPU time [0-9.]+ s(, load [0-9.]+ %, at most [0-9.]+ %)?$'
expect_text log '^[0-9.]+,[0-9.]+,0\.000000,[0-9.]+,[0-9.]+,0\.000000,0\.000000,[0-9.]*,[0-9.]*,0\.000000,1\.000000,[0-9.]+$'
[ "$(jq '[.workloads[].free] == [false, true] and .configuration.groups[1].free' run.json 2>/dev/null || echo true)" = true ] ||
	fail "$what: the record doesn't say which workload is free"
# It ends with the controlled ones, and does not end the run.
run showstopper -T 100% -c open -n 1 sleep 0.3 : --free -n 1 sleep 1000
expect_status 0
expect_text err '^showstopper: all controlled workloads have ended(, [0-9.]+ s before the run.s time was over)?$'
run showstopper -T 100% -c open -r 500m -n 1 sleep 1000 : --free -n 1 sh -c 'exit 3'
expect_status 1
expect_text err '^showstopper: workload 1 ended with status 3$'
# Of a client that ends it is said how to end the run with it, once.
run showstopper -T 100% -c open -r 1500m -n 1 sleep 1000 : --free -n 2 sleep 0.2
expect_status 0
expect_text err '^showstopper: workload [12] has ended; the run goes on \(--when-one-ends=stop ends it then\)$'
[ "$(grep -c 'has ended' err)" -eq 1 ] || { fail "$what: said more than once"; cat err; }
run showstopper -q -T 100% -c open -r 700m -n 1 sleep 1000 : --free -n 1 sleep 0.2
expect_lines err 0
run showstopper -T 100% -c open --when-one-ends=stop -n 1 sleep 1000 : --free -n 1 sleep 0.2
expect_status 0
expect_text err '^showstopper: workload 1 has ended; the run ends$'
expect_no_text err 'goes on'
run showstopper -T 100% -c open -r 700m --when-one-ends=respawn -n 1 sleep 1000 : --free -n 1 sh -c 'echo x >>runs'
expect_status 0
[ "$(wc -l <runs)" -gt 1 ] || fail "$what: the free workload was not started again"
# Suspended with the others.
start_background showstopper -T 100% -c open -r 60s -n 1 sleep 1000 : --free -n 1 ssburn -n 100000
sleep 1
# shellcheck disable=SC2317 # called by wait_until
is_stopped() {
	for pid in $(workloads 1); do
		case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in T*) return 0 ;; esac
	done
	return 1
}
kill -TSTP "$background"
wait_until is_stopped
kill -CONT "$background"
# shellcheck disable=SC2317
is_running() {
	! is_stopped
}
wait_until is_running
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
left=$(workloads)
[ -z "$left" ] || fail "$what: left behind: $left"

finish
