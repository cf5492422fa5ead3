# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: kernels out of Debian packages. Needs package.sh, and what that needs.
#   kernel_fetch PACKAGE[/SUITE]   sets kernel_image, and kernel_name, the package that was taken; downloads it where it isn't in $cache.
#                                  Without a suite it is the one that this machine's apt would install

# The package itself, where one was named that only depends on it.
kernel_real() {
	real=$(package_apt apt-cache "$2" --no-recommends --no-suggests depends "$1" 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	printf '%s\n' "${real:-$1}"
}

kernel_fetch() {
	case $1 in
	*/*) suite=${1#*/} ;;
	*) suite= ;;
	esac
	command -v apt-get >/dev/null || left_out "no apt-get, which would download the kernel $1"
	package_lists "$suite" >"$cache/apt.log" 2>&1 || left_out "no list of the packages of $suite: $(tail -n 1 "$cache/apt.log")"
	kernel_name=$(kernel_real "${1%%/*}" "$suite")
	package_keep "$kernel_name" ./boot "$suite" "$kernel_name"
	kernel_image=$(find "$cache/$kernel_name/boot" -name 'vmlinuz-*' 2>/dev/null | head -n 1)
	[ -n "$kernel_image" ] || trouble "the package $kernel_name has no boot/vmlinuz-*"
}
