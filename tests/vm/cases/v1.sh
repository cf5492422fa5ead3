#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 1 alone: half of a quota of 1.5 processors, and of a cpuset of one
# machines: plain
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v1 cpu,cpuacct || skip "$why_not"
mkdir /sys/fs/cgroup/cpu,cpuacct/group
echo 150000 >/sys/fs/cgroup/cpu,cpuacct/group/cpu.cfs_quota_us
hold_half_of 1.5 group
expect_text err 'source=cgroup'
mount_v1 cpuset || skip "$why_not"
mkdir /sys/fs/cgroup/cpuset/set
echo 0 >/sys/fs/cgroup/cpuset/set/cpuset.mems
echo 1 >/sys/fs/cgroup/cpuset/set/cpuset.cpus
mkdir /sys/fs/cgroup/cpu,cpuacct/set
hold_half_of 1 set
expect_no_text err 'source=cgroup'

finish
