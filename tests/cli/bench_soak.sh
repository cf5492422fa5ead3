#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench/soak: a short one, what it keeps, and what it refuses.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
limit=120
soak=$source/tools/bench/soak

run "$soak" --help
expect_status 0
run "$soak" --time 0
expect_trouble "^tools/bench/soak: --time: '0' is no whole number from 1 of seconds, such as"
run "$soak" --time 3s --every 1
expect_trouble '^tools/bench/soak: --time must be four times --every at least'
run "$soak" --nonsense
expect_trouble "^tools/bench/soak: unexpected argument '--nonsense'"
run "$soak" --build nowhere
expect_status 125
run "$soak" -B "$build" -t 12 -e 1 -x --nonsense
expect_status 125
expect_text err '^tools/bench/soak: showstopper ended with status 125'

# How much there is of what is not judged here: the machine may be busy.
run "$soak" -B "$build" -t 12 -e 1 -n 2 -o kept
case $status in 0 | 1) ;; *) expect_status 0 ;; esac
expect_text out '^processes +4\.0 +4 +4\.0 +4$'
expect_text out '^log: 2[34] rows of 24, 0 out of order$'
for file in growth.csv log.csv record.csv; do
	[ -s "kept/$file" ] || fail "$what: kept no $file"
done
expect_text kept/growth.csv '^time_s,processes,memory_kb,descriptors,zombies$'

finish
