# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The nodes of a fleet: which there are, what each follows and runs. Sourced by tools/experiments/fleet. $temporary/trace.NODE, share.NODE and line.NODE
# are what the command line says of a node.

check_name() { # OPTION NODE
	case $2 in '' | .* | *[!A-Za-z0-9._-]*) trouble "$1: '$2': expected the name of a node" ;; esac
}

quoted_command() {
	for word do printf '%s ' "$(quoted "$word")"; done | sed 's/ $//'
}

# Names of nodes of files PREFIX.NODE, one a line.
named_by() { # PREFIX
	for file in "$temporary/$1".*; do
		[ ! -e "$file" ] || printf '%s\n' "${file#"$temporary/$1".}"
	done
}

# Sets $nodes, a list, or for a total that any nodes share, $count and the places node1, node2...
choose_nodes() {
	anonymous=no
	if [ -n "$total" ]; then
		[ -z "$traces$(named_by trace)" ] || trouble '--total: expected no --trace and no --traces beside it'
		[ -r "$total" ] || trouble "--total: can't read $total"
		case $wanted in
		'') trouble '--total: expected --nodes, their names or how many' ;;
		*[!0-9]*) nodes=$(printf '%s\n' "$wanted" | tr , '\n') ;;
		*)
			number_from --nodes "$wanted" 1
			[ -z "$(named_by share)$(named_by line)" ] || trouble '--nodes: expected names, as --share and --command name some'
			nodes=$(seq "$wanted" | sed 's/^/node/')
			anonymous=yes
			;;
		esac
	else
		[ -z "$(named_by share)" ] || trouble '--share: expected --total beside it'
		if [ -n "$traces" ]; then
			for file in "$traces"/*.trace; do
				[ -r "$file" ] || trouble "--traces: found no $traces/NODE.trace that can be read"
				node=${file##*/}
				node=${node%.trace}
				check_name --traces "$node"
				[ -e "$temporary/trace.$node" ] || printf '%s\n' "$file" >"$temporary/trace.$node"
			done
		fi
		nodes=$(named_by trace)
		[ -n "$nodes" ] || trouble 'expected what nodes follow: --trace, --traces or --total'
		[ -z "$wanted" ] || nodes=$(printf '%s\n' "$wanted" | tr , '\n')
	fi
	for node in $nodes; do
		check_name --nodes "$node"
		[ -n "$total" ] || [ -e "$temporary/trace.$node" ] || trouble "$node: expected --trace $node=FILE"
	done
	for node in $(named_by share) $(named_by line); do
		printf '%s\n' "$nodes" | grep -qxF "$node" || trouble "$node is none of the nodes: $(printf '%s\n' "$nodes" | paste -s -d ,)"
	done
	count=$(printf '%s\n' "$nodes" | wc -l)
	[ "$(printf '%s\n' "$nodes" | sort -u | wc -l)" -eq "$count" ] || trouble '--nodes: a node is given twice'
	check_traces
}

trace_of() { # NODE
	if [ -n "$total" ]; then echo "$total"; else cat "$temporary/trace.$1"; fi
}
line_of() { # NODE
	if [ -e "$temporary/line.$1" ]; then cat "$temporary/line.$1"; else printf '%s\n' "$what_runs"; fi
}
share_of() { # NODE
	cat "$temporary/share.$1" 2>/dev/null || echo 1
}

check_traces() {
	for node in $nodes; do
		"$build/sstrace" --check "$(trace_of "$node")" || exit 125
		[ -z "$total" ] || break
	done
}

# The trace of each node into its folder. Of a total, each takes so much more or less that the sum over all, each by its processors, is what was asked.
write_traces() { # PROCESSORS: a file with NODE and number
	for node in $nodes; do
		"$build/sstrace" --text "$(trace_of "$node")" >"$output/nodes/$node/trace" || exit 125
		printf '%s\t%s\t%s\n' "$node" "$(awk -v node="$node" '$1 == node { print $2 }' "$1")" "$(share_of "$node")"
	done >"$output/nodes.tsv.new"
	if [ -n "$total" ]; then
		awk -F "$tab" -v OFS="$tab" '{ line[NR] = $0; share[NR] = $3; all += $2; weighed += $2 * $3 }
			END { for (i = 1; i <= NR; i++) print line[i], share[i] * all / weighed }' "$output/nodes.tsv.new" >"$output/nodes.tsv.factor"
		while IFS=$tab read -r node _ _ factor; do
			awk -v factor="$factor" '
				$2 !~ /^[0-9.]/ { print; next }
				$2 * factor > 1.000001 { print $2 * factor >"/dev/stderr"; exit 1 }
				{ $2 *= factor; printf "%s %.9f\n", $1, ($2 > 1 ? 1 : $2) }' \
				"$output/nodes/$node/trace" >"$output/nodes/$node/trace.new" 2>"$temporary/most" ||
				trouble "--share: $node would have a load of $(awk '{ printf "%.0f", 100 * $1 }' "$temporary/most") % for its share of --total; expected 100 % at most"
			mv "$output/nodes/$node/trace.new" "$output/nodes/$node/trace"
		done <"$output/nodes.tsv.factor"
		rm -f "$output/nodes.tsv.factor"
	fi
	mv "$output/nodes.tsv.new" "$output/nodes.tsv"
}

# In the folder of its node; the moment is put in when it is known.
write_command() { # NODE MOMENT
	printf 'exec %s -q --start-at @%s -t file -T trace,speed=%s -w %ss%s ' "$(quoted "$build/showstopper")" "$2" "$speed" "$warm_up" "${time:+ -r ${time}s}"
	printf '%s ' -o log.csv --export-json record.json --export-csv record.csv --stdout /dev/null --stderr errors.txt --grace 2s
	printf '%s -- sh -c %s\n' "$base" "$(quoted "exec $(line_of "$1")")"
}

show_nodes() {
	for node in $nodes; do printf '%s: %s, %s\n' "$node" "$(trace_of "$node")" "$(line_of "$node")"; done
	if [ "$simulated" = no ]; then fleet_srun; fi
}
