#!/bin/sh
# SPDX-License-Identifier: MIT
# A full disk under what the programs write, and /dev/shm full: one message, and nothing half-written. Without /dev/shm runs go on.
# The mounts are made in a namespace of their own; where that is not permitted the test is left out.
if [ -z "${INSIDE_NAMESPACE-}" ]; then
	INSIDE_NAMESPACE=yes
	export INSIDE_NAMESPACE
	for options in -m -rm; do
		if unshare "$options" mount -t tmpfs none /mnt 2>/dev/null; then exec unshare "$options" sh "$0"; fi
	done
	echo 'left out: mounts are not permitted'
	exit 77
fi
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# A disk of 64 KiB. filled N: all but N KiB of it are taken.
mkdir disk
mount -t tmpfs -o size=64k none disk || exit 1
trap 'umount disk; rm -rf "$work"' EXIT
filled() {
	rm -f disk/*
	head -c $((64 - $1))k /dev/zero >disk/filler || fail "can't fill the disk"
}

# expect_whole FILE: it ends with a whole line and has as many fields in each.
expect_whole() {
	[ -s "$1" ] || fail "$what: $1 is empty"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: $1 ends with half a line"
	awk -F, 'NR == 1 { n = NF } NF != n { print "line " NR ": " $0; exit 1 }' "$1" || fail "$what: $1 has a damaged line"
}

expect_empty() {
	[ -e "$1" ] || fail "$what: there is no $1"
	[ ! -s "$1" ] || fail "$what: $1 has $(wc -c <"$1") bytes of something that is not whole"
}

expect_not_started() {
	[ ! -e started ] || fail "$what: started a workload"
	rm -f started
}

# ---- The control log ----------------------------------------------------------------------------------------------------------

filled 0
run showstopper -q -T 50% -r 1s -o disk/log -n 1 touch started
expect_trouble '^showstopper: disk/log: can.t write the log: No space left on device'
expect_not_started

# When there is room again the log goes on; a row without a load stands for those that are missing.
filled 4
start_background timeout 60 showstopper -q -T 50% -r 30s --log-interval 2m -o disk/log --export-json record -n 1 sleep 1000
wait_until test -s err
# Looked at before there is room: with a row every 2 ms the disk is soon full again.
size=$(wc -c <disk/log)
rm disk/filler
# shellcheck disable=SC2317 # wait_until calls it
log_grew() {
	[ "$(wc -c <disk/log)" -gt "$size" ]
}
wait_until log_grew
kill -INT "$(pgrep -P "$background")"
wait_background
expect_lines err 2
expect_text err '^showstopper: disk/log: can.t write the log: No space left on device; the run goes on'
expect_text err '^showstopper: disk/log: [0-9.]* s of the run are in no row(, the last [0-9.]* s among them)?$'
expect_whole disk/log
sed 1d disk/log | awk -F, 'NR > 1 && $1 <= time { exit 1 } { time = $1 }' || fail "$what: times go back"
marked=$(sed 1d disk/log | awk -F, '$4 == "" && $3 == "0.500000" && $8 == "" { sum += $1 - time } { time = $1 } END { printf "%.6f", sum }')
awk -v marked="$marked" -v lost="$(sed -n 's/.*"log_missing_s": \([0-9.]*\).*/\1/p' record)" -v end="$(sed -n 's/.*"log_missing_at_end_s": \([0-9.]*\).*/\1/p' record)" '
	BEGIN { exit !(marked > 0 && lost > 0 && marked <= lost + 0.001 && marked >= lost - end - 0.001) }' ||
	fail "$what: marked $marked s: $(grep log_missing record)"
run ssreport accuracy disk/log
expect_status 0
expect_text err '^ssreport: disk/log: [0-9.]* s of [0-9.]* s have no load'
# Rows that came late leave others out, too.
awk -v marked="$marked" '/have no load/ { exit !($3 >= marked - 0.001) }' err || fail "$what: marked $marked s: $(cat err)"

# What is missing at the end is told, too, and --require wants all of the log.
filled 4
run showstopper -q -T 0 -c open -r 2s --log-interval 2m -o disk/log --export-json record --export-csv record.csv --require error=100 -n 1 sleep 1000
expect_status 3
expect_text err '^showstopper: disk/log: the last [0-9.]* s of the run are in no row$'
expect_text err '^showstopper: rows of the log are missing, and --require is for all of the run$'
expect_lines err 3
missing=$(sed -n 's/.*"log_missing_s": \([0-9.]*\).*/\1/p' record)
expect_text record "\"log_missing_at_end_s\": $missing,?\$"
awk -F, -v missing="$missing" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR == 2 { exit !($column["log_missing_s"] == missing && missing > 0 && $column["log_missing_at_end_s"] == missing) }' record.csv ||
	fail "$what: $missing s, and in record.csv: $(cat record.csv)"
filled 64
run showstopper -q -T 0 -c open -r 1s -o disk/log --export-json record --require error=100 -n 1 sleep 1000
expect_status 0
expect_text record '"log_missing_s": 0.0,'
run showstopper -q -T 0 -c open -r 1s --export-json record -n 1 sleep 1000
expect_text record '"log_missing_s": null,'

# ---- Records of a run ---------------------------------------------------------------------------------------------------------

for kind in json csv; do
	filled 0
	run showstopper -q -T 50% -r 500m -n 1 --export-$kind disk/record sleep 1000
	expect_trouble '^showstopper: disk/record: can.t write the record: No space left on device'
	expect_empty disk/record
done
filled 4
run showstopper -q -T 50% -r 500m -n 40 --export-json disk/record sleep 1000
expect_trouble '^showstopper: disk/record: can.t write the record: No space left on device'
expect_empty disk/record

# ---- The other programs -------------------------------------------------------------------------------------------------------

{
	echo 0 10%
	for i in $(seq 3000); do echo "+1s $((i % 100))%"; done
} >long.trace
for form in '' --text; do
	filled 8
	# shellcheck disable=SC2086 # none or one
	run sstrace $form -o disk/trace long.trace
	expect_trouble '^sstrace: can.t write disk/trace: No space left on device'
	expect_empty disk/trace
done

for format in csv jsonl; do
	filled 4
	run cpuload -P -f "$format" -o disk/load 10m 150
	expect_trouble '^cpuload: can.t write disk/load: No space left on device'
	[ "$format" = jsonl ] || expect_whole disk/load
	[ -z "$(tail -c 1 disk/load)" ] || fail "$what: ends with half a line"
done

filled 4
run ssiterate -q -o disk/iterations -n 200 true
expect_trouble '^ssiterate: disk/iterations: iteration records are being lost: No space left on device'
expect_whole disk/iterations

filled 4
run ssburn -o disk/iterations -n 2000 -w 1
expect_trouble '^ssburn: disk/iterations: iteration records are being lost: No space left on device'
expect_whole disk/iterations

# As in the log: a record without a number says from when to when others are missing.
for program in 'ssburn -w 1' 'ssiterate -q'; do
	filled 4
	# shellcheck disable=SC2086 # words
	case $program in
	ssburn*) start_background timeout 60 $program -o disk/iterations ;;
	*) start_background timeout 60 $program -o disk/iterations true ;;
	esac
	wait_until test -s err
	size=$(wc -c <disk/iterations)
	# Until then records are lost, each at its time.
	sleep 0.5
	rm disk/filler
	# shellcheck disable=SC2317 # wait_until calls it
	records_grew() {
		[ "$(wc -c <disk/iterations)" -gt "$size" ]
	}
	wait_until records_grew
	kill -TERM "$(pgrep -P "$background")"
	wait_background
	expect_lines err 1
	expect_text err 'iteration records are being lost: No space left on device$'
	expect_whole disk/iterations
	awk -F, 'NR > 1 && $2 == "" { marks++; lost += $4 - $3; if ($4 <= $3 || $3 < end - 1) exit 1 } { end = $4 } END { exit !(marks && lost > 0.3) }' disk/iterations ||
		fail "$what: no record of what is missing"
	run ssreport throughput -i 100m -f csv disk/iterations
	expect_status 0
	expect_text err '^ssreport: disk/iterations: the iterations of [0-9.]* s are missing; this time is left out$'
	expect_text out ',,,$'
done

if [ -x "$build/ssrequest" ]; then
	filled 4
	run ssrequest -q --rate 500 -n 200 -o disk/requests -- true
	expect_trouble '^ssrequest: disk/requests: records of requests are being lost: No space left on device'
	expect_whole disk/requests
else
	missing libcurl4-openssl-dev ssrequest
fi

filled 4
run sssim -q -o disk/log -T 50% -r 1000s
expect_trouble '^sssim: disk/log: can.t write the log: No space left on device'
expect_whole disk/log

run sssim -q -o log -T 50% -r 1000s
expect_status 0
filled 4
run ssreport timeline -o disk/table.csv log
expect_trouble '^ssreport: can.t write disk/table.csv: No space left on device'
expect_empty disk/table.csv

for command in 'sstrace -i long.trace' 'sstrace -t long.trace' 'cpuload 10m 1' 'ssburn --help' 'ssiterate --help' 'ssreport accuracy log' \
	'sssim --help' 'cpuload --help' 'ssreport --help' 'sstrace --help' 'showstopper --help' 'showstopper --list-modules' \
	'showstopper --help-module trace:file' 'showstopper --check-machine' 'showstopper --check-machine --json' 'showstopper -T 50% --dry-run true'; do
	what="$command >/dev/full"
	# shellcheck disable=SC2086 # words
	timeout -k 5 60 $command >/dev/full 2>err </dev/null
	status=$?
	expect_trouble "^${command%% *}: can't write (to )?standard output: No space left on device"
done

# ---- Shared memory ------------------------------------------------------------------------------------------------------------

expect_no_shared_memory() {
	run showstopper -q -T 50% -r 1s -n 100 touch started
	expect_trouble "^showstopper: can't get shared memory for 100 workloads in /dev/shm: $1"
	expect_not_started
	if find /dev/shm/ -name 'showstopper.*' 2>/dev/null | grep .; then fail "$what: left something"; fi
}
expect_a_run() {
	rm -f started
	run showstopper -q -T 50% -r 500m -n 100 touch started
	expect_status 0
	expect_lines err 0
	[ -e started ] || fail "$what: nothing was started without $1"
}
if [ -d /dev/shm ]; then
	mount -t tmpfs -o size=4k none /dev/shm
	expect_no_shared_memory 'No space left on device'
	mount -o remount,ro /dev/shm
	expect_a_run "a /dev/shm that can be written"
	umount /dev/shm
	mkdir dev
	: >dev/null
	mount --bind /dev/null dev/null
	mount --rbind dev /dev
	expect_a_run /dev/shm
	umount -l /dev
	umount dev/null
fi

finish
