# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Real programs on both machines: do their ratios lie in the range of the profile's? Sourced by variability.
# shellcheck disable=SC2154 # of variability

default_programs='xz burn-single fop lucene h2 sunflow xalan stress-ng:stream stress-ng:memcpy stress-ng:str stress-ng:zlib stress-ng:malloc'

# Sets $names: workloads are called workload:NAME in plans, so that they can't be taken for methods. What can't run here is left out, once said.
choose_programs() {
	names=
	asked=$programs
	[ -n "$programs" ] || programs=$default_programs
	for program in $programs; do
		case $program in
		stress-ng:*)
			stress-ng --help 2>/dev/null | grep -q -- "--${program#*:} N" || trouble "--programs: stress-ng has no stressor '${program#*:}'"
			names="$names $program"
			;;
		*)
			lacking=$("$experiments/workload" missing "$program" | paste -s -d ' ' -) || exit 125
			if [ -z "$lacking" ]; then
				names="$names workload:$program"
			else
				[ -z "$asked" ] || trouble "workload $program: missing: $lacking"
				printf 'left out: %s, missing: %s\n' "$program" "$lacking"
			fi
			;;
		esac
	done
}

# The Java programs of those that are workloads.
prepare_programs() {
	java=$build/java
	# shellcheck disable=SC2046,SC2086 # a list
	set -- $(printf '%s\n' $names | sed -n 's/^workload://p')
	[ $# -eq 0 ] || "$experiments/workload" build-java --java "$java" "$@" || exit 125
}

# Rows `name,ratio,least,greatest,within'.
lies() { # RATIOS RATIOS_OF_PROFILE
	awk -F, '
		FNR == 1 { file++; next }
		file == 1 { if (!count++ || $4 < least) least = $4; if (count == 1 || $4 > greatest) greatest = $4; next }
		{ printf "%s,%.4f,%.4f,%.4f,%s\n", $1, $4, least, greatest, ($4 >= least && $4 <= greatest ? "yes" : "no") }' "$2" "$1"
}

# Of the free programs, or those held by a hand: prints how many lie within, and adds to the rows of $output/validation.csv.
judge() { # FILE HOW RATIOS_OF_PROFILE
	ratios "$against" "$1" >"$output/$2-ratios.csv"
	lies "$output/$2-ratios.csv" "$3" >"$temporary/lies"
	[ -s "$temporary/lies" ] || trouble "$against and $1 have no program in common"
	sed "s/^/$2,/" "$temporary/lies" >>"$output/validation.csv"
	awk -F, -v how="$2" '
		{
			count++
			least = $3
			greatest = $4
			if ($5 == "yes") within++
			else outside = outside sprintf("%s %s (%.2f)", outside == "" ? "; outside:" : ",", $1, $2)
		}
		END { printf "%s: %d of %d programs lie within [%.2f, %.2f]%s\n", how, within, count, least, greatest, outside }' "$temporary/lies"
}

range_lines() { # RATIOS COLOUR
	summary_of "$1" | awk -F= -v colour="$2" '{ value[$1] = $2 } END { printf "%s %s;%s %s", value["least"], colour, value["greatest"], colour }'
}

validate_hand() { # HAND
	found=$calibration/$1.result
	[ -e "$found" ] || trouble "--calibration: $calibration has nothing of $1"
	[ -z "$(result_of unavailable "$found")" ] || { printf '%s: unavailable: %s\n' "$1" "$(result_of unavailable "$found")"; return; }
	lacking=$(hand_missing "$1")
	[ -z "$lacking" ] || trouble "$1 can't be had: $lacking"
	measure "$output/$1.csv" "$names" "$rounds" "$1" "$(result_of bandwidth "$found")"
	judge "$output/$1.csv" "$1" "$calibration/$1-ratios.csv"
	awk -f "$experiments/lib/variability_bins.awk" "$output/free-ratios.csv" "$output/$1-ratios.csv" >"$output/$1-bins.csv"
	printf '%22s %-44s %s\n' '' 'without a limit' "by $1"
	print_histogram "$output/$1-bins.csv"
	draw_histogram "$output/$1-bins.csv" "$output/$1.svg" 'programs against the base; dashed: the ranges of the profiles' 'without a limit' "by $1" \
		"$(range_lines "$calibration/free-ratios.csv" '#2a8f3c');$(range_lines "$calibration/$1-ratios.csv" '#7b3fa0')"
	printf 'Picture: %s\n' "$output/$1.svg"
}

validate() {
	[ $# -eq 0 ] || trouble "validate: unexpected argument '$1' (--help says more)"
	kind=programs
	case ${record:+record}:${against:+against} in
	record:) ;;
	:against) ;;
	*) trouble 'validate: expected either --record FILE, on the base, or --against FILE with what was recorded there' ;;
	esac
	if [ -n "$record" ]; then
		choose_hand
		choose_programs
		look_at_output "$record"
		prepare_to_measure
		prepare_programs
		measure "$record" "$names" "$rounds" "$hand" "$bandwidth"
		printf 'Programs: %s\n' "$record"
		return
	fi
	[ -n "$calibration" ] || trouble 'validate: expected --calibration DIR, the --output of calibrate'
	[ -s "$calibration/free-ratios.csv" ] || trouble "--calibration: $calibration holds no calibration"
	[ "$environment" = native ] || trouble 'validate: --in is for --record'
	[ "$bandwidth" = 100 ] || trouble 'validate: --bandwidth is for --record'
	look_at_base "$against" programs
	[ -e "$against.about" ] || trouble "$against.about is missing, which says how $against was measured"
	against=$(absolute "$against")
	calibration=$(absolute "$calibration")
	[ -n "$output" ] || trouble 'validate: expected --output DIR'
	[ ! -e "$output" ] || [ "$resume" = yes ] || trouble "$output is there already; --resume goes on with it, or choose another --output"
	[ -n "$hands" ] || hands=$(for found in "$calibration"/*.result; do basename "$found" .result; done | paste -s -d ' ' -)
	# Those that the base has, and done as there.
	[ -n "$programs" ] || programs=$(awk -F, 'NR > 1 && !seen[$1]++ { sub(/^workload:/, "", $1); print $1 }' "$against" | paste -s -d ' ' -)
	seconds=$(value_of time_s "$against.about") warm=$(value_of warm_iterations "$against.about") iterations=$(value_of iterations "$against.about")
	choose_programs
	prepare_to_measure
	prepare_programs
	mkdir -p "$output" || trouble "can't make $output"
	output=$(absolute "$output")
	measure "$output/free.csv" "$names" "$rounds" none 100
	look_at_pair "$against" "$output/free.csv"
	echo 'how,name,ratio,least,greatest,within' >"$output/validation.csv"
	judge "$output/free.csv" free "$calibration/free-ratios.csv"
	for hand in $hands; do validate_hand "$hand"; done
	printf 'Rows: %s\n' "$output/validation.csv"
}
