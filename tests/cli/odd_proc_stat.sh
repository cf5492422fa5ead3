#!/bin/sh
# SPDX-License-Identifier: MIT
# showstopper and cpuload over a made-up /proc/stat that changes as a run goes on, in ways in which no manual says it does: processors
# come and go, counters go back, columns and lines are missing. The run goes on, and each load in its log is none or from 0 to 1.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
mkdir -p root/proc root/sys

# states PROGRAM: writes the files state.1 … state.100 as an awk program prints them. It is given `n`, the time in steps of 50 ms (of which a state has 0.4:
# two ticks), and the whole steps `m`. What grows by 5 n in all columns of a processor passes as the clock does.
states() {
	rm -f state.*
	for state in $(seq 100); do awk -v state="$state" "BEGIN { n = 0.4 * state; m = int(n + 0.001); n += 0.001; $1 }" >"state.$state"; done
	cat state.1 >root/proc/stat
}

# Shows one after another, in 20 ms each, until it is told to stop; all as long as the longest, so that writing one over another in place, in one write,
# leaves nothing of it.
play='
import os, time
states = [open("state.%d" % number, "rb").read() for number in range(1, 101)]
longest = max(map(len, states))
file = os.open("root/proc/stat", os.O_WRONLY)
begun = time.monotonic()
while not os.path.exists("stop"):
    state = states[min(int((time.monotonic() - begun) / 0.02), len(states) - 1)]
    os.pwrite(file, state + b"\n" * (longest - len(state)), 0)
    open("playing", "w").close()
    time.sleep(0.005)
'
player_first='chrt -f 2'
$player_first true 2>/dev/null || player_first=

# expect_sane FILE: all that is there are numbers; loads and duty cycles from 0 to 1.
expect_sane() {
	[ "$(wc -l <"$1")" -gt 3 ] || fail "$what: $1 has no rows"
	if grep -Eiv '^[a-z_0-9,]+$' "$1" | grep -Ei 'nan|inf|e'; then fail "$what: $1 has values that are none"; fi
	awk -F, -v columns="$2" 'NR == 1 { wall = $NF == "time_unix_s" ? NF : 0 }
		NR > 1 { for (i = 3; i <= columns; i++) if (i != wall && $i != "" && ($i < 0 || $i > 1)) { print NR ": " $0; wrong = 1 } }
		END { exit wrong }' "$1" || fail "$what: $1 has values beyond 0 and 1"
}

# expect_load FILE COLUMN: it is known in most rows, and one half in the mean.
expect_load() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		$at != "" { sum += $at; known++ }
		END { exit !(known > NR / 2 && sum / known > 0.45 && sum / known < 0.55) }' "$1" || { fail "$what: $1: the load is known too seldom, or not one half"; cat "$1"; }
}

# Whether cpuload, too, goes on to its end.
lasts=yes
# scenario NAME PROGRAM [OPTION]…: showstopper and cpuload over its states.
scenario() {
	states "$2"
	name=$1
	shift 2
	rm -f stop playing
	$player_first python3 -c "$play" &
	player=$!
	wait_until test -e playing
	timeout -k 5 60 cpuload --sysroot root -P -o load 50m 20 2>cpuload.err </dev/null &
	meter=$!
	run showstopper --sysroot root -q -T 50% -r 1200m --log-interval 50m -o log -n 2 "$@" sleep 1000
	wait "$meter"
	meter_status=$?
	: >stop
	wait "$player"
	what="$name: $what"
	expect_status 0
	expect_sane log 6
	expect_sane load 5
	[ -z "$lasts" ] || [ "$meter_status" -eq 0 ] || fail "$what: cpuload: status $meter_status: $(cat cpuload.err)"
}

plain='printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", 5 * n, 1000 + 5 * n
	printf "cpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 %d 0 0 %d 0 0 0 0 0 0\nintr 1\nctxt 1\n", 3 * n, 500 + 2 * n, 2 * n, 500 + 3 * n'
for source in idle ticks; do
	scenario "an ordinary machine, $source" "$plain" -F source=$source
	expect_lines err 0
	expect_load log load
	expect_load load load
done

# The second processor is away in every other fifth of the time; the summary's idle time leaps there and back, and grows by what is there.
hotplug='off = int(n / 8) % 2
	both = 2.5 * (n + (off ? 8 * int(n / 8) : n))
	printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", both, 1000 + both - off * 400
	printf "cpu0 %d 0 0 %d 0 0 0 0 0 0\n", 2.5 * n, 500 + 2.5 * n
	if (!off) printf "cpu1 %d 0 0 %d 0 0 0 0 0 0\n", 2.5 * n, 500 + 2.5 * n
	print "intr 1\nctxt 1"'
for options in source=idle source=ticks source=idle,cpus=1 source=idle,cpus=0-1; do
	[ "$options" = source=idle,cpus=1 ] || scenario "processors that come and go, $options" "$hotplug" -F "$options"
	[ "$options" = source=idle,cpus=1 ] || { expect_lines err 0; expect_load log load; }
done
# All that are measured are away: that is said, once.
scenario 'the only processor goes away' "$hotplug" -F source=idle,cpus=1
expect_lines err 1
expect_text err "^showstopper: can't read the load: processor 1 is offline; rows without it are left out$"

back='b = m % 5 == 0 ? 1000 : 0
	printf "cpu  %d 0 0 %d %d 0 0 0 0 0\n", 10000 + 5 * n - b, 10000 + 5 * n - 2 * b, 100 + b / 10
	printf "cpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 %d 0 0 %d 0 0 0 0 0 0\nintr 1\n", 10000 + 2 * n - b, 10000 + 3 * n - b, 3 * n, 2 * n'
for source in idle ticks; do
	scenario "counters that go back, $source" "$back" -F source=$source
	expect_lines err 0
done

# The summary is all zeros, as of lxcfs: it isn't what the processors say.
zeros='print "cpu  0 0 0 0 0 0 0 0 0 0"
	printf "cpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 %d 0 0 %d 0 0 0 0 0 0\nintr 1\n", 3 * n, 500 + 2 * n, 2 * n, 500 + 3 * n'
for source in idle ticks; do
	scenario "a summary of zeros, $source" "$zeros" -F source=$source
	expect_lines err 0
	expect_load log load
done

# As old as it gets, and as if a kernel wrote what doesn't fit.
few='printf "cpu  %d 0 0 %d\ncpu0 %d 0 0 %d\n", 2.5 * n, 1000 + 2.5 * n, 2.5 * n, 1000 + 2.5 * n'
scenario 'four columns' "$few"
expect_lines err 0
expect_load log load
# The sum of these is beyond 64 bits, and the idle time comes to be beyond 63.
huge='numbers = sprintf("%s%03d 0 0 %s%03d 0 0 0 0 0 0", "18446744073709551", 480 + 2.5 * n, "9223372036854775", 780 + 2.5 * n)
	printf "cpu  %s\ncpu0 %s\nintr 1\n", numbers, numbers'
for source in idle ticks; do
	scenario "counters that overflow, $source" "$huge" -F source=$source
	expect_lines err 0
	expect_load log load
done
leaps='numbers = sprintf("%d 0 0 %d 0 0 0 0 0 0", n * 1000000, m % 3 * 1000000)
	printf "cpu  %s\ncpu0 %s\nintr 1\n", numbers, numbers'
for source in idle ticks; do
	scenario "counters that leap, $source" "$leaps" -F source=$source
	expect_lines err 0
done
still='print "cpu  1000 0 0 1000 0 0 0 0 0 0\ncpu0 1000 0 0 1000 0 0 0 0 0 0\nintr 1"'
for source in idle ticks; do
	scenario "counters that stand still, $source" "$still" -F source=$source
	expect_lines err 0
done

many='printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", 2560 * n, 512000 + 2560 * n
	for (i = 0; i < 1024 - m % 3; i++) printf "cpu%d %d 0 0 %d 0 0 0 0 0 0\n", i, 2.5 * n, 500 + 2.5 * n
	print "intr 1\nctxt 1"'
for options in source=idle source=ticks source=idle,cpus=1000-1023; do
	scenario "about 1024 processors, $options" "$many" -F "$options"
	expect_lines err 0
	expect_load log load
done

# The processors' lines are missing half of the time, then all lines are.
bare='printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", 5 * n, 1000 + 5 * n
	if (m % 2) printf "cpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 %d 0 0 %d\n", 3 * n, 500 + 2 * n, 2 * n, 500 + 3 * n
	print "intr 1\nctxt 1"'
scenario "processors' lines are missing" "$bare"
expect_lines err 0
none='if (n < 8 || n > 24) printf "cpu  %d 0 0 %d 0 0 0 0 0 0\ncpu0 %d 0 0 %d\n", 2.5 * n, 1000 + 2.5 * n, 2.5 * n, 1000 + 2.5 * n
	print "intr 1\nctxt 1"'
lasts=
scenario 'all lines are missing for a while' "$none"
[ "$meter_status" -eq 125 ] || fail "$what: cpuload: status $meter_status"
expect_lines cpuload.err 1
expect_text cpuload.err "^cpuload: can't read the load: Invalid argument"
expect_lines err 1
expect_text err "^showstopper: can't read the load: .*; rows without it are left out"

# What can't be used from the start is refused before anything is started.
for text in '' '\n' 'cpu\n' 'cpu  1 2 3\n' 'cpu  a b c d\n' 'intr 1\nctxt 1\n' 'cpu0 1\n' '\0\0\0\0' 'cpu  18446744073709551616 0 0 1\n'; do
	# shellcheck disable=SC2059 # escapes
	printf "$text" >root/proc/stat
	run showstopper --sysroot root -T 50% -r 1s touch started
	expect_trouble "^showstopper: feedback module 'realtime': /proc/stat has no line of a processor; --sysroot is root$"
	[ ! -e started ] || fail "$what: started a workload"
	run cpuload --sysroot root 50m 1 -- touch started
	expect_status 125
	expect_lines err 1
	[ ! -e started ] || fail "$what: started a command"
done

finish
