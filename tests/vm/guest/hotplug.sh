# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by cases about processors that go and come, after lib.sh:
#   hold_through OPTION... COMMAND...   holds a load while two of four processors go offline, one after the other, and come back

put() { # PROCESSOR 0|1
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online" || fail "processor $1 can't be put $2"
}

hold_through() {
	rm -f log.csv
	start_background showstopper -v -r 10s -o log.csv --export-csv record.csv "$@"
	wait_until has_records 3
	for processor in 3 2; do put $processor 0; sleep 1.5; done
	for processor in 2 3; do put $processor 1; sleep 1; done
	wait_background
	cat err log.csv
	expect_status 0
	expect_nobody_left
}
