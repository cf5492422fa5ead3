# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A fleet from its start to its end: nodes are gathered, the moment is agreed on, and it is watched who goes on. Sourced by tools/experiments/fleet.

tab=$(printf '\t')

fleet_srun() {
	list=
	[ "$anonymous" = yes ] || list="--nodelist=$(printf '%s\n' "$nodes" | paste -s -d ,) "
	survive='--no-kill --kill-on-bad-exit=0 --wait=0'
	[ "$dying" = go-on ] || survive='--kill-on-bad-exit=0 --wait=0'
	printf 'srun --job-name=showstopper-fleet --nodes=%s --ntasks=%s --ntasks-per-node=1 --exclusive --mem=0 %s%s %s%s --agent %s\n' "$count" "$count" "$list" \
		"$survive" "${slurm_options:+$slurm_options }" "$(quoted "$experiments/fleet")" "$(quoted "$output")"
}

refuse() {
	echo "$*" >"$output/refused"
	stop_srun
	rm -rf "$output/nodes" "$output/agents"
	trouble "$*"
}

# Agents that are there: NODE NUMBER PROCESSORS AHEAD KNOWN JOB, one a line.
agents_there() {
	for file in "$output"/agents/*; do
		case $file in *.new | *.clock | *'*') ;; *) cat "$file" ;; esac
	done
}

stop_srun() {
	job=$(agents_there | awk '{ print $6; exit }')
	[ "${job:-0}" = 0 ] || scancel "$job" 2>/dev/null
	kill -TERM "$srun" 2>/dev/null
	kill -TERM "$srun" 2>/dev/null
	wait "$srun" 2>/dev/null
}

interrupted() { # STATUS
	trap '' INT TERM HUP
	echo interrupted >"$output/refused"
	stop_srun
	printf '\ninterrupted\n' >&2
	exit "$1"
}

missing_nodes() {
	[ "$anonymous" = no ] || return 0
	for node in $nodes; do [ -e "$output/agents/$node" ] || printf ', %s is missing' "$node"; done
}

gather_nodes() {
	first=
	while :; do
		touch "$output/alive"
		there=$(agents_there | wc -l)
		[ "$there" -lt "$count" ] || return 0
		kill -0 "$srun" 2>/dev/null || refuse "srun ended before all nodes were there: $(tail -n 1 "$output/srun.txt")"
		now=$(date +%s)
		[ "$there" -eq 0 ] || : "${first:=$now}"
		if [ -n "$first" ] && [ $((now - first)) -gt "$gather" ]; then
			refuse "only $there of $count nodes came within $gather s of the first$(missing_nodes)"
		fi
		sleep 0.2
	done
}

# The clocks of all against that of the folder. What is not known better than to some ms is taken from the difference.
check_clocks() {
	agents_there | awk -v apart="$apart" '
		{ if (NR == 1 || $4 > high) { high = $4; late = $1; of_late = $5 } if (NR == 1 || $4 < low) { low = $4; early = $1; of_early = $5 } }
		END {
			difference = 1000 * (high - low)
			printf "%.1f\n", difference
			if (difference - 1000 * (of_late + of_early) > apart)
				printf "the clock of %s is %.0f ms ahead of that of %s, and %d ms at most are accepted (--apart)\n", late, difference, early, apart
		}' >"$output/clocks"
	said=$(sed -n 2p "$output/clocks")
	[ -z "$said" ] || refuse "$said"
}

# Which agent is which node of the traces.
place_agents() {
	if [ "$anonymous" = yes ]; then
		agents_there | sort -k 2,2n | awk '{ print $1, "node" NR, $3 }'
	else
		agents_there | awk '{ print $1, $1, $3 }'
	fi >"$temporary/places"
	for node in $nodes; do
		mkdir -p "$output/nodes/$node" || trouble "can't make $output/nodes/$node"
		awk -v node="$node" '$2 == node { print $1 }' "$temporary/places" >"$output/nodes/$node/machine"
		[ -s "$output/nodes/$node/machine" ] || refuse "$node didn't come; another node did"
	done
	awk '{ print $2, $3 }' "$temporary/places" >"$temporary/processors"
}

is_over() { # NODE
	[ -e "$output/nodes/$1/status" ]
}

# A node is dead when it wrote no row for a while, though all should write them.
watch_nodes() { # MOMENT
	: >"$output/dead"
	rm -rf "$temporary/rows" && mkdir "$temporary/rows"
	while kill -0 "$srun" 2>/dev/null; do
		sleep 1
		now=$(date +%s)
		running=0
		for node in $nodes; do
			if is_over "$node" || grep -qx "$node" "$output/dead"; then continue; fi
			running=$((running + 1))
			rows=$(wc -l 2>/dev/null <"$output/nodes/$node/log.csv" || echo 0)
			read -r before since 2>/dev/null <"$temporary/rows/$node" || before=-1 since=$now
			if [ "$rows" != "$before" ] || [ "$now" -le $((${1%.*} + warm_up + 1)) ]; then
				echo "$rows $now" >"$temporary/rows/$node"
			elif [ $((now - since)) -ge "$lost" ]; then
				echo "$node" >>"$output/dead"
				printf '%s is dead: no row for %d s\n' "$node" "$lost" >&2
				[ "$dying" = go-on ] || return 0
			fi
		done
		[ "$running" -gt 0 ] || return 0
	done
}

# Returns 0, or 1 when a node failed or died.
start_fleet() {
	command -v srun >/dev/null || trouble 'there is no srun here; --simulate needs none'
	rm -rf "$output/agents" "$output/go" "$output/refused"
	mkdir -p "$output/agents"
	fleet_srun >"$output/srun"
	sh "$output/srun" >"$output/srun.txt" 2>&1 &
	srun=$!
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM HUP
	gather_nodes
	touch "$output/alive"
	check_clocks
	place_agents
	write_traces "$temporary/processors"
	# Enough to write all commands and for the slowest to see it; showstopper refuses a moment that has passed.
	moment=$(date +%s.%N | awk -v count="$count" '{ printf "%d.0", $1 + 4 + count / 20 }')
	for node in $nodes; do write_command "$node" "$moment" >"$output/nodes/$node/command"; done
	mv "$temporary/places" "$output/go.new" && mv "$output/go.new" "$output/go" || trouble "can't write $output/go"
	printf '%d nodes begin at @%s; their clocks are %s ms apart\n' "$count" "$moment" "$(head -n 1 "$output/clocks")"
	watch_nodes "$moment"
	if [ -s "$output/dead" ]; then stop_srun; else wait "$srun"; fi
	trap - INT TERM HUP
	failed=0
	for node in $nodes; do
		if [ "$(cat "$output/nodes/$node/status" 2>/dev/null)" = 0 ]; then
			log_is_whole "$output/nodes/$node/record.csv" && continue
		fi
		failed=$((failed + 1))
		[ ! -s "$output/nodes/$node/messages.txt" ] || printf '%s: %s\n' "$node" "$(head -n 1 "$output/nodes/$node/messages.txt")" >&2
	done
	rm -rf "$output/agents" "$output/go" "$output/alive"
	[ "$failed" -eq 0 ]
}

# A process per node, as many at a time as there are processors.
simulate_fleet() {
	for node in $nodes; do
		mkdir -p "$output/nodes/$node"
		echo "$node $simulated_processors"
	done >"$temporary/processors"
	write_traces "$temporary/processors"
	number=0
	for node in $nodes; do
		number=$((number + 1))
		printf 'exec %s -q -p %s -W %s -n %s --seed %d -t file -T trace,speed=%s -w %ss%s %s -o log.csv\n' "$(quoted "$build/sssim")" "$simulated_processors" \
			"$(quoted "$(line_of "$node")")" "$simulated_processors" "$number" "$speed" "$warm_up" "${time:+ -r ${time}s}" "$base" >"$output/nodes/$node/command"
	done
	: >"$output/dead"
	printf '%s\n' "$nodes" | xargs -P "$(nproc)" -I @ sh -c 'cd "$1/nodes/$2" && sh command 2>messages.txt; echo $? >status' fleet "$output" @
	failed=0
	for node in $nodes; do
		[ "$(cat "$output/nodes/$node/status")" = 0 ] && continue
		failed=$((failed + 1))
		printf '%s: %s\n' "$node" "$(head -n 1 "$output/nodes/$node/messages.txt")" >&2
	done
	[ "$failed" -eq 0 ]
}
