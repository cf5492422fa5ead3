#!/bin/sh
# SPDX-License-Identifier: MIT
# The control log: header, columns, whole and monotonic rows, their number; what happens when it can't be written.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
header=time_s,monotonic_s,target,load,estimate,duty,runnable,others

# expect_log FILE COLUMNS: behind so many columns is the wall clock; a header, whole rows of numbers in so many columns, times that go forward, values within their bounds. (An
# executor that tells its state late makes up for it in the next row, which may so leave the bounds by a hair.)
expect_log() {
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: the last line of $1 is not whole"
	awk -F, -v columns=$(($2 + 1)) -v now="$(date +%s)" '
		NF != columns { print "line " NR " has " NF " columns: " $0; wrong = 1 }
		NR == 1 { next }
		{ for (i = 1; i <= NF; i++) if ($i !~ /^-?[0-9]+\.[0-9]+$/ && !(((i > 2 && i < 7) || i == 8) && $i == "")) { print "line " NR ": " $0; wrong = 1 } }
		$NF < now - 3600 || $NF > now + 1 { print "line " NR " is of another time: " $0; wrong = 1 }
		NR > 2 && ($1 <= time || $2 <= clock) { print "line " NR " goes back: " $0; wrong = 1 }
		{ time = $1; clock = $2; rows++ }
		($3 != "" && ($3 < 0 || $3 > 1)) || $4 < 0 || $4 > 1 || ($5 != "" && ($5 < -0.05 || $5 > 1.05)) || $6 < -0.05 || $6 > 1.05 || $7 < -0.05 || $8 < 0 || $8 > 1 {
			print "line " NR " out of bounds: " $0; wrong = 1 }
		END { exit wrong || !rows }' "$1" || fail "$what: $1 is no control log"
}

run showstopper -q -T 30% -r 2s -o log.csv -n 2 ssburn
expect_status 0
expect_lines out 0
expect_lines err 0
[ "$(head -n 1 log.csv)" = "$header,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
expect_log log.csv 8
# Four rows of 500 ms; a busy machine may merge some, but can't make more.
rows=$(sed 1d log.csv | wc -l)
if [ "$rows" -lt 2 ] || [ "$rows" -gt 5 ]; then fail "$what: $rows rows"; fi

# Rows end on multiples of the interval: the zero of time_s is when control began.
run showstopper -q -T 30% -r 1s --log-interval 50m -w 300m -o log.csv -n 2 ssburn
expect_status 0
expect_log log.csv 8
rows=$(sed 1d log.csv | wc -l)
if [ "$rows" -lt 10 ] || [ "$rows" -gt 28 ]; then fail "$what: $rows rows, expected about 26"; fi
# The difference of the two clocks is the moment at which control began, in each row.
sed 1d log.csv | awk -F, '{ origin = $2 - $1 } NR == 1 { first = origin } origin - first > 0.000002 || first - origin > 0.000002 { exit 1 }' ||
	{ fail "$what: time_s and monotonic_s differ by more than a constant"; cat log.csv; }

# A file that was there is replaced.
seq 100000 >log.csv
run showstopper -q -T 30% -r 600m -o log.csv -n 1 ssburn
expect_status 0
expect_log log.csv 8
[ "$(wc -c <log.csv)" -lt 10000 ] || fail "$what: the old log is still there"

# One column per workload, numbered as the workloads are.
run showstopper -q -T 30% -r 600m --log-instances -o log.csv -n 2 ssburn : -n 1 ssburn
expect_status 0
[ "$(head -n 1 log.csv)" = "$header,duty_00,duty_01,duty_02,time_unix_s" ] || fail "$what: header is $(head -n 1 log.csv)"
expect_log log.csv 11
run showstopper -q -T 0 -c open -r 600m --log-instances -o log.csv -n 101 sleep 100
expect_status 0
head -n 1 log.csv | grep -q ',duty_000,duty_001,.*,duty_100,time_unix_s$' || fail "$what: header is $(head -n 1 log.csv)"
expect_log log.csv 109

# A reader that comes while the run goes on meets whole lines only.
what='a reader beside the run'
timeout 60 showstopper -q -T 30% -r 1500m --log-interval 10m -o live.csv -n 1 ssburn >out 2>err </dev/null &
for _ in $(seq 100); do
	[ -e live.csv ] || continue
	cp live.csv copy.csv
	[ -z "$(tail -c 1 copy.csv)" ] || fail "$what: met half a line: $(tail -n 1 copy.csv)"
	sleep 0.01
done
wait $!
status=$?
expect_status 0
expect_log live.csv 8

# A pipe is as good as a file.
what='log to a pipe'
timeout 60 showstopper -q -T 30% -r 600m -o /dev/fd/3 -n 1 ssburn 3>&1 >/dev/null 2>err </dev/null | cat >pipe.csv
expect_lines err 0
expect_log pipe.csv 8

# A disk that is full from the start is trouble before anything is started.
run showstopper -T 30% -r 1s -o /dev/full -n 1 touch started
expect_trouble "^showstopper: /dev/full: can't write the log: No space left on device"
[ ! -e started ] || fail "$what: started a workload"

# One that fills up on the way is said once; the rows that fitted are whole, the run goes on and ends as it would have.
# The limit, in blocks of 512 bytes, leaves room for the shared memory.
(
	failures=0
	ulimit -f 16
	run showstopper -q -T 30% -r 2s --log-interval 2m -o short.csv -n 1 sleep 1000
	expect_status 0
	expect_lines err 2
	expect_text err "^showstopper: short.csv: can't write the log: File too large; the run goes on"
	expect_text err "^showstopper: short.csv: the last [0-9.]* s of the run are in no row$"
	[ "$failures" -eq 0 ]
) || fail "a log that can't grow"
# The row that stands for those that are missing may still have had room.
[ -z "$(tail -c 1 short.csv)" ] || fail "short.csv ends with half a line"
awk -F, '$7 != ""' short.csv >rows.csv
expect_log rows.csv 8
[ "$(wc -l <short.csv)" -le $(($(wc -l <rows.csv) + 1)) ] || fail "short.csv has several rows without a load: $(tail -n 3 short.csv)"
[ "$(wc -c <short.csv)" -le 8192 ] || fail "the limit had no effect"
(
	failures=0
	ulimit -f 16
	run showstopper -q -T 100% -c open -r 30s --log-interval 1m -o short.csv -n 1 sh -c 'sleep 1; exit 3'
	expect_text err "^showstopper: short.csv: can't write the log"
	expect_status 1
	[ "$failures" -eq 0 ]
) || fail "a log that can't grow"
# The reader of a pipe goes away: the same.
what='log to a pipe whose reader has gone'
{ timeout 60 showstopper -q -T 30% -r 1s --log-interval 20m -o /dev/fd/3 -n 1 sleep 1000 3>&1 >/dev/null 2>err </dev/null
	echo $? >status; } | head -n 3 >/dev/null
status=$(cat status)
expect_status 0
expect_lines err 2
expect_text err "can't write the log: Broken pipe; the run goes on"
expect_text err "s of the run are in no row"

# A reader that sleeps delays nobody. Of a full pipe the last page takes the header and some rows; what comes then is missing.
mkfifo asleep
exec 9<>asleep
python3 -c 'import fcntl, os; fcntl.fcntl(9, 1031, 1 << 20); os.write(9, bytes((1 << 20) - 4096))' # F_SETPIPE_SZ
run showstopper -q -T 50% -r 2s --log-interval 5ms -o asleep -n 1 sleep 1000
expect_status 0
expect_lines err 2
expect_text err "^showstopper: asleep: can't write the log: nobody reads it, and rows are missing; the run goes on$"
expect_text err "^showstopper: asleep: the last [0-9.]* s of the run are in no row$"
exec 9<&-

# The record can go to a FIFO, too: its reader gets all of it. Without one the run ends all the same.
mkfifo record
timeout 60 cat record >record.json &
run showstopper -q -T 50% -r 1s --export-json record -n 1 sleep 1000
expect_status 0
wait $!
expect_text record.json '"mean_error_pp": '
run showstopper -q -T 50% -r 1s --export-json record -n 1 sleep 1000
expect_status 125
expect_text err "^showstopper: record: can't write the record: No such device or address$"
# Nobody takes a master that waits for two of them for one that stands still.
mkfifo second
run timeout -s INT 1 showstopper -q -T 50% -r 1h --export-json record --export-csv second -n 1 sleep 1000
expect_text err "^showstopper: record: can't write the record: No such device or address$"
expect_text err "^showstopper: second: can't write the record: No such device or address$"
expect_no_text err 'stood still'

finish
