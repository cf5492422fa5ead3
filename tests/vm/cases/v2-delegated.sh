#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: an ordinary user in a delegated group
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir /sys/fs/cgroup/group
echo '150000 100000' >/sys/fs/cgroup/group/cpu.max
chown user /sys/fs/cgroup/group /sys/fs/cgroup/group/cgroup.procs /sys/fs/cgroup/group/cgroup.subtree_control
as_user sh -c 'echo +cpu >/sys/fs/cgroup/group/cgroup.subtree_control && mkdir /sys/fs/cgroup/group/own' || fail 'the group was not delegated'
through=as_user
hold_half_of 1.5 group/own
expect_text err 'source=cgroup'
as_user sh -c 'echo "50000 100000" >/sys/fs/cgroup/group/own/cpu.max'
through=as_user
hold_half_of 0.5 group/own

finish
