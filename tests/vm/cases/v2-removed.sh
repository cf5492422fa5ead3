#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: the group that is measured goes away during the run
# machines: plain
# kernel: cgroup_no_v1=all
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir /sys/fs/cgroup/group
start_background showstopper -T 50% -r 10s -f cgroup -F group -o log.csv ssburn
wait_until has_records 3
rmdir /sys/fs/cgroup/group
wait_background
cat err
expect_status 125
expect_text err 'group'
expect_nobody_left

finish
