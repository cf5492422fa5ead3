#!/bin/sh
# SPDX-License-Identifier: MIT
# --watch: a process or a control group beside the run is in the log, the summary and the records by its name, and no longer with the others.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
schema=$source/tests/fixtures/export.schema.json

groups=
beside=
# shellcheck disable=SC2317 # called by the trap
tidy() {
	for process in $beside; do kill "$process"; done 2>/dev/null # timeout passes it on
	for group in $groups; do
		[ -d "$group" ] || continue
		for _ in 1 2 3 4 5; do
			rmdir "$group" 2>/dev/null && break
			sleep 0.2
		done
	done
	cd / && rm -rf "$work"
}
trap tidy EXIT

column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$1"
}
# work LOG COLUMN: the processor time that a column comes to, in s.
work() {
	awk -F, -v name="$2" -v p="$processors" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR > 1 { work += $at * p * ($2 - before) * (NR > 2) } { before = $2 } END { printf "%.3f\n", work }' "$1"
}
near() {
	awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= s) }' || fail "$what: $4: found $1, expected $2 within $3"
}
valid() {
	/usr/bin/python3 -m jsonschema -i "$1" "$schema" >schema.out 2>&1 || fail "$what: $1 is not as its schema says: $(head -c 300 schema.out)"
}
# The user and system time of a process that has waited for none, in s.
used() {
	sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ printf "%.3f\n", ($12 + $13 + $14 + $15) / hz }'
}
processors=$(getconf _NPROCESSORS_ONLN)

# shellcheck disable=SC2016 # the other shell's
# A shell that is busy itself and by children that come and go, beside one that is watched too and sleeps, and a workload that sleeps.
timeout 60 sh -c 'while :; do timeout 0.02 sh -c "while :; do :; done"; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; done' &
busy=$!
sleep 60 &
idle=$!
beside="$busy $idle"
sleep 0.3
shell=$(pgrep -P "$busy" | head -n 1)
before=$(used "$shell")
run showstopper -T 0% -r 3s -w 300m -F container=no -n 1 --watch "busy=$busy" --watch "$idle" -o log.csv --export-json record.json \
	--export-csv record.csv sleep 100
after=$(used "$shell")
expect_status 0
expect_text err '^watched  *busy: [0-9.]+ % of the machine, at most [0-9.]+ %$'
expect_text err "^  *$idle: 0.00 % of the machine, at most 0.00 %\$"
# What the kernel counted of it is what the log has, but for our own start and end and the unit of the counters.
took=$(awk -v a="$after" -v b="$before" 'BEGIN { print a - b }')
near "$(work log.csv watch_busy)" "$took" "$(awk -v t="$took" 'BEGIN { print 0.25 + 0.35 * t }')" 'processor time of the busy one'
[ "$(column log.csv "watch_$idle" | sort -u)" = 0.000000 ] || fail "$what: who sleeps has a load: $(column log.csv "watch_$idle")"
valid record.json
jq -e --argjson busy "$busy" --argjson idle "$idle" '.configuration.watch == [{"name": "busy", "process": $busy, "group": null},
	{"name": ($idle | tostring), "process": $idle, "group": null}]' record.json >jq.out || fail "$what: $(jq -c .configuration.watch record.json)"
jq -e '.result.watched | length == 2 and .[0].mean > 0 and .[0].max >= .[0].mean and .[1].mean == 0 and all(.ended_s == null)' record.json \
	>jq.out || fail "$what: $(jq -c .result.watched record.json)"
for figure in mean max; do
	near "$(column record.csv "watch_busy_$figure")" "$(jq ".result.watched[0].$figure" record.json)" 1e-6 "$figure in CSV"
done
# The load is that of the workloads (nothing), of Showstopper, of what is watched and of others.
jq -e '.result | (.load - .others.mean - (.watched | map(.mean) | add)) as $left | $left > -0.05 and $left < 0.1' record.json >jq.out ||
	fail "$what: parts of the load: $(jq -c '.result | [.load, .others, .watched]' record.json)"
# Who reads logs lives with the columns.
run ssreport means --after 0s log.csv
[ "$status" -eq 0 ] || run ssreport accuracy log.csv
expect_status 0
run ssreport timeline -o timeline.svg log.csv
expect_status 0

# Where only a part is measured, others are unknown and what is watched is not.
run showstopper -T 50% -r 1s -n 1 -f workloads --watch "busy=$busy" -o log.csv --export-json record.json ssburn
expect_status 0
expect_text err '^others  *unavailable$'
jq -e '.result.watched[0].mean > 0' record.json >jq.out || fail "$what: $(jq -c .result.watched record.json)"

# Of a part of the machine: one thread is one processor of all.
run showstopper -T 50% -r 2s -n 1 --cpus "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)" --watch "busy=$busy" --export-json record.json ssburn
expect_status 0
jq -e --argjson of "$processors" '.result.watched[0].mean | . > 0 and . < 1 / $of + 0.1' record.json >jq.out ||
	fail "$what: of $processors processors: $(jq -c .result.watched record.json)"

# One that ends, and one that had ended before there was a first row: said, 0 from then on, and no failure.
timeout 1 sh -c 'while :; do :; done' &
short=$!
run showstopper -T 0% -r 3s -F container=no -n 1 --watch "short=$short" -o log.csv --export-json record.json sleep 100
expect_status 0
expect_text err "^showstopper: --watch: $short has ended; the run goes on, and its load is 0 from now on\$"
[ "$(grep -c "has ended" err)" = 1 ] || fail "$what: the end is not said once"
expect_text err '^watched  *short: .*, ended at [0-9.]+ s$'
[ "$(column log.csv watch_short | tail -n 1)" = 0.000000 ] || fail "$what: the dead have a load: $(column log.csv watch_short)"
valid record.json
jq -e '.result.watched[0].ended_s > 0 and .result.watched[0].ended_s <= 3' record.json >jq.out || fail "$what: $(jq -c .result.watched record.json)"
timeout 0.3 sleep 10 &
short=$!
run showstopper -q -T 0% -r 600m -w 500m -n 1 --watch "$short" sleep 100
expect_status 0
expect_lines err 0

# What is refused is refused before anything is started.
refused() {
	run showstopper -q -T 50% -r 600m "$@" touch started
	[ ! -e started ] || fail "$what: a workload was started"
}
refused --watch $$
expect_trouble "^showstopper: --watch: process $$ is Showstopper or one of its ancestors\$"
refused --watch 1
expect_trouble '^showstopper: --watch: process 1 is Showstopper or one of its ancestors$'
refused --watch "$busy" --watch "a=$busy"
expect_trouble "^showstopper: --watch: process $busy and $busy, which is watched too, overlap\$"
refused --watch "$shell" --watch "a=$busy"
expect_trouble "^showstopper: --watch: process $busy and $shell, which is watched too, overlap\$"
refused --watch "$idle" --attach "$idle"
expect_trouble "^showstopper: --watch: process $idle and process $idle of --attach overlap: expected what isn't a workload\$"
refused --watch "$shell" --attach "$busy"
expect_trouble "^showstopper: --watch: process $shell and process $busy of --attach overlap: expected what isn't a workload\$"
refused --watch "a-b=$busy"
expect_trouble "^showstopper: --watch: 'a-b=$busy': expected a name of at most 47 letters, digits and underscores before '='\$"
refused --watch nowhere.service
expect_trouble "^showstopper: --watch: no cgroup 'nowhere.service'"
kill "$idle" && wait "$idle"
refused --watch "$idle"
expect_trouble "^showstopper: --watch: process $idle does not exist\$"
run showstopper -T 50% --dry-run --watch "x=$busy" ssburn
expect_status 0
expect_text out "^watched: x, process $busy\$"
run showstopper -T 50% --dry-run --watch "x=$idle" ssburn
expect_trouble "^showstopper: --watch: process $idle does not exist\$"

# ---- A group ---------------------------------------------------------------------------------------------------------------

unified=$(sed -n 's/^[^ ]* [^ ]* [^ ]* \/ \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
acct=/sys/fs/cgroup/cpuacct
name=test-watch.$$
for mount in "$unified" "$acct"; do
	group=$mount/$name
	if [ -z "$mount" ] || [ ! -d "$mount" ] || ! mkdir "$group" 2>/dev/null || { [ ! -e "$group/cpu.stat" ] && [ ! -e "$group/cpuacct.usage" ]; }; then
		left_out "no group can be made in ${mount:-cgroup v2}"
		continue
	fi
	groups="$groups $group"
	usage() {
		if [ -e "$group/cpuacct.usage" ]; then awk '{ print $1 / 1e9 }' "$group/cpuacct.usage"; else awk '/^usage_usec/ { print $2 / 1e6 }' "$group/cpu.stat"; fi
	}
	in_group() {
		sh -c 'echo $$ >"$0/cgroup.procs" && exec timeout "$@" sh -c "while :; do :; done"' "$group" "$@" &
		member=$!
		beside="$beside $member"
	}
	in_group 60
	sleep 0.2
	before=$(usage)
	run showstopper -T 0% -r 2s -F container=no -n 1 --watch "g=$group" -o log.csv --export-json record.json sleep 100
	expect_status 0
	took=$(awk -v a="$(usage)" -v b="$before" 'BEGIN { print a - b }')
	near "$(work log.csv watch_g)" "$took" "$(awk -v t="$took" 'BEGIN { print 0.25 + 0.35 * t }')" 'processor time of the group'
	valid record.json
	[ "$(jq -c .configuration.watch record.json)" = "[{\"name\":\"g\",\"process\":null,\"group\":\"$group\"}]" ] ||
		fail "$what: $(jq -c .configuration.watch record.json)"
	refused --watch "$group" --watch "$member"
	expect_trouble "^showstopper: --watch: process $member and $group, which is watched too, overlap\$"
	if [ "$(id -u)" -eq 0 ]; then
		for watched in "$group" "$member"; do
			refused --watch "$watched" --attach-group "$group"
			expect_trouble "^showstopper: --watch: (group|process) $watched and group $group of --attach-group overlap: expected what isn't a workload\$"
			refused --watch "$watched" --attach-group "$group" --dry-run
			expect_trouble "^showstopper: --watch: (group|process) $watched and group $group of --attach-group overlap"
		done
		run showstopper -T 50% -r 600m --watch "busy=$busy" --attach-group "$group"
		expect_status 0
		expect_text err '^watched  *busy: '
	fi
	refused --watch "$mount/"
	expect_trouble "^showstopper: --watch: group $mount/ is that of Showstopper, or above it\$"
	kill "$member"
	wait "$member"

	# A service that is restarted: its group goes, and one of that name comes.
	sh -c 'sleep 1; for _ in 1 2 3 4 5; do rmdir "$0" && break; sleep 0.1; done; sleep 1; mkdir "$0"
		echo $$ >"$0/cgroup.procs"; exec timeout 2 sh -c "while :; do :; done"' "$group" &
	member=$!
	run showstopper -T 0% -r 4s -F container=no -n 1 --watch "g=$name" -o log.csv sleep 100
	expect_status 0
	expect_text err "^showstopper: --watch: $name is gone; the run goes on, and its load is 0 from now on\$"
	expect_text err "^showstopper: --watch: $name is there again\$"
	column log.csv watch_g | sort -g | tail -n 1 | awk '{ exit !($1 > 0.02) }' || fail "$what: no load of what was made again: $(column log.csv watch_g)"
	wait "$member"
	rmdir "$group"
done

# By the short names of --attach-group; one that is made again is found where it was.
lxc=$unified/lxc.payload.$name
if [ -n "$unified" ] && mkdir "$lxc" 2>/dev/null; then
	groups="$groups $lxc"
	group=$lxc
	in_group 60
	sleep 0.2
	run showstopper -T 0% -r 1s -F container=no -n 1 --watch "lxc:$name" -o log.csv sleep 100
	expect_status 0
	column log.csv "watch_lxc_test_watch_$$" | sort -g | tail -n 1 | awk '{ exit !($1 > 0.02) }' || fail "$what: no load of it: $(head -n 3 log.csv)"
	refused --watch "lxc:$name" --watch "a=$lxc"
	expect_trouble "^showstopper: --watch: group $lxc and lxc:$name, which is watched too, overlap\$"
	kill "$member"
	wait "$member"
else
	left_out 'no group can be made that looks like a container'
fi
refused --watch unit:sst-nothing
expect_trouble '^showstopper: --watch: there is no control group of unit sst-nothing.service: expected one that runs$'
finish
