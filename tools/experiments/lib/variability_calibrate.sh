# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The bandwidth at which this machine is as fast as the base, by each hand. Sourced by variability.
# shellcheck disable=SC2034,SC2154 # of variability, and for it

# What a measurement is compared with. Where the base is this machine itself, it is measured again beside each of its own, method by method: the machine
# drifts by more than what is looked for. So it can't be for a profile that is brought along (--free).
base_of() { # FILE
	if [ -z "$(known_bandwidth)" ] || { [ -n "$free" ] && [ "$1" = "$output/free.csv" ]; }; then echo "$against"; else echo "${1%.csv}-base.csv"; fi
}
measure_rounds() { # FILE HAND BANDWIDTH ROUNDS
	base=$(base_of "$1")
	if [ "$base" = "$against" ]; then
		measure "$1" "$methods" "$4" "$2" "$3"
		return
	fi
	round=1
	while [ $round -le "$4" ]; do
		for method in $methods; do
			# In turn the one and the other first.
			[ $((round % 2)) -eq 1 ] || measure_base "$base" "$method" $round
			measure "$1" "$method" $round "$2" "$3"
			[ $((round % 2)) -eq 0 ] || measure_base "$base" "$method" $round
		done
		round=$((round + 1))
	done
}
measure_base() { # FILE METHOD ROUNDS
	measure "$1" "$2" "$3" "$(value_of hand "$against.about")" "$(value_of bandwidth_percent "$against.about")"
}

# Against what it was measured beside, or the base.
ratios_of() { # FILE
	if [ "$(base_of "$1")" = "$against" ]; then ratios "$against" "$1"; else ratios "$(base_of "$1")" "$1" paired; fi
}

# A row for the search: bandwidth, mean ratio, its noise and the base's.
search_row() { # BANDWIDTH FILE
	ratios_of "$2" >"$temporary/search.csv"
	summary_of "$temporary/search.csv" | awk -F= -v at="$1" '{ value[$1] = $2 } END { print at, value["mean"], value["noise"], value["base_noise"] }'
}

# In as many rounds as it takes to know the mean ratio within --precision (95 %), but no more than four times --rounds.
measure_well() { # FILE HAND BANDWIDTH
	for times in 1 2 4; do
		measure_rounds "$1" "$2" "$3" $((rounds * times))
		sure=$(search_row "$3" "$1" | awk '{ printf "%.3f", 200 * $3 / $2 }')
		above "$sure" "$precision" || return 0
	done
	printf 'noisy: at %s %% the mean ratio is known within %.1f %% only\n' "$3" "$sure"
}

# Sets $answer, what variability_bisect.awk says in the end. Measurements that are there are not repeated.
search() { # HAND
	probes=$output/$1-probes
	mkdir -p "$probes" || trouble "can't make $probes"
	search_row 100 "$output/free.csv" >"$probes/search"
	while :; do
		answer=$(awk -v enough="$(awk -v precision="$precision" 'BEGIN { print precision / 200 }')" \
			-f "$experiments/lib/variability_bisect.awk" "$probes/search") || trouble 'the search went wrong'
		case $answer in probe*) ;; *) return ;; esac
		at=${answer#probe }
		measure_well "$probes/$at.csv" "$1" "$at"
		search_row "$at" "$probes/$at.csv" >>"$probes/search"
		tail -n 1 "$probes/search" | awk -v hand="$1" '{ printf "%s at %s %%: mean ratio %.3f ± %.3f\n", hand, $1, $2, 2 * $3 }'
	done
}

# Of one hand: what was found goes to HAND.result, names and values.
calibrate_hand() { # HAND
	result=$output/$1.result
	lacking=$(hand_missing "$1")
	if [ -n "$lacking" ]; then
		printf '%s: unavailable: %s\n' "$1" "$lacking"
		printf 'hand=%s\nunavailable=%s\n' "$1" "$lacking" >"$result"
		return
	fi
	search "$1"
	case $answer in
	slower*) trouble "this machine is slower than $against, also without a limit (mean ratio ${answer#slower }): calibrate there against $output/free.csv" ;;
	least*) trouble "by $1 this machine would have to be held below ${answer#least } % to be as slow as $against" ;;
	esac
	# shellcheck disable=SC2086 # words
	set -- "$1" $answer
	[ ! -e "$output/$1.csv.about" ] || [ "$(value_of bandwidth_percent "$output/$1.csv.about")" = "$3" ] ||
		rm -f "$output/$1.csv" "$output/$1.csv.about" "$output/$1-base.csv" "$output/$1-base.csv.about"
	measure_well "$output/$1.csv" "$1" "$3"
	ratios_of "$output/$1.csv" >"$output/$1-ratios.csv"
	if ! { write_result "$1" "$3" "$4" >"$result.new" && mv "$result.new" "$result"; }; then trouble "can't write $result"; fi
	show_result "$1"
}

# Where the base is this machine itself, held, what should come out is known.
known_bandwidth() {
	[ "$(value_of host "$against.about")" = "$(uname -n)" ] && [ "$(value_of environment "$against.about")" = native ] &&
		[ "$(value_of model "$against.about")" = "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" ] || return 0
	case $(value_of bandwidth_percent "$against.about") in '' | 100) ;; *) value_of bandwidth_percent "$against.about" ;; esac
}

write_result() { # HAND BANDWIDTH UNCERTAINTY
	printf '%s=%s\n' hand "$1" bandwidth "$2" uncertainty "$3" options "$(hand_options "$1" "$2")" base "$(said_profile "$against")" \
		known "$(known_bandwidth)" probes "$(($(wc -l <"$output/$1-probes/search") - 1))" methods "$(($(wc -l <"$output/$1-ratios.csv") - 1))"
	summary_of "$output/free-ratios.csv" | sed 's/^/before_/'
	summary_of "$output/$1-ratios.csv" | sed 's/^/after_/'
}
result_of() { # NAME FILE.result
	sed -n "s/^$1=//p" "$2"
}

show_result() { # HAND
	echo
	awk '{ at = index($0, "="); value[substr($0, 1, at - 1)] = substr($0, at + 1) }
		END {
			printf "%s: as fast as the base at %s %% ± %s of one processor; options: %s\n", value["hand"], value["bandwidth"],
				value["uncertainty"], value["options"]
			if (value["known"] != "") printf "known: %s %%, off by %+.2f %% of it\n", value["known"], 100 * (value["bandwidth"] / value["known"] - 1)
			before = value["before_greatest"] - value["before_least"]
			after = value["after_greatest"] - value["after_least"]
			printf "range before [%.2f, %.2f], after [%.2f, %.2f]: length %.2f and %.2f", value["before_least"], value["before_greatest"],
				value["after_least"], value["after_greatest"], before, after
			if (after > 0) printf ", a %.1f-fold reduction", before / after
			printf "; greatest / least %.2f and %.2f\n", value["before_greatest"] / value["before_least"],
				value["after_greatest"] / value["after_least"]
		}' "$output/$1.result"
	print_summary "$output/$1-ratios.csv"
	awk -f "$experiments/lib/variability_bins.awk" "$output/free-ratios.csv" "$output/$1-ratios.csv" >"$output/$1-bins.csv"
	printf '%22s %-44s %s\n' '' before after
	print_histogram "$output/$1-bins.csv"
	draw_histogram "$output/$1-bins.csv" "$output/$1.svg" "against $(basename "$against"), by $1 at $(result_of bandwidth "$output/$1.result") %" \
		'without a limit' "by $1"
	printf 'Picture: %s\n' "$output/$1.svg"
}

calibrate() {
	[ $# -eq 0 ] || trouble "calibrate: unexpected argument '$1' (--help says more)"
	[ -n "$against" ] || trouble 'calibrate: expected --against FILE, the profile of the base'
	[ -n "$hands" ] || trouble 'calibrate: expected --by HAND, out of quota, signals, freezer, frequency'
	[ "$environment" = native ] || trouble "calibrate: --in: only this machine itself can be calibrated"
	[ "$bandwidth" = 100 ] || trouble 'calibrate: --bandwidth is for profile and validate --record'
	[ "$rounds" -ge 2 ] || trouble 'calibrate: --rounds: expected 2 or more: the noise is seen in repetitions'
	kind=methods
	look_at_base "$against" methods
	look_at_weights
	against=$(absolute "$against")
	[ -n "$output" ] || trouble 'calibrate: expected --output DIR'
	[ ! -e "$output" ] || [ "$resume" = yes ] || trouble "$output is there already; --resume goes on with it, or choose another --output"
	[ -n "$methods" ] || methods=$(awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' "$against" | paste -s -d ' ' -)
	choose_methods
	for method in $methods; do grep -q "^$method," "$against" || trouble "--methods: $against has no rates of $method"; done
	prepare_to_measure
	mkdir -p "$output" || trouble "can't make $output"
	output=$(absolute "$output")
	[ -z "$free" ] || take_free
	measure_well "$output/free.csv" none 100
	look_at_pair "$against" "$output/free.csv"
	ratios_of "$output/free.csv" >"$output/free-ratios.csv"
	for hand in $hands; do calibrate_hand "$hand"; done
}

# What was measured before is of the same use. Its own about goes with it.
take_free() {
	look_at_pair "$against" "$free"
	[ "$(value_of hand "$free.about")" = none ] || trouble "--free: $free was held: expected a profile without a limit"
	[ -e "$output/free.csv" ] || { cp "$free" "$output/free.csv" && cp "$free.about" "$output/free.csv.about"; } || trouble "can't write to $output"
}
