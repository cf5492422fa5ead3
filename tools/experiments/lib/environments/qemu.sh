# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by environment: guests of QEMU with a kernel of Debian, which see the host's files. With tests/vm they have in common how kernels are
# had, and whether KVM works.
# shellcheck disable=SC2154 # of environment

. "$root/tests/vm/lib/package.sh"
. "$root/tests/vm/lib/kernel.sh"
. "$root/tests/vm/lib/machine.sh"
. "$root/tests/vm/lib/initramfs.sh"
cache=${SHOWSTOPPER_VM_CACHE:-$root/.cache/vm}
kernel_package=linux-image-amd64

left_out() {
	trouble "$@"
}

qemu_missing() {
	[ "$(uname -m)" = x86_64 ] || echo "guests for $(uname -m)"
	command -v qemu-system-x86_64 >/dev/null || echo 'the package qemu-system-x86 (tools/setup vm installs it)'
	command -v busybox >/dev/null || echo 'the package busybox-static (tools/setup vm installs it)'
	command -v apt-get >/dev/null || echo 'apt-get, which would download a kernel'
}

# What the guest starts from: busybox, and the modules by which it gets at files of the host.
qemu_initramfs() { # FILE
	tree=$1.d
	modules=$(find "$cache/modules-$kernel_name/lib/modules" -mindepth 1 -maxdepth 1 -type d)
	to=$tree/lib/modules/${modules##*/}
	mkdir -p "$tree/bin" "$tree/dev" "$to" || return 1
	busybox=$(command -v busybox)
	cp -L "$busybox" "$tree/bin/busybox" && cp "$lib/environments/guest" "$tree/init" && chmod 755 "$tree/init" || return 1
	"$busybox" --list | grep -vx busybox | while IFS= read -r applet; do ln -s busybox "$tree/bin/$applet"; done
	find "$modules" \( -name '9p*.ko*' -o -name 'netfs.ko*' -o -name 'fscache.ko*' -o -name 'virtio*.ko*' \) -exec cp {} "$to/" \;
	cp "$modules"/modules.* "$to/"
	"$busybox" depmod -b "$tree" "${modules##*/}" || return 1
	initramfs_pack "$tree" "$1"
}

qemu_make() {
	mkdir -p "$cache" || return 1
	kernel_fetch "$kernel_package"
	package_keep "modules-$kernel_name" ./lib/modules '' "$kernel_name"
	qemu_initramfs "$folder/$side/initramfs" || return 1
	machine_choose_accelerator auto "$kernel_image" "$folder/$side/initramfs"
	cp "$folder/visible" "$folder/$side/visible"
	printf '%s\n' "$folder/$side" >"$folder/$side/where"
	printf '%s\n' "$lib/environments" >"$folder/$side/lib"
	lead=3
	if [ "$accelerator" != kvm ]; then
		note 'Emulated: KVM does not work here, so that figures of these guests mean nothing beyond that they ran.'
		# To look at a clock and start a program takes them seconds on a busy host.
		lead=15
	fi
	case $list:$quota in
	all:-) ;;
	all:*) note "Each guest had $(qemu_count) virtual processors, bound to none of the host's." ;;
	*) note "The virtual processors of a guest were bound to one of the host's each." ;;
	esac
}

# Virtual processors: a quota is so many of them.
qemu_count() {
	if [ "$quota" = - ]; then echo "$count"; else awk -v quota="$quota" 'BEGIN { print quota < 1 ? 1 : int(quota) }'; fi
}

# In values of QEMU's options.
qemu_quoted() {
	printf '%s\n' "$1" | sed 's/,/,,/g'
}

qemu_start() {
	virtual=$(qemu_count)
	case $list in all) bound= ;; *) bound="taskset -c $list" ;; esac
	# shellcheck disable=SC2046,SC2086 # words
	with_parent KILL $bound qemu-system-x86_64 -nodefaults -no-reboot -display none -name "$name,debug-threads=on" $(machine_accelerator) \
		-smp "$virtual" -m $((1024 + 512 * virtual)) \
		-kernel "$kernel_image" -initrd "$folder/$side/initramfs" -append "$(machine_kernel_options)" -serial "file:$folder/$side/console" \
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap" -device virtio-9p-pci,fsdev=host,mount_tag=host \
		-fsdev "local,id=shared,path=$(qemu_quoted "$folder/$side"),security_model=none,multidevs=remap" \
		-device virtio-9p-pci,fsdev=shared,mount_tag=shared </dev/null >"$folder/$side/messages.txt" 2>&1 &
	started_process=$!
}

# The threads that are its processors are bound to one each.
qemu_ready() { # PROCESS
	[ "$list" != all ] || return 0
	for processor in $(printf '%s\n' "$list" | tr , '\n' | awk -F - '{ for (p = $1; p <= $NF + 0; p++) print p }'); do
		thread=$(grep -lx "CPU ${virtual_of:-0}/.*" "/proc/$1"/task/*/comm 2>/dev/null | head -n 1)
		thread=${thread%/comm}
		[ -n "$thread" ] && taskset -pc "$processor" "${thread##*/}" >/dev/null || return 1
		virtual_of=$((${virtual_of:-0} + 1))
	done
	virtual_of=
}

qemu_end() {
	[ -z "$1" ] || kill_of_run "$1" 20
	wait "$1" 2>/dev/null
}

qemu_went_well() {
	wait "$1" && [ "$(cat "$folder/$side/status" 2>/dev/null)" = 0 ] || {
		tail -n 3 "$folder/$side/console" | tr -d '\r' >>"$folder/$side/messages.txt" 2>/dev/null
		return 1
	}
}

qemu_remove() {
	rm -f "$folder/$side/initramfs"
}
