# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by programs that measure, to see what others do meanwhile: the machine's load less that of this script's processes, which are all of what is
# measured, whatever tool it is, and what measures it. Needs $build, where cpuload is, and trouble.
#   bursts_start FILE    reads the tree into a log of cpuload, from which lib/bursts.awk tells bursts; sets bursts_reader, its process
#   bursts_end           ends that, when it has read what came last
#   bursts_said ROWS [NAME]  of a CSV file with the columns samples and bursts (of its rows that begin with NAME): how many samples of how many met a
#                        burst, as a sentence
#   look_at_others       sets $other: the load in percent of two idle seconds, before anything is started

bursts_reader=

bursts_start() {
	: >"$1" || trouble "can't write $1"
	# Of the shell that runs the script, also when a function of it runs in another.
	"${build:?}/cpuload" -p $$ -o "$1" 500m &
	bursts_reader=$!
}

bursts_end() {
	[ -n "$bursts_reader" ] || return 0
	sleep 0.6
	kill -TERM "$bursts_reader" 2>/dev/null
	wait "$bursts_reader" 2>/dev/null
	bursts_reader=
}

look_at_others() {
	other=$("${build:?}/cpuload" 2s 1 | awk -F, '$3 ~ /^[0-9]/ { printf "%.1f", 100 * $3 }')
	[ -n "$other" ] || trouble "the load of this machine can't be measured"
}

bursts_said() {
	awk -F, -v name="${2-}" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		name != "" && $1 != name { next }
		$column["bursts"] == "" { unknown = 1 }
		{ samples += $column["samples"]; bursts += $column["bursts"] }
		END {
			if (!column["bursts"] || unknown || !samples) print "What others did meanwhile is unavailable."
			else if (!bursts) printf "None of %d samples met a burst of others.\n", samples
			else printf "%d of %d samples met a burst of others.\n", bursts, samples
		}' "$1"
}
