#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: how exactly a load is held while 20 groups a second come, work and go
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 150
# run: by name
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/exact.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/exact.sh"

# Between 10 and 20 ms, on a clock of hundredths of a second.
work_briefly() {
	changes=0 before=
	while [ "$changes" -lt 3 ]; do
		read -r uptime _ </proc/uptime
		[ "$uptime" = "$before" ] || changes=$((changes + 1))
		before=$uptime
	done
}

groups_come_and_go() {
	number=0
	while [ ! -e enough ]; do
		number=$((number + 1))
		mkdir "/sys/fs/cgroup/brief-$number"
		(
			echo 0 >"/sys/fs/cgroup/brief-$number/cgroup.procs"
			work_briefly
		)
		rmdir "/sys/fs/cgroup/brief-$number"
		echo "$number" >made
		sleep 0.02
	done
}

mount_v2
mkdir /sys/fs/cgroup/work
through='in_group work'
exact_seconds=30
most_exact_error=0.5
exact_table
groups_come_and_go &
coming=$!
from=$(now_us)
hold_exactly 50 2 groups
a_second=$(($(cat made) * 1000000 / ($(now_us) - from)))
touch enough
wait "$coming"
printf '%s groups a second\n' "$a_second"
[ "$a_second" -ge 10 ] || fail "only $a_second groups a second came and went"
[ -z "$(find /sys/fs/cgroup -name 'brief-*')" ] || fail 'groups are left'

finish
