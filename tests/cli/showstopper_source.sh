#!/bin/sh
# SPDX-License-Identifier: MIT
# A source of the load that dies, for good or for a while, and what --require makes of it.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# A control group of made-up files, which has always worked for a second.
mkdir -p root/proc/self root/sys/devices/system/cpu root/group
echo 0-1 >root/sys/devices/system/cpu/online
echo '0::/' >root/proc/self/cgroup
: >root/proc/self/mountinfo
works() {
	echo 'usage_usec 1000000' >root/group/cpu.stat
}
held() {
	start_background timeout -k 5 60 showstopper -q --sysroot root -f cgroup -F path=/group -c open "$@"
}

works
held -T 0% -r 3s sleep 1000
sleep 1
: >root/group/cpu.stat
wait_background
expect_status 125
expect_lines err 2
expect_text err "^showstopper: can't read the load: Invalid argument; rows without it are left out$"
expect_text err '^showstopper: the load could not be read in the last [0-9.]+ s: what it was is not known$'

# It comes back: the run is whole, but no more than a part of it was seen.
for require in '' --require=error=1; do
	works
	held $require -T 0% -r 4s sleep 1000
	sleep 1
	: >root/group/cpu.stat
	sleep 1.5
	works
	wait_background
	if [ -z "$require" ]; then
		expect_status 0
		expect_lines err 1
	else
		expect_status 3
		expect_lines err 2
		expect_text err '^showstopper: samples cover [0-9.]+ % of the time under control, required at least 95 %$'
	fi
done

works
held --require=error=1,mse=1 -T 0% -r 1500m sleep 1000
wait_background
expect_status 0
expect_lines err 0

finish
