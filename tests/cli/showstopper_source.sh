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

# All processors that are measured go offline, and stay so.
cat >root/proc/stat <<END
cpu  40 0 0 40 0 0 0 0 0 0
cpu0 10 0 0 10 0 0 0 0 0 0
cpu1 10 0 0 10 0 0 0 0 0 0
cpu2 10 0 0 10 0 0 0 0 0 0
cpu3 10 0 0 10 0 0 0 0 0 0
intr 0
END
start_background timeout -k 5 60 showstopper -q --sysroot root -F source=idle,cpus=2-3 -o log -c open -T 100% \
	sh -c 'until [ -e end ]; do sleep 0.1; done'
wait_until has_records 2
# In one write, and as long as before.
{
	grep -v 'cpu[23]' root/proc/stat
	yes '' | head -c 200
} >two
dd if=two of=root/proc/stat bs=1M conv=notrunc 2>/dev/null
wait_until grep -q "can't read the load" err
sleep 1.5
: >end
wait_background
expect_status 125
expect_lines err 2
expect_text err "^showstopper: can't read the load: none of the processors 2-3 is online; rows without it are left out$"
expect_text err '^showstopper: the load could not be read in the last [0-9.]+ s: what it was is not known$'

works
held --require=error=1,mse=1 -T 0% -r 1500m sleep 1000
wait_background
expect_status 0
expect_lines err 0

finish
