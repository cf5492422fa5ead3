#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/throughput --by: the list of runs, what is refused, and the report of a batch that is made up.
# shellcheck disable=SC2317 # a function that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
throughput=$source/tools/experiments/throughput

# ---- Lists and options --------------------------------------------------------------------------------------------------------

run "$throughput" --dry-run --by signals,freezer
expect_status 0
expect_lines out 11
expect_text out '^burn-long_20_signals_1: 1 instances of burn-long, warm-up 1 s, 20 s with -T 20% -c open -a signals --cpus [0-9]+$'
expect_text out '^burn-long_100_freezer_1: .* -T 100% -c open -a freezer --cpus [0-9]+$'
run "$throughput" --dry-run --full --by freezer -w burn-single,xz -n 2
expect_lines out 41
expect_text out '^xz_10_freezer_2: 1 instances of xz, '
# On one processor, of those that may be used.
run taskset -c 0 "$throughput" --dry-run --by freezer
expect_text out ' --cpus 0$'
# The order of options is the user's.
run "$throughput" --dry-run -l 30 -w xz --by freezer
expect_lines out 2
expect_text out '^xz_30_freezer_1: '
refused() {
	expected=$1
	shift
	run "$throughput" "$@"
	expect_trouble "^tools/experiments/throughput: --by: $expected"
}
refused "'' is no name of an actuator, such as signals" --by ,
refused "'free_zer' is no name of an actuator" --by free_zer
refused "'./mine' is no name of an actuator" --by ./mine
refused 'signals is given twice' --by signals,signals
refused 'expected no --settings with it' --by signals --settings default
refused 'expected no --in with it' --by signals --in lxc
# What can't be had is refused before a batch is begun.
try_nothing() {
	run "$throughput" --by signals,nothing -B "$build" -o refused
	! grep -q 'another experiment of this checkout is running' err
}
wait_until try_nothing
expect_trouble "^tools/experiments/throughput: --by: nothing can't be had here: actuator module 'nothing': expected signals, freezer or quota: "
[ ! -e refused/runs.tsv ] || fail "$what: a batch was begun"

# ---- A report -----------------------------------------------------------------------------------------------------------------

# made_up LABEL SHARE SECONDS…: a run whose control began at 100 s, and whose workload had this share of its processor for 20 s. An iteration of 50 s
# in the warm-up, and then these.
made_up() {
	folder=made/runs/$1 share=$2
	shift 2
	mkdir -p "$folder"
	awk -v share="$share" 'BEGIN { print "controlled_s,controlled_cpu_control_s\n20," 20 * share }' >"$folder/record.csv"
	printf 'time_s,monotonic_s,target,load\n0,100,,1\n1,101,0.5,0.5\n2,102,0.5,0.5\n99,199,0.5,0.5\n' >"$folder/log.csv"
	printf '%s\n' "$@" | awk 'BEGIN { moment = 100; print "instance,iteration,start_s,end_s\n0,0,50.000000000,100.000000000" }
		NF { printf "0,%d,%.9f,%.9f\n", NR, moment, moment + $1; moment += $1 }' >"$folder/iterations.0.csv"
}
report_made() {
	run "$throughput" --report --by signals,freezer -w burn-long,xz -l 25,100 -n 2 -B "$build" -o made
}
"$throughput" --dry-run --by signals,freezer -w burn-long,xz -l 25,100 -n 2 | sed -n 's/:.*//p' >labels
mkdir -p made/runs
sed "s/\$/	burn-long	1	1	20	native	-/" labels >made/runs.tsv
report_made
expect_trouble '^tools/experiments/throughput: no run is complete$'
# Two repeats count together: 3 4 5, with 0.3 of the processor in the mean, and 1 1 1.
made_up burn-long_25_signals_1 0.28 4 3
made_up burn-long_25_signals_2 0.32 5.3
made_up burn-long_100_signals_1 1 1 1 1
made_up burn-long_100_freezer_1 0.9 1.25 1.75
made_up burn-long_25_freezer_1 0.25 ''
report_made
expect_status 0
cat >expected <<'END'
workload,bandwidth_percent,setting,iterations,q5_s,q25_s,q50_s,q75_s,q95_s,mean_s,share_percent,work_s
burn-long,25,signals,3,3.1,3.5,4,4.65,5.17,4.1,30.00,1.23
burn-long,100,signals,3,1,1,1,1,1,1,100.00,1
burn-long,100,freezer,2,1.275,1.375,1.5,1.625,1.725,1.5,90.00,1.35
END
cmp -s made/times.csv expected || { fail "$what: times.csv"; diff made/times.csv expected; }
expect_text made/throughput.md '^# Run times of iterations against bandwidth$'
# Runs that were not warm are said.
expect_no_text made/throughput.md ' warm'
for folder in made/runs/*; do echo 'workload,before,last,change_percent' >"$folder/warm.csv"; done
report_made
expect_text made/throughput.md '^Of 5 runs it is not known whether they were warm, '
expect_no_text made/throughput.md 'runs were warm:'
for folder in made/runs/*; do echo 'workload,1,1.01,1.00' >>"$folder/warm.csv"; done
report_made
expect_text made/throughput.md '^All 5 runs were warm: '
for folder in made/runs/*; do sed -i 2d "$folder/warm.csv"; done
echo 'workload,1,1.03,3.00' >>made/runs/burn-long_25_signals_1/warm.csv
echo 'workload,1,0.97,-3.00' >>made/runs/burn-long_25_signals_2/warm.csv
echo 'workload,1,1.01,1.00' >>made/runs/burn-long_100_signals_1/warm.csv
report_made
expect_text made/throughput.md '^Of 2 runs it is not known .*\. Not warm were 2 of 3 runs: .* within 2 %: burn-long_25_signals_1, burn-long_25_signals_2\.$'
# Of two kinds of workloads both have to be known.
echo 'other,,,' >>made/runs/burn-long_100_signals_1/warm.csv
report_made
expect_text made/throughput.md '^Of 3 runs it is not known .*\. Not warm were 2 of 2 runs: '
expect_text made/throughput.md '^No iteration ended in burn-long_25_freezer_1; --time makes runs longer\.$'
expect_text made/throughput.md '^\| bandwidth_percent \| signals \| freezer \|$'
expect_text made/throughput.md '^\| 25 \| 4 \| 1\.23 \|  \|  \|$'
expect_text made/throughput.md '^\| 100 \| 1 \| 1 \| 1\.5 \| 1\.35 \|$'
expect_text made/throughput.md '^\| 25 \| 30\.00 \|  \|$'
expect_text made/throughput.md '^\| 100 \| 100\.00 \| 90\.00 \|$'
expect_text made/throughput.md '^signals: the processor time of an iteration from 1 to 1\.23 s, the most 1\.230 times the least\. $'
expect_text made/throughput.md '^\| 25 \| 3\.1 \| 5\.17 \|  \|  \|$'
expect_text made/throughput.md '^\| 25 \| 3\.5 \| 4\.65 \|  \|  \|$'
expect_text made/throughput.md '^!\[burn-long: run times of iterations against bandwidth\]\(boxes-burn-long\.svg\)$'
expect_text made/throughput.md '^5 of 16 runs are complete\.'
expect_text made/boxes-burn-long.svg '[ >]freezer[ <]'
# What is wrong with a run is no lack of iterations.
echo nonsense >>made/runs/burn-long_25_signals_2/iterations.0.csv
report_made
expect_trouble '^tools/experiments/throughput: .*burn-long_25_signals_2/iterations\.0\.csv:4'

finish
