#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: half of two processors of four
# machines: single
# kernel: cgroup_no_v1=all
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir /sys/fs/cgroup/set
echo 1-2 >/sys/fs/cgroup/set/cpuset.cpus
hold_half_of 2 set
expect_text err '2 instances'

finish
