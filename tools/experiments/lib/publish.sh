# SPDX-License-Identifier: MIT
# What --publish of a batch writes: a block of tools/bench/README.md, and the CSV files behind it into tools/experiments/measured, where findings looks for
# them. Sourced by lib/batch.sh. An experiment may have
#   published_report    (a function) the text of the block, in Markdown; without it, that is the report without its pictures
#   published_as        another name of the block and of the folder than its own, which `settings` may set

. "$root/tools/experiments/lib/measured.sh"

# A batch that was measured before is published while nothing has changed that its runs depend on, and on the machine that ran them.
look_at_measured() {
	publish_measured "$(cat "$output/revision" 2>/dev/null)" "$(sed -n 's/^date: \([-0-9]*\).*/\1/p' "$output/machine.txt" 2>/dev/null)" "$output" \
		include src modules CMakeLists.txt tools/cmake tools/experiments/workload tools/experiments/workloads \
		tools/experiments/lib/run.sh tools/experiments/lib/environment tools/experiments/lib/environments
	[ ! -e "$output/machine.txt" ] || [ "$simulated" = yes ] || same_machine || trouble "--publish: $output was measured on another machine or kernel than this"
}

publish_report() {
	missing=$(($(wc -l <"$output/runs.tsv") - $(complete_runs | wc -l)))
	[ "$missing" -eq 0 ] || trouble "--publish: $missing runs of $output are missing; --resume makes them"
	if command -v published_report >/dev/null; then
		published_report
	else
		# Without title, pictures and the machine, and as a part of a longer document.
		awk '/^## What it was run on/ { exit }
			/^# / || /^!\[/ || ended && /^$/ { next }
			{ ended = /^$/ && NR > 1; sub(/^## /, "#### "); print }' "$output/$experiment.md" | sed '1{/^$/d;}'
	fi >"$output/published.md" || trouble 'there is nothing to publish'
	publish_block tools/bench/README.md "experiments-$published_as" <"$output/published.md"
	keep_measured
}

# Of each environment a folder; what was there before goes, as its table has.
keep_measured() {
	kept=$publish_to/tools/experiments/measured
	for environment in native lxc qemu; do rm -rf "$kept/$published_as-$environment"; done
	measured_files "$output" | while IFS=$tab read -r kind file; do
		# Of any two batches: its name wouldn't say which.
		[ "$kind" != ratio-other ] || continue
		part=${file%/*}
		case $several in yes) part=${part##*/} ;; no) part=$environments ;; esac
		to=$kept/$published_as-$part
		# Names of files as they are within the batch.
		mkdir -p "$to" && awk -v prefix="$output/" '{ while (at = index($0, prefix)) $0 = substr($0, 1, at - 1) substr($0, at + length(prefix)); print }' \
			"$file" >"$to/${file##*/}" || trouble "can't write $to"
		[ -e "$to/about.md" ] || publish_heading >"$to/about.md"
	done
}
