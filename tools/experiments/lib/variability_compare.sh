# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Two profiles against each other: ratios, what they come to, histograms. Sourced by variability.
# shellcheck disable=SC2154 # of variability

ratios() { # BASE TARGET [paired]: as CSV
	awk -v paired="${3-}" -f "$experiments/lib/variability_ratios.awk" ${weights:+kind=weights "$(absolute "$weights")"} \
		kind=profile "$(absolute "$1")" "$(absolute "$2")"
}

summary_of() { # RATIOS
	awk -f "$experiments/lib/variability_summary.awk" "$1" || trouble "$1: there is nothing to compare"
}
figure() { # NAME RATIOS
	summary_of "$2" | sed -n "s/^$1=//p"
}

look_at_profile() { # FILE
	[ -r "$1" ] || trouble "$1: no file that can be read"
	[ "$(head -n 1 "$1")" = name,repetition,per_second ] || trouble "$1 is no profile: expected the first line name,repetition,per_second"
	[ -e "$1.about" ] || [ "$force" = yes ] || trouble "$1.about is missing, which says what $1 is of; copy it too, or use --force"
}

# Rates of two versions of stress-ng are of different work.
look_at_pair() { # BASE TARGET
	look_at_profile "$1"
	look_at_profile "$2"
	[ "$(value_of kind "$1.about")" = "$(value_of kind "$2.about")" ] || trouble "$1 has rates of $(value_of kind "$1.about"), $2 of $(value_of kind "$2.about")"
	one=$(value_of stress_ng "$1.about") other_one=$(value_of stress_ng "$2.about")
	[ "$one" = "$other_one" ] || [ "$force" = yes ] ||
		trouble "$1 is by stress-ng ${one:-of an unknown version}, $2 by ${other_one:-an unknown one}, whose work differs; --force compares all the same"
}

# The same, before anything is measured here.
look_at_base() { # FILE KIND
	look_at_profile "$1"
	[ "$(value_of kind "$1.about")" = "$2" ] || [ "$force" = yes ] || trouble "--against: $1 has rates of $(value_of kind "$1.about"), expected $2"
	here=$(stress-ng --version 2>/dev/null | sed -n 's/^stress-ng, version \([^ ,]*\).*/\1/p')
	[ "$(value_of stress_ng "$1.about")" = "$here" ] || [ "$force" = yes ] ||
		trouble "$1 is by stress-ng $(value_of stress_ng "$1.about"), here is ${here:-none}, whose work differs; --force compares all the same"
}

look_at_weights() {
	[ -n "$weights" ] || return 0
	[ -r "$weights" ] || trouble "--weights: $weights: no file that can be read"
	awk '!/^[ \t]*(#|$)/ && (NF != 2 || $2 !~ /^[0-9]+(\.[0-9]+)?$/) { exit 1 }' "$weights" ||
		trouble "--weights: $weights: expected lines of a name and its weight, such as queens 2"
}

# Names that one of two profiles has alone.
said_alone() { # BASE TARGET
	awk -F, '
		FNR == 1 { file++; next }
		!seen[file, $1]++ { have[$1] += file; if (!($1 in place)) { place[$1] = ++count; name[count] = $1 } }
		END {
			for (i = 1; i <= count; i++) if (have[name[i]] < 3) list[have[name[i]]] = list[have[name[i]]] " " name[i]
			if (list[1] != "") print "only in the base:" list[1]
			if (list[2] != "") print "only in the target:" list[2]
		}' "$1" "$2"
}

said_profile() { # FILE
	if [ -e "$1.about" ]; then
		held=
		[ "$(value_of hand "$1.about")" = none ] || held=", held at $(value_of bandwidth_percent "$1.about") % by $(value_of hand "$1.about")"
		printf '%s (%s, %s, stress-ng %s%s, %s)' "$1" "$(value_of model "$1.about")" "$(value_of environment "$1.about")" \
			"$(value_of stress_ng "$1.about")" "$held" "$(value_of date "$1.about")"
	else
		printf '%s' "$1"
	fi
}

print_summary() { # RATIOS
	summary_of "$1" | awk -F= -v weighted="$weights" '
		{ value[$1] = $2 }
		END {
			printf "names                 %d\n", value["count"]
			printf "range                 [%.2f, %.2f], length %.2f; greatest / least %.2f\n", value["least"], value["greatest"],
				value["greatest"] - value["least"], value["greatest"] / value["least"]
			printf "median                %.3f\n", value["median"]
			noise = sqrt(value["noise"] ^ 2 + value["base_noise"] ^ 2)
			printf "mean                  %.3f%s (%s)\n", value["mean"], (noise > 0 ? sprintf(" ± %.3f with 95 %%", 2 * noise) : ""),
				(weighted == "" ? "all weigh the same" : "weights: " weighted)
			printf "within 10 %% of 1      %.0f %% (%d of %d)\n", 100 * value["within"] / value["count"], value["within"], value["count"]
		}'
}

# One row a bin; of two profiles one beside the other.
print_histogram() { # BINS
	awk -F, '
		NR == 1 { next }
		{ low[++rows] = $1; high[rows] = $2; first[rows] = $3; second[rows] = $4; if ($3 > most) most = $3; if ($4 > most) most = $4; both += $4 }
		function bar(count,    text) { text = ""; for (k = 0; k < count * scale; k++) text = text "#"; return text (count ? " " count : "") }
		END {
			scale = most > 40 ? 40 / most : 1
			for (r = 1; r <= rows; r++) {
				line = sprintf("%8s to %-8s", low[r], high[r])
				line = line (both ? sprintf(" %-44s %s", bar(first[r]), bar(second[r])) : " " bar(first[r]))
				sub(/ +$/, "", line)
				print line
			}
		}' "$1"
}

draw_histogram() { # BINS FILE.svg TITLE FIRST [SECOND [LINES]]
	command -v gnuplot >/dev/null || trouble 'gnuplot is missing (tools/setup experiments)'
	awk -v title="$3" -v first="$4" -v second="${5-}" -v lines="${6-}" -f "$experiments/lib/variability_gnuplot.awk" "$1" >"$temporary/gnuplot" ||
		trouble "$1 has nothing to draw"
	gnuplot "$temporary/gnuplot" >"$temporary/picture.svg" 2>"$temporary/gnuplot.err" ||
		trouble "gnuplot failed: $(head -n 3 "$temporary/gnuplot.err" | paste -s -d ' ' -)"
	cp "$temporary/picture.svg" "$2" || trouble "can't write $2"
}

compare() {
	[ $# -eq 2 ] || trouble 'compare: expected two profiles: BASE TARGET'
	look_at_pair "$1" "$2"
	look_at_weights
	ratios "$1" "$2" >"$temporary/ratios.csv"
	[ "$(wc -l <"$temporary/ratios.csv")" -gt 1 ] || trouble "$1 and $2 have no name in common"
	printf 'base    %s\ntarget  %s\n' "$(said_profile "$1")" "$(said_profile "$2")"
	said_alone "$1" "$2"
	awk -F, 'NR > 1 {
		noise = sqrt($6 ^ 2 + $7 ^ 2)
		printf "  %-20s %10.3f%s\n", $1, $4, (noise > 0 ? sprintf(" ± %.1f %%", 200 * noise) : "")
	}' "$temporary/ratios.csv"
	print_summary "$temporary/ratios.csv"
	awk -f "$experiments/lib/variability_bins.awk" "$temporary/ratios.csv" >"$temporary/bins.csv"
	print_histogram "$temporary/bins.csv"
	if [ -n "$output" ]; then
		cp "$temporary/ratios.csv" "$output.csv" || trouble "can't write $output.csv"
		draw_histogram "$temporary/bins.csv" "$output.svg" "$(basename "$2") against $(basename "$1")" "$(basename "$2")"
		printf 'Ratios: %s.csv; picture: %s.svg\n' "$output" "$output"
	fi
}
