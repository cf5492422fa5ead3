#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: half of a quota of 1.5 processors, and of the smaller of nested quotas
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 180
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
cd /sys/fs/cgroup || exit 1
mkdir -p flat outer
echo '150000 100000' >flat/cpu.max
echo '+cpu' >outer/cgroup.subtree_control
mkdir outer/inner
echo '100000 100000' >outer/cpu.max
cd "$work" || exit 1

hold_half_of 1.5 flat
expect_text err 'source=cgroup'
hold_half_of 1 outer/inner
expect_text err 'source=cgroup'
echo '150000 100000' >/sys/fs/cgroup/outer/cpu.max
echo '50000 100000' >/sys/fs/cgroup/outer/inner/cpu.max
hold_half_of 0.5 outer/inner

finish
