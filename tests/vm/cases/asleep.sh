#!/bin/sh
# SPDX-License-Identifier: MIT
# about: suspend to idle during a run, for some seconds and for ten minutes
# machines: plain
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck disable=SC2034 # of lib.sh
limit=1000

grep -qw freeze /sys/power/state || skip 'this kernel has no suspend to idle'
echo enabled >/sys/bus/serio/devices/serio0/power/wakeup || skip 'no key can wake it'
# asleep SECONDS STEP: a second or two more than these. Until it wakes nobody sees the steps that its clock takes.
asleep() {
	slept_from=$(now_us)
	ask wait 3
	for _ in $(seq "$(($1 / $2))"); do ask sleep "$2"; done
	ask wait 1
	ask key
	echo freeze >/sys/power/state || left_out 'the kernel did not sleep'
	cat /sys/power/suspend_stats/success
	slept_s=$((($(now_us) - slept_from) / 1000000))
	echo "asleep for $slept_s s"
	[ "$slept_s" -ge "$1" ] || fail "asleep for $slept_s s instead of $1"
	sleep 3
}

start_background showstopper -T 40% -r 626s -o log.csv --export-csv record.csv ssburn
wait_until has_records 4
asleep 0 1
# Half of what an HPET counts: more looks to Linux like time that went back.
asleep 600 20
wait_background
cat err log.csv
expect_status 0
expect_held_between 0.4
expect_nobody_left

finish
