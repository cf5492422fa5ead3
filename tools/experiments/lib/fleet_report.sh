# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The report of a fleet. Sourced by tools/experiments/fleet.

report_machines() { :; }

report_fleet() {
	set --
	while IFS="$(printf '\t')" read -r node _; do
		# Of two rows at least, the header and one.
		[ "$(wc -l 2>/dev/null <"$output/nodes/$node/log.csv" || echo 0)" -ge 2 ] && set -- "$@" -l "$node" "$output/nodes/$node/log.csv"
	done <"$output/nodes.tsv"
	[ $# -gt 0 ] || trouble 'no node has a log'
	"$build/ssreport" fleet -o "$output/fleet.csv" -o "$output/fleet.svg" "$@" || return 1
	report_begin 'A fleet'
	report_text "$(fleet_sentence)"
	report_picture fleet.svg 'Above, the load of each node over time, the greater the darker; below, the load of all against their targets'
	report_heading 'Nodes'
	report_text 'Loads in per cent, errors in percentage points (pp) and pp². All together are a share of the whole fleet, in which each node counts alike.'
	awk -F, 'NR == 1 { print "node,began late ms,end s,target %,load %,mean error pp,MSE pp²"; next }
		{ printf "%s,%s,%.1f,%.2f,%.2f,%+.2f,%.2f\n", $1, ($3 == "" ? "" : sprintf("%.1f", $3)), $4, 100 * $6, 100 * $7, $8, $9 }' \
		"$output/fleet.csv" >"$output/fleet-shown.csv" || return 1
	report_table "$output/fleet-shown.csv"
	printf '</html>\n' >>"$html"
	printf 'Report: %s\n' "$output/fleet.html"
}

# How it went, in words: the whole, the worst, the starts, who died and when.
fleet_sentence() {
	died=$(paste -s -d ' ' "$output/dead" 2>/dev/null)
	apart=$(head -n 1 "$output/clocks" 2>/dev/null)
	awk -F, -v asked="$(wc -l <"$output/nodes.tsv")" -v dead="$died" -v clocks="$apart" '
		NR == 1 { next }
		$1 == "all together" { target = 100 * $6; load = 100 * $7; error = $8; whole = $4; next }
		{
			nodes++
			size = $8 < 0 ? -$8 : $8
			if (size >= most) { most = size; worst = $1; of_worst = $8 }
			if ($3 != "") { known = 1; if ($3 + 0 > late) late = $3 + 0 }
			ends[$1] = $4
		}
		END {
			printf "%d nodes", nodes
			if (nodes < asked) printf " of %d (the others have no log)", asked
			printf ": together they were to take %.2f %% and took %.2f %% (mean error %+.2f pp). ", target, load, error
			printf "The worst node is %s, with a mean error of %+.2f pp. ", worst, of_worst
			if (known) printf "The last one began %.1f ms after the first.", late
			else printf "The logs tell no wall clock; all are taken to have begun together."
			if (clocks != "") printf " Before, their clocks were %s ms apart, as far as the shared folder shows.", clocks
			count = split(dead, name, " ")
			for (i = 1; i <= count; i++) printf " %s died: its log ends at %.1f s of %.1f s.", name[i], ends[name[i]], whole
		}' "$output/fleet.csv"
}
