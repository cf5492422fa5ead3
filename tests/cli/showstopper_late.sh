#!/bin/sh
# SPDX-License-Identifier: MIT
# An executor that doesn't come is fetched by another, and gets its processors back. The user's workload keeps the user's.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# mask PID: its processors.
mask() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}

# may_use PID REGEX
may_use() {
	mask "$1" | grep -Eq -- "$2"
}

# The guardian has forked the master, and the master the executors.
executors() {
	pgrep -P "$(pgrep -P "$background" | head -n 1)" 2>/dev/null
}

workloads_run() {
	[ "$(pgrep -P "$(executors | paste -sd ,)" 2>/dev/null | wc -l)" = 2 ]
}

usable=$(mask self)
case $usable in
*[,-]*) ;;
*)
	echo 'there is one processor: skipped'
	exit 77
	;;
esac

start_background showstopper -n 2 -T 30% -r 60s ssburn
if workloads_run || wait_until workloads_run; then
	late=$(executors | head -n 1)
	workload=$(pgrep -P "$late")
	wait_until may_use "$late" "^$usable\$"
	kill -STOP "$late"
	wait_until may_use "$late" '^[0-9]+$'
	kill -CONT "$late"
	wait_until may_use "$late" "^$usable\$"
	may_use "$workload" "^$usable\$" || fail "the workload may use $(mask "$workload"), expected $usable"
fi
kill -TERM "$background"
wait_background
expect_status 143

finish
