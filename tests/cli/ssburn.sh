#!/bin/sh
# SPDX-License-Identifier: MIT
# ssburn: options, determinism, iteration records, threads, signals.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE

# expect_records FILE INSTANCE: a header, then nothing but whole records of the instance whose ends don't go back.
expect_records() {
	[ "$(head -n 1 "$1")" = instance,iteration,start_s,end_s,status,time_unix_s ] || fail "$what: header of $1"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: the last line of $1 is not whole"
	if sed 1d "$1" | grep -Evq "^$2,[0-9]+,[0-9]+\.[0-9]{9},[0-9]+\.[0-9]{9},0,[0-9]+\.[0-9]{6}\$"; then
		fail "$what: malformed records in $1"
		sed 1d "$1" | grep -Ev "^$2,[0-9]+,[0-9]+\.[0-9]{9},[0-9]+\.[0-9]{9},0,[0-9]+\.[0-9]{6}\$" | head -3
	fi
	awk -F, 'NR > 1 && ($4 < $3 || $4 < last) { exit 1 } NR > 1 { last = $4 }' "$1" || fail "$what: times go back in $1"
	awk -F, -v now="$(date +%s)" 'NR > 1 && ($6 < now - 3600 || $6 > now + 1) { exit 1 }' "$1" || fail "$what: another wall clock in $1"
}

# Options that are refused, with nothing started and no file made.
refused() {
	expected=$1
	shift
	run timeout 10 ssburn -o refused.csv "$@"
	expect_trouble "$expected"
	[ ! -e refused.csv ] || fail "$what: made its output"
	rm -f refused.csv
}
refused "^ssburn: --profile: 'nonsense' is malformed: expected single, contended, parallel, phased or sleepy" --profile nonsense
refused "^ssburn: --threads: '0' is out of range: expected a whole number, from 1 to 4096" --threads 0
refused "^ssburn: --threads: the profile single has 1, not 2" -t 2
refused "^ssburn: --threads: the profile phased has 2 or more, not 1" -p phased -t 1
refused "^ssburn: --work: '0' is out of range: expected a whole number, from 1" --work 0
refused "^ssburn: --time: '1x' is malformed: expected a time" --time 1x
refused "^ssburn: --phase: the profile parallel has no phases" -p parallel --phase 10
refused "^ssburn: --sleep: '25h' is out of range: expected a time .* from 0s to 1d" -p sleepy --sleep 25h
refused "^ssburn: --sleep: the profile single doesn't sleep" --sleep 1s
refused "^ssburn: --memory: '3Q' is no number of bytes from 0 to 16G" --memory 3Q
refused "^ssburn: --instance: '4294967296' is (malformed|out of range): expected a whole number, from " --instance 4294967296
export SHOWSTOPPER_INSTANCE=two
refused "^ssburn: SHOWSTOPPER_INSTANCE: 'two' is malformed: expected a whole number" -n 1
unset SHOWSTOPPER_INSTANCE
refused "^ssburn: unexpected argument 'single'" single
refused "^ssburn: unexpected argument '--verbose'" -- --verbose
run ssburn -w 1 -n 3 -o -
expect_lines out 4
run ssburn -n 1 -o ''
expect_trouble "^ssburn: -o: '' is malformed: expected the name of a file"
run ssburn -n 1 -o nowhere/log
expect_trouble "^ssburn: nowhere/log: can't write iteration records: No such file"
run ssburn -n 1 -o .
expect_trouble "^ssburn: \.: can't write iteration records: Is a directory"
run ssburn -o /dev/full
expect_trouble "^ssburn: /dev/full: can't write iteration records: No space left"
# Records over the line with the checksum, or the other way round.
echo kept >kept
run sh -c 'exec ssburn -n 1 --checksum -o kept >>kept'
expect_trouble '^ssburn: --output and standard output: both would be written to kept: expected a file of its own for one of them$'
[ "$(cat kept)" = kept ] || fail "$what: kept is '$(cat kept)'"
run sh -c 'exec ssburn -n 1 -o /dev/stdout >>kept'
expect_status 0
expect_lines kept 3
rm kept

# Help and manual name the same options, and help names every profile.
run ssburn --help
expect_status 0
expect_lines err 0
for profile in single contended parallel phased sleepy; do
	expect_text out "^  $profile "
	expect_text "$source/tools/ssburn/ssburn.1" "^\.It Cm $profile\$"
done
sed -n 's/^ .* --\([a-z]*\).*/\1/p' out | sort -u >in_help
sed -n 's/^\.It .*Fl \\-\([a-z]*\).*/\1/p' "$source/tools/ssburn/ssburn.1" | sort >in_manual
cmp in_help in_manual || fail "options of --help and manual differ: $(diff in_help in_manual)"
run ssburn -V
expect_status 0
expect_text out '^ssburn [0-9]+\.[0-9]+'
for option in --help --version '-c -n 1 -w 1'; do
	# shellcheck disable=SC2086
	timeout 60 ssburn $option >/dev/full 2>err
	status=$?
	what="ssburn $option >/dev/full"
	expect_trouble "^ssburn: can't write to standard output: No space left"
done

# checksum_of ARG…: leaves it in $sum.
checksum_of() {
	run ssburn --checksum -w 40 -n 12 "$@"
	expect_status 0
	expect_lines out 1
	expect_text out '^iterations 12 checksum [0-9a-f]{16}$'
	sum=$(sed 's/.* //' out)
}

# The checksum depends on what is done alone, not on who does it.
checksum_of
reference=$sum
for arguments in '' '--profile=contended' '-p contended -t 2' '-p contended -t 9' '-p parallel' '-p parallel -t 1' \
	'-p parallel -t 7' '-p phased --phase 100' '-p phased -t 5 --phase 1' '-p sleepy --sleep 1m' '-p sleepy -t 3 --sleep 0' \
	'-i 0 -s 1 --memory 0'; do
	# shellcheck disable=SC2086
	checksum_of $arguments
	[ "$sum" = "$reference" ] || fail "$what: checksum $sum, expected $reference"
done
for arguments in '-s 2' '-i 1' '-w 41' '-m 4K' '-m 8K' '-p contended -s 3' '-p parallel -s 4'; do
	# shellcheck disable=SC2086
	checksum_of $arguments
	if printf '%s\n' "$reference" | grep -qx "$sum"; then fail "$what: the same checksum as another run"; fi
	reference="$reference
$sum"
done
checksum_of -m 64K -p contended -s 5
reference=$sum
checksum_of -m 64K -p parallel -t 3 -s 5
[ "$sum" = "$reference" ] || fail "$what: checksum $sum, expected $reference"
checksum_of -i 7
reference=$sum
SHOWSTOPPER_INSTANCE=07 checksum_of
[ "$sum" = "$reference" ] || fail "SHOWSTOPPER_INSTANCE=07: checksum $sum, expected $reference"
SHOWSTOPPER_INSTANCE=3 checksum_of --instance 7
[ "$sum" = "$reference" ] || fail "--instance over SHOWSTOPPER_INSTANCE: checksum $sum, expected $reference"

# Records: as many as there are iterations, numbered from 0, on the monotonic clock.
for arguments in '-p single' '-p contended' '-p parallel -t 3' '-p phased -t 3 --phase 200' '-p sleepy -t 2 --sleep 1m'; do
	# shellcheck disable=SC2086
	run ssburn -w 40 -n 25 -o records.csv $arguments
	expect_status 0
	expect_lines out 0
	expect_lines err 0
	expect_lines records.csv 26
	expect_records records.csv 0
	sed 1d records.csv | cut -d, -f2 | sort -n >numbers
	seq 0 24 | cmp - numbers || fail "$what: iterations are not numbered from 0 to 24"
	sed 1d records.csv | sort -t, -k2n | awk -F, '$3 < last { exit 1 } { last = $3 }' || fail "$what: not numbered in order of start"
	cut -d' ' -f1 /proc/uptime | cat - records.csv | awk -F, 'NR == 1 { now = $1 + 1 } NR > 2 && $4 > now { exit 1 }' ||
		fail "$what: not CLOCK_MONOTONIC"
done
for profile in single contended; do
	run ssburn -w 40 -n 25 -o records.csv -p $profile
	awk -F, 'NR > 2 && $3 < last { exit 1 } { last = $4 }' records.csv || fail "$what: iterations overlap"
done
SHOWSTOPPER_INSTANCE=042 run ssburn -w 1 -n 3 -o records.csv
expect_lines records.csv 4
expect_records records.csv 42

# As many threads as there are processors to use, where a profile has no other number.
usable=$(nproc)
for profile in single:1 parallel:"$usable" phased:$((usable > 2 ? usable : 2)); do
	run ssburn -w 20 -n 1 -p "${profile%:*}" -v
	expect_text err "profile ${profile%:*}, threads ${profile#*:}, "
done

# The time limit ends an endless run in good order.
for profile in single contended parallel phased sleepy; do
	run ssburn -w 20 --time 200m -p $profile -o records.csv -v
	expect_status 0
	expect_records records.csv 0
	expect_text err "profile $profile, threads [0-9]+, units per iteration 20, seed 1\$"
	expect_text err '^ssburn: [0-9]+ iterations in [0-9.]+ s, [0-9.]+ s of processor time, checksum [0-9a-f]{16}$'
	finished=$(sed -n 's/^ssburn: \([0-9]*\) iterations in .*/\1/p' err)
	expect_lines records.csv $((finished + 1))
done
run ssburn --time 0 -c
expect_status 0
expect_text out '^iterations 0 checksum 0{16}$'

# Phases: one thread runs for a while, then several at a time.
run ssburn -p phased -t 3 -w 200 --phase 4000 -n 300 -o records.csv
expect_status 0
sed 1d records.csv | sort -t, -k2n | awk -F, '
	{
		busy = 0
		for (i = NR - 1; i > NR - 10 && i > 0; i--) busy += end[i] > $3
		end[NR] = $4
		alone = busy == 0 ? alone + 1 : 0
		if (alone > longest) longest = alone
		if (busy > most) most = busy
	}
	END { if (longest < 8 || most < 1 || most > 4) { print "longest alone", longest, "most others", most; exit 1 } }' ||
	fail "$what: the number of running threads doesn't change as it should"

# Threads: one more than work, and those that should work do.
status_is() {
	grep -q "^$1:[[:space:]]*$2\$" "/proc/$background/status"
}
# busy_threads N: N threads have used processor time, each at least a fifth of what the busiest one has.
busy_threads() {
	cat "/proc/$background/task/"*/stat 2>/dev/null | sed 's/.*) //' | awk -v wanted="$1" '
		{ used[NR] = $12 + $13; if (used[NR] > most) most = used[NR] }
		END { for (i in used) busy += used[i] * 5 >= most; exit !(most >= 25 && busy == wanted) }'
}
for arguments in '1 -p single' '3 -p contended -t 3' '4 -p contended' '3 -p parallel -t 3' '2 -p sleepy -t 2'; do
	# shellcheck disable=SC2086
	set -- $arguments
	threads=$1
	shift
	start_background ssburn --time 100s "$@"
	wait_until status_is Threads $((threads + 1))
	wait_until busy_threads "$threads"
	status_is Threads $((threads + 1)) || fail "$what: number of threads has changed"
	kill -TERM "$background"
	wait_background
	expect_status 143
done
switches() {
	cat "/proc/$background/task/"*/status | awk -v least="$1" '/^voluntary/ { sum += $2 } END { exit !(sum >= least) }'
}
start_background ssburn --time 100s -p contended
wait_until switches 2000
kill -TERM "$background"
wait_background

# processor_time ARG…: leaves the times of a run in $wall and $used, in ms. Of three runs the one that used least: what the machine's host takes
# away for itself counts as used.
processor_time() {
	least=
	for _ in 1 2 3; do
		run ssburn -v -w 200 -n 60 "$@"
		expect_status 0
		used=$(sed -n 's/.* s, \([0-9]*\)\.\([0-9]*\) s of processor time.*/\1\2/p' err | sed 's/^0*\(.\)/\1/')
		[ -z "$least" ] || [ "$used" -lt "$least" ] || continue
		least=$used
		wall=$(sed -n 's/.* iterations in \([0-9]*\)\.\([0-9]*\) s.*/\1\2/p' err | sed 's/^0*\(.\)/\1/')
	done
	used=$least
}
processor_time
[ "$used" -le $((wall + wall / 10 + 100)) ] || fail "$what: $used ms of processor time in $wall ms"
reference=$used
for profile in contended parallel phased sleepy; do
	processor_time -p $profile
	if [ $((used * 4)) -lt "$reference" ] || [ "$used" -gt $((reference * 4)) ]; then
		fail "$what: $used ms of processor time, profile single has $reference"
	fi
done

# Signals end it at once, by that signal, with all lines whole.
for profile in single contended parallel phased sleepy; do
	for signal in TERM:143 HUP:129 KILL:137; do
		rm -f log
		start_background ssburn --time 100s -p $profile -w 5 -o log
		wait_until has_records 20
		kill "-${signal%:*}" "$background"
		wait_background
		expect_status "${signal#*:}"
		if [ "${signal%:*}" != KILL ]; then expect_records log 0; fi
	done
done
run timeout --preserve-status -k 5 -s INT 3 ssburn -w 5 -p parallel -o log -c
expect_status 130
expect_records log 0
expect_lines out 0
# A shell without job control has its background jobs ignore SIGINT.
rm -f log
start_background ssburn --time 100s -w 5 -o log
wait_until has_records 1
kill -INT "$background"
wait_until has_records $(($(wc -l <log) + 100))
kill -TERM "$background"
wait_background
expect_status 143
# Records that nobody reads can't keep it from ending.
mkfifo fifo
exec 7<>fifo
start_background ssburn --time 100s -w 1 -o fifo
is_idle() {
	before=$(cut -d' ' -f14,15 "/proc/$background/stat")
	sleep 0.3
	[ "$(cut -d' ' -f14,15 "/proc/$background/stat")" = "$before" ]
}
wait_until is_idle
kill -TERM "$background"
wait_background
expect_status 143
exec 7<&-

# Being stopped and continued at any moment changes nothing.
for arguments in '-p single' '-p contended' '-p parallel -t 3' '-p phased -t 3 --phase 400' '-p sleepy -t 3 --sleep 1m'; do
	# shellcheck disable=SC2086
	run ssburn -c -w 500 -n 80 $arguments
	cp out undisturbed
	# shellcheck disable=SC2086
	start_background ssburn --time 100s -c -w 500 -n 80 -o log $arguments
	stops=0
	while [ $stops -lt 40 ] && kill -STOP "$background" 2>/dev/null; do
		stops=$((stops + 1))
		sleep 0.01
		kill -CONT "$background" 2>/dev/null
		sleep 0.005
	done
	wait_background
	expect_status 0
	[ $stops -gt 1 ] || fail "$what: was stopped only $stops times"
	cmp out undisturbed || fail "$what: result differs after $stops stops"
	expect_lines log 81
	expect_records log 0
done

# Time that it is stopped counts as time.
rm -f log
start_background ssburn --time 3s -w 5 -o log
wait_until has_records 1
kill -STOP "$background"
sleep 3
kill -CONT "$background"
ended() { ! kill -0 "$background" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$background/status" 2>/dev/null; }
for _ in $(seq 20); do
	if ended; then break; fi
	sleep 0.1
done
ended || fail "$what: goes on for as long again as it was stopped"
wait_background
expect_status 0

# A full disk: said once, the work goes on, no line is damaged.
run sh -c "trap '' XFSZ; ulimit -f 1; exec ssburn -w 1 -n 60 -c -o log"
expect_trouble '^ssburn: log: iteration records are being lost: File too large'
expect_text out '^iterations 60 checksum'
# The record that stands for those that are missing may have room.
without_mark() {
	sed '$ { /^0,,/d; }' log >whole
	expect_records whole 0
}
without_mark
lines=$(wc -l <whole)
if [ "$lines" -lt 5 ] || [ "$lines" -gt 20 ]; then fail "$what: log has $lines lines in 512 bytes"; fi
run timeout --preserve-status -k 5 -s TERM 3 sh -c "trap '' XFSZ; ulimit -f 1; exec ssburn -w 1 -p parallel -t 2 -o log"
expect_trouble '^ssburn: log: iteration records are being lost: File too large'
without_mark

expect_described ssburn

finish
