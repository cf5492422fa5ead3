#!/bin/sh
# SPDX-License-Identifier: MIT
# Dynamic pinning: which scheme is in force at which load, and that every thread goes with it. The load is what a file says.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH HWLOC_SYNTHETIC HWLOC_XMLFILE
export SHOWSTOPPER_DYNAMIC_TEST="$work"

run showstopper -T 50% --pin dynamic true
expect_trouble '--pin=dynamic: expected two groups with it, or more, such as --pin dynamic COMMAND : --pin dynamic COMMAND$'
run showstopper -T 50% --pin dynamic:below=packed true : --pin dynamic:dwell=1s true
expect_trouble '--pin=dynamic: the settings are given twice: expected them in one group$'
run showstopper -T 50% --pin dynamic --part 0/2 true : --pin dynamic true
expect_trouble '--part: expected none with --pin=dynamic, whose parts are the groups in their order$'
for settings in x below= below=x above=per-thread threshold=5% threshold=2 hysteresis=50% dwell=x dwell=2d; do
	run showstopper -T 50% --pin "dynamic:$settings" touch started : --pin dynamic touch started
	expect_trouble '--pin=dynamic: .*expected'
done
[ ! -e started ] || fail 'started a workload'
HWLOC_SYNTHETIC='pack:1 core:2 pu:2' run showstopper -T 50% --pin dynamic true : --pin dynamic true
expect_trouble '--pin=per-chip: the machine has 1 usable chip, too few for 2 parts; --pin dynamic:below=SCHEME,above=SCHEME takes others \(--list-pins shows them\)$'

allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
case $allowed in
*[-,]*) ;;
*)
	echo 'one processor: workloads are not moved'
	finish
	;;
esac
scheme=packed
first=$(showstopper --list-pins | sed -n "s|^$scheme *0/2 *||p")
second=$(showstopper --list-pins | sed -n "s|^$scheme *1/2 *||p")

# What the kernel would say of a machine: load_is SHARE makes each processor so busy from now on.
mkdir -p root/proc root/sys
sed -n 's/^\(cpu[0-9][0-9]*\) .*/\1 0 0 0 0 0 0 0 0 0 0/p' /proc/stat >root/proc/stat
echo 'intr 0' >>root/proc/stat
load_is() {
	let_pass root/proc/stat "user=$1,idle=$2"
}

# shellcheck disable=SC2317,SC2013 # called by wait_until
# bound N LIST: the threads of workload N, and of what it started, are bound to these. A thread that ends meanwhile says nothing.
bound() {
	seen=0
	for file in $(grep -lsz "^SHOWSTOPPER_DYNAMIC_TEST=$work\$" /proc/[0-9]*/environ); do
		grep -qsz "^SHOWSTOPPER_INSTANCE=$1\$" "$file" || continue
		for task in "${file%/environ}/task/"*; do
			list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$task/status" 2>/dev/null)
			[ -n "$list" ] || continue
			[ "$list" = "$2" ] || return 1
			seen=$((seen + 1))
		done
	done
	[ "$seen" -ge "$3" ]
}

# shellcheck disable=SC2317 # called by wait_until
moved_up() {
	load_is 0.9 0.1
	bound 0 "$first" 302 && bound 1 "$second" 1
}
# shellcheck disable=SC2317
moved_down() {
	load_is 0.1 0.9
	bound 0 "$allowed" 302 && bound 1 "$allowed" 1
}

# A workload of 300 threads; the second group is free. With `neutral' below everybody may use everything.
load_is 0.1 0.9
start_background showstopper -v -T 50% -c open -r 10M --sysroot root -F source=ticks -o log --export-json run.json \
	-n 1 --pin "dynamic:below=neutral,above=$scheme,threshold=50%,hysteresis=10%,dwell=300m" sh -c 'setsid ssburn -t 300 -p sleepy & exec sleep 1000' : \
	-n 1 --free --pin dynamic sleep 1000
wait_until moved_down
wait_until moved_up
wait_until moved_down
wait_until moved_up
kill -TERM "$background"
wait_background
[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
expect_text err "^showstopper: pinning: $scheme, at a load of [0-9.]+ %\$"
expect_text err '^showstopper: pinning: neutral, at a load of [0-9.]+ %$'
expect_text log '^time_s,monotonic_s,target,load,estimate,duty,runnable,others,free,pinning,time_unix_s$'
expect_text log ',neutral,[0-9.]+$'
expect_text log ",$scheme,[0-9.]+\$"
expect_text run.json "\"pin\": \"dynamic:below=neutral,above=$scheme,threshold=0.5,hysteresis=0.1,dwell=300ms 1/2\""

# The first scheme, too, stays for as long as is asked for.
load_is 0.9 0.1
start_background showstopper -v -T 50% -c open -r 1500m --sysroot root -F source=ticks \
	-n 1 --pin "dynamic:below=neutral,above=$scheme,threshold=50%,dwell=5s" sleep 1000 : -n 1 --free --pin dynamic sleep 1000
wait_background
expect_status 0
expect_no_text err 'pinning: '
let_stand

run showstopper -T 50% --dry-run -n 1 --pin "dynamic:below=neutral,above=$scheme" true : -n 1 --pin dynamic true
expect_text out "^dynamic pinning: below=neutral,above=$scheme,threshold=0.5,hysteresis=0.05,dwell=5s\$"
expect_text out "^group 1: processors all or $second \(dynamic 1/2\)\$"
run showstopper -T 50% -q -r 300m -F source=combined -n 1 --pin "dynamic:below=neutral,above=$scheme" true : -n 1 --free --pin dynamic true
expect_trouble "source=combined can't follow workloads that are moved: expected idle, ticks or schedstat\$"

finish
