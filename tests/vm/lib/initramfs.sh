# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: what a machine starts from. Needs $root, $build, and trouble, which ends the program with a message.
#   initramfs_make FILE   programs and modules of the build with the libraries they need, busybox for all else, and the cases
#   initramfs_pack TREE FILE   of a folder, which is removed
#   initramfs_copy_libraries TREE PROGRAM...   those that the programs need

initramfs_programs='showstopper ssburn cpuload tests/without_call tests/threads_time'

# Where packages have been unpacked, if programs of theirs are to have libraries of theirs.
libraries_of=

initramfs_copy_libraries() { # FOLDER PROGRAM...
	to=$1
	shift
	[ -z "$libraries_of" ] || libraries_at=$(find "$libraries_of" -name '*.so*' -printf '%h\n' | sort -u | paste -sd :)
	LD_LIBRARY_PATH=${libraries_at-} ldd "$@" | sed -n 's,^[^/]*\(/[^ :]*\) (0x.*,\1,p' | sort -u | while IFS= read -r library; do
		there=$to${library#"$libraries_of"}
		mkdir -p "${there%/*}" && cp -L "$library" "$there" || exit 1
	done
}

initramfs_pack() { # TREE FILE
	(cd "$1" && find . | "$busybox" cpio -o -H newc 2>/dev/null) >"$2" || trouble "can't write $2"
	rm -rf "$1"
}

initramfs_make() {
	busybox=$(command -v busybox) || missing 'busybox is missing (tools/setup vm installs it)'
	tree=$1.d
	rm -rf "$tree"
	mkdir -p "$tree/bin" "$tree/build/tests" "$tree/source/tests/cli" "$tree/etc" "$tree/lib" "$tree/dev" || trouble "can't write to $tree"
	cp -L "$busybox" "$tree/bin/busybox"
	"$busybox" --list | grep -vx busybox | while IFS= read -r applet; do
		ln -sf busybox "$tree/bin/$applet"
	done
	for program in $initramfs_programs; do
		[ -x "$build/$program" ] || trouble "$build/$program is missing; build it first, with -DBUILD_TESTING=ON"
		cp "$build/$program" "$tree/build/$program"
	done
	cp -R "$build/modules" "$tree/build/"
	# Busybox's can't do it all.
	rm -f "$tree/bin/unshare"
	cp -L "$(command -v unshare)" "$tree/bin/"
	# shellcheck disable=SC2016 # the inner shell's
	find "$tree/build" "$tree/bin/unshare" -type f -name '*.so' -o -type f -perm -u+x | tr '\n' '\0' | xargs -0 sh -c '. "$0"; initramfs_copy_libraries "$@"' \
		"$root/tests/vm/lib/initramfs.sh" "$tree" || trouble "libraries of $build can't be copied"
	initramfs_copy_libraries "$tree" "$busybox" 2>/dev/null
	cp "$root/tests/cli/lib.sh" "$tree/source/tests/cli/"
	cp -R "$root/tests/vm" "$tree/source/tests/"
	cp "$root/tests/vm/guest/init" "$tree/init"
	chmod 755 "$tree/init"
	printf 'root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n' >"$tree/etc/passwd"
	printf 'root:x:0:\nuser:x:1000:\n' >"$tree/etc/group"
	initramfs_pack "$tree" "$1"
}
