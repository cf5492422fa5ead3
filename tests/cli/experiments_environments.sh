#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments --in: lists, what is refused, the verbs of the driver, batches that are killed.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS HWLOC_SYNTHETIC HWLOC_XMLFILE
limit=120
experiments=$source/tools/experiments
environment=$experiments/environment

# ---- Lists and options --------------------------------------------------------------------------------------------------------

run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC --in native,lxc,qemu
expect_status 0
expect_lines out 4
expect_text out '^native/burn-single_50_CDC_1: [0-9]+ instances of burn-single, '
expect_text out '^lxc/burn-single_50_CDC_1: in lxc, [0-9]+ instances of '
expect_text out '^qemu/burn-single_50_CDC_1: in qemu, [0-9]+ instances of '
run "$experiments/throughput" --dry-run -w burn-single -s default -l 50 --in lxc
expect_text out '^burn-single_50_default_1: in lxc, '
if [ "$(nproc)" -ge 2 ]; then
	# A container has a load of its own; on the host half of the machine is the background's.
	run "$experiments/colocation" --dry-run -w burn-single -s neutral -t 2 --in native,lxc
	expect_text out '^native/.* -T from=47\.5%,to=2\.5%,.* -f workloads +: --free --pin neutral --part 0/2 : --pin neutral --part 1/2$'
	expect_text out '^lxc/.* -T from=95%,to=5%,step=15%,hold=142m --log-interval 20m --log-power --when-one-ends=stop +: --free --pin neutral '
	run "$experiments/colocation" --dry-run -s dynamic --in lxc
	expect_trouble '^tools/experiments/colocation: --schemes: dynamic moves workloads on the host alone'
fi
run "$experiments/accuracy" --dry-run --in docker
expect_trouble "^tools/experiments/accuracy: --in: 'docker' is none of native, lxc, qemu$"
run "$experiments/accuracy" --dry-run --in lxc,lxc
expect_trouble '^tools/experiments/accuracy: --in: lxc is given twice$'
run "$experiments/accuracy" --dry-run --in ,
expect_trouble "^tools/experiments/accuracy: --in: '' is none of native, lxc, qemu$"
run "$experiments/traces" --dry-run --in lxc
expect_trouble "^tools/experiments/traces: unexpected argument '--in'"
run "$experiments/accuracy" --publish --in native,lxc -o nothing
expect_trouble '^tools/experiments/accuracy: --publish: expected one environment$'
run "$environment" start lxc .
expect_trouble "^tools/experiments/environment: found 'start', expected missing, make, run or remove"
run "$environment" run docker .
expect_trouble "^tools/experiments/environment: there is no environment 'docker', expected native, lxc or qemu$"
run "$environment" run native .
expect_trouble '^tools/experiments/environment: run: there is no file .*/sides$'
run "$environment" missing native
expect_status 0
expect_lines out 0

# ---- The driver ---------------------------------------------------------------------------------------------------------------

# new_run KIND: a folder for two sides, of which the second has a quota.
new_run() {
	rm -rf run
	mkdir run
	printf 'one\t%s\t1\t-\ntwo\tall\t%s\t0.5\n' "$(processor)" "$(nproc)" >run/sides
	printf '%s\n%s\n' "$source" "$build" >run/visible
}
processor() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status
}
groups_left() {
	find /sys/fs/cgroup -type d -name '*showstopper-*' 2>/dev/null | grep -F -- "-$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)-"
}
# Processes whose command line has this folder or the name of its environments. A zombie has none.
processes_of() {
	printf '%s\nshowstopper-%s-\n' "$1" "$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)" >patterns
	grep -laFf patterns /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3
}
nothing_left() {
	[ -z "$(processes_of "$1")" ] && [ -z "$(groups_left "$1")" ]
}
expect_nothing_left() {
	wait_until nothing_left "$1" || { processes_of "$1"; groups_left "$1"; }
}

# On the host, a group with a quota is there for workloads as long as the run.
new_run
# shellcheck disable=SC2016 # the inner shell's
echo 'group=$(cat two/group); echo $$ >"${group:-/dev/null}" && cat /proc/self/cgroup >seen; exit "$(cat code)"' >run/one.command
echo 0 >run/code
run "$environment" run native run
expect_status 0
if [ -s run/two/group ]; then
	cp run/two/group quota
	expect_text run/seen ':/showstopper-[0-9]+-two$'
	expect_text run/environment.txt '^Each side could use 0\.5 processors at a time, by a quota\.$'
else
	expect_text run/environment.txt '^Nothing kept a side to 0\.5 processors at a time: '
fi
expect_nothing_left "$work/run"
echo 3 >run/code
run "$environment" run native run
expect_status 1
# Not without its parent.
rm -r run/one
run "$environment" run native run 1
expect_status 143
[ ! -e run/one ] || fail "$what: ran without its parent"

run "$environment" missing lxc
if [ -s out ]; then
	if grep -q '^the package lxc' out; then missing lxc containers; else left_out "no containers: $(tr '\n' ' ' <out)"; fi
	finish
fi
# In a container of somebody else's there may be no room for others, and no quotas.
printf 'lxc.rootfs.path = dir:/\nlxc.net.0.type = empty\nlxc.apparmor.profile = unconfined\n' >trial.conf
if ! timeout 30 lxc-execute -n "showstopper-trial-$$" -P "$work" -f trial.conf -- true >trial 2>&1 </dev/null || [ ! -s quota ]; then
	skip "no containers with quotas: $(head -n 1 trial)"
fi
new_run
cat >run/one.command <<'END_OF_SIDE'
nproc >processors
touch "$HOME/written" /written 2>errors
date +%s.%N >began
exec sleep 1
END_OF_SIDE
# shellcheck disable=SC2016 # the inner shell's
printf 'date +%%s.%%N >began; echo "$START" >instant; exec %s/showstopper --dry-run -T 50%% true >what; exit 0\n' "$build" >run/two.command
run "$environment" make lxc run
expect_status 0
expect_text run/one/lxc.conf '^lxc\.rootfs\.options = ro$'
expect_text run/two/lxc.conf '^lxc\.cgroup(2\.cpu\.max = 50000 100000|\.cpu\.cfs_quota_us = 50000)$'
export HOME="$work"
run "$environment" run lxc run
expect_status 0
expect_text run/one/files/processors '^1$'
expect_text run/one/files/errors 'Read-only file system'
[ ! -e written ] || fail "$what: the host's files could be written"
expect_text run/two/files/instant '^[0-9]+\.[0-9]{3}$'
[ -s run/two/files/what ] || { fail "$what: showstopper said nothing"; cat run/two/messages.txt; }
expect_nothing_left "$work/run"
# What goes wrong in one ends the other.
echo 'echo oh dear >&2; exit 3' >run/two.command
echo 'exec sleep 100' >run/one.command
run "$environment" run lxc run
expect_status 1
expect_text run/two/messages.txt '^oh dear$'
expect_nothing_left "$work/run"

# The driver killed, and all its parents: containers end by themselves, their groups are removed by whoever comes next.
echo 'exec sleep 100' >run/two.command
rm -r run/one run/two
start_background "$environment" run lxc run
is_running() {
	[ -e run/one/start ] && [ -e run/two/start ]
}
has_no_process() {
	! processes_of "$1" | grep -qvx "$background"
}
wait_until is_running
kill -KILL "$(cat run/controller)"
wait_background
background=0
wait_until has_no_process "$work/run"
background=
run "$environment" remove lxc run
expect_status 0
expect_nothing_left "$work/run"

# ---- A batch ------------------------------------------------------------------------------------------------------------------

accuracy() {
	start_background "$experiments/accuracy" -B "$build" -w burn-single -l 50 -s default -t 2 -u 1 -c 0 --force --in lxc,native -o run/../batch "$@"
}
part=batch/lxc/runs/burn-single_50_default_1.part
is_in_container() {
	[ -s "$part/machine/files/iterations.0.csv" ]
}
accuracy
wait_until is_in_container
kill -KILL "$background"
wait_background
expect_nothing_left "$work/batch"
[ -d "$part" ] || fail "$what: there is no $part"
accuracy --resume
wait_background
expect_status 0
expect_lines out 3
expect_text out '^\[1/2\] lxc/burn-single_50_default_1, '
for label in native/runs/burn-single_50_default_1 lxc/runs/burn-single_50_default_1; do
	for file in command log.csv record.json record.csv iterations.0.csv; do
		[ -s "batch/$label/$file" ] || fail "$what: $label has no $file"
	done
done
expect_text batch/accuracy.md '^lxc: 1 of 1 runs are complete; the report is lxc/accuracy\.html\.$'
expect_text batch/lxc/accuracy.md '^Each side of a run was in a container of its own \(LXC\), of the same kernel\.$'
expect_text batch/lxc/accuracy.md '^\| 50 % \| [0-9]+ samples? \| [0-9]+ samples? \|( [0-9.]* \|)?$'
expect_nothing_left "$work/batch"
# What one environment lacks does not cost the other its report.
rm batch/lxc/accuracy.md
: >batch/native/runs/burn-single_50_default_1/log.csv
accuracy --report
wait_background
expect_status 1
expect_text err '^tools/experiments/accuracy: no report of the runs in native could be written$'
[ -s batch/lxc/accuracy.md ] || fail "$what: there is no report of lxc"

finish
