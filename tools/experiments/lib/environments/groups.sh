# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by environment: control groups of the host.
#   group_hierarchy CONTROLLER   v1 or v2 and where it is mounted; false where groups of it can't be made
#   group_remove NAME            groups of this name, with all processes in them, of whatever hierarchy

group_hierarchy() {
	while read -r _ at type options _; do
		case $type in
		cgroup)
			case ,$options, in *,"$1",*) if [ -w "$at" ]; then echo "v1 $at" && return; fi ;; esac
			;;
		cgroup2)
			if grep -qw "$1" "$at/cgroup.subtree_control" 2>/dev/null && [ -w "$at/cgroup.procs" ]; then echo "v2 $at" && return; fi
			if grep -qw "$1" "$at/cgroup.controllers" 2>/dev/null && echo "+$1" 2>/dev/null >"$at/cgroup.subtree_control"; then
				echo "v2 $at" && return
			fi
			;;
		esac
	done </proc/self/mounts
	return 1
}

# Of the folders of one group, those within first.
group_folders() {
	for at in $(awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/self/mounts); do
		[ ! -d "$at/$1" ] || find "$at/$1" -depth -type d 2>/dev/null
	done
}

group_remove() {
	for _ in $(seq 50); do
		left=$(group_folders "$1")
		[ -n "$left" ] || return 0
		for group in $left; do
			# Until there is nobody left in it who could make others.
			while read -r process; do
				kill -KILL "$process" 2>/dev/null
			done <"$group/cgroup.procs"
			rmdir "$group" 2>/dev/null
		done
		[ -z "$(group_folders "$1")" ] || sleep 0.1
	done
	return 1
}
