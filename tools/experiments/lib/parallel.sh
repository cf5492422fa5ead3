# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The tasks of a batch (lib/cluster.sh) on machines that are reached by ssh, one at a time on each, by GNU parallel. Sourced by lib/batch.sh.

# How many processors each of them has: the same number.
ask_logins() {
	parallel --version 2>/dev/null | grep -q '^GNU parallel' || trouble '--parallel: GNU parallel is missing'
	counts=$(parallel --will-cite --nonall --sshlogin "$logins" nproc) || trouble "--parallel: not all of $logins could be asked for their processors"
	processors=$(printf '%s\n' "$counts" | sort -u)
	case $processors in
	*[!0-9]*) trouble "--parallel: these machines have $(printf '%s\n' "$processors" | paste -s -d , | sed 's/,/ and /g') processors; choose some of one kind" ;;
	esac
}

parallel_command() { # TASK...
	printf 'parallel --will-cite --sshlogin %s--jobs 1 --workdir %s--termseq TERM,10000,KILL,25 ' "$(quoted_words "$logins")" "$(quoted_words "$PWD")"
	quoted_words "$(task_command) {}"
	printf '::: %s\n' "$*"
}

parallel_interrupted() { # STATUS
	trap '' INT TERM HUP
	# At the first it waits for what it has begun.
	kill -TERM "$controller" 2>/dev/null
	sleep 0.2
	kill -TERM "$controller" 2>/dev/null
	wait "$controller" 2>/dev/null
	end_tasks >/dev/null
	printf '\ninterrupted; --resume goes on\n' >&2
	exit "$1"
}

run_by_parallel() {
	end_tasks >/dev/null
	left=$(tasks_left "$temporary/tasks")
	[ -n "$left" ] || return 0
	trap 'parallel_interrupted 130' INT
	trap 'parallel_interrupted 143' TERM HUP
	# shellcheck disable=SC2086 # numbers
	parallel_command $left >"$output/cluster/script"
	sh "$output/cluster/script" >"$output/cluster/parallel.txt" 2>&1 &
	controller=$!
	while kill -0 "$controller" 2>/dev/null; do
		collect
		sleep 1
	done
	wait "$controller"
	controller=
	trap - INT TERM HUP
}
