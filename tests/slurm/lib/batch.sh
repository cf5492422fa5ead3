# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Batches of the cases. Sourced by lib/inside.
#   accuracy OPTION...      tools/experiments/accuracy with the programs of this build, two workloads and short runs, into $work/study
#   start_accuracy OPTION... the same in the background
#   runs_complete N         whether so many runs of it are complete
#   is_under_way            whether a run of it has begun on a node, and not ended: then $job is its job
#   expect_whole N          that N runs are complete, that none is half, and that its joblog and report say so

accuracy() {
	run "$source/tools/experiments/accuracy" -B "$build" -w burn-single,burn-parallel -l 50 -s CDC,default -u 0 -t 2 -c 0 --force -o study "$@"
}
start_accuracy() {
	start_background "$source/tools/experiments/accuracy" -B "$build" -w burn-single,burn-parallel -l 50 -s CDC,default -u 0 -t 2 -c 0 --force -o study "$@"
}

# shellcheck disable=SC2012 # labels
complete() {
	ls study/runs 2>/dev/null | grep -Evc '\.(part|failed)$'
}
runs_complete() {
	[ "$(complete)" -ge "$1" ]
}
is_under_way() {
	for log in study/cluster/*/runs/*.part/log.csv; do
		[ -e "$log" ] && [ "$(wc -l <"$log")" -ge 2 ] || continue
		job=${log#study/cluster/*.*.}
		job=${job%%-*}
		return 0
	done
	return 1
}

expect_whole() {
	[ "$(complete)" -eq "$1" ] || fail "$what: $(complete) of $1 runs are complete"
	[ -z "$(find study -name '*.part')" ] || fail "$what: there is half a run: $(find study -name '*.part')"
	[ -z "$(find study/cluster -mindepth 1 -type d)" ] || fail "$what: an attempt was left behind"
	for folder in study/runs/*; do
		case $folder in *.failed) continue ;; esac
		for file in command log.csv record.csv machine.txt node; do
			[ -s "$folder/$file" ] || fail "$what: $folder has no $file"
		done
	done
	awk -F '\t' 'NR > 1 && (NF != 9 || $2 !~ /^n[12]$/) { exit 1 }' study/joblog || fail "$what: joblog is not as GNU parallel writes it, with nodes"
	expect_text study/accuracy.md "^$1 of $1 runs are complete"
}
