#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/layouts: the list of runs, what is refused, and the report of a batch that is made up.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
layouts=$source/tools/experiments/layouts

# Those of paper 004, Fig. 4, and as many runs as it says.
run "$layouts" --dry-run -n 1 --chips 0-15/16-31 --busy 2 --figures power
expect_status 0
expect_lines out 14
expect_text out '_full-free_1: 8 instances of burn-single, warm-up 1 s, 10 s with -T 25% -c open -C duty=1 --log-power$'
expect_text out '_full-packed_1: 8 .* -T 100% -c open -C duty=1 --bind --cpus 0,1,2,3,4,5,6,7 --log-power$'
expect_text out '_full-chip_1: 8 .* --bind --cpus 0,2,4,6,8,10,12,14 --log-power$'
expect_text out '_full-apart_1: 8 .* --bind --cpus 0,2,4,6,16,18,20,22 --log-power$'
expect_text out '_half-packed_1: 16 .* with -T 50% --bind --cpus 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --log-power$'
expect_text out '_half-apart_1: 16 .* --bind --cpus 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 --log-power$'
expect_text out '_half-free_1: 16 .* with -T 25% --log-power$'
expect_text out '_quarter-all_1: 32 .* with -T 25% --bind --cpus 0,1,.*,30,31 --log-power$'
expect_text out '_busy-16-pinned_1: 16 .* with -T 100% .* --bind --cpus 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --log-power$'
# Two processors have four of them, two of which are alike on one chip.
run "$layouts" --dry-run --full -n 1 --chips 0-1 --meter 'echo time,watts' --figures power
expect_lines out 10
expect_text out '_half-packed_1: 2 .* 120 s with -T 50% --bind --cpus 0,1$'
expect_no_text out 'chip|apart|quarter'
run "$layouts" --dry-run --chips 0-3/3
expect_trouble "^tools/experiments/layouts: --chips: '0-3/3' has a processor twice$"
for wrong in x 3-1 0- 0//1; do
	run "$layouts" --dry-run --chips "$wrong"
	expect_trouble "^tools/experiments/layouts: --chips: '.*' is no range of processors, expected such as 0-15/16-31$"
done

# Runs of 4 s on 32 processors. Free ones take the watts of the paper's parabola, pinned ones those of its line, and a little noise.
options="-w burn-single -n 3 -t 4 --chips 0-15/16-31 --busy 8 --figures power -B $build -o made"
made_up() {
	count=$(echo "$1" | sed 's/.*busy-\([0-9]*\)-.*/\1/; /[^0-9]/s/.*/8/')
	mkdir -p "made/runs/$1"
	awk -v c="$count" -v name="$1" -v again="${1##*_}" 'BEGIN {
		free = name ~ /free/; load = c == 0 ? 0 : free ? c / 32 : 1
		watts = (free ? -0.13 * c * c + 8.86 * c + 188.53 : 4.72 * c + 187.38) + (c * 7 % 5 - 2) * 0.3 + (again - 2) * (0.4 + c % 3 * 0.1)
		print "time_s,monotonic_s,target,load,power_w"; print "0,100,,1,"
		for (i = 1; i <= 8; i++) printf "%.1f,%.1f,%g,%.6f,%.4f\n", i / 2, 100 + i / 2, load, load, watts }' >"made/runs/$1/log.csv"
	awk 'BEGIN { print "instance,iteration,start_s,end_s"; for (i = 0; i < 40; i++) print "0," i "," 100 + i / 10 "," 100.1 + i / 10 }' \
		>"made/runs/$1/iterations.0.csv"
}
# shellcheck disable=SC2086 # words
"$layouts" --dry-run $options | sed -n 's/:.*//p' >names
while read -r name; do
	made_up "$name"
done <names
sed "s/\$/	burn-single	1	1	4	native	-/" names >made/runs.tsv
# shellcheck disable=SC2086 # words
run "$layouts" --report $options
expect_status 0
expect_text made/layouts.md '^# Layouts of one load$'
expect_text made/layouts.md '^\| full-packed \| 0,1,2,3,4,5,6,7 \| 100 \| 100\.00 \| [0-9.]+ ± [0-9.]+ \|$'
expect_text made/layouts.md '^!\[power \(W\) of runs by layout\]\(boxes-burn-single\.svg\)$'
expect_text made/layouts.md '^Shapiro-Wilk: 0 of 8 layouts are not of a normal distribution '
expect_text made/layouts.md "^Bartlett: the variances may well be the same "
expect_text made/layouts.md "^Welch's ANOVA: the means differ "
# Each coefficient is within twice its standard error.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	function near(name, true,   off) { off = $at[name] - true; if (off < 0) off = -off
		if (!(off <= 2 * $at[name "_error"] && off <= 0.02 * (true < 0 ? -true : true))) { print $1, $2, name, $at[name], $at[name "_error"]; bad = 1 } }
	$1 == "free" && $2 == "quadratic" { near("constant", 188.53); near("x", 8.86); near("x2", -0.13); seen++ }
	$1 == "pinned" && $2 == "linear" { near("constant", 187.38); near("x", 4.72); seen++ }
	END { exit bad || seen != 2 }' made/model-burn-single.csv || fail 'a fit misses the coefficients of its points'
# A run whose meter said nothing.
cp "made/runs/$(head -n 1 names)/log.csv" whole.csv
sed -i '2,$s/,[0-9.]*$/,/' "made/runs/$(head -n 1 names)/log.csv"
# shellcheck disable=SC2086 # words
run "$layouts" --report $options
expect_status 0
expect_text made/layouts.md '^1 of 24 runs have no such value, and are in no box\.$'
cp whole.csv "made/runs/$(head -n 1 names)/log.csv"
# Without a meter.
sed -i 's/,[0-9.]*$/,/; 1s/.*/time_s,monotonic_s,target,load,power_w/' made/runs/*/log.csv
# shellcheck disable=SC2086 # words
run "$layouts" --report $options
expect_status 0
expect_text made/layouts.md '^!\[load \(%\) of runs by layout\]'
expect_text made/layouts.md '^Power is unavailable: '
expect_text made/layouts.md '^\| full-free \| any 8 \| 100 \| 25\.00 \| unavailable \|$'
expect_text made/layouts.md '^Power against busy processors is not known\.$'

# ---- The service --------------------------------------------------------------------------------------------------------------

run "$layouts" --dry-run -n 1 --chips 0-15/16-31 --figures service --steps 3 --hold 4
expect_lines out 9
expect_text out '^service_single_full-free_1: 1 instances of burn-single, .* 18 s with -T 0% --log-interval 500m --log-power$'
expect_text out '^service_several_full-apart_1: .* 14 s with '
run "$layouts" --dry-run --service postgresql
expect_trouble '^tools/experiments/layouts: --service: postgresql: its client is not ssrequest'
run "$layouts" --dry-run --parallel :
expect_trouble '^tools/experiments/layouts: --slurm and --parallel: expected --figures power'

# Two rates of 4 s, 10 and 20 requests per second, and 20 of several: a packed one takes twice as long, and 10 W less.
options="--figures service -n 3 --chips 0-3 --steps 2 --hold 4 --peak 20 --threshold mean=25ms -B $build -o served"
# shellcheck disable=SC2086 # words
"$layouts" --dry-run $options | sed -n 's/:.*//p' >names
[ "$(wc -l <names)" -eq 12 ] || fail "expected runs of two layouts: $(cat names)"
while read -r name; do
	folder=served/runs/$name
	mkdir -p "$folder"
	awk -v name="$name" -v again="${name##*_}" 'BEGIN {
		print "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n,0,,,,,http://x/,,"
		for (k = 1; k <= 2; k++) {
			rate = name ~ /several/ ? 20 : 10 * k
			for (i = 0; i < 4 * rate; i++) {
				at = 100 + 4 * (k - 1) + i / rate
				took = 0.01 * k * (name ~ /packed/ ? 2 : 1) + 0.001 * (i % 2) + 0.0001 * again
				printf "%d,0,%.3f,%.3f,%.3f,%.4f,200,5,%.3f\n", n++, at, at, at, at + took, 1e9 + at } } }' >"$folder/requests.csv"
	{ echo time_s,monotonic_s,load && for at in $(seq 100 110); do echo "$((at - 100)),$at,0.5"; done; } >"$folder/tree.csv"
	cp "$folder/tree.csv" "$folder/machine.csv"
	case $name in *packed*) watts=190 ;; *) watts=200 ;; esac
	{ echo time_s,monotonic_s,target,load,power_w && for at in $(seq 100 110); do echo "$((at - 100)),$at,0,0.5,$watts.${name##*_}"; done; } >"$folder/log.csv"
done <names
printf 'instances,rate_per_s\nsingle,15.0\nseveral,20.0\n' >served/saturation.csv
sed "s/\$/	burn-single	1	1	14	native	-/" names >served/runs.tsv
# shellcheck disable=SC2086 # words
run "$layouts" --report $options
expect_status 0
expect_text served/layouts.md '^full-free: mean is within 25ms at all rates\.$'
expect_text served/layouts.md '^full-packed: mean is within 25ms up to 10 requests per second\.$'
expect_text served/layouts.md '^\| 10 \| 10\.7 ± .* \| 200\.20 ± [0-9.]+ \| 20\.7 ± .* \| 190\.20 ± [0-9.]+ \| \+9[0-9]\.[0-9] \| below 0\.0001\* \| -5\.0 \| below 0\.0001\* \|$'
expect_text served/layouts.md '^\| full-free \| 20 \| 20 \| [0-9.]+ \| 100\.00 \| 20\.7 ± .* \| 200\.20 ± [0-9.]+ \|  \|  \|$'
expect_text served/layouts.md '^\| full-packed \| 20 \| 20 \| .* \| 40\.7 ± .* \| \+9[0-9]\.[0-9], below 0\.0001\* \| -5\.0, below 0\.0001\* \|$'
expect_no_text served/layouts.md '^Power against busy processors'
# Two rates of one instance, and the last one of several.
expect_lines served/service-runs.csv 19
expect_text served/service-runs.csv '^service_several_full-packed_3,several,full-packed,1,20\.0,'
finish
