# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: the table of how exactly loads were held. Needs $results, $root and what lib/table.sh needs.
#   exact_table     prints what the cases that are called exact… printed when they were run last in the machine plain, of each kernel
#   exact_publish   puts that into the document

# shellcheck disable=SC2154 # the caller's
exact_rows() {
	for output in "$results"/*/plain/exact*/output; do
		[ -e "$output" ] || continue
		name=${output%/output}
		series=${name%/plain/*}
		series=$(printf '%s' "${series##*/}" | sed -E 's/^linux-image-([0-9]+[.][0-9]+).*/\1/')
		sed -nE "s/^[|] ([0-9]+ [|] [0-9]+ [|] [a-z]+ [|] .*) [|] [0-9.]+ [|]\$/| $series | ${name##*/} | \1 |/p" "$output"
	done | sort -t '|' -k 2,2V -k 3,3 -k 4,4n -k 5,5n
}

exact_table() {
	printf '| kernel | case | target %% | instances | held by | threads %% | interrupts %% | error pp | own error pp | groups %% | schedstat %% | idle %% |\n'
	printf '| --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n'
	exact_rows
	cat <<END

Two emulated processors, a minute for each row (\`exact-groups\`: half of one). *threads*: the processor clocks of all threads over that time but for its first
and last seconds; *interrupts*: what /proc/stat has of them; *error*: both together less the target; *own error*: the mean error that the run said. The rest is what
\`cpuload -s\` recorded meanwhile by that source.
END
}

# shellcheck disable=SC2154 # the caller's
exact_publish() {
	exact_table >"$work/exact"
	"$publisher" block tests/vm/README.md vm-exact "$build" "$published_revision" "$called" <"$work/exact" || exit 125
}
