# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: modules of a kernel, for cases with `# modules: NAME...`. Needs package.sh, initramfs.sh and kernel.sh, and what those need.
#   modules_kernel PACKAGE[/SUITE]             the package of the same suite that has drivers, where this one is made for clouds
#   modules_add INITRAMFS FILE MODULE...       makes FILE, which is INITRAMFS with these modules of the kernel that was fetched; fails by lacks

modules_kernel() {
	printf '%s\n' "$1" | sed 's/^linux-image-cloud-/linux-image-/'
}

modules_add() {
	from=$1 to=$2
	shift 2
	# What kernel_fetch has found out last. They are in /usr since Debian 13, and in a package of their own since Linux 7.
	package_keep "modules-$kernel_name" '*lib/modules' "$suite" "$(kernel_needs "$kernel_name" "$suite" linux-modules)" || return
	of_kernel=$(find "$cache/modules-$kernel_name" -path '*lib/modules/*' -prune -type d)
	version=${of_kernel##*/}
	tree=$to.d
	mkdir -p "$tree/lib/modules/$version" || trouble "can't write to $tree"
	for module do
		find "$of_kernel" -name "$module.ko*" -exec cp {} "$tree/lib/modules/$version/" \;
	done
	"$(command -v busybox)" depmod -b "$tree" "$version" || trouble "the modules of $kernel_name can't be listed"
	initramfs_pack "$tree" "$to.own"
	cat "$from" "$to.own" >"$to" || trouble "can't write $to"
	rm -f "$to.own"
}
