#!/bin/sh
# SPDX-License-Identifier: MIT
# showstopper interrupted, suspended, and killed in parts: nothing is left behind, nothing is left stopped.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
trap 'end_all; cd /; rm -rf "$work"' EXIT

# A shell can't tell a status of 130 from an end by SIGINT, and starts background processes with SIGINT ignored. This does neither:
# start.pl IGNORED COMMAND… leaves the process's number in `pid` and at its end "signal N" or "status N" in `end`.
cat >start.pl <<'END'
use strict;
my $ignored = shift;
$SIG{$_} = 'DEFAULT' for qw(INT QUIT HUP TSTP);
$SIG{$ignored} = 'IGNORE' if $ignored;
my $pid = fork;
die $! unless defined $pid;
if (!$pid) { exec @ARGV or exit 127 }
open my $out, '>', 'pid.new' or die; print $out "$pid\n"; close $out; rename 'pid.new', 'pid';
waitpid $pid, 0;
open $out, '>', 'end.new' or die;
print $out $? & 127 ? 'signal ' . ($? & 127) : 'status ' . ($? >> 8), "\n"; close $out; rename 'end.new', 'end';
END

# start WORKLOADS ARG…: showstopper in the background; returns when so many workloads are there. All that it starts inherits the mark.
ignored=
guardian=
start() {
	count=$1
	shift
	what="showstopper $*"
	rm -f pid end
	perl start.pl "$ignored" env "TEST_MARK=$work" showstopper "$@" >out 2>err </dev/null &
	if ! wait_until test -e pid; then exit 1; fi
	guardian=$(cat pid)
	if ! wait_until has_workloads; then exit 1; fi
}

# children PID…: their numbers, one a line.
children() {
	for parent in "$@"; do
		cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 /' | awk -v parent="$parent" '$3 == parent { print $1 }'
	done
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
master() {
	children "$guardian" | head -n 1
}
# Sets $executors and $workloads, the first process of each.
look() {
	executors=$(children "$(master)")
	# shellcheck disable=SC2086 # a list
	workloads=$(children $executors)
}
has_workloads() {
	look
	[ "$(echo "$workloads" | grep -c .)" -ge "$count" ]
}

# marked: the numbers of all living processes with the mark.
marked() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'
}
none_is_left() {
	[ -z "$(marked)" ]
}
has_ended() {
	[ -e end ]
}
end_all() {
	for process in $(marked); do kill -KILL "$process"; done 2>/dev/null
}

# expect_end WHAT: how showstopper ended ("signal 2", "status 125"), and that nothing is left. The promise is a second; a busy machine
# gets ten.
expect_end() {
	if ! wait_until has_ended; then
		end_all
		return
	fi
	[ "$(cat end)" = "$1" ] || { fail "$what: ended with $(cat end), expected $1"; sed 's/^/  err: /' err; }
	for _ in $(seq 100); do
		if none_is_left; then return; fi
		sleep 0.1
	done
	for process in $(marked); do
		fail "$what: left behind: $process $(state "$process") $(tr '\0' ' ' <"/proc/$process/cmdline")"
	done
	end_all
}

# All processes of the workloads have this state.
all_have_state() {
	look
	[ -n "$workloads" ] || return 1
	for process in $workloads; do
		[ "$(state "$process")" = "$1" ] || return 1
	done
}

# A workload that spreads: a child in its group, one in a session of its own, one that lost its parent.
spreading='sleep 1000 & setsid sleep 1000 & (setsid sh -c "sleep 1000" &) ; : >ready.%; wait; sleep 1000'
are_ready() {
	[ -e ready.0 ] && [ -e ready.1 ]
}

# ---- Interrupts ---------------------------------------------------------------------------------------------------------------

for signal in INT:2 TERM:15 HUP:1; do
	for target in 0 100%; do
		rm -f ready.*
		start 2 -w 2s -T "$target" -c open -n 2 sh -c "$spreading"
		wait_until are_ready
		kill -"${signal%:*}" "$guardian"
		expect_end "signal ${signal#*:}"
		expect_text err '^target load'
	done
	start 2 -q -T 0 -c open -n 2 sleep 1000
	wait_until all_have_state T
	kill -"${signal%:*}" "$guardian"
	expect_end "signal ${signal#*:}"
	expect_lines err 0
done

# The first SIGINT gives workloads time, the second doesn't.
stubborn='trap ": >asked.%" TERM; : >ready.%; while :; do sleep 0.05; done'
rm -f ready.* asked.*
start 2 -q -T 100% -c open --grace 1h -n 2 sh -c "$stubborn"
wait_until are_ready
kill -INT "$guardian"
wait_until test -e asked.1
sleep 0.5
[ ! -e end ] || fail "$what: the grace period was not kept"
kill -INT "$guardian"
expect_end 'signal 2'

# SIGTERM doesn't skip it.
rm -f ready.* asked.*
start 2 -q -T 100% -c open --grace 2s -n 2 sh -c "$stubborn"
wait_until are_ready
kill -TERM "$guardian"
wait_until test -e asked.1
kill -TERM "$guardian"
sleep 0.5
[ ! -e end ] || fail "$what: the grace period was not kept"
expect_end 'signal 15'

# nohup: SIGHUP that was ignored stays ignored. The same for SIGINT, which a shell ignores for its background jobs.
for signal in HUP INT; do
	ignored=$signal
	start 2 -q -T 100% -c open -n 2 sleep 1000
	ignored=
	kill -"$signal" "$guardian"
	sleep 0.7
	[ ! -e end ] || fail "$what: ended by a SIG$signal that was ignored"
	all_have_state S || fail "$what: SIG$signal disturbed the workloads"
	kill -TERM "$guardian"
	expect_end 'signal 15'
done

# SIGTERM ends it in any case: a supervisor that ignores it itself, or that nobody has told otherwise, still means it.
ignored=TERM
start 2 -q -T 100% -c open -n 2 sleep 1000
ignored=
kill -TERM "$guardian"
expect_end 'signal 15'

# ---- Suspended and continued --------------------------------------------------------------------------------------------------

rows() {
	wc -l <log.csv
}
has_rows() {
	[ -e log.csv ] && [ "$(rows)" -ge 4 ]
}
guardian_is_stopped() {
	[ "$(state "$guardian")" = T ]
}
rm -f ready.* log.csv
start 2 -q -T 100% -c open -r 3s -o log.csv --log-interval 100m -n 2 sh -c "$spreading"
wait_until has_rows
kill -TSTP "$guardian"
wait_until guardian_is_stopped
wait_until all_have_state T
before=$(rows)
sleep 2
all_have_state T || fail "$what: workloads run while it is suspended"
after=$(rows)
[ "$after" -eq "$before" ] || fail "$what: logged while it was suspended"
kill -CONT "$guardian"
wait_until all_have_state S
expect_end 'status 0'
# The trace's clock stood still.
sed 1d log.csv | awk -F, 'NR == 1 { time = $1; clock = $2 } END { exit !($2 - clock - ($1 - time) > 1.9 && $1 > 2.5) }' ||
	{ fail "$what: the trace's clock went on"; cat log.csv; }

# The pause is in no row: the duty cycle is 1 throughout.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "duty") duty = i; next } $duty < 0.9 { bad = 1 } END { exit bad || NR < 5 }' log.csv ||
	{ fail "$what: a row has less than the whole duty cycle"; cat log.csv; }

# The row under way ends with it, so that the next one begins where it goes on.
rm -f ready.* log.csv
start 1 -q -T 100% -c open -r 3s -o log.csv -n 1 sleep 1000
wait_until has_rows
sleep 0.25
before=$(rows)
kill -TSTP "$guardian"
wait_until guardian_is_stopped
[ "$(rows)" -gt "$before" ] || fail "$what: no row ends where it is suspended"
kill -CONT "$guardian"
expect_end 'status 0'

# What a shell does to a stopped job that it ends: SIGTERM, then SIGCONT.
start 2 -q -T 100% -c open -n 2 sleep 1000
kill -TSTP "$guardian"
wait_until guardian_is_stopped
kill -TERM "$guardian"
kill -CONT "$guardian"
expect_end 'signal 15'
# Suspended and gone: the master cleans up.
start 2 -q -T 100% -c open -n 2 sleep 1000
kill -TSTP "$guardian"
wait_until guardian_is_stopped
wait_until all_have_state T
kill -KILL "$guardian"
expect_end 'signal 9'

# Continued in the last moment before it stands still, when nobody will continue it again: it goes on.
cat >job <<'END'
set -m
LD_PRELOAD=$1 ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" showstopper -q -T 50% -r 2s -n 1 sleep 1000 &
sleep 1
kill -TSTP "$!"
wait "$!"
END
run bash job "$build/tests/continue_early.so"
expect_status 0

# Suspended while it starts (the start waits for somebody to read what the workload says): it begins suspended.
mkfifo said
start 1 -q -T 100% -c open --stdout said -n 1 sh -c 'echo "$0"; exec sleep 1000' begun
kill -TSTP "$guardian"
wait_until guardian_is_stopped
cat said >heard &
sleep 1
all_have_state T || fail "$what: runs although it was suspended while it started"
kill -CONT "$guardian"
wait_until all_have_state S
kill -TERM "$guardian"
expect_end 'signal 15'
wait "$!"
[ "$(cat heard)" = begun ] || fail "$what: said '$(cat heard)'"

# ---- One of its processes is killed -------------------------------------------------------------------------------------------

for target in 0 100%; do
	for victim in guardian master executor; do
		rm -f ready.*
		start 2 -q -w 2s -T "$target" -c open -n 2 sh -c "$spreading"
		wait_until are_ready
		[ "$target" = 100% ] || wait_until all_have_state T
		look
		case $victim in
		guardian)
			kill -KILL "$guardian"
			expect_end 'signal 9'
			;;
		master)
			kill -KILL "$(master)"
			expect_end 'status 125'
			expect_text err '^showstopper: the master was killed by signal 9'
			;;
		executor)
			kill -KILL "$(echo "$executors" | head -n 1)"
			expect_end 'status 125'
			expect_text err '^showstopper: the executor of workload [01] was killed by signal 9'
			;;
		esac
	done
done

# A workload that is killed from outside is one that failed; the run goes on with the other.
rm -f log.csv
start 2 -q -T 100% -c open -r 4s -o log.csv -n 2 sleep 1000
look
kill -KILL "$(echo "$workloads" | head -n 1)"
expect_end 'status 1'
expect_text err '^showstopper: workload [01] was killed by signal 9'
expect_lines err 1
tail -n 1 log.csv | awk -F, '{ exit !($1 > 3) }' || fail "$what: the run ended with the workload"

# While it starts: whatever there is at that moment is cleaned up.
for delay in 0 0.005 0.01 0.02 0.05; do
	for signal in INT KILL; do
		what="showstopper, killed $delay s after its start by SIG$signal"
		rm -f pid end
		perl start.pl '' env "TEST_MARK=$work" showstopper -q -T 50% -n 20 sleep 1000 >out 2>err </dev/null &
		wait_until test -e pid
		sleep "$delay"
		guardian=$(cat pid)
		kill -"$signal" "$guardian"
		[ "$signal" = INT ] && expect_end 'signal 2'
		[ "$signal" = KILL ] && expect_end 'signal 9'
	done
done

# The guardian alone, when there is only a master that waits for a reader of the log; it may stand still, too.
mkfifo unread
has_master() {
	[ -n "$(master)" ]
}
for stopped in no yes; do
	what="showstopper, killed while its master waits for a reader of the log (stopped: $stopped)"
	rm -f pid end
	perl start.pl '' env "TEST_MARK=$work" showstopper -q -T 50% -n 1 -o unread sleep 1000 >out 2>err </dev/null &
	wait_until test -e pid
	guardian=$(cat pid)
	wait_until has_master
	sleep 0.3
	[ "$stopped" = no ] || kill -STOP "$(master)"
	kill -KILL "$guardian"
	expect_end 'signal 9'
done

# ---- The first process of a container -----------------------------------------------------------------------------------------

# It can't end by a signal of its own; the status says which one it was.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	what='showstopper as process 1'
	unshare --pid --fork --kill-child --mount-proc showstopper -q -T 100% -c open -n 1 sleep 1000 &
	background=$!
	first_is_there() {
		first=$(cat "/proc/$background/task/$background/children") && [ -n "$first" ] && first=${first% } &&
			grep -aq sleep "/proc/$first/cmdline" && [ "$(descendants_of "$first")" -ge 3 ]
	}
	descendants_of() {
		queue=$1
		count=0
		while [ -n "$queue" ]; do
			next=
			for process in $queue; do next="$next $(cat "/proc/$process/task/$process/children" 2>/dev/null)"; done
			queue=$(echo "$next" | xargs)
			for process in $queue; do count=$((count + 1)); done
		done
		echo "$count"
	}
	wait_until first_is_there
	kill -TERM "$first"
	wait_background
	expect_status 143
else
	left_out "namespaces are not permitted here: showstopper as process 1"
fi

finish
