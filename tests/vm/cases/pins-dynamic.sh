#!/bin/sh
# SPDX-License-Identifier: MIT
# about: --pin dynamic on two sockets with cores of two threads: what the workloads run on at a low, a higher and a low load
# machines: sockets
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/pins.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/pins.sh"

# Up from threads to chips, and down again. Looking all the time would be a load of its own.
printf '0 3%%\n4s 3%%\n5s 13%%\n9s 13%%\n9s 3%%\n15s 3%%\n' >step.trace
start_background showstopper -v -t file -T step.trace -r 14s -o log.csv --export-csv record.csv \
	--pin dynamic:threshold=8%,hysteresis=2%,dwell=1s ssburn : --pin dynamic ssburn
wait_until has_records 3
# at SECOND MASKS
at() {
	sleep "$(awk -v at="$1" 'END { wait = at - $1; print (wait > 0 ? wait : 0) }' FS=, log.csv)"
	found=$(masks)
	[ "$found" = "$2" ] || fail "$what: at $1 s workloads are bound to $found, expected $2"
}
at 3 '4:0,2,4,6 4:1,3,5,7'
at 8 '4:0-3 4:4-7'
at 13 '4:0,2,4,6 4:1,3,5,7'
wait_background
cat err
expect_status 0
expect_held
expect_nobody_left

finish
