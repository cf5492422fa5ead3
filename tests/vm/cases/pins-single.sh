#!/bin/sh
# SPDX-License-Identifier: MIT
# about: every scheme of --pin on one socket without threads: what the workloads run on
# machines: single
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/pins.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/pins.sh"

list_pins_is <<END
neutral      0/2   all
neutral      1/2   all
per-core     0/2   0-1
per-core     1/2   2-3
packed       0/2   0-1
packed       1/2   2-3
spread       0/2   0-1
spread       1/2   2-3
END
hold_schemes 30%
run showstopper -T 50% --pin per-thread --part 0/2 ssburn
expect_trouble 'no core has more than 1 usable thread, too few for 2 parts$'

finish
