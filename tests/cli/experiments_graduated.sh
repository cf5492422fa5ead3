#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/graduated: the list of runs, what is refused, and the report of a batch that is made up.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
graduated=$source/tools/experiments/graduated

run "$graduated" --dry-run -w burn-single
expect_status 0
expect_lines out 2
expect_text out '^burn-single_1: [0-9]+ instances of burn-single, warm-up 9 s, 55 s with -t file -T \.\./\.\./levels\.trace -f throughput -F calibrate=8s --log-power$'
run "$graduated" --dry-run --full -w burn-single -l 100,50 -n 2 --meter 'echo time,watts'
expect_lines out 3
expect_text out '^burn-single_2: .* warm-up 420 s, 720 s with .* -F calibrate=240s$'
run "$graduated" --dry-run --time 100
expect_trouble '^tools/experiments/graduated: --time: expected --level, '
run "$graduated" --dry-run --level 1
expect_trouble '^tools/experiments/graduated: --level: '

# Levels of 6 s at 100 % and at 50 % of 10 iterations a second, and none: 20 W, 15 W, 10 W.
options="-w burn-single -l 100,50 --level 6 -n 2 -B $build -o made"
made_up() {
	folder=made/runs/$1
	mkdir -p "$folder"
	echo "maximum_per_s
10" >"$folder/record.csv"
	awk -v off="$2" 'BEGIN { print "time_s,monotonic_s,target,load,power_w"; print "0,100,,1,"
		for (i = 1; i <= 36; i++) { level = i <= 12 ? 1 : i <= 24 ? 0.5 : 0; printf "%.1f,%.1f,%g,%g,%g\n", i / 2, 100 + i / 2, level, level, 10 + 10 * level + off } }' >"$folder/log.csv"
	awk 'BEGIN { print "instance,iteration,start_s,end_s"
		for (i = 0; i < 90; i++) { at = i < 60 ? i / 10 : 6 + (i - 60) / 5; print "0," i "," 100 + at "," 100 + at + (i < 60 ? 0.1 : 0.2) } }' >"$folder/iterations.0.csv"
}
made_up burn-single_1 0
made_up burn-single_2 1
# shellcheck disable=SC2086 # words
"$graduated" --dry-run $options | sed -n 's/:.*//p' | sed "s/\$/	burn-single	1	9	18	native	-/" >made/runs.tsv
# shellcheck disable=SC2086 # words
run "$graduated" --report $options
expect_status 0
expect_text made/graduated.md '^# Graduated levels of throughput$'
expect_text made/graduated.md '^The highest rate, in the mean of 2 runs: 10 iterations per second\.$'
expect_text made/graduated.md '^\| 100 \| 100\.00 \| 10 ± 0 \| 20\.5 \| 0\.4881 \|$'
expect_text made/graduated.md '^\| 50 \| 50\.00 \| 5 ± 0 \| 15\.5 \| 0\.3229 \|$'
expect_text made/graduated.md '^\| idle \| 0\.00 \| 0 ± 0 \| 10\.5 \| 0 \|$'
expect_text made/graduated.md '^All levels are within 0\.00 percentage points of the highest rate; '
# 15 / 45 and 15 / 48.
expect_text made/graduated.md '^All levels together: 0\.3229 ± 0\.13 iterations per joule\.$'
expect_text made/graduated.md '^!\[burn-single: .*\]\(timeline-burn-single\.svg\)$'
# Without a meter.
sed -i 's/,[0-9.]*$/,/; 1s/.*/time_s,monotonic_s,target,load,power_w/' made/runs/*/log.csv
# shellcheck disable=SC2086 # words
run "$graduated" --report $options
expect_status 0
expect_text made/graduated.md '^\| 50 \| 50\.00 \| 5 ± 0 \|  \|  \|$'
expect_text made/graduated.md '^There is no power of some levels: '
finish
