#!/bin/sh
# SPDX-License-Identifier: MIT
# A sandbox that refuses a system call: what is said, and that nothing is started.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

run "$build/tests/without_call" pidfd_open true
[ "$status" -eq 0 ] || skip "no filter of system calls can be set: $(cat err)"
run "$build/tests/without_call" pidfd_open showstopper -T 40% -r 1s touch started
expect_trouble "^showstopper: can't start the master: Operation not permitted \(expected Linux 5.3 or newer, and a sandbox that permits pidfd_open\)\$"
[ ! -e started ] || fail "$what: started a workload"

finish
