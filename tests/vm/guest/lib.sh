# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by the cases: what tests/cli/lib.sh has, and
#   hold TARGET SECONDS OPTION... COMMAND...   holds a load; leaves log.csv and record.csv; expects status 0 and expect_held
#   expect_held             of the last run with record.csv, the mean error is $most_error percentage points (1) at most
#   expect_nobody_left      no process of a run is left, stopped or running
#   figure NAME             of record.csv
#   ask WORD...             asks the host for something, see tests/vm/README.md; does not wait until it is done
#   as_user COMMAND...      as an ordinary user
#   mount_v2, mount_v1      control groups, at /sys/fs/cgroup
# All files that a case leaves in its folder are among the results.

# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
chmod 777 "$work"
trap '[ -z "$background" ] || kill -KILL "$background"; cp -R "$work" /results/files' EXIT
# shellcheck disable=SC2034 # of tests/cli/lib.sh
limit=300
most_error=1

figure() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' record.csv
}

ask() {
	printf '%s\n' "$*" >/dev/ttyS2
}

as_user() {
	what="as user: $*"
	# shellcheck disable=SC2016 # the inner shell's
	timeout -k 5 "$limit" su -p -s /bin/sh user -c 'exec "$0" "$@"' -- "$@" >out 2>err </dev/null
	status=$?
}

# An emulated machine that shares its processors needs its time for the cleaning up.
expect_nobody_left() {
	for _ in $(seq 50); do
		left=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v self=$$ '
			{ pid = $1; name = $2; sub(/^.*\) /, "") }
			($2 == 1 && pid != self && $1 != "Z") || $1 ~ /^[Tt]$/ { print pid, name, $1 }')
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	fail "$what: left is $left"
}

expect_held() {
	awk -v error="$(figure mean_error_pp)" -v most="$most_error" 'BEGIN { exit !(error != "" && error >= -most && error <= most) }' ||
		fail "$what: mean error $(figure mean_error_pp) pp"
	printf '%s: mean error %s pp, MSE %s pp2, others %s\n' "$what" "$(figure mean_error_pp)" "$(figure mse_pp2)" "$(figure others_mean)"
}

hold() {
	hold_target=$1
	hold_seconds=$2
	shift 2
	run showstopper -T "$hold_target" -r "${hold_seconds}s" -o log.csv --export-csv record.csv "$@"
	cat err
	expect_status 0
	expect_held
	expect_nobody_left
}

mount_v2() {
	mount -t cgroup2 cgroup2 /sys/fs/cgroup && echo '+cpu +cpuset' >/sys/fs/cgroup/cgroup.subtree_control
}

mount_v1() { # CONTROLLERS...
	mount -t tmpfs tmpfs /sys/fs/cgroup || return 1
	for controllers do
		mkdir "/sys/fs/cgroup/$controllers" && mount -t cgroup -o "$controllers" cgroup "/sys/fs/cgroup/$controllers" || return 1
	done
}
