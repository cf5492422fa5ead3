#!/bin/sh
# SPDX-License-Identifier: MIT
# A sandbox that refuses a system call: what is said, and that nothing is started; or that the run goes on without it.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

run "$build/tests/without_call" pidfd_open true
[ "$status" -eq 0 ] || skip "no filter of system calls can be set: $(cat err)"
run "$build/tests/without_call" pidfd_open showstopper -T 40% -r 1s touch started
expect_trouble "^showstopper: can't start the master: Operation not permitted \(expected Linux 5.3 or newer, and a sandbox that permits pidfd_open\)\$"
[ ! -e started ] || fail "$what: started a workload"

if showstopper --contain=pidns -q -T 50% -r 1s -n 1 sleep 1000 2>/dev/null </dev/null; then
	run "$build/tests/without_call" close_range showstopper --contain=pidns -q -T 50% -r 1s -n 1 sleep 1000
	expect_status 0
	expect_lines err 0
else
	left_out '--contain=pidns is not permitted here'
fi

# In a PID namespace whose /proc is not its own, numbers belong to others.
if unshare --fork --pid true 2>/dev/null; then
	run unshare --fork --pid showstopper -T 40% -r 1s touch started
	expect_trouble '^showstopper: /proc shows the processes of another PID namespace: expected those of this one \(unshare --mount-proc\)$'
	[ ! -e started ] || fail "$what: started a workload"
	run unshare --fork --pid showstopper --check-machine
	expect_text out '/proc shows the processes of another PID namespace'
	run unshare --fork --pid --mount-proc showstopper -q -n 1 -T 40% -r 1s sleep 1000
	expect_status 0
else
	left_out 'no PID namespace can be made here'
fi

finish
