# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by environment: containers of LXC, without an image: they see the host's files, which they can't write.

lxc_missing() {
	command -v lxc-execute >/dev/null || echo 'the package lxc (tools/setup experiments installs it)'
	[ "$(id -u)" -eq 0 ] || echo 'the rights of root'
	group_hierarchy cpuacct >/dev/null || group_hierarchy cpu >/dev/null || echo 'control groups that can be made'
}

# How a control group's setting is called: that of version 1, or else of 2.
lxc_limit() { # VERSION V1 V1-VALUE V2 V2-VALUE
	case $1 in v1*) echo "lxc.cgroup.$2 = $3" ;; *) echo "lxc.cgroup2.$4 = $5" ;; esac
}

lxc_processors() {
	[ "$list" != all ] || return 0
	if found=$(group_hierarchy cpuset); then
		lxc_limit "$found" cpuset.cpus "$list" cpuset.cpus "$list"
	else
		note 'Containers were bound to their processors by affinity, as control groups of processors can'"'"'t be had here.'
	fi
}

lxc_quota() {
	[ "$quota" != - ] || return 0
	found=$(group_hierarchy cpu) || trouble 'containers that have no processors of their own need control groups with quotas, which can'"'"'t be had here'
	us=$(awk -v quota="$quota" 'BEGIN { printf "%d", 100000 * quota }')
	lxc_limit "$found" cpu.cfs_period_us 100000 cpu.max "$us 100000"
	case $found in v1*) echo "lxc.cgroup.cpu.cfs_quota_us = $us" ;; esac
	note "Each container could use $quota processors at a time, by a quota."
}

# With a /tmp of its own, in which the folders that it is to see are put back.
lxc_files() {
	cat <<-TEXT
		lxc.rootfs.path = dir:/
		lxc.rootfs.options = ro
		lxc.mount.auto = proc:rw sys:ro cgroup:ro:force
		lxc.mount.entry = tmpfs tmp tmpfs rw,nosuid,nodev,mode=1777 0 0
		lxc.mount.entry = tmpfs dev/shm tmpfs rw,nosuid,nodev,mode=1777,create=dir 0 0
	TEXT
	while IFS= read -r seen; do
		lxc_mount "$seen" ro
	done <"$folder/visible"
	lxc_mount "$folder/$side" rw
}
lxc_mount() { # FOLDER OPTION: blanks in names are written as in /etc/fstab
	escaped=$(printf '%s\n' "${1#/}" | sed 's/ /\\040/g')
	echo "lxc.mount.entry = /$escaped $escaped none rbind,$2,create=dir 0 0"
}

lxc_make() {
	{
		lxc_files
		cat <<-TEXT
			lxc.uts.name = $side
			lxc.net.0.type = empty
			lxc.tty.max = 0
			lxc.pty.max = 16
			lxc.console.path = none
			lxc.apparmor.profile = unconfined
		TEXT
		lxc_processors
		lxc_quota
	} >"$folder/$side/lxc.conf"
}

# LXC kills what is in a container when its monitor dies, which is this process.
lxc_start() {
	case $list in all) bound= ;; *) bound="taskset -c $list" ;; esac
	# shellcheck disable=SC2086 # words
	with_parent KILL $bound lxc-execute -n "$name" -P "$folder/$side" -f "$folder/$side/lxc.conf" -o "$folder/$side/lxc.log" -l WARN -- \
		sh "$lib/environments/inside" "$folder/$side" </dev/null >"$folder/$side/messages.txt" 2>&1 &
	started_process=$!
}

# Where the kernel shares out real time, too, showstopper gets some, unless others have it all. It starts later.
lxc_ready() {
	if ! found=$(group_hierarchy cpu) || [ ! -e "${found#* }/lxc.payload.$name/cpu.rt_runtime_us" ]; then return 0; fi
	(echo 150000 >"${found#* }/lxc.payload.$name/cpu.rt_runtime_us") 2>/dev/null ||
		note 'In some containers showstopper had no real-time priority, as other control groups have all real time.'
}

lxc_end() {
	[ -z "$1" ] || kill_of_run "$1" 30
	wait "$1" 2>/dev/null
}

lxc_went_well() {
	wait "$1"
}

lxc_remove() {
	group_remove "lxc.payload.$name"
	group_remove "lxc.monitor.$name"
	# Where LXC puts itself to remove the others.
	for group in $(group_folders lxc.pivot); do rmdir "$group" 2>/dev/null; done
	return 0
}
