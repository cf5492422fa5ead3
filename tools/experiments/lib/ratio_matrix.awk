# SPDX-License-Identifier: MIT
# A batch's ratio.csv (pair, scheme, repetition, least, median, most) as a matrix, foregrounds downwards and backgrounds to the right: the mean of the
# medians over the repetitions with its interval, and the least and greatest of all. Variables: scheme, workloads. Needs bench/lib/interval.awk.
NR > 1 && $2 == scheme {
	split($1, part, " beside ")
	key = part[1] SUBSEP part[2]
	sum[key] += $5
	squares[key] += $5 ^ 2
	if (!n[key]++ || $4 + 0 < least[key]) least[key] = $4 + 0
	if (n[key] == 1 || $6 + 0 > most[key]) most[key] = $6 + 0
	rows++
}
function cell(key,    half) {
	if (!n[key]) return ""
	half = half_interval(sum[key], squares[key], n[key])
	return sprintf("%.3f%s (%.2f to %.2f)", sum[key] / n[key], half == "" ? "" : sprintf(" ±%.3f", half), least[key], most[key])
}
END {
	if (!rows) exit
	count = split(workloads, name, " ")
	line = "foreground"
	for (i = 1; i <= count; i++) line = line OFS name[i]
	print line
	for (i = 1; i <= count; i++) {
		line = name[i]
		for (j = 1; j <= count; j++) line = line OFS cell(name[i] SUBSEP name[j])
		print line
	}
}
