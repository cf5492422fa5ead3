#!/bin/sh
# SPDX-License-Identifier: MIT
# about: systemd with both versions of control groups: a unit that runs already is held by each actuator, and left as it was found
# machines: plain
# init: systemd
# kernel: systemd.unified_cgroup_hierarchy=0
# limit: 300
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

group=system.slice/held.service
members=/sys/fs/cgroup/unified/$group/cgroup.procs
quota=/sys/fs/cgroup/cpu,cpuacct/$group/cpu.cfs_quota_us
has_members() { grep -q . "$members" 2>/dev/null; }

what='a unit with a quota'
systemd-run --quiet --unit=held -p DefaultDependencies=no -p CPUQuota=80% "$(command -v ssburn)"
wait_until has_members
[ "$(cat "$quota")" = 80000 ] || fail "the quota of the unit is $(cat "$quota")"
# What its processes used, in ticks.
used_ticks() {
	total=0
	while read -r pid; do
		total=$((total + $(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 12) + $(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 13)))
	done <"$members"
	echo "$total"
}
for hand in signals freezer quota; do
	start_background showstopper --limit 40% -a "$hand" -r 12s --attach-group unit:held
	sleep 3
	before=$(used_ticks)
	sleep 6
	used=$((($(used_ticks) - before) * 1000 / 600))
	{ [ "$used" -gt 340 ] && [ "$used" -lt 460 ]; } || fail "$what: used $used thousandths of a processor"
	printf '%s: %s thousandths of a processor\n' "$what" "$used"
	wait_background
	expect_status 0
	expect_text err '^attached  *1 \(0: group held.service\)$'
	[ "$(cat "$quota")" = 80000 ] || fail "$what: the quota is $(cat "$quota"), and was 80000"
	before=$(used_ticks)
	sleep 3
	[ $((($(used_ticks) - before) * 1000 / 300)) -gt 600 ] || fail "$what: it does not run on"
done
systemctl stop held.service
expect_nobody_left

finish
