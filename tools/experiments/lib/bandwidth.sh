# SPDX-License-Identifier: MIT
# Run times of iterations against the share of a processor that a single instance gets, by one actuator and another (`--by`).
# Sourced by `throughput`.

bandwidths='10 20 30 40 50 60 70 80 90 100'
quick_bandwidths='20 40 60 80 100'
bandwidth_workloads=burn-long

# choose_hands LIST: actuators, $hands; with them come other workloads and targets, unless the user names his own.
choose_hands() {
	hands=
	for hand in $(printf '%s' "$1" | tr , ' '); do
		case $hand in
		*[!a-z0-9-]*) trouble "--by: '$hand': expected the name of an actuator, such as signals (showstopper --list-modules)" ;;
		esac
		case " $hands " in *" $hand "*) trouble "--by: $hand is given twice" ;; esac
		hands="$hands${hands:+ }$hand"
	done
	[ -n "$hands" ] || trouble '--by: expected actuators, such as signals,freezer'
	default_targets=$bandwidths quick_targets=$quick_bandwidths
	[ "$workloads" != "$default_workloads" ] || workloads=$bandwidth_workloads
}

# Nothing is run where one of them can't be had: what is to be compared would be missing.
check_hands() {
	for hand in $hands; do
		reason=$("$build/showstopper" -a "$hand" --cpus "$(last_processor)" -T 50% --dry-run true 2>&1 >/dev/null) ||
			trouble "--by: $hand can't be had here: $(printf '%s\n' "$reason" | sed 's/^showstopper: //; 1q')"
	done
}

# The last of those that we may use; the first one is where interrupts are.
last_processor() {
	sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9][0-9]*\)$/\1/p' /proc/self/status
}

# Without feedback: the target is the duty cycle of the only instance. It has one processor, so that the duty cycle is a share of one, both
# where an actuator stops all threads at a time and where it limits what they get together.
list_hands() {
	repetition=1
	processor=$(last_processor)
	while [ $repetition -le "$repeat" ]; do
		for workload in $workloads; do
			for target in $targets; do
				for hand in $hands; do
					add_run "${workload}_${target}_${hand}_$repetition" "$workload" 1 "$seconds" "-T $target% -c open -a $hand --cpus $processor"
				done
			done
		done
		repetition=$((repetition + 1))
	done
}

write_times() {
	[ -n "$(complete_runs)" ] || trouble 'no run is complete'
	report_begin 'Run times of iterations against bandwidth'
	report_text "How long an iteration of a single instance on one processor takes, by the share of this that it may have (bandwidth), without feedback, with each actuator: $(echo "$hands" | sed 's/ /, /g')."
	report_text "Boxes go from the first to the third quartile, whiskers to the outermost values within 1.5 times that length, points are beyond. Quantiles are those of all repeats together."
	report_text "The processor time of an iteration is the mean of the run times, multiplied by the share of the processor that the instance had, which isn't always the one that it was to have; it is the same throughout where bandwidth costs nothing else. An iteration that is not much longer than the actuator's stops says little: it meets none of them, or a whole one."
	echo 'workload,bandwidth_percent,setting,iterations,q5_s,q25_s,q50_s,q75_s,q95_s,mean_s,share_percent,work_s' >"$output/times.csv"
	chosen=$hands
	for workload in $workloads; do
		report_heading "$workload ($(class_of "$workload"))"
		report_times "$workload" || return 1
	done
	report_end
}

# has_iterations FOLDER: whether one began and ended under control. What else is wrong with its files is trouble.
has_iterations() {
	"$build/ssreport" boxes -l run "$1/log.csv" "$1"/iterations.*.csv >/dev/null 2>"$temporary/said" && return
	grep -q 'found no iteration' "$temporary/said" || trouble "$(sed 1q "$temporary/said")"
	return 1
}

# share_of FOLDER: processor time of the workload under control, and how long that was, in seconds.
share_of() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i } NR == 2 { print $column["controlled_cpu_control_s"], $column["controlled_s"] }' "$1/record.csv"
}

# Seconds with four digits, as all workloads of a report have them.
report_times() { # WORKLOAD
	timed=$1 silent=
	: >"$temporary/shares"
	set --
	for hand in $hands; do
		for target in $targets; do
			for label in $(complete_runs | awk -v prefix="${timed}_${target}_${hand}_" 'index($0, prefix) == 1'); do
				folder=$output/runs/$label
				if has_iterations "$folder"; then
					set -- "$@" -l "$hand/$target" "$folder/log.csv" "$folder"/iterations.*.csv
					share_of "$folder" | sed "s,^,$hand/$target ," >>"$temporary/shares"
				else
					silent="$silent${silent:+, }$label"
				fi
			done
		done
	done
	[ -z "$silent" ] || report_text "No iteration ended in $silent; --time makes runs longer."
	[ $# -gt 0 ] || return 0
	"$build/ssreport" boxes --axis 'bandwidth (%)' --size 14x9 -o "$output/boxes-$timed.csv" -o "$output/boxes-$timed.svg" "$@" || return 1
	awk -F, -v OFS=, -v workload="$timed" '
		FILENAME == ARGV[1] { split($0, word, " "); worked[word[1]] += word[2]; long[word[1]] += word[3]; next }
		FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{
			split($1, part, "/")
			line = workload OFS part[2] OFS part[1] OFS $column["iterations"]
			for (q = 1; q <= split("5 25 50 75 95", share, " "); q++) line = line OFS sprintf("%.4g", $column["q" share[q] "_s"])
			had = worked[$1] / long[$1]
			print line, sprintf("%.4g", $column["mean_s"]), sprintf("%.2f", 100 * had), sprintf("%.4g", $column["mean_s"] * had)
		}' "$temporary/shares" "$output/boxes-$timed.csv" >>"$output/times.csv" || return 1
	report_picture "boxes-$timed.svg" "$timed: run times of iterations against bandwidth"
	report_text 'Median of the run times / processor time of an iteration, in seconds:'
	report_pivot "$timed" q50_s work_s || return 1
	report_text 'Share of the processor that the instance had, in per cent:'
	report_pivot "$timed" share_percent || return 1
	report_text "$(awk -F, -v workload="$timed" -f "$experiments/lib/bandwidth_verdict.awk" "$output/times.csv")"
	report_text 'Quantiles of the run times in seconds, 5 % / 95 %, and then 25 % / 75 %:'
	report_pivot "$timed" q5_s q95_s && report_pivot "$timed" q25_s q75_s
}

report_pivot() { # WORKLOAD COLUMN [COLUMN]
	pivot "$output/times.csv" "$1" "$2" "${3-}" >"$output/times-$1-$2.csv" || return 1
	report_table "$output/times-$1-$2.csv"
}
