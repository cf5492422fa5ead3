#!/bin/sh
# SPDX-License-Identifier: MIT
# --log-power on made-up trees of /sys, and --power-command: the column, the summary, the records; what is said where nothing measures power.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
schema=$source/tests/fixtures/export.schema.json
header=time_s,monotonic_s,target,load,estimate,duty,runnable,others

# A machine that is always busy, and two packages.
mkdir -p root/proc
cat /proc/stat >root/proc/stat
let_pass root/proc/stat user=1
zone() {
	mkdir -p "root/sys/class/powercap/$1"
	echo "$2" >"root/sys/class/powercap/$1/name"
	echo 1000000000 >"root/sys/class/powercap/$1/max_energy_range_uj"
	echo "$3" >"root/sys/class/powercap/$1/energy_uj"
}

column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$1"
}

# Nothing measures power: said once, and the run goes on; the column is there and empty, sum and mean are unknown.
run showstopper --sysroot root -T 50% -r 1s -n 1 --log-power -o log.csv --export-json record.json --export-csv record.csv sleep 100
expect_status 0
[ "$(grep -c '^showstopper: --log-power: unavailable: there is no root/sys/class/powercap, .*; the run goes on without$' err)" = 1 ] ||
	fail "$what: not said once that power is unavailable: $(cat err)"
expect_text err '^energy  *unavailable$'
[ "$(head -n 1 log.csv)" = "$header,power_w,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
[ "$(column log.csv power_w | sort -u)" = "" ] || fail "$what: power that nobody measured"
[ "$(jq -c '[.configuration.log_power,.result.energy_j,.result.power_w]' record.json)" = '[true,null,null]' ] || fail "$what: record"
[ "$(column record.csv energy_j),$(column record.csv power_w)" = , ] || fail "$what: record.csv"
# Without the option there is neither message nor column.
run showstopper --sysroot root -T 50% -r 600m -n 1 -o log.csv sleep 100
[ "$(head -n 1 log.csv)" = "$header,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
expect_no_text err 'power|energy'

# A joule every 20 ms or more, on a counter that starts again on the way, while the run goes on.
zone intel-rapl:0 package-0 998000000
zone intel-rapl:1 package-1 5000000
what='a machine with counters'
(
	energy=998000000
	while [ ! -e over ]; do
		energy=$(((energy + 1000000) % 1000000000))
		# In its place: a file that is emptied first has no number for a moment, which is long on a busy machine.
		printf '%010d\n' "$energy" 1<>root/sys/class/powercap/intel-rapl:0/energy_uj
		echo "$energy" >last
		sleep 0.02
	done
) &
counter=$!
run showstopper --sysroot root -T 50% -w 200m -r 2s -n 1 --log-power --log-instances -o log.csv --export-json record.json --export-csv record.csv sleep 100
touch over
wait "$counter"
expect_status 0
expect_no_text err 'unavailable:'
[ "$(head -n 1 log.csv)" = "$header,power_w,duty_00,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
/usr/bin/python3 -m jsonschema -i record.json "$schema" >schema.out 2>&1 || fail "$what: record.json is not as its schema says: $(head -c 300 schema.out)"
# A reading may meet the file while it is empty: that row has no power, and the sum is unknown. Else all agree.
energy=$(jq -r .result.energy_j record.json)
power=$(jq -r .result.power_w record.json)
[ "$power" != null ] || fail "$what: no mean power"
if [ "$energy" != null ]; then
	expect_text err '^energy  *[0-9.]+ J, mean power [0-9.]+ W$'
	awk -v e="$energy" -v p="$power" 'BEGIN { exit !(e > 1 && e < 200 && p > 0.5 && p < 100 && e / p > 1.5) }' || fail "$what: $energy J, $power W"
	# The rows of the controlled time, and what was too short for a row.
	awk -F, -v e="$energy" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "power_w") at = i; next } $1 > 0 { joules += $at * ($1 - before) } { before = $1 }
		END { d = joules - e; exit !(d < 5 && d > -15) }' log.csv || fail "$what: rows and sum disagree: $energy, $(cat log.csv)"
	[ "$(column record.csv energy_j)" != "" ] || fail "$what: record.csv has no energy"
fi
[ "$(column record.csv power_w)" != "" ] || fail "$what: record.csv has no power"

# Parts, beside the sum or alone.
zone intel-rapl:0:0 dram 0
for power in '' ',power_w'; do
	run showstopper --sysroot root -T 50% -r 600m -n 1 --log-zones ${power:+--log-power} -o log.csv --export-json record.json sleep 100
	expect_status 0
	expect_no_text err 'unavailable:'
	[ "$(head -n 1 log.csv)" = "$header$power,power_package-0_w,power_package-1_w,power_dram-0_w,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
	[ "$(column log.csv power_package-1_w | sort -u)" = 0.000000 ] || fail "$what: power of what stands still: $(cat log.csv)"
	[ "$(column log.csv power_dram-0_w | sort -u)" = 0.000000 ] || fail "$what: power of what stands still: $(cat log.csv)"
	[ "$(jq .configuration.log_zones record.json)" = true ] || fail "$what: record"
done

run showstopper --sysroot root --check-machine
expect_text out '^electric power: +available: --log-power$'

# A sensor: 12.5 W all the time.
rm -r root/sys
run showstopper --sysroot root -T 50% -r 600m -n 1 --log-zones -o log.csv sleep 100
expect_status 0
expect_text err '^showstopper: --log-zones: unavailable: there is no root/sys/class/powercap; the run goes on without$'
[ "$(head -n 1 log.csv)" = "$header,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
mkdir -p root/sys/class/hwmon/hwmon3
echo zenpower >root/sys/class/hwmon/hwmon3/name
echo 12500000 >root/sys/class/hwmon/hwmon3/power1_input
run showstopper --sysroot root -T 50% -r 1s --log-interval 1h -n 1 --log-power --export-json record.json sleep 100
expect_status 0
[ "$(jq '.result.power_w * 1000 | round' record.json)" = 12500 ] || fail "$what: mean power $(jq .result.power_w record.json) W, expected 12.5"
awk -v e="$(jq .result.energy_j record.json)" 'BEGIN { exit !(e >= 6 && e < 60) }' || fail "$what: $(jq .result.energy_j record.json) J"

# ---- A command says it

# asked COMMAND CONDITION…: a run with that command, until the condition holds.
asked() {
	rm -f log.csv record.json
	start_background showstopper --sysroot root -T 50% -r 10M --log-interval 300m -n 1 --power-command "$1" -o log.csv --export-json record.json sleep 1000
	shift
	wait_until "$@"
	kill -TERM "$background"
	wait_background
	[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
}
has_power() { [ -e log.csv ] && [ -n "$(column log.csv power_w | tr -d '\n')" ]; }
asked 'echo " 42.5 "' has_power
[ "$(head -n 1 log.csv)" = "$header,power_w,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
[ "$(column log.csv power_w | grep . | sort -u)" = 42.500000 ] || fail "$what: power is $(column log.csv power_w)"
awk -v p="$(jq .result.power_w record.json)" 'BEGIN { exit !(p > 42.49 && p < 42.51) }' || fail "$what: mean power $(jq .result.power_w record.json) W, expected 42.5"
[ "$(jq -c '[.configuration.log_power,.configuration.power_command]' record.json)" = '[false,"echo \" 42.5 \""]' ] || fail "$what: record"
/usr/bin/python3 -m jsonschema -i record.json "$schema" >schema.out 2>&1 || fail "$what: record.json is not as its schema says: $(head -c 300 schema.out)"

# What goes wrong is told once; the field is empty.
has_complained() { grep -q 'warning: --power-command: ' err; }
for wrong in 'echo much:found .much., expected a number of watts' 'echo 5; echo 6:found several lines, .5. and more, expected one number of watts' \
	'echo 5; exit 3:it ended with status 3'; do
	asked "${wrong%%:*} " has_complained
	[ "$(grep -c '^showstopper: warning: --power-command: ' err)" = 1 ] || fail "$what: not one warning: $(cat err)"
	expect_text err "^showstopper: warning: --power-command: ${wrong#*:}"
	[ -z "$(column log.csv power_w | tr -d '\n')" ] || fail "$what: power is $(column log.csv power_w)"
done
run showstopper -T 50% -n 1 --power-command= sleep 100
expect_trouble "^showstopper: --power-command: '' is malformed: expected a command for the shell\$"

# One at a time; a slow one is ended, and so is what it leaves in the background; it is no workload; the log has its rows meanwhile.
cat >slow <<'TEXT'
echo begun >>asked
sleep 4321 &
echo $! >>left
[ -z "$(ps -o pid= -p "$(cat alive 2>/dev/null)" 2>/dev/null)" ] || echo two >>asked
echo $$ >alive
exec sleep 4322
TEXT
asked_twice() { [ "$(grep -c begun asked)" -ge 2 ] && has_complained; }
: >asked
: >left
asked 'exec sh ./slow' asked_twice
expect_text err '^showstopper: warning: --power-command: no answer within 2 s'
expect_no_text asked two
[ "$(sed 1d log.csv | wc -l)" -ge 4 ] || fail "$what: $(sed 1d log.csv | wc -l) rows"
[ "$(jq '.workloads | length' record.json)" = 1 ] || fail "$what: another workload"
gone() {
	# shellcheck disable=SC2013 # they are words
	for pid in $(cat left alive); do
		case $(cat "/proc/$pid/stat" 2>/dev/null) in '' | *') Z '*) ;; *) return 1 ;; esac
	done
}
wait_until gone

# Nothing of it stays when the master is killed, or guardian and master at once, or the process that asks.
for victims in master 'guardian master' asker; do
	: >left
	rm -f alive
	start_background showstopper -q --sysroot root -T 50% -r 10M -n 1 --power-command 'exec sh ./slow' -o log.csv sleep 100
	what="SIGKILL of $victims"
	wait_until [ -s alive ]
	master=$(ps -o pid= --ppid "$background" | tr -d ' ')
	# It leads a session, as no executor does.
	asker=$(ps -o pid=,sess= --ppid "$master" | awk '$1 == $2 { print $1 }')
	[ -n "$asker" ] || fail "$what: found nobody who asks among the children of the master"
	echo "$asker" >>left
	case $victims in
	master) kill -KILL "$master" ;;
	asker) kill -KILL "$asker" ;;
	*) kill -KILL "$background" "$master" ;;
	esac
	if [ "$victims" = asker ]; then
		wait_until gone
		wait_until grep -q 'warning: --power-command: the process that asks it was killed' err
		kill -TERM "$background"
	fi
	wait "$background" 2>/dev/null
	background=
	wait_until gone
done

finish
