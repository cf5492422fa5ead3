#!/bin/sh
# SPDX-License-Identifier: MIT
# --log-counters with events of software, which every machine counts: log, summary, records; what is refused, and what is said of events
# that can't be had.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
schema=$source/tests/fixtures/export.schema.json
busy='while :; do /bin/true; done'

run showstopper -T 50% -r 1s --log-counters cs,cycels touch started
expect_trouble "^showstopper: --log-counters: 'cycels' is no event: expected events such as cycles, "
run showstopper -T 50% -r 1s --log-counters= touch started
expect_trouble "^showstopper: --log-counters: '' is no event: "
run showstopper -T 50% -r 1s --log-counters cs,cs touch started
expect_trouble "found the event 'context-switches' twice, expected it once"
run showstopper -T 50% -r 1s --log-counters cs --attach 1 touch started
expect_trouble '^showstopper: --log-counters: what is attached runs already, and only what is started here can be counted'
[ ! -e started ] || fail "a workload was started"

# The names of columns, said once what is missing; the run goes on.
run showstopper -T 50% -r 600m -n 1 --log-counters no_such_unit/config=1/ -o log.csv --export-json record.json --export-csv record.csv sh -c "$busy"
expect_status 0
[ "$(grep -c '^showstopper: --log-counters: no_such_unit/config=1/ is unavailable: there is no /sys/bus/event_source/devices/no_such_unit; the run goes on without$' err)" = 1 ] ||
	fail "$what: not said once that the event is unavailable: $(cat err)"
expect_text err '^events  *no_such_unit/config=1/: unavailable$'
expect_no_text err '^: '
expect_text log.csv ',others,no_such_unit_config_1_per_s,time_unix_s$'
expect_text log.csv ',,[0-9.]+$'
expect_text record.csv ',no_such_unit_config_1_count,showstopper,'
[ "$(jq -c '[.configuration.log_counters,.result.events]' record.json)" = \
	'["no_such_unit/config=1/",[{"event":"no_such_unit/config=1/","count":null,"per_s":null,"counted_share":null,"groups":[null],"workloads":[null]}]]' ] ||
	fail "$what: record: $(jq -c .result.events record.json)"
run sh -c 'ulimit -n 68; exec showstopper -T 50% -r 600m -n 5 --log-counters cs true'
expect_text err 'context-switches is unavailable: 1 event of 5 workloads take 5 open files and some more, and ulimit -n allows 68; the run goes on without$'

# A free group, whose process starts others, and two that are alone.
run showstopper -T 60% -w 100m -r 1500m --log-counters page-faults,cs,task-clock:u -o log.csv --export-json record.json --export-csv record.csv \
	--free -n 1 sh -c "$busy" : -n 2 sh -c 'while :; do :; done'
expect_status 0
if grep -q 'page-faults is unavailable' err; then
	expect_text err 'unavailable: (kernel.perf_event_paranoid is|perf_event_open is not permitted|this kernel was built without)'
	skip 'counters may not be had here'
fi
expect_text err '^events +page-faults: [0-9]+ \([0-9.]+ per s\)$'
expect_text err '^ +context-switches: [0-9]+ '
expect_text log.csv ',page_faults_per_s,page_faults_g0_per_s,page_faults_g1_per_s,context_switches_per_s,'
/usr/bin/python3 -m jsonschema -i record.json "$schema" >schema.out 2>&1 || fail "$what: record.json is not as its schema says: $(head -c 300 schema.out)"
# Sums agree, and processes that the free workload starts count: a new one has tens of faults at least.
jq -e '.result.events[0] | .event == "page-faults" and (.groups | length) == 2 and (.workloads | length) == 3 and
	.count == (.groups | add) and .count == (.workloads | add) and .groups[0] == .workloads[0] and .groups[0] > .groups[1] and
	.counted_share == 1' record.json >jq.out || fail "$what: $(jq -c .result.events record.json)"
[ "$(jq '.result.events[0].count + 0' record.json)" = "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "page_faults_count") at = i } NR == 2 { print $at }' record.csv)" ] ||
	fail "$what: record.csv differs from record.json"
# The rows are those of all groups, and no more than all.
awk -F, -v count="$(jq '.result.events[0].count + 0' record.json)" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "page_faults_per_s") at = i; next }
	{ d = $at - $(at + 1) - $(at + 2); if (d > 0.01 || d < -0.01) bad = 1 }
	$1 > 0 { sum += $at * ($1 - before); rows++ }
	{ before = $1 }
	END { exit bad || !rows || sum <= 0 || sum > 3 * count }' log.csv || fail "$what: rows: $(cat log.csv)"

# Workloads that are started again, and contained ones, are counted too; free ones, which no load of others stops.
run showstopper -T 50% -r 2s --when-one-ends respawn --ignore-failures --log-counters page-faults --export-json record.json \
	--free -n 1 sh -c 'sleep 0.01' : -n 1 sleep 100
expect_status 0
jq -e '.result.events[0].groups[0] > 50' record.json >jq.out || fail "$what: $(jq -c '.result.events,.workloads' record.json)"
run showstopper -T 50% -r 1s --contain pidns --log-counters page-faults --export-json record.json \
	--free -n 1 sh -c "$busy" : -n 1 sleep 100
if [ "$status" -eq 0 ]; then
	jq -e '.result.events[0].groups[0] > 50' record.json >jq.out || fail "$what: $(jq -c '.result.events,.workloads' record.json)"
else
	left_out "containment: $(cat err)"
fi

finish
