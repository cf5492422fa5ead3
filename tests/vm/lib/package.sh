# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: Debian packages, which are unpacked and not installed. Needs $cache, a folder that is kept,
# trouble, which ends the program with a message, and lacks, which says what a case lacks and fails.
#   package_lists SUITE                     asks for the lists of another suite than the machine's
#   package_apt TOOL SUITE WORD...          apt, for a suite, or with '' for that of the machine
#   package_keep NAME PART SUITE PACKAGE... downloads packages, unless $cache/NAME is there, and unpacks this part of them into it, a pattern;
#                                           fails by lacks where they can't be had

# For another suite it has sources and lists of its own, which say nothing to the machine's.
package_apt() {
	apt_tool=$1
	apt_suite=$2
	shift 2
	if [ -z "$apt_suite" ]; then
		"$apt_tool" -qq "$@"
		return
	fi
	apt_home=$cache/apt/$apt_suite
	"$apt_tool" -qq -o Dir::Etc::sourcelist="$apt_home/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$apt_home/state" \
		-o Dir::State::status="$apt_home/status" -o Dir::Cache="$apt_home/cache" -o APT::Sandbox::User=root "$@"
}

# They are asked for once a day.
package_lists() {
	[ -n "$1" ] || return 0
	lists=$cache/apt/$1
	mkdir -p "$lists/state/lists/partial" "$lists/cache/archives/partial" || return 1
	[ -z "$(find "$lists/status" -mtime -1 2>/dev/null)" ] || return 0
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "${SHOWSTOPPER_VM_MIRROR:-http://deb.debian.org/debian}" "$1" \
		>"$lists/sources" &&
		package_apt apt-get "$1" -o Acquire::Languages=none update && : >"$lists/status"
}

package_unpack() { # FOLDER PART
	for package in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$1" --wildcards "$2" || return 1
		rm -f "$package"
	done
}

package_keep() {
	kept=$cache/$1
	part=$2
	suite=$3
	shift 3
	[ ! -d "$kept" ] || return 0
	fresh=$(mktemp -d -p "$cache" --suffix=.fresh) || trouble "can't write to $cache"
	failed=
	(cd "$fresh" && package_apt apt-get "$suite" download "$@") >"$cache/apt.log" 2>&1 || failed=downloaded
	[ -n "$failed" ] || package_unpack "$fresh" "$part" >"$cache/apt.log" 2>&1 || failed=unpacked
	# Another run may have been faster.
	[ -n "$failed" ] || mv -T "$fresh" "$kept" 2>/dev/null
	rm -rf "$fresh"
	[ -z "$failed" ] || lacks "$1: the package can't be $failed: $(head -n 1 "$cache/apt.log")"
}
