# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: a machine in QEMU. Needs $root, $build, $cache, and trouble, which ends the program with a message.
#   machine_choose_accelerator auto|kvm|tcg IMAGE INITRAMFS   sets accelerator
#   machine_accelerator          options of QEMU for it
#   machine_kernel_options OPTION...   those of the kernel for it, and these
#   machine_run FOLDER LIMIT SLOW IMAGE INITRAMFS QEMU-OPTIONS KERNEL-OPTIONS   boots it, does what it asks for, and waits for its end,
#                                for LIMIT of its seconds at most; if it is emulated, one takes SLOW seconds. Console, requests and
#                                results of the machine are then in FOLDER. Its status is QEMU's, or 124
#   machine_end                  ends one that runs

machine=

machine_accelerator() {
	if [ "$accelerator" = kvm ]; then
		echo '-accel kvm -cpu host'
	else
		# QEMU 7.2 sometimes gives an emulated cmpxchg16b the wrong flags, which Linux 6.12 does not survive. Linux sees threads of a core on
		# an Intel alone.
		echo '-accel tcg,thread=multi -cpu max,-cx16,vendor=GenuineIntel'
	fi
}

machine_qemu() { # LIMIT OPTION...
	qemu_limit=$1
	shift
	# shellcheck disable=SC2046 # words
	set -- $(machine_accelerator) "$@"
	if [ "$accelerator" != kvm ]; then
		# shellcheck disable=SC2031 # set for QEMU alone
		export LD_PRELOAD="$build/tests/slow_clock.so" SLOW_CLOCK="${machine_slow:-1}" SLOW_CLOCK_AHEAD="${machine_ahead-}"
	fi
	exec timeout -k 5 "$qemu_limit" qemu-system-x86_64 -nodefaults -no-reboot -display none "$@" </dev/null
}

machine_kernel_options() {
	options='console=ttyS0 quiet panic=-1'
	# The clocks of emulated processors drift apart. A busy host has no time for the ticks that Linux waits for when it tries its timer.
	[ "$accelerator" = kvm ] || options="$options tsc=unstable no_timer_check"
	printf '%s %s\n' "$options" "$*"
}

# Not told by the shell when it crashes.
machine_tries() {
	sh -c '. "$1"; accelerator=kvm; machine_qemu 10 -smp 2 -m 512 -kernel "$2" -initrd "$3" -append "$(machine_kernel_options vm.case=none)"' sh \
		"$root/tests/vm/lib/machine.sh" "$1" "$2" >"$cache/kvm.log" 2>&1
}

# A nested KVM may fail at once, hang, or stop at an instruction. Whether one works is tried once for each kernel of the host.
machine_choose_accelerator() {
	accelerator=$1
	[ "$accelerator" = auto ] || return 0
	known=$cache/accelerator-$(uname -r)
	if [ ! -s "$known" ]; then
		accelerator=kvm
		if [ ! -w /dev/kvm ] || ! machine_tries "$2" "$3"; then accelerator=tcg; fi
		echo "$accelerator" >"$known"
	fi
	read -r accelerator <"$known"
}

# Opened for reading as well: else it would wait for ever for a machine that has ended.
machine_say() { # FOLDER COMMAND
	printf '%s\n' "$2" 1<>"$1/monitor.in"
}

# machine_thread FOLDER PROCESSOR: the host's thread that is this processor of the machine.
machine_thread() {
	machine_say "$1" 'info cpus'
	for _ in $(seq 50); do
		thread=$(tr -d '\r' <"$1/monitor" | sed -n "s/.*CPU #$2: thread_id=\([0-9]*\).*/\1/p" | tail -n 1)
		[ -z "$thread" ] || break
		sleep 0.1
	done
	printf '%s\n' "$thread"
}

# The child of timeout.
machine_process() { # TIMEOUT
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# Percent of their time for which the threads of this machine waited for a processor of the host.
machine_waited() { # QEMU
	cat "/proc/$1"/task/*/schedstat 2>/dev/null |
		awk '{ ran += $1; waited += $2 } END { printf "%d\n", ran + waited ? 100 * waited / (ran + waited) : 0 }'
}

# The machine stands still, and when it goes on its clocks say that so many seconds have passed. Where its clocks are the host's, they have.
machine_sleeps() { # FOLDER QEMU SECONDS
	kill -STOP "$2"
	if [ "$accelerator" = kvm ]; then
		sleep "$3"
	else
		machine_gone=$((machine_gone + $3))
		# shellcheck disable=SC2059 # the number as four bytes, the first of which counts least
		printf "$(printf '\\%03o\\%03o\\0\\0' $((machine_gone % 256)) $((machine_gone / 256)))" | dd of="$1/ahead" conv=notrunc status=none
		sleep 0.2
	fi
	kill -CONT "$2"
	# It sees that it slept when it looks, and before it may sleep again.
	machine_say "$1" 'info status'
	sleep 0.$((2 * machine_slow > 9 ? 9 : 2 * machine_slow))
}

# What a case may ask the host for. The machine itself asks for its end: it has to be there to be looked at.
machine_do() { # FOLDER QEMU REQUEST...
	folder=$1
	qemu=$2
	shift 2
	case $1:$# in
	end:1)
		machine_waited "$qemu" >"$folder/waited"
		machine_say "$folder" quit
		;;
	wait:2) sleep $(($2 * machine_slow)) ;;
	stop:2)
		machine_say "$folder" stop
		sleep $(($2 * machine_slow))
		machine_say "$folder" cont
		;;
	sleep:2) machine_sleeps "$folder" "$qemu" "$2" ;;
	key:1) machine_say "$folder" 'sendkey ret' ;;
	stall:5) "$build/tests/stall_thread" "$(machine_thread "$folder" "$2")" $(($3 * machine_slow)) $(($4 * machine_slow)) "$5" ;;
	*) echo "nobody knows how to '$*'" ;;
	esac
	printf 'done: %s\n' "$*"
}

machine_run() {
	folder=$1 machine_slow=$3 image=$4 initramfs=$5 own_options=$6 command_line=$(machine_kernel_options "$7")
	[ "$accelerator" != kvm ] || machine_slow=1
	[ -e "$build/tests/slow_clock.so" ] || trouble "$build/tests/slow_clock.so is missing; build it first, with -DBUILD_TESTING=ON"
	machine_limit=$(($2 * machine_slow)) machine_ahead=$folder/ahead
	printf '\0\0\0\0' >"$machine_ahead"
	rm -f "$folder/monitor.in" "$folder/monitor.out"
	mkfifo "$folder/monitor.in" "$folder/monitor.out" || trouble "can't write to $folder"
	: >"$folder/requests"
	machine_gone=0
	# shellcheck disable=SC2086 # the machine's options are a list
	machine_qemu "$machine_limit" $own_options -kernel "$image" -initrd "$initramfs" -append "$command_line" \
		-serial "file:$folder/console" -serial "file:$folder/results.tar.gz" -serial "file:$folder/requests" -serial "file:$folder/output" \
		-chardev pipe,id=monitor,path="$folder/monitor" -mon chardev=monitor,mode=readline >"$folder/qemu" 2>&1 &
	machine=$!
	cat "$folder/monitor.out" >"$folder/monitor" &
	reader=$!
	tail -n +1 -s 0.1 -f --pid="$machine" "$folder/requests" 2>/dev/null | while read -r request; do
		# shellcheck disable=SC2086 # words
		machine_do "$folder" "$(machine_process "$machine" | tr -d " ")" $request
	done >"$folder/host" 2>&1 &
	# Not in the foreground, where it would keep signals waiting until the machine ends.
	host=$!
	wait "$machine"
	machine_status=$?
	machine=
	wait "$host"
	# Where QEMU didn't start nobody has opened the other end.
	kill "$reader" 2>/dev/null
	wait "$reader" 2>/dev/null
	rm -f "$folder/monitor.in" "$folder/monitor.out" "$machine_ahead"
	return "$machine_status"
}

machine_end() {
	[ -z "$machine" ] || { kill "$machine"; wait "$machine"; } 2>/dev/null
	[ -z "${reader-}" ] || kill "$reader" 2>/dev/null
}
