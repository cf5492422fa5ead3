# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by environment: none but the host. A side without a command is a group of workloads that another one's showstopper starts. It gets a
# control group if it has a quota; SIDE/group is the file to which workloads write their numbers to join that, or empty.

native_missing() { :; }

native_make() {
	: >"$folder/$side/group"
	[ "$quota" != - ] || return 0
	if ! found=$(group_hierarchy cpu); then
		note "Nothing kept a side to $quota processors at a time: control groups with quotas can't be had here."
		return 0
	fi
	group=${found#* }/$name
	us=$(awk -v quota="$quota" 'BEGIN { printf "%d", 100000 * quota }')
	mkdir "$group" || return 1
	case $found in
	v1*) echo 100000 >"$group/cpu.cfs_period_us" && echo "$us" >"$group/cpu.cfs_quota_us" ;;
	*) echo "$us 100000" >"$group/cpu.max" ;;
	esac || return 1
	echo "$group/cgroup.procs" >"$folder/$side/group"
	note "Each side could use $quota processors at a time, by a quota."
}

native_start() {
	cd "$folder" || return 1
	: >"$side/ready"
	with_parent TERM sh "$folder/$side.command" &
	started_process=$!
}

native_ready() { :; }

native_end() {
	kill -TERM "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

native_went_well() {
	wait "$1"
}

native_remove() {
	group_remove "$name"
}
