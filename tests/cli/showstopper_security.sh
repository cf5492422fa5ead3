#!/bin/sh
# SPDX-License-Identifier: MIT
# Workloads that resist, workloads that become another user, and a program with more privileges than who runs it.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
chmod 777 "$work"
umask 022

# marked: the numbers of all living processes that inherited the mark.
marked() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
parent() {
	sed 's/.*) . //; s/ .*//' "/proc/$1/stat"
}
marked_sleep() {
	for process in $(marked); do
		grep -qx sleep "/proc/$process/comm" && echo "$process"
	done
}
became_root() {
	[ -n "$(marked_sleep)" ]
}
none_is_left() {
	[ -z "$(marked)" ]
}

# ---- What ignores every request is killed after the grace period ----------------------------------------------------------------

stubborn='trap "" TERM HUP INT QUIT TSTP CONT USR1 USR2 PIPE
	sleep 1001 & setsid sleep 1002 & (setsid sh -c "sleep 1003; sleep 1004" &) ; while :; do sleep 0.1; done'
for target in 0 100%; do
	run env "TEST_MARK=$work" showstopper -q -T "$target" -c open -w 500m -r 500m --grace 200m -n 2 sh -c "$stubborn"
	expect_status 0
	expect_lines err 0
	wait_until none_is_left
done

[ "$(id -u)" -eq 0 ] || skip 'the rest needs root'
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
# shellcheck disable=SC2086 # a command with arguments
$nobody test -x "$build/showstopper" || skip "the rest needs a build that others may execute"

# ---- A program with privileges --------------------------------------------------------------------------------------------------

mkdir program evil evil/control theirs theirs/control
cp "$build/showstopper" program
cp -r "$build/modules" program
cp program/modules/control/geom.so evil/control/deficit.so
cp program/modules/control/geom.so theirs/control
chown -R 65534 theirs
chmod -R go+rX,go-w .
chmod 755 .
# Without privileges of its own the variable is obeyed: the file says that it is another module.
# shellcheck disable=SC2086
run env SHOWSTOPPER_MODULE_PATH="$work/evil" $nobody program/showstopper -T 50% --dry-run true
expect_trouble "evil/control/deficit.so calls itself 'geom'"
# shellcheck disable=SC2086
run env SHOWSTOPPER_MODULE_PATH="$work/theirs" $nobody program/showstopper -c "$work/theirs/control/geom.so" -T 50% --dry-run true
expect_status 0
# Who may not is told what root must do, in a line to paste; root isn't.
mkdir 'spaced out'
cp program/showstopper 'spaced out'
# shellcheck disable=SC2086
run $nobody prlimit --nice=0 --rtprio=0 program/showstopper --check-machine
expect_text out "^ +to permit SCHED_FIFO: sudo setcap cap_sys_nice\\+ep $work/program/showstopper\$"
sed -n 's/^ *to permit SCHED_FIFO: sudo //p' out >remedy
# shellcheck disable=SC2086
run $nobody prlimit --nice=0 --rtprio=0 'spaced out/showstopper' --check-machine
expect_text out "^ +to permit SCHED_FIFO: sudo setcap cap_sys_nice\\+ep '$work/spaced out/showstopper'\$"
# shellcheck disable=SC2086
run $nobody --no-new-privs prlimit --nice=0 --rtprio=0 program/showstopper --check-machine
expect_no_text out 'setcap'
run program/showstopper --check-machine
expect_no_text out 'setcap'
if sh remedy 2>/dev/null; then
	# shellcheck disable=SC2086
	run $nobody program/showstopper --check-machine
	expect_no_text out 'to permit SCHED_FIFO'
	setcap -r program/showstopper
fi
# What is asked of containment below is what this user gets without privileges as well.
# shellcheck disable=SC2086
$nobody program/showstopper --check-machine >check
contained=$(grep '^containment: ' check)
if setcap cap_sys_nice+ep program/showstopper 2>/dev/null && $nobody program/showstopper --check-machine | grep -q '^priority: *chosen: SCHED_FIFO'; then
	# As from a user's shell: to a program whose privileges are not news, as setpriv executes it, the kernel opens more of /proc.
	nobody="$nobody env"
	# shellcheck disable=SC2086
	run $nobody env SHOWSTOPPER_MODULE_PATH="$work/evil" LD_LIBRARY_PATH="$work/evil" LD_PRELOAD="$work/evil/control/deficit.so" \
		program/showstopper -T 50% --dry-run true
	expect_status 0
	expect_text out '^control: deficit '
	# shellcheck disable=SC2086
	run $nobody program/showstopper -c "$work/theirs/control/geom.so" -T 50% --dry-run true
	expect_trouble "/theirs belongs to, or can be written by, somebody else"
	# Workloads don't get the capability, contained or not.
	# shellcheck disable=SC2086
	run $nobody program/showstopper --check-machine
	[ "$(grep '^containment: ' out)" = "$contained" ] || fail "$what: $(grep '^containment: ' out), without capabilities $contained"
	for how in none pidns; do
		[ "$how" = none ] || grep -q '^containment: *available' check || continue
		# shellcheck disable=SC2086
		run $nobody program/showstopper --contain="$how" -q -T 100% -c open -n 1 grep -E '^Cap(Prm|Eff|Amb|Inh)' /proc/self/status
		expect_status 0
		expect_lines out 4
		expect_no_text out '[1-9a-f]$'
		# None of its processes can be traced by who started it: their files in /proc belong to root.
		rm -f theirs/started
		# shellcheck disable=SC2086
		start_background $nobody "TEST_MARK=$work" program/showstopper --contain="$how" -q -T 0 -c open -w 1h sh -c ': >theirs/started; sleep 1001'
		wait_until test -e theirs/started
		ours=0
		for process in $(marked); do
			[ "$(readlink "/proc/$process/exe")" = "$work/program/showstopper" ] || continue
			ours=$((ours + 1))
			[ "$(stat -c %u "/proc/$process/status")" -eq 0 ] || fail "$what: process $process can be traced"
			# shellcheck disable=SC2086
			$nobody program/showstopper -q -T 50% -r 1s --attach "$process" 2>refusal
			grep -Eq 'another run of showstopper' refusal || fail "attached to process $process of $what: $(cat refusal)"
		done
		[ $ours -ge 4 ] || fail "$what: found $ours processes of it"
		kill -TERM "$background"
		wait_background
		expect_status 143
	done
	nobody=${nobody% env}
	setcap -r program/showstopper
else
	if command -v setcap >/dev/null; then left_out "no capabilities of files in $work"; else missing libcap2-bin; fi
fi
for mode in 4755 2755; do
	chown 65533:65533 program/showstopper
	chmod "$mode" program/showstopper
	# shellcheck disable=SC2086
	run $nobody program/showstopper -T 50% touch started
	[ ! -e started ] || continue
	expect_text err '^showstopper: set-uid or set-gid, this program'
	# The sanitizer can't look for leaks in such a program and ends it.
	grep -q LeakSanitizer err || expect_trouble '^showstopper: set-uid or set-gid, this program'
done
[ ! -e started ] || left_out "no set-uid programs in $work"
rm -f started
chmod 777 .

# ---- A workload that becomes root -----------------------------------------------------------------------------------------------

cp "$(command -v setpriv)" become
chmod 4755 become
become="$work/become --reuid 0 --regid 0 --clear-groups"
# shellcheck disable=SC2086 # commands with arguments
user=$($nobody $become id -ru)
if [ "$user" = 0 ]; then
	# Beside an ordinary process that is stopped, and once more in a session of its own; they end by themselves some time.
	# shellcheck disable=SC2086 # commands with arguments
	run $nobody env "TEST_MARK=$work" showstopper -q -T 0 -c open -w 1s -r 1s --grace 300m -n 1 \
		sh -c "$become sleep 20 & (setsid $become sleep 20 &) ; sleep 1001 & echo \$! >ordinary; wait"
	expect_status 125
	expect_lines err 2
	expect_text err '^showstopper: workload 0: process [0-9]+ belongs to another user: it can be neither stopped nor terminated$'
	expect_text err "^showstopper: workload 0: can't kill what is left of it: [0-9]+ \(sleep\), [0-9]+ \(sleep\)\$"
	[ "$(marked | wc -l)" -eq 2 ] || fail "$what: left are: $(marked | tr '\n' ' ')"
	for process in $(marked); do
		[ "$(state "$process")" = S ] || fail "$what: left $process in state $(state "$process")"
		kill -KILL "$process"
	done
	wait_until none_is_left
	# The other was under control, and is gone.
	[ -s ordinary ] || fail "$what: no ordinary process was started"
	[ ! -e "/proc/$(cat ordinary)" ] || fail "$what: process $(cat ordinary) is left"
	# The first process itself; an interrupt ends the run as well, and trouble wins.
	# shellcheck disable=SC2086
	run env "TEST_MARK=$work" timeout --preserve-status -s INT 3 $nobody showstopper -q -T 0 -c open -w 1s --grace 100m -n 1 $become sleep 20
	expect_status 125
	expect_lines err 2
	for process in $(marked); do kill -KILL "$process"; done
	wait_until none_is_left
	# Without its executor, and without the master: who survives says what is left.
	for victim in executor master; do
		# shellcheck disable=SC2086
		start_background env "TEST_MARK=$work" $nobody showstopper -q -T 50% -c open -n 1 sh -c "$become sleep 20; : >ended"
		wait_until became_root
		process=$(parent "$(parent "$(marked_sleep)")")
		[ "$victim" = executor ] || process=$(parent "$process")
		kill -KILL "$process"
		wait_background
		expect_status 125
		expect_text err "^showstopper: can't kill what is left of the workloads: [0-9]+ \(sleep\)\$"
		for process in $(marked); do kill -KILL "$process"; done
		wait_until none_is_left
	done
	# One that ends in time is a warning and no failure.
	# shellcheck disable=SC2086
	run $nobody showstopper -q -T 50% -c open -n 1 sh -c "$become sleep 1.5"
	expect_status 0
	expect_lines err 1
	expect_text err 'belongs to another user'
	# Root may do all.
	# shellcheck disable=SC2086
	run env "TEST_MARK=$work" showstopper -q -T 50% -c open -r 1s --grace 100m -n 1 setpriv --reuid 65534 --clear-groups sleep 20
	expect_status 0
	expect_lines err 0
	wait_until none_is_left
else
	left_out "no set-uid programs in $work: workloads that become another user"
fi

finish
