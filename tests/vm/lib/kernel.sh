# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: kernels out of Debian packages. Needs package.sh, and what that needs.
#   kernel_fetch PACKAGE[/SUITE]   sets kernel_image, and kernel_name, the package that was taken; downloads it where it isn't in $cache.
#                                  Without a suite it is the one that this machine's apt would install. Fails by lacks

# kernel_needs PACKAGE SUITE KIND: the package of this kind that it depends on, or itself where there is none.
kernel_needs() {
	needed=$(package_apt apt-cache "$2" --no-recommends --no-suggests depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \($3-[^ ]*\)\$/\1/p" | head -n 1)
	printf '%s\n' "${needed:-$1}"
}

kernel_fetch() {
	case $1 in
	*/*) suite=${1#*/} ;;
	*) suite= ;;
	esac
	command -v apt-get >/dev/null || left_out "no apt-get, which would download the kernel $1"
	package_lists "$suite" >"$cache/apt.log" 2>&1 || lacks "no list of the packages of $suite: $(tail -n 1 "$cache/apt.log")" || return
	kernel_name=$(kernel_needs "${1%%/*}" "$suite" linux-image)
	# Since Linux 7 it is in a package of its own, beside its modules.
	kernel_package=$(kernel_needs "$kernel_name" "$suite" linux-binary)
	case $kernel_package in linux-binary-*) kernel_part=./usr/lib/modules ;; *) kernel_part=./boot ;; esac
	package_keep "$kernel_name" "$kernel_part" "$suite" "$kernel_package" || return
	kernel_image=$(find "$cache/$kernel_name" -name 'vmlinuz*' 2>/dev/null | head -n 1)
	[ -n "$kernel_image" ] || trouble "the package $kernel_package has no vmlinuz"
}
