#!/bin/sh
# SPDX-License-Identifier: MIT
# --attach: running processes and their trees are controlled, never terminated, and left running, whoever is killed.
# shellcheck disable=SC2016,SC2317 # commands of the trees' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
trap 'end_all; cd /; rm -rf "$work"' EXIT

# All that belongs to a tree, and all that a run starts, inherits a mark of its own.
with_mark() {
	grep -lsz "^$1=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'
}
end_all() {
	for process in $(with_mark TEST_TREE) $(with_mark TEST_MARK); do kill -KILL "$process"; done 2>/dev/null
}
none_with_mark() {
	[ -z "$(with_mark "$1")" ]
}
children() {
	for parent in "$@"; do
		cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 /' | awk -v parent="$parent" '$3 == parent { print $1 }'
	done
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
is_stopped() {
	[ "$(state "$1")" = T ]
}

# start_tree [COMMAND…]: its first process is $tree. By default one with four: in its group, in another one, in another session.
start_tree() {
	[ $# -gt 0 ] || set -- sh -c 'sleep 1000 & setsid sleep 1000 & : >grown; wait; sleep 1000'
	rm -f grown
	env "TEST_TREE=$work" "$@" </dev/null >/dev/null 2>&1 &
	tree=$!
}
tree_has() {
	[ "$(with_mark TEST_TREE | grep -c .)" -eq "$1" ]
}
tree_is() {
	for process in $(with_mark TEST_TREE); do
		case $(state "$process") in
		T) [ "$1" = stopped ] || return 1 ;;
		*) [ "$1" = running ] || return 1 ;;
		esac
	done
}
# expect_left_running N: so many processes of the tree are there, and none of them is stopped.
expect_left_running() {
	for _ in $(seq 100); do
		if tree_is running; then break; fi
		sleep 0.1
	done
	tree_is running || fail "$what: left stopped"
	tree_has "$1" || fail "$what: $(with_mark TEST_TREE | grep -c .) processes of the tree are left, expected $1"
	for _ in $(seq 100); do
		if none_with_mark TEST_MARK; then return; fi
		sleep 0.1
	done
	fail "$what: left behind: $(with_mark TEST_MARK | tr '\n' ' ')"
}
# Starts showstopper with a mark in the background.
start_run() {
	start_background env "TEST_MARK=$work" showstopper "$@"
}
end_tree() {
	for process in $(with_mark TEST_TREE); do kill -KILL "$process"; done 2>/dev/null
	wait_until none_with_mark TEST_TREE
}

# ---- What is refused ----------------------------------------------------------------------------------------------------------

start_tree
wait_until tree_has 3
refused() {
	expected=$1
	shift
	for action in '' --dry-run; do
		# shellcheck disable=SC2086
		run showstopper -T 50% -r 1s "$@" $action touch started
		expect_trouble "^showstopper: --attach: $expected"
		[ ! -e started ] || fail "$what: started a workload"
		run showstopper -T 50% -r 1s "$@" $action
		expect_trouble "^showstopper: --attach: $expected"
	done
}
for value in '' 0 -1 x 1x ' 1' 1.5 99999999999; do
	refused "'$value': expected the number of a process" --attach="$value"
done
refused 'process 1 is the first process of the system' --attach 1
refused "process $$ is Showstopper or one of its ancestors" --attach $$
refused "process $PPID is (Showstopper or one of its ancestors|the first process)" --attach $PPID
refused 'process 2147483647 does not exist' --attach 2147483647
refused "process $tree is given twice" --attach "$tree" --attach "$tree"
child=$(children "$tree" | head -n 1)
refused "process $child is a descendant of process $tree, which is attached too" --attach "$child" --attach "$tree"
refused "process $child is a descendant of process $tree, which is attached too" --attach "$tree" --attach "$child"
# With one that is fine, nothing happens to that.
refused 'process 1 is' --attach "$tree" --attach 1
tree_is running || fail "$what: something was done to the tree"
if [ "$(cut -d ' ' -f 2 /proc/2/stat 2>/dev/null)" = '(kthreadd)' ]; then
	refused 'process 2 is a kernel thread' --attach 2
else
	left_out 'there are no kernel threads to be seen'
fi
thread=$(/usr/bin/python3 -c '
import threading, time, subprocess, sys
def run():
    name = str(threading.get_native_id())
    print(subprocess.run(["showstopper", "-T", "50%", "--attach", name], capture_output=True, text=True).stderr, end="")
for_it = threading.Thread(target=run)
for_it.start()
for_it.join()')
echo "$thread" | grep -Eq '^showstopper: --attach: process [0-9]+ is a thread of another process' || fail "a thread: '$thread'"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	run setpriv --reuid=65534 --clear-groups "$build/showstopper" -T 50% --attach "$tree"
	expect_trouble "^showstopper: --attach: process $tree may not be signalled by this user"
else
	left_out "not root: nothing is known that may not be signalled"
fi
perl -e 'my $pid = fork // die; exit 0 if !$pid; open my $out, ">", "zombie.new"; print $out $pid; close $out; rename "zombie.new", "zombie"; sleep 1000' &
background=$!
wait_until test -e zombie
wait_until eval '[ "$(state "$(cat zombie)")" = Z ]'
refused 'process [0-9]* has ended' --attach "$(cat zombie)"
kill "$background"
wait_background

# By one run at a time, until the last of its processes has gone. Others may look at the same ancestors meanwhile.
start_run -T 0 -c open -r 100s --attach "$tree"
wait_until tree_is stopped
refused "process $tree is attached to another run of showstopper" --attach "$tree"
refused "process $child is a descendant of process $tree, which is attached to another run of showstopper" --attach "$child"
kill -TERM "$background"
wait_background
expect_left_running 3
start_run -q -T 50% -r 3s --attach "$child"
wait_until is_stopped "$child"
refused "process $tree is an ancestor of process $child, which is attached to another run of showstopper" --attach "$tree"
sleep 1000 &
other=$!
run showstopper -q -T 50% -r 1s --attach "$other"
expect_status 0
kill "$other"
wait_background
expect_status 0

# What another run started, wherever it went, and that run's processes. What it was not started by may be attached, and what outlives it.
start_run -q -T 100% -c open -r 100s -n 1 sh -c '(setsid sh -c "echo \$\$ >left; exec sleep 1000" &) ; echo $$ >first; exec sleep 1000'
wait_until test -s left
wait_until test -s first
guardian=$background
master=$(children "$guardian")
executor=$(children "$master")
for process in "$guardian" "$master" "$executor"; do
	refused "process $process is one of another run of showstopper\$" --attach "$process"
done
for process in "$(cat first)" "$(cat left)"; do
	refused "process $process was started by another run of showstopper \\(its process $executor\\)\$" --attach "$process"
done
run showstopper -q -T 50% -r 1s --attach "$tree"
expect_status 0
kill -STOP "$executor" "$master" "$guardian"
kill -KILL "$executor" "$master" "$guardian"
wait_background
run showstopper -q -T 50% -r 1s --attach "$(cat left)"
expect_status 0
kill -KILL "$(cat left)"
start_background env "TEST_MARK=$work" sh -c 'sleep 1000 & echo $! >before; exec showstopper -q -T 100% -c open -r 100s -n 1 sleep 1000'
wait_until test -s before
wait_until eval '[ "$(children "$background" | wc -l)" -eq 2 ]'
run showstopper -q -T 50% -r 1s --attach "$(cat before)"
expect_status 0
kill -TERM "$background"
wait_background
kill -KILL "$(cat before)"
# From within a workload: what was started beside it there is of the same run.
run showstopper -q -T 100% -c open -n 1 sh -c 'sleep 1000 & showstopper -q -T 0.5 -r 1s --attach $!; echo $? >within; kill $!'
expect_text err '^showstopper: --attach: process [0-9]+ was started by another run of showstopper '
[ "$(cat within)" = 125 ] || fail "$what: status $(cat within) within a workload, expected 125"
# Nothing is started that could be contained.
run showstopper -T 50% -r 1s --contain=pidns --attach "$tree"
expect_trouble '^showstopper: --contain=pidns: what is attached runs already, and only what is started here can be contained: expected a command as well$'
run showstopper -T 50% -r 1s --contain=pidns --attach "$tree" --dry-run
expect_trouble '^showstopper: --contain=pidns: what is attached'

# ---- Controlled and left running ------------------------------------------------------------------------------------------------

run showstopper -T 50% --attach "$tree" --dry-run -n 1 echo %
expect_status 0
expect_text out '^workload 0: echo 0$'
expect_text out "^workload 1: attached to process $tree \\(sh\\)\$"

start_run -T 0 -c open -r 2s --attach "$tree" --export-json record.json --export-csv record.csv
wait_until tree_is stopped
wait_background
expect_status 0
expect_text err "^attached  *1 \\(0: process $tree\\)\$"
expect_left_running 3
/usr/bin/python3 -m jsonschema -i record.json "$source/tests/fixtures/export.schema.json" || fail "$what: record.json is not as its schema says"
[ "$(jq -c '[.configuration.groups,.workloads[0].attached,.workloads[0].command,.workloads[0].pid]' record.json)" = "[[],true,null,$tree]" ] ||
	fail "$what: wrong record"

# When processor time was used: not before it was attached, in the warm-up, and hardly while it was stopped.
end_tree
start_tree sh -c 'while :; do :; done'
wait_until sh -c "[ \"\$(awk '{ print \$14 }' /proc/$tree/stat)\" -ge 100 ]"
start_run -T 0 -c open -w 500m -r 1s --attach "$tree" --export-json record.json
wait_background
expect_status 0
expect_left_running 1
jq -e '.workloads[0] | (.cpu_parts_s.before | . > 0 and . < 0.9) and .cpu_parts_s.control < .cpu_parts_s.before and
	(.cpu_s - (.cpu_parts_s | .before + .control + .after) | . > -1e-6 and . < 1e-6)' record.json >jq.out ||
	fail "$what: $(jq -c '.workloads[0]' record.json)"

# Beside commands, which keep their numbers, for a while at a duty cycle between 0 and 1; what it used is told.
end_tree
start_tree sh -c 'while :; do :; done'
start_run -T 50% -c open -r 2s --attach "$tree" --export-json record.json -n 2 sh -c 'echo "$SHOWSTOPPER_INSTANCE" >number.%; sleep 1000'
wait_background
expect_status 0
expect_left_running 1
[ "$(cat number.0)$(cat number.1)" = 01 ] || fail "$what: wrong numbers"
[ "$(jq -c '[.workloads[].attached] + [.workloads[2].cpu_s > 0]' record.json)" = '[false,false,true,true]' ] || fail "$what: wrong record"
end_tree

# One that joins the tree later is found, and stays in it when its parent dies.
cat >grow <<'EOS'
#!/bin/sh
while [ ! -e grow.now ]; do sleep 0.05; done
sh -c 'setsid sleep 1000 & echo $! >orphan; while [ ! -e orphan.now ]; do sleep 0.05; done' &
wait
sleep 1000
EOS
rm -f orphan
start_tree sh ./grow
start_run -T 50% -c open --attach "$tree"
: >grow.now
wait_until test -s orphan
orphan=$(cat orphan)
wait_until is_stopped "$orphan"
: >orphan.now
is_orphan() {
	! children "$tree" | xargs -I{} cat /proc/{}/task/{}/children 2>/dev/null | grep -qw "$orphan"
}
wait_until is_orphan
sleep 0.5
wait_until is_stopped "$orphan"
kill -INT "$background" # ignored, as a shell's background jobs do
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
expect_left_running 3
end_tree

# ---- Already stopped --------------------------------------------------------------------------------------------------------------

start_tree sleep 1000
wait_until tree_has 1
kill -STOP "$tree"
wait_until is_stopped "$tree"
start_run -q -T 100% -c open -r 1s --attach "$tree"
wait_background
expect_status 0
expect_left_running 1
# … and by somebody else meanwhile.
start_run -q -T 100% -c open -r 2s --attach "$tree"
sleep 0.7
kill -STOP "$tree"
wait_background
expect_status 0
expect_left_running 1
# Ctrl-Z stops it, SIGTERM and SIGCONT, what a shell sends to a job that it ends, let it go.
start_run -q -T 100% -c open --attach "$tree"
sleep 0.7
kill -TSTP "$background"
wait_until is_stopped "$tree"
wait_until is_stopped "$background"
kill -TERM "$background"
kill -CONT "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
expect_left_running 1

# ---- Left alone -------------------------------------------------------------------------------------------------------------------

# Its executor is killed while guardian and master stand still: another executor, whose own workload ends, lets it go.
start_run -q -T 0 -c open --attach "$tree" -n 1 sleep 1000
wait_until is_stopped "$tree"
master=$(children "$background")
for executor in $(children "$master"); do
	if [ -n "$(children "$executor")" ]; then workload=$(children "$executor"); else holder=$executor; fi
done
kill -STOP "$background" "$master"
kill -KILL "$holder"
# Its master can't reap it.
wait_until eval '[ "$(state "$holder")" = Z ]'
kill -KILL "$workload"
wait_until tree_is running
kill -KILL "$master" "$background"
wait_background
expect_left_running 1

# ---- Ends -------------------------------------------------------------------------------------------------------------------------

# It ends by itself: no failure, not started again.
for mode in continue respawn; do
	start_run --when-one-ends=$mode -T 100% -c open --attach "$tree" --export-json record.json
	sleep 0.7
	kill -KILL "$tree"
	wait_background
	expect_status 0
	expect_text err '^showstopper: all workloads have ended(, [0-9.]+ s before the run.s time was over)?$'
	expect_text err "^attached  *1 \\(0: process $tree, ended\\)\$"
	[ "$(jq -c '[.workloads[0].ended_by_itself,.workloads[0].exit_status,.workloads[0].signal,.workloads[0].respawns]' record.json)" = '[true,null,null,0]' ] ||
		fail "$what: wrong record"
	expect_left_running 0
	start_tree sleep 1000
	wait_until tree_has 1
done
start_run --when-one-ends=stop -T 100% -c open --attach "$tree" -n 1 sleep 1000
sleep 0.7
kill -KILL "$tree"
wait_background
expect_status 0
expect_text err '^showstopper: workload 1 has ended; the run ends$'
# Its descendants go on under control, and are the workload until they have ended.
start_tree
wait_until tree_has 3
start_run -T 50% -c open --attach "$tree"
wait_until is_stopped "$tree"
sleep 0.3
kill -KILL "$tree"
wait_until tree_has 2
wait_until tree_is stopped
wait_until tree_is running
for process in $(with_mark TEST_TREE); do kill -KILL "$process"; done
wait_background
expect_status 0
expect_text err '^showstopper: all workloads have ended(, [0-9.]+ s before the run.s time was over)?$'

# ---- One of Showstopper's processes is killed, while the tree is stopped -----------------------------------------------------------

start_tree
wait_until tree_has 3
for victims in guardian master executor 'guardian master' 'guardian executor' 'master executor' 'guardian master executor'; do
	for others in '' '-n 1 sleep 1000'; do
		# When all die at the same instant nobody can help.
		[ "$victims$others" != 'guardian master executor' ] || continue
		# shellcheck disable=SC2086
		start_run -q -T 0 -c open --attach "$tree" $others
		wait_until tree_is stopped
		master=$(children "$background" | head -n 1)
		# Those who have no child that is a workload have attached.
		executor=
		for process in $(children "$master"); do
			[ -n "$(children "$process")" ] || executor=$process
		done
		numbers=
		for victim in $victims; do
			case $victim in
			guardian) numbers="$numbers $background" ;;
			master) numbers="$numbers $master" ;;
			executor) numbers="$numbers $executor" ;;
			esac
		done
		# Who is last in the list may have ended already.
		# shellcheck disable=SC2086 # a list
		kill -KILL $numbers 2>/dev/null
		wait_background
		what="$what, $victims killed"
		case $victims in
		guardian*) [ "$status" -eq 137 ] || fail "$what: status $status, expected 137" ;;
		*) expect_status 125 ;;
		esac
		expect_left_running 3
	done
done
# With --keep-going the run goes on without it.
start_run -q -T 0 -c open --keep-going -r 1h --attach "$tree" -n 1 sleep 1000
wait_until tree_is stopped
for process in $(children "$(children "$background" | head -n 1)"); do
	[ -n "$(children "$process")" ] || kill -KILL "$process"
done
wait_until tree_is running
expect_text err '^showstopper: the executor of workload 1 was killed by signal 9 \(Killed\); the run goes on without it$'
kill -TERM "$background"
wait_background
expect_status 125
expect_left_running 3
end_tree

# Guardian and master stand still, and one executor does when the others end by themselves: it dies, and its tree is to go on at once.
sleep 1000 &
first=$!
sleep 1000 &
second=$!
start_run -q -T 0 -c open -r 1s --attach "$first" --attach "$second"
wait_until is_stopped "$first"
wait_until is_stopped "$second"
master=$(children "$background")
executors=$(children "$master" | xargs)
last=${executors##* }
# shellcheck disable=SC2086 # a list
kill -STOP "$background" "$master" "$last"
# Which of them it controls is known when the other one has been let go.
one_goes_on() {
	! is_stopped "$first" || ! is_stopped "$second"
}
both_go_on() {
	! is_stopped "$first" && ! is_stopped "$second"
}
while ! one_goes_on; do sleep 0.02; done
kill -KILL "$last"
wait_until both_go_on
kill -CONT "$background" "$master"
wait_background
kill -KILL "$first" "$second"

# Who was let go and was stopped by its user since stays so, whatever the rest of the run takes.
sleep 1000 &
stopped=$!
start_run -q -c open -T 100% -r 1s --grace 2s --attach "$stopped" -n 1 sh -c 'trap "" TERM; while :; do sleep 1; done'
sleep 2
kill -STOP "$stopped"
wait_background
state=$(cut -d ' ' -f 3 "/proc/$stopped/stat")
[ "$state" = T ] || fail "a process that its user stopped after it had been let go is in state $state"
kill -KILL "$stopped"

finish
