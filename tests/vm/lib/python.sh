# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: Python, for cases with `# python: yes`. Needs initramfs.sh and what that needs.
#   python_add INITRAMFS FILE   makes FILE, which is INITRAMFS with this machine's Python, tools/measure and tools/experiments

python_add() {
	tree=$2.d
	library=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))') || trouble '/usr/bin/python3 is missing'
	mkdir -p "$tree/usr/bin" "$tree${library%/*}" "$tree/source/tools/experiments" || trouble "can't write to $tree"
	cp -L /usr/bin/python3 "$tree/usr/bin/"
	cp -R "$library" "$tree${library%/*}/" && rm -rf "$tree$library/test"
	initramfs_copy_libraries "$tree" /usr/bin/python3 "$library"/lib-dynload/*.so
	cp -R "$root/tools/measure" "$tree/source/tools/"
	find "$root/tools/experiments" -maxdepth 1 -type f -exec cp {} "$tree/source/tools/experiments/" \;
	initramfs_pack "$tree" "$2.own"
	cat "$1" "$2.own" >"$2" || trouble "can't write $2"
	rm -f "$2.own"
}
