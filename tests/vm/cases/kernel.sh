#!/bin/sh
# SPDX-License-Identifier: MIT
# about: half load with other options of the kernel
# machines: plain+nohz=off plain+preempt=none plain+preempt=voluntary plain+preempt=full plain+preempt=lazy plain+threadirqs plain+psi=1
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# A kernel that doesn't know a way goes its own.
way=$(sed -n 's/.* preempt=\([a-z]*\).*/\1/p' /proc/cmdline)
if [ -n "$way" ]; then
	mount -t debugfs debugfs /sys/kernel/debug
	cat /sys/kernel/debug/sched/preempt
	grep -q "($way)" /sys/kernel/debug/sched/preempt || skip "this kernel has no preempt=$way"
fi
hold 50% 8 -v ssburn
finish
