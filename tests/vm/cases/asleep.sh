#!/bin/sh
# SPDX-License-Identifier: MIT
# about: suspend to idle during a run, twice
# machines: plain
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

grep -qw freeze /sys/power/state || skip 'this kernel has no suspend to idle'
echo enabled >/sys/bus/serio/devices/serio0/power/wakeup || skip 'no key can wake it'
start_background showstopper -T 40% -r 20s -o log.csv --export-csv record.csv ssburn
wait_until has_records 4
for _ in 1 2; do
	ask key 4
	echo freeze >/sys/power/state || left_out 'the kernel did not sleep'
	cat /sys/power/suspend_stats/success
	sleep 2
done
wait_background
cat err log.csv
expect_status 0
expect_held_between 0.4
expect_nobody_left

finish
