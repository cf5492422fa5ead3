# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: Debian packages, which are unpacked and not installed. Needs $cache, a folder that is kept, and left_out,
# missing and trouble, which end the program with a message.
#   package_lists SUITE                     asks for the lists of another suite than the machine's
#   package_apt TOOL SUITE WORD...          apt, for a suite, or with '' for that of the machine
#   package_keep NAME PART SUITE PACKAGE... downloads packages, unless $cache/NAME is there, and unpacks this part of them into it

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
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$1" "$2" || return 1
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
	if (cd "$fresh" && package_apt apt-get "$suite" download "$@") >"$cache/apt.log" 2>&1 && package_unpack "$fresh" "$part"; then
		# Another run may have been faster.
		mv -T "$fresh" "$kept" 2>/dev/null || rm -rf "$fresh"
	else
		rm -rf "$fresh"
		missing "$1: the package can't be downloaded: $(tail -n 1 "$cache/apt.log")"
	fi
}
