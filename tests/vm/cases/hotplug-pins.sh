#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors go offline to which workloads are bound, and come back; and the load of the workloads alone meanwhile
# machines: single
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/hotplug.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/hotplug.sh"

# The kernel gives them other processors.
hold_through -T 30% --pin packed --part 0/2 ssburn : --pin packed --part 1/2 ssburn
hold_through -T 30% --cpus 2-3 ssburn
# What it reads is so dear to an emulated machine that samples are up to a second apart, too far for a run of this length.
hold_through -T 30% -f workloads ssburn

finish
