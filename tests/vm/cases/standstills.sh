#!/bin/sh
# SPDX-License-Identifier: MIT
# about: the load is held in the mean while one processor stands still for 100 ms every two seconds, and all of the machine for 3 s once
# machines: plain
# limit: 180
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# How far the load goes after a single standstill doesn't show in here: a workload that runs on a processor that its host takes away is
# charged with that time.
ask stall 0 100 2000 10
hold 33% 20 -n 1 --log-interval 250m ssburn -p parallel
ask stall 0 100 2000 10
hold 33% 20 -n 2 --log-interval 250m ssburn -p parallel

ask stop 3
hold 50% 10 ssburn
finish
