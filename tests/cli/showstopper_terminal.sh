#!/bin/sh
# SPDX-License-Identifier: MIT
# showstopper on a terminal, with a shell's job control, with readers that go away, and interrupted while a start hangs.
# shellcheck disable=SC2016,SC2317 # commands of other shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
trap 'exec 9>&-; end_all; cd /; rm -rf "$work"' EXIT
# All that is started inherits the mark.
TEST_MARK=$work
export TEST_MARK

# marked NAME…: the numbers of living processes of these names that have the mark.
marked() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,' | while read -r process; do
		found=
		read -r found <"/proc/$process/comm"
		for name in "$@"; do
			[ "$found" != "$name" ] || echo "$process"
		done
	done 2>/dev/null
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
# are N NAME STATES: so many processes of this name are there, all in one of these states.
are() {
	count=0
	for process in $(marked "$2"); do
		case $3 in *"$(state "$process")"*) count=$((count + 1)) ;; *) return 1 ;; esac
	done
	[ "$count" -eq "$1" ]
}
is() {
	[ "$(state "$1")" = "$2" ]
}
holds() {
	[ -e "$1" ] && grep -Eq "$2" "$1"
}
has_lines() {
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}
none_is_left() {
	[ -z "$(marked showstopper sleep)" ]
}
end_all() {
	for process in $(marked showstopper sleep script bash cat); do kill -KILL "$process"; done 2>/dev/null
}
expect_none_left() {
	wait_until none_is_left || {
		for process in $(marked showstopper sleep); do
			echo "  left: $process $(state "$process") $(tr '\0' ' ' <"/proc/$process/cmdline")"
		done
		end_all
	}
}

ctrl_z() {
	printf '\032' >&9
}
wait_terminal() {
	wait_background
	expect_none_left
}

# ---- Keys ---------------------------------------------------------------------------------------------------------------------

# Ctrl-C ends the workloads; the summary comes; the shell learns of the signal and ends by it, too.
terminal 'showstopper -T 100% -n 2 sleep 1000; echo "went on"'
wait_until are 2 sleep S
sleep 1
ctrl_c
wait_terminal
expect_text screen '^target load '
expect_no_text screen 'went on.$'

# Ctrl-\ kills the guardian; the master cleans up.
terminal 'showstopper -q -T 100% -n 2 sleep 1000'
wait_until are 2 sleep S
printf '\034' >&9
wait_terminal

# What uses the terminal from the background is stopped by it: that is no want of instances.
terminal 'showstopper -l 50% -f workloads -n 1 -r 2500m sh -c "stty -echo </dev/tty"'
wait_terminal
expect_text screen 'warning: stopped, though not by Showstopper: workload 0 \(SIGTTOU\): the terminal may not be used'
expect_no_text screen 'more instances'
terminal 'showstopper -l 50% -c open -n 1 -r 2500m sleep 1000 : --free -n 1 sh -c "stty -echo </dev/tty"'
wait_terminal
expect_text screen 'stopped, though not by Showstopper: workload 1 \(SIGTTOU\)'

# A pause goes on beyond the moment at which the run would have ended.
start_background showstopper -q -T 100% -c open -r 2s -n 2 -o log.csv --log-interval 500m sleep 1000
wait_until are 2 sleep S
kill -TSTP "$background"
wait_until is "$background" T
sleep 3
are 2 sleep T || fail "$what: the workloads go on, or are gone, in the pause"
kill -CONT "$background"
wait_background
expect_status 0
awk -F, 'NR > 1 { seconds += $1 - last; last = $1 } END { exit !(last > 1.9 && last < 2.1) }' log.csv || fail "$what: the log does not end at 2 s"
expect_none_left

# A second one skips the grace period.
terminal 'exec showstopper -q -T 100% --grace 1h -n 2 sh -c "trap : TERM; : >ready.%; while :; do sleep 0.1; done"'
wait_until test -e ready.1
sleep 0.5
ctrl_c
sleep 1
[ -n "$(marked showstopper)" ] || fail "$what: the grace period was not kept"
ctrl_c
wait_terminal

# Ctrl-Z and fg. The shell goes on when the job has stopped: then all of it stands still.
cat >job <<'END'
set -m
showstopper -q -T 100% -c open -n 2 sleep 1000
echo "stopped $?"
read -r answer
fg >/dev/null
echo "end $?"
END
terminal 'bash job'
wait_until are 2 sleep S
ctrl_z
wait_until holds screen 'stopped 148'
are 2 sleep T || fail "$what: the workloads run on while the job is stopped"
echo go >&9
wait_until are 2 sleep S
kill -TERM "$(marked showstopper | head -n 1)"
wait_until holds screen 'end 143'
wait_terminal

# The terminal goes away.
terminal 'showstopper -q -T 0 -c open -n 2 sleep 1000'
wait_until are 2 sleep T
kill -KILL "$background"
wait_terminal
# A shell passes on to its jobs that it has hung up. It is told by itself: when the terminal goes, it may read the end of its input first and
# leave with its jobs still running.
terminal 'exec bash --norc -i'
echo 'showstopper -q -T 0 -c open -n 2 sleep 1000 &' >&9
wait_until are 2 sleep T
kill -HUP "$(marked bash)"
wait_terminal

# ---- Readers that go away -----------------------------------------------------------------------------------------------------

what='showstopper | head'
timeout -k 5 "$limit" sh -c 'showstopper -r 1s -T 100% -n 2 sh -c "while :; do echo line; done"; echo $? >status' 2>err </dev/null |
	head -n 1 >out
expect_lines out 1
wait_until test -s status
# The workloads were killed by SIGPIPE, as without showstopper.
[ "$(cat status)" -eq 1 ] || fail "$what: status $(cat status)"
expect_text err 'workload [01] was killed by signal 13'
expect_none_left

what='showstopper 2>&1 | head'
rm -f status
timeout -k 5 "$limit" sh -c 'showstopper -v -r 2s -o log.csv -T 100% -n 2 sleep 1000 2>&1 >/dev/null; echo $? >status' </dev/null |
	head -n 1 >out
expect_lines out 1
wait_until test -s status
[ "$(cat status)" -eq 0 ] || fail "$what: status $(cat status)"
# The run went on to its end all the same.
expect_lines log.csv 5
expect_none_left

# With its standard error closed the guardian still cleans up after a master that was killed, whose executors are killed first.
what='showstopper 2>&1 | true, killed'
rm -f status
sh -c 'showstopper -T 100% -c open -n 1 sh -c "setsid sleep 1000 & : >deaf; wait" 2>&1; echo $? >status' </dev/null | : &
wait_until test -e deaf
wait_until are 1 sleep S
# Guardian, master, executor.
# shellcheck disable=SC2046 # numbers
set -- $(marked showstopper | sort -n)
kill -STOP "$1" # so that it learns of both at once
kill -KILL "$3" "$2"
kill -CONT "$1"
wait_until test -s status
[ "$(cat status)" -eq 125 ] || fail "$what: status $(cat status)"
expect_none_left

# ---- A start that hangs -------------------------------------------------------------------------------------------------------

# Opening a FIFO for writing takes a reader. Guardian, master, two executors, and two that are to become workloads.
hang() {
	rm -f fifo
	mkfifo fifo
	start_background showstopper -q -T 100% -c open -n 2 --stdout fifo sleep 1000
	wait_until are 6 showstopper S
}
hang
kill -TERM "$background"
wait_background
expect_status 143
expect_none_left

hang
kill -KILL "$background"
wait_background
expect_none_left

# Suspended before it has begun: it begins when it is continued.
hang
kill -TSTP "$background"
wait_until is "$background" T
cat fifo >/dev/null &
wait_until are 2 sleep T
sleep 1
are 2 sleep T || fail "$what: began while it was suspended"
kill -CONT "$background"
wait_until are 2 sleep S
kill -TERM "$background"
wait_background
expect_status 143
expect_none_left

# ---- Signals close to one another ---------------------------------------------------------------------------------------------

# SIGCONT that comes before the job has stopped is not lost.
for delay in 0 0.001 0.003 0.01; do
	start_background showstopper -q -r 2s -T 100% -c open -n 4 sleep 1000
	wait_until are 4 sleep S
	kill -TSTP "$background"
	[ "$delay" = 0 ] || sleep "$delay"
	kill -CONT "$background"
	wait_background
	expect_status 0
	expect_none_left
done

# ---- Somebody reads stderr, but doesn't read on ---------------------------------------------------------------------------------

# full.pl COMMAND…: its stderr is a pipe that is full. Leaves "signal N" or "status N" in `end`.
cat >full.pl <<'END'
use strict;
use Fcntl;
pipe my $read, my $write or die;
my $flags = fcntl $write, F_GETFL, 0;
fcntl $write, F_SETFL, $flags | O_NONBLOCK;
1 while syswrite $write, 'x' x 4096;
fcntl $write, F_SETFL, $flags;
my $pid = fork;
if (!$pid) { open STDERR, '>&', $write or exit 126; exec @ARGV or exit 127 }
open my $out, '>', 'pid.new' or die; print $out "$pid\n"; close $out; rename 'pid.new', 'pid';
waitpid $pid, 0;
open $out, '>', 'end.new' or die;
print $out $? & 127 ? 'signal ' . ($? & 127) : 'status ' . ($? >> 8), "\n"; close $out; rename 'end.new', 'end';
END
rm -f pid end
what='a run whose messages nobody reads'
timeout -k 5 60 perl full.pl showstopper -v -T 100% -c open -r 1s -n 2 sleep 1000
holds end '^status 0$' || fail "$what: $(cat end 2>&1)"
expect_none_left
# … ends when it is told to, and what dies has its workloads continued and killed.
for victim in guardian master; do
	rm -f pid end
	what="a run whose messages nobody reads, its $victim ended"
	perl full.pl showstopper -v -T 50% -n 2 sleep 1000 &
	wait_until test -e pid
	wait_until are 2 sleep ST
	case $victim in
	guardian) kill -TERM "$(cat pid)" ;;
	master) cut -d' ' -f1 "/proc/$(cat pid)/task/$(cat pid)/children" | xargs kill -KILL ;;
	esac
	wait_until test -e end
	expect_none_left
done

finish
