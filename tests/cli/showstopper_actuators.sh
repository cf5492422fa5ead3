#!/bin/sh
# SPDX-License-Identifier: MIT
# Hands other than signals: what they do to workloads, that nothing stays held and no group stays, whoever is killed, and where they
# are refused.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

marked() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'
}
none_is_left() { [ -z "$(marked)" ]; }
state() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }
parent() { sed 's/.*) . //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }
has_text() { grep -q -- "$2" "$1" 2>/dev/null; }

# begin OPTION…: a run in the background, of which $folder is that of its groups.
begin() {
	# shellcheck disable=SC2086 # words
	start_background env "TEST_MARK=$work" $through showstopper -v -a "$hand" -A "version=$version" -r 1h "$@"
	wait_until has_text err '^showstopper: control groups: '
	folder=$(sed -n "s/^showstopper: control groups: version $version, in //p" err | head -n 1)
	[ -d "$folder" ] || fail "$what: no folder '$folder'"
	wait_until has_members "$folder/0"
}
has_members() { grep -q . "$1/cgroup.procs" 2>/dev/null; }
is_frozen() {
	if [ "$version" -eq 2 ]; then grep -qx 'frozen 1' "$1/cgroup.events"; else grep -qx FROZEN "$1/freezer.state"; fi 2>/dev/null
}
runs() {
	if [ "$version" -eq 2 ]; then grep -qx 0 "$1/cgroup.freeze"; else grep -qx THAWED "$1/freezer.state"; fi 2>/dev/null
}
group_is_gone() { [ ! -e "$folder" ]; }
expect_clean() {
	wait_until none_is_left
	wait_until group_is_gone
}
end_in_group() {
	kill -TERM "$background"
	wait_background
	expect_status 143
	wait_until group_is_gone
}
end() {
	end_in_group
	expect_clean
}
# limit_of INDEX: quota and period of the group, in us; quota -1: none.
limit_of() {
	if [ "$version" -eq 2 ]; then
		sed 's/max/-1/' "$folder/$1/cpu.max"
	else
		printf '%s %s\n' "$(cat "$folder/$1/cpu.cfs_quota_us")" "$(cat "$folder/$1/cpu.cfs_period_us")"
	fi
}
is_limited() { # INDEX QUOTA PERIOD
	[ "$(limit_of "$1")" = "$2 $3" ]
}
is_unlimited() {
	case $(limit_of "$1") in -1' '*) ;; *) return 1 ;; esac
}
is_held() {
	if [ "$hand" = freezer ]; then is_frozen "$folder/0"; else ! is_unlimited 0; fi
}
has_grown() { [ "$(wc -l <"$folder/0/cgroup.procs")" -ge 6 ]; }
# begin_tree OPTION…: the same as begin, of workloads with a tree, which has grown.
begin_tree() {
	begin -T 5% -c open "$@" sh -c '(setsid sh -c "sleep 1000 & sleep 1000" &) ; sleep 1000 & sleep 1000 & wait'
	wait_until has_grown
	wait_until is_held
	guardian=$background
	master=$(pgrep -P "$guardian")
	# shellcheck disable=SC2034 # by its name
	executor=$(executors | head -n 1)
}
leave_group() {
	[ -n "$inside" ] || return 0
	echo $$ >"$outside/cgroup.procs"
	# Who has ended may be on its way out still.
	is_removed() { rmdir "$inside" 2>/dev/null; }
	wait_until is_removed
	inside=
}
executors() { pgrep -P "$master"; }

# A run all of whose processes are killed at once; $left is the folder of its groups.
die_at_once() {
	begin_tree -n 1
	kill -STOP "$guardian" "$master"
	hold() {
		kill -STOP "$executor"
		is_held && return 0
		kill -CONT "$executor"
		return 1
	}
	wait_until hold
	kill -KILL "$executor" "$master" "$guardian"
	wait_background
	# But for the moment in which one of it dies.
	wait_until is_held
	left=$folder
}
# expect_said LEAST: the run said of so many processes, or more, that it has killed them in $left.
expect_said() {
	expect_text err "^showstopper: killed [0-9]+ processes that a dead run had left in the control group $left\$"
	said=$(sed -n 's/^showstopper: killed \([0-9]*\) process.*/\1/p' err | head -n 1)
	[ "${said:-0}" -ge "$1" ] || fail "$what: said that it killed ${said:-0} processes, expected $1 or more"
}
# others_stay: what is called as a run's and has no record, nobody but its owner ends, and its group stays.
others_stay() {
	left=
	for name in showstopper-mine showstopper-1234-567-0; do
		mkdir "$inside/$name" "$inside/$name/0"
		[ -z "$through" ] || chown -R 65534 "$inside/$name"
		$through sleep 1000 &
		echo $! >"$inside/$name/0/cgroup.procs"
		left="$left $!"
	done
	mkdir "$inside/showstopper-1234-567-1"
	begin -T 100% -c open -n 1 sleep 1000
	end
	expect_no_text err 'killed'
	[ -e "$inside/showstopper-1234-567-1" ] || fail "$what: showstopper-1234-567-1 of others is gone"
	for process in $left; do
		kill -0 "$process" 2>/dev/null || fail "$what: a process of others was killed"
	done
	for name in showstopper-mine showstopper-1234-567-0; do
		[ "$(wc -l <"$inside/$name/0/cgroup.procs")" -eq 1 ] || fail "$what: nobody is in $name/0 any more"
	done
	# shellcheck disable=SC2086 # numbers
	kill $left 2>/dev/null
	are_removed() {
		rmdir "$inside"/showstopper-*/0 "$inside"/showstopper-* 2>/dev/null
		! ls -d "$inside"/showstopper-* >/dev/null 2>&1
	}
	wait_until are_removed
}
# What a dead run left goes with the next one, which says so.
dead_run_goes() {
	die_at_once
	[ -n "$(marked)" ] || fail "$what: no process is left to be removed"
	for process in $(marked); do
		case $(state "$process") in T) fail "$what: process $process is stopped, and not held otherwise" ;; esac
	done
	begin -T 100% -c open -n 1 sleep 1000
	[ ! -e "$left" ] || fail "$what: $left was not removed"
	# Its first process may have died with its executor.
	expect_said 5
	end
}
# A run that sees other process numbers can't kill it, and doesn't let it go.
hidden_run_stays() {
	if ! unshare -pf --mount-proc true 2>/dev/null; then
		left_out "no PID namespace can be had ($hand, version $version)"
		return
	fi
	die_at_once
	run unshare -pf --mount-proc showstopper -q -a "$hand" -A "version=$version" -T 1 -r 1s sleep 10
	expect_lines err 0
	is_held || fail "$what: what it can't kill was let go"
	begin -T 100% -c open -n 1 sleep 1000
	expect_said 5
	[ ! -e "$left" ] || fail "$what: $left was not removed"
	end
}
can_be_user() { [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && $user test -x "$build/showstopper"; }
# The same by an ordinary user, to whom the group belongs. Root leaves alone what is the user's.
as_user() {
	if ! can_be_user; then
		left_out "no other user can be had ($hand, version $version)"
		return
	fi
	chown 65534 "$inside" "$inside/cgroup.procs"
	through=$user
	others_stay
	dead_run_goes
	die_at_once
	through=
	begin -T 100% -c open -n 1 sleep 1000
	end_in_group
	expect_no_text err 'killed'
	[ -e "$left/0" ] || fail "$what: root removed $left, which is a user's"
	through=$user
	begin -T 100% -c open -n 1 sleep 1000
	expect_said 5
	[ ! -e "$left" ] || fail "$what: $left was not removed"
	end
	through=
	chown 0 "$inside" "$inside/cgroup.procs"
}

through=
# Whose records other tests of that user don't see.
runtime=$work/runtime
mkdir "$runtime"
chown 65534 "$runtime" 2>/dev/null
user="setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_RUNTIME_DIR=$runtime"
hand=freezer

# ---- Refused ------------------------------------------------------------------------------------------------------------------

sleep 100 &
run showstopper -T 50% -a freezer --attach $!
kill $!
expect_trouble "^showstopper: (--attach: actuator module 'freezer' starts workloads in control groups, .*: expected -a signals, or --attach-group|actuator module 'freezer': no control group can be made .*)$"
run showstopper -T 50% -a freezer -A version=3 touch started
expect_trouble "^showstopper: actuator module 'freezer': -A: option 'version': '3' is malformed: expected any, 1 or 2"
if can_be_user; then
	# shellcheck disable=SC2086 # words
	run $user showstopper -T 50% -a freezer touch started
	expect_trouble "^showstopper: actuator module 'freezer': no control group can be made .*: expected root, or a group of one's own: systemd-run --user --scope -p Delegate=yes showstopper"
	# shellcheck disable=SC2086
	run $user showstopper -T 50% -a freezer --dry-run touch started
	expect_trouble "^showstopper: actuator module 'freezer': no control group can be made "
else
	left_out 'no other user can be had, who may not make groups'
fi
[ ! -e started ] || fail 'a workload was started'

# ---- Where groups can be made -------------------------------------------------------------------------------------------------

tried=0
inside=
trap '[ -z "$background" ] || kill -KILL "$background"; leave_group; cd /; rm -rf "$work"' EXIT
# Goes into a group of its own: runs of other tests remove what dead runs have left beside them. False where none can be had.
enter_group() {
	run showstopper -T 50% -a "$hand" -A "version=$version" --dry-run true
	if [ "$status" -ne 0 ]; then
		left_out "$hand, version $version of control groups: $(cat err)"
		return 1
	fi
	tried=$((tried + 1))
	expect_text out "^control groups: version $version, in /"
	outside=$(sed -n "s/^control groups: version $version, in //p" out)
	inside=$outside/test-actuators.$$
	mkdir "$inside" || fail "can't make $inside"
	echo $$ >"$inside/cgroup.procs" || fail "can't enter $inside"
}
for version in 1 2; do
	enter_group || continue

	# Held without a signal: no process of it is stopped, and all of it stands still.
	begin -T 0 -c open -n 2 sh -c 'trap "echo continued >>continued" CONT; (setsid sleep 1000 &) ; while :; do sleep 0.05; done'
	wait_until is_frozen "$folder/0"
	wait_until is_frozen "$folder/1"
	# shellcheck disable=SC2013 # numbers
	for process in $(cat "$folder/0/cgroup.procs" "$folder/1/cgroup.procs"); do
		case $(state "$process") in T) fail "$what: process $process is stopped" ;; esac
	done
	[ ! -e continued ] || fail "$what: a workload was sent SIGCONT"
	# Who thaws it finds it frozen again.
	if [ "$version" -eq 2 ]; then echo 0 >"$folder/0/cgroup.freeze"; else echo THAWED >"$folder/0/freezer.state"; fi
	wait_until is_frozen "$folder/0"
	end

	# Warm-up, a pause, and what runs uncontrolled beside.
	begin -T 0 -c open -w 1h -n 1 sleep 1000 : --free -n 1 sleep 1000
	wait_until runs "$folder/0"
	kill -TSTP "$background"
	wait_until is_frozen "$folder/0"
	wait_until is_frozen "$folder/1"
	kill -CONT "$background"
	wait_until runs "$folder/0"
	wait_until runs "$folder/1"
	end

	# Started again, in the same group.
	rm -f lives
	begin -T 20% -c open --when-one-ends=respawn -n 1 sh -c 'echo life >>lives; sleep 0.1'
	three_lives() { [ -e lives ] && [ "$(wc -l <lives)" -ge 3 ]; }
	wait_until three_lives
	end

	# A run of its whole length, with epochs; CPU time is counted.
	run env "TEST_MARK=$work" showstopper -f workloads -T 30% -a freezer -A "version=$version" -r 2s --export-json record.json -n 1 ssburn -p single
	expect_status 0
	expect_text record.json '"name": "freezer"'
	expect_text err '^workloads. CPU time  *[0-9.]+ s'
	expect_no_text err '^workloads. CPU time  *0.00 s'
	wait_until none_is_left

	# ---- Killed -----------------------------------------------------------------------------------------------------------
	# The master before the guardian: an executor that is told to end, and has ended by then, looks after its own group alone.
	for victims in executor master 'master guardian executor'; do
		begin_tree --grace 200m -n 2
		for victim in $victims; do eval "kill -KILL \$$victim"; done
		wait_background
		expect_clean
	done

	# Many executors at once: what each had held may die only when its own group is let go.
	begin -T 0 -c open -n 9 sleep 1000
	all_are_frozen() {
		for group in 0 1 2 3 4 5 6 7 8; do is_frozen "$folder/$group" || return 1; done
	}
	wait_until all_are_frozen
	master=$(pgrep -P "$background")
	from=$(date +%s)
	# shellcheck disable=SC2046
	kill -KILL $(executors | tail -n 8)
	wait_background
	expect_status 125
	took=$(($(date +%s) - from))
	[ "$took" -le 3 ] || fail "$what: it took $took s until all that 8 executors had held was gone"
	expect_clean

	# A run within a run, of which all are killed but the outer guardian and master.
	begin -T 100% -c open --grace 200m -n 1 showstopper -q -a freezer -A "version=$version" -T 0 -c open -n 1 sleep 1000
	has_inner() { inner=$(find "$folder/0" -mindepth 2 -type d -name 0) && [ -n "$inner" ] && has_members "$inner" && is_frozen "$inner"; }
	wait_until has_inner
	guardian=$background
	master=$(pgrep -P "$guardian")
	# shellcheck disable=SC2046
	kill -KILL $(executors)
	wait_background
	expect_clean

	# All at once: nobody is left who could thaw and remove. What stays is removed by the next run, and nothing else is.
	dead_run_goes
	others_stay
	hidden_run_stays
	as_user

	# In a PID namespace of its own.
	run showstopper --contain=pidns -T 50% --dry-run true
	if [ "$status" -eq 0 ]; then
		begin_tree --contain=pidns -n 1
		kill -KILL "$executor"
		wait_background
		expect_status 125
		expect_clean
	else
		left_out 'PID namespaces are not permitted'
	fi
	leave_group
done
# ---- Limited ------------------------------------------------------------------------------------------------------------------

# Version 2 limits only below a group without processes, in which this shell is: tests/vm/cases/v2-actuators.sh.
hand=quota version=1
if enter_group; then
	# The duty cycle of one thread, of three (on as many processors as there are), and the least that the kernel takes; none in the warm-up.
	begin -A period=20m,version=1 -T 50% -c open -n 1 sleep 1000 : -n 1 -- sh -c 'sleep 1000 & sleep 1000 & wait' : --free -n 1 sleep 1000
	wait_until is_limited 0 10000 20000
	[ "$(nproc)" -lt 2 ] || wait_until is_limited 1 $(($(nproc) > 2 ? 30000 : 20000)) 20000
	# Who lifts it, as a run around this one may have to, finds it limited again.
	echo -1 >"$folder/0/cpu.cfs_quota_us"
	wait_until is_limited 0 10000 20000
	is_unlimited 2 || fail "$what: what is free has the limit $(limit_of 2)"
	# Nothing of it ever stands still, but in a pause.
	process=$(head -n 1 "$folder/0/cgroup.procs")
	is_stopped() { [ "$(state "$process")" = T ]; }
	goes_on() { [ "$(state "$process")" = S ]; }
	goes_on || fail "$what: a workload is in state $(state "$process")"
	kill -TSTP "$background"
	wait_until is_stopped
	kill -CONT "$background"
	wait_until goes_on
	wait_until is_limited 0 10000 20000
	end
	# No more than who started it may use.
	through="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
	begin -A period=20m,version=1 -T 50% -c open -n 1 -- sh -c 'sleep 1000 & sleep 1000 & wait'
	wait_until is_limited 0 10000 20000
	end
	through=
	# Nobody is told of a step.
	rm -f continued
	begin -A interval=1m,version=1 -T 10% -c open -n 1 sh -c 'trap "echo continued >>continued" CONT; while :; do :; done'
	wait_until is_limited 0 2000 20000
	sleep 0.5
	[ ! -e continued ] || [ "$(wc -l <continued)" -le 2 ] || fail "$what: a workload was sent $(wc -l <continued) SIGCONTs"
	end
	begin -T 0 -c open -w 1h -n 1 sleep 1000
	is_unlimited 0 || fail "$what: the limit $(limit_of 0) in the warm-up"
	end
	begin -T 0 -c open -n 1 sleep 1000
	wait_until is_limited 0 1000 1000000
	end
	# Started again in the same group, with the limit.
	rm -f lives
	begin -T 20% -c open --when-one-ends=respawn -n 1 sh -c 'echo life >>lives; sleep 0.1'
	wait_until three_lives
	wait_until is_limited 0 4000 20000
	end
	# … at once, and not with the next step.
	rm -f lives
	begin -A interval=1h,version=1 -T 20% -c open --when-one-ends=respawn -n 1 sh -c 'echo life >>lives; exec sleep 1.1'
	two_lives() { [ -e lives ] && [ "$(wc -l <lives)" -ge 2 ]; }
	wait_until two_lives
	wait_until is_limited 0 4000 20000
	end
	run env "TEST_MARK=$work" showstopper -f workloads -T 30% -a quota -r 2s --export-json record.json -n 1 ssburn -p single
	expect_status 0
	expect_text record.json '"name": "quota"'
	expect_no_text err '^workloads. CPU time  *0.00 s'
	wait_until none_is_left
	# The master before the guardian: an executor that is told to end, and has ended by then, looks after its own group alone.
	for victims in executor master 'master guardian executor'; do
		begin -T 0 -c open --grace 200m -n 2 sh -c '(setsid sh -c "sleep 1000 & sleep 1000" &) ; sleep 1000 & wait'
		wait_until is_limited 0 1000 1000000
		guardian=$background
		master=$(pgrep -P "$guardian")
		# shellcheck disable=SC2034 # by its name
		executor=$(executors | head -n 1)
		for victim in $victims; do eval "kill -KILL \$$victim"; done
		wait_background
		expect_clean
	done
	dead_run_goes
	others_stay
	as_user
	leave_group
fi

[ "$tried" -gt 0 ] || skip 'control groups can be made nowhere'

finish
