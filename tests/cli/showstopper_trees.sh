#!/bin/sh
# SPDX-License-Identifier: MIT
# Every descendant of a workload is stopped, continued and in the end terminated with it, whatever it does to get away; and whoever else
# stops or continues a workload doesn't keep it so.
# shellcheck disable=SC2016,SC2317 # commands of other shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
trap 'end_all; cd /; rm -rf "$work"' EXIT
# All that is started inherits the mark.
TEST_MARK=$work
export TEST_MARK
tree=$build/tests/faults_workload

# The numbers of the living processes of workloads: those that have the mark and a number of their instance.
members() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | xargs -r grep -lsz '^SHOWSTOPPER_INSTANCE=' | sed 's,/proc/,,; s,/environ,,'
}
state() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null
}
# Whether there are processes of workloads, at least $1, and all that are still there stand still (t: held by the tracer of the leak sanitizer).
all_stand_still() {
	found=$(members)
	[ "$(echo "$found" | grep -c .)" -ge "$1" ] || return 1
	for process in $found; do
		case $(state "$process") in T | t | Z | '') ;; *) return 1 ;; esac
	done
}
# At least $1 of them don't.
run_on() {
	running=0
	for process in $(members); do
		case $(state "$process") in T | t | Z | '') ;; *) running=$((running + 1)) ;; esac
	done
	[ "$running" -ge "$1" ]
}
end_all() {
	for process in $(members); do kill -KILL "$process"; done 2>/dev/null
}
expect_none_left() {
	wait_until members_are_gone || end_all
}
members_are_gone() {
	[ -z "$(members)" ]
}

# ---- Stopped, continued, terminated -------------------------------------------------------------------------------------------

# The trace says when: free, so that the tree can grow, then stopped, then everything runs.
cat >trace <<END
interpolate step
0 free
1s 0
30s 1
1d 1
END
jobs='"$0" half & "$0" half & while :; do "$0" brief; done'

# What comes before showstopper.
through=
# follow LEAST COMMAND…: of each of two workloads there are at least so many processes.
follow() {
	least=$((2 * $1))
	shift
	# shellcheck disable=SC2086 # words
	start_background $through showstopper -q -t file -T trace -c open -n 2 --grace 5s "$@"
	wait_until all_stand_still "$least"
	# They stay so, but for what is forked in the very moment.
	sleep 1
	wait_until all_stand_still "$least"
	kill -TERM "$background"
	wait_background
	expect_status 143
	expect_none_left
}
follow 1 "$tree" single
follow 8 "$tree" tree
follow 3 "$tree" chain
follow 4 "$tree" stubborn
follow 1 "$tree" brood
follow 3 bash -m -c "$jobs" "$tree"

# The first process ends, its children don't; nor do those of a parent that died.
left_behind='(setsid sleep 1000 & sleep 1000 &) ; sleep 1000 & exit 0'
follow 3 sh -c "$left_behind"

# The same where the kernel keeps no lists of children.
run "$build/tests/without_lists" true
if [ "$status" -eq 0 ]; then
	through=$build/tests/without_lists
	run "$through" showstopper --check-machine
	expect_text out '^children: +unavailable: '
	follow 8 "$tree" tree
	follow 3 sh -c "$left_behind"
	through=
else
	left_out "no filter of system calls can be set: $(cat err)"
fi

# Continued: after the stop all run again.
sed -i 's/^30s/2s/' trace
start_background showstopper -q -t file -T trace -c open -n 2 "$tree" tree
wait_until all_stand_still 16
wait_until run_on 16
kill -TERM "$background"
wait_background
expect_status 143
expect_none_left

# ---- Somebody else's signals --------------------------------------------------------------------------------------------------

# The first process of the only workload.
first() {
	members | head -n 1
}
first_is() {
	[ "$(state "$(first)")" = "$1" ]
}
start_background showstopper -q -T 0 -c open -n 1 sleep 1000
wait_until all_stand_still 1
for again in 1 2 3; do
	kill -CONT "$(first)"
	wait_until first_is T || fail "$what: continued by somebody else ($again)"
done
kill -TERM "$background"
wait_background
expect_none_left

for duty in 100% 50%; do
	start_background showstopper -q -T "$duty" -c open -n 1 sleep 1000
	wait_until run_on 1
	for again in 1 2 3; do
		kill -STOP "$(first)"
		wait_until first_is S || fail "$what: stopped by somebody else ($again)"
	done
	kill -TERM "$background"
	wait_background
	expect_none_left
done

# A batch system suspends the whole job, and continues it.
start_background showstopper -q -r 4s -T 50% -c open -n 2 sleep 1000
wait_until run_on 1
all=$(grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,')
kill -TSTP "$background"
wait_until all_stand_still 2
for process in $all; do
	case $(cat "/proc/$process/comm" 2>/dev/null) in showstopper | sleep) kill -STOP "$process" ;; esac
done
sleep 1
for process in $all; do
	case $(cat "/proc/$process/comm" 2>/dev/null) in showstopper | sleep) kill -CONT "$process" ;; esac
done
wait_until run_on 1
wait_background
expect_status 0
expect_none_left

# ---- The time of day ----------------------------------------------------------------------------------------------------------

# It may jump: no timing depends on it but that of --start-at. It may be shown: in the record of a run, in each row of a log, and in cpuload's table.
grep -rnE 'CLOCK_REALTIME|CLOCK_TAI|gettimeofday|[^a-z_]time\(NULL\)|[^a-z_](alarm|setitimer|ftime)\(' \
	"$source"/src "$source"/modules "$source"/include "$source"/tools/*/*.c >clocks
sed -E 's,^.*/(src|modules|tools|include)/,\1/,; s,:[0-9]+:,:,; s,[[:blank:]]+, ,g' clocks | sort >found
sort >expected <<END
src/base/clock.h: const int64_t wall = clock_ns(CLOCK_REALTIME);
src/cli/options.c: const int64_t now_ns = clock_ns(CLOCK_REALTIME);
src/supervise/master.c: if (master->config->start_at_ns && (master->instant = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
src/supervise/master.c: master->started_s = time(NULL);
src/supervise/master_loop.c: const int64_t late_ns = clock_ns(CLOCK_REALTIME) - master->config->start_at_ns;
tools/cpuload/rows.c: clock_gettime(CLOCK_REALTIME, &now);
END
cmp -s found expected || {
	fail "uses of the time of day, < as it should be, > found:"
	diff expected found
}
# Waits that take it unless told otherwise.
grep -rlE 'pthread_cond_(timed|clock)wait|timer_create|timerfd_create' "$source"/src "$source"/modules "$source"/tools --include='*.c' |
	xargs -r grep -L CLOCK_MONOTONIC >others
[ ! -s others ] || { fail "waits on another clock:"; cat others; }
if grep -rnE 'sem_timedwait|pthread_mutex_timedlock|mq_timed' "$source"/src "$source"/modules "$source"/tools --include='*.c'; then
	fail "waits until a time of day"
fi

finish
