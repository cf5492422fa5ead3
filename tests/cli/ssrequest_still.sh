#!/bin/sh
# SPDX-License-Identifier: MIT
# What keeps ssrequest itself from sending: names that nobody answers for, and being stopped. Neither may look like the server's doing.
# shellcheck disable=SC2317,SC2016 # functions that wait_until calls; scripts for sh -c
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

[ -x "$build/ssrequest" ] || skip_missing libcurl4-openssl-dev
command -v python3 >/dev/null || skip_missing python3-pytest
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
python3 "$source/tests/cli/http_server.py" >port 2>server.err &
server=$!
trap '[ -z "$background" ] || kill -KILL "$background"; kill -KILL $server; cd /; rm -rf "$work"' EXIT
what=server
wait_until test -s port
url=http://127.0.0.1:$(head -n 1 port)/
statuses() { grep '^[0-9]' log | cut -d, -f9 | sort | uniq -c | tr -s ' \n' ' '; }

# ---- Being stopped ----------------------------------------------------------------------------------------------------------

# Three seconds, of which each request may take two: those that were due meanwhile are late, but the server answers all of them.
has_answers() { [ -f log ] && [ "$(wc -l <log)" -gt "$1" ]; }
for of in "$url" '-- true'; do
	rm -f log
	# shellcheck disable=SC2086 # a command
	start_background ssrequest --rate 20 -r 5s --timeout 2s -o log --export-json json $of
	wait_until has_answers 10
	kill -STOP "$background"
	sleep 3
	kill -CONT "$background"
	wait_background
	expect_status 0
	expect_text err '^errors +0 %$'
	grep '^[0-9]' log | grep -v ',good,' | head -3 >lost
	[ ! -s lost ] || { fail "$what: looks like a timeout: $(statuses)"; cat lost; }
	[ "$(grep -c '^[0-9]' log)" -eq 100 ] || fail "$what: $(grep -c '^[0-9]' log) of 100 requests"
	# They keep the times for which they were planned: of 60 that were due meanwhile, 40 are sent more than a second late.
	awk -F, '/^[0-9]/ { if ($4 != $3) moved++; if ($5 - $3 > 1) late++ } END { exit moved > 0 || late < 30 }' log ||
		fail "$what: the pause isn't in the times of requests"
	expect_text err '^ssrequest: warning: the generator stood still for [2-9]\.[0-9] s \([1-9] times?\): what was due meanwhile was sent later'
	expect_text json '"generator_stood_still_s": [2-9]\.'
done
# One that begins so many commands is mostly stopped in the middle of that.
rm -f log
start_background ssrequest --rate 800 -r 3s --timeout 1500m -o log -- true
wait_until has_answers 100
kill -STOP "$background"
sleep 2
kill -CONT "$background"
wait_background
expect_text err '^ssrequest: warning: the generator stood still for [2-9]\.[0-9] s'
grep -c '^[0-9].*,timeout,' log >lost && fail "$what: looks like a timeout: $(statuses)"
# A server that doesn't answer gets its full time, after the pause.
start_background ssrequest --rate 10 -n 5 --timeout 1s -o log "${url}silent"
sleep 0.3
kill -STOP "$background"
sleep 1.5
kill -CONT "$background"
wait_background
expect_text err '^errors +100 %: 5 given up$'
# One that sends without an end keeps us busy, which is no pause: it is given up.
run ssrequest --rate 100 -n 16 --timeout 1s --expect-text aab "${url}endless"
expect_status 0
expect_text err '^errors +100 %: 16 given up$'
# Nothing is said where nothing was.
run ssrequest --rate 20 -n 20 --export-json json "$url"
expect_no_text err 'stood still for [1-9]'

# ---- Names ------------------------------------------------------------------------------------------------------------------

# A name that isn't known is refused before anything is sent or emptied.
echo kept >kept
run ssrequest --rate 20 -n 20 -o kept http://no.such.name.invalid/
expect_trouble '^ssrequest: no\.such\.name\.invalid can.t be looked up: '
[ "$(cat kept)" = kept ] || fail "$what: emptied its output"
# Where a proxy or a socket takes the requests, the name is theirs. The proxy of another scheme takes none, nor does no_proxy let one.
for proxies in http_proxy= all_proxy= 'no_proxy=ame.invalid http_proxy='; do
	# shellcheck disable=SC2086 # variables
	run env $proxies"$url" ssrequest --rate 50 -n 5 http://no.such.name.invalid/
	expect_text err '^errors +0 %$'
done
for proxies in HTTP_PROXY= https_proxy= no_proxy='* http_proxy=' NO_PROXY='a,.NAME.invalid http_proxy=' no_proxy='invalid.,a http_proxy='; do
	# shellcheck disable=SC2086 # variables
	run env $proxies"$url" ssrequest --rate 50 -n 5 http://no.such.name.invalid/
	expect_trouble '^ssrequest: no\.such\.name\.invalid can.t be looked up: '
done
# A name beyond ASCII is one of UTF-8, whatever the locale.
run ssrequest --rate 50 -n 5 http://bücher.invalid/
expect_trouble '^ssrequest: xn--bcher-kva\.invalid can.t be looked up: '
run env http_proxy="$url" ssrequest --rate 50 -n 5 http://bücher.invalid/
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 5 --unix-socket no "http://b$(printf '\374')cher.invalid/"
expect_trouble '^ssrequest: .*cher\.invalid/. is malformed: its host is no internationalized domain name in UTF-8$'
run ssrequest --rate 50 -n 5 "http://localhost:$(head -n 1 port)/"
expect_text err '^errors +0 %$'

# A name server that never answers, beside a host that does: in a network of their own.
cat >silent.sh <<'END'
set -u
ip link set lo up || exit 99
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >resolv
mount --bind resolv /etc/resolv.conf || exit 99
python3 - <<PYTHON &
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 53))
open("silent", "w").close()
time.sleep(60)
PYTHON
names=$!
python3 "$1/tests/cli/http_server.py" >there &
server=$!
trap 'kill $names $server' EXIT
until [ -s there ] && [ -e silent ]; do sleep 0.1; done
printf '1 http://silent.example.org/\n1 http://127.0.0.1:%s/\n' "$(head -n 1 there)" >urls
timeout 50 ssrequest --rate 20 -r 6s --timeout 500m -o log --urls urls
END
if unshare --mount --net sh -c 'ip link set lo up && touch resolv && mount --bind resolv /etc/resolv.conf' 2>/dev/null; then
	echo kept >log
	run unshare --mount --net sh silent.sh "$source"
	expect_status 125
	expect_text err '^ssrequest: silent\.example\.org can.t be looked up: '
	[ "$(cat log)" = kept ] || {
		fail "$what: it was run; most late of requests: $(awk -F, '/^[0-9]/ && $5 - $4 > most { most = $5 - $4 } END { print most }' log) s"
	}
else
	left_out 'no network of its own'
fi

finish
