# SPDX-License-Identifier: MIT
# A report as Markdown and as one HTML page that needs no other file: text, tables from CSV, pictures. Sourced by lib/batch.sh's callers.

report_begin() { # TITLE
	md=$output/$experiment.md html=$output/$experiment.html
	printf '# %s\n' "$1" >"$md"
	{
		printf '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>%s</title>\n' "$(as_html "$1")"
		cat <<'END'
<style>
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; }
th, td { border-bottom: 1px solid #ccc; padding: 0.15em 0.7em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; }
pre { background: #f4f4f4; padding: 0.7em; overflow-x: auto; font-size: 13px; }
</style>
END
		printf '<h1>%s</h1>\n' "$(as_html "$1")"
	} >"$html"
	report_machines
	report_emulated
	# That of several environments says it of each.
	[ "$output" = "${whole-}" ] || report_notes
}

# What comes first: figures of emulated guests say nothing.
report_emulated() {
	report_lines "$(cat "$output"/runs/*/environment.txt "$output"/*/runs/*/environment.txt 2>/dev/null | grep '^Emulated' | sort -u)"
}
report_lines() { # LINES, each a paragraph
	printf '%s\n' "$1" | while IFS= read -r line; do report_text "$line"; done
}

# What the environments of the runs in $output were, and were not.
report_notes() {
	case $([ ! -e "$output/runs.tsv" ] || awk -F "$tab" '{ print $6; exit }' "$output/runs.tsv") in
	lxc) report_text 'Each side of a run was in a container of its own (LXC), of the same kernel.' ;;
	qemu) report_text 'Each side of a run was in a virtual machine of its own (QEMU).' ;;
	esac
	report_lines "$(cat "$output"/runs/*/environment.txt 2>/dev/null | grep -v '^Emulated' | sort -u)"
}

# Of a batch with several environments: what they are, and one beside the other where the experiment can do that.
report_environments() {
	report_begin "$experiment in several environments"
	for environment in $reported; do
		report_text "$environment: $(complete_runs | grep -c "^$environment/") of $(wc -l <"$output/$environment/runs.tsv") runs are complete; the report is $environment/$experiment.html."
		output=$output/$environment
		report_notes
		output=${output%/*}
	done
	if command -v compare_environments >/dev/null; then compare_environments || return 1; fi
	report_end
}

as_html() {
	printf '%s' "$*" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
}

report_heading() {
	printf '\n## %s\n' "$*" >>"$md"
	printf '<h2>%s</h2>\n' "$(as_html "$*")" >>"$html"
}

report_text() { # none where it is empty
	[ -n "$*" ] || return 0
	printf '\n%s\n' "$*" >>"$md"
	printf '<p>%s</p>\n' "$(as_html "$*")" >>"$html"
}

report_file() { # FILE: its lines as they are
	printf '\n```\n%s\n```\n' "$(cat "$1")" >>"$md"
	printf '<pre>%s</pre>\n' "$(as_html "$(cat "$1")")" >>"$html"
}

report_table() { # FILE.csv
	printf '\n' >>"$md"
	awk -v format=markdown -f "$experiments/lib/table.awk" "$1" >>"$md"
	awk -v format=html -f "$experiments/lib/table.awk" "$1" >>"$html"
}

report_picture() { # FILE.svg in the output, and what it shows
	printf '\n![%s](%s)\n' "$2" "${pictures_in-}$1" >>"$md"
	printf '<p><img alt="%s" src="data:image/svg+xml;base64,%s"></p>\n' "$(as_html "$2")" "$(base64 -w 0 "$output/$1")" >>"$html"
}

report_row() { # WHAT THEY SHOW, FILE.svg... in the output: beside each other
	what=$1
	shift
	printf '\n' >>"$md"
	printf '<p>' >>"$html"
	for file do
		printf '![%s](%s) ' "$what" "$file" >>"$md"
		printf '<img style="max-width: %s%%" alt="%s" src="data:image/svg+xml;base64,%s">' "$((99 / $#))" "$(as_html "$what")" "$(base64 -w 0 "$output/$file")" >>"$html"
	done
	printf '\n' >>"$md"
	printf '</p>\n' >>"$html"
}

# Runs whose workloads were not warm when they were measured: in the two last quarters of the warm-up their throughput was not the same.
report_warm() {
	report_text "$(warm_said)"
}
warm_said() {
	set --
	for file in "$output"/runs/*/warm.csv "$output"/*/runs/*/warm.csv; do
		[ ! -e "$file" ] || set -- "$@" "$file"
	done
	[ $# -gt 0 ] || return 0
	awk -F, '
		FNR == 1 { files++; next }
		FNR == 2 { runs++ }
		$4 > 2 || $4 < -2 {
			if (FILENAME != last) { cold++; names = FILENAME; sub("/warm.csv$", "", names); sub(".*/", "", names); if (cold <= 12) list = list (list == "" ? "" : ", ") names }
			last = FILENAME
		}
		END {
			if (runs < files) printf "Of %d runs it is not known whether they were warm, as no iteration ended in one of the last two quarters of the warm-up. ", files - runs
			if (!runs) exit
			if (!cold) { printf "All %d runs were warm: the throughput of the last two quarters of the warm-up was the same within 2 %%.", runs; exit }
			printf "Not warm were %d of %d runs: the throughput of the last two quarters of the warm-up (30 s each at most) was not the same within 2 %%: %s%s.", cold, runs, list, (cold > 12 ? ", …" : "")
		}' "$@"
}

report_end() {
	report_warm
	report_heading "What it was run on"
	[ ! -e "$output/machine.txt" ] || report_file "$output/machine.txt"
	report_text "$(complete_runs | wc -l) of $(wc -l <"$output/runs.tsv") runs are complete. Each has a folder in runs, with its command, log and records; joblog says when it ran and how it ended."
	printf '</html>\n' >>"$html"
}
