#!/bin/sh
# SPDX-License-Identifier: MIT
# about: systemd as init: units that run already are held by each actuator, and left with their own quota; one is stopped meanwhile
# machines: plain
# init: systemd
# kernel: cgroup_no_v1=all
# limit: 300
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

group=system.slice/held.service
folder=/sys/fs/cgroup/$group
has_members() { grep -q . "$folder/cgroup.procs" 2>/dev/null; }
is_gone() { [ ! -e "$folder" ]; }
begin() {
	what="systemd-run $*"
	systemd-run --quiet --unit=held -p DefaultDependencies=no "$@" "$(command -v ssburn)"
	wait_until has_members
}

begin -p CPUQuota=80%
limit_before=$(cat "$folder"/cpu.max)
[ "$limit_before" = '80000 100000' ] || fail "the quota of the unit is $limit_before"
for hand in signals freezer quota; do
	start_background showstopper --limit 40% -a "$hand" -r 12s --attach-group unit:held
	sleep 3
	used=$(share_used "$group" 6)
	awk -v used="$used" 'BEGIN { exit !(used > 0.36 && used < 0.44) }' || fail "$what: used $used processors"
	printf '%s: %s processors\n' "$what" "$used"
	wait_background
	expect_status 0
	expect_text err '^attached  *1 \(0: group held.service\)$'
	[ "$(cat "$folder"/cpu.max)" = "$limit_before" ] || fail "$what: the quota is $(cat "$folder"/cpu.max), and was $limit_before"
	[ "$(cat "$folder"/cgroup.freeze)" = 0 ] || fail "$what: left frozen"
	used=$(share_used "$group" 3)
	awk -v used="$used" 'BEGIN { exit !(used > 0.7) }' || fail "$what: used $used processors afterwards"
	# Its own quota is the most that it gets.
	start_background showstopper -q -a "$hand" -T 100% -c open -r 5s --attach-group unit:held
	sleep 1
	used=$(share_used "$group" 3)
	awk -v used="$used" 'BEGIN { exit !(used < 0.85) }' || fail "$what: used $used processors"
	# What its manager sets meanwhile stays.
	echo '60000 100000' >"$folder"/cpu.max
	wait_background
	expect_status 0
	[ "$(cat "$folder"/cpu.max)" = '60000 100000' ] || fail "$what: the quota is $(cat "$folder"/cpu.max), and was set to 60000"
	echo "$limit_before" >"$folder"/cpu.max
done
# Stopped: the workload has ended.
start_background showstopper -T 20% -r 60s --attach-group unit:held.service
sleep 2
systemctl stop held.service
wait_background
expect_status 0
expect_text err '^showstopper: all workloads have ended'
wait_until is_gone
expect_nobody_left
run showstopper -T 20% -r 1s --attach-group unit:held
expect_trouble '^showstopper: --attach-group: there is no control group of unit held.service: expected one that runs$'

finish
