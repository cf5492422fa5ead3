# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by the cases: what tests/cli/lib.sh has, and
#   hold TARGET SECONDS OPTION... COMMAND...   holds a load; leaves log.csv and record.csv; expects status 0 and expect_held
#   expect_held             of the last run with record.csv, the mean error is $most_error percentage points (1) at most
#   expect_held_between LOAD   the rows of log.csv that no standstill made long have this load
#   expect_nobody_left      no process of a run is left, stopped or running
#   figure NAME             of record.csv
#   ask WORD...             asks the host for something, see tests/vm/README.md; does not wait until it is done
#   mount_v2, mount_v1 CONTROLLERS...   control groups, at /sys/fs/cgroup; false with $why_not where these controllers can't be had
#   usage_us GROUP          processor time of a control group
#   now_us                  the machine's clock
#   expect_about WHAT VALUE WANTED   is within 5 % of it
#   share_used GROUP SECONDS   how many processors the group used meanwhile
#   hold_half_of PROCESSORS GROUP [STARTER...]   half of the group's quota, which is so many processors, by the group's own account;
#                           STARTER is what puts showstopper into it, instead of in_group
# $through stands before showstopper in hold: in_group GROUP, as_user, or both, which are programs in this folder.
# All files that a case leaves in its folder are among the results.

# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
chmod 777 "$work"
# As in tests/cli/lib.sh, of log.csv.
has_records() {
	[ -e log.csv ] && [ "$(wc -l <log.csv)" -gt "$1" ]
}
trap '[ -z "$background" ] || kill -KILL "$background"; cp -R "$work" /results/files' EXIT
# shellcheck disable=SC2034 # of tests/cli/lib.sh
limit=300
most_error=1
through=
PATH=$source/tests/vm/guest:$PATH

figure() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR == 2 { print $at }' record.csv
}

ask() {
	printf '%s\n' "$*" >/dev/ttyS2
}

# An emulated machine that shares its processors needs its time for the cleaning up.
expect_nobody_left() {
	for _ in $(seq 300); do
		left=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v self=$$ -v parent=$PPID '
			{ pid = $1; name = $2; sub(/^.*\) /, "") }
			($2 == 1 && pid != self && pid != parent && name != "(systemd)" && $1 != "Z") || $1 ~ /^[Tt]$/ { print pid, name, $1 }')
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
	# shellcheck disable=SC2086 # words
	run $through showstopper -T "$hold_target" -r "${hold_seconds}s" -o log.csv --export-csv record.csv "$@"
	cat err
	expect_status 0
	expect_held
	expect_nobody_left
}

mount_v2() {
	mount -t cgroup2 cgroup2 /sys/fs/cgroup || fail 'no control groups of version 2'
	echo '+cpu +cpuset' >/sys/fs/cgroup/cgroup.subtree_control || fail 'version 2 has no quotas or no cpusets'
}

mount_v1() { # CONTROLLERS...
	grep -q ' /sys/fs/cgroup ' /proc/mounts || mount -t tmpfs tmpfs /sys/fs/cgroup || return 1
	for controllers do
		mkdir "/sys/fs/cgroup/$controllers"
		mount -t cgroup -o "$controllers" cgroup "/sys/fs/cgroup/$controllers" 2>/dev/null && continue
		rmdir "/sys/fs/cgroup/$controllers"
		# shellcheck disable=SC2034 # for the cases
		why_not="this kernel has no $controllers of version 1"
		return 1
	done
}

usage_us() {
	for file in "/sys/fs/cgroup/$1/cpu.stat" /sys/fs/cgroup/*/"$1/cpuacct.usage"; do
		case $file in
		*/cpu.stat) sed -n 's/^usage_usec //p' "$file" 2>/dev/null ;;
		*) [ ! -e "$file" ] || echo $(($(cat "$file") / 1000)) ;;
		esac
	done
}

now_us() {
	awk '{ printf "%d\n", $1 * 1e6 }' /proc/uptime
}

expect_about() {
	printf '%s: %s, wanted %s\n' "$@"
	awk -v value="$2" -v wanted="$3" 'BEGIN { exit !(value >= 0.95 * wanted && value <= 1.05 * wanted) }' || fail "$1: $2, wanted $3"
}

expect_held_between() { # LOAD
	expect_about 'load between standstills' \
		"$(awk -F, 'NR > 1 && $1 - end < 0.8 { sum += $4; rows++ } { end = $1 } END { print sum / rows }' log.csv)" "$1"
}

# share_used GROUP SECONDS: how many processors it used meanwhile.
share_used() {
	share_us=$(usage_us "$1")
	share_from=$(now_us)
	sleep "$2"
	awk -v us="$(($(usage_us "$1") - share_us))" -v all="$(($(now_us) - share_from))" 'BEGIN { printf "%.3f\n", us / all }'
}

# hold_half_of PROCESSORS GROUP [STARTER...]: half of what the group may use, by its own account.
hold_half_of() {
	half_processors=$1
	half_group=$2
	shift 2
	# shellcheck disable=SC2086 # words
	[ $# -gt 0 ] || set -- in_group "$half_group" $through
	start_background "$@" showstopper -T 50% -r 9s -o log.csv --export-csv record.csv -v ssburn
	rm -f log.csv
	wait_until has_records 4
	share=$(share_used "$half_group" 5)
	wait_background
	cat err
	expect_status 0
	expect_held
	expect_about "processors that $half_group used" "$share" "$(awk -v processors="$half_processors" 'BEGIN { print processors / 2 }')"
	expect_nobody_left
	through=
}
