#!/bin/sh
# SPDX-License-Identifier: MIT
# cpuload on made-up machines: what it makes of /proc and /sys as others have them.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_out TEXT: standard output is exactly this.
expect_out() {
	printf '%s\n' "$1" >expected
	cmp -s expected out || { fail "$what: unexpected output"; diff expected out | sed 's/^/  /'; }
}

# ---- A made-up machine. The command changes it between the only two readings.

mkdir -p root/proc root/sys
cat >root/start <<-END
	cpu  1000 0 0 5000 0 0 0 100
	cpu0 500 0 0 2500 0 0 0 50
	cpu2 500 0 0 2500 0 0 0 50
	intr 1 2 3
	ctxt 5
	processes 7
	procs_running 3
END
cat >root/later <<-END
	cpu  1050 0 0 5040 0 0 0 110
	cpu0 545 0 0 2500 0 0 0 55
	cpu2 505 0 0 2540 0 0 0 55
	intr 1 2 3
	ctxt 5
	processes 9
	procs_running 4
END
# Processor 2 has gone; what the summary says of it is nonsense then.
cat >root/gone <<-END
	cpu  1050 0 0 99999 0 0 0 120
	cpu0 525 0 0 2525 0 0 0 50
	procs_running 4
END

# between SHELL-COMMAND OPTION…: one row, its part from the load on. Where columns pass already, they go on.
between() {
	[ "$passing" ] || cat root/start >root/proc/stat
	change=$1
	shift
	run cpuload -q --sysroot root "$@" 1h -- sh -c "sleep 0.5; $change"
	expect_status 0
	# Without the times; the wall clock is the last column.
	sed '/^{/!{s/^[^,]*,[^,]*,//; s/,[^,]*$//;}' out >part
	mv part out
}

between 'cat root/later >root/proc/stat' -s ticks -P -C runqueue
expect_out 'load,load_cpu0,load_cpu2,runqueue
0.600000,1.000000,0.200000,3'
between 'cat root/later >root/proc/stat' -s ticks --cpus 2
expect_out 'load
0.200000'
# All of the machine, also where rows are about a part of it, and from its start to its end, also where COUNT ends them.
cat root/start >root/proc/stat
run cpuload --sysroot root -s ticks --cpus 2 10m 1 -- sh -c 'sleep 0.5; cat root/later >root/proc/stat'
expect_status 0
expect_text err '^cpuload: the machine: 60\.00 %, CPU time 0\.60 s on 2 processors$'
# Two ticks of two processors could be anything.
cat root/start >root/proc/stat
sed 's/1000/1001/; s/5000/5001/; s/ 500 / 501 /; s/ 2500 / 2501 /' root/start >root/soon
run cpuload --sysroot root -s ticks -- cp root/soon root/proc/stat
expect_text err '^cpuload: the machine: its load is not known, cp was too short$'
between 'cat root/gone >root/proc/stat' -s ticks -P
expect_out 'load,load_cpu0,load_cpu2
0.500000,0.500000,'
between 'cat root/gone >root/proc/stat' -s ticks --cpus 2
expect_out 'load
'
# No tick has passed.
between ':' -s ticks
expect_out 'load
'
between ':' -s ticks -f jsonl
expect_text out '"load":null'
between ':' -s idle
expect_out 'load
'
between 'sed "s/5000/5060/; s/ 2500/ 2530/; s/1000/1040/; s/ 500 / 520 /" root/start >root/proc/stat' -s idle
expect_text out '^0\.[0-9]*$'

run cpuload --sysroot root --cpus 1 0.01 1
expect_trouble 'none of these processors is online'
# Always busy.
let_pass root/proc/stat user=1
run cpuload --sysroot root -C all 0.05 1
expect_status 0
expect_lines err 3
expect_text err 'column frequency is unavailable: .*root/sys/devices/system/cpu'
expect_text err 'column idle is unavailable: no processor has a cpuidle/state0 below root/sys/devices/system/cpu'
expect_text err 'column power is unavailable: there is no root/sys/class/powercap'
expect_text out '^[0-9.]+,[0-9.]+,1.000000,2,0.000000,,,[0-9.]+$'
run cpuload --sysroot root -f table -C frequency,power 0.05 1
expect_text out '^[0-9:.]+ +100\.00 +n/a +n/a$'

# Cores: without siblings; two processors of one; the same, whose idle times grow as time does.
run cpuload --sysroot root --unit core 0.05 1
expect_trouble 'unit=core is unavailable: can.t find out which processors share a core .*thread_siblings_list: No such file'
mkdir -p root/sys/devices/system/cpu/cpu0/topology root/sys/devices/system/cpu/cpu2/topology
echo 0,2 | tee root/sys/devices/system/cpu/cpu0/topology/thread_siblings_list >root/sys/devices/system/cpu/cpu2/topology/thread_siblings_list
run cpuload --sysroot root -u core -c 0 0.05 1
expect_trouble 'unit=core is unavailable: no two of these processors share a core'
run cpuload --sysroot root -u core -P 0.1 2
expect_status 0
expect_text out '^time_s,monotonic_s,load_cores,load_cpu0,load_cpu2,time_unix_s$'
expect_text out '^[0-9.]+,[0-9.]+,1.000000,1.000000,1.000000,[0-9.]+$'
run cpuload --sysroot root -u core -f table 0.1 1
expect_text out ', 2 processors, load of cores, source idle, every 100ms$'
expect_text out '^time +cores %$'
run cpuload -u core -s ticks
expect_trouble "--unit=core can't be had with --source=ticks, which doesn't tell cores apart: expected idle"
run cpuload -u core -p 1
expect_trouble "--unit=core can't be had with --pid: it is about the load of the machine"

let_stand

# As Linux 2.4 has it.
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\nctxt 5\n' >root/proc/stat
let_pass root/proc/stat user=1
run cpuload --sysroot root -C runqueue,steal 0.05 1
expect_status 0
expect_lines err 2
expect_text err 'column runqueue is unavailable'
expect_text err 'column steal is unavailable'
expect_text out '^[0-9.]+,[0-9.]+,1.000000,,,[0-9.]+$'
run cpuload --sysroot root -f table 0.05 1
expect_text out '\), 1 processor, source idle, every 50ms$'
let_stand
# More columns than today, processors with gaps between them, and a text that is cut off.
printf 'cpu  1 2 3 4 5 6 7 8 9 10 11 12\ncpu0 1 2 3 4 5 6 7 8 9 10 11 12\ncpu63 1 2 3 4 5 6 7 8 9 1' >root/proc/stat
run cpuload --sysroot root -P 0.05 1
expect_status 0
expect_text out '^time_s,monotonic_s,load,load_cpu0,time_unix_s$'

# Frequency and power; the energy counter begins again from 0 at 1000 J.
mkdir -p root/sys/devices/system/cpu/cpu0/cpufreq root/sys/class/powercap/intel-rapl:0
echo 1500000 >root/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
echo package-0 >root/sys/class/powercap/intel-rapl:0/name
echo 1000000000 >root/sys/class/powercap/intel-rapl:0/max_energy_range_uj
echo 999000000 >root/sys/class/powercap/intel-rapl:0/energy_uj
cat root/start >root/proc/stat
let_pass root/proc/stat user=0.3,idle=0.7
between 'echo 1000000 >root/sys/class/powercap/intel-rapl:0/energy_uj' -C power,frequency
expect_lines err 0
expect_text out '^load,frequency_mhz,power_w$'
# 2 J in 50 ms and a little more.
awk -F, 'NR == 2 && ($2 != "1500.0" || $3 <= 0 || $3 > 40.1) { exit 1 }' out || { fail "$what: wrong power"; cat out; }
run cpuload -C power,frequency --sysroot root -f table 0.1 2
expect_text out '^time +load % +MHz +W$'
expect_text out '  +1500 +0\.0$'
run cpuload --sysroot root -C power --power-source zenpower 0.05 1
expect_text err "power is unavailable: there is no chip 'zenpower'"

# Of two clocks the mean; one that isn't told doesn't count.
mkdir -p root/sys/devices/system/cpu/cpu2/cpufreq
echo 2600123 >root/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq
run cpuload --sysroot root -C frequency 0.05 1
expect_text out ',2050\.1,[0-9.]+$'
run cpuload --sysroot root --cpus 2 -C frequency 0.05 1
expect_text out ',2600\.1,[0-9.]+$'
echo '<unknown>' >root/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq
run cpuload --sysroot root -C frequency 0.05 1
expect_text out ',1500\.0,[0-9.]+$'

# Rows count in the average by their length: the frequency is another one from the second row on, which is short.
echo 1000000 >root/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
run cpuload -q --sysroot root -f table -o rows -C frequency 1 -- sh -c 'until grep -q "^[0-9]" rows; do sleep 0.02; done
	echo 3000000 >root/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq; sleep 0.05'
expect_status 0
# The first row lasted a second at least; what came later is told by when rows were written.
awk '/^[0-9]/ {
		split($1, part, ":")
		last = 3600 * part[1] + 60 * part[2] + part[3]
		if (!rows++) first = last
		if ($3 != (rows == 1 ? 1000 : 3000)) bad = 1
	}
	/^Average/ { average = $3 }
	END {
		later = last - first + (last < first ? 86400 : 0) + 0.03
		exit bad || rows < 2 || average <= 1000 || average > 1001 + 2000 * later / (1 + later)
	}' rows || { fail "$what: wrong average"; cat rows; }

# Idle states: columns as there are names, and growth where it grew.
for cpu in 0 2; do
	for state in 0 1; do
		mkdir -p root/sys/devices/system/cpu/cpu$cpu/cpuidle/state$state
		echo 7 | tee root/sys/devices/system/cpu/cpu$cpu/cpuidle/state$state/time >root/sys/devices/system/cpu/cpu$cpu/cpuidle/state$state/usage
	done
	echo POLL >root/sys/devices/system/cpu/cpu$cpu/cpuidle/state0/name
	echo C1-ABC >root/sys/devices/system/cpu/cpu$cpu/cpuidle/state1/name
done
between 'echo 50007 >root/sys/devices/system/cpu/cpu0/cpuidle/state1/time; echo 9 >root/sys/devices/system/cpu/cpu0/cpuidle/state1/usage' -C idle
expect_lines err 0
expect_text out '^load,idle_POLL,idle_POLL_per_s,idle_C1_ABC,idle_C1_ABC_per_s$'
awk -F, 'NR == 2 && ($2 != 0 || $3 != 0 || $4 <= 0 || $5 <= 0) { exit 1 }' out || { fail "$what: wrong shares"; cat out; }
run cpuload --sysroot root -f table -C idle 0.05 1
expect_text out '^time +load % +POLL % +POLL/s +C1-ABC % +C1-ABC/s$'

let_stand
# A tree of processes, and a cgroup of either version. Work of 0.02 s in at least 0.05 s on two processors.
mkdir -p root/proc/70 root/proc/self root/cg2/mine root/cg1/mine
echo '70 (x) S 1 70 70 0 -1 0 0 0 0 0 100 100 0 0 20 0 1 0 5 0 0' >root/proc/70/stat
between 'sed -i "s/ 100 100 / 101 101 /" root/proc/70/stat' --pid 70
awk 'NR == 2 && ($1 <= 0 || $1 > 0.2) { exit 1 }' out || { fail "$what: wrong load"; cat out; }
cat >root/proc/self/mountinfo <<-END
	30 23 0:26 / /cg2 rw,nosuid shared:4 - cgroup2 cgroup2 rw
	31 23 0:27 / /cg1 rw,nosuid shared:4 - cgroup cgroup rw,cpuacct
END
echo 'usage_usec 1000000' >root/cg2/mine/cpu.stat
between 'echo usage_usec 1020000 >root/cg2/mine/cpu.stat' --cgroup mine
awk 'NR == 2 && ($1 <= 0 || $1 > 0.2) { exit 1 }' out || { fail "$what: wrong load"; cat out; }
echo 1000000000 >root/cg1/mine/cpuacct.usage
between 'echo 1020000000 >root/cg1/mine/cpuacct.usage' --cgroup /cg1/mine
awk 'NR == 2 && ($1 <= 0 || $1 > 0.2) { exit 1 }' out || { fail "$what: wrong load"; cat out; }
run cpuload --sysroot root -s cpuacct 0.05 1
expect_trouble "can't open the root cgroup's cpuacct.usage: No such file or directory \(below root\)"
echo 1000000000 >root/cg1/cpuacct.usage
between 'echo 1020000000 >root/cg1/cpuacct.usage' -s cpuacct
awk 'NR == 2 && ($1 <= 0 || $1 > 0.2) { exit 1 }' out || { fail "$what: wrong load"; cat out; }

# ---- Power of parts

for zone in 0:package-0 0:0:core 0:1:dram; do
	mkdir -p "root/sys/class/powercap/intel-rapl:${zone%:*}"
	echo "${zone##*:}" >"root/sys/class/powercap/intel-rapl:${zone%:*}/name"
	echo 5000000 >"root/sys/class/powercap/intel-rapl:${zone%:*}/energy_uj"
done
cat root/start >root/proc/stat
let_pass root/proc/stat user=0.3,idle=0.7
between 'echo 6000000 >root/sys/class/powercap/intel-rapl:0:1/energy_uj' -C zones
expect_lines err 0
expect_text out '^load,power_package-0_w,power_core_w,power_dram_w$'
# 1 J in 50 ms and a little more.
awk -F, 'NR == 2 && ($2 != "0.000" || $3 != "0.000" || $4 <= 0 || $4 > 20.1) { exit 1 }' out || { fail "$what: wrong power"; cat out; }
# What they took before the rows began is in none of them. Here cpuload waits that long for a reader of its header, behind a full pipe.
mkfifo full
exec 8<>full
timeout 1 yes '' >&8
start_background cpuload -q --sysroot root -C zones -o /proc/self/fd/8 1h -- sleep 0.05
sleep 0.5
echo 9000000 >root/sys/class/powercap/intel-rapl:0:0/energy_uj
cat full >unread 8>&- &
reader=$!
wait_background
exec 8>&-
wait "$reader"
expect_status 0
expect_text unread '^[0-9.]+,[0-9.]+,[0-9.]*,0\.000,0\.000,0\.000,[0-9.]+$'
run cpuload --sysroot root -f table -C zones,power 0.05 1
expect_text out '^time +load % +W +package-0 W +core W +dram W$'
rm -r root/sys/class/powercap
run cpuload --sysroot root -C zones 0.05 1
expect_status 0
expect_lines err 1
expect_text err '^cpuload: columns of zones are unavailable: there is no root/sys/class/powercap'
let_stand

finish
