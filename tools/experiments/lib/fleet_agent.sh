# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What runs on each node of a fleet: it says that it is there, waits for the moment, and runs its command. Sourced by tools/experiments/fleet.

# By how much the clock of this node is ahead of that of the shared folder, and how well that is known: what the folder says of a file that is made
# between two readings of ours. Seconds; the best of some.
clock_of_folder() { # FILE
	for _ in 1 2 3 4 5; do
		rm -f "$1"
		before=$(date +%s.%N)
		: >"$1"
		after=$(date +%s.%N)
		made=$(stat -c %.9Y "$1")
		# Folders keep time in ticks, of up to 10 ms.
		printf '%s %s %s\n' "$before" "$after" "$made"
	done | awk '
		{
			half = ($2 - $1) / 2 + 0.005
			if (NR > 1 && half >= least) next
			least = half
			# In the middle of the two, and of a tick.
			ahead = ($1 + $2) / 2 - 0.005 - $3
		}
		END { printf "%.4f %.4f\n", ahead, least }'
	rm -f "$1"
}

# Gives up when who gathers the nodes is heard of no more, for a minute: it might have been killed.
wait_for_go() {
	unheard=0 heard=
	until [ -e go ] || [ -e refused ]; do
		now=$(stat -c %Y alive 2>/dev/null)
		if [ "$now" = "$heard" ]; then unheard=$((unheard + 1)); else unheard=0; fi
		heard=$now
		[ $unheard -lt 600 ] || exit 125
		sleep 0.1
	done
}

# agent OUTPUT: never returns.
agent() {
	node=${SLURMD_NODENAME:-$(uname -n)}
	id=${SLURM_PROCID:-0}
	mkdir -p "$1/agents" && cd "$1" || exit 125
	# NODE, number, processors, clock: as a whole or not at all.
	printf '%s %s %s %s %s\n' "$node" "$id" "$(nproc)" "$(clock_of_folder "agents/$node.clock")" "${SLURM_JOB_ID:-0}" >"agents/$node.new"
	mv "agents/$node.new" "agents/$node"
	wait_for_go
	[ ! -e refused ] || exit 125
	place=$(awk -v node="$node" '$1 == node { print $2 }' go)
	[ -n "$place" ] || exit 125
	cd "nodes/$place" || exit 125
	child=
	trap '[ -z "$child" ] || kill -TERM "$child"' TERM INT HUP
	sh command 2>messages.txt &
	child=$!
	wait "$child"
	ended=$?
	# A signal ends the first wait, not the child.
	while kill -0 "$child" 2>/dev/null; do
		wait "$child"
		ended=$?
	done
	echo "$ended" >status.new
	mv status.new status
	exit "$ended"
}
