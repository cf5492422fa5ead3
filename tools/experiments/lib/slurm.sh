# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The tasks of a batch (lib/cluster.sh) as one job array of Slurm, with a node for each. Sourced by lib/batch.sh.

# How many processors a job of these options gets, by Slurm's own word.
ask_slurm() {
	command -v sbatch >/dev/null || trouble "--slurm: there is no sbatch here; where there is no Slurm, --parallel 'LOGIN,LOGIN' does the same by ssh"
	# shellcheck disable=SC2086 # words
	said=$(sbatch --test-only --nodes=1 --exclusive $slurm_options --wrap=true 2>&1)
	processors=$(printf '%s\n' "$said" | sed -n 's/^sbatch: Job .* using \([0-9]*\) processors .*/\1/p')
	[ -n "$processors" ] || trouble "--slurm: Slurm has no node for this: $(printf '%s\n' "$said" | tail -n 1)"
}

# On stdout; TASKS are numbers, separated by commas.
slurm_script() { # TASKS MINUTES
	cat <<END
#!/bin/sh
#SBATCH --job-name=showstopper-$experiment
#SBATCH --array=$1
#SBATCH --nodes=1 --exclusive --mem=0
#SBATCH --time=$2 --requeue
#SBATCH --chdir=$(quoted_words "$PWD")
#SBATCH --output=$(quoted_words "$output/cluster/%A_%a.txt") --open-mode=append
${slurm_options:+#SBATCH $slurm_options
}exec $(task_command) "\$SLURM_ARRAY_TASK_ID"
END
}

# While the controller doesn't answer, a job is taken to live.
job_lives() {
	states=$(squeue --noheader --jobs="$1" --format='%T (%r)' 2>&1) && {
		[ -n "$states" ]
		return
	}
	case $states in *'Invalid job id'*) return 1 ;; esac
	states='no answer from Slurm'
}

wait_for_job() {
	said_last=
	while job_lives "$job"; do
		collect
		said=$(printf '%s\n' "$states" | sed 's/ (None)$//' | sort | uniq -c | sed 's/^ *//' | paste -s -d , | sed 's/,/, /g')
		[ "$said" = "$said_last" ] || printf 'job %s: %s\n' "$job" "$said"
		said_last=$said
		sleep 1
	done
}

slurm_interrupted() { # STATUS
	trap '' INT TERM HUP
	scancel "$job"
	wait_for_job >/dev/null
	end_tasks >/dev/null
	printf '\ninterrupted, and job %s cancelled; --resume goes on\n' "$job" >&2
	exit "$1"
}

# A job that an earlier call left in the queue is waited for.
run_by_slurm() {
	job=$(cat "$output/cluster/job" 2>/dev/null)
	trap '[ -z "$job" ] || slurm_interrupted 130; exit 130' INT
	trap '[ -z "$job" ] || slurm_interrupted 143; exit 143' TERM
	trap 'printf "job %s goes on; --resume waits for it\n" "$job" >&2; exit 129' HUP
	if [ -n "$job" ] && job_lives "$job"; then
		printf 'job %s is under way; nothing else is submitted\n' "$job"
		wait_for_job
	else
		end_tasks >/dev/null
		left=$(tasks_left "$temporary/tasks" | paste -s -d ,)
		[ -n "$left" ] || return 0
		slurm_script "$left" "$(longest_task "$temporary/tasks" "$output/runs.tsv")" >"$output/cluster/script"
		job=$(sbatch --parsable "$output/cluster/script") || trouble "sbatch refused $output/cluster/script"
		job=${job%%;*}
		echo "$job" >"$output/cluster/job"
		printf 'job %s: tasks %s\n' "$job" "$left"
		wait_for_job
	fi
	rm -f "$output/cluster/job"
	trap - INT TERM HUP
}
