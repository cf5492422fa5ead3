# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What calibrations found, as a block of tools/experiments/README.md. Sourced by variability.
# shellcheck disable=SC2154 # of variability

# The results of one in which a hand was had.
had() { # DIR
	grep -L '^unavailable=' "$1"/*.result 2>/dev/null
}

# Of each calibration a table, its hands as rows, and what comparing the hands says of the paper's open question.
published() { # DIR...
	for folder do
		printf 'Against %s:\n\n' "$(result_of base "$(had "$folder" | head -n 1)" | sed 's,.*/,,')"
		awk -f "$experiments/lib/variability_table.awk" "$folder"/*.result
		echo
	done
	for folder do
		for result in "$folder"/*.result; do
			hand=$(result_of hand "$result")
			why=$(result_of unavailable "$result")
			printf 'calibration %s\nhand %s %s\n' "$folder" "$hand" "$why"
			[ -n "$why" ] || sed 1d "$folder/$hand-ratios.csv"
		done
	done | awk -f "$experiments/lib/variability_hands.awk"
}

# The block says which revision measured, when, and on what: all of it must be of one, and on this machine.
look_at_measured() { # DIR...
	for folder do
		had "$folder" | while IFS= read -r result; do
			about=${result%.result}.csv.about
			for key in host kernel; do
				[ "$(value_of $key "$about")" = "$(value_of $key "$temporary/here")" ] ||
					trouble "--publish: ${about%.about} was measured on another machine or kernel than this ($key: $(value_of $key "$about"))"
			done
			printf '%s %s\n' "$(value_of revision "$about")" "$(value_of date "$about" | cut -d ' ' -f 1)"
		done || exit 125
	done >"$temporary/measured" || exit 125
	# The day on which the last of them was begun.
	measured_revision=$(cut -d ' ' -f 1 "$temporary/measured" | sort -u)
	measured_date=$(cut -d ' ' -f 2 "$temporary/measured" | sort | tail -n 1)
	case $measured_revision in *[!0-9a-z-]*) trouble "--publish: measured by several revisions: $(printf '%s' "$measured_revision" | tr '\n' ' ')" ;; esac
	[ "$measured_revision" = "$published_revision" ] || [ "$force" = yes ] ||
		trouble "--publish: measured by revision $measured_revision, this is $published_revision; --force publishes it all the same"
}

publish() {
	[ $# -gt 0 ] || trouble 'publish: expected the --output of one calibration or more'
	for folder do
		[ -n "$(had "$folder")" ] || trouble "$folder holds no calibration"
		had "$folder" | while IFS= read -r result; do
			[ -s "${result%.result}-ratios.csv" ] || trouble "${result%.result}-ratios.csv is missing"
		done || exit 125
	done
	if [ "$publish" = yes ]; then
		publish_look tools/experiments/README.md variability
		[ -n "$build" ] || build=$root/build/demo
		[ -x "$build/showstopper" ] || trouble "$build/showstopper isn't there (--build says where)"
		printf 'host: %s\nkernel: %s\n' "$(uname -n)" "$(uname -sr)" >"$temporary/here"
		look_at_measured "$@"
	fi
	published "$@" >"$temporary/block"
	cat "$temporary/block"
	[ "$publish" = no ] || publish_block tools/experiments/README.md variability <"$temporary/block"
}
