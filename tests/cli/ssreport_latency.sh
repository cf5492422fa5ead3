#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport latency: response times of requests in all, in windows and at each step of the load, up to which load they keep a limit, what is refused.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

header=request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s

# 100 requests a second for 30 s from 1000 s on. The i-th of each 100 takes i ms in the first 10 s, then 2 i, then 4 i; sent 1 ms late, and one
# second late by its arrival from 1020 s on.
awk -v header="$header" 'BEGIN {
	print header
	print ",0,,,,,http://a/,,"
	for (i = 0; i < 3000; i++) {
		planned = 1000 + i / 100
		step = int(i / 1000)
		arrival = planned + (step == 2)
		end = arrival + 0.001 + (i % 100 + 1) / 1000 * 2 ^ step
		status = i == 5 ? "dropped" : i == 6 ? "timeout" : i == 7 ? 500 : 200
		printf "%d,0,%.9f,%.9f,%s,%.9f,%s,6,%.6f\n", i, planned, arrival, status == "dropped" ? "" : sprintf("%.9f", arrival + 0.001), end, status, end + 1.7e9
	}
}' >requests.csv
awk 'BEGIN {
	print "time_s,monotonic_s,target,load"
	for (i = 1; i <= 60; i++)
		printf "%.3f,%.3f,%.6f,%.6f\n", i / 2, 1000 + i / 2, int((i - 1) / 20) * 0.3 + 0.1, int((i - 1) / 20) * 0.3 + 0.112
}' >log.csv

# The value of a column in the row of a number, from 1.
field() {
	awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == row + 1 { print $at[name] }' out
}

expect_field() {
	found=$(field "$1" "$2")
	[ "$found" = "$3" ] || fail "$what: $1 in row $2: found '$found', expected '$3'"
}

# ---- All ------------------------------------------------------------------------------------------------------------------

run ssreport latency -f csv requests.csv
expect_status 0
expect_lines err 0
expect_lines out 2
for pair in part=all start_s=0.000 end_s=30.000 requests=3000 samples=2999 rate_per_s=100.000000 errors=3 timeouts=1 drops=1 load= target= \
	throughput_per_s=99.900000 keeps_limit= max_s=1.401000000; do
	expect_field "${pair%%=*}" 1 "${pair#*=}"
done
run ssreport latency -f csv --window 10s --from sent requests.csv
expect_lines out 5
for pair in part=window start_s=10.000 end_s=20.000 requests=1000 mean_s=0.101000000 p50_s=0.100000000 p90_s=0.180000000 p95_s=0.190000000 \
	p99_s=0.198000000 p99_9_s=0.200000000 max_s=0.200000000; do
	expect_field "${pair%%=*}" 3 "${pair#*=}"
done
run ssreport latency -f csv --window 10s --from arrival requests.csv
expect_field p50_s 3 0.101000000
expect_field p50_s 4 0.201000000
run ssreport latency -f csv --window 10s requests.csv
expect_field p50_s 4 1.201000000
cp out first
run ssreport latency -f csv --window 10s requests.csv
cmp -s out first || fail 'the same command makes other intervals'
run ssreport latency -f csv --window 10s --seed 2 --resamples 2000 requests.csv
if cmp -s out first; then fail 'another seed makes the same intervals'; fi
run ssreport latency -f json --window 10s requests.csv
expect_text out '"p99_high_s":[0-9]'
# Too few for figures.
sed -n '1,2p;$p' requests.csv >few.csv
run ssreport latency few.csv
expect_text out '^all .* under 20 .* under 20'
run ssreport latency -f csv few.csv
expect_field mean_s 1 ''

# Of 50 the p99 is the greatest, and in 60 of 100 cases the true one is beyond that: there is no upper end, and no limit is surely kept.
made_of() { # AWK: prints rows of requests
	awk "BEGIN { print \"request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s\"
		$1 }"
}
made_of 'for (i = 0; i < 50; i++) printf "%d,0,%.3f,%.3f,%.3f,%.3f,200,1,\n", i, 1000 + i, 1000 + i, 1000 + i, 1000 + i + (i + 1) / 1000' >fifty.csv
run ssreport latency -f csv fifty.csv
expect_field p99_s 1 0.050000000
expect_field p99_low_s 1 0.049000000
expect_field p99_high_s 1 ''
# Nine of ten of the second rate are dropped, or fail at once: 99 of 100 are not answered within 50 ms, however quick the others are.
for status in dropped 503; do
	made_of 'for (i = 0; i < 18000; i++) {
		at = 1000 + (i < 6000 ? i / 100 : 60 + (i - 6000) / 200)
		bad = i >= 6000 && i % 10
		end = sprintf("%.4f", at + 0.02)
		printf "%d,0,%.4f,%.4f,%s,%s,%s,1,\n", i, at, at, bad && "'$status'" == "dropped" ? "" : at, end, bad ? "'$status'" : 200 }' >bad.csv
	run ssreport latency -f csv --limit p99=50ms bad.csv
	expect_field keeps_limit 2 yes
	expect_field keeps_limit 3 no
	expect_text err '^ssreport: The response times keep p99 within 50 ms up to a rate of 100 requests/s \(95 %: from 100 requests/s to 100 requests/s\)'
	run ssreport latency -f csv --limit mean=50ms bad.csv
	expect_field keeps_limit 3 yes
done
# Windows end before the requests do.
made_of 'for (i = 0; i < 400; i++) printf "%d,0,%.3f,%.3f,%.3f,%.3f,200,1,\n", i, 1000 + i / 4, 1000 + i / 4, 1000 + i / 4, 1000 + i / 4 + 0.01' >four.csv
run ssreport latency -f csv --window 70s four.csv
expect_lines out 3
expect_text err '^ssreport: 120 requests at the end are in no window, as less than half of one was left$'

# ---- Load -----------------------------------------------------------------------------------------------------------------

run ssreport latency -f csv --from sent --log log.csv --limit p99=200ms,mean=1s requests.csv
expect_status 0
expect_lines out 5
for pair in part=step start_s=11.667 end_s=18.333 target=0.400000 load=0.412000 keeps_limit=yes p99_s=0.200000000; do
	expect_field "${pair%%=*}" 3 "${pair#*=}"
done
expect_field keeps_limit 4 no
expect_text err '^ssreport: The response times keep mean within 1 s and p99 within 200 ms up to a load of 41.20 % \(95 %: from 41.20 % to 41.20 %\), at 1'
run ssreport latency --from sent --log log.csv --limit p99=198ms requests.csv
# Of 667 requests at 40 % the p99 is 200 ms, and may be 198.
expect_text out 'up to a load of 11.20 % \(95 %: from 11.20 % to 41.20 %\), at 1'
run ssreport latency --from sent --log log.csv --limit p99=300ms -o table.md -o table.csv requests.csv
expect_lines err 0
expect_text table.md '^The response times keep p99 within 300 ms up to a load of 41.20 % \(95 %: from 41.20 % to 41.20 %\), at'
expect_no_text table.csv 'response times'
run ssreport latency --from sent --log log.csv --limit p99=1s requests.csv
expect_text out 'up to a load of 71.20 %.*; no greater one was tried\.$'
run ssreport latency --from sent --log log.csv --limit p99=1ms requests.csv
expect_text out '^No row of enough response times keeps p99 within 1 ms\.$'
run ssreport latency -f csv --log log.csv --window 5s --from sent requests.csv
expect_lines out 8
expect_field load 4 0.412000
# Ten requests at the beginning of each second: a step of 6.667 s has seven batches, which are ten requests a second.
awk -v header="$header" 'BEGIN {
	print header
	for (i = 0; i < 300; i++) {
		planned = 1000 + int(i / 10)
		printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", i, planned, planned, planned, planned + 0.01
	}
}' >batches.csv
run ssreport latency -f csv --log log.csv batches.csv
expect_status 0
for pair in requests=70 rate_per_s=10.000000 throughput_per_s=10.000000 start_s=11.667 end_s=18.333; do
	expect_field "${pair%%=*}" 3 "${pair#*=}"
done
# Another boot: the wall clock joins them.
awk -F, 'NR == 1 { print $0 ",time_unix_s"; next } { printf "%s,%.3f,%s,%s,%.6f\n", $1, $2 - 900, $3, $4, $2 + 1.7e9 }' log.csv >other.csv
run ssreport latency -f csv --from sent --log other.csv requests.csv
expect_status 0
expect_field load 3 0.412000
expect_field p99_s 3 0.200000000

# ---- Steps of the rate ------------------------------------------------------------------------------------------------------

# 50, 100 and 150 requests a second for 20 s each; one takes as many ms as there are in a second.
awk -v header="$header" 'BEGIN {
	print header
	for (step = 1; step <= 3; step++)
		for (i = 0; i < 1000 * step; i++) {
			planned = 1000 + 20 * (step - 1) + i / (50 * step)
			printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", n++, planned, planned, planned, planned + 0.05 * step
		}
}' >rates.csv
run ssreport latency -f csv --limit p99=100ms rates.csv
expect_status 0
expect_lines out 5
for pair in part=step start_s=23.333 end_s=36.667 rate_per_s=99.9; do
	case $(field "${pair%%=*}" 3) in
	"${pair#*=}"*) ;;
	100.0*) ;;
	*) fail "$what: ${pair%%=*}: found '$(field "${pair%%=*}" 3)', expected '${pair#*=}'" ;;
	esac
done
expect_text err 'keep p99 within 100 ms up to a rate of (99.9[0-9]|100) requests/s \(95 %: from (99.9[0-9]|100) requests/s to (99.9[0-9]|100) requests/s\)\.$'
run ssreport latency -f csv --edge 1/4 rates.csv
expect_field start_s 3 25.000
# Windows are what the user asks for.
run ssreport latency -f csv --window 30s rates.csv
expect_lines out 4
expect_field part 3 window

# Where requests begin later than a row, or end before it does, only their time counts: for the load, too.
awk -v header="$header" 'BEGIN {
	print header
	for (i = 0; i < 2000; i++) {
		planned = 1005 + i / 100
		printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", i, planned, planned, planned, planned + 0.01
	}
}' >inner.csv
for options in '--log log.csv --edge 0' '--log log.csv --window 10s'; do
	# shellcheck disable=SC2086 # several words
	run ssreport latency -f csv $options inner.csv
	for row in 2 3 4; do
		expect_field rate_per_s $row 100.000000
		expect_field throughput_per_s $row 100.000000
	done
	expect_field start_s 2 5.000
	expect_field end_s 4 25.000
	expect_field load 4 0.712000
done
# Short steps, and requests that come together at the beginning of each second: a row has whole seconds of them, then.
awk -v header="$header" 'BEGIN {
	print header
	for (second = 0; second < 30; second++)
		for (i = 0; i < 20 * (int(second / 10) + 1); i++)
			printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", n++, second, second, second, second + 0.05
}' >together.csv
run ssreport latency -f csv together.csv
expect_lines out 5
for pair in start_s=12.000 end_s=18.000 rate_per_s=40.000000; do
	expect_field "${pair%%=*}" 3 "${pair#*=}"
done
expect_field rate_per_s 1 40.000000
awk -v header="$header" 'BEGIN {
	print header
	for (i = 0; i < 360; i++) {
		planned = i < 60 ? i / 20 : i < 180 ? 3 + (i - 60) / 40 : 6 + (i - 180) / 60
		printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", i, planned, planned, planned, planned + 0.01
	}
}' >short.csv
run ssreport latency -f csv short.csv
expect_lines out 5
for row in 2 3 4; do
	expect_field rate_per_s $row $((20 * (row - 1))).000000
done
# One moment has no rate.
run ssreport latency -f csv few.csv
expect_field rate_per_s 1 ''

# ---- Memory ---------------------------------------------------------------------------------------------------------------

awk -v header="$header" 'BEGIN {
	print header
	for (i = 0; i < 600000; i++) {
		planned = 1000 + i / 10000
		printf "%d,0,%.9f,%.9f,%.9f,%.9f,200,,\n", i, planned, planned, planned, planned + exp(i * 7 % 600000 / 100000 - 9)
	}
}' >many.csv
run ssreport latency -f csv many.csv
cp out all
# The sanitizer's own work needs terabytes of addresses.
if grep -q __asan_init "$SHOWSTOPPER_BUILD/ssreport"; then
	left_out 'little memory, with sanitizers'
else
	run sh -c 'ulimit -v 40000 && exec ssreport latency -f csv many.csv'
	expect_status 0
	expect_lines err 1
	expect_text err "^ssreport: the requests don't fit into memory one by one: response times are within 0.05 %, and when requests began is known within [0-9.]+ s$"
	expect_field requests 1 600000
	for name in mean_s p50_s p90_s p95_s p99_s p99_9_s max_s; do
		exact=$(awk -F, -v name=$name 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' all)
		awk -v a="$exact" -v b="$(field $name 1)" 'BEGIN { exit !(a > 0 && b - a <= 0.001 * a && a - b <= 0.001 * a) }' ||
			fail "$what: $name: found $(field $name 1), expected $exact within 0.1 %"
	done
fi

# ---- JSON Lines -----------------------------------------------------------------------------------------------------------

awk -F, 'NR == 1 { split($0, name, ","); next } {
	for (i = 1; i <= NF; i++)
		printf "%s\"%s\":%s", (i > 1 ? "," : "{"), name[i], ($i == "" ? "null" : ($i ~ /^[0-9.]+$/ ? $i : "\"" $i "\""))
	print "}"
}' requests.csv >requests.jsonl
run ssreport latency -f csv --window 10s requests.csv
cp out all
run ssreport latency -f csv --window 10s requests.jsonl
expect_lines err 0
cmp -s out all || fail 'records as JSON Lines make other figures than as CSV'

# A last window of half the length is one.
{ echo start_s,end_s; seq 0 0.5 5.5 | awk '{ print $1 "," $1 + 0.5 }'; } >half.csv
run ssreport latency -f csv --start start_s --end end_s --window 4s half.csv
expect_status 0
[ "$(grep -c '^window,[04]' out)" -eq 2 ] || { fail 'windows of 4 s in 6 s:'; cat out; }

# ---- Pictures -------------------------------------------------------------------------------------------------------------

# What gnuplot would draw: its script.
mkdir fake
printf '#!/bin/sh\nexec cat\n' >fake/gnuplot
chmod +x fake/gnuplot
script() {
	run env PATH="$PWD/fake:$PATH" ssreport latency -o script.svg "$@" requests.csv
	expect_status 0
}
block() {
	sed -n "/^\$$1 << END/,/^END/p" script.svg | sed '1d;$d'
}

script --from sent --log log.csv --limit p99=198ms
expect_text err '^ssreport: The response times keep p99 within 198 ms'
[ "$(block curve2 | cut -d' ' -f1,2 | tr '\n' ' ')" = '11.2 100 41.2 200 71.2 400 ' ] ||
	fail "$what: $(block curve2)"
expect_text script.svg 'first 198 to graph 1, first 198 '
expect_text script.svg "'CPU load \(%\)'"
script --window 10s
expect_text script.svg "'requests/s'"
expect_no_text script.svg 'graph 1, first'
script --log log.csv --picture timeline --from sent
[ "$(block time2 | sed -n '1p;$p' | cut -d' ' -f2 | tr '\n' ' ')" = '100 400 ' ] || fail "$what: $(block time2)"
[ "$(block load0 | head -1)" = '0 11.2' ] || fail "$what: $(block load0)"
# p99 lies before the maximum, which it mostly is.
expect_text script.svg '^plot .time2 .* .time1 .* .time0 '
script
# All of them take at least as long as the first, one as long as the last.
[ "$(block tail0 | sed -n '1p;$p' | tr '\n' ' ')" = '2 100 1401 0.0333444481 ' ] || fail "$what: $(block tail0)"
# There are no more of them than rows.
expect_no_text script.svg 'tail1'
if command -v gnuplot >gnuplot.path; then
	for picture in curve timeline tail; do
		run ssreport latency --log log.csv --limit p99=300ms,mean=1s --picture $picture -o $picture.svg -o $picture.pdf --size 12x9 requests.csv
		expect_status 0
		expect_lines err 1
		expect_text $picture.svg '</svg>'
	done
else
	missing gnuplot-nox
fi

# ---- Any CSV --------------------------------------------------------------------------------------------------------------

awk 'BEGIN {
	print "name,begin,end,took_ms"
	for (i = 0; i < 400; i++)
		printf "\"a, b\",%.3f,%.3f,%d\n", 1.7e9 + i / 20, 1.7e9 + i / 20 + 0.001 * (i % 100 + 1), i % 100 + 1
}' >any.csv
for columns in '--start begin --end end' '--start begin --time took_ms' '--end end --time took_ms'; do
	# shellcheck disable=SC2086 # several words
	run ssreport latency -f csv --window 10s --unit s $columns any.csv
	expect_status 0
	expect_lines out 4
	expect_text err '^ssreport: any.csv: found CSV of the columns that were named: response times run from when a request was sent, as a column of'
	for pair in requests=200 p50_s=0.050000000 max_s=0.100000000 errors= throughput_per_s=; do
		expect_field "${pair%%=*}" 2 "${pair#*=}"
	done
done
run ssreport latency -f csv --time took_ms any.csv
expect_lines out 2
for pair in requests=400 p50_s=0.050000000 rate_per_s= start_s=; do
	expect_field "${pair%%=*}" 1 "${pair#*=}"
done
# The log of the load is joined by the wall clock.
awk -F, 'NR == 1 { print $0 ",time_unix_s"; next } { printf "%s,%s,%s,%s,%.6f\n", $1, $2, $3, $4, 1.7e9 - 5 + $1 }' log.csv >wall.csv
run ssreport latency -f csv --log wall.csv --start begin --unit s --time took_ms any.csv
expect_status 0
expect_field load 3 0.412000

# ---- Other clients --------------------------------------------------------------------------------------------------------

# A wrong line in the middle: told once, with how many there are.
printf '0 1 381 0 1795391973 548357\n0 2 x\n0 3 9 0 1795391973 648357\n%s\n0 4 9 0 1795391973 748357\n' '# rotated' >pgbench_log.1
run ssreport latency -f csv pgbench_log.1
expect_status 0
expect_lines err 2
expect_text err '^ssreport: pgbench_log.1: found the log of pgbench -l: response times run from when a request was sent, as pgbench without --rate'
expect_text err "^ssreport: pgbench_log.1:2:1: found '0 2 x', expected numbers such as .* \(2 such lines are left out\)$"
expect_field requests 1 3
# Of the time that the schedule had, with --rate.
awk 'BEGIN { for (i = 0; i < 200; i++) printf "0 %d %d 0 %d %06d %d\n", i, 2000 + i, 1795391973 + int(i / 100), i % 100 * 10000, 1500 }' >pgbench_log.2
run ssreport latency -f csv pgbench_log.2
expect_text err '^ssreport: pgbench_log.2: found the log of pgbench -l$'
expect_field p50_s 1 0.002099000
run ssreport latency -f csv --from sent pgbench_log.2
expect_field p50_s 1 0.000599000

# Their own files, where the programs are: a web server, a proxy before it, and a client of the proxy.
# Below those that the kernel gives to clients.
port=$((20000 + $$ % 12000))
cat >nginx.conf <<END
daemon off;
worker_processes 1;
pid $PWD/nginx.pid;
error_log $PWD/nginx.err;
events {}
http {
	log_format timed '\$remote_addr - \$remote_user [\$time_local] "\$request" \$status \$body_bytes_sent "\$http_referer" "\$http_user_agent" '
		'\$request_time \$msec';
	access_log $PWD/access.log timed;
	access_log $PWD/combined.log combined;
	client_body_temp_path $PWD/body;
	proxy_temp_path $PWD/proxy;
	fastcgi_temp_path $PWD/fastcgi;
	uwsgi_temp_path $PWD/uwsgi;
	scgi_temp_path $PWD/scgi;
	server {
		listen 127.0.0.1:$port;
		location / { return 200 "hello"; }
		location /none { return 404; }
	}
}
END
cat >haproxy.cfg <<END
global
	log stdout format raw local0
defaults
	mode http
	log global
	option httplog
	timeout connect 5s
	timeout client 20s
	timeout server 20s
frontend front
	bind 127.0.0.1:$((port + 1))
	default_backend back
backend back
	server one 127.0.0.1:$port
END
# /usr/sbin is not on everybody's path.
lacking=
for program in nginx haproxy hey; do
	if ! (PATH=$PATH:/usr/sbin && command -v $program >$program.path); then
		lacking=yes
		missing $program
	fi
done
if [ -z "$lacking" ]; then
	timeout 60 "$(cat nginx.path)" -p "$PWD" -c "$PWD/nginx.conf" >nginx.out 2>&1 &
	web=$!
	timeout 60 "$(cat haproxy.path)" -f haproxy.cfg >haproxy.log 2>haproxy.err &
	proxy=$!
	tries=0
	until [ -s access.log ] || [ $tries -eq 50 ]; do
		hey -n 1 -c 1 "http://127.0.0.1:$((port + 1))/" >first.out 2>&1
		sleep 0.2
		tries=$((tries + 1))
	done
	: >access.log
	: >combined.log
	hey -n 300 -c 3 -o csv "http://127.0.0.1:$((port + 1))/" >hey.csv 2>hey.err
	hey -n 10 -c 1 "http://127.0.0.1:$((port + 1))/none" >none.out 2>&1
	sleep 1
	kill "$web" "$proxy"
	wait "$web" "$proxy" 2>wait.err
	run ssreport latency -f csv hey.csv
	expect_status 0
	expect_text err '^ssreport: hey.csv: found the CSV of hey: response times run from when a request was sent'
	expect_lines err 1
	expect_field requests 1 300
	expect_field errors 1 0
	awk -F, 'NR > 1 { print $1 }' hey.csv | sort -n | sed -n 150p >median
	awk -v a="$(cat median)" -v b="$(field p50_s 1)" 'BEGIN { exit !(a == b) }' || fail "hey: p50: found $(field p50_s 1), expected $(cat median)"
	for log in access.log haproxy.log; do
		run ssreport latency -f csv $log
		expect_status 0
		expect_lines err 1
		expect_text err 'a server knows when a request came, not when it was due'
		expect_field errors 1 "$(grep -Evc ' 200 [0-9]+ ' $log)"
		[ "$(field errors 1)" -ge 10 ] || fail "$what: found $(field errors 1) errors, expected 10 at least"
		[ "$(field requests 1)" -ge 310 ] || fail "$what: found $(field requests 1) requests, expected 310 at least"
	done
	run ssreport latency combined.log
	expect_trouble '^ssreport: combined.log:1:1: found no time that the request took, expected .request_time in nginx'
	run ssreport latency --from planned hey.csv
	expect_trouble '^ssreport: hey.csv: found the CSV of hey, which has no schedule \(each worker of hey sends .*\), expected --from sent$'
	run ssreport latency --log log.csv hey.csv
	expect_trouble '^ssreport: hey.csv: found the CSV of hey, which has no time of day, so that --log'
fi

# ---- Refused --------------------------------------------------------------------------------------------------------------

refused() {
	pattern=$1
	shift
	run ssreport latency "$@"
	expect_trouble "$pattern"
}
awk -F, 'NR == 1 { print; next } { printf "%s,%.3f,%s,%s\n", $1, $2 + 9000, $3, $4 }' log.csv >far.csv
refused '^ssreport: far.csv: found none of the requests at the time of this log' --log far.csv requests.csv
refused '^ssreport: log.csv:1: found the columns time_s,monotonic_s,target,load, expected those of requests' log.csv
refused '^ssreport: requests.csv:1: found no log' --log requests.csv requests.csv
refused '^ssreport: .*nowhere.csv' --log nowhere.csv requests.csv
refused '^ssreport: found --edge, but no steps of the rate, expected --log FILE or --window TIME$' --edge 1/6 requests.csv
refused '^ssreport: found --edge and --window' --edge 1/6 --window 1s --log log.csv requests.csv
refused '^ssreport: found --picture, but no picture' --picture tail requests.csv
refused '^ssreport: found --picture curve, but no steps of the rate' --picture curve -o x.svg requests.csv
refused '^ssreport: found --limit, but no steps of the rate' --limit p99=1s requests.csv
refused "^ssreport: --from: " --from end requests.csv
for from in planned arrival; do
	refused '^ssreport: pgbench_log.1: found the log of pgbench -l, which has no schedule \(pgbench without --rate' --from $from pgbench_log.1
done
run ssreport latency --log log.csv pgbench_log.2
expect_status 125
expect_text err '^ssreport: log.csv:1: found no column time_unix_s, expected it for requests whose times are of the wall clock'
refused '^ssreport: found --start or --end alone' --start begin any.csv
refused '^ssreport: found --start, --end and --time' --start begin --end end --time took_ms any.csv
refused '^ssreport: found --unit without' --unit ms requests.csv
refused '^ssreport: found --time alone with --log or --window' --time took_ms --window 1s any.csv
refused '^ssreport: found --picture timeline with --time alone' --time took_ms --picture timeline -o x.svg any.csv
refused "^ssreport: any.csv:1: found no column 'took'" --time took any.csv
refused '^ssreport: any.csv:2:8: begin: found no unit' --start begin --time took_ms any.csv
for most in p98=1s p99 p99=x p99=1s,p99=2s 'p99=1s,' =1s ''; do
	refused '^ssreport: --limit: found ' --limit "$most" --window 1s requests.csv
done
printf '%s\n' "$header" >none.csv
refused '^ssreport: none.csv: found no request$' none.csv
printf '%s\n0,0,1,1,1,0.5,200,,\n' "$header" >bad.csv
refused '^ssreport: bad.csv:2:11: end_s: found 0.500000000' bad.csv
cp log.csv keep.csv
refused '^ssreport: .*log.csv' --log log.csv -o log.csv requests.csv
cmp -s log.csv keep.csv || fail 'the log was written over'
# A first line that is too long is left out as any other is, unless it doesn't end.
{
	head -c 1400000 /dev/zero | tr '\0' a
	awk 'BEGIN {
		print ""
		for (i = 0; i < 30; i++)
			printf "::1 - - [22/Nov/2026:12:00:%02d +0000] \"GET / HTTP/1.1\" 200 6 \"-\" \"c\" 0.003\n", i
	}'
} >long.log
run ssreport latency -f csv long.log
expect_status 0
expect_field requests 1 30
expect_text err '^ssreport: long.log:1: found a row of more than 1048576 bytes \(1 such line is left out\)$'
refused '^ssreport: /dev/zero:1: found a row of more than 1048576 bytes$' /dev/zero
# Missing records and half a line are told.
{ cat requests.csv && printf ',,1030.000000000,,,1031.500000000,,,\n9,0,10'; } >cut.csv
run ssreport latency cut.csv
expect_status 0
expect_text err 'warning: requests of 1.500 s are missing'
expect_text err '^ssreport: cut.csv: the last line is not whole'

finish
