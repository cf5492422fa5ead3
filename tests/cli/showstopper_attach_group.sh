#!/bin/sh
# SPDX-License-Identifier: MIT
# --attach-group: what is in a control group is controlled, now and later, never terminated, and the group left as it was found, whoever is killed.
# shellcheck disable=SC2013 # numbers, one a line
# shellcheck disable=SC2016,SC2317 # commands of the groups' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
trap 'end_all; cd /; rm -rf "$work"' EXIT

[ "$(id -u)" -eq 0 ] || skip 'not root: no groups can be made'
name=sst-test-$$
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
# hierarchy CONTROLLER: where version 1 has it.
hierarchy() { awk -v name="$1" '$3 == "cgroup" && $4 ~ "(^|,)" name "(,|$)" { print $2; exit }' /proc/mounts; }
folders=
# make FOLDER…: groups with children go last.
make() {
	for folder in "$@"; do
		mkdir "$folder" || return 1
		folders="$folder $folders"
	done
}
end_all() {
	for folder in $folders; do
		[ -d "$folder" ] || continue
		for control in cgroup.freeze:0 freezer.state:THAWED; do
			[ ! -e "$folder/${control%:*}" ] || echo "${control#*:}" >"$folder/${control%:*}"
		done
		for process in $(cat "$folder/cgroup.procs"); do kill -KILL "$process"; done
		for _ in $(seq 50); do
			rmdir "$folder" && break
			sleep 0.1
		done
	done 2>/dev/null
	folders=
	for process in $(grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'); do kill -KILL "$process"; done 2>/dev/null
}
# put FOLDER COMMAND…: starts it in a group; $put is its process.
put() {
	into=$1
	shift
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$into" "$@" </dev/null >/dev/null 2>&1 &
	put=$!
	wait_until in_group "$put" "$into"
}
in_group() { grep -qx "$1" "$2/cgroup.procs" 2>/dev/null; }
state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }
is_stopped() { [ "$(state "$1")" = T ]; }
runs() { case $(state "$1") in R | S) ;; *) return 1 ;; esac }
members_are() { # WHAT FOLDER
	for process in $(cat "$2/cgroup.procs"); do "$1" "$process" || return 1; done
}
children() {
	for parent in "$@"; do
		cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 /' | awk -v parent="$parent" '$3 == parent { print $1 }'
	done
}
frozen() {
	if [ -e "$1/cgroup.freeze" ]; then cat "$1/cgroup.freeze"; else cat "$1/freezer.self_freezing"; fi
}
is_frozen() { [ "$(frozen "$1")" = 1 ]; }
is_thawed() { [ "$(frozen "$1")" = 0 ]; }
no_records() { [ ! -e /run/showstopper/groups ]; }
start_run() { start_background env "TEST_MARK=$work" showstopper "$@"; }
none_left() { ! grep -qsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ; }
end_run() {
	kill -TERM "$background"
	wait_background
	[ "$status" -eq 143 ] || fail "$what: status $status, expected 143"
	wait_until none_left
	wait_until no_records
}
# The run's processes.
roles() {
	guardian=$background
	master=$(children "$guardian" | head -n 1)
	executor=
	for process in $(children "$master"); do
		[ -n "$(children "$process")" ] || executor=$process
	done
}

if [ -z "$unified" ] || ! make "$unified/$name" 2>/dev/null; then
	skip 'no group of version 2 can be made'
fi
group=$unified/$name
freezer=$(hierarchy freezer)
cpu=$(hierarchy cpu)

# ---- What is refused ----------------------------------------------------------------------------------------------------------

refused() {
	expected=$1
	shift
	for action in '' --dry-run; do
		# shellcheck disable=SC2086
		run showstopper -T 50% -r 1s "$@" $action touch started
		expect_trouble "^showstopper: --attach-group: $expected"
		[ ! -e started ] || fail "$what: started a workload"
	done
}
refused "'': expected a control group" --attach-group ''
refused "'\\.\\./x': expected the path of a control group, without '\\.\\.'" --attach-group ../x
refused "'/': expected the path" --attach-group /
refused "'$name/nothing' is no control group: expected the path of one that is there, below a mount point such as $unified\$" --attach-group "$name/nothing"
refused "'/tmp' is no control group" --attach-group /tmp
refused 'there is no control group of unit sst-nothing.service: expected one that runs' --attach-group unit:sst-nothing
refused "'container:web': expected the ID of a container" --attach-group container:web
refused "$name: it has no processes that can be seen from here: expected something that runs in it" --attach-group "$name"
put "$group" sleep 1000
sleeper=$put
refused "$name: another run of showstopper holds $group: expected one at a time" --attach-group "$name" --attach-group "$name"
refused "$name: process $sleeper in it is attached by --attach, too" --attach "$sleeper" --attach-group "$name"
sleep 1000 &
run showstopper -T 50% -a freezer --attach $! --attach-group "$name"
expect_trouble "^showstopper: --attach: actuator module 'freezer' .*: expected -a signals, or --attach-group"
kill $!
# The own group, one above it, and that of an ancestor.
make "$group/own"
run sh -c 'echo $$ >"$0/own/cgroup.procs"; exec showstopper -T 50% -r 1s --attach-group "$1"' "$group" "$name"
expect_trouble "^showstopper: --attach-group: $name: Showstopper is in it: expected a group without itself, not one above its own either"
run sh -c 'echo $$ >"$0/own/cgroup.procs"; sh -c "echo \$\$ >\"\$0/cgroup.procs\"; exec showstopper -T 50% -r 1s --attach-group \"\$1/own\"" "$2" "$1"; exit $?' "$group" "$name" "$unified"
expect_trouble "^showstopper: --attach-group: $name/own: process [0-9]+ in it is an ancestor of Showstopper"
if grep -qx 1 "$unified/cgroup.procs"; then
	run showstopper -T 50% -r 1s --attach-group "$unified"
	expect_trouble "^showstopper: --attach-group: $unified: (Showstopper is in it|the first process of the system is in it)"
fi
# Threads alone.
make "$group/threads"
if echo threaded >"$group/threads/cgroup.type" 2>/dev/null; then
	refused "$name/threads: it is a threaded group, which has threads and no processes: expected the group above it" --attach-group "$name/threads"
else
	left_out 'no threaded group can be made'
fi
rmdir "$group/threads" "$group/own"
# Every folder is a group, whatever its name begins with.
make "$group/.own"
run sh -c 'echo $$ >"$0/.own/cgroup.procs"; exec showstopper -T 50% -r 1s -a freezer --attach-group "$1"' "$group" "$name"
expect_trouble "^showstopper: --attach-group: $name: Showstopper is in it"
rmdir "$group/.own"
# Anybody can lock the folders of groups.
if command -v setpriv >/dev/null; then
	setpriv --reuid=65534 --clear-groups flock -x "$unified" sleep 5 &
	stranger=$!
	wait_until eval '! flock -n "$unified" true'
	run showstopper -T 100% -c open -r 100m --attach-group "$name"
	expect_status 0
	kill "$stranger"
fi
# What another run holds, what is in it, and around it; and a process of it.
start_run -q -T 0 -c open -r 100s --attach-group "$name"
wait_until is_stopped "$sleeper"
refused "$name: another run of showstopper holds $group" --attach-group "$name"
make "$group/below"
refused "$name/below: another run of showstopper holds $group" --attach-group "$name/below"
run showstopper -T 50% -r 1s --attach "$sleeper"
expect_trouble "^showstopper: --attach: process $sleeper is in the group $group, which another run of showstopper holds"
run showstopper --release "$name"
expect_trouble "^showstopper: --release: $name: a run of showstopper holds it: it is left as it was found when that ends"
# By another hierarchy, too.
if [ -n "$cpu" ] && make "$cpu/$name"; then
	echo "$sleeper" >"$cpu/$name/cgroup.procs"
	refused "$cpu/$name: another run of showstopper holds $group, which process $sleeper in it is in, too: expected one at a time" \
		-a quota --attach-group "$cpu/$name"
	echo "$sleeper" >"$cpu/cgroup.procs"
	rmdir "$cpu/$name"
fi
end_run
start_run -q -T 0 -c open -r 100s --attach "$sleeper"
wait_until is_stopped "$sleeper"
refused "$name: process $sleeper in it is attached to another run of showstopper, or descends from such a one" --attach-group "$name"
end_run
# Whoever attaches at the same moment: one of them may.
put "$group/below" sleep 1000
for _ in 1 2 3 4 5; do
	showstopper -q -T 100% -c open -r 500m --attach-group "$name" 2>above.err &
	above=$!
	run showstopper -q -T 100% -c open -r 500m --attach-group "$name/below"
	below=$status
	wait "$above"
	above=$?
	[ "$above $below" = '0 125' ] || [ "$above $below" = '125 0' ] || fail "a group and one in it, at the same moment: status $above and $below"
	grep -q 'another run of showstopper holds' above.err err || fail "a group and one in it: $(cat above.err err)"
done
kill -KILL "$put"
wait_until rmdir "$group/below"
# A run's own processes.
start_run -q -T 100% -c open -r 100s -n 1 sleep 1000
wait_until eval '[ -n "$(children "$(children "$(children "$background")")")" ]'
children "$(children "$(children "$background")")" >"$group/cgroup.procs"
refused "$name: process [0-9]* in it is one of another run of showstopper, or was started by its process [0-9]*" --attach-group "$name"
kill -TERM "$background"
wait_background
# Those of others.
if command -v setpriv >/dev/null; then
	run setpriv --reuid=65534 --clear-groups "$build/showstopper" -T 50% --attach-group "$name"
	expect_trouble "^showstopper: --attach-group: $name: process $sleeper in it may not be signalled by this user: expected root, or the user whose processes they are"
	run setpriv --reuid=65534 --clear-groups "$build/showstopper" -T 50% -a freezer --attach-group "$name"
	expect_trouble "^showstopper: --attach-group: $name: cgroup.freeze may not be written by this user: expected root, a unit with Delegate=yes and this User=, or -a signals"
else
	left_out 'no other user can be had'
fi
[ -e "$group/cpu.max" ] || refused "group $group has no quota" -a quota --attach-group "$group"

# ---- Held and let go ----------------------------------------------------------------------------------------------------------

run showstopper -T 50% --attach-group "$name" --dry-run -n 1 echo %
expect_status 0
expect_text out "^workload 1: attached to group $group\$"
for hand in signals freezer; do
	start_run -a "$hand" -T 0 -c open -r 2s --attach-group "$name" --export-json record.json
	if [ "$hand" = freezer ]; then wait_until is_frozen "$group"; else wait_until is_stopped "$sleeper"; fi
	wait_background
	expect_status 0
	expect_text err "^attached  *1 \\(0: group $name\\)\$"
	[ "$hand" = signals ] || is_thawed "$group" || fail "$what: left frozen"
	wait_until runs "$sleeper"
	wait_until no_records
	/usr/bin/python3 -m jsonschema -i record.json "$source/tests/fixtures/export.schema.json" || fail "$what: record.json is not as its schema says"
	[ "$(jq -c '.workloads[0] | [.attached,.group,.command]' record.json)" = "[true,\"$group\",null]" ] || fail "$what: wrong record"
done
# Processor time is that of the group from now on, also of what has ended meanwhile; the rest is no load of others.
put "$group" sh -c 'while :; do for i in 1 2 3 4 5 6 7 8 9; do :; done; /bin/true; done'
busy=$put
start_run -T 60% -c open -r 2s --attach-group "$name" --export-json record.json -o log.csv --log-interval 500m
wait_background
expect_status 0
jq -e '.workloads[0].cpu_s > 0.1 and (.workloads[0] | .cpu_s - (.cpu_parts_s | .before + .control + .after) | . > -1e-6 and . < 1e-6)' record.json >jq.out ||
	fail "$what: $(jq -c '.workloads[0]' record.json)"
expect_text err '^others  *[0-9.]+ %'
# --limit, and -f cgroup, and beside a command.
run showstopper --limit 20% -r 3s --attach-group "$name"
expect_status 0
expect_text err '^used  *([0-9]|1[0-9]|2[0-4])\.'
run showstopper -l 20% -f cgroup -F "path=$group" -r 2s --attach-group "$name"
expect_status 0
run showstopper -T 50% -c open -r 1s --attach-group "$name" -n 2 --pin packed --part 0/1 sleep 1000
expect_status 0
expect_text err "^attached  *1 \\(2: group $name\\)\$"
kill -KILL "$busy"

# ---- No claim --------------------------------------------------------------------------------------------------------------------

# Nothing is held where nobody else could see that it is.
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	put "$group" sleep 1000
	run unshare -m sh -c 'mount -t tmpfs -o ro none /run/showstopper && mount -t tmpfs none /tmp && : >/tmp/showstopper-0 && exec "$@"' sh \
		env -u TMPDIR showstopper -T 50% -r 1s --attach-group "$name"
	expect_trouble "^showstopper: --attach-group: $name: there is no folder, or no room, for the file by which it is claimed"
fi

# ---- Members come and go -------------------------------------------------------------------------------------------------------

for hand in signals freezer; do
	start_run -q -a "$hand" -T 0 -c open -r 100s --attach-group "$name"
	if [ "$hand" = freezer ]; then wait_until is_frozen "$group"; else wait_until members_are is_stopped "$group"; fi
	# One that comes, and its children; below the group, too.
	put "$group" setsid sh -c 'sleep 1000 & sleep 1000 & wait'
	comer=$put
	make "$group/below"
	put "$group/below" sleep 1000
	if [ "$hand" = signals ]; then
		wait_until is_stopped "$comer"
		wait_until members_are is_stopped "$group/below"
	else
		wait_until grep -qx 'frozen 1' "$group/cgroup.events"
	fi
	# Who leaves goes on.
	echo "$comer" >"$unified/cgroup.procs"
	wait_until runs "$comer"
	in_group "$sleeper" "$group" || fail "$what: the first one has gone"
	end_run
	wait_until members_are runs "$group"
	wait_until members_are runs "$group/below"
	# Where the group was frozen, the children began behind it.
	kill -KILL "-$comer" "$put"
	for process in $(cat "$group/cgroup.procs"); do [ "$process" = "$sleeper" ] || kill -KILL "$process"; done
	wait_until rmdir "$group/below"
done
# It is empty, or gone: that was the end of this workload.
for gone in '' gone; do
	start_run -T 100% -c open --attach-group "$name" --export-json record.json
	wait_until test -e "/run/showstopper/groups"
	sleep 0.5
	kill -KILL "$sleeper"
	[ -z "$gone" ] || wait_until rmdir "$group"
	wait_background
	expect_status 0
	expect_text err '^showstopper: all workloads have ended'
	expect_text err "^attached  *1 \\(0: group $name, ended\\)\$"
	[ "$(jq -c '[.workloads[0].ended_by_itself,.workloads[0].exit_status]' record.json)" = '[true,null]' ] || fail "$what: wrong record"
	wait_until no_records
	[ -d "$group" ] || mkdir "$group"
	put "$group" sleep 1000
	sleeper=$put
done

# Made again in its place, as a unit that is restarted, while the executor can't look: that is another one.
for hand in signals freezer; do
	start_run -a "$hand" -T 0 -c open -r 20s --attach-group "$name"
	if [ "$hand" = freezer ]; then wait_until is_frozen "$group"; else wait_until is_stopped "$sleeper"; fi
	roles
	kill -STOP "$executor"
	kill -KILL "$sleeper"
	wait_until rmdir "$group"
	mkdir "$group"
	put "$group" sleep 1000
	sleeper=$put
	kill -CONT "$executor"
	wait_background
	expect_status 0
	expect_text err '^showstopper: all workloads have ended'
	runs "$sleeper" || fail "$what: held what was made again"
done

# ---- Somebody else's freeze and limit ------------------------------------------------------------------------------------------

for folder in "$group" ${freezer:+"$freezer/$name"}; do
	if [ "$folder" != "$group" ]; then
		make "$folder"
		echo "$sleeper" >"$folder/cgroup.procs"
	fi
	if [ -e "$folder/cgroup.freeze" ]; then control=cgroup.freeze on=1 off=0; else control=freezer.state on=FROZEN off=THAWED; fi
	# Before: it stays so.
	echo $on >"$folder/$control"
	run showstopper -q -a freezer -T 50% -c open -r 1s --attach-group "$folder"
	expect_status 0
	is_frozen "$folder" || fail "$what: $folder was frozen before, and isn't any more"
	echo $off >"$folder/$control"
	# Meanwhile, while it runs.
	start_run -q -a freezer -T 100% -c open -r 100s --attach-group "$folder"
	sleep 1
	echo $on >"$folder/$control"
	sleep 1
	is_frozen "$folder" || fail "$what: $folder was frozen by somebody else, and was let go"
	end_run
	is_frozen "$folder" || fail "$what: $folder was frozen by somebody else, and isn't any more"
	echo $off >"$folder/$control"
done
if [ -z "$cpu" ] || ! make "$cpu/$name"; then
	left_out 'no group of version 1 with quotas can be made'
else
	limit() { echo "$(cat "$cpu/$name/cpu.cfs_quota_us") $(cat "$cpu/$name/cpu.cfs_period_us")"; }
	usage_us() { sed -n 's/^usage_usec //p' "$group/cpu.stat"; }
	is_limited() { [ "$(limit)" != "$1" ]; }
	put "$group" sh -c 'echo $$ >"$0/cgroup.procs"; while :; do :; done' "$cpu/$name"
	busy=$put
	wait_until in_group "$busy" "$cpu/$name"
	for own in '-1 100000' '30000 50000'; do
		echo "${own#* }" >"$cpu/$name/cpu.cfs_period_us"
		echo "${own% *}" >"$cpu/$name/cpu.cfs_quota_us"
		start_run -q -a quota -T 5% -r 100s --attach-group "$cpu/$name"
		wait_until is_limited "$own"
		end_run
		[ "$(limit)" = "$own" ] || fail "$what: the limit is '$(limit)', and was '$own'"
		# Never more than its own.
		start_run -q -a quota -T 100% -c open -r 100s --attach-group "$cpu/$name"
		sleep 1
		[ "$(limit)" = "$own" ] || fail "$what: the limit is '$(limit)', its own is '$own'"
		# Each write of it would hand out a new part.
		if [ "$own" != '-1 100000' ]; then
			used_us=$(usage_us)
			sleep 2
			used_us=$(($(usage_us) - used_us))
			[ "$used_us" -lt 1400000 ] || fail "$what: used $used_us us in 2 s, of 1200000"
		fi
		# One that is set meanwhile counts.
		echo 40000 >"$cpu/$name/cpu.cfs_quota_us"
		sleep 1
		end_run
		[ "$(limit)" = "40000 ${own#* }" ] || fail "$what: the limit is '$(limit)', and was set to 40000 meanwhile"
	done
	# So does one that is set beside ours, also in the moment in which the executor dies; its period is the one of before.
	start_run -q -a quota -T 5% -r 100s --attach-group "$cpu/$name"
	wait_until is_limited "40000 ${own#* }"
	echo 40000 >"$cpu/$name/cpu.cfs_quota_us"
	sleep 1
	end_run
	[ "$(limit)" = "40000 ${own#* }" ] || fail "$what: the limit is '$(limit)', and was set to 40000 beside ours"
	start_run -q -a quota -T 5% -r 100s --attach-group "$cpu/$name"
	wait_until is_limited "40000 ${own#* }"
	roles
	kill -STOP "$executor"
	echo 44000 >"$cpu/$name/cpu.cfs_quota_us"
	kill -KILL "$executor"
	wait_background
	[ "$(limit)" = "44000 ${own#* }" ] || fail "$what: the limit is '$(limit)', and was set to 44000 when the executor died"
	make "$cpu/$name/below"
	echo 20000 >"$cpu/$name/below/cpu.cfs_quota_us"
	refused "$cpu/$name: groups in it have quotas of their own, below which version 1 lets none be set: expected -a signals or freezer" -a quota --attach-group "$cpu/$name"
	rmdir "$cpu/$name/below"
fi

# ---- An LXC container ---------------------------------------------------------------------------------------------------------

printf '%s\n' 'lxc.rootfs.path = dir:/' 'lxc.rootfs.options = ro' 'lxc.mount.auto = proc:rw sys:ro' 'lxc.net.0.type = empty' 'lxc.tty.max = 0' \
	'lxc.console.path = none' 'lxc.apparmor.profile = unconfined' >lxc.conf
if command -v lxc-execute >/dev/null; then
	env "TEST_MARK=$work" timeout 60 lxc-execute -n "$name" -P "$work" -f "$work/lxc.conf" -- sh -c 'while :; do sleep 0.01; done' >lxc.out 2>&1 </dev/null &
	lxc=$!
	payload=$unified/lxc.payload.$name
	wait_until eval 'grep -qs . "$payload/cgroup.procs"'
	for hand in signals freezer ${cpu:+quota}; do
		run showstopper --limit 20% -a "$hand" -r 1s --attach-group "lxc:$name"
		expect_status 0
		expect_text err '^attached  *1 \(0: group lxc\.payload\.'
		is_thawed "$payload" || fail "$what: left frozen"
		for process in $(cat "$payload/cgroup.procs"); do ! is_stopped "$process" || fail "$what: left stopped"; done
		[ -z "$cpu" ] || [ "$(cat "$cpu/lxc.payload.$name/cpu.cfs_quota_us")" = -1 ] || fail "$what: left limited"
	done
	# It ends during a run.
	start_run -T 50% -c open --attach-group "lxc:$name"
	sleep 1
	kill -TERM "$lxc"
	for process in $(cat "$payload/cgroup.procs"); do kill -KILL "$process"; done 2>/dev/null
	wait_background
	expect_status 0
	expect_text err '^showstopper: all workloads have ended'
	wait "$lxc" 2>/dev/null
else
	missing lxc 'a container as a workload'
fi

# ---- Whoever is killed ---------------------------------------------------------------------------------------------------------

# No run has claimed it any more.
is_free() { flock -n "$(find /run/showstopper/groups -type f)" true; }
held_by() { # HAND FOLDER
	case $1 in
	signals) is_stopped "$sleeper" ;;
	freezer) is_frozen "$2" ;;
	quota) is_limited '30000 100000' ;;
	esac
}
is_as_found() { # HAND FOLDER
	case $1 in
	signals) runs "$sleeper" ;;
	freezer) is_thawed "$2" ;;
	quota) ! is_limited '30000 100000' ;;
	esac
}
# kept MESSAGE UNSHARED…: neither a run nor --release gives it back there, and both say so.
kept() {
	message=$1
	shift
	run unshare "$@" showstopper -T 100% -c open -r 100m -n 1 sleep 1000
	if [ "$status" -eq 1 ] && grep -q '^unshare: ' err; then
		left_out "unshare $1: $(head -n 1 err)"
		return
	fi
	expect_status 0
	expect_text err "$message"
	held_by "$hand" "$folder" || fail "$what: it was given back"
	run unshare "$@" showstopper --release "$folder"
	expect_trouble "$message"
	held_by "$hand" "$folder" || fail "$what: it was given back"
}
for hand in signals freezer ${cpu:+quota}; do
	folder=$group
	if [ "$hand" = quota ]; then
		folder=$cpu/$name
		echo 100000 >"$folder/cpu.cfs_period_us"
		echo 30000 >"$folder/cpu.cfs_quota_us"
	fi
	[ "$hand" = quota ] || wait_until is_as_found "$hand" "$folder"
	for victims in guardian master executor 'guardian master' 'guardian executor' 'master executor' 'executor master guardian'; do
		start_run -q -a "$hand" -T 0 -c open --attach-group "$folder"
		wait_until held_by "$hand" "$folder"
		roles
		numbers=
		for victim in $victims; do eval "numbers=\"\$numbers \$$victim\""; done
		# At once, as far as that can be: when the guardian goes the kernel continues what it leaves.
		# shellcheck disable=SC2086 # a list
		[ "$victims" != 'executor master guardian' ] || kill -STOP $numbers
		# shellcheck disable=SC2086
		kill -KILL $numbers 2>/dev/null
		wait_background
		wait_until none_left
		what="$what, $victims killed"
		if [ "$victims" != 'executor master guardian' ]; then
			wait_until is_as_found "$hand" "$folder"
			continue
		fi
		wait_until is_free
		held_by "$hand" "$folder" || fail "$what: nobody could let it go"
		# From where that can't be done it isn't said to be, and stays possible.
		kept "^showstopper: warning: --attach-group: a run that was killed in another PID namespace has left $folder held: expected showstopper --release $folder there, or that namespace to end\$" \
			-pf --mount-proc
		if [ "$hand" != signals ]; then
			mount=$(dirname "$folder")
			kept "^showstopper: warning: --attach-group: can't give back what a run had left that was killed: $folder: Read-only file system: expected showstopper --release $folder, where it may be seen and written\$" \
				-m sh -c 'mount -o remount,bind,ro "$0" && exec "$@"' "$mount"
			kept "^showstopper: warning: --attach-group: can't give back what a run had left that was killed: $folder: No such file or directory: " \
				-m sh -c 'umount -l "$0" && exec "$@"' "$mount"
		fi
		# By whatever spelling.
		run showstopper --release "$(dirname "$folder")//$(basename "$folder")/"
		expect_status 0
		expect_lines err 1
		expect_text err "^showstopper: --attach-group: gave back what a run had left that was killed: $folder, "
		wait_until is_as_found "$hand" "$folder"
		wait_until no_records
		run showstopper --release "$folder"
		expect_status 0
		expect_text err "^showstopper: --release: $folder: no run has left anything to give back\$"
		# The next run does so, too, whatever it is.
		start_run -q -a "$hand" -T 0 -c open --attach-group "$folder"
		wait_until held_by "$hand" "$folder"
		roles
		kill -STOP "$executor" "$master" "$guardian"
		kill -KILL "$executor" "$master" "$guardian"
		wait_background
		wait_until is_free
		run showstopper -T 100% -c open -r 500m -n 1 sleep 1000
		expect_status 0
		expect_text err "^showstopper: --attach-group: gave back what a run had left that was killed: $folder, "
		wait_until is_as_found "$hand" "$folder"
		wait_until no_records
	done
done
run showstopper --release sst-nothing
expect_trouble "^showstopper: --release: 'sst-nothing' is no control group"

finish
