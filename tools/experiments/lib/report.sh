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
	printf '\n![%s](%s)\n' "$2" "$1" >>"$md"
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

report_end() {
	report_heading "What it was run on"
	[ ! -e "$output/machine.txt" ] || report_file "$output/machine.txt"
	report_text "$(complete_runs | wc -l) of $(wc -l <"$output/runs.tsv") runs are complete. Each has a folder in runs, with its command, log and records; joblog says when it ran and how it ended."
	printf '</html>\n' >>"$html"
}
