#!/bin/sh
# SPDX-License-Identifier: MIT
# about: tools/experiments/clocks on those of the kernel's cpufreq: set, given back, also after kills
# machines: clocked
# python: yes
# modules: acpi-cpufreq
# limit: 240
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
folder=/sys/devices/system/cpu/cpufreq
record=/run/showstopper/clocks
clocks=$SHOWSTOPPER_SOURCE/tools/experiments/clocks
limits() { echo "$(cat "$folder/policy$1/scaling_min_freq") $(cat "$folder/policy$1/scaling_max_freq")"; }
expect_limits() { # POLICY LIMITS
	[ "$(limits "$1")" = "$2" ] || fail "$what: policy$1 has $(limits "$1"), expected $2"
}
free='500000 2000000'
is_free() { [ "$(limits 0)" = "$free" ] && [ "$(limits 1)" = "$free" ] && [ ! -s "$record" ]; }
is_least() { [ "$(limits 0)" = '500000 500000' ] && [ "$(limits 1)" = '500000 500000' ]; }
expect_free() { wait_until is_free; }

modprobe acpi-cpufreq || fail 'no driver'
mkdir -p /run
head -n 20 "$folder"/policy0/*
what='before'
expect_free

# shellcheck disable=SC2016 # of the workload's shell
look='cat "$0"/policy*/scaling_m*_freq >"$1"'
run "$clocks" 1.5GHz sh -c "$look" "$folder" seen
cat err
expect_status 0
[ "$(grep -cx 1500000 seen)" -eq 4 ] || fail "$what: the workload saw $(tr '\n' ' ' <seen)"
expect_free

# One clock alone, by its share.
run "$clocks" --cpus 1 50% sh -c "$look" "$folder" seen
cat err
expect_status 0
[ "$(tr '\n' ' ' <seen)" = '2000000 500000 1000000 1000000 ' ] || fail "$what: the workload saw $(tr '\n' ' ' <seen)"
expect_free

# What it doesn't have.
for wanted in 1.7GHz 3GHz; do
	run "$clocks" "$wanted" true
	cat err
	expect_trouble '^tools/experiments/clocks: processor 0 has no '
	expect_free
done

# A limit because of heat isn't taken for one that somebody asked for, and one that somebody asked for stays.
cap() { # STATE
	for device in /sys/class/thermal/cooling_device*; do echo "$1" >"$device/cur_state"; done
}
is_capped() { [ "$(limits 0)" = '500000 1500000' ] && [ "$(limits 1)" = '500000 1000000' ]; }
# Before Linux 6.3 the driver of the processors counts their frequencies when it binds, which was before they had a clock. Later ones look again by themselves,
# and have none to cool when it is bound anew.
[ "$(cat /sys/class/thermal/cooling_device0/max_state)" -gt 0 ] || for cpu in cpu0 cpu1; do
	echo "$cpu" >/sys/bus/cpu/drivers/processor/unbind
	echo "$cpu" >/sys/bus/cpu/drivers/processor/bind
done
echo 1000000 >"$folder/policy1/scaling_max_freq"
cap 1
wait_until is_capped
run "$clocks" min sh -c "$look" "$folder" seen
cat err
expect_status 0
grep -q 'policy0: something else, such as heat or firmware, limits it' err || fail "$what: no warning"
[ "$(grep -cx 500000 seen)" -eq 4 ] || fail "$what: the workload saw $(tr '\n' ' ' <seen)"
wait_until is_capped
cap 0
is_asked_for() { [ "$(limits 0)" = "$free" ] && [ "$(limits 1)" = '500000 1000000' ]; }
wait_until is_asked_for
echo 2000000 >"$folder/policy1/scaling_max_freq"
wait_until is_free

# The command is killed; and what holds the clocks, too, so that the next one gives them back.
start_background "$clocks" min showstopper -T 50% -r 1h ssburn
wait_until is_least
kill -KILL "$background"
wait_background
expect_free
expect_nobody_left
start_background "$clocks" min showstopper -T 50% -r 1h ssburn
wait_until is_least
killall -KILL clocks showstopper ssburn
wait_background
is_least || fail 'nothing was left to give them back'
run "$clocks" max true
cat err
expect_status 0
expect_text err 'gave back what one had left that was killed: limits of policy1$'
expect_free
expect_nobody_left
finish
