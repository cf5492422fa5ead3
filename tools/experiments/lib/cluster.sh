# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A batch on many machines that share a folder: what its tasks are, what one of them does on its node, and how their runs come together. Sourced by
# lib/batch.sh; lib/slurm.sh and lib/parallel.sh hand the tasks out.
#
# A task is some runs of the list, which stay on one node. Each attempt at one has a folder of its own, $output/cluster/TASK.NODE.ATTEMPT, that looks like
# the output of a small batch. No two programs write the same file, so that a task may die at any time and be begun again elsewhere; and
# only runs that are complete there are taken over.

quoted_words() {
	for word do
		quoted "$word"
		printf ' '
	done
}

is_on_cluster() {
	[ "$slurm" = yes ] || [ -n "$logins" ]
}

# Who does the runs, and for how many processors the list is made: those of the machines that do them.
choose_machines() {
	if is_on_cluster; then
		[ "$slurm" = no ] || [ -z "$logins" ] || trouble '--slurm and --parallel: expected one of them'
		[ "$environments" = native ] || trouble '--in: expected native beside --slurm or --parallel'
		[ "$simulated" = no ] || trouble 'what is simulated runs here alone; leave out --slurm or --parallel'
	fi
	if [ -n "$nodes_processors" ]; then
		processors=$nodes_processors
	elif [ -e "$output/cluster/processors" ]; then
		processors=$(cat "$output/cluster/processors")
		is_on_cluster || [ "$report_only" = yes ] || trouble "$output was begun on other machines; go on there, with --slurm or --parallel"
	elif [ "$slurm" = yes ]; then
		ask_slurm
	elif [ -n "$logins" ]; then
		ask_logins
	fi
}

# What would be handed out.
show_tasks() { # LIST
	case $output in /*) ;; *) output=$PWD/$output ;; esac
	: "${build:=$root/build/demo}"
	make_tasks "$1" >"$temporary/tasks"
	left=$(tasks_left "$temporary/tasks")
	if [ "$slurm" = yes ]; then
		slurm_script "$(printf '%s\n' "$left" | paste -s -d ,)" "$(longest_task "$temporary/tasks" "$1")"
	else
		# shellcheck disable=SC2086 # numbers
		parallel_command $left
	fi
}

# What is compared stays together: TASK and label of each run of a list, in its order.
make_tasks() { # LIST
	awk -F "$tab" -v OFS="$tab" -v per="$per_node" '{
		split($1, part, "_")
		key = per == "workload" ? $2 : per == "setting" ? part[3] : $1
		if (!(key in task)) task[key] = ++tasks
		print task[key], $1
	}' "$1"
}

# Numbers of the tasks that have something left to do.
tasks_left() { # TASKS
	while IFS=$tab read -r number label; do is_complete "$label" || echo "$number"; done <"$1" | sort -nu
}

# Minutes that the longest of them takes, with some to spare.
longest_task() { # TASKS LIST
	while IFS=$tab read -r number label; do is_complete "$label" || printf '%s\t%s\n' "$number" "$label"; done <"$1" |
		awk -F "$tab" -v pause="$cool_down" 'NR == FNR { seconds[$1] = $4 + $5 + 1 + pause; next } { sum[$1] += seconds[$2] }
			END { for (task in sum) if (sum[task] > most) most = sum[task]; printf "%d", most * 1.25 / 60 + 3 }' "$2" -
}

# How a node is told to do a task, whose number follows.
task_command() {
	quoted_words env "SHOWSTOPPER_WORKLOADS=${SHOWSTOPPER_WORKLOADS-}"
	printf '%s--build %s--output %s--processors %s --task' "$called" "$(quoted_words "$build")" "$(quoted_words "$output")" "$processors"
}

# ---- On a node -----------------------------------------------------------------------------------------------------------

# Whether a run is complete, be it that nobody has taken it over yet.
is_made() { # LABEL
	for made in "$whole/runs/$1" "$whole/cluster"/*/runs/"$1"; do
		if [ -d "$made" ]; then return 0; fi
	done
	return 1
}

# Runs on machines of two kinds can't be compared, save where that was asked for.
check_kind() { # LABEL...
	[ "$per_node" != any ] || return 0
	own=$(kind_of "$output/machine.txt")
	for label do
		there=$whole/runs/$label
		[ -e "$there/machine.txt" ] || continue
		[ "$(kind_of "$there/machine.txt")" = "$own" ] ||
			trouble "$label was made on $(cat "$there/node"), another kind of machine than $node;" \
				"runs of one $per_node stay on one kind: choose that node, or --per-node any"
	done
}

# The task of this process, in a folder of its own. $failed says how many of its runs failed.
run_task() {
	node=${SLURMD_NODENAME:-$(uname -n)}
	here=$(nproc)
	[ "$here" -eq "$processors" ] ||
		trouble "$node has $here processors for this job, and the list is for $processors; choose nodes of one kind, by --slurm=--constraint=... or --nodelist=..."
	whole=$output
	output=$whole/cluster/$task.$node.${SLURM_JOB_ID:-$$}-${SLURM_RESTART_COUNT:-0}
	mkdir -p "$output/runs" || trouble "can't make $output"
	echo "$node" >"$output/node"
	: >"$output/joblog"
	prepare_workloads
	if command -v prepare_runs >/dev/null; then prepare_runs || trouble "can't prepare the runs"; fi
	check_idle
	describe_machine >"$output/machine.txt"
	labels=$(make_tasks "$whole/runs.tsv" | sed -n "s/^$task$tab//p")
	# shellcheck disable=SC2086 # labels
	check_kind $labels
	for label in $labels; do is_made "$label" || echo "$label"; done >"$temporary/wanted"
	# The whole list, so that the joblog has the numbers of the whole batch.
	cp "$whole/runs.tsv" "$output/runs.tsv" || trouble "can't write to $output"
	is_complete() { [ -d "$output/runs/$1" ] || ! grep -qxF -e "$1" "$temporary/wanted"; }
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM HUP
	run_all
}

# ---- In front of them -----------------------------------------------------------------------------------------------------

# Whether a log tells that its run stood still: that its own clock or its rows have a gap.
was_suspended() { # LOG
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ time = $column["time_s"]; clock = $column["monotonic_s"] }
		NR > 2 && (clock - last_clock - (time - last_time) > 0.1 || clock - last_clock > 3) { exit found = 1 }
		{ last_time = time; last_clock = clock }
		END { exit !found }' "$1"
}

# Takes over what has come to an end since it was asked for last.
collect() {
	for folder in "$output"/cluster/*/runs/*; do
		label=${folder##*/} of_task=${folder%/runs/*}
		case $label in '*' | *.part) continue ;; esac
		cp "$of_task/node" "$of_task/machine.txt" "$folder" || trouble "can't write $folder"
		node=$(cat "$of_task/node")
		case $label in
		*.failed) say="${label%.failed} failed on $node: $(grep -v 'the run goes on' "$folder/messages.txt" | head -n 1)" ;;
		*) say="$label is complete, on $node" ;;
		esac
		# Another attempt, on a node that was thought to be lost, may have been quicker.
		if is_complete "${label%.failed}"; then
			rm -rf "$folder"
			continue
		fi
		if [ "$label" = "${label%.failed}" ] && was_suspended "$folder/log.csv"; then
			say="$label was suspended on $node, and doesn't count"
			label=$label.failed
		fi
		rm -rf "$output/runs/${label%.failed}.failed"
		mv -T "$folder" "$output/runs/$label" || trouble "can't keep $folder"
		printf '%s\n' "$say"
	done
}

# When nobody is at work any more: attempts become lines of the joblog, and their folders go.
end_tasks() {
	collect
	for folder in "$output"/cluster/*.*.*/; do
		[ -e "$folder/joblog" ] || continue
		awk -F "$tab" -v OFS="$tab" -v node="$(cat "$folder/node")" '{ $2 = node; print }' "$folder/joblog"
	done | sort -t "$tab" -k 3,3g >>"$output/joblog"
	rm -rf "$output"/cluster/*.*.*/
	machines_of_runs >"$output/machine.txt"
	failed=0
	while IFS=$tab read -r label _; do is_complete "$label" || failed=$((failed + 1)); done <"$output/runs.tsv"
	[ "$failed" -eq 0 ] || printf '%d of %d runs are not complete; --resume takes them up\n' "$failed" "$(wc -l <"$output/runs.tsv")"
}

# The batch on many machines, from its beginning or where it stopped.
run_on_cluster() {
	mkdir -p "$output/cluster" || trouble "can't make $output/cluster"
	echo "$processors" >"$output/cluster/processors"
	hand_out=run_by_slurm
	[ "$slurm" = yes ] || hand_out=run_by_parallel
	make_tasks "$output/runs.tsv" >"$temporary/tasks"
	$hand_out
	end_tasks
}

# ---- What they ran on -------------------------------------------------------------------------------------------------------

# One line, the same for machines of one kind.
kind_of() { # MACHINE.TXT
	grep -Ev '^(date|load before the first run): ' "$1" | paste -s -d ';' | sed 's/;/; /g'
}

# KIND and node of each complete run.
kinds_of_runs() {
	for label in $(complete_runs); do
		[ -e "$output/runs/$label/node" ] || continue
		printf '%s\t%s\n' "$(kind_of "$output/runs/$label/machine.txt")" "$(cat "$output/runs/$label/node")"
	done
}

machines_of_runs() {
	kinds_of_runs | awk -F "$tab" '
		{ if (!($1 in nodes)) order[++kinds] = $1; if (!seen[$1, $2]++) nodes[$1] = nodes[$1] " " $2; runs[$1]++ }
		END { for (i = 1; i <= kinds; i++) {
			print "nodes:" nodes[order[i]] " (" runs[order[i]] " runs)"
			count = split(order[i], line, "; ")
			for (l = 1; l <= count; l++) print line[l]
		} }'
}

# What a report says first, where its runs are of several kinds of machines.
report_machines() {
	report_text "$(kinds_of_runs | awk -F "$tab" '
		{ if (!($1 in nodes)) order[++kinds] = $1; if (!seen[$1, $2]++) nodes[$1] = nodes[$1] (nodes[$1] == "" ? "" : ", ") $2; runs[$1]++ }
		END {
			if (kinds < 2) exit
			printf "These runs were made on %d kinds of machines, and what differs between those is no effect of a setting: ", kinds
			for (i = 1; i <= kinds; i++) printf "%s%d runs on %s (%s)", (i > 1 ? "; " : ""), runs[order[i]], nodes[order[i]], order[i]
			print "."
		}')"
}
