#!/bin/sh
# SPDX-License-Identifier: MIT
# unit=core: where processors share cores it is held and said, elsewhere refused before anything runs.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# Of the processors that are online. The shared ones have a list of several: 0,4 or 0-1.
if cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list 2>/dev/null | grep -q '[,-]'; then
	run showstopper -T 30% -F unit=core -r 1s -o log ssburn
	expect_status 0
	expect_text err '^target load          30\.00 % of the cores$'
	expect_text err '^others               unavailable$'
	[ "$(head -n 2 log | awk -F, '{ print $(NF - 1) }' | paste -sd ' ')" = 'unit core' ] || fail "$what: the log's unit"
else
	run showstopper -T 30% -F unit=core -r 1s touch started
	expect_trouble "^showstopper: feedback module 'realtime': unit=core is unavailable: "
	[ ! -e started ] || fail "$what: the workload was started"
fi

# A machine whose only core has two threads, neither of which is ever idle: the workloads of all executors stand still.
mkdir -p root/proc root/sys/devices/system/cpu/cpu0/topology
echo 0-1 >root/sys/devices/system/cpu/cpu0/topology/thread_siblings_list
cat >root/proc/stat <<-END
	cpu  1000 0 0 2000 0 0 0 0 0 0
	cpu0 500 0 0 1000 0 0 0 0 0 0
	cpu1 500 0 0 1000 0 0 0 0 0 0
	intr 0
END
let_pass root/proc/stat user=1
run showstopper --sysroot root -n 2 -T 30% -F unit=core -r 1500m -o log --export-json record.json sleep 1000
let_stand
expect_status 0
expect_text err '^target load          30\.00 % of the cores$'
expect_text err '^achieved load        100\.00 % of the cores$'
expect_text err '^others               unavailable$'
[ "$(head -n 2 log | awk -F, '{ print $(NF - 1) }' | paste -sd ' ')" = 'unit core' ] || fail "$what: the log's unit"
expect_text record.json '"load_unit": "core"'
expect_text record.json '"may_use_processors": null'

run showstopper -T 30% -F unit=core,source=ticks -r 1s touch started
expect_trouble "^showstopper: feedback module 'realtime': unit=core can't be had with source=ticks, which doesn't tell cores apart: expected idle"
[ ! -e started ] || fail "$what: the workload was started"
run showstopper -T 30% -F unit=thread -r 1s touch started
expect_trouble "unit.*'thread'.*processor.*core"
run showstopper --help-module feedback:realtime
expect_text out '^  unit=processor\|core$'

finish
