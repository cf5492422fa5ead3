#!/bin/sh
# SPDX-License-Identifier: MIT
# --check-machine: one page, and the same as JSON, on this machine and on made-up ones.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# ---- This machine ---------------------------------------------------------------------------------------------------------

run showstopper --check-machine
expect_status 0
expect_lines err 0
for line in 'showstopper [0-9].*, Linux [0-9]' 'A run (works here\.|here can be trusted: )' 'idle: +(chosen|available): ' 'module workloads: +available: ' \
	'electric power: ' 'software events: +(un)?available: ' 'processor events: +(un)?available: ' 'idle states: +(un)?available: ' 'measured: +(the whole machine|what the container may use|a part of the machine): [0-9.]+ processors?$' \
	'processors: +[1-9]' 'container: ' 'topology: ' 'accounting: +.* for user and system time, (clock|tick) for idle time$' \
	'virtual machine: ' 'steal: +[0-9.]+ %' 'clock: ' 'busy: ' 'swap: ' 'priority: ' 'containment: ' 'processes: +chosen: ' \
	'shared memory: +chosen: ' 'control groups: ' 'freezer: +(available: -a freezer: version [12], /|unavailable: no control group can be made )'; do
	expect_text out "^$line"
done
[ "$(wc -l <out)" -le 48 ] || fail "$what: $(wc -l <out) lines are no page"
[ "$(grep -c 'chosen: ' out)" -ge 4 ] || fail "$what: less is chosen than a run needs"
run showstopper --json -T 50% true
expect_trouble '^showstopper: --json: expected --check-machine with it'
run showstopper --json --list-modules
expect_trouble '^showstopper: --json: expected --check-machine with it'

# What the user asks for is what is tried: it decides the status.
run showstopper --check-machine -f workloads
expect_status 0
expect_text out '^module workloads: +chosen: '
expect_no_text out '^(combined|cpuacct|idle|ticks|cgroup): +chosen'
run showstopper --check-machine -F source=ticks
expect_status 0
expect_text out '^ticks: +chosen: '
expect_text out '^  ticks: a tick is charged whole'
run showstopper --check-machine -F cpus=65000
expect_status 125
expect_lines err 0
expect_text out '^No run can start here\.'
expect_text out "^  measured: /proc/stat has none of the processors of option 'cpus'"
run showstopper --check-machine -f ./none.so
expect_status 125
expect_text out '^module given: +unavailable: -f \./none\.so$'
expect_text out "^  measured: feedback module '\./none\.so': "
if setpriv --bounding-set -sys_nice prlimit --nice=0 --rtprio=0 true 2>/dev/null; then
	run setpriv --bounding-set -sys_nice prlimit --nice=0 --rtprio=0 showstopper --check-machine
	expect_status 0
	expect_text out "^priority: +unavailable: nothing above the workloads' is permitted"
	expect_text out '^  priority: SCHED_FIFO is not permitted'
	expect_text out '^    to permit SCHED_FIFO: CAP_SYS_NICE '
else
	left_out 'priorities can not be forbidden'
fi
if setpriv --bounding-set -sys_nice prlimit --nice=24 --rtprio=0 true 2>/dev/null; then
	run setpriv --bounding-set -sys_nice prlimit --nice=24 --rtprio=0 showstopper --check-machine
	expect_text out '^priority: +chosen: nice -4, as SCHED_FIFO is not permitted$'
fi

# ---- Containers that lack what others have -----------------------------------------------------------------------------------

# bare COMMANDS COMMAND…: run in a mount and PID namespace of its own, after these.
bare() {
	commands=$1
	shift
	# shellcheck disable=SC2016
	run unshare -m -p -f --mount-proc sh -c "$commands"' && exec "$@"' sh "$@"
}
remove_shm='while umount -l /dev/shm 2>/dev/null; do :; done'
bare "umount -l /sys && $remove_shm" true
if [ "$status" -eq 0 ]; then
	bare "umount -l /sys && $remove_shm" showstopper --check-machine
	expect_status 0
	expect_lines err 0
	for line in 'idle: +(chosen|available): ' 'cpuacct: +unavailable: ' 'clock: +unknown' 'frequency: +unknown' 'measured: +(the whole machine|what the container may use): ' \
		'control groups: +unavailable: none that we are in is mounted$' 'freezer: +unavailable: no control group can be made ' 'electric power: +unavailable: there is no /sys/class/powercap'; do
		expect_text out "^$line"
	done
	# The sanitizer's own work needs /proc.
	if grep -q __asan_init "$build/showstopper"; then
		left_out 'without /proc, with sanitizers'
	else
		bare 'while umount -l /proc 2>/dev/null; do :; done' showstopper --check-machine
		expect_status 125
		expect_lines err 0
		for line in 'No run can start here\.' '  measured: .' '  shared memory: memory can.t be shared: ' 'children: +unavailable: ' 'idle: +unavailable: '; do
			expect_text out "^$line"
		done
		bare 'while umount -l /proc 2>/dev/null; do :; done' showstopper --check-machine --json
		jq -e '.verdict == "impossible" and (.stops | index("machine.measured") and index("privileges.shared_memory"))' out >/dev/null ||
			fail "$what: $(cat out)"
	fi
	if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$build/showstopper" 2>err; then
		bare 'mount -t proc -o hidepid=2 proc /proc' setpriv --reuid 65534 --regid 65534 --clear-groups showstopper --check-machine
		expect_status 0
		expect_text out '^children: .*processes of other users are hidden \(hidepid\)$'
	else
		left_out "another user can't be, or can't enter $build: $(head -n 1 err)"
	fi
else
	left_out 'nothing can be unmounted in a namespace'
fi

# ---- A made-up machine that has all that lowers the accuracy -----------------------------------------------------------------

# put FILE: from standard input
put() {
	mkdir -p "root$(dirname "$1")"
	cat >"root$1"
}
put /proc/stat <<'END'
cpu  8000000 0 0 10000000 0 0 0 2000000 0 0
cpu0 4000000 0 0 5000000 0 0 0 1000000 0 0
cpu1 4000000 0 0 5000000 0 0 0 1000000 0 0
intr 1
END
echo 'nohz=off isolcpus=1' | put /proc/cmdline
printf 'flags\t\t: fpu hypervisor\n' | put /proc/cpuinfo
sed -i '1i processor\t: 0' root/proc/cpuinfo
sysfs=/sys/devices/system
echo 'hpet tsc kvm-clock' | put $sysfs/clocksource/clocksource0/available_clocksource
echo hpet | put $sysfs/clocksource/clocksource0/current_clocksource
echo 0-1 | put $sysfs/cpu/online
echo 2-3,7 | put $sysfs/cpu/offline
echo 1 | put $sysfs/cpu/isolated
echo ' (null)' | put $sysfs/cpu/nohz_full
for cpu in $(seq 0 63); do
	echo powersave | put $sysfs/cpu/cpu"$cpu"/cpufreq/scaling_governor
	echo 800000 | put $sysfs/cpu/cpu"$cpu"/cpufreq/scaling_min_freq
	echo 3500000 | put $sysfs/cpu/cpu"$cpu"/cpufreq/scaling_max_freq
done
printf 'MemTotal: 1 kB\nSwapTotal:     4096 kB\nSwapFree:      1024 kB\n' | put /proc/meminfo
printf 'nr_free 1\npswpin 70\npswpout 1\n' | put /proc/vmstat
run showstopper --sysroot root --check-machine
expect_status 0
expect_lines err 0
for line in 'A run works here\.' '  ticks: a tick is charged whole' '    start the kernel without nohz=off' \
	'  steal: a hypervisor gave 0\.0 % .*10\.0 % since' '  clock: .*hpet' '    for a faster one: echo tsc \| sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource$' \
	"columns: +the columns of /proc/stat don't pass as the clock does, on any processor: the load is not known\$" 'busy: +unknown' \
	'ticks: +chosen: ' 'accounting: +unknown for .*, tick for idle time' \
	'processors: +2 online, [0-9]+ usable; offline 2-3,7; isolated 1$' 'frequency: +governor powersave, 800 to 3500 MHz' \
	' +for a clock that .*: echo performance ' 'virtual machine: +KVM$' 'swap: +3 of 4 MiB used, 0 pages '; do
	expect_text out "^$line"
done

# It swaps meanwhile: how much is one number in the page and in JSON.
(
	pages=0
	while [ ! -e enough ]; do
		pages=$((pages + 1000))
		printf 'nr_free 1\npswpin %d\npswpout 1\n' $pages >vmstat
		mv vmstat root/proc/vmstat
		sleep 0.02
	done
) &
swapping=$!
run showstopper --sysroot root --check-machine --json
: >enough
wait "$swapping"
expect_status 0
jq -e '[.. | objects | .swap? | objects][0] | . as $swap | .value >= 1000 and (.text | endswith(" \($swap.value + 0) pages moved in two seconds"))
	and (.effect | startswith("the machine swaps: ")) and .remedy == "fewer or smaller programs"' out >/dev/null ||
	{ fail "$what: wrong swap"; jq '.. | objects | .swap? | objects' out; }

# Its columns pass as the clock does.
let_pass root/proc/stat user=0.8,steal=0.1,idle=0.1
run showstopper --sysroot root --check-machine
expect_status 0
expect_lines err 0
for line in 'columns: +those of /proc/stat pass as the clock does$' 'steal: +(9|10|11)\.[0-9] %' 'busy: +a load of (8[89]|9[0-2])\.[0-9] % over two seconds' \
	'  busy: what runs already makes a load of (8[89]|9[0-2]) %; no lower one' '  steal: a hypervisor gave (9|10|11)\.[0-9] % .*10\.0 % since'; do
	expect_text out "^$line"
done
expect_no_text out "don't pass"
# From now on they have work all the time.
let_pass root/proc/stat user=1

# With a clock for idle time there is something better; how to get it is said.
echo quiet | put /proc/cmdline
printf '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t1\t1\ncpuacct\t0\t1\t1\n' | put /proc/cgroups
run showstopper --sysroot root --check-machine
expect_status 0
expect_text out '^idle: +chosen: '
expect_text out '^  busy: what runs already makes a load of [0-9]+ %; no lower one'
expect_text out '^    to have ns: .*mount -t cgroup -o cpuacct '
expect_text out '^combined: +unavailable: .*cpuacct\.usage: No such file'
printf '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t1\t1\ncpuacct\t0\t1\t0\n' | put /proc/cgroups
run showstopper --sysroot root --check-machine
expect_text out '^idle: +chosen: '
expect_no_text out 'to have ns'
# The root group's file is that of a container, which has worked far less than the machine.
echo 5 | put /sys/fs/cgroup/cpuacct/cpuacct.usage
run showstopper --sysroot root --check-machine
expect_text out '^idle: +chosen: '
expect_text out '^cpuacct: +unavailable: cpuacct\.usage here is not that of the machine$'
echo 100000000000000 | put /sys/fs/cgroup/cpuacct/cpuacct.usage
run showstopper --sysroot root --check-machine
expect_text out '^combined: +chosen: '
expect_no_text out '^  combined: '

# One processor of two, by taskset, beside a cpuset of both: the machine is measured, and can't be loaded.
cgroup=/sys/fs/cgroup
echo "30 23 0:26 / $cgroup rw - cgroup2 cgroup2 rw" | put /proc/self/mountinfo
echo '0::/a' | put /proc/self/cgroup
echo 0-1 | put $cgroup/a/cpuset.cpus.effective
printf 'Name:\tx\nCpus_allowed_list:\t1\nMems_allowed:\t1\n' | put /proc/self/status
run showstopper --sysroot root --check-machine
expect_status 0
expect_text out '^  measured: workloads may use 1 of 2 processors, by affinity; no load above 50 %'
expect_text out '^    -F cpus=allowed measures those alone$'
run showstopper --sysroot root --check-machine -F cpus=allowed
expect_text out '^measured: +a part of the machine: 1 processor$'
expect_no_text out '^  measured: '
# As in a container that shows no cpuset, and with lxcfs.
rm "root$cgroup/a/cpuset.cpus.effective"
run showstopper --sysroot root --check-machine
expect_text out '^measured: +what the container may use: 1 processor$'
expect_text out '^container: +processors 1, by affinity, as no control group shows a cpuset$'
expect_no_text out '^  measured: '
echo '50 1 0:44 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw' | put /proc/self/mountinfo
run showstopper --sysroot root --check-machine
expect_text out '^measured: +what the container may use: 2 processors$'
expect_text out "^container: +lxcfs: /proc/stat shows the container's processors, with numbers of its own$"
expect_text out '^idle: +chosen: '
run showstopper --sysroot root --check-machine -F cpus=0
expect_status 125
expect_text out '^  measured: lxcfs has numbers of its own for the processors of /proc/stat'
rm -r root/proc/self

run showstopper --sysroot nowhere --check-machine
expect_status 125
expect_lines err 0
for line in 'No run can start here\.' "  measured: can't open /proc/stat: No such file" 'processors: +/proc/stat unavailable, [1-9]' \
	'steal: +unknown' 'container: +none: ' 'clock: +unknown' 'swap: +unknown' \
	'electric power: +unavailable: there is no nowhere/sys/class/powercap'; do
	expect_text out "^$line"
done

# ---- JSON says what the page says -------------------------------------------------------------------------------------------

cat >page.jq <<'END'
def title: gsub("_"; " ") + ":";
def remedy(indent): if .remedy then (" " * indent) + .remedy + (if .command then ": " + .command else "" end) else empty end;
def effects($where): $where[] as $place | getpath($place / ".") | "  \($place / "." | .[1] | title) \(.effect)", remedy(4);
def row: .key as $key | .value
	| ($key | title) as $title
	| $title + (" " * (18 - ($title | length))) +
		(if .state == "known" or .state == "unknown" then "" else .state + (if .text == "" then "" else ": " end) end) + .text,
	(if .effect then empty else remedy(18) end);
{trusted: "A run here can be trusted: nothing is known that lowers its accuracy.",
	lowered: "A run works here. What lowers its accuracy, and what to do:",
	impossible: "No run can start here. What is in the way:"}[.verdict],
effects(.stops), effects(.lowers),
"", "Sources of the load", (.sources | to_entries[] | row),
"", "The machine", (.machine | to_entries[] | row),
"", "What showstopper may do here", (.privileges | to_entries[] | row)
END
for root in root nowhere; do
	run showstopper --sysroot $root --check-machine
	cp out text
	text_status=$status
	run showstopper --sysroot $root --check-machine --json
	expect_status $text_status
	expect_lines err 0
	jq -r -f page.jq out >page || fail "$what: no JSON"
	sed 1,2d text | cmp -s - page || { fail "$what: the page and JSON differ:"; sed 1,2d text | diff - page; }
	jq -e '.schema == 1 and (.showstopper | test("^[0-9]")) and ([.sources, .machine, .privileges] | map(.[].effect) | map(select(.)) | length)
		== (.stops + .lowers | length)' out >/dev/null || fail "$what: members are wrong: $(cat out)"
done
jq -e '.verdict == "impossible" and .stops == ["machine.measured"] and .machine.steal.value == null' out >/dev/null || fail "$what: $(cat out)"
run showstopper --json --sysroot root --check-machine
jq -e '.verdict == "lowered" and .machine.steal.value == 0 and .machine.busy.value <= 1 and .sources.combined.state == "chosen"
	and .machine.processors.value == 2 and .privileges.processes.state == "chosen"' out >/dev/null || fail "$what: $(cat out)"

let_stand

# The manual names each member.
for name in $(jq -r '(keys[] , (.sources, .machine, .privileges | keys[]))' out); do
	grep -Eq "^\.It .*Li (.*, )?$name\b|^\.(Li|Cm) (.*[ ,])?$name\b" "$source/src/showstopper-check-machine.5" || fail "the manual lacks the member $name"
done

finish
