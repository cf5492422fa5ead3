#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits on file sizes and descriptors: raised for us where that is possible, else one message; workloads have what the user had.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

expect_not_started() {
	[ ! -e started ] || fail "$what: started a workload"
	rm -f started
}

# Shared memory is a file for this limit; who set it did not think of that.
(
	failures=0
	ulimit -f 2
	run showstopper -q -T 50% -r 1s -n 200 touch started
	expect_trouble "can't get shared memory for 200 workloads in /dev/shm: File too large \(the limit of file sizes, ulimit -f"
	expect_not_started
	[ "$failures" -eq 0 ]
) || fail 'a limit on file sizes'

# The soft limit on descriptors is raised; workloads have it as it was.
run prlimit --nofile=8: showstopper -q -T 100% -c open -r 1M -n 2 --stdout limit.% prlimit --noheadings --nofile --output SOFT
expect_status 0
expect_lines err 0
for i in 0 1; do
	[ "$(tr -d ' ' <limit.$i)" = 8 ] || fail "$what: a workload has a limit of $(cat limit.$i)"
done

# A hard limit that is too low is told; one that is just enough does.
for files in 5 6 7 8 9 10 11 12 14 16 18 20 24 32; do
	run prlimit --nofile=$files showstopper -q -T 50% -r 1s -n 3 -o log touch started.%
	if [ "$status" -eq 0 ]; then expect_lines err 0; else expect_trouble '^showstopper: .*Too many open files$'; fi
	[ "$files" -lt 32 ] || expect_status 0
done

finish
