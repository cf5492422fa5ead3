#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: workloads held by the freezer, by root and by an ordinary user in a delegated group
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# held THROUGH…: half of the machine, by groups that are gone afterwards.
held() {
	run "$@" showstopper -v -T 50% -r 12s -a freezer ssburn
	cat err
	expect_status 0
	expect_text err "^showstopper: control groups: version 2, in $place/showstopper-"
	[ -z "$(find /sys/fs/cgroup -name 'showstopper-*')" ] || fail "$what: left $(find /sys/fs/cgroup -name 'showstopper-*')"
	expect_nobody_left
}

mount_v2
place=/sys/fs/cgroup
held

mkdir /sys/fs/cgroup/group
run as_user showstopper -T 50% -a freezer --dry-run true
expect_trouble "^showstopper: actuator module 'freezer': no control group can be made "
chown user /sys/fs/cgroup/group /sys/fs/cgroup/group/cgroup.procs /sys/fs/cgroup/group/cgroup.subtree_control
place=/sys/fs/cgroup/group
held in_group group as_user

finish
