#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: workloads held by the freezer and by bandwidth, by root and by an ordinary user in a delegated group
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 320
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# held THROUGH…: half of the machine, by groups that are gone afterwards.
held() {
	run "$@" showstopper -v -T 50% -r 12s -a "$hand" ssburn
	cat err
	expect_status 0
	expect_text err "^showstopper: control groups: version 2, in $place/showstopper-"
	[ -z "$(find /sys/fs/cgroup -name 'showstopper-*')" ] || fail "$what: left $(find /sys/fs/cgroup -name 'showstopper-*')"
	expect_nobody_left
}

mount_v2
# A quota that stays: with the first and the last one a kernel patches its own code, beside which QEMU's emulation crashes.
keep_quota() {
	echo '50000 100000' >/sys/fs/cgroup/keeps-quota/cpu.max || fail 'there is no quota'
}
mkdir /sys/fs/cgroup/keeps-quota
# While no other processor runs what is patched.
echo 0 >/sys/devices/system/cpu/cpu1/online
keep_quota
echo 1 >/sys/devices/system/cpu/cpu1/online
in_group keeps-quota sleep 100000 &
keeps_quota=$!

place=/sys/fs/cgroup
for hand in freezer quota; do held; done

mkdir /sys/fs/cgroup/group
run as_user showstopper -T 50% -a freezer --dry-run true
expect_trouble "^showstopper: actuator module 'freezer': no control group can be made "
chown user /sys/fs/cgroup/group /sys/fs/cgroup/group/cgroup.procs /sys/fs/cgroup/group/cgroup.subtree_control
place=/sys/fs/cgroup/group
hand=freezer
held in_group group as_user

# Bandwidth: where the controller is handed down, and nobody else is in the group. It is left as it was.
hand=quota
echo -cpu >/sys/fs/cgroup/cgroup.subtree_control
run in_group group as_user showstopper -T 50% -a quota --dry-run true
expect_trouble "^showstopper: actuator module 'quota': no control group can be made \(/sys/fs/cgroup/group: has no controller cpu; "
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
keep_quota
sleep 1000 &
stranger=$!
echo $stranger >/sys/fs/cgroup/group/cgroup.procs
run in_group group as_user showstopper -T 50% -a quota true
expect_trouble "^showstopper: actuator module 'quota': no control group can be made \(/sys/fs/cgroup/group: has other processes, such as $stranger, "
kill $stranger
wait $stranger
held in_group group as_user

# Also when the guardian is killed, or the master: who survives puts things back.
for victim in guardian master; do
	start_background in_group group as_user showstopper -q -T 10% -r 1h -a quota sleep 1000
	is_limited() { grep -q '^[0-9]' /sys/fs/cgroup/group/showstopper-*/0/cpu.max 2>/dev/null; }
	wait_until is_limited
	guardian=$background
	# shellcheck disable=SC2034 # by its name
	read -r master _ <"/proc/$guardian/task/$guardian/children"
	eval "kill -KILL \$$victim"
	wait_background
	is_gone() { [ -z "$(find /sys/fs/cgroup -name 'showstopper-*')" ]; }
	wait_until is_gone
	[ -z "$(cat /sys/fs/cgroup/group/cgroup.subtree_control)" ] || fail "without the $victim, group hands down $(cat /sys/fs/cgroup/group/cgroup.subtree_control)"
	expect_nobody_left
done

# The same where a run is within the run, which hands the controller down itself.
inner_is_limited() { grep -q '^[0-9]' /sys/fs/cgroup/group/showstopper-*/0/showstopper-*/0/cpu.max 2>/dev/null; }
start_background in_group group as_user showstopper -q -n 1 -T 50% -r 1h -a quota showstopper -q -n 1 -a quota -T 0.2 sleep 1000
wait_until inner_is_limited
read -r master _ <"/proc/$background/task/$background/children"
kill -KILL "$master"
wait_background
expect_status 125
wait_until is_gone
[ -z "$(cat /sys/fs/cgroup/group/cgroup.subtree_control)" ] || fail "with a run within, group hands down $(cat /sys/fs/cgroup/group/cgroup.subtree_control)"
expect_nobody_left

# All at once: the next run there puts things back.
for hand in quota freezer; do
	start_background in_group group as_user showstopper -q -n 1 -T 10% -r 1h -a quota sleep 1000
	wait_until is_limited
	read -r master _ <"/proc/$background/task/$background/children"
	read -r executor _ <"/proc/$master/task/$master/children"
	kill -STOP "$background" "$master" "$executor"
	kill -KILL "$executor" "$master" "$background"
	wait_background
	held in_group group as_user
	[ -z "$(cat /sys/fs/cgroup/group/cgroup.subtree_control)" ] || fail "after a dead run, group hands down $(cat /sys/fs/cgroup/group/cgroup.subtree_control)"
done

# die_at_once HELD THROUGH…: a run that leaves a process, which is HELD.
die_at_once() {
	held=$1
	shift
	start_background "$@" showstopper -q -n 1 -T 10% -r 1h -a "$hand" sh -c '(setsid sleep 1000 &); sleep 1000'
	has_left() { [ "$(cat "$place"/showstopper-*/0/cgroup.procs 2>/dev/null | wc -l)" -ge 2 ] && "$held"; }
	wait_until has_left
	read -r master _ <"/proc/$background/task/$background/children"
	read -r executor _ <"/proc/$master/task/$master/children"
	kill -STOP "$background" "$master" "$executor"
	kill -KILL "$executor" "$master" "$background"
	wait_background
}
expect_said() {
	expect_text err "^showstopper: killed [0-9]+ process(es)? that a dead run had left in the control group $place/showstopper-"
}

# What is left alive is killed, and that is said: frozen in a group that hands nothing down, and limited in the root, which does.
hand=freezer
is_frozen() { grep -qx 'frozen 1' /sys/fs/cgroup/group/showstopper-*/0/cgroup.events 2>/dev/null; }
die_at_once is_frozen in_group group as_user
hand=quota
held in_group group as_user
expect_said
place=/sys/fs/cgroup
is_limited_in_root() { grep -q '^[0-9]' /sys/fs/cgroup/showstopper-*/0/cpu.max 2>/dev/null; }
die_at_once is_limited_in_root
held
expect_said

# What is only called alike is left alone, with what looks like a leaf of a run, too.
place=/sys/fs/cgroup/group
mkdir "$place/showstopper-1234-567-0" "$place/showstopper-1234-567-0/self"
chown -R user "$place/showstopper-1234-567-0"
as_user sleep 1000 &
stranger=$!
echo "$stranger" >"$place/showstopper-1234-567-0/self/cgroup.procs"
for hand in quota freezer; do
	run in_group group as_user showstopper -q -n 1 -T 50% -r 3s -a "$hand" sleep 1000
	expect_status 0
	expect_no_text err killed
	kill -0 "$stranger" || fail "$what: a process of others was killed"
	grep -qx "$stranger" "$place/showstopper-1234-567-0/self/cgroup.procs" || fail "$what: a process of others was moved"
	[ -z "$(cat "$place/cgroup.subtree_control")" ] || fail "$what: group hands down $(cat "$place/cgroup.subtree_control")"
done
kill "$stranger"
wait "$stranger"
rmdir "$place/showstopper-1234-567-0/self" "$place/showstopper-1234-567-0" || fail 'the group of others is not as it was'

kill "$keeps_quota"
wait "$keeps_quota"
rmdir /sys/fs/cgroup/keeps-quota || fail 'the group that keeps a quota is not as it was'

finish
