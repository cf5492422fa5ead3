# SPDX-License-Identifier: MIT
# A Markdown table out of the text report of gcovr: lines and executed lines per folder, with the file of each that is covered least.
# A name of more than 40 characters stands on a line of its own there. Fails when the sums are not those of the report.
/^(src|modules)\// { file = $1; sub(/^[^ ]+/, "") }

file != "" && NF >= 3 {
	folder = file
	sub(/\/[^\/]*$/, "", folder)
	if (!(folder in lines)) {
		order[++folders] = folder
		worst[folder] = 101
	}
	lines[folder] += $1
	executed[folder] += $2
	all += $1
	done += $2
	if ($1 > 0 && 100 * $2 / $1 < worst[folder]) {
		worst[folder] = 100 * $2 / $1
		at[folder] = file
	}
	file = ""
}

$1 == "TOTAL" { total = $2; covered = $3 }

function percent(part, of) { return of ? sprintf("%.1f", 100 * part / of) : "" }

END {
	if (!all || all != total || done != covered)
		exit 1
	print "| folder | lines | executed, % | least, % | in |"
	print "| --- | ---: | ---: | ---: | --- |"
	for (i = 1; i <= folders; i++) {
		folder = order[i]
		printf "| `%s` | %d | %s | %.1f | `%s` |\n", folder, lines[folder], percent(executed[folder], lines[folder]), worst[folder],
			substr(at[folder], length(folder) + 2)
	}
	printf "| all | %d | %s | | |\n", all, percent(done, all)
}
