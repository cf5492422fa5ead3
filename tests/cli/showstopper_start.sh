#!/bin/sh
# SPDX-License-Identifier: MIT
# Staggered starts, and starts at an instant: when workloads begin, that they run meanwhile, and that waiting can be interrupted.
# shellcheck disable=SC2016 # commands of the workloads' shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
export SHOWSTOPPER_START_TEST="$work"

left() {
	grep -lsz "^SHOWSTOPPER_START_TEST=$work\$" /proc/[0-9]*/environ | sed 's/[^0-9]//g' | while read -r pid; do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = sleep ] && echo "$pid"
	done
}

# apart FILE FILE LEAST: both have a time in seconds; the second is at least so many milliseconds later.
apart() {
	difference=$(awk 'NR == 1 { first = $1 } NR == 2 { printf "%d", 1000 * ($1 - first) }' "$1" "$2")
	[ "$difference" -ge "$3" ] || fail "$what: $2 is $difference ms after $1, expected at least $3"
}

# ---- One after the other ------------------------------------------------------------------------------------------------------

# Clocks of the machine, so that setting the time of day does no harm. The first counts its steps.
program='read -r up rest </proc/uptime; echo "$up" >started.%; while :; do echo x >>steps.%; sleep 0.05; done'
start_background showstopper -T 100% -c open -r 1s --start-interval 1s -o log -n 2 sh -c "$program" : -n 1 sh -c "wc -l <steps.0 >seen; $program"
wait_until test -e started.0
sleep 0.3
[ ! -e started.1 ] || [ -e steps.0 ] || fail "$what: both are there at once"
wait_background
expect_status 0
# Each says when it came to run, which on a busy machine is later than when it was started.
apart started.0 started.1 500
apart started.1 started.2 500
# The first one ran for two seconds before. Even a busy machine lets it make a few steps.
[ "$(cat seen)" -ge 5 ] || fail "$what: the first workload made only $(cat seen) steps before the last was started"
expect_text log '^(0|1)\.[0-9]+,'
expect_no_text log '^-'
# Interrupted halfway.
rm -f started.* steps.*
start_background showstopper -T 100% -c open --start-interval 1h -n 3 sh -c 'echo >started.%; exec sleep 1000'
wait_until test -e started.0
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
[ ! -e started.1 ] || fail "$what: the second was started"
# Suspended halfway: what runs stands still, and the next start is put off.
rm -f started.*
start_background showstopper -T 100% -c open -r 200m --start-interval 1s -n 2 sh -c 'echo >started.%; exec sleep 1000'
wait_until test -e started.0
# shellcheck disable=SC2317 # called by wait_until
stands_still() {
	for pid in $(left); do
		case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in T*) return 0 ;; esac
	done
	return 1
}
# shellcheck disable=SC2317
is_there() {
	[ -n "$(left)" ]
}
wait_until is_there
kill -TSTP "$background"
wait_until stands_still
sleep 1.5
[ ! -e started.1 ] || fail "$what: the second was started although the run was suspended"
kill -CONT "$background"
wait_until test -e started.1
wait_background
expect_status 0
# One that ends before the last is started.
run showstopper -q -T 100% -c open -r 300m --start-interval 300m -n 1 true : -n 2 sleep 1000
expect_status 0
run showstopper -q -T 100% -c open -r 300m --start-interval 300m -n 1 sh -c 'exit 3' : -n 1 sleep 1000
expect_status 1
run showstopper -q -T 100% -c open -r 300m --start-interval 200m -n 1 sleep 1000 : -n 1 ./nosuch
expect_status 127
run showstopper -T 50% --start-interval 3000d -n 2 touch started
expect_trouble '--start-interval: starting 2 workloads takes too long: expected at most 3650d in all$'

# All starts together may take that long, and no longer, also where their sum is more than a number of nanoseconds can be.
run showstopper -T 50% --start-interval 1825d -n 2 --dry-run true
expect_status 0
for count in 30 99999; do
	run showstopper -T 50% --start-interval 3650d -n $count --dry-run true
	expect_trouble "--start-interval: starting $count workloads takes too long: expected at most 3650d in all\$"
done

# ---- At an instant ------------------------------------------------------------------------------------------------------------

# Two runs that begin together: the warm-up absorbs what the starts take.
when=$(($(date +%s) + 3))
showstopper -q -T 0% -c open -r 500m -w 2s --start-at "@$when" -o log.a -n 1 sh -c 'date +%%s >began.a; sleep 1000' </dev/null &
other=$!
run showstopper -q -T 0% -c open -r 500m -w 2s --start-at "@$when" -o log.b --export-json run.json -n 3 sleep 1000
expect_status 0
wait "$other"
status=$?
expect_status 0
[ "$(cat began.a)" -ge "$when" ] || fail "$what: a workload began at $(cat began.a), expected not before $when"
for log in log.a log.b; do
	awk -F, 'NR == 2 { printf "%.6f\n", $2 - $1 }' "$log"
done >origins
difference=$(awk 'NR == 1 { first = $1 } NR == 2 { printf "%d", 1000000 * ($1 > first ? $1 - first : first - $1) }' origins)
# A machine that is so busy that two seconds don't suffice is none to be judged.
if [ "$difference" -ge 5000 ] && [ "$(cut -d ' ' -f 1 /proc/loadavg | sed 's/\..*//')" -lt 8 ]; then
	fail "$what: control of two runs began $difference us apart"
fi
expect_text run.json '"start_at": "[0-9-]+T[0-9:]+\.000000000Z"'
# Interrupted; nothing was started.
start_background showstopper -T 50% --start-at "@$(($(date +%s) + 3600))" touch started
sleep 0.5
kill -USR1 "$background"
wait_until grep -q '^showstopper: waiting for the instant of --start-at$' err
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
[ ! -e started ] || fail "$what: started a workload"
run showstopper -T 50% --start-at 2020-01-01T00:00:00Z touch started
expect_trouble "--start-at: '2020-01-01T00:00:00Z' is in the past: expected a time to come, within 3650d\$"
for value in '' now 25:00 12:5 @ @x 2026-02-30T00:00:00 2026-01-01; do
	run showstopper -T 50% --start-at "$value" touch started
	expect_trouble "--start-at: '$value' is no such time: expected @SECONDS since 1970, "
done
[ ! -e started ] || fail "$what: started a workload"
run showstopper -T 50% --start-at "@$(($(date +%s) + 3600))" --start-interval 250m --dry-run true
expect_text out '^starts at: @[0-9]+\.000000000$'
expect_text out '^between two starts: 250ms$'

sleep 0.5
what='all runs'
[ -z "$(left)" ] || fail "$what: left behind: $(left)"

finish
