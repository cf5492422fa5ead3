# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: kernels out of Debian packages, which are unpacked and not installed. Needs $cache, a folder that is kept, and
# left_out, which ends the program with a message.
#   kernel_fetch PACKAGE[/SUITE]   sets kernel_image, and kernel_name, the package that was taken; downloads it where it isn't in $cache.
#                                  Without a suite it is the one that this machine's apt would install

# apt for another suite than the machine's: sources and lists of its own, which say nothing to the machine's.
kernel_apt() {
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

# Lists are asked for once a day.
kernel_lists() {
	[ -n "$1" ] || return 0
	lists=$cache/apt/$1
	mkdir -p "$lists/state/lists/partial" "$lists/cache/archives/partial" || return 1
	[ -z "$(find "$lists/status" -mtime -1 2>/dev/null)" ] || return 0
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "${SHOWSTOPPER_VM_MIRROR:-http://deb.debian.org/debian}" "$1" \
		>"$lists/sources" &&
		kernel_apt apt-get "$1" -o Acquire::Languages=none update && : >"$lists/status"
}

# The package itself, where one was named that only depends on it.
kernel_real() {
	real=$(kernel_apt apt-cache "$2" --no-recommends --no-suggests depends "$1" 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	printf '%s\n' "${real:-$1}"
}

kernel_fetch() {
	case $1 in
	*/*) suite=${1#*/} ;;
	*) suite= ;;
	esac
	command -v apt-get >/dev/null || left_out "no apt-get, which would download the kernel $1"
	kernel_lists "$suite" >"$cache/apt.log" 2>&1 || left_out "no list of the packages of $suite: $(tail -n 1 "$cache/apt.log")"
	kernel_name=$(kernel_real "${1%%/*}" "$suite")
	kernel_image=$(kernel_unpacked "$kernel_name")
	[ -z "$kernel_image" ] || return 0
	fresh=$(mktemp -d "$cache/kernel.XXXXXX") || trouble "can't write to $cache"
	if (cd "$fresh" && kernel_apt apt-get "$suite" download "$kernel_name") >"$cache/apt.log" 2>&1 &&
		dpkg-deb --fsys-tarfile "$fresh"/*.deb | tar -x -C "$fresh" ./boot; then
		rm -f "$fresh"/*.deb
		mv -T "$fresh" "$cache/$kernel_name" 2>/dev/null || rm -rf "$fresh"
	else
		rm -rf "$fresh"
		left_out "the kernel package $kernel_name can't be downloaded: $(tail -n 1 "$cache/apt.log")"
	fi
	kernel_image=$(kernel_unpacked "$kernel_name")
	[ -n "$kernel_image" ] || trouble "the package $kernel_name has no boot/vmlinuz-*"
}

kernel_unpacked() {
	find "$cache/$1/boot" -name 'vmlinuz-*' 2>/dev/null | head -n 1
}
