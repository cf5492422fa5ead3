#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors that go offline and come back during the run, with each source of load, and those that workloads are bound to
# machines: single
# limit: 170
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

put() { # PROCESSOR 0|1
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online" || fail "processor $1 can't be put $2"
}

# hold_through OPTION...: half of the processors go, one after the other, and come back.
hold_through() {
	rm -f log.csv
	start_background showstopper -v -r 12s -o log.csv --export-csv record.csv "$@"
	wait_until has_records 3
	for processor in 3 2; do put $processor 0; sleep 2; done
	for processor in 2 3; do put $processor 1; sleep 1; done
	wait_background
	cat err log.csv
	expect_status 0
	expect_nobody_left
}

for source in idle ticks; do
	hold_through -T 40% -F source=$source ssburn
	expect_held
done
mkdir -p /sys/fs/cgroup
if mount_v1 cpu,cpuacct; then
	for source in cpuacct combined; do
		hold_through -T 40% -F source=$source ssburn
		expect_held
	done
fi
# What it reads is so dear to an emulated machine that samples are up to a second apart, too far for a run of this length.
hold_through -T 40% -f workloads ssburn
# Bound to what goes: the kernel gives them other processors.
hold_through -T 30% --pin packed --part 0/2 ssburn : --pin packed --part 1/2 ssburn
hold_through -T 30% --cpus 2-3 ssburn

finish
