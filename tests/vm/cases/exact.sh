#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: how exactly loads are held from within a group, by a witness and by each source
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 900
# run: by name
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/exact.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/exact.sh"

mount_v2
mkdir /sys/fs/cgroup/work
through='in_group work'
expect_half
exact_table
for target in 10 25 50 75; do
	for instances in 2 12; do
		hold_exactly "$target" "$instances" groups
	done
done

finish
