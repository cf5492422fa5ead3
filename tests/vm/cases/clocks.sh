#!/bin/sh
# SPDX-License-Identifier: MIT
# about: the wall clock is set forward and back, and the machine is gone for 10 s and for 20 s
# machines: plain
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# The wall clock.
start_background showstopper -T 40% -r 10s -o log.csv --export-csv record.csv ssburn
wait_until has_records 3
for seconds in 3600 -7200 3600; do
	date -s "@$(($(date +%s) + seconds))" >/dev/null || fail 'the clock could not be set'
	sleep 2
done
wait_background
cat err log.csv
expect_status 0
expect_held
expect_nobody_left
# Times of the log's first column are those of the run.
awk -F, 'NR > 1 { if ($1 <= last) exit 1; last = $1 } END { exit !(NR > 15 && last < 20) }' log.csv || fail "$what: times of the log"

# gone_for SECONDS
gone_for() {
	rm -f log.csv
	start_background showstopper -T 40% -r "$(($1 + 12))s" -o log.csv --export-csv record.csv ssburn
	wait_until has_records 5
	began=$(now_us)
	ask sleep "$1"
	wait_until gone "$1"
	wait_background
	cat err
	tail -n 30 log.csv
	expect_status 0
	# The row of the standstill shows it; before and after it the load is held.
	expect_held_between 0.4
	expect_nobody_left
}
# shellcheck disable=SC2317 # called by wait_until
gone() {
	[ $(($(now_us) - began)) -ge $(($1 * 1000000)) ]
}
gone_for 10
# More looks like time that went back where the clock is an HPET, which begins again after 43 s. For ten minutes see the case asleep.
gone_for 20

finish
