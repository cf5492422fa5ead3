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
expect_text out '^\| processes \| 4\.0 \| 4 \| 4\.0 \| 4 \| [+-][0-9.e-]+ ± [0-9.e-]+ \|$'
expect_text out '^12 s with 2 workloads, .*, its accuracy in the first and in the last quarter can.t be told apart: it was too short, 2[34] rows of 24 in the log, 0 out of order\. '
for file in growth.csv log.csv record.csv; do
	[ -s "kept/$file" ] || fail "$what: kept no $file"
done
expect_text kept/growth.csv '^time_s,processes,memory_kb,descriptors,zombies$'

# What is there is not made again. Its memory grows by 102 kB each second, and from the third quarter on the load is 10 pp off.
mkdir grown
cp kept/record.csv grown
echo "$("$build/showstopper" --version | head -n 1): --time 120 --every 1 --instances 2 --seed 2" >grown/made_by
awk 'BEGIN { print "time_s,processes,memory_kb,descriptors,zombies"; for (t = 0; t < 120; t++) printf "%d,4,%d,20,0\n", t, 1000 + 102 * t }' >grown/growth.csv
awk 'BEGIN { print "time_s,monotonic_s,target,load"; for (k = 1; k <= 240; k++) printf "%.1f,%.1f,0.5,%.4f\n", k / 2, 100 + k / 2, 0.5 + (k % 2 ? 1 : -1) * (k > 120 ? 0.1 : 0.01) * (1 + int(k / 6) % 3 / 100) }' >grown/log.csv
run "$soak" -B "$build" -t 120 -e 1 -n 2 -S 2 -o grown
expect_status 1
expect_text out '^\| memory, kB \| .* \| \+3\.67e\+05 ± [0-9.e-]+ \|$'
expect_text out '^\| descriptors \| 20\.0 \| 20 \| 20\.0 \| 20 \| [+-][0-9.e-]+ ± [0-9.e-]+ \|$'
expect_text out ', MSE 1\.0[0-9] pp² in the first quarter and 10[0-9]\.[0-9]+ pp² in the last \(\+10[0-9]\.[0-9]+, 95 % interval \+[0-9.]+ to \+[0-9.]+, p [0-9.e-]+\).*\. NOT WELL: memory MSE$'
# Of another length, or by nobody knows whom.
run "$soak" -B "$build" -t 100 -e 1 -n 2 -S 2 -o grown
expect_trouble "^tools/bench/soak: .*/grown: made by 'showstopper .*--time 120 .*', expected '.*--time 100 .* --seed 2' "
run "$soak" -B "$build" -t 120 -e 1 -n 2 -o grown
expect_trouble "^tools/bench/soak: .*/grown: made by '.* --seed 2', expected '.* --seed 1' "
# Zombies that pile up.
awk 'BEGIN { print "time_s,processes,memory_kb,descriptors,zombies"; for (t = 0; t < 120; t++) printf "%d,4,1000,20,%d\n", t, t / 6 }' >grown/growth.csv
run "$soak" -B "$build" -t 120 -e 1 -n 2 -S 2 -o grown
expect_status 1
expect_text out '\. NOT WELL: zombies MSE$'
rm grown/made_by
run "$soak" -B "$build" -t 120 -e 1 -n 2 -S 2 -o grown
expect_status 125
expect_text err "grown: made by '', expected"
# Each seed has a table of its own.
run "$soak" -B "$build" -t 120 -e 1 -n 2 -S 4 --publish
expect_trouble '^tools/bench/soak: --publish: .*README\.md needs the lines <!-- soak-4: begin --> and '

finish
