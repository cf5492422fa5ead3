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
# Another boot: the wall clock joins them.
awk -F, 'NR == 1 { print $0 ",time_unix_s"; next } { printf "%s,%.3f,%s,%s,%.6f\n", $1, $2 - 900, $3, $4, $2 + 1.7e9 }' log.csv >other.csv
run ssreport latency -f csv --from sent --log other.csv requests.csv
expect_status 0
expect_field load 3 0.412000
expect_field p99_s 3 0.200000000

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
script
# All of them take at least as long as the first, one as long as the last.
[ "$(block tail0 | sed -n '1p;$p' | tr '\n' ' ')" = '2 100 1401 0.0333444481 ' ] || fail "$what: $(block tail0)"
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
refused '^ssreport: found --edge without --log' --edge 1/6 requests.csv
refused '^ssreport: found --edge and --window' --edge 1/6 --window 1s --log log.csv requests.csv
refused '^ssreport: found --picture, but no picture' --picture tail requests.csv
refused '^ssreport: found --picture curve, but no rows' --picture curve -o x.svg requests.csv
refused '^ssreport: found --limit, but no rows to choose from' --limit p99=1s requests.csv
refused "^ssreport: --from: " --from end requests.csv
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
# Missing records and half a line are told.
{ cat requests.csv && printf ',,1030.000000000,,,1031.500000000,,,\n9,0,10'; } >cut.csv
run ssreport latency cut.csv
expect_status 0
expect_text err 'warning: requests of 1.500 s are missing'
expect_text err '^ssreport: cut.csv: the last line is not whole'

finish
