#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors that go offline and come back during the run
# machines: single
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/hotplug.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/hotplug.sh"

for source in idle ticks; do
	hold_through -T 30% -F source=$source ssburn
	expect_held
done

finish
