# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by programs that make Debian systems of their own and work in them. Needs $root, the project, $results, a folder below it, and
# trouble, which ends the program with a message; run as root.
#   systems_begin NAME     a folder for the systems, $work, which is removed at the end, whatever happens
#   $work/apart COMMAND…   with mounts and processes that end with it
#   $work/inside SYSTEM COMMAND…   in that system
#   step NAME LIMIT COMMAND…       one line of the report; needs $release, and $logs and $number, which the caller sets for each release
#   minimal_system SYSTEM  makes one of $release, by a step
# $failed becomes yes when a step fails.
# shellcheck disable=SC2154,SC2034 # the caller's

failed=no
child=

# All that a step started is in a namespace of processes, and ends with timeout's child.
clean_up() {
	trap '' INT TERM HUP
	if [ -n "$child" ]; then
		kill "$child" 2>/dev/null
		wait "$child"
	fi
	cd /
	rm -rf --one-file-system "$work" || { sleep 1; rm -rf --one-file-system "$work"; }
}

systems_begin() {
	systems_program=tools/$1
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/showstopper-$1.XXXXXX") || trouble "no folder for the systems"
	chmod 755 "$work"
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP

	# apart COMMAND…: with mounts and processes that end with it. A script, so that timeout can run it.
	cat >"$work/apart" <<'END'
#!/bin/sh
exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$@"
END

	# inside ROOT COMMAND…: in that system. It becomes the root of the mounts: in a mere chroot no namespace of users can be made.
	cat >"$work/inside" <<'END'
#!/bin/sh
set -eu
if [ "${1-}" != --apart ]; then
	exec "$(dirname "$0")/apart" "$0" --apart "$@"
fi
mount --bind "$2" "$2"
cd "$2"
shift 2
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs run
pivot_root . mnt
exec chroot . /usr/bin/env -i ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
	HOME=/root LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c 'umount -l /mnt; cd /root; exec "$@"' sh "$@"
END
	chmod 755 "$work/apart" "$work/inside"
}

# step NAME LIMIT COMMAND…: within so many seconds, with what it prints in a file. Status 1 if it failed.
step() {
	name=$1
	limit=$2
	shift 2
	number=$((number + 1))
	log=$logs/$(printf '%02d-%s' "$number" "$(printf '%s' "$name" | tr -cs 'A-Za-z0-9.' - | cut -c 1-40)").log
	began=$(date +%s)
	timeout -k 5 "$limit" "$@" >"$log" 2>&1 </dev/null &
	child=$!
	wait "$child"
	status=$?
	child=
	took=$(($(date +%s) - began))
	if [ "$status" -eq 0 ]; then
		printf 'ok      %-9s %-55s %4d s\n' "$release" "$name" "$took"
		return 0
	fi
	failed=yes
	case $status in 124 | 137) echo "$systems_program: not done after $limit s" >>"$log" ;; esac
	tail -n 20 "$log" | sed 's/^/    /'
	printf 'FAILED  %-9s %-55s %4d s, status %d, see %s\n' "$release" "$name" "$took" "$status" "${log#"$root"/}"
	return 1
}

# mirror NAME: where this machine's apt finds that archive of Debian.
mirror() {
	# shellcheck disable=SC2016 # apt's variable
	found=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 2>/dev/null | sort -u | grep -E "/$1/?\$" | head -n 1)
	printf '%s\n' "${found:-http://deb.debian.org/$1}"
}

minimal_system() {
	main=$(mirror debian) security=$(mirror debian-security)
	apt-config dump | grep -E '^Acquire::((http|https)::(Proxy|Timeout)|Check-|Retries|ForceIPv|Languages)' |
		grep -v '::Proxy-Auto-Detect' >"$work/apt.conf"
	step 'a minimal Debian' 600 "$work/apart" mmdebstrap --mode=root --variant=minbase --aptopt="$work/apt.conf" "$release" "$1" \
		"deb $main $release main" "deb $main $release-updates main" "deb $security $release-security main" || return 1
	cat /etc/resolv.conf >"$1/etc/resolv.conf"
	printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$1/etc/hosts"
}
