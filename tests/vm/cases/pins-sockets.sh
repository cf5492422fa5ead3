#!/bin/sh
# SPDX-License-Identifier: MIT
# about: every scheme of --pin on two sockets with cores of two threads: what the workloads run on, and that the load is held
# machines: sockets
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
hold_schemes 12%
hold_on 12% '4:1,3,5,7' --pin per-thread --part 1/2 ssburn

finish
