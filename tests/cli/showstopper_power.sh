#!/bin/sh
# SPDX-License-Identifier: MIT
# --log-power on made-up trees of /sys: the column, the summary, the records; what is said where nothing measures power.
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

# ---- A meter beside a run, as ssreport(1) has it

run showstopper --power-command 'echo 1' true
expect_trouble '^showstopper: --power-command has been removed: expected a meter that writes CSV beside the run, for ssreport --power'
mkdir bin
printf '#!/bin/sh\nprintf "\\n    Instantaneous power reading:                   42 Watts\\n    Minimum during sampling period:                 7 Watts\\n"\n' >bin/ipmitool
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\n[ "$1 $2 $3" = "-v 2c -c" ] && echo 42\n' >bin/snmpget
chmod 755 bin/*
for program in ipmitool snmpget; do
	sed -n '/^{ echo time,watts/,/^\.Ed/p' "$source/tools/python/ssreport.1" | sed '/^\.Ed/d; s/\\(aq/'"'"'/g' | awk -v RS= -v of="$program" 'index($0, of)' >recipe
	what="the recipe with $program"
	[ "$(wc -l <recipe)" -ge 3 ] || fail "$what: not in ssreport(1)"
	PATH=$work/bin:$PATH setsid timeout 20 sh -c ". ./recipe; wait" &
	meter=$!
	has_readings() { [ -e meter.csv ] && [ "$(wc -l <meter.csv)" -ge 2 ]; }
	wait_until has_readings
	run showstopper -q -T 50% -r 2s -o log.csv -n 1 sleep 100
	sleep 1
	kill -TERM "-$meter"
	wait "$meter" 2>/dev/null
	mv meter.csv "$program.csv"
	run ssreport timeline -f csv --power "$program.csv" log.csv
	expect_status 0
	[ "$(column out power_w | grep . | sort -u)" = 42.000 ] || fail "$what: $(cat out)"
done

finish
