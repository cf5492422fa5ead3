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
		count=$(awk -v load="$load" -v processors="$processors" 'BEGIN { n = int(load / 100 * processors + 0.5); print n < 1 ? 1 : n }')
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

# measure_accuracy ROW OPTION...: writes accuracy.csv, a row for each workload, target (or what else ROW names) and setting (the first three parts of a label), the mean over the
# repeats. OPTIONs are ssreport's.
measure_accuracy() {
	row_name=$1
	shift
	for label in $(complete_runs); do set -- "$@" -l "$label" "$output/runs/$label/log.csv"; done
	[ -n "$(complete_runs)" ] || trouble "no run is complete"
	"$build/ssreport" accuracy -f csv "$@" >"$output/accuracy-runs.csv" || return 1
	awk -F, -v OFS=, -v row_name="$row_name" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			split($column["label"], part, "_")
			key = part[1] OFS part[2] OFS part[3]
			if (!(key in n)) order[++keys] = key
			n[key]++
			error[key] += $column["mean_error_pp"]
			mse[key] += $column["mse_pp2"]
		}
		END {
			print "workload", row_name, "setting", "repeats", "mean_error_pp", "mse_pp2"
			for (i = 1; i <= keys; i++)
				print order[i], n[order[i]], sprintf("%.3f", error[order[i]] / n[order[i]]), sprintf("%.3f", mse[order[i]] / n[order[i]])
		}' "$output/accuracy-runs.csv" >"$output/accuracy.csv"
}

# measure_throughput ROW: writes throughput.csv, likewise: mean load and iterations per second of all instances together.
measure_throughput() {
	row_name=$1
	set --
	for label in $(complete_runs); do set -- "$@" -l "$label" "$output/runs/$label/log.csv" "$output/runs/$label"/iterations.*.csv; done
	[ $# -gt 0 ] || trouble "no run is complete"
	"$build/ssreport" throughput -f csv -i 1d "$@" >"$output/throughput-runs.csv" || return 1
	awk -F, -v OFS=, -v row_name="$row_name" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			split($column["label"], part, "_")
			key = part[1] OFS part[2] OFS part[3]
			if (!(key in n)) order[++keys] = key
			n[key]++
			load[key] += $column["load"]
			rate[key] += $column["throughput"]
		}
		END {
			print "workload", row_name, "setting", "repeats", "load_percent", "throughput"
			for (i = 1; i <= keys; i++)
				print order[i], n[order[i]], sprintf("%.3f", 100 * load[order[i]] / n[order[i]]), sprintf("%.5g", rate[order[i]] / n[order[i]])
		}' "$output/throughput-runs.csv" >"$output/throughput.csv"
}

# pivot FILE.csv WORKLOAD COLUMN [COLUMN]: a row for each target (or replay time), a column for each setting, with one value or two.
pivot() {
	awk -F, -v OFS=, -v workload="$2" -v first="$3" -v second="${4-}" -v chosen="$chosen" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; head = $2; next }
		$column["workload"] == workload {
			if (!($2 in seen)) order[++rows] = $2
			seen[$2] = 1
			cell[$2, $column["setting"]] = $column[first] (second == "" ? "" : " / " $column[second])
		}
		END {
			count = split(chosen, setting, " ")
			line = head
			for (i = 1; i <= count; i++) line = line OFS setting[i]
			print line
			for (r = 1; r <= rows; r++) {
				line = order[r]
				for (i = 1; i <= count; i++) line = line OFS cell[order[r], setting[i]]
				print line
			}
		}' "$1"
}
