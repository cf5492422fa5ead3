#!/bin/sh
# SPDX-License-Identifier: MIT
# What others do is in the log, the summary and the records, and what the workloads do isn't; equal instances are compared.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
schema=$source/tests/fixtures/export.schema.json

column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$1"
}
most() {
	column "$1" others | sort -g | tail -n 1
}
valid() {
	/usr/bin/python3 -m jsonschema -i "$1" "$schema" >schema.out 2>&1 || fail "$what: $1 is not as its schema says: $(head -c 300 schema.out)"
}

# A busy loop beside a workload that sleeps. It is on the processors that the run measures, of which it has at least its share for some time.
what='a busy loop beside the run'
timeout 4 sh -c 'while :; do :; done' &
loop=$!
run showstopper -T 0% -r 1500m -F container=no -n 2 -o log.csv --export-json record.json --export-csv record.csv --require others=0 sleep 100
expect_status 3
expect_text err '^others  *[0-9.]+ % of the machine, at most [0-9.]+ %$'
expect_text err '^showstopper: others made a load of [0-9.]+ pp, required at most 0.000 pp$'
expect_no_text err '^equal instances'
kill "$loop" 2>/dev/null
wait "$loop" 2>/dev/null
processors=$(jq .machine.processors record.json)
awk -v most="$(most log.csv)" -v p="$processors" 'BEGIN { exit !(most > 0.2 / p && most <= 1) }' ||
	fail "$what: others at most $(most log.csv), with $processors processors"
valid record.json
jq -e '.result.others | .mean > 0 and .max >= .mean and .max <= 1' record.json >jq.out || fail "$what: $(jq -c .result.others record.json)"
[ "$(jq -c .result.equal_instances record.json)" = '[]' ] || fail "$what: processes that sleep are compared"
said=$(column record.csv others_mean | awk '{ printf "%.2f %% of the machine", 100 * $1 }')
expect_text err "^others  *$said"

# Workloads are no others: also those that end and come back, and their children. However busy the machine is, the load is what others, the
# workloads and Showstopper made.
run showstopper -T 90% -w 0 -r 1500m -F container=no --when-one-ends=respawn -n 2 -o log.csv --export-json record.json \
	--export-csv record.csv sh -c 'for i in 1 2 3 4 5 6; do timeout 0.2 sh -c "while :; do :; done"; done; :'
expect_status 0
valid record.json
jq -e '.result.own_cpu_s as $own | (([.workloads[].cpu_s] | add) + $own.guardian + $own.master + $own.executors) as $ours |
	(.result.load - .result.others.mean - $ours / ($own.wall * .machine.processors)) as $left | $left > -0.25 and $left < 0.25' record.json >jq.out ||
	fail "$what: the load is not that of all: $(jq -c '[.result, .workloads[].cpu_s]' record.json)"

# Equal instances, of two groups of three; one instance alone is equal to none. (On a machine that leaves them no time there is nothing to say.)
run showstopper -T 100% -c open -r 1s -n 2 --export-json record.json --export-csv record.csv ssburn : -n 1 ssburn : -n 2 ssburn
expect_status 0
valid record.json
expect_no_text err 'group 1: CPU time'
if jq -e '[.workloads[].cpu_s] | min > 0.03' record.json >jq.out; then
	expect_text err '^equal instances  *group 0: CPU time [0-9.]+ to [0-9.]+ s \(spread [0-9.]+ %\)$'
	expect_text err '^equal instances  *group 2: CPU time '
	[ "$(jq -c '[.result.equal_instances[] | [.group, .instances]]' record.json)" = '[[0,2],[2,2]]' ] ||
		fail "$what: $(jq -c .result.equal_instances record.json)"
	jq -e '[.result.equal_instances[] | .cpu_least_s <= .cpu_most_s and .spread >= 0] | all' record.json >jq.out ||
		fail "$what: $(jq -c .result.equal_instances record.json)"
	[ "$(column record.csv equal_spread)" != '' ] || fail "$what: no spread in record.csv"
fi
run showstopper -T 100% -c open -r 600m -n 2 --start-interval 100m ssburn
expect_no_text err '^equal instances'

# Not the machine: said, and not guessed.
run showstopper -T 50% -r 600m -n 1 -f workloads -o log.csv --export-json record.json ssburn
expect_status 0
expect_text err '^others  *unavailable$'
[ "$(column log.csv others | sort -u)" = '' ] || fail "$what: others in the log: $(column log.csv others)"
[ "$(jq -c .result.others record.json)" = '{"mean":null,"max":null}' ] || fail "$what: $(jq -c .result.others record.json)"
valid record.json
run showstopper -T 50% -r 600m -n 1 --require others=5 -f workloads touch started
expect_trouble "^showstopper: --require: others: can't be known, as feedback module 'workloads' measures a part of the machine here\$"
[ ! -e started ] || fail "$what: a workload was started"

finish
