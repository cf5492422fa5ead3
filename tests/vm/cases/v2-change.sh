#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: a quota that changes during the run is followed
# machines: plain
# kernel: cgroup_no_v1=all
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir /sys/fs/cgroup/group
echo '150000 100000' >/sys/fs/cgroup/group/cpu.max
start_background in_group group showstopper -T 50% -r 17s -o log.csv --export-csv record.csv ssburn
wait_until has_records 4
expect_about 'processors used of 1.5' "$(share_used group 4)" 0.75
echo '70000 100000' >/sys/fs/cgroup/group/cpu.max
sleep 2
expect_about 'processors used of 0.7' "$(share_used group 4)" 0.35
echo max >/sys/fs/cgroup/group/cpu.max
wait_background
cat out err
expect_status 0
expect_nobody_left

finish
