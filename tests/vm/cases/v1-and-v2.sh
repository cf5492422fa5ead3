#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 1 with the quota beside a hierarchy of version 2
# machines: plain
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v1 cpu,cpuacct || skip "$why_not"
mkdir /sys/fs/cgroup/unified
mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified || skip 'no control groups of version 2'
mkdir /sys/fs/cgroup/cpu,cpuacct/group /sys/fs/cgroup/unified/group
echo 150000 >/sys/fs/cgroup/cpu,cpuacct/group/cpu.cfs_quota_us
hold_half_of 1.5 group
expect_text err 'source=cgroup'

finish
