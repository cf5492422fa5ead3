#!/bin/sh
# SPDX-License-Identifier: MIT
# A source of the load that dies, or isn't to be believed, for good or for a while, and what --require makes of it.
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

# The columns of a machine stop, which until then was as busy as it is to be. Its load isn't known then: the workloads keep the duty cycle that they
# usually had, and after 12 s the run ends, or goes on at the duty cycle of the target until the columns pass again. Both kinds, side by side.
cat >root/proc/stat <<END
cpu  80 0 0 80 0 0 0 0 0 0
cpu0 40 0 0 40 0 0 0 0 0 0
cpu1 40 0 0 40 0 0 0 0 0 0
intr 0
END
let_pass root/proc/stat user=0.4,idle=0.6
mkdir going
(
	cd going || exit 1
	timeout -k 5 60 showstopper --sysroot ../root -T 40% -r 1h --keep-going -o log --log-interval 100m -n 2 sleep 1000 2>err &
	echo $! >pid
	wait $!
	echo $? >status
) &
going=$!
rm -f log
start_background timeout -k 5 60 showstopper --sysroot root -T 40% -r 1h -o log --log-interval 100m -n 2 sleep 1000
wait_until has_records 30
let_pass root/proc/stat still
stopped=$(date +%s%N)
wait_background
unknown_ms=$((($(date +%s%N) - stopped) / 1000000))
expect_status 125
expect_lines_before() {
	sed '/^target load /,$d' "$1" >said
	expect_lines said "$2"
}
expect_lines_before err 3
expect_text said "^showstopper: warning: the columns of /proc/stat don't pass as the clock does, on any processor: the load is not known$"
expect_text said '^showstopper: the load has not been known for 2\.[5-9] s: the workloads keep their duty cycle$'
expect_text said '^showstopper: the load has not been known for 12 s: the run ends$'
if [ "$unknown_ms" -lt 11500 ] || [ "$unknown_ms" -gt 20000 ]; then fail "$what: ended $unknown_ms ms after the columns stopped, expected about 12 s"; fi
# Until it is noticed, within 60 ms, idle columns that stand still look like work, which is answered.
# shellcheck disable=SC2016 # of awk
columns='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { time = $at["time_s"]; load = $at["load"]; duty = $at["duty"] }'
awk -F, "$columns"'
	load != "" { if (unknown > 1) { print "known again: " $0; wrong = 1 }; sum += duty; rows++; last = time; next }
	{ unknown++ }
	time - last > 0.3 && (duty <= 0.001 || duty >= 0.999 || duty - sum / rows > 0.3 || sum / rows - duty > 0.3) { print; wrong = 1 }
	END { exit wrong || rows < 30 || unknown < 100 || time - last < 11 || time - last > 15 }' log ||
	{ fail "$what: the duty cycle isn't what it was, or the load isn't unknown"; cat log; }

# The other one goes on, exactly at the target, until the load is known again.
what='showstopper --keep-going'
wait_until grep -q 'from now on' going/err
sleep 2
let_pass root/proc/stat user=0.4,idle=0.6
wait_until grep -q 'known again' going/err
sleep 1.5
kill -TERM "$(cat going/pid)"
wait "$going"
[ "$(cat going/status)" = 125 ] || fail "$what: status $(cat going/status), expected 125"
expect_lines_before going/err 4
expect_text said '^showstopper: the load has not been known for 2\.[5-9] s: the workloads keep their duty cycle$'
expect_text said '^showstopper: the load has not been known for 12 s: the duty cycle is the target from now on, as with -c open$'
expect_text said '^showstopper: the load is known again$'
awk -F, "$columns"'
	load == "" { unknown = 1 }
	load != "" && !unknown { sum += duty; rows++; last = time }
	load != "" && unknown { again++ }
	load == "" && time - last > 0.3 && (duty <= 0.001 || duty >= 0.999 || duty - sum / rows > 0.3 || sum / rows - duty > 0.3) { print; wrong = 1 }
	load == "" && time - last > 13.5 { open++; if (duty < 0.39999 || duty > 0.40001) { print; wrong = 1 } }
	END { exit wrong || rows < 20 || open < 15 || again < 10 }' going/log ||
	{ fail "$what: the duty cycle isn't the target, or the load isn't known again"; cat going/log; }
let_stand

# All processors that are measured go offline, and stay so.
cat >root/proc/stat <<END
cpu  40 0 0 40 0 0 0 0 0 0
cpu0 10 0 0 10 0 0 0 0 0 0
cpu1 10 0 0 10 0 0 0 0 0 0
cpu2 10 0 0 10 0 0 0 0 0 0
cpu3 10 0 0 10 0 0 0 0 0 0
intr 0
END
let_pass root/proc/stat user=1
rm -f log
start_background timeout -k 5 60 showstopper -q --sysroot root -F source=idle,cpus=2-3 -o log -c open -T 100% \
	sh -c 'until [ -e end ]; do sleep 0.1; done'
wait_until has_records 2
let_stand
# In one write, and as long as before.
{
	grep -v 'cpu[23]' root/proc/stat
	yes '' | head -c 400
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
