#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/frequency: the list of runs by clocks and by quota, what is refused, and the report of a batch that is made up.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
frequency=$source/tools/experiments/frequency

run "$frequency" --dry-run --by quota --repeat 1
expect_status 0
expect_text out '^response_burn-service_67_even_1: 1 instances of burn-single, .* 26 s with -T 0% --log-interval 500m --log-power$'
expect_text out '^response_burn-service_100_poisson_1: '
expect_text out '^response_burn-service_67_concurrent_1: '
expect_text out '^busy_burn-single_67_1_1: 1 instances of burn-single, .* 8 s with -T [0-9.]+% -c open -C duty=0\.67 -a quota -A period=10m '
expect_text out '^busy_burn-single_100_1_1: .* -C duty=1 -a quota '
run "$frequency" --dry-run --by frequency --levels 1.4GHz,50%,max --figures busy --busy 1 --meter 'echo time,watts'
expect_lines out 10
expect_text out "^busy_burn-single_50pc_[0-9]+_3: .* with -T 100% -c open -C duty=1 --log-interval 500m\$"
run "$frequency" --dry-run --full --by quota --figures response --arrivals even --width 1
expect_lines out 10
expect_text out '^response_burn-service_83_even_3: .* 286 s with '
run "$frequency" --dry-run --full --by frequency --figures busy --busy 1
expect_text out '^busy_burn-single_75pc_[0-9]+_2: .* 1200 s with '
refused() {
	expected=$1
	shift
	run "$frequency" --dry-run "$@"
	expect_trouble "^tools/experiments/frequency: $expected"
}
refused '--service: postgresql: its client is not ssrequest' --service postgresql
refused '--time: expected --hold' --time 10
refused "--levels: '0': expected a share" --by quota --levels 0%,50%
refused "--levels: '1GHz': expected a share" --by quota --levels 1GHz,50%
refused '--levels: expected each once, the lowest first' --by quota --levels 100,67
refused '--levels: expected at least two' --by quota --levels 67
refused '--width: [0-9]* processors: the service may have ' --width 70000
refused '--slurm and --parallel: expected --peak RATE' --parallel :
refused "--by: invalid choice: 'heat" --by heat
# Clocks that can't be set are refused before the first run. No processor has the lowest.
if [ -x "$build/ssrequest" ]; then
	run "$frequency" --by frequency --levels 1kHz,max --figures busy --force -B "$build" -o never
	expect_status 125
	expect_text err '^tools/experiments/frequency: --by frequency: tools/experiments/clocks: (this machine has no cpufreq|processor 0 has no 1kHz)'
	[ ! -d never/runs ] || [ -z "$(ls never/runs)" ] || fail "$what: made a run"
fi

# Two rates of 4 s, 10 and 20 requests per second: a mean of 10.5 ms at the higher level, and at the lower one of 20.5 ms at the first and 200.5 at the
# second rate, each time a little more. Power is 100 W at the lower and 110 W at the higher level.
options="--by quota --levels 50,100 --arrivals even --repeat 3 --steps 2 --hold 4 --threshold mean=100ms --peak 20 --busy 1 --busy-time 4 --width 1 -B $build -o made"
# made_up LEVEL REPETITION WATTS TIME TIME
made_up() {
	folder=made/runs/response_burn-service_$1_even_$2
	mkdir -p "$folder"
	awk -v again="$2" -v times="$4 $5" 'BEGIN { print "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n,0,,,,,http://x/,,"
		split(times, time, " ")
		for (k = 1; k <= 2; k++) for (i = 0; i < 40 * k; i++) {
			at = 100 + 4 * (k - 1) + i / (10 * k)
			printf "%d,0,%.3f,%.3f,%.3f,%.4f,200,5,%.3f\n", n++, at, at, at, at + time[k] + 0.001 * (i % 2) + 0.0001 * again, 1e9 + at } }' >"$folder/requests.csv"
	{ echo time_s,monotonic_s,load && for at in $(seq 100 110); do echo "$((at - 100)),$at,0.5"; done; } >"$folder/tree.csv"
	awk -F, -v idle="$6" 'NR == 1 { print $0 ",frequency_mhz,idle_POLL,idle_POLL_per_s,idle_C1,idle_C1_per_s"; next } { print $0 ",2000,0,1," idle "," 5 }' "$folder/tree.csv" >"$folder/machine.csv"
	{ echo time_s,monotonic_s,target,load,power_w && for at in $(seq 100 110); do echo "$((at - 100)),$at,0,0.5,$3.$2"; done; } >"$folder/log.csv"
	busy=made/runs/busy_burn-single_$1_${processors}_$2
	mkdir -p "$busy"
	{ echo time_s,monotonic_s,target,load,power_w && for at in $(seq 100 104); do echo "$((at - 100)),$at,$(($1 / 100)),0.$(($1 - 1))$2,$3.$2"; done; } >"$busy/log.csv"
	printf 'iteration,start_s,end_s,status,time_unix_s\n0,100.1,101,0,1\n1,101,102,0,2\n' >"$busy/iterations.0.csv"
}
# shellcheck disable=SC2086 # words
"$frequency" --dry-run $options >list
processors=$(sed -n 's/^busy_burn-single_50_\([0-9]*\)_1: .*/\1/p' list)
for again in 1 2 3; do
	made_up 50 "$again" 100 0.02 0.2 0.25
	made_up 100 "$again" 110 0.01 0.01 0.75
done
sed -n 's/:.*//p' list | sed "s/\$/	burn-single	1	2	14	native	-/" >made/runs.tsv
# shellcheck disable=SC2086 # words
run "$frequency" --report $options
expect_status 0
expect_text made/frequency.md '^even, 50 %: mean is within 100ms up to 10 requests per second\.$'
expect_text made/frequency.md '^even, 100 %: mean is within 100ms at all rates\.$'
expect_text made/frequency.md "clocks of this machine can't be set: levels are bandwidth by quota"
expect_text made/frequency.md '^\| 10 \| 20\.7 ± [0-9.]+ \| 21\.[0-9]+ ± [0-9.]+ \| 100\.00 \| 100\.20 ± [0-9.]+ \| 10\.7 ± .* \| 110\.20 ± [0-9.]+ \| -4[0-9]\.[0-9] \| below 0\.0001\* \| \+10\.0 \| below 0\.0001\* \|$'
expect_text made/frequency.md '^\| 20 \| 200\.7 ± .* \| -9[0-9]\.[0-9] \| below 0\.0001\* '
expect_text made/frequency.md '^Time of the processors .* at the 1 lowest rates'
expect_text made/frequency.md '^\| active \(%\) \| 75( ± 0)? \| 25( ± 0)? \|$'
expect_text made/frequency.md '^\| C1 \(%\) \| 25( ± 0)? \| 75( ± 0)? \|$'
expect_text made/frequency.md '^\| frequency \(MHz\) \| 2000'
expect_text made/frequency.md "^\| $processors \| 49\.[0-9]+ .* 100\.20 .* 99\.[0-9]+ .* 110\.20 .* \| \+10\.0 \| below 0\.0001\* \|\$"
for picture in mean-even p95-even power-even; do
	grep -q '[ >]100 %[ <]' "made/$picture.svg" || fail "$picture.svg: expected a colour for each level"
done
[ -s made/busy-burn-single.svg ] || fail 'no picture of busy processors'
[ "$(grep -c '^quota,even,' made/frequency-runs.csv)" -eq 12 ] || { fail 'frequency-runs.csv: expected a line for each step of each run'; cat made/frequency-runs.csv; }
[ "$(grep -c '^quota,even,50,yes,' made/frequency-runs.csv)" -eq 3 ] || fail 'frequency-runs.csv: expected one underloaded step'

# Where a rate has no times at one level, the other rates stay in their lines.
for again in 1 2 3; do
	requests=made/runs/response_burn-service_50_even_$again/requests.csv
	awk -F, '$3 >= 104 || n++ < 12' "$requests" >fewer && mv fewer "$requests"
done
# shellcheck disable=SC2086 # words
run "$frequency" --report $options
expect_status 0
expect_text made/frequency.md '^Left out are 3 of 12 steps, in which fewer than 20 requests arrived; --hold makes steps longer\.$'
expect_text made/frequency.md '^\| 10 \|  \|  \|  \|  \| 10\.7 ± .* \| 110\.20 ± [0-9.]+ \|  \|  \|  \|  \|$'
expect_text made/frequency.md '^\| 20 \| 200\.7 ± .* \| 10\.7 ± .* \| -9[0-9]\.[0-9] \| below 0\.0001\* '
[ "$(grep -c '^quota,even,100,yes,' made/frequency-runs.csv)" -eq 3 ] || { fail 'frequency-runs.csv: expected one underloaded step'; cat made/frequency-runs.csv; }
finish
