# SPDX-License-Identifier: MIT
# How the processors are divided between a foreground (side 0) and a background (side 1): schemes of showstopper --pin, or lists. Sourced by colocation.

check_scheme() {
	case $1 in
	neutral | per-chip | per-core | per-thread | packed | spread | dynamic) ;;
	dynamic:*)
		printf '%s\n' "${1#dynamic:}" | grep -Eq '^[a-z]+=[A-Za-z0-9.%/-]+(\+[a-z]+=[A-Za-z0-9.%/-]+)*$' ||
			trouble "--schemes: '$1': expected settings joined by +, such as dynamic:below=spread+above=packed"
		;;
	*)
		printf '%s\n' "$1" | grep -Eq '^[A-Za-z][A-Za-z0-9-]*=[0-9]+(-[0-9]+)?(\+[0-9]+(-[0-9]+)?)*/[0-9]+(-[0-9]+)?(\+[0-9]+(-[0-9]+)?)*$' ||
			trouble "--schemes: '$1': expected neutral, per-chip, per-core, per-thread, packed, spread, dynamic, or NAME=LIST/LIST such as mine=0-3/4+6"
		;;
	esac
}

# Which of per-core, per-thread and per-chip divide this machine, one a line: it needs several cores in a chip, threads in a core, or chips (packages or
# NUMA nodes). Where nothing is known of it: packed.
schemes_here() {
	count_different() { cat "$@" 2>/dev/null | sort -u | wc -l; }
	set -- /sys/devices/system/cpu/cpu[0-9]*/topology
	cores=$(count_different /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list)
	packages=$(count_different /sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id)
	nodes=$(cat /sys/devices/system/node/node[0-9]*/cpulist 2>/dev/null | grep -c .)
	{
		if [ "$cores" -gt "$packages" ]; then echo per-core; fi
		if [ "$cores" -gt 0 ] && [ "$cores" -lt $# ]; then echo per-thread; fi
		if [ "$packages" -gt 1 ] || [ "$nodes" -gt 1 ]; then echo per-chip; fi
	} | grep . || echo packed
}

# side_of SCHEME NUMBER: group options of showstopper.
side_of() {
	case $1 in
	dynamic*) if [ "$2" = 0 ]; then printf '%s\n' "--pin $1" | tr + ,; else echo '--pin dynamic'; fi ;;
	*=*)
		list=${1#*=}
		if [ "$2" = 0 ]; then list=${list%/*}; else list=${list#*/}; fi
		printf '%s\n' "--cpus $(printf '%s' "$list" | tr + ,)"
		;;
	*) printf '%s\n' "--pin $1 --part $2/2" ;;
	esac
}

# Without processors of its own, the background's load is what its trees take of the machine, of which one half is theirs. An environment has its own
# load, of its quota or of its virtual processors.
is_unpinned() { # SCHEME
	[ "$1" = neutral ] && [ "${environment:-native}" = native ]
}
feedback_of() {
	if is_unpinned "$1"; then echo '-f workloads'; fi
}
staircase_of() { # SCHEME STEP
	if is_unpinned "$1"; then
		awk -v step="$2" 'BEGIN { printf "from=47.5%%,to=2.5%%,step=%.9g%%\n", step / 2 }'
	else
		printf '%s\n' "from=95%,to=5%,step=$2%"
	fi
}
