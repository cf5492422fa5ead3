#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors that go offline and come back, where version 1 of control groups is the source of the load
# machines: single
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/hotplug.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/hotplug.sh"

mount_v1 cpu,cpuacct || skip "$why_not"
for source in cpuacct combined; do
	hold_through -T 30% -F source=$source ssburn
	expect_held
done

finish
