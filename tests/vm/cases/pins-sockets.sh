#!/bin/sh
# SPDX-License-Identifier: MIT
# about: every scheme of --pin on two sockets with cores of two threads: what the workloads run on, and that the load is held; dynamic too
# machines: sockets
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/pins.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/pins.sh"

list_pins_is <<END
neutral      0/2   all
neutral      1/2   all
per-chip     0/2   0-3
per-chip     1/2   4-7
per-core     0/2   0-1,4-5
per-core     1/2   2-3,6-7
per-thread   0/2   0,2,4,6
per-thread   1/2   1,3,5,7
packed       0/2   0-3
packed       1/2   4-7
spread       0/2   0,2,4,6
spread       1/2   1,3,5,7
END
hold_schemes 20%
hold_on 12% '4:1,3,5,7' --pin per-thread --part 1/2 ssburn

# Up from threads to chips, and down again. Looking all the time would be a load of its own.
printf '0 5%%\n4s 5%%\n5s 22%%\n9s 22%%\n9s 5%%\n15s 5%%\n' >step.trace
rm -f log.csv
start_background showstopper -v -t file -T step.trace -r 14s -o log.csv --export-csv record.csv \
	--pin dynamic:threshold=13%,hysteresis=3%,dwell=1s ssburn : --pin dynamic ssburn
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
