#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: a frozen group stands still, and goes on held, or ends when it is told to
# machines: plain
# kernel: cgroup_no_v1=all
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir /sys/fs/cgroup/group
start_background in_group group showstopper -T 50% -r 12s -o log.csv --export-csv record.csv ssburn
wait_until has_records 6
for _ in 1 2; do
	echo 1 >/sys/fs/cgroup/group/cgroup.freeze
	sleep 3
	echo 0 >/sys/fs/cgroup/group/cgroup.freeze
	sleep 2
done
wait_background
cat err log.csv
expect_status 0
# Rows that the standstill made long show it, as they should; the others are held.
expect_held_between 0.5
expect_nobody_left

# Told to end while it is frozen, it does so when it can.
start_background in_group group showstopper -T 50% -r 60s -o log.csv ssburn
wait_until has_records 2
echo 1 >/sys/fs/cgroup/group/cgroup.freeze
sleep 1
kill -TERM "$background"
sleep 1
echo 0 >/sys/fs/cgroup/group/cgroup.freeze
wait_background
expect_status 143
expect_nobody_left

finish
