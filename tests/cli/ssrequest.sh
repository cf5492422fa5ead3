#!/bin/sh
# SPDX-License-Identifier: MIT
# ssrequest: options, commands, HTTP, records, summary, ends.
# shellcheck disable=SC2317,SC2016 # functions that wait_until calls; scripts for sh -c
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

[ -x "$build/ssrequest" ] || skip_missing libcurl4-openssl-dev
# Part of the arguments of commands, so that no others are taken for them.
mark=$$
export mark
header=request,url,planned_s,arrival_s,sent_s,end_s,response_s,status,outcome,bytes,time_unix_s

# expect_records FILE COUNT: a header and so many records, each request once, whose times don't go back.
expect_records() {
	[ "$(head -n 1 "$1")" = "$header" ] || fail "$what: header of $1"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: the last line of $1 is not whole"
	grep '^[0-9]' "$1" | sort -n >sorted
	expect_lines sorted "$2"
	awk -F, '
		NF != 11 || $1 != NR - 1 { print "numbers: " $0; exit 1 }
		$4 < $3 || ($5 != "" && $5 < $4) || $6 < $4 || ($5 != "" && $6 < $5) { print "times: " $0; exit 1 }
		$3 < last { print "order: " $0; exit 1 }
		{ last = $3 }' sorted || fail "$what: records of $1"
}

# is_there SECONDS: a command of this test sleeps for so long.
is_there() {
	pgrep -x -f "sleep $1.$mark" >/dev/null
}
expect_nothing_left() {
	if is_there "$1"; then fail "$what: something is left"; fi
}

# Options that are refused, with nothing started and no file made.
refused() {
	expected=$1
	shift
	run ssrequest -o refused.csv "$@"
	expect_trouble "$expected"
	[ ! -e refused.csv ] || fail "$what: made its output"
	rm -f refused.csv
	[ ! -e started ] || fail "$what: started the command"
	rm -f started
}
refused '^ssrequest: expected --rate, or a trace and --peak' http://localhost/
refused '^ssrequest: expected an URL, or -- and a command' --rate 1
refused '^ssrequest: expected a command after --' --rate 1 --
refused "^ssrequest: 'touch': expected an URL that begins with http:// or https:// \(a command stands after --\)" --rate 1 touch started
refused "^ssrequest: 'HTTP://localhost/' behind -- is a command: expected an URL before it" --rate 1 -- HTTP://localhost/
refused "^ssrequest: 'ftp://localhost/': expected an URL" --rate 1 ftp://localhost/
refused "^ssrequest: 'http://': expected an URL" --rate 1 http://
refused "^ssrequest: --rate: 'x': expected requests per second" --rate x -- touch started
refused "^ssrequest: --rate: '-1': expected requests per second" --rate -1 -- touch started
refused "^ssrequest: --rate: '1e8': expected requests per second" --rate 1e8 -- touch started
refused '^ssrequest: --rate: found 0 without --run-time' --rate 0 -n 5 -- touch started
refused '^ssrequest: found --rate and a trace' --rate 1 -T 50% -- touch started
refused '^ssrequest: found a trace without --peak' -T 50% -- touch started
refused '^ssrequest: found --peak without a trace' --rate 1 --peak 3 -- touch started
refused "^ssrequest: trace module 'nosuch'" -t nosuch --peak 3 -- touch started
refused "^ssrequest: -T: 'nosuch.trace': expected a load" -T nosuch.trace --peak 3 -- touch started
refused "^ssrequest: --arrivals: 'odd' is malformed: expected even, concurrent or poisson" --rate 1 --arrivals odd -- touch started
refused "^ssrequest: --limit: '0' is out of range" --rate 1 --limit 0 -- touch started
refused "^ssrequest: --timeout: '0' is out of range" --rate 1 --timeout 0 -- touch started
refused "^ssrequest: --beyond: 'wait' is malformed: expected delay or drop" --rate 1 --beyond wait -- touch started
refused "^ssrequest: --require: 'p42=1s' is malformed: expected mean, p50" --rate 1 --require p42=1s -- touch started
refused "^ssrequest: --require: 'p99=1%' is malformed" --rate 1 --require p99=1% -- touch started
refused "^ssrequest: --require: 'errors=1s' is malformed" --rate 1 --require errors=1s -- touch started
refused "^ssrequest: --require: 'p99=2s' is there twice" --rate 1 --require p99=1s,p99=2s -- touch started
refused "^ssrequest: --expect-status: '2x': expected statuses such as" --rate 1 --expect-status 2x -- touch started
refused "^ssrequest: --expect-status: '300-200': expected statuses" --rate 1 --expect-status 300-200 -- touch started
refused "^ssrequest: -H: 'nothing': expected NAME: VALUE" --rate 1 -H nothing http://localhost/
refused "^ssrequest: -X: 'get': expected a method" --rate 1 -X get http://localhost/
refused '^ssrequest: found --header and a command' --rate 1 -H 'a: b' -- touch started
refused '^ssrequest: found an URL and a command' --rate 1 http://localhost/ -- touch started
refused '^ssrequest: found --expect-text and a command' --rate 1 --expect-text x -- touch started
refused '^ssrequest: --urls: nowhere: No such file' --rate 1 -u nowhere
refused '^ssrequest: --body: nowhere: No such file' --rate 1 -d @nowhere http://localhost/
refused '^ssrequest: --cacert: nowhere: No such file' --rate 1 --cacert nowhere https://localhost/
refused '^ssrequest: --unix-socket: nowhere: No such file' --rate 1 --unix-socket nowhere http://localhost/
refused '^ssrequest: --unix-socket: /etc/passwd is no socket' --rate 1 --unix-socket /etc/passwd http://localhost/
refused "^ssrequest: --cpus|^ssrequest: -c: 'x' is not a list of processors" --rate 1 -c x -- touch started
refused "^ssrequest: --output and --export-json: both would be written to standard output" --rate 1 -o - --export-json - -- touch started
refused "^ssrequest: 'http://localhost:99999/' is malformed: " --rate 1 http://localhost:99999/
refused "^ssrequest: 'http://\[::1/' is malformed: " --rate 1 http://localhost/ 'http://[::1/'
for line in 'x http://localhost/' '0 http://localhost/' '-1 http://localhost/' '1' '1 http://localhost/ more' '1 localhost'; do
	printf '# URLs\n\n%s\n' "$line" >urls
	refused '^ssrequest: --urls: urls:3: ' --rate 1 -u urls
done
printf '# none\n' >urls
refused '^ssrequest: --urls: urls: found no URL' --rate 1 -u urls
run ssrequest --rate 1 -o nowhere/log -- touch started
expect_trouble '^ssrequest: nowhere/log: can.t write records of requests: No such file'
run ssrequest --rate 1 -o /dev/full -- touch started
expect_trouble '^ssrequest: /dev/full: can.t write records of requests: No space left'
run ssrequest --rate 1 --export-json nowhere/json -- touch started
expect_trouble '^ssrequest: can.t write nowhere/json: No such file'
[ ! -e started ] || fail "$what: started the command"
echo kept >kept.csv
run ssrequest --rate 1 -n 1 -o kept.csv -- ./nosuch
expect_status 127
expect_lines err 1
run ssrequest --rate 1 -n 1 -o kept.csv -- /etc/passwd
expect_status 126
[ "$(cat kept.csv)" = kept ] || fail 'an output of a refused command line was emptied'

run sh -c 'ssrequest --help >/dev/full'
expect_trouble "^ssrequest: can't write standard output: No space left"
run sh -c 'ssrequest --explain >/dev/full'
expect_trouble "^ssrequest: can't write standard output: No space left"

# What --explain says of a row, the manual says in the same words; and a summary has no other row.
run ssrequest --explain
expect_status 0
cp out explained
awk 'length > 80 { exit 1 }' out || fail '--explain has lines that are too long for a screen'
if command -v mandoc >/dev/null; then
	mandoc -T ascii -O width=1000 "$source/tools/ssrequest/ssrequest.1" | sed "s/.$(printf '\b')//g" | tr '\n' ' ' | sed 's/  */ /g' >manual
	awk '/^[^ ]/ && NR > 1 { print "" } { printf "%s ", $0 } END { print "" }' explained | sed 's/  */ /g; s/ $//' >entries
	while read -r entry; do
		grep -qF -- "$entry" manual || fail "the manual lacks what --explain says: $entry"
	done <entries
else
	missing mandoc
fi

# ---- What would be done ---------------------------------------------------------------------------------------------------------

run ssrequest --dry-run --rate 20 -r 3s --arrivals concurrent -- touch started
expect_status 0
expect_lines err 0
expect_text out '^requests +60$'
expect_text out '^command +touch started$'
[ ! -e started ] || fail "$what: started the command"
run ssrequest --dry-run -t staircase -T from=0%,to=100%,step=50%,hold=2s,symmetric=no --peak 40 http://localhost/a http://localhost/b
expect_text out '^run time +6s$'
expect_text out '^requests +120$'
expect_text out '^url +0: http://localhost/a, 50 %$'
run ssrequest --dry-run --rate 10000 http://localhost/
expect_text out '^rate +10000 a second$'
expect_text out '^run time +until it is interrupted$'
run timeout 60 ssrequest --dry-run --rate 1e-9 -n 2 -- touch started
expect_status 0
expect_text out '^requests +1 or more: the rest was not counted$'
printf '0 0\n10s 100%%\n' >ramp.trace
run ssrequest --dry-run -T ramp.trace --peak 10 http://localhost/
expect_text out '^requests +50$'

# ---- A command for each request -------------------------------------------------------------------------------------------------

run ssrequest -q --rate 50 -n 30 -o log -- sh -c 'echo "request $SHOWSTOPPER_INSTANCE"; cat'
expect_status 0
expect_lines err 0
expect_lines out 30
[ "$(sort -t ' ' -n -k 2 out | tail -n 1)" = 'request 29' ] || fail "$what: the last number is not 29"
expect_records log 30
sed -n 2p log | grep -qF ',"sh -c echo ""request $SHOWSTOPPER_INSTANCE""; cat",' || fail "$what: the command isn't named: $(sed -n 2p log)"
# Even ones are planned exactly so.
awk -F, '{ at = sprintf("%.6f", $3 - first) } NR == 1 { first = $3; next } at != sprintf("%.6f", (NR - 1) / 50) { exit 1 }' sorted ||
	fail "$what: not 20 ms apart"
awk -F, '$8 != 0 || $9 != "good" || $10 != "" { exit 1 }' sorted || fail "$what: statuses"

# What of them ends badly is an error, unless that is expected.
run ssrequest --rate 50 -n 10 -o log -- sh -c 'exit $((SHOWSTOPPER_INSTANCE % 2))'
expect_status 0
expect_text err '^errors +50 %: 5 wrong$'
expect_records log 10
[ "$(awk -F, '$8 == 1 && $9 == "wrong"' sorted | wc -l)" -eq 5 ] || fail "$what: statuses"
run ssrequest --rate 50 -n 10 --expect-status 1 -o log -- sh -c 'exit $((SHOWSTOPPER_INSTANCE % 2))'
expect_text err '^errors +50 %: 5 wrong$'
expect_records log 10
[ "$(grep -c ',1,good,' log)-$(grep -c ',0,unexpected,' log)" = 5-5 ] || fail "$what: words"
run ssrequest --rate 50 -n 4 --expect-status 0-1,143 -- sh -c 'exit $((SHOWSTOPPER_INSTANCE % 2))'
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 2 -o log -- sh -c 'kill -TERM $$'
expect_records log 2
awk -F, '$8 != 143 { exit 1 }' sorted || fail "$what: statuses"

# --require.
run ssrequest -q --rate 50 -n 10 --require p99=50s,errors=60% -- sh -c 'exit $((SHOWSTOPPER_INSTANCE % 2))'
expect_status 0
expect_lines err 0
run ssrequest -q --rate 50 -n 10 --require mean=1ns,errors=49% -- sh -c 'exit $((SHOWSTOPPER_INSTANCE % 2))'
expect_status 3
expect_lines err 2
expect_text err '^ssrequest: mean [0-9.]+ ms, required at most 0\.000 ms$'
expect_text err '^ssrequest: errors 50 %, required at most 49 %$'
run ssrequest -q --rate 0 -r 100m --require p99=50s -- true
expect_status 3
expect_text err '^ssrequest: p99 not known, required at most'

# Given up: killed, with all that it has started, and recorded as such.
run ssrequest --rate 10 -n 3 --timeout 300ms -o log -- sh -c 'setsid sleep 1000.$mark & sleep 1000.$mark'
expect_status 0
expect_text err '^errors +100 %: 3 given up$'
expect_records log 3
awk -F, '$9 != "timeout" || $6 - $4 < 0.3 { exit 1 }' sorted || fail "$what: not given up after 300 ms"
expect_nothing_left 1000

# What a command leaves behind is gone in the end.
run ssrequest -q --rate 10 -n 2 -- sh -c 'setsid sleep 1001.$mark >/dev/null 2>&1 &'
expect_status 0
expect_nothing_left 1001

# At most so many at a time: others are postponed, and dropped where the schedule is over by then.
run ssrequest --rate 20 -r 1s --limit 2 --timeout 300ms -o log -- sleep 1002
expect_status 0
expect_records log 20
expect_text err '^postponed +[0-9.]+ %: [0-9]+$'
awk -F, '$9 == "dropped" { dropped++; if ($5 != "") exit 1; next } $9 != "timeout" { exit 1 } $4 > $3 + 0.1 { late++ }
	END { exit !(dropped >= 10 && late >= 2) }' sorted || { fail "$what: postponed ones"; cat sorted; }
run ssrequest --rate 20 -r 1s --limit 2 --timeout 10s --beyond drop -o log -- sleep 1.5
expect_status 0
expect_records log 20
expect_text err '^errors +90 %: 18 dropped$'
awk -F, '$4 != $3 { exit 1 }' sorted || fail "$what: something was postponed"

# The same seed, the same requests.
planned() {
	sed -n '/^[0-9]/p' "$1" | sort -n | awk -F, 'NR == 1 { first = $3 } { printf "%s %.6f\n", $2, $3 - first }'
}
for try in 1:one 1:again 2:other; do
	run ssrequest -q --rate 100 -n 30 --arrivals poisson -i "${try%:*}" -o log -- true
	planned log >"planned.${try#*:}"
done
cmp -s planned.one planned.again || fail 'the same seed makes other requests'
cmp -s planned.one planned.other && fail 'another seed makes the same requests'

# A trace's loads times --peak: 10 t requests a second, whose integral reaches 0 to 4 within one.
run ssrequest -q -T ramp.trace --peak 100 -r 1s -o log -- true
expect_records log 5
awk -F, 'NR == 1 { first = $3 } { at = $3 - first; exact = sqrt((NR - 1) / 5); if (at < exact - 0.002 || at > exact + 0.002) exit 1 }' sorted ||
	{ fail "$what: not when the trace says"; cat sorted; }

# JSON: records, and what came of it all.
run ssrequest -q --rate 50 -n 3 -f jsonl -o log --export-json json -- true
expect_status 0
if command -v jq >/dev/null; then
	[ "$(jq -c '[.url, .status, .outcome, .bytes, .end_s >= .planned_s]' log | sort -u)" = '["true",0,"good",null,true]' ] || { fail "$what: records"; cat log; }
	[ "$(jq -c '[.requests, .seed, .ended.good, .ended.dropped, .shares.errors + 0, (.response_s.p50 > 0), (.response_s.max >= .response_s.p99)]' json)" = \
		'[3,1,3,0,0,true,true]' ] || { fail "$what: record"; cat json; }
else
	missing jq
fi

# ---- Ends -----------------------------------------------------------------------------------------------------------------------

# shellcheck disable=SC3045 # Debian's sh has it
ulimit -c 0
for signal in INT:130 TERM:143 QUIT:131; do
	rm -f log told
	start_background env --default-signal=INT,QUIT ssrequest --rate 20 -o log --grace 20s -- sh -c 'trap "touch told; exit" TERM; sleep 1003.$mark & wait'
	wait_until test -s log
	wait_until is_there 1003
	kill "-${signal%:*}" "$background"
	wait_background
	expect_status "${signal#*:}"
	[ -e told ] || fail "$what: commands were not told by SIGTERM"
	expect_nothing_left 1003
	expect_text err 'more were under way$'
done
# A second signal ends the grace.
start_background env --default-signal=INT ssrequest -q --rate 20 --grace 1000s -- sh -c 'trap "" TERM; sleep 1004.$mark; sleep 1004.$mark'
wait_until is_there 1004
kill -INT "$background"
sleep 0.5
kill -INT "$background"
wait_background
expect_status 130
expect_nothing_left 1004
# Those that were postponed then are dropped, and the time is that until the end, also where nothing was answered.
rm -f log
start_background env --default-signal=INT ssrequest --rate 20 --limit 2 --grace 0 -o log -- sleep "1006.$mark"
wait_until is_there 1006
sleep 1
kill -INT "$background"
wait_background
expect_status 130
expect_text err '^requests +[0-9]+ in [1-9][0-9]*\.[0-9] s, [0-9.]+ a second; 2 more were under way$'
expect_text err '^errors +100 %: [0-9]+ dropped$'
[ "$(grep -c ',dropped,' log)" -ge 15 ] || { fail "$what: postponed ones"; cat log; }
start_background env --default-signal=INT ssrequest --rate 0.001 -- sleep "1006.$mark"
wait_until is_there 1006
kill -INT "$background"
wait_background
expect_text err '^requests +0 in [0-9.]+ s, 0\.0 a second; 1 more were under way$'
# A schedule that ends by its number of requests doesn't last longer than these.
run ssrequest --rate 20 -n 3 -r 1h -- true
expect_text err '^requests +3 in [0-9]\.[0-9] s, '
expect_text err ', 20\.0 a second'
# Nor does it where the next one would have been much later.
run ssrequest -q --rate 0.01 -n 1 --export-json alone.json -- true
expect_text alone.json '"wall_s": ?0\.[0-9]'
expect_text alone.json '"planned_s": ?100(\.0)?[,}]'
# Nor is it less where there would have been no other one before its end.
run ssrequest -q --rate 0.5 -n 2 -r 3s --export-json alone.json -- true
expect_text alone.json '"planned_s": ?3(\.0)?[,}]'
# The rate is that of the time for which they were planned, however long the last one takes; answers count up to the last good one.
run ssrequest --rate 20 -r 1s --timeout 1.5s -- sh -c '[ "$SHOWSTOPPER_INSTANCE" != 3 ] || sleep 60'
expect_text err '^requests +20 in 1\.0 s, 20\.0 a second; all had ended after 1\.[6-9] s$'
expect_text err '^answered +19, 1[89]\.[0-9] a second'
# A FIFO that nobody else opens is waited for, and a signal ends that.
mkfifo lonely
for option in '-o lonely' '-d @lonely'; do
	# shellcheck disable=SC2086 # options
	start_background env --default-signal=INT timeout -s KILL 20 ssrequest --rate 1 -n 1 $option http://127.0.0.1:1/
	sleep 0.5
	kill -INT "$background"
	wait_background
	expect_status 130
done
run ssrequest --rate 1 -n 1 --export-json lonely http://127.0.0.1:1/
expect_trouble "^ssrequest: can't write lonely: No such device or address"
# Standard error keeps what is in it.
echo before >shared
run sh -c 'ssrequest -q --rate 50 -n 1 --export-json /dev/stderr -- true 2>>shared'
expect_status 0
[ "$(head -n 1 shared)" = before ] || fail "$what: emptied standard error"
# Killed itself: the kernel kills the commands.
start_background ssrequest -q --rate 20 -- sleep "1005.$mark"
wait_until is_there 1005
kill -KILL "$background"
wait_background
gone() { ! is_there 1005; }
wait_until gone

# A terminal shows how it goes.
if command -v script >/dev/null; then
	terminal "TERM=xterm ssrequest --rate 20 -r 2500m -- true"
	wait "$background"
	background=
	expect_text screen '[12] s of 2 s  [0-9.]+/s  unanswered [0-9]+  p99 [0-9.]+ m?s  errors 0'
	expect_text screen 'requests +50 in '
fi

# ---- HTTP -----------------------------------------------------------------------------------------------------------------------

command -v python3 >/dev/null || skip_missing python3-pytest
servers=
trap '[ -z "$background" ] || kill -KILL "$background"; [ -z "$servers" ] || kill -KILL $servers; cd /; rm -rf "$work"' EXIT
# serve NAME ARG…: a server whose first line, a port or a path, is in the file NAME, and whose process is $server.
serve() {
	name=$1
	shift
	python3 "$source/tests/cli/http_server.py" "$@" >"$name" 2>"$name.err" &
	server=$!
	servers="$servers $server"
	what="server $name"
	wait_until test -s "$name"
}
serve port
plain=$server
url=http://127.0.0.1:$(head -n 1 port)

run ssrequest --rate 100 -n 100 -o log "$url/"
expect_status 0
expect_records log 100
awk -F, -v url="$url/" '$2 != url || $8 != 200 || $9 != "good" || $10 != 11 { exit 1 }' sorted || fail "$what: statuses, bytes"
expect_text err '^requests +100 in '
expect_text err '^answered +100, .*, 0\.001 MB$'
expect_text err '^errors +0 %$'
sed -n 's/^\([a-z][a-z0-9. ]*[a-z0-9]\)  .*/\1/p' err | sed 's/^p[0-9].*/p50 ... p99.9/' | sort -u >labels
while read -r label; do
	grep -q "^$label  " explained || fail "--explain lacks the row '$label'"
done <labels
# Connections are kept: far fewer than requests.
[ "$(grep -c connection port)" -lt 50 ] || fail "$what: $(grep -c connection port) connections for 100 requests"
# What the server has left unanswered is not sent again.
run ssrequest --rate 5 -n 8 -o log "$url/once"
expect_text err '^errors +50 %: 4 failed$'
[ "$(grep -c '^GET /once' port)" -eq 8 ] || fail "$what: $(grep -c '^GET /once' port) requests, expected 8"
run ssrequest --rate 50 -n 10 "$url/missing"
expect_text err '^errors +100 %: 10 wrong$'
run ssrequest --rate 50 -n 10 --expect-status 200,404 -o log "$url/missing" "$url/"
expect_text err '^errors +0 %$'
expect_records log 10
awk -F, '($2 ~ /missing$/ ? 404 : 200) != $8 || $9 != "good" { exit 1 }' sorted || fail "$what: words"
run ssrequest --rate 50 -n 6 --expect-text world "$url/"
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 6 --expect-text word -o log "$url/"
expect_text err '^errors +100 %: 6 wrong$'
awk -F, '/^[0-9]/ && $9 != "unexpected" { exit 1 }' log || fail "$what: words"
# A text is looked for in the first 16 MiB.
run ssrequest --rate 50 -n 1 --timeout 50s --expect-text aabc -o log "$url/endless"
expect_text err '^errors +100 %: 1 wrong$'
awk -F, '/^[0-9]/ && ($9 != "unexpected" || $10 < 16777216 || $10 > 20000000) { exit 1 }' log || { fail "$what: the end of the search"; cat log; }
# In pieces, and one that begins again within itself.
run ssrequest --rate 50 -n 3 --expect-text aabaabc "$url/split"
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 3 -H 'X-Test: a b' --expect-text 'a b' "$url/header"
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 3 -d 'a body' --expect-text 'POST a body' "$url/"
expect_text err '^errors +0 %$'
printf 'of a file' >body
run ssrequest --rate 50 -n 3 -X PUT -d @body --expect-text 'PUT of a file' "$url/"
expect_text err '^errors +0 %$'
run ssrequest --rate 50 -n 3 -X HEAD -o log "$url/"
awk -F, '/^[0-9]/ && ($8 != 200 || $10 != 0) { exit 1 }' log || fail "$what: bytes of HEAD"

# Neither half an answer nor none.
run ssrequest --rate 50 -n 3 -o log "$url/half"
expect_text err '^ssrequest: http.*: .* \(said of the first request that fails\)$'
expect_text err '^errors +100 %: 3 failed$'
for wrong in mail:'the answer is not valid HTTP' long:"the answer's Content-Length is out of range"; do
	run ssrequest --rate 50 -n 3 "$url/${wrong%%:*}"
	expect_text err "^ssrequest: http.*: ${wrong#*:} \("
	expect_text err '^errors +100 %: 3 failed$'
done
serve full --full
run ssrequest --rate 50 -n 3 --timeout 3s "http://127.0.0.1:$(head -n 1 full)/"
expect_text err '^errors +100 %: 3 given up$'
run ssrequest --rate 50 -n 3 --timeout 200ms -o log "$url/silent"
expect_text err '^errors +100 %: 3 given up$'
expect_records log 3
run ssrequest --rate 50 -n 3 -o log http://127.0.0.1:1/
expect_text err '^errors +100 %: 3 refused$'
expect_records log 3
awk -F, '$10 != "" { exit 1 }' sorted || fail "$what: bytes of no answer"
# Too many open files are no refusal.
run sh -c "ulimit -n 20; ssrequest --rate 500 -n 100 --timeout 500ms '$url/silent'"
expect_text err '^ssrequest: warning: --limit: 200 connections need 216 open files, and 20 are allowed'
expect_text err '^errors +100 %: [0-9]+ failed, [0-9]+ given up$'

# By weight: 1 to 3 of 400, within five standard deviations; the same for the same seed.
printf '1 %s/a # one\n\n3\t%s/b\n' "$url" "$url" >urls
run ssrequest -q --rate 1000 -n 400 -u urls -o log
expect_records log 400
second=$(awk -F, '$2 ~ /\/b$/' sorted | wc -l)
{ [ "$second" -ge 257 ] && [ "$second" -le 343 ]; } || fail "$what: $second of 400 are for the URL with three times the weight"
planned log >planned.first
run ssrequest -q --rate 1000 -n 400 -u urls -o log
planned log | cmp -s - planned.first || fail "$what: other URLs for the same seed"

# The reader of a pipe that comes late gets all of it; what a full pipe has no room for is said to be lost.
run sh -c '{ ssrequest -q --rate 2000 -n 2000 -o - http://127.0.0.1:1/; echo $? >ended; } | { until [ -s ended ]; do sleep 0.1; done; cat; } >log'
[ "$(cat ended)" -eq 0 ] || fail "$what: status $(cat ended)"
expect_records log 2000
mkfifo full_pipe
exec 9<>full_pipe
python3 -c 'import fcntl, os; fcntl.fcntl(9, 1031, 1 << 20); os.write(9, bytes((1 << 20) - 4096))' # F_SETPIPE_SZ
run ssrequest -q --rate 2000 -n 200 -o full_pipe http://127.0.0.1:1/
expect_status 125
expect_text err '^ssrequest: full_pipe: records of requests are being lost: '
exec 9<&-

# A server that stands still: what is planned meanwhile is sent, and waits until it goes on.
start_background ssrequest -q --rate 100 -r 6s -o log "$url/"
many() { [ "$(wc -l <log)" -gt 50 ]; }
wait_until many
kill -STOP "$plain"
clock() { python3 -c 'import time; print("%.9f" % time.monotonic())'; }
from=$(clock)
sleep 1
to=$(clock)
kill -CONT "$plain"
wait_background
[ "$status" -eq 0 ] || fail "$what: status $status"
what='a server that stood still'
expect_records log 600
awk -F, -v from="$from" -v to="$to" '$3 > from && $3 < to { stood++; if ($6 < to) exit 1 } END { exit stood < 90 }' sorted ||
	{ fail "$what: requests that were planned meanwhile"; awk -F, '$6 - $3 > 0.1' sorted | head; }

# Unix sockets, TLS.
serve path --socket "$work/socket"
run ssrequest --rate 50 -n 5 --unix-socket "$work/socket" http://anything/
expect_text err '^errors +0 %$'
if command -v openssl >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost >/dev/null 2>&1; then
	serve tls --tls cert.pem key.pem
	url=https://localhost:$(head -n 1 tls)/
	run ssrequest --rate 50 -n 5 "$url"
	expect_text err '^errors +100 %: 5 failed$'
	for option in -k --cacert=cert.pem '-k --http=1.1'; do
		# shellcheck disable=SC2086 # options
		run ssrequest --rate 50 -n 5 $option "$url"
		expect_text err '^errors +0 %$'
	done
	# The file of the authorities is read once, and not for each connection.
	rm -f log
	cp cert.pem once.pem
	start_background ssrequest --rate 20 -r 2s -o log --cacert once.pem --http 1.1 -H 'Connection: close' "$url"
	some_answered() { grep -q ",200,good," log 2>/dev/null; }
	wait_until some_answered
	rm once.pem
	wait_background
	expect_status 0
	expect_text err '^errors +0 %$'
	if command -v nghttpd >/dev/null; then
		port2=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
		mkdir pages
		echo hello >pages/index.html
		nghttpd -d pages -a 127.0.0.1 "$port2" key.pem cert.pem >nghttpd.log 2>&1 &
		servers="$servers $!"
		listens() { ssrequest -q -k --rate 50 -n 1 --require errors=0 "https://localhost:$port2/" 2>listens.err; }
		wait_until listens
		run ssrequest --rate 200 -n 100 --http 2 --cacert cert.pem --expect-text hello "https://localhost:$port2/"
		expect_status 0
		expect_text err '^errors +0 %$'
	else
		missing nghttp2-server 'HTTP/2'
	fi
else
	missing openssl TLS
fi

expect_described ssrequest
expect_text out '^ +ssrequest \[OPTION\]\.\.\. -- COMMAND \[ARG\]\.\.\.$'

finish
