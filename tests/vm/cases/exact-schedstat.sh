#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: how exactly loads are held by /proc/schedstat, from within the root group, and where it is hidden
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 700
# run: by name
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/exact.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/exact.sh"

mount_v2
mkdir /sys/fs/cgroup/work
grep -q '^version' /proc/schedstat 2>/dev/null || skip 'this kernel has no /proc/schedstat'
exact_table

# Asked for, and where there are no groups to go by.
for target in 25 50; do
	through='in_group work'
	hold_exactly $target 2 schedstat -F source=schedstat
	through=
	hold_exactly $target 2 schedstat
done

# An empty file tells nothing, and groups don't need it.
mount --bind /dev/null /proc/schedstat || fail "/proc/schedstat can't be hidden"
through='in_group work'
run $through showstopper -T 50% -F source=schedstat --dry-run ssburn
expect_status 125
expect_text err 'source=schedstat'
for target in 25 50; do
	hold_exactly $target 2 groups
done

finish
