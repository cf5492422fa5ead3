#!/bin/sh
# SPDX-License-Identifier: MIT
# --contain=pidns, as who runs this and, if that is root, also as an unprivileged user: what the workloads see and report is as without;
# when all of Showstopper is killed at once, nothing of them is left.
# shellcheck disable=SC2016,SC2317 # commands of the workloads' shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
capable=
trap 'end_all; cd /; rm -rf "$work" "$capable"' EXIT

for value in '' pid PIDNS pidns,none yes; do
	run showstopper -T 50% --contain="$value" touch started
	expect_trouble "^showstopper: --contain: '$value' is malformed: expected none or pidns"
done
run showstopper -T 50% --contain=none --dry-run true
expect_status 0
expect_no_text out containment

# ---- Helpers ------------------------------------------------------------------------------------------------------------------

# marked: the numbers of all living processes with the mark, which everything that is started here inherits.
marked() {
	grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ | sed 's,/proc/,,; s,/environ,,'
}
none_is_left() {
	[ -z "$(marked)" ]
}
end_all() {
	for process in $(marked); do kill -KILL "$process"; done 2>/dev/null
}
# field N PID: a field of /proc/PID/stat counted from the state, 1; the parent is 2.
field() {
	sed 's/.*) //' "/proc/$2/stat" 2>/dev/null | cut -d ' ' -f "$1"
}
children() {
	for process in $(marked); do
		for parent in "$@"; do
			[ "$(field 2 "$process")" != "$parent" ] || echo "$process"
		done
	done
}
# What is left a while after; the promise is a second, a busy machine gets ten.
expect_none_left() {
	for _ in $(seq 100); do
		if none_is_left; then return; fi
		sleep 0.1
	done
	for process in $(marked); do
		fail "$what: left behind: $process $(field 1 "$process") $(tr '\0' ' ' <"/proc/$process/cmdline")"
	done
	end_all
}

# start ARG…: showstopper in the background as $as, all that it starts marked. Sets $guardian.
start() {
	# shellcheck disable=SC2086 # $as is a command with arguments, or nothing
	start_background env "TEST_MARK=$work" $as showstopper "$@"
	guardian=$background
}
# Sets $master, $executors, $inits (or the workloads' first processes, without containment).
look() {
	master=$(children "$guardian")
	# shellcheck disable=SC2086 # lists
	executors=$(children $master)
	# shellcheck disable=SC2086
	inits=$(children $executors)
}
# all_have_state STATES NAMES: all marked processes of the workloads have one of these states.
all_have_state() {
	seen=
	for process in $(marked); do
		grep -q "$2" "/proc/$process/comm" 2>/dev/null || continue
		seen=yes
		case $(field 1 "$process") in
		[$1]) ;;
		*) return 1 ;;
		esac
	done
	[ "$seen" ]
}

# ---- The cases ----------------------------------------------------------------------------------------------------------------

# same_as_without ARG…: status, output and messages of a run don't tell whether it is contained.
same_as_without() {
	# shellcheck disable=SC2086
	run $as showstopper -q -T 100% -c open "$@"
	mv out out.none
	mv err err.none
	without=$status
	# shellcheck disable=SC2086
	run $as showstopper --contain=pidns -q -T 100% -c open "$@"
	[ "$status" -eq "$without" ] || fail "$what: status $status, without containment $without"
	cmp -s out out.none || { fail "$what: other output than without containment"; diff out.none out; }
	cmp -s err err.none || { fail "$what: other messages than without containment"; diff err.none err; }
}

same_behaviour() {
	for script in 'exit 0' 'exit 7' 'kill -SEGV $$' 'kill -KILL $$' 'kill -TERM $$' 'kill $$; sleep 10' 'sleep 0.1; exit 3' \
		'(sleep 0.2; echo late) & exit 4' 'setsid sh -c "sleep 0.2; echo late" & exit 5' 'kill 0; exit 1' 'kill -KILL 0'; do
		same_as_without -n 1 sh -c "$script"
	done
	printf '#!/nonexistent/interpreter\n' >no_interpreter
	printf '\0' >no_program
	chmod 755 no_interpreter no_program
	same_as_without -n 1 ./no_interpreter
	[ "$status" -eq 127 ] || fail "$what: status $status, expected 127"
	same_as_without -n 1 --chdir / "$work/no_program"
	same_as_without -n 1 --chdir 'no_folder.%' true
	[ "$status" -eq 125 ] || fail "$what: status $status, expected 125"
	same_as_without -n 1 --stdout /nonexistent/file true
	same_as_without --ignore-failures -n 1 sh -c 'exit 7'
	# What they get.
	umask 027
	same_as_without -n 1 sh -c 'echo "$SHOWSTOPPER_INSTANCE"; pwd; umask; ulimit -a; nice; id; cat /proc/self/oom_score_adj
		readlink /proc/self/fd/0; ls /proc/self/fd; grep -E "^(Cap|Sig[BIC]|NoNew|Seccomp:|Cpus_allowed_list)" /proc/self/status
		cat /proc/$$/cgroup; cat /proc/self/timerslack_ns; ls -l /proc/$$/exe | sed "s/.*->//"'
	umask 022
	# shellcheck disable=SC2086
	printf 'word\n' | timeout -k 5 "$limit" $as showstopper --contain=pidns -q -T 100% -c open -n 1 cat >out 2>err
	what='standard input'
	expect_text out '^word$'
	# The number of the first process, which has a /proc that agrees; others can't be seen.
	# shellcheck disable=SC2086
	run $as showstopper --contain=pidns -q -T 100% -c open -n 1 \
		sh -c 'echo $$ $PPID "$(readlink /proc/self/ns/pid | grep -c pid)"; cat /proc/1/comm; ls -d /proc/[0-9]* | wc -l'
	expect_text out '^2 1 1$'
	expect_text out '^pidns-init$'
	expect_text out '^[345]$'
}

# A workload that can't be held by its group or session: one with another parent in a session of its own, one that is stopped besides,
# and one that is stopped in a session of its own with a parent.
escaping='setsid sh -c "sleep 1001 & : >escaped.%" & (setsid sh -c "kill -STOP \$\$; sleep 1002" &)
	setsid sh -c "kill -STOP \$\$" & (trap "" TERM HUP; sleep 1003) & : >ready.%; wait; sleep 1004'
are_ready() {
	[ -e ready.0 ] && [ -e ready.1 ] && [ -e escaped.0 ] && [ -e escaped.1 ]
}

# All of Showstopper's own processes at once: none of them can clean up. Children first: the kernel continues the stopped group of the
# master when the guardian dies.
kill_all_at_once() {
	for target in 0 100%; do # stopped, and running
		rm -f ready.* escaped.*
		start "$@" -q -t stream -c open -n 2 sh -c "$escaping"
		# shellcheck disable=SC2086
		wait_until $as showstopper --set 100% "$guardian" 2>/dev/null
		wait_until are_ready
		if [ "$target" = 0 ]; then
			# shellcheck disable=SC2086
			run $as showstopper --set 0 "$guardian"
			expect_status 0
			wait_until all_have_state T sleep
		fi
		look
		for signal in STOP KILL; do
			# shellcheck disable=SC2086 # a list
			kill -"$signal" $executors $master "$guardian" || fail "$what: can't send SIG$signal to '$guardian', '$master' and '$executors'"
		done
		wait_background
		[ "$status" -eq 137 ] || fail "$what: ended with status $status"
	done
}

ends() {
	# The init stays as it is while all others stop and go on, those that have left included. Long epochs, in step, to be able to look.
	rm -f ready.* log
	start --contain=pidns -q -T 50% -c open -d averageq -D 2s,jitter=0 -r 9s -o log --log-interval 250m -n 2 \
		sh -c '(setsid sh -c "while :; do :; done" &) ; sleep 1000 & : >ready.%; wait'
	wait_until has_records 3
	wait_until all_have_state T '^\(sh\|sleep\)$'
	look
	for process in $inits; do
		[ "$(cat "/proc/$process/comm")" = pidns-init ] || fail "$what: the child of an executor is $(cat "/proc/$process/comm")"
		[ "$(field 1 "$process")" = S ] || fail "$what: the init has state $(field 1 "$process")"
	done
	wait_until all_have_state SRD '^\(sh\|sleep\)$'
	wait_until all_have_state T '^\(sh\|sleep\)$'
	wait_background
	expect_status 0
	expect_none_left
	awk -F, 'NR > 1 && ($4 < 0 || $4 > 1 || $6 < 0 || $6 > 1 || $7 < 0 || $7 > 2) { wrong = 1 } NR > 1 { duty += $6 }
		END { exit !(!wrong && NR > 11 && duty / (NR - 1) > 0.45 && duty / (NR - 1) < 0.55) }' log ||
		{ fail "$what: the log is not what it should be"; cat log; }
	# Under feedback.
	rm -f log
	# shellcheck disable=SC2086
	run $as showstopper --contain=pidns -T 50% -r 3s -o log -n 2 ssburn
	expect_status 0
	expect_text err '^target load +50.00 %'
	awk -F, 'NR > 1 && ($4 < 0 || $4 > 1 || $6 < 0 || $6 > 1) { wrong = 1 } END { exit !(!wrong && NR > 3) }' log ||
		{ fail "$what: the log is not what it should be"; cat log; }
	# CPU time of what was killed counts, that of what lost its parent, too.
	# shellcheck disable=SC2086
	run $as showstopper --contain=pidns -T 100% -c open -r 2s --grace 0 -n 1 \
		sh -c 'trap "" TERM HUP; (setsid sh -c "while :; do :; done" &) ; while :; do :; done'
	expect_status 0
	expect_text err "^workloads' CPU time  ([1-9]|0\.[1-9])"
	# Interrupted.
	for signal in INT:130 TERM:143 HUP:129; do
		rm -f ready.* escaped.*
		# shellcheck disable=SC2086
		run env "TEST_MARK=$work" timeout --preserve-status -s "${signal%:*}" 2 $as showstopper --contain=pidns --grace 100m -q -T 100% \
			-c open -n 2 sh -c "$escaping"
		expect_status "${signal#*:}"
		expect_none_left
	done
	rm -f ready.*
	start --contain=pidns -q -T 100% -c open --grace 1h -n 2 sh -c 'trap "" TERM; : >ready.%; : >escaped.%; while :; do sleep 0.05; done'
	wait_until are_ready
	kill -TERM "$guardian"
	sleep 0.3
	kill -0 "$guardian" || fail "$what: the grace period was not kept"
	kill -HUP "$guardian"
	look
	# The init alone: as if the workload had been killed. Its executor and the others see it through.
	kill -KILL "$(echo "$inits" | head -n 1)"
	kill -KILL "$(echo "$inits" | tail -n 1)"
	wait_background
	expect_status 143
	expect_none_left
	# One part at a time.
	for victim in guardian:137 master:125 executor:125 init:1; do
		rm -f ready.* escaped.*
		start --contain=pidns -q -T 100% -c open -r 1M -n 2 sh -c "$escaping"
		wait_until are_ready
		look
		case $victim in
		guardian:*) kill -KILL "$guardian" ;;
		master:*) kill -KILL "$master" ;;
		executor:*) kill -KILL "$(echo "$executors" | head -n 1)" ;;
		init:*) for process in $inits; do kill -KILL "$process"; done ;;
		esac
		wait_background
		expect_status "${victim#*:}"
		expect_none_left
	done
	expect_text err '^showstopper: workload [01] was killed by signal 9'
}

try_as() {
	as=$1
	# shellcheck disable=SC2086
	run $as showstopper --check-machine
	expect_status 0
	expect_text out '^containment: +(available: --contain=pidns|unavailable: can.t )'
	if ! grep -q '^containment: *available' out; then
		grep '^containment' out
		# shellcheck disable=SC2086
		run $as showstopper --contain=pidns -T 50% touch started
		expect_trouble '^showstopper: --contain=pidns: can.t '
		[ ! -e started ] || fail "$what: started a workload"
		return
	fi
	# shellcheck disable=SC2086
	run $as showstopper -T 50% --contain=pidns --dry-run true
	expect_status 0
	expect_text out '^containment: pidns$'
	same_behaviour
	kill_all_at_once --contain=pidns
	expect_none_left
	ends
}

# refused REASON COMMAND…: where it is not permitted, said once, before anything is started.
refused() {
	expected=$1
	shift
	run "$@"
	expect_trouble "^showstopper: --contain=pidns: $expected"
	[ ! -e started ] || fail "$what: started a workload"
}

chmod 777 "$work"
try_as ''
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$build/showstopper"; then
	try_as 'setpriv --reuid 65534 --regid 65534 --clear-groups'
	# The same user and a program with capabilities, where another process maps the user. It trusts no modules that
	# others may change.
	capable=$(mktemp -d)
	cp "$build/showstopper" "$capable"
	cp -r "$build/modules" "$capable"
	chmod -R go+rX,go-w "$capable"
	if setcap cap_sys_nice+ep "$capable/showstopper" 2>/dev/null; then
		try_as "setpriv --reuid 65534 --regid 65534 --clear-groups env PATH=$capable:$PATH"
	elif command -v setcap >/dev/null; then
		left_out "files in $capable can't have capabilities"
	else
		missing libcap2-bin
	fi
else
	left_out 'as another user: it takes root, and a build that others may execute'
fi

# That all of it dies is the containment's doing.
as=
kill_all_at_once --contain=none
sleep 1
if none_is_left; then fail "$what: nothing is left without containment either: what does this test?"; fi
end_all

if unshare -Ur true 2>/dev/null; then
	refused "can't make a PID namespace: .*; a limit of namespaces" \
		unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_pid_namespaces; exec showstopper --contain=pidns -T 50% touch started'
	refused "can't make a PID namespace: .*; a limit of namespaces" unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set=-all --inh-caps=-all showstopper --contain=pidns -T 50% touch started'
	if unshare -Urm mount -t tmpfs none /proc/irq 2>/dev/null; then
		refused "can't mount a /proc of its own: .*; parts of /proc may be hidden" unshare -Urm sh -c 'mount -t tmpfs none /proc/irq
			exec setpriv --bounding-set=-sys_admin --inh-caps=-all showstopper --contain=pidns -T 50% touch started'
	else
		left_out 'mounts in a user namespace are not permitted'
	fi
else
	left_out 'user namespaces are not permitted'
fi
if [ "$(id -u)" -eq 0 ]; then
	refused "can't map its user into a user namespace: .*; it takes root" \
		setpriv --bounding-set=-sys_admin,-setfcap --inh-caps=-all showstopper --contain=pidns -T 50% touch started
	# Within a user namespace it gets no capability that it did not have without.
	as='setpriv --bounding-set=-sys_admin,-net_admin --inh-caps=-all'
	same_as_without -n 1 grep -E '^Cap(Prm|Eff|Bnd)' /proc/self/status
else
	left_out 'what root without some capabilities may do'
fi

finish
