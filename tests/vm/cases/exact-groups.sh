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

groups_come_and_go() { # WHOSE
	number=0
	while [ ! -e enough ]; do
		number=$((number + 1))
		mkdir "/sys/fs/cgroup/brief-$1-$number"
		(
			echo 0 >"/sys/fs/cgroup/brief-$1-$number/cgroup.procs"
			work_briefly
		)
		rmdir "/sys/fs/cgroup/brief-$1-$number"
		echo "$number" >"made-$1"
		sleep 0.03
	done
}

mount_v2
mkdir /sys/fs/cgroup/work
through='in_group work'
exact_seconds=30
most_exact_error=0.5
exact_table
# One after the other would be too slow where starting a process takes its time.
groups_come_and_go left &
coming=$!
groups_come_and_go right &
coming="$coming $!"
from=$(now_us)
hold_exactly 50 2 groups
a_second=$((($(cat made-left) + $(cat made-right)) * 1000000 / ($(now_us) - from)))
touch enough
# shellcheck disable=SC2086 # words
wait $coming
printf '%s groups a second\n' "$a_second"
[ "$a_second" -ge 15 ] || fail "only $a_second groups a second came and went"
[ -z "$(find /sys/fs/cgroup -name 'brief-*')" ] || fail 'groups are left'

finish
