#!/bin/sh
# SPDX-License-Identifier: MIT
# Real control groups, with and without namespaces: quotas, cpusets, realtime's container, the modules cgroup and workloads. What isn't
# permitted here is said and left out; made-up trees are in unit/groups/test_cgroup.c.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# Not one that a run would take for what a dead run left.
name=test-containers.$$
groups=
# shellcheck disable=SC2317 # called by the trap
tidy() {
	[ -z "$background" ] || kill -KILL "$background"
	# A group can be removed when the last of its processes is gone for good.
	for group in $groups; do
		for _ in 1 2 3 4 5; do
			rmdir "$group" 2>/dev/null && break
			sleep 0.2
		done
	done
	cd / && rm -rf "$work"
}
trap tidy EXIT

# make_group FOLDER: a group of its own; false where that isn't permitted.
make_group() {
	mkdir "$1" 2>/dev/null || return 1
	groups="$1 $groups"
}

# in_group FOLDER… -- COMMAND…: run, in these groups.
in_group() {
	join=
	while [ "$1" != -- ]; do
		join="$join echo \$\$ >$1/cgroup.procs &&"
		shift
	done
	shift
	run sh -c "$join"' exec "$@"' sh "$@"
}

# value FILE FILTER: of JSON
value() {
	jq -r "$2" "$1"
}

# near A B RELATIVE ABSOLUTE WHAT
near() {
	awk -v a="$1" -v b="$2" -v r="$3" -v s="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= r * b + s) }' ||
		fail "$what: $5: $1 and $2 are far apart"
}

# ---- The own group, a group by its name, what is refused -------------------------------------------------------------------

run showstopper -T 50% -f cgroup -F path=showstopper-none --dry-run true
expect_trouble "feedback module 'cgroup': .*no cgroup 'showstopper-none'"
run showstopper -T 50% -f cgroup -F path=../x --dry-run true
expect_trouble "feedback module 'cgroup': .*without '\.\.'"
if grep -q 'cgroup' /proc/self/mountinfo; then
	run showstopper -T 50% -f cgroup --dry-run true
	expect_status 0
	expect_text out '^feedback: cgroup path=self,base=333ms,share=40ms$'
	expect_text out '^processors: [0-9.]+$'
else
	skip 'no control groups are mounted'
fi

unified=$(sed -n 's/^[^ ]* [^ ]* [^ ]* \/ \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
if [ -n "$unified" ] && make_group "$unified/$name" && [ -e "$unified/$name/cpu.stat" ]; then
	in_group "$unified/$name" -- showstopper -q -T 40% -r 2s -w 200m -n 1 -f cgroup -F "path=$name" -o log.csv --export-json record.json ssburn
	expect_status 0
	# What the log says was worked is what the kernel counted, all but the warm-up and our own start and end.
	near "$(awk -F, -v p="$(value record.json .machine.processors)" 'NR > 1 { work += $4 * p * ($2 - before) * (NR > 2) } { before = $2 } END { print work }' log.csv)" \
		"$(awk '/^usage_usec/ { print $2 / 1e6 }' "$unified/$name/cpu.stat")" 0.3 0.6 'work of the group'
else
	left_out 'version 2: groups can not be made'
fi

# ---- A quota ---------------------------------------------------------------------------------------------------------------

cpu=/sys/fs/cgroup/cpu
acct=/sys/fs/cgroup/cpuacct
if [ -e $cpu/cpu.cfs_quota_us ] && [ -e $acct/cpuacct.usage ] && make_group "$cpu/$name"; then
	[ -d "$acct/$name" ] || make_group "$acct/$name"
	quota=$cpu/$name/cpu.cfs_quota_us
	limit() {
		echo 100000 >"$cpu/$name/cpu.cfs_period_us" && echo "$1" >"$quota"
	}
	usage() {
		awk '{ printf "%.6f\n", $1 / 1e9 }' "$acct/$name/cpuacct.usage"
	}
	both="$cpu/$name $acct/$name"
elif [ -n "$unified" ] && [ -d "$unified/$name" ] && echo +cpu >"$unified/cgroup.subtree_control" 2>/dev/null && [ -e "$unified/$name/cpu.max" ]; then
	limit() {
		echo "$1 100000" >"$unified/$name/cpu.max"
	}
	usage() {
		awk '/^usage_usec/ { print $2 / 1e6 }' "$unified/$name/cpu.stat"
	}
	both="$unified/$name"
else
	left_out 'quotas can not be set'
	both=
fi
processors=$(nproc --all)
if [ -n "$both" ] && [ "$processors" -gt 1 ] && limit 50000; then
	# shellcheck disable=SC2086 # $both are words
	{
		in_group $both -- showstopper -T 50% --dry-run true
		expect_status 0
		expect_text out '^feedback: realtime base=333ms,share=40ms,unit=processor,container=yes,source=cgroup$'
		expect_text out '^processors: 0\.5$'
		expect_text out "^container: a quota of 0\.5 processors \(.*/$name\)"
		[ "$(grep -c '^workload ' out)" = 1 ] || fail "$what: other than one workload for half a processor"
		in_group $both -- showstopper -T 50% -F container=no --dry-run true
		expect_text out "^processors: $processors\$"
		expect_text out '^feedback: .*container=no,source=[^g]*$'
		in_group $both -- showstopper -T 50% -F source=idle --dry-run true
		expect_text out "^processors: $processors\$"
		in_group $both -- showstopper -T 50% --cpus 0 --dry-run true
		expect_text out '^processors: 1$'
		expect_no_text out 'source=cgroup'
		in_group $both -- showstopper --check-machine
		expect_text out "^container: +a quota of 0\.5 processors \(.*/$name\)"
		expect_text out '^processors: .* 1 usable'
		expect_text out '^cgroup: +chosen: '
		expect_text out '^measured: +what the container may use: 0\.5 processors'
		in_group $both -- showstopper -v -q -T 50% -r 500m true
		expect_text err '^showstopper: container: a quota of 0\.5 processors'
		in_group $both -- showstopper -T 50% -f cgroup --dry-run true
		expect_text out '^processors: 0\.5$'
	}
	run showstopper -T 50% -f cgroup -F "$name" --dry-run true
	expect_text out '^processors: 0\.5$'

	# A run: load and capacity are those of the group. The summary's load is over the controlled time.
	limit $((processors * 50000))
	before=$(usage)
	# shellcheck disable=SC2086
	in_group $both -- showstopper -T 50% -r 3s -n "$processors" -o log.csv --export-json record.json ssburn
	expect_status 0
	after=$(usage)
	[ "$(value record.json '.machine.processors * 2')" = "$processors" ] || fail "$what: $(value record.json .machine.processors) processors"
	near "$(awk -F, -v p="$(value record.json .machine.processors)" 'NR > 1 { work += $4 * p * ($1 - before) } NR > 1 { before = $1 } END { print work }' log.csv)" \
		"$(awk -v a="$before" -v b="$after" 'BEGIN { print b - a }')" 0.2 0.4 'work of the group'

	# A quota that is changed while the run goes on.
	limit 100000
	# shellcheck disable=SC2086
	(in_group $both -- showstopper -q -T 50% -r 5s -n 1 --export-json changed.json ssburn; expect_status 0; exit "$failures") &
	sleep 2
	limit 50000
	wait $! || failures=$((failures + 1))
	[ "$(value changed.json .machine.processors)" = 0.5 ] || fail "the change of the quota was not noticed: $(value changed.json .machine.processors)"

	# ---- Namespaces: what is the group's own, and what isn't ----------------------------------------------------------------
	if unshare -C -m true 2>/dev/null; then
		cat >inside <<'END'
# As in a container: the own groups are the roots of what is mounted.
umount -l /sys/fs/cgroup 2>/dev/null
mount -t tmpfs none /sys/fs/cgroup || exit 99
if [ "$1" = v1 ]; then
	mkdir /sys/fs/cgroup/cpu /sys/fs/cgroup/cpuacct
	mount -t cgroup -o "$2" none /sys/fs/cgroup/cpu && mount -t cgroup -o "$3" none /sys/fs/cgroup/cpuacct || exit 99
else
	mount -t cgroup2 none /sys/fs/cgroup || exit 99
fi
shift 3
exec "$@"
END
		options=cpu
		acct_options=cpuacct
		if grep -Eq 'cgroup [^ ]*,cpu,cpuacct|cgroup [^ ]*,cpuacct,cpu' /proc/self/mountinfo; then options=cpu,cpuacct acct_options=cpu,cpuacct; fi
		version=v2
		[ "$both" = "$unified/$name" ] || version=v1
		limit 50000
		for namespaces in '-C -m' '-C -m -p -f --mount-proc'; do
			# shellcheck disable=SC2086
			in_group $both -- unshare $namespaces sh inside "$version" $options $acct_options showstopper -T 50% --dry-run true
			if [ "$status" -eq 99 ]; then
				left_out "control groups can not be mounted in a namespace"
				continue
			fi
			expect_status 0
			expect_text out '^feedback: realtime .*source=cgroup$'
			expect_text out '^processors: 0\.5$'
			expect_text out '^container: a quota of 0\.5 processors \(/sys/fs/cgroup[/cpu]*\)$'
			# shellcheck disable=SC2086
			in_group $both -- unshare $namespaces sh inside "$version" $options $acct_options showstopper -q -T 50% -r 1s -f cgroup --export-json inner.json ssburn
			expect_status 0
			[ "$(value inner.json .machine.processors)" = 0.5 ] || fail "$what: $(value inner.json .machine.processors) processors"
		done
		# Mounts of the world outside: the own group is found by who is in it.
		# shellcheck disable=SC2086
		in_group $both -- unshare -C showstopper -T 50% --dry-run true
		expect_status 0
		expect_text out '^feedback: realtime .*source=cgroup$'
		expect_text out "^container: a quota of 0\.5 processors \(/sys/fs/cgroup[/a-z]*/$name\)\$"
		# shellcheck disable=SC2086
		in_group $both -- unshare -C showstopper -T 50% -f cgroup --dry-run true
		expect_status 0
		expect_text out '^processors: 0\.5$'
	else
		left_out 'namespaces of control groups are not permitted'
	fi

	# A group with a quota whose processor time nobody counts.
	if [ "$both" = "$cpu/$name $acct/$name" ] && [ "$(readlink -f $cpu)" != "$(readlink -f $acct)" ]; then
		in_group "$cpu/$name" -- showstopper -T 50% --dry-run true
		expect_trouble "feedback module 'realtime': a quota of 0\.5 processors holds for $cpu/$name: .*container=no measures the machine"
		in_group "$cpu/$name" -- showstopper -T 50% -F container=no --dry-run true
		expect_status 0
	fi
	limit -1
	# shellcheck disable=SC2086
	in_group $both -- showstopper -T 50% --dry-run true
	expect_text out "^processors: $processors\$"
	expect_no_text out '^container:'
	expect_no_text out 'source=cgroup'
elif [ -n "$both" ]; then
	left_out 'one processor, or a quota that can not be set'
fi

# ---- A cpuset --------------------------------------------------------------------------------------------------------------

cpuset=/sys/fs/cgroup/cpuset
if [ "$processors" -gt 1 ] && [ -e $cpuset/cpuset.cpus ] && make_group "$cpuset/$name" && cat $cpuset/cpuset.mems >"$cpuset/$name/cpuset.mems" &&
	echo $((processors - 1)) >"$cpuset/$name/cpuset.cpus"; then
	in_group "$cpuset/$name" -- showstopper -T 50% --dry-run true
	expect_status 0
	expect_text out "^feedback: realtime .*container=yes,source=[a-z]+,cpus=$((processors - 1))\$"
	expect_text out '^processors: 1$'
	expect_text out "^container: processors $((processors - 1))\$"
	[ "$(grep -c '^workload ' out)" = 1 ] || fail "$what: other than one workload for one processor"
	in_group "$cpuset/$name" -- showstopper -T 50% -F container=no --dry-run true
	expect_text out "^processors: $processors\$"
else
	left_out 'cpusets can not be made'
fi

# ---- A cpuset that no control group shows -----------------------------------------------------------------------------------

# With a cpuset to be seen, an affinity is the user's own: the machine is measured, unless the user asks.
if [ "$processors" -gt 1 ] && [ -e $cpuset/cpuset.cpus ]; then
	run taskset -c 1 showstopper -T 50% --dry-run true
	expect_text out "^processors: $processors\$"
	expect_no_text out '^container:'
	run taskset -c 1 showstopper -T 50% -F cpus=allowed --dry-run true
	expect_text out '^feedback: realtime .*,cpus=1$'
	expect_text out '^processors: 1$'
fi
# hidden COMMAND…: run where control groups can't be seen, with one processor.
hidden() {
	# shellcheck disable=SC2016
	run $hide sh -c "$hide_them"' && exec taskset -c 1 "$@"' sh "$@"
}
for hide in 'unshare -m' 'unshare -rm' 'setpriv --reuid 65534 --regid 65534 --clear-groups unshare -rm'; do
	# In a user namespace, mounts of the world outside can be covered, not removed.
	hide_them='umount -l /sys/fs/cgroup'
	[ "$hide" = 'unshare -m' ] || hide_them='mount -t tmpfs none /sys'
	if [ "$processors" -lt 2 ] || ! hidden true || [ "$status" -ne 0 ]; then
		left_out "nothing can be hidden by $hide"
		continue
	fi
	hidden showstopper -T 50% --dry-run true
	# Who is somebody else may not be able to read what was built.
	if [ "$status" -eq 126 ] || [ "$status" -eq 127 ]; then
		left_out "$hide: $(head -n 1 err)"
		continue
	fi
	expect_status 0
	expect_text out '^feedback: realtime .*container=yes,source=[a-z]+,cpus=1$'
	expect_text out '^processors: 1$'
	expect_text out '^container: processors 1, by affinity, as no control group shows a cpuset$'
	hidden showstopper -T 50% -F container=no --dry-run true
	expect_text out "^processors: $processors\$"
	hidden showstopper -v -T 40% -r 1500ms ssburn
	expect_status 0
	expect_text err '^showstopper: container: processors 1, by affinity'
	expect_text err '^measured             processors 1, by affinity'
	expect_text err '^others  '
	expect_no_text err '^others  *unavailable'
done
if [ "$processors" -gt 1 ] && [ -d "$cpuset/$name" ] && unshare -m umount -l /sys/fs/cgroup 2>/dev/null; then
	# shellcheck disable=SC2016
	in_group "$cpuset/$name" -- unshare -m sh -c 'umount -l /sys/fs/cgroup && exec "$@"' sh showstopper -T 50% --dry-run true
	expect_status 0
	expect_text out "^container: processors $((processors - 1)), by affinity"
	expect_text out '^processors: 1$'
fi

# ---- The workloads alone ---------------------------------------------------------------------------------------------------

# What the log says they worked is what the record says they used; the second kind is made of short processes, and started again and again.
work_of() {
	awk -F, -v p="$processors" 'NR > 1 { work += $4 * p * ($1 - before) } NR > 1 { before = $1 } END { print work + 0 }' log.csv
}
run showstopper -q -T 40% -r 3s -n 2 -f workloads -o log.csv --export-json record.json ssburn
expect_status 0
near "$(work_of)" "$(value record.json '[.workloads[].cpu_s] | add')" 0.2 0.3 'work of the workloads'
run showstopper -q -T 40% -r 4s -n 2 -f workloads --when-one-ends=respawn -o log.csv --export-json record.json \
	sh -c 'for i in 1 2 3 4 5 6 7 8; do timeout 0.05 ssburn >/dev/null; done; (timeout 0.2 ssburn >/dev/null &); sleep 0.1'
near "$(work_of)" "$(value record.json '[.workloads[].cpu_s] | add')" 0.25 0.3 'work of short processes'
run showstopper -T 40% -f workloads --dry-run true
expect_text out "^processors: $processors\$"

finish
