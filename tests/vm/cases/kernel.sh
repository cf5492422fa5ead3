#!/bin/sh
# SPDX-License-Identifier: MIT
# about: half load with other options of the kernel
# machines: plain+nohz=off plain+preempt=none plain+preempt=voluntary plain+preempt=full plain+threadirqs plain+psi=1
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

hold 50% 8 -v ssburn
finish
