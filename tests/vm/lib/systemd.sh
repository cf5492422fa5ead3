# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: systemd out of Debian packages, for cases with `# init: systemd`. Needs package.sh and initramfs.sh, and what
# those need.
# shellcheck disable=SC2034 # libraries_of is of initramfs.sh
#   systemd_add INITRAMFS FILE   makes FILE, which is INITRAMFS with systemd and the units of guest/units; fails by lacks

# It and its libraries, without those of which it only asks whether they are there.
systemd_packages() {
	package_apt apt-cache '' --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances depends systemd |
		grep -E '^(systemd|lib.*)$' | grep -Ev '^lib(c6|gcc-s1)$'
}

systemd_copy() { # FROM TREE
	(cd "$1" && find . -type f -perm -u+x \( -path '*/lib/systemd/systemd' -o -name systemd-executor -o -name systemctl -o -name systemd-run \)) |
		while IFS= read -r program; do
			case $program in */lib/systemd/*) to=$2/lib/systemd ;; *) to=$2/bin ;; esac
			cp "$1/$program" "$to/" || exit 1
		done || return 1
	libraries_of=$1
	initramfs_copy_libraries "$2" "$2/lib/systemd/"* "$2/bin/"*
	copied=$?
	libraries_of=
	return "$copied"
}

systemd_add() {
	[ ! -e "$2" ] || return 0
	version=$(package_apt apt-cache '' --no-all-versions show systemd 2>/dev/null | sed -n 's/^Version: //p')
	[ -n "$version" ] || lacks 'apt knows no package systemd' || return
	# shellcheck disable=SC2046 # words
	package_keep "systemd-$version" . '' $(systemd_packages) || return
	tree=$2.d
	mkdir -p "$tree/bin" "$tree/lib/systemd" "$tree/etc/systemd" "$tree/run" || trouble "can't write to $tree"
	systemd_copy "$cache/systemd-$version" "$tree" || trouble "systemd $version can't be copied"
	cp -R "$root/tests/vm/guest/units" "$tree/etc/systemd/system" || trouble "can't write to $tree"
	initramfs_pack "$tree" "$2.own"
	# The kernel unpacks one archive after the other.
	cat "$1" "$2.own" >"$2" || trouble "can't write $2"
	rm -f "$2.own"
}
