#!/bin/sh
# SPDX-License-Identifier: MIT
# ssburn --listen: addresses, the queue, processor time, ends, clients that misbehave. tests/cli/http_client.py is the client.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE

run ssburn --listen 0 --time 0
if grep -q 'built without libmicrohttpd' err; then skip_missing libmicrohttpd-dev; fi
expect_status 0
expect_lines out 0
expect_lines err 1
expect_text err '^ssburn: listening at http://127\.0\.0\.1:[1-9][0-9]*/$'

# refused REGEX OPTION…
refused() {
	expected=$1
	shift
	run ssburn -o refused.csv "$@"
	expect_trouble "$expected"
	[ ! -e refused.csv ] || fail "$what: made its output"
	rm -f refused.csv
}
for address in x 65536 1.2.3.4 example.org:80 ::1:80 unix: http://127.0.0.1:80; do
	refused "^ssburn: --listen: '$address' is malformed: expected ADDRESS:PORT such as " --listen "$address"
done
refused "^ssburn: --service: '0' is out of range: expected a time .* from 1us to 1d" --listen 0 --service 0
refused "^ssburn: --distribution: 'gamma' is malformed: expected constant, exponential, " --listen 0 --distribution gamma
refused "^ssburn: --distribution: 'pareto:shape=1' is malformed: .* A above 1, up to 1000" --listen 0 --distribution pareto:shape=1
refused '^ssburn: --connections: .0. is out of range' --listen 0 --connections 0
refused '^ssburn: --draw: .0. is out of range' --listen 0 --draw 0
for option in '--service 1s' '--distribution exponential' '--connections 5' '--draw 5'; do
	# shellcheck disable=SC2086
	refused "^ssburn: ${option% *}: expected it with --listen" $option
done
for option in '-p single' '-w 5' '--phase 5' '--sleep 5' -c; do
	# shellcheck disable=SC2086
	refused '^ssburn: --(profile|work|phase|sleep|checksum): expected it without --listen' $option --listen 0
done
refused '^ssburn: --listen: can.t listen at unix:nowhere/socket: No such file' --listen unix:nowhere/socket
long=$(printf '%0107d' 0)
run ssburn --listen "unix:$long" --time 0
expect_status 0
refused "^ssburn: --listen: 'unix:${long}0' is malformed: expected .* unix:PATH of at most 107 bytes\$" --listen "unix:${long}0"
echo kept >file
refused '^ssburn: --listen: can.t listen at unix:file: there is something else already' --listen unix:file
[ "$(cat file)" = kept ] || fail 'a file was taken for a socket'

is_listening() { grep -q '^ssburn: listening at ' err; }
# start OPTION…: a service in the background at $address, with -v.
start() {
	start_background "$@"
	wait_until is_listening
	address=$(sed -n 's/^ssburn: listening at //p' err)
}
# ask WHAT…: the client, whose answers are in the file out_of_client.
ask() {
	timeout 60 /usr/bin/python3 -B "$source/tests/cli/http_client.py" "$address" "$@" >out_of_client 2>&1 || {
		fail "$what: client $*: status $?"
		cat out_of_client
	}
}
stop() {
	kill "-${1:-TERM}" "$background"
	wait_background
}

# ---- Requests -------------------------------------------------------------------------------------------------------------

# What a request is: any method and path, with a body or without; what is malformed is none.
start ssburn --listen 0 -v --service 2m -o records.csv
ask methods
stop
expect_status 143
expect_text err '^ssburn: 7 requests in [0-9.]+ s: in the mean [0-9.]+ ms of processor time, which took [0-9.]+ ms, after [0-9.]+ ms in the queue$'
expect_text err '^ssburn: threads 1, utilised [0-9.]+ %; in the queue at most 1; turned away at the end 0$'
expect_lines records.csv 8
# The port in use is refused, and leaves the records of before.
start ssburn --listen 0
run ssburn --listen "${address#http://}" -o records.csv
expect_trouble "^ssburn: --listen: '127.0.0.1:[0-9]*/' is malformed"
port=${address##*:}
run ssburn --listen "${port%/}" -o records.csv
expect_trouble "^ssburn: --listen: can't listen at http://127\.0\.0\.1:${port%/}/: Address already in use"
expect_lines records.csv 8
stop
if [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6; then
	start ssburn --listen '[::1]:0' -n 1
	ask one
	wait_background
	expect_status 0
fi

# First come, first served: many at once wait, and those of two threads overlap by no more than two.
for threads in 1 2; do
	start ssburn --listen 0 -v --service 200m -t $threads -o records.csv
	ask order 8
	stop
	expect_text err "^ssburn: threads $threads, .*; in the queue at most [2-7];"
	expect_lines records.csv 9
	sed 1d records.csv | sort -t, -k3n | awk -F, -v threads=$threads '
		{
			busy = 0
			for (i = 1; i < NR; i++) busy += end[i] > $3
			end[NR] = $4
			if (busy >= threads || $2 != NR - 1) exit 1
		}' || fail "$what: served otherwise than by $threads at a time in the order in which they are numbered"
done

# The same times for the same seed and instance, and others for others: as the answers say.
seen=0
for seed in 1 1 2; do
	start ssburn --listen 0 --distribution pareto:shape=3 --service 20m -s $seed -n 20
	ask times 20
	wait_background
	expect_status 0
	# To the half of a unit of work: the numbers are the same in whole ms but for those at an edge.
	mv out_of_client "times.$seed.$((seen += 1))"
done
close() { paste "$1" "$2" | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1) far++ } END { exit far > 0 }'; }
close times.1.1 times.1.2 || { fail 'the same seed has other times'; paste times.1.1 times.1.2; }
if close times.1.1 times.2.3; then fail 'another seed has the same times'; fi
awk '$1 < 13.3 { exit 1 }' times.1.1 || fail 'shorter than the least of a Pareto distribution'

# --draw prints them beforehand, and listens to nobody.
run ssburn --listen unix:undone --distribution pareto:shape=3 --service 20m -s 1 -o undone --draw 20
expect_status 0
expect_lines err 0
[ ! -e undone ] || fail "$what: made something"
[ "$(head -n 1 out)" = iteration,service_s ] || fail "$what: another header"
awk -F, 'NR > 1 { if ($1 != NR - 2) exit 1; print 1000 * $2 }' out >times.drawn || fail "$what: not numbered from 0"
close times.1.1 times.drawn || { fail 'other times than those drawn'; paste times.1.1 times.drawn; }
timeout 10 ssburn --listen 0 --draw 1000000000 >/dev/full 2>err && fail 'printed onto a full device'
expect_text err "^ssburn: can't write to standard output: No space left on device\$"

# Time in which it is stopped is none of service: 30 stops of 20 ms in the middle of 100 ms.
start ssburn --listen 0 --service 100m -n 1 -v
ask one &
client=$!
for _ in $(seq 30); do
	kill -STOP "$background" 2>/dev/null || break
	sleep 0.02
	kill -CONT "$background" 2>/dev/null || break
	sleep 0.002
done
wait "$client"
wait_background
sed -n 's/.* mean \([0-9.]*\) ms of processor time, which took \([0-9.]*\) ms, .*/\1 \2/p' err | awk '
	{ found = 1; if ($1 < 99.5 || $1 > 102 || $2 < 2 * $1) exit 1 } END { exit !found }' || { fail 'being stopped counts'; cat err; }

# ---- Ends -----------------------------------------------------------------------------------------------------------------

# -n: so many are served, the others are turned away; the status is 0.
start ssburn --listen 0 -n 3 --service 20m -v
ask turned 3 5
wait_background
expect_status 0
expect_text err '^ssburn: 3 requests in '
expect_text err '; turned away at the end 5$'
# By a signal or --time what is being served is turned away, too, at once.
for signal in INT:130 TERM:143 HUP:129; do
	ends=${signal#*:} signal=${signal%:*}
	start env --default-signal="$signal" ssburn --listen 0 --service 100s -t 2 -v
	ask turned 0 5 &
	client=$!
	two_are_busy() { cat "/proc/$background/task/"*/stat | sed 's/.*) //' | awk '$12 + $13 > 5 { busy++ } END { exit busy != 2 }'; }
	wait_until two_are_busy
	sleep 0.2
	begin=$(cut -d' ' -f1 /proc/uptime)
	stop "$signal"
	expect_status "$ends"
	awk -v begin="$begin" '{ exit $1 - begin > 5 }' /proc/uptime || fail "$what: SIG$signal took seconds"
	wait "$client"
	expect_text err '^ssburn: 0 requests in .* 0\.000 ms of processor time'
	expect_text err '; turned away at the end 5$'
done
# On a busy machine the client takes its time to come.
start ssburn --listen 0 --service 100s --time 4s
ask turned 0 1
wait_background
expect_status 0

# Sockets: removed at the end; a dead server's is replaced, a live one's isn't.
is_a_socket() { [ -S socket ]; }
start ssburn --listen unix:socket
[ "$address" = unix:socket ] || fail "$what: listens at $address"
ask one
run ssburn --listen unix:socket --time 0
expect_trouble '^ssburn: --listen: can.t listen at unix:socket: Address already in use'
ask one
stop KILL
is_a_socket || fail "$what: killed, it took its socket along"
start ssburn --listen unix:socket
ask one
stop TERM
if is_a_socket; then fail "$what: left its socket"; fi

# ---- Clients that misbehave -----------------------------------------------------------------------------------------------

# Slow ones, idle ones and those that go away keep nobody else waiting, nor the end.
start ssburn --listen 0 --service 1m -v
ask troublesome
stop
expect_status 143
# More clients than connections: all are answered, and --connections bounds the queue.
start ssburn --listen 0 --connections 5 --service 1m -v
ask crowd 40
stop
expect_text err '; in the queue at most [1-5];'
# The same where files are few, which is said.
start sh -c 'ulimit -n 40; exec ssburn --listen 0 --service 1m -v'
expect_text err '^ssburn: warning: --connections: 8 instead of 1000, since 40 open files are allowed \(ulimit -Hn\)$'
ask crowd 60
stop
expect_text err '^ssburn: 60 requests in '
expect_text err '; in the queue at most [1-8];'
run sh -c 'ulimit -n 32; exec ssburn --listen 0'
expect_trouble '^ssburn: --connections: each needs an open file, and 32 are allowed \(ulimit -Hn\): expected more than 32$'

# Who waits for the line that says where it listens finds a service that stays.
run ssburn --listen unix:refused --service 1ms -o /dev/full
expect_trouble "^ssburn: /dev/full: can't write iteration records: No space left on device\$"
[ ! -e refused ] || fail 'a socket was left'

finish
