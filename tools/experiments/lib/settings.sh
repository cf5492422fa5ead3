# SPDX-License-Identifier: MIT
# The settings and baselines that the papers compare, as options of showstopper. Sourced by lib/batch.sh's callers.

# The paper's, Section 4.2: base period 333 ms, quantum 107 ms; our executors share samples for 160 ms.
paper_options='-f realtime -F 333m,share=160m -d averageq -D 107m'

# add_setting NAME LABEL WORKLOAD TARGET SECONDS: a run that holds a constant load.
add_setting() {
	setting=$1 run_of=$2 loaded=$3 load=$4 length=$5
	case $setting in
	N-bench)
		# max(1, round(L·P)) instances that nobody stops. The log needs a target all the same.
		count=$(awk -v percent="$load" -v processors="$processors" 'BEGIN { n = int(percent / 100 * processors + 0.5); print n < 1 ? 1 : n }')
		;;
	1CDC | 1DC) count=1 ;;
	*) count=$(instances_of "$loaded") ;;
	esac
	add_run "$run_of" "$loaded" "$count" "$length" -T "$load%" "$(options_of "$setting")"
}

options_of() {
	case $1 in
	N-bench) echo '-c open -C duty=1' ;;
	CDC | 1CDC) echo '-c open -d averageq -D 107m' ;;
	1DC) echo '-c open -d averageq -D 4s' ;; # Section 2.1
	geom-uneven) echo "$paper_options -c geom -s uneven" ;;
	geom-even) echo "$paper_options -c geom -s even" ;;
	PI-uneven) echo "$paper_options -c rbpid -s uneven" ;;
	PI-even) echo "$paper_options -c rbpid -s even" ;;
	default) ;;
	*) trouble "there is no setting '$1'" ;;
	esac
}

# choose_settings LIST: those that an option asks for, out of $chosen.
choose_settings() {
	all=$chosen
	chosen=$(printf '%s' "$1" | tr ',' ' ')
	for name in $chosen; do
		case " $all " in *" $name "*) ;; *) trouble "--settings: '$name' is none of $all" ;; esac
	done
	[ -n "$chosen" ] || trouble "--settings: expected some of $all"
}

# take_settings NAME VALUE: the take_option of experiments whose one option of their own this is.
take_settings() {
	case $1 in -s | --settings) choose_settings "$2" ;; *) return 1 ;; esac
}

# means_over_repeats ROW COLUMN:NAME:FACTOR:FORMAT[:sum]...: of ssreport's CSV, whose labels are workload_row_setting_repetition. A row for each workload,
# ROW (target_percent or replay_s) and setting, with the means of these columns over the runs that know them, or with sums, which all must know. With
# half in place of sum there is a column NAME_half, too: half the length of the mean's 95 % confidence interval.
means_over_repeats() {
	row_name=$1
	shift
	awk -F, -v OFS=, -v row_name="$row_name" -v wanted="$*" -f "$root/tools/bench/lib/interval.awk" -f "$experiments/lib/means.awk"
}

# What ssreport leaves out after the warm-up at full speed: the paper's settings take two to three seconds from there.
settling() {
	if [ "$seconds" -ge 9 ]; then echo 3s; else echo "$((seconds * 1000 / 3))m"; fi
}

# measure_accuracy ROW OPTION...: writes accuracy.csv, and repeats.csv where there are several of a run. OPTIONs are ssreport's.
measure_accuracy() {
	row_of=$1
	shift
	accuracy_options=$*
	for label in $(complete_runs); do set -- "$@" -l "$label" "$output/runs/$label/log.csv"; done
	[ -n "$(complete_runs)" ] || trouble "no run is complete"
	"$build/ssreport" accuracy -f csv "$@" >"$output/accuracy-runs.csv" || return 1
	means_over_repeats "$row_of" mean_error_pp:mean_error_pp:1:%.3f mse_pp2:mse_pp2:1:%.3f samples:samples:1:%d:sum bursts:bursts:1:%d:sum \
		calm_mean_error_pp:calm_mean_error_pp:1:%.3f calm_mse_pp2:calm_mse_pp2:1:%.3f <"$output/accuracy-runs.csv" >"$output/accuracy.csv"
	rm -f "$output/repeats.csv"
	[ "$repeat" -gt 1 ] || return 0
	# shellcheck disable=SC2086 # words
	set -- $accuracy_options
	for label in $(complete_runs); do set -- "$@" -l "${label%_*}" "$output/runs/$label/log.csv"; done
	"$build/ssreport" repeats -f csv "$@" >"$output/repeats.csv"
}

# report_calm WORKLOAD: how many samples met a burst of others, and where some did the figures of the rest.
report_calm() {
	said=$(bursts_said "$output/accuracy.csv" "$1")
	case $said in
	[0-9]*)
		report_text "$said Without them:"
		pivot "$output/accuracy.csv" "$1" calm_mean_error_pp calm_mse_pp2 >"$output/calm-$1.csv" || return 1
		report_table "$output/calm-$1.csv"
		;;
	*) report_text "$said" ;;
	esac
}

# How many runs of Showstopper, without those of baselines, were near their targets, as the paper counts them (Section 9).
report_near() {
	report_text "$(awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			split($column["label"], part, "_")
			if (part[3] ~ /^(N-bench|1?CDC|1DC|baseline)$/) next
			runs++
			near += $column["near"]
			near_80 += $column["near"] >= 0.8
			near_90 += $column["near"] >= 0.9
		}
		END {
			if (runs) printf "Of %d runs under control, %.0f %% had at least 80 %% of their samples within 5 pp of the target, and %.0f %% at least 90 %%; in the mean %.1f %% of the samples were.", runs, 100 * near_80 / runs, 100 * near_90 / runs, 100 * near / runs
		}' "$output/accuracy-runs.csv")"
}

# report_whole TARGET...: which of these loads N-bench can't make, as whole instances of a processor each don't add up to them.
report_whole() {
	echo 'BEGIN {
		count = split(targets, target, " ")
		for (i = 1; i <= count; i++) if (!is_whole(target[i], processors)) list = list (list == "" ? "" : ", ") target[i]
		if (list != "") printf "%d processors have no whole instances for %s %%, so that there N-bench is no baseline.", processors, list
	}' >"$temporary/whole.awk"
	report_text "$(awk -v targets="$*" -v processors="$processors" -f "$root/tools/bench/lib/whole.awk" -f "$temporary/whole.awk")"
}

# Means over repeats with their confidence intervals, of all samples and of those without a burst.
report_repeats() {
	[ -s "$output/repeats.csv" ] || return 0
	report_heading 'Repeats'
	report_text 'Means over repeated runs, with the interval that holds the true mean with a confidence of 95 %.'
	awk -F, -v OFS=, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; print "run", "runs", "mean error", "MSE", "mean error without bursts", "MSE without bursts"; next }
		function interval(mean, low, high) { return mean == "" ? "" : sprintf("%.2f", mean) (low == "" ? "" : sprintf(" (%.2f to %.2f)", low, high)) }
		{
			label = $column["label"]
			if (!(label in runs)) order[++count] = label
			runs[label] = $column["runs"]
			all[label, $column["figure"]] = interval($column["mean"], $column["low"], $column["high"])
			calm[label, $column["figure"]] = interval($column["calm_mean"], $column["calm_low"], $column["calm_high"])
		}
		END {
			for (i = 1; i <= count; i++) {
				k = order[i]
				name = k
				gsub(/_/, " ", name)
				print name, runs[k], all[k, "mean_error_pp"], all[k, "mse_pp2"], calm[k, "mean_error_pp"], calm[k, "mse_pp2"]
			}
		}' "$output/repeats.csv" >"$output/repeats-shown.csv" || return 1
	report_table "$output/repeats-shown.csv"
}

# measure_throughput ROW: writes throughput.csv: mean load, and iterations per second of all instances together.
measure_throughput() {
	row_of=$1
	set --
	for label in $(complete_runs); do set -- "$@" -l "$label" "$output/runs/$label/log.csv" "$output/runs/$label"/iterations.*.csv; done
	[ $# -gt 0 ] || trouble "no run is complete"
	"$build/ssreport" throughput -f csv -i 1d "$@" >"$output/throughput-runs.csv" || return 1
	means_over_repeats "$row_of" load:load_percent:100:%.3f throughput:throughput:1:%.5g:half <"$output/throughput-runs.csv" >"$output/throughput.csv"
}

# What stands behind a ± in a table of throughput.
report_intervals() {
	[ "$repeat" -le 1 ] || report_text 'Behind ± stands half of the 95 % confidence interval of the mean over the repeats.'
}

# pivot FILE.csv WORKLOAD COLUMN [COLUMN]: a row for each target (or replay time), a column for each setting, with one value or two; with a ± where the
# file has a column COLUMN_half.
pivot() {
	awk -F, -v OFS=, -v workload="$2" -v first="$3" -v second="${4-}" -v chosen="$chosen" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; head = $2; next }
		$column["workload"] == workload {
			if (!($2 in seen)) order[++rows] = $2
			seen[$2] = 1
			if ($column[first] != "") cell[$2, $column["setting"]] = value(first) (second == "" ? "" : " / " value(second))
		}
		function value(name,    half) {
			half = (name "_half") in column ? $column[name "_half"] : ""
			return $column[name] (half == "" ? "" : " ±" half)
		}
		END {
			count = split(chosen, setting, " ")
			line = head
			for (i = 1; i <= count; i++) line = line OFS setting[i]
			print line
			# By size; what is no number stays where it is, at the end.
			for (r = 2; r <= rows; r++)
				for (k = r; k > 1 && order[k] ~ /^[0-9.]+$/ && order[k] + 0 < order[k - 1] + 0; k--) {
					swap = order[k]
					order[k] = order[k - 1]
					order[k - 1] = swap
				}
			for (r = 1; r <= rows; r++) {
				line = order[r]
				for (i = 1; i <= count; i++) line = line OFS cell[order[r], setting[i]]
				print line
			}
		}' "$1"
}
