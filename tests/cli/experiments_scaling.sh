#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/scaling: the list of runs, what is refused, and the report of a batch that is made up.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
scaling=$source/tools/experiments/scaling

run "$scaling" --dry-run --instances 1,2 --limits 0,5
expect_status 0
expect_text out '^scaling_burn-service_horizontal_1_free_roundrobin_even_1: 1 instances of burn-single, .* 48 s with -T 0% '
expect_text out '^scaling_burn-service_horizontal_2_free_leastconn_even_1: '
expect_text out '^scaling_burn-service_vertical_2_free_roundrobin_even_1: '
expect_text out '^limit_burn-service_horizontal_2_free_roundrobin_even_5_1: .* 18 s with '
! grep -q vertical_1 out || fail "$what: one instance twice"
! grep -q horizontal_1_free_leastconn out || fail "$what: who balances one instance?"
run "$scaling" --dry-run --full --figures scaling --ways vertical --arrivals poisson
expect_lines out 9
expect_text out '^scaling_burn-service_vertical_4_pinned_roundrobin_poisson_1: .* 286 s with '
run "$scaling" --dry-run --figures scaling --instances 1 --ways horizontal --in lxc
expect_text out '^scaling_burn-service_horizontal_1_free_roundrobin_even_lxc_1: '
refused() {
	expected=$1
	shift
	run "$scaling" --dry-run "$@"
	expect_trouble "^tools/experiments/scaling: $expected"
}
refused '--service: postgresql: its client is not ssrequest' --service postgresql
refused '--time: expected --hold' --time 10
refused "--instances: '?9" --instances 1,9
refused "--threshold: '2s' is no threshold: expected mean= or p95= and a time such as 2s, or" --threshold 2s
refused "--threshold: 'p95=0x' is no threshold" --threshold p95=0x
refused '--slurm and --parallel: expected --peak RATE and no limit' --parallel :
refused "unexpected argument '--precision'" --precision 5%
refused "--peak: 'much' is no rate of requests per second, nor auto" --peak much

# Two steps of 4 s, at 10 and 20 requests per second, and one beyond saturation: 8 s at 25. The second half of the answers of the second step fails.
options="--figures scaling,limit --instances 1 --limits 3 --steps 2 --hold 4 --threshold p95=50ms,p95=3x,mean=5x --peak 20 -B $build -o made"
# requests NAME RATE… of 4 s each: response times of 10 or 11 ms, and of 30 ms per step more; of these $times as much, in the batch $batch.
batch=made times=1
requests() {
	folder=$batch/runs/$1
	shift
	mkdir -p "$folder"
	echo "$*" | awk -v times="$times" 'BEGIN { print "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\n,0,,,,,http://x/,," }
		{ for (k = 1; k <= NF; k++) for (i = 0; i < 4 * $k; i++) {
			at = 100 + 4 * (k - 1) + i / $k
			printf "%d,0,%.3f,%.3f,%.3f,%.6f,%d,5,%.3f\n", n++, at, at, at, at + times * (0.01 + 0.03 * (k - 1) + 0.001 * (i % 2)), k == 2 && i >= 2 * $k ? 500 : 200, 1e9 + at } }' >"$folder/requests.csv"
	{ echo time_s,monotonic_s,load && for at in $(seq 100 110); do echo "$((at - 100)),$at,0.5"; done; } >"$folder/tree.csv"
	awk -F, -v OFS=, '$2 > 104 && NR > 1 { $3 = 0.9 } 1' "$folder/tree.csv" >"$folder/machine.csv"
}
requests scaling_burn-service_horizontal_1_free_roundrobin_even_1 10 20
requests limit_burn-service_horizontal_1_free_roundrobin_even_3_1 25 25
printf 'instances,rate_per_s\n1,20.0\n' >made/saturation.csv
# shellcheck disable=SC2086 # words
"$scaling" --dry-run $options | sed -n 's/:.*//p' | sed "s/\$/	burn-single	1	9	18	native	-/" >made/runs.tsv
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_status 0
expect_text made/scaling.md '^1 instance, free, roundrobin, even: p95 is within 50ms up to 10 requests per second; p95 is within 3x \(33 ms\) up to 10 requests per second; mean is within 5x \(52\.5 ms\) up to 10 requests per second\.$'
# Of 40 requests the p95 may be longer than any that was seen: its interval has no upper end.
expect_text made/scaling.md '^\| 10 \| 10 \| 10 \| 100\.00 \| 10\.5 ± [0-9.e-]+ \| 11 \|$'
expect_text made/scaling.md '^\| 20! \| 20 \| 10 \| 50\.00 \| 40\.5 ± [0-9.e-]+ \| 41 \|$'
expect_text made/scaling.md '^\| 1 \| free, roundrobin, even \| 3 \| 25! \| 25 \| 12\.5 \| 50\.00 \| 40\.5 '
expect_text made/scaling.md '^!\[1 instance, free, roundrobin, even: response times from when requests were planned, by planned rate\]'
expect_text made/scaling.md ' Besides the one request that each instance works on at a time, so many more per instance may be unanswered\.'
[ "$(wc -l <made/scaling.csv)" -eq 4 ] || fail 'scaling.csv: expected a line for each step'

expect_no_text made/scaling.md 'Left out are'
# A step of fewer than 20 requests has no times, and is said to be left out; of such steps alone there is no report.
options="--figures scaling --ways horizontal --instances 1 --steps 3 --hold 4 --peak 30 -B $build -o few"
batch=few
requests scaling_burn-service_horizontal_1_free_roundrobin_even_1 4 20 30
cp made/saturation.csv few/
# shellcheck disable=SC2086 # words
"$scaling" --dry-run $options | sed -n 's/:.*//p' | sed "s/\$/	burn-single	1	9	18	native	-/" >few/runs.tsv
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_status 0
expect_text few/scaling.md '^Left out are 1 of 3 steps, in which fewer than 20 requests arrived; --hold makes steps longer\.$'
[ "$(wc -l <few/scaling.csv)" -eq 3 ] || fail 'scaling.csv: expected a line for each step that has times'
# A curve has the steps that were asked for, where so few requests don't show them.
requests scaling_burn-service_horizontal_1_free_roundrobin_even_1 5 6 7
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_status 0
[ -s few/curve-scaling_burn-service_horizontal_1_free_roundrobin_even.svg ] || fail "$what: no curve"
rm few/curve-*
# Of one rate alone there is no curve.
requests scaling_burn-service_horizontal_1_free_roundrobin_even_1 4 4 30
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_status 0
expect_text few/scaling.md '^Left out are 2 of 3 steps, '
expect_no_text few/scaling.md 'curve-'
requests scaling_burn-service_horizontal_1_free_roundrobin_even_1 4 4 4
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_trouble '^tools/experiments/scaling: in each of 3 steps fewer than 20 requests arrived; --hold makes steps longer$'

# What the rates and their times were is not in the list of the runs.
printf 'hold\t6\npeak\t30\n' >few/options.tsv
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_trouble '^tools/experiments/scaling: few was begun with hold 6, not 4; repeat its options, or choose another --output$'

# Two repetitions, in which the one balancer takes 20 and 22 % longer than the other: 21, and half of the interval is 12.706 times 1.
options="--figures scaling --ways horizontal --instances 2 --steps 2 --hold 4 --peak 20 -n 2 -B $build -o balanced"
batch=balanced
for run in 1:1 2:1 1:1.2 2:1.22; do
	times=${run#*:} balance=roundrobin
	[ "$times" = 1 ] || balance=leastconn
	requests "scaling_burn-service_horizontal_2_free_${balance}_even_${run%:*}" 10 20
done
echo instances,rate_per_s >balanced/saturation.csv
# shellcheck disable=SC2086 # words
"$scaling" --dry-run $options | sed -n 's/:.*//p' | sed "s/\$/	burn-single	1	9	18	native	-/" >balanced/runs.tsv
# shellcheck disable=SC2086 # words
run "$scaling" --report $options
expect_status 0
expect_text balanced/scaling.md '^\| 2 \| free, even \| 10 \| \+21\.0 ± 13\* \| \+21\.0 ± 13\* \|$'
expect_text balanced/scaling.md '^\| 2 \| free, even \| all 2 \| \+21\.0 ± 13\* \| \+21\.0 ± 13\* \|$'
expect_text balanced/scaling-runs.csv '^scaling,burn-service,horizontal,2,free,leastconn,even,,'
finish
