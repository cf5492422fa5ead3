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

# The block says which revision measured.
look_at_revision() { # DIR
	for result in $(had "$1"); do
		measured_by=$(value_of revision "${result%.result}.csv.about")
		[ "$measured_by" = "$published_revision" ] || [ "$force" = yes ] ||
			trouble "--publish: ${result%.result}.csv was measured by revision $measured_by, this is $published_revision; --force publishes it all the same"
	done
}

publish() {
	[ $# -gt 0 ] || trouble 'publish: expected the --output of one calibration or more'
	for folder do
		[ -n "$(had "$folder")" ] || trouble "$folder holds no calibration"
		for result in $(had "$folder"); do
			[ -s "${result%.result}-ratios.csv" ] || trouble "${result%.result}-ratios.csv is missing"
		done
	done
	if [ "$publish" = yes ]; then
		publish_look tools/experiments/README.md variability
		[ -n "$build" ] || build=$root/build/demo
		[ -x "$build/showstopper" ] || trouble "$build/showstopper isn't there (--build says where)"
		for folder do look_at_revision "$folder"; done
	fi
	published "$@" >"$temporary/block"
	cat "$temporary/block"
	[ "$publish" = no ] || publish_block tools/experiments/README.md variability <"$temporary/block"
}
