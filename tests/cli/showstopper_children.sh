#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes that were its children before it was Showstopper, as `server & exec showstopper ...` leaves them: neither they nor their orphans are touched,
# however the run ends.
# shellcheck disable=SC2016,SC2317 # commands of other shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

strangers() {
	for file in server orphan; do [ ! -s "$file" ] || cat "$file"; done
}
trap 'for one in $(strangers); do kill -KILL "$one" 2>/dev/null; done; [ -z "$background" ] || kill -KILL "$background"; cd /; rm -rf "$work"' EXIT

is_alive() { # FILE
	kill -0 "$(cat "$1")" 2>/dev/null && ! grep -q '^State:.*zombie' "/proc/$(cat "$1")/status"
}
has_started() {
	[ -s "$1" ]
}
# A server that leaves an orphan a moment later, and then what the script says.
beside_a_server() { # SCRIPT [ARGUMENT]...
	rm -f server orphan
	script=$1
	shift
	start_background timeout -k 5 60 sh -c '
		sh -c "sleep 0.5; sh -c \"sleep 1000 & echo \\\$! >orphan.new; mv orphan.new orphan\"; exec sleep 1000" >/dev/null 2>&1 &
		echo $! >server
		'"$script" sh "$@"
}
expect_untouched() {
	wait_until has_started orphan
	for file in server orphan; do
		is_alive "$file" || fail "$what: the $file was killed"
	done
	for one in $(strangers); do kill -KILL "$one" 2>/dev/null; done
}

beside_a_server 'exec showstopper -q -n 1 -T 50% -r 2s ssburn'
wait_background
expect_status 0
expect_untouched

# Before a workload is started, too.
beside_a_server 'exec showstopper -T 50% -r 2s ./no-such-command'
wait_background
expect_status 127
is_alive server || fail "$what: the server was killed"
expect_untouched

# What is attached is a child of Showstopper here.
beside_a_server 'exec showstopper -q --attach $! -T 50% -r 2s'
wait_background
expect_status 0
expect_untouched

# Nor is what it forked before it ended, whoever kills the master.
master_of() { # PID
	for child in $(tr ' ' '\n' <"/proc/$1/task/$1/children"); do
		[ "$child" = "$(cat server)" ] || { grep -q '^Name:.*showstopper' "/proc/$child/status" && echo "$child"; }
	done
}
if [ -r "/proc/$$/task/$$/children" ]; then
	rm -f server orphan log
	start_background timeout -k 5 60 sh -c 'sh -c "sleep 1000 & echo \$! >orphan; exec sleep 1000" >/dev/null 2>&1 &
		echo $! >server
		until [ -s orphan ]; do sleep 0.1; done
		exec showstopper -q --attach "$(cat server)" -c open -T 50% -o log'
	wait_until has_records 4
	guardian=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$(cat server)/status")
	server_is_gone() { ! is_alive server; }
	kill -KILL "$(cat server)"
	wait_until server_is_gone
	kill -KILL "$(master_of "$guardian")"
	wait_background
	expect_status 125
	is_alive orphan || fail "$what: what is attached was killed"
	if grep -q '^State:.*T' "/proc/$(cat orphan)/status"; then fail "$what: what is attached stays stopped"; fi
	for one in $(strangers); do kill -KILL "$one" 2>/dev/null; done
else
	left_out 'an attached tree that loses its first process: this kernel has no lists of children'
fi

# The guardian cleans up after a master that was killed: the workloads go, the server stays.
beside_a_server 'exec showstopper -q -n 1 -T 50% -o log sh -c "echo \$\$ >workload; exec ssburn"'
wait_until has_started workload
wait_until has_records 2
guardian=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$(cat server)/status")
master=$(master_of "$guardian")
if [ -n "$master" ]; then
	kill -KILL "$master"
	wait_background
	expect_status 125
	expect_text err '^showstopper: the master was killed by signal 9 \(Killed\); its workloads were killed$'
	if kill -0 "$(cat workload)" 2>/dev/null; then fail "$what: the workload is alive"; fi
	is_alive server || fail "$what: the server was killed"
else
	left_out 'the master of a run: this kernel has no lists of children'
	kill -TERM "$guardian"
	wait_background
fi

finish
