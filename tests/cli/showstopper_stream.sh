#!/bin/sh
# SPDX-License-Identifier: MIT
# Targets that come while the run goes on: from pipes, files, FIFOs and sockets, and by --set.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# Workloads that make no load of their own: it is about targets.
run() {
	what=$*
	timeout -k 5 60 showstopper -q --log-interval 100m -o log.csv -t stream "$@" -n 1 sleep 1000 2>err
	status=$?
}
# has_target LOAD: whether some row has it, whole.
has_target() {
	awk -F, -v wanted="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "target") at = i } NR > 1 && $at == wanted { found = 1 }
		END { exit !found }' log.csv || fail "no row has the target '$1': $(cut -d, -f1,3 log.csv)"
}

# What is refused, before anything is started.
refused() {
	pattern=$1
	shift
	what=$*
	timeout 60 showstopper -t stream "$@" touch started 2>err
	status=$?
	expect_status 125
	expect_lines err 1
	expect_text err "$pattern"
	[ ! -e started ] || fail "$*: a workload was started"
}
refused "^showstopper: trace module 'stream': source=none: No such file or directory\$" -T none
refused "^showstopper: trace module 'stream': source=/dev/null: expected a file, a FIFO or a unix socket\$" -T /dev/null
refused "^showstopper: trace module 'stream': source=-: found neither a pipe nor a file" -T - </dev/null
refused "^showstopper: trace module 'stream': source=-: it is closed, expected a pipe or a file\$" -T - 0<&-
awk 'BEGIN { for (i = 1; i <= 1024; i++) print i "s 0.5" }' >many
refused "^showstopper: trace module 'stream': source=many: line 1024: found a target that is too many, expected at most 1023" -T many
refused "^showstopper: trace module 'stream': found silence=end without timeout=TIME, expected both\$" -T silence=end
refused "^showstopper: trace module 'stream': -T: option 'silence': 'never'" -T silence=never

# From a pipe: LOAD, what can't be understood, free, and end. No workload gets that input.
mkfifo pipe
{
	sleep 1
	echo 37%
	sleep 1
	printf 'bla\n45\n0.'
	sleep 1
	echo 81
	sleep 1
	echo free
	sleep 1
	echo end
} >pipe &
run -T - <pipe
wait
expect_status 0
has_target 0.000000
has_target 0.370000
has_target 0.810000
has_target ''
expect_lines err 2
expect_text err "^showstopper: standard input: line 2: found 'bla', expected LOAD, TIME LOAD, .*; what was said before holds\$"
expect_text err '^showstopper: 1 more line of targets that could not be understood was not told of$'

# What stands behind an end in the same piece doesn't undo it.
{
	sleep 1
	printf 'end\n40%%\n'
	sleep 1
} >pipe &
run -T - -r 30s <pipe
wait
expect_status 0
[ "$(awk 'END { print NR }' log.csv)" -le 20 ] || fail 'a line behind the end undid it'

# An end before control begins doesn't wait for it.
begun=$(date +%s)
for before in '--warmup 50s' '--start-interval 50s -n 2' "--start-at @$(($(date +%s) + 50))"; do
	{
		sleep 1
		echo end
	} >pipe &
	# shellcheck disable=SC2086 # words
	run -T - $before <pipe
	wait
	expect_status 0
done
[ "$(($(date +%s) - begun))" -le 45 ] || fail "an end that came before control waited for it"

# However many lines come, reading them takes little of one processor.
yes 40% | timeout -k 5 60 showstopper --export-json flood.json -r 3s -t stream -T - -n 1 sleep 1000 2>err || fail "the run failed: $(cat err)"
python3 -c 'import json; own = json.load(open("flood.json"))["result"]["own_cpu_s"]["master"]; assert own < 1, own' || fail 'a flood of lines took much of the machine'

# A file is said at once; its times are those of the run, and what has no end yet ends as asked.
printf '0s 20%%\n1s 60%%\n2s 60%%\n' >lines
run -T lines,end=end
expect_status 0
has_target 0.200000
has_target 0.600000
rows=$(awk 'END { print NR }' log.csv)
{ [ "$rows" -ge 15 ] && [ "$rows" -le 25 ]; } || fail "a run of two seconds has $((rows - 1)) rows of 100 ms"
printf '1s end\n' >lines
run -T lines -r 30s
expect_status 0
[ "$(awk 'END { print NR }' log.csv)" -le 13 ] || fail 'the run went on behind its end'
run -T lines,first=30% -r 500ms
expect_status 0
has_target 0.300000

# Silence ends it; and the end of a pipe frees the workloads.
run -T pipe,timeout=1s,silence=end
expect_status 0
run -T -,end=free -r 1s <lines
expect_status 0

# A FIFO has many writers, one after the other.
start_background timeout -k 5 60 showstopper -q --log-interval 100m -o log.csv -t stream -T pipe -n 1 sleep 1000
for load in 0.11 0.22; do
	sleep 1
	echo "$load" >pipe
done
sleep 1
echo end >pipe
wait_background
expect_status 0
has_target 0.110000
has_target 0.220000

write_pipe() {
	chmod 600 pipe
	# shellcheck disable=SC2059 # it is one
	printf "$1" >pipe
	chmod 400 pipe
}
# One that the user may only read, too; and a line that two of them write is one.
chmod 400 pipe
may_read=
[ "$(id -u)" != 0 ] || may_read='setpriv --bounding-set=-dac_override --inh-caps=-dac_override'
# shellcheck disable=SC2086 # words
start_background timeout -k 5 60 $may_read showstopper -q --log-interval 100m -o log.csv -t stream -T pipe -n 1 sleep 1000
for text in '0.33\n' '0.4' '4\n'; do
	sleep 1
	write_pipe "$text"
done
sleep 1
write_pipe 'end\n'
wait_background
expect_status 0
expect_lines err 0
has_target 0.330000
has_target 0.440000
chmod 600 pipe

# A unix socket that somebody else listens at.
cat >serve.py <<'END'
import socket, time
server = socket.socket(socket.AF_UNIX)
server.bind("server")
server.listen()
peer = server.accept()[0]
peer.send(b"0.44\n")
time.sleep(1)
END
python3 serve.py &
wait_until test -S server
run -T server,end=end
wait
expect_status 0
has_target 0.440000

# A socket of the run's own, which is gone with it, also when all of it is killed.
sockets() {
	for folder in /run/showstopper "${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/showstopper" "${TMPDIR:-/tmp}/showstopper-$(id -u)"; do
		find "$folder" -type s -name "showstopper-$1-*.socket" 2>/dev/null
	done
}
set_target() {
	what="--set $*"
	timeout 60 showstopper --set "$@" >out 2>err
	status=$?
}
showstopper -q --log-interval 100m -o log.csv -t stream -n 1 sleep 1000 2>run_err &
run=$!
wait_until showstopper --set 55% "$run" 2>/dev/null
sleep 1
set_target 66% "$run"
expect_status 0
expect_lines out 0
expect_lines err 0
[ -n "$(sockets "$run")" ] || fail 'the run has no socket'
[ "$(stat -c %a "$(sockets "$run")")" = 600 ] || fail 'others may write into the socket'
sleep 1
set_target end "$run"
expect_status 0
wait "$run" || fail "the run ended with $?: $(cat run_err)"
[ -z "$(sockets "$run")" ] || fail "left: $(sockets "$run")"
has_target 0.550000
has_target 0.660000

# By any of its processes, or by none where it is the only one; what can't be understood is refused by the sender, and by the run.
showstopper --log-interval 100m -o log.csv -t stream -n 1 sleep 1000 2>run_err &
run=$!
wait_until showstopper --set 50% "$run" 2>/dev/null
expect_text run_err "^showstopper: set the target with: showstopper --set 40% $run\$"
workload=$(pgrep -x sleep -P "$(pgrep -P "$(pgrep -P "$run")")")
set_target 51% "$workload"
expect_status 0
# shellcheck disable=SC2317 # wait_until calls it
is_set() { grep -q ",0\.$1" log.csv; }
wait_until is_set 510000
showstopper -q -t stream -n 1 sleep 1000 &
second=$!
wait_until showstopper --set 50% "$second" 2>/dev/null
set_target 53%
expect_status 125
expect_text err '^showstopper: --set: found several runs: expected the number of a process of one of them behind the load$'
kill -TERM "$second"
wait "$second" 2>/dev/null
python3 - "$(sockets "$run")" <<'END' >out
import array, socket, sys
to = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
to.connect(sys.argv[1])
for text in b"54%\n55%", b"56%\nbla", b"", b"#", b"x" * 5000:
    ours, theirs = socket.socketpair()
    to.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno()]))])
    theirs.close()
    print(ours.recv(9).decode())
to.send(b"57%")
END
[ "$(tr '\n' ' ' <out)" = '1 0 0 1 0 ' ] || fail "the run answered $(tr '\n' ' ' <out)"
wait_until is_set 570000
set_target end "$run"
expect_status 0
wait "$run" || fail "the run ended with $?: $(cat run_err)"

set_target 40% "$run"
expect_status 125
expect_text err "^showstopper: --set: process $run: found no such process: expected that of a run\$"
set_target 40% $$
expect_status 125
expect_text err "^showstopper: --set: process $$: found no run of it: expected one with -t stream and no source\$"
for words in '45 1' '40% one' '40% 1 2' '# 1'; do
	# shellcheck disable=SC2086 # words
	set_target $words
	expect_status 125
	expect_lines err 1
	expect_text err '^showstopper: --set: '
done
set_target 40% -n 3 $$
expect_status 125
expect_text err "^showstopper: --set: option '-n' beside it would do nothing: expected it alone\$"
timeout 60 showstopper --control deficit --release unit:none 2>err
status=$?
expect_status 125
expect_text err "^showstopper: --release: option '--control' beside it would do nothing: expected it alone\$"
timeout 60 showstopper --release unit:none unit:other 2>err
status=$?
expect_status 125
expect_text err "^showstopper: --release: 'unit:other' behind it would do nothing: expected one group at a time\$"

# All of it is killed: the next one removes its socket.
showstopper -q -t stream -n 1 sleep 1000 &
run=$!
wait_until showstopper --set 55% "$run" 2>/dev/null
socket=$(sockets "$run")
kill -KILL "$(pgrep -P "$run")" "$run"
wait "$run" 2>/dev/null
timeout 60 showstopper -q -t stream -r 1s -n 1 sleep 1000
wait_until [ ! -S "$socket" ]

# In virtual time a file is the source.
printf '0s 20%%\n10s 60%%\n20s end\n' >lines
timeout 60 sssim -t stream -T lines -o log.csv >out 2>err || fail "sssim failed: $(cat err)"
has_target 0.200000
has_target 0.600000
[ "$(tail -n 1 log.csv | cut -d. -f1)" = 20 ] || fail "sssim ended at $(tail -n 1 log.csv | cut -d, -f1)"
timeout 60 sssim -t stream -r 1s 2>err && fail 'sssim took targets from nowhere'
expect_text err "expected source=FILE"

# A socket on standard input that the user keeps is shut down for nobody.
cat >inherited.py <<'END'
import socket, subprocess
ours, theirs = socket.socketpair()
end = "showstopper -q -t stream -T - -r 1s -n 1 sleep 5; echo $?"
run = subprocess.Popen(["sh", "-c", end], stdin=theirs, stdout=theirs)
theirs.close()
ours.send(b"45%\n")
run.wait()
print(ours.recv(99).decode(), end="")
END
timeout 60 python3 inherited.py >out 2>err
[ "$(cat out)" = 0 ] || fail "behind a run with a socket: '$(cat out)' $(cat err)"

# From another PID namespace a run can't be named.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	# Where it is the only one, whatever runs beside this test, it needs no number.
	cat >alone.sh <<'END'
showstopper -q --log-interval 100m -o alone.csv -t stream -n 1 sleep 1000 &
until showstopper --set 52% 2>/dev/null && grep -q ',0\.520000,' alone.csv; do sleep 0.1; done
kill $!
wait
END
	timeout 60 unshare --pid --fork --mount-proc sh ./alone.sh || fail '--set without a number: the only run has no such target'
	unshare --pid --fork --mount-proc showstopper -q -t stream -n 1 sleep 1000 &
	outer=$!
	# shellcheck disable=SC2317 # wait_until calls it
	is_there() { [ "$(sockets 1 | wc -l)" -eq 1 ]; }
	wait_until is_there
	set_target 40% "$$"
	expect_text err ': found no run of it: expected one in this PID namespace, where the one that is there isn.t$'
	kill "$(pgrep -P "$outer")"
	wait "$outer"
else
	left_out 'PID namespaces'
fi

# What cpuload writes is what is read.
timeout 60 cpuload --stream 100m 5 >lines || fail "cpuload --stream ended with $?"
expect_lines lines 5
grep -Evq '^[01]\.[0-9]{6}$' lines && fail "cpuload wrote $(cat lines)"
timeout 60 cpuload --stream -P 100m 1 2>err && fail '--stream and -P were taken'
expect_text err '^cpuload: --stream: expected none of '
finish
