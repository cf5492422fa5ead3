#!/bin/sh
# SPDX-License-Identifier: MIT
# about: systemd as init: how exactly loads are held, from within a service and from within a scope
# machines: plain
# init: systemd
# kernel: cgroup_no_v1=all
# limit: 500
# run: by name
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/exact.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/exact.sh"

exact_table
for target in 25 50; do
	through=
	hold_exactly $target 2 groups
	through='systemd-run --quiet --scope'
	hold_exactly $target 12 groups
done

finish
