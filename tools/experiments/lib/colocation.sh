# SPDX-License-Identifier: MIT
# The report of pairs of workloads: their pictures, interference, throughput and energy of the whole machine, another batch beside it; and what of it is
# published. Sourced by colocation. Labels of runs are foreground_background_scheme_repetition.

# environment_of LABEL BATCH: in what it was run.
environment_of() {
	[ ! -e "$2/runs.tsv" ] || awk -F '\t' -v label="$1" '$1 == label { print $6 }' "$2/runs.tsv"
}

# log_of LABEL [BATCH]: the control log of a run, with the load of the background's processors.
log_of() {
	of_run=${2-$output}/runs/$1
	scheme=${1%_*}
	environment=$(environment_of "$1" "${2-$output}")
	if ! is_unpinned "${scheme##*_}"; then
		printf '%s\n' "$of_run/log.csv"
		return
	fi
	# Measured was the share of the whole machine, of which one half is the background's. It may take more than that for a moment; cut off there, its
	# mean would be too low where the load is high.
	awk -F, -v OFS=, 'NR == 1 { print $0, "capacity"; next } { print $0, 0.5 }' "$of_run/log.csv" >"$of_run/background-log.csv"
	printf '%s\n' "$of_run/background-log.csv"
}

list() { # WORDS, as one word
	printf '%s' "$1" | sed 's/ *$//; s/ /, /g'
}

# Usable runs of a foreground, a background and a scheme; * is any.
runs_of() {
	awk -F_ -v foreground="$1" -v background="$2" -v scheme="$3" '
		(foreground == "*" || $1 == foreground) && (background == "*" || $2 == background) && (scheme == "*" || $3 == scheme)' "$output/usable.txt"
}

# Also finds out which runs can be used: a workload that ended no iteration, or was never heard of in a step, should not cost the others their report.
measure_interference() {
	: >"$output/interference-runs.csv"
	: >"$output/usable.txt"
	for label in $(complete_runs); do
		folder=$output/runs/$label
		if tail -q -n +2 "$folder"/background.*.csv | grep -q . &&
			"$build/ssreport" interference -f csv -l "$label" "$(log_of "$label")" "$folder"/foreground.*.csv >"$output/interference.new"; then
			echo "$label" >>"$output/usable.txt"
			if [ -s "$output/interference-runs.csv" ]; then tail -n +2 "$output/interference.new"; else cat "$output/interference.new"; fi \
				>>"$output/interference-runs.csv"
		else
			printf '%s is of no use: a workload ended no iteration, or a step is missing\n' "$label" >&2
		fi
	done
	rm -f "$output/interference.new"
	[ -s "$output/usable.txt" ] || trouble 'no run is complete and of use'
	mean_interference <"$output/interference-runs.csv" >"$output/interference.csv"
}

# left_out FOLDER...: a sentence about runs that measure_interference found of no use.
left_out() {
	unused=$(($(complete_runs | wc -l) - $(for folder do cat "$folder/usable.txt" 2>/dev/null; done | wc -l)))
	[ "$unused" -eq 0 ] || printf 'Left out are %d runs, in which a workload ended no iteration or a step is missing.\n\n' "$unused"
}

# The mean over repeats, with half the length of its interval of confidence; a criterion is met when each of them meets it. There is none where that
# interval has 0 in it, whatever the criteria say of lines that don't rise or fall.
mean_interference() {
	awk -F, -v OFS=, -f "$root/tools/bench/lib/interval.awk" -f "$experiments/lib/interference.awk"
}

# interference_table SCHEME <interference.csv: foregrounds as rows, backgrounds as columns.
interference_table() {
	awk -F, -v OFS=, -v scheme="$1" -v workloads="$workloads" '
		function shown(    marks) {
			if ($9 == "yes") return sprintf("%.1f none ±%.1f", $5, ($5 < 0 ? -$5 : $5) + $8)
			marks = ($8 == "" ? "" : sprintf("±%.1f", $8)) ($6 == "yes" ? "" : "a") ($7 == "yes" ? "" : "p")
			return sprintf("%.1f", $5) (marks == "" ? "" : " ") marks
		}
		$3 == scheme && $5 != "" { cell[$1, $2] = shown() }
		END {
			count = split(workloads, name, " ")
			line = "foreground"
			for (i = 1; i <= count; i++) line = line OFS name[i]
			print line
			for (i = 1; i <= count; i++) {
				line = name[i]
				for (j = 1; j <= count; j++) line = line OFS cell[name[i], name[j]]
				print line
			}
		}'
}

# interference_sentence SCHEME <interference.csv
interference_sentence() {
	awk -F, -v scheme="$1" '
		$3 == scheme { pairs++ }
		$3 == scheme && $5 != "" {
			known++
			met += $6 == "yes" && $7 == "yes" && $9 != "yes"
			if ($9 == "yes") {
				none++
				within = ($5 < 0 ? -$5 : $5) + $8
				list = list (list == "" ? "" : "; ") sprintf("%s beside %s: none, within ±%.1f", $1, $2, within)
			}
			if (known == 1 || $5 + 0 < low) { low = $5 + 0; least = $1 " beside " $2 }
			if (known == 1 || $5 + 0 > high) { high = $5 + 0; most = $1 " beside " $2 }
		}
		END {
			if (!known) { print scheme ": unknown for all pairs, as the load of the background stayed the same."; exit }
			printf "%s: from %.1f (%s) to %.1f (%s); %d of %d pairs meet both criteria.", scheme, low, least, high, most, met, pairs - none
			if (none) printf " %s.", list
		}'
}

# draw_pairs SIDE SUBCOMMAND: of each workload on that side a row of ssreport's pictures, one for each on the other side, of first repetitions.
draw_pairs() {
	side=$1 subcommand=$2
	for of in $workloads; do
		pictures=
		for beside in $workloads; do
			case $side in foreground) foreground=$of background=$beside ;; *) foreground=$beside background=$of ;; esac
			set --
			for scheme in $schemes; do
				label=${foreground}_${background}_${scheme%%[:=]*}_1
				! grep -qxF "$label" "$output/usable.txt" || set -- "$@" -l "${scheme%%[:=]*}" "$(log_of "$label")" "$output/runs/$label/$side".*.csv
			done
			[ $# -gt 0 ] || continue
			"$build/ssreport" "$subcommand" -o "$output/$side-$of-$beside.svg" "$@" || return 1
			pictures="$pictures $side-$of-$beside.svg"
		done
		report_text "$of, beside $(list "$workloads"):"
		# shellcheck disable=SC2086 # names
		report_row "$of" $pictures
	done
}

report_interference_tables() {
	report_heading 'Interference'
	report_text "What the foreground (rows) would lose, in per cent, beside the background (columns) at full load: -100 times slope divided by intercept of a line through throughput over load, the mean of both halves of the staircase. An a marks pairs whose halves' lines are 3 degrees or more apart, a p those with a p-value of 0.05 or more. Behind a mean over repeats stands half of its 95 % confidence interval; where 0 lies in that, there is none, within so much. The darker, the more is lost."
	[ -z "$outliers" ] || report_text "Without a say in the range of colours: $(list "$outliers")."
	range=$(awk -F, -v outliers=" $outliers " 'NR > 1 && $5 != "" && !index(outliers, " " $1 " ") && !index(outliers, " " $2 " ") { if (!n++) low = high = $5 + 0; if ($5 + 0 < low) low = $5 + 0; if ($5 + 0 > high) high = $5 + 0 } END { if (high > low) print low ":" high; else print low - 1 ":" low + 1 }' \
		"$output/interference.csv")
	for scheme in $schemes; do
		scheme=${scheme%%[:=]*}
		[ -n "$(runs_of '*' '*' "$scheme")" ] || continue
		table=interference-$scheme
		interference_table "$scheme" <"$output/interference.csv" >"$output/$table.csv" || return 1
		"$build/ssreport" heatmap --range "$range" -o "$output/$table.svg" "$output/$table.csv" || return 1
		report_text "$scheme:"
		report_table "$output/$table.csv"
		report_picture "$table.svg" "$scheme: interference"
		report_text "$(interference_sentence "$scheme" <"$output/interference.csv")"
		report_text "$(papers_interference "$scheme")"
	done
}

# What paper 001 found with this scheme, on another machine and with other workloads.
papers_interference() {
	awk -F, -v scheme="$1" '
		$2 != scheme { next }
		{
			if (!($1 in n)) order[++count] = $1
			if (!n[$1]++ || $5 + 0 < low[$1]) { low[$1] = $5 + 0; least[$1] = $3 " beside " $4 }
			if (n[$1] == 1 || $5 + 0 > high[$1]) { high[$1] = $5 + 0; most[$1] = $3 " beside " $4 }
		}
		END {
			for (i = 1; i <= count; i++) {
				e = order[i]
				printf "%s%s: from %.1f (%s) to %.1f (%s)", (i > 1 ? "; " : "paper 001, "), e, low[e], least[e], high[e], most[e]
			}
			if (count) print "."
		}' "$experiments/paper/interference.csv"
}

# The scheme that others are compared with: that of the paper, or the first one.
reference_scheme() {
	for scheme in $schemes; do
		if [ "$scheme" = per-chip ]; then
			echo per-chip
			return
		fi
	done
	scheme=${schemes%% *}
	echo "${scheme%%[:=]*}"
}

# report_steps SUBCOMMAND COLUMN TITLE UNIT TEXT: of ssreport, for workloads that ran beside themselves: values per step, and relative to the reference.
report_steps() {
	subcommand=$1 value=$2 title=$3 unit=$4 reference=$(reference_scheme) several=no
	[ "$(echo "$schemes" | wc -w)" -eq 1 ] || several=yes
	report_heading "$title"
	report_text "$5"
	for workload in $workloads; do
		set --
		for scheme in $schemes; do
			for label in $(runs_of "$workload" "$workload" "${scheme%%[:=]*}"); do
				set -- "$@" -l "${scheme%%[:=]*}" "$(log_of "$label")" "$output/runs/$label"/foreground.*.csv "$output/runs/$label"/background.*.csv
			done
		done
		[ $# -gt 0 ] || continue
		compared=no
		if [ $several = yes ] && [ -n "$(runs_of "$workload" "$workload" "$reference")" ]; then compared=yes; fi
		name=$subcommand-$workload
		"$build/ssreport" "$subcommand" -o "$output/$name-steps.csv" -o "$output/$name.svg" "$@" || return 1
		if [ $compared = yes ]; then
			"$build/ssreport" "$subcommand" --reference "$reference" -o "$output/$name-steps.csv" -o "$output/$name-relative.svg" "$@" || return 1
		fi
		steps_table "$value" "$reference" $compared <"$output/$name-steps.csv" >"$output/$name.csv" || return 1
		report_text "$workload beside $workload, $unit$([ $compared = no ] || echo " and per cent of $reference"), in each step:"
		report_table "$output/$name.csv"
		pictures=$name.svg
		[ $compared = no ] || pictures="$pictures $name-relative.svg"
		# shellcheck disable=SC2086 # names
		report_row "$title: $workload" $pictures
		report_text "$(steps_sentence "$workload" "$value" "$unit" "$reference" $compared <"$output/$name-steps.csv")"
	done
}

# Rows of ssreport's CSV as a row per step, a column per scheme: the mean over repeats, and in per cent of the reference.
steps_table() { # COLUMN REFERENCE COMPARED
	awk -F, -v OFS=, -v value="$1" -v reference="$2" -v compared="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			step = $column["step"]
			scheme = $column["label"]
			if (!(scheme in seen)) order[++schemes] = scheme
			seen[scheme] = 1
			if (step > steps) steps = step
			target[step] = $column["target"]
			if ($column[value] == "") next
			n[step, scheme]++
			sum[step, scheme] += $column[value]
			relative[step, scheme] += $column["relative"]
		}
		END {
			line = "step" OFS "target %"
			for (s = 1; s <= schemes; s++) line = line OFS order[s]
			for (s = 1; compared == "yes" && s <= schemes; s++) if (order[s] != reference) line = line OFS order[s] " %"
			print line
			for (i = 1; i <= steps; i++) {
				line = i OFS sprintf("%.4g", 100 * target[i])
				for (s = 1; s <= schemes; s++) line = line OFS (n[i, order[s]] ? sprintf("%.4g", sum[i, order[s]] / n[i, order[s]]) : "")
				for (s = 1; compared == "yes" && s <= schemes; s++)
					if (order[s] != reference) line = line OFS (n[i, order[s]] ? sprintf("%.1f", 100 * relative[i, order[s]] / n[i, order[s]]) : "")
				print line
			}
		}'
}

steps_sentence() { # WORKLOAD COLUMN UNIT REFERENCE COMPARED
	awk -F, -v workload="$1" -v value="$2" -v unit="$3" -v reference="$4" -v compared="$5" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column[value] != "" {
			scheme = $column["label"]
			v = $column[value] + 0
			r = 100 * $column["relative"]
			if (!(scheme in least)) { order[++schemes] = scheme; least[scheme] = most[scheme] = v; low[scheme] = high[scheme] = r; at_least[scheme] = at_most[scheme] = $column["target"] }
			if (v < least[scheme]) { least[scheme] = v; at_least[scheme] = $column["target"] }
			if (v > most[scheme]) { most[scheme] = v; at_most[scheme] = $column["target"] }
			if (r < low[scheme]) low[scheme] = r
			if (r > high[scheme]) high[scheme] = r
		}
		END {
			for (s = 1; s <= schemes; s++) {
				k = order[s]
				printf "%s%s: from %.4g (at a target of %.4g %%) to %.4g (at %.4g %%) %s", (s > 1 ? "; " : workload ", "), k, least[k], 100 * at_least[k], most[k], 100 * at_most[k], unit
				if (compared == "yes" && k != reference) printf ", %.1f to %.1f %% of %s", low[k], high[k], reference
			}
			print "."
		}'
}

# Only where the logs have the power.
report_energy() {
	for label in $(runs_of '*' '*' '*'); do
		# The name of the column, and a value in it.
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "power_w") power = i; next } power && $power != "" { found = 1; exit } END { exit !found }' \
			"$output/runs/$label/log.csv" && {
			report_steps efficiency iterations_per_wh 'Energy' 'iterations per watt-hour' 'Iterations of foreground and background per watt-hour that the machine took.'
			return
		}
	done
	report_heading 'Energy'
	report_text 'Unavailable: the logs have no power, as this machine has no counters of it that could be read.'
}

# Throughput of foregrounds here as a share of that in another batch, over the steps of the same pair.
report_ratios() {
	report_heading 'Beside another batch'
	echo 'pair,scheme,repetition,least,median,most' >"$output/ratio.csv"
	comparable=
	for label in $(runs_of '*' '*' '*'); do
		[ -d "$compare/runs/$label" ] || continue
		# A step without an iteration should cost no other pair its place; ssreport names it.
		"$build/ssreport" ratio -f csv -l "$label" "$(log_of "$label")" "$output/runs/$label"/foreground.*.csv \
			-l "$label" "$(log_of "$label" "$compare")" "$compare/runs/$label"/foreground.*.csv >"$output/ratio.new" || continue
		awk -F, -v OFS=, 'NR > 1 { split($1, part, "_"); print part[1] " beside " part[2], part[3], part[4], sprintf("%.3f", $5), sprintf("%.3f", $6), sprintf("%.3f", $7) }' \
			"$output/ratio.new" >>"$output/ratio.csv"
		comparable="$comparable $label"
	done
	rm -f "$output/ratio.new"
	if [ "$(wc -l <"$output/ratio.csv")" -eq 1 ]; then
		rm "$output/ratio.csv"
		report_text "$compare has none of these runs that could be compared."
		return
	fi
	report_text "Throughput of the foreground as a share of that in $compare: least, median and greatest over the steps."
	report_table "$output/ratio.csv"
	report_text "$(awk -F, 'NR > 1 { if (NR == 2 || $5 < low) low = $5; if (NR == 2 || $5 > high) high = $5 } END { printf "The medians lie between %.3f and %.3f.", low, high }' "$output/ratio.csv")"
	for scheme in $schemes; do
		draw_ratios "${scheme%%[:=]*}" || return 1
	done
}

# As Table 6 of paper 000: a matrix of the first repetitions of a scheme, foregrounds downwards and backgrounds to the right.
draw_ratios() {
	scheme_of=$1
	set --
	for label in $comparable; do
		case $label in *_"${scheme_of}"_1) ;; *) continue ;; esac
		beside=${label#*_}
		pair=${label%%_*}/${beside%%_*}
		set -- "$@" -l "$pair" "$(log_of "$label")" "$output/runs/$label"/foreground.*.csv \
			-l "$pair" "$(log_of "$label" "$compare")" "$compare/runs/$label"/foreground.*.csv
	done
	[ $# -gt 0 ] || return 0
	"$build/ssreport" ratio --matrix -o "$output/ratio-$scheme_of.csv" -o "$output/ratio-$scheme_of.svg" "$@" || return 1
	report_text "$scheme_of, the median and behind it the least and the greatest; foregrounds downwards, backgrounds to the right. The lighter, the slower:"
	report_table "$output/ratio-$scheme_of.csv"
	report_picture "ratio-$scheme_of.svg" "$scheme_of: throughput as a share"
}

report_timelines() {
	report_heading 'Over time'
	columns=$(echo "$workloads" | wc -w)
	for scheme in $schemes; do
		scheme=${scheme%%[:=]*}
		set --
		for label in $(runs_of '*' '*' "$scheme"); do
			case $label in *_1) ;; *) continue ;; esac
			beside=${label#*_}
			set -- "$@" -l "${label%%_*} beside ${beside%%_*}" "$(log_of "$label")" "$output/runs/$label"/foreground.*.csv
		done
		[ $# -gt 0 ] || continue
		# More than fit into a picture are in none.
		"$build/ssreport" timeline --columns "$columns" -i "$(awk -v seconds="$seconds" -v steps="$steps" 'BEGIN { printf "%.3f", seconds / steps }')s" \
			-o "$output/timeline-$scheme.svg" "$@" || return 0
		report_picture "timeline-$scheme.svg" "$scheme: target (black) and load (blue) of the background, throughput of the foreground"
	done
}

# ---- What is published ----------------------------------------------------------------------------------------------------------

# Tables 4 to 6 and a sentence to each, for each environment. Pictures are in the report alone.
published_report() {
	repeats=
	[ "$repeat" -eq 1 ] || repeats=" Behind ± stands half of the 95 % confidence interval over $repeat repeats; where 0 lies in it there is none, within so much."
	cat <<-END
		A foreground (rows) runs freely beside a background (columns), whose load goes down a staircase from 95 to 5 % in steps of $step % and up again. Interference
		is how much of its throughput, in per cent, the foreground would lose beside a background at full load.$repeats An a marks pairs whose two halves
		of the staircase differ by 3 degrees or more, a p those with a p-value of 0.05 or more.
	END
	whole=$output
	for environment in $environments; do
		[ "$several" = no ] || output=$whole/$environment
		[ ! -s "$output/interference.csv" ] || published_environment
	done
	output=$whole
	for ratio in "$output/ratio.csv" "$output"/*/ratio.csv; do
		[ ! -s "$ratio" ] || published_ratios "$ratio"
	done
	left_out "$output" "$output"/*
	printf '%s\n' "$(left_out "$output" "$output"/*/)"
	printf '%s\n' "$(warm_said)"
}

published_environment() {
	for scheme in $schemes; do
		scheme=${scheme%%[:=]*}
		[ -s "$output/interference-$scheme.csv" ] || continue
		printf '\n#### Interference, %s, %s\n\n' "$(name_of_environment "$environment")" "$scheme"
		awk -v format=markdown -f "$experiments/lib/table.awk" "$output/interference-$scheme.csv"
		# The table says which pairs have none.
		printf '\n%s\n' "$(interference_sentence "$scheme" <"$output/interference.csv" | sed 's/ meet both criteria\..*/ meet both criteria./')"
	done
	printf '\nThe whole machine, %s, where foreground and background are the same workload:\n\n' "$(name_of_environment "$environment")"
	for workload in $workloads; do
		[ ! -s "$output/overall-$workload-steps.csv" ] ||
			printf -- '- %s\n' "$(steps_sentence "$workload" throughput 'iterations per second' "$(reference_scheme)" no <"$output/overall-$workload-steps.csv")"
	done
}

name_of_environment() {
	case $1 in native) echo 'on the host' ;; lxc) echo 'in containers' ;; qemu) echo 'in guests' ;; esac
}

published_ratios() { # RATIO.CSV
	of=${1%/ratio.csv}
	of=$(name_of_environment "${of##*/}")
	printf '\n#### Throughput of the foreground %s as a share of that %s\n\n' "${of:-here}" "$([ -n "$compare" ] && echo "in $compare" || name_of_environment lxc)"
	printf 'The median over the steps of the staircase, and in brackets the least and the greatest of all.\n'
	for scheme in $schemes; do
		scheme=${scheme%%[:=]*}
		awk -F, -v OFS=, -v scheme="$scheme" -v workloads="$workloads" -f "$root/tools/bench/lib/interval.awk" -f "$experiments/lib/ratio_matrix.awk" "$1" \
			>"$temporary/matrix.csv"
		[ -s "$temporary/matrix.csv" ] || continue
		printf '\n%s:\n\n' "$scheme"
		awk -v format=markdown -f "$experiments/lib/table.awk" "$temporary/matrix.csv"
	done
	printf '\n'
}
