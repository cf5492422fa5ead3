#!/bin/sh
# SPDX-License-Identifier: MIT
# Limits on file sizes and descriptors: raised for us where that is possible, else one message; workloads have what the user had.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

expect_not_started() {
	[ ! -e started ] || fail "$what: started a workload"
	rm -f started
}

# Shared memory is a file for this limit; who set it did not think of that.
(
	failures=0
	ulimit -f 2
	run showstopper -q -T 50% -r 1s -n 200 touch started
	expect_trouble "can't get shared memory for 200 workloads in /dev/shm: File too large \(the limit of file sizes, ulimit -f"
	expect_not_started
	[ "$failures" -eq 0 ]
) || fail 'a limit on file sizes'

# expect_whole FILE: as many fields in each line, and an end.
expect_whole() {
	[ -s "$1" ] || fail "$what: $1 is empty"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: $1 ends with half a line"
	awk -F, 'NR == 1 { n = NF } NF != n { print "line " NR ": " $0; exit 1 }' "$1" || fail "$what: $1 has a damaged line"
}

# Who writes a file says that it may not grow, and leaves no half line in it, instead of being killed. A command has the signal as the user had it.
# A limit in blocks of 512 bytes.
limited() {
	rm -f file
	what="ulimit -f 8; $*"
	(ulimit -f 8 && exec timeout -k 5 "$limit" "$@") >out 2>err </dev/null
	status=$?
}
sssim -q -o log.csv -T 50% -r 1000s || fail 'sssim'
{
	echo 0 10%
	for i in $(seq 1000); do echo "+1s $((i % 100))%"; done
} >long.trace
limited cpuload -P -o file 10m 300
expect_trouble '^cpuload: can.t write file: File too large$'
expect_whole file
limited ssburn -o file -n 2000 -w 1
expect_trouble '^ssburn: file: iteration records are being lost: File too large$'
expect_whole file
limited ssiterate -q -o file -n 100 true
expect_trouble '^ssiterate: file: iteration records are being lost: File too large$'
expect_whole file
if [ -x "$build/ssrequest" ]; then
	limited ssrequest -q --rate 200 -n 100 -o file -- true
	expect_trouble '^ssrequest: file: records of requests are being lost: File too large$'
	expect_whole file
	# A command has the signal as the user had it.
	limited ssrequest -q --rate 1 -n 1 --expect-status 153 --require errors=0 -- head -c 10000 /dev/zero
	expect_status 0
else
	missing libcurl4-openssl-dev ssrequest
fi
limited sssim -q -o file -T 50% -r 1000s
expect_trouble '^sssim: file: can.t write the log: File too large$'
expect_whole file
limited sstrace -o file long.trace
expect_trouble '^sstrace: can.t write file: File too large$'
[ ! -s file ] || fail "$what: left half a trace"
limited ssreport timeline -o file log.csv
expect_trouble '^ssreport: can.t write file: File too large$'
[ ! -s file ] || fail "$what: left half a table"
limited ssreport timeline -o file.svg log.csv
expect_trouble '^ssreport: can.t write file.svg: File too large$'
[ ! -s file.svg ] || fail "$what: left half a picture"
limited ssburn --help
expect_status 0
for program in cpuload ssiterate; do
	case $program in cpuload) set -- cpuload -q -o file 50m -- ;; *) set -- ssiterate -q -n 1 -o file ;; esac
	limited "$@" sh -c 'head -c 10000 /dev/zero >large'
	[ "$status" -eq 153 ] || fail "$what: status $status, expected that of a command which SIGXFSZ ends"
done

# The soft limit on descriptors is raised; workloads have it as it was.
run prlimit --nofile=8: showstopper -q -T 100% -c open -r 1M -n 2 --stdout limit.% prlimit --noheadings --nofile --output SOFT
expect_status 0
expect_lines err 0
for i in 0 1; do
	[ "$(tr -d ' ' <limit.$i)" = 8 ] || fail "$what: a workload has a limit of $(cat limit.$i)"
done

# A hard limit that is too low is told; one that is just enough does.
for files in 5 6 7 8 9 10 11 12 14 16 18 20 24 32; do
	run prlimit --nofile=$files showstopper -q -T 50% -r 1s -n 3 -o log touch started.%
	if [ "$status" -eq 0 ]; then expect_lines err 0; else expect_trouble '^showstopper: .*Too many open files$'; fi
	[ "$files" -lt 32 ] || expect_status 0
done

finish
