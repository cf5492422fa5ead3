# SPDX-License-Identifier: MIT
# Of ssreport interference's CSV, whose labels are foreground_background_scheme_repetition, a row for each pair and scheme. Needs
# bench/lib/interval.awk.
NR == 1 {
	for (i = 1; i <= NF; i++) column[$i] = i
	print "foreground,background,scheme,repeats,interference,symmetric,significant,half,none"
	next
}
{
	split($column["label"], part, "_")
	key = part[1] OFS part[2] OFS part[3]
	if (!(key in repeats)) { order[++keys] = key; symmetric[key] = significant[key] = "yes" }
	repeats[key]++
	if ($column["interference"] != "") {
		n[key]++
		sum[key] += $column["interference"]
		squares[key] += $column["interference"] ^ 2
	}
	if ($column["symmetric"] != "yes") symmetric[key] = "no"
	if ($column["significant"] != "yes") significant[key] = "no"
}
END {
	for (i = 1; i <= keys; i++) {
		k = order[i]
		mean = half = none = ""
		if (n[k]) mean = sprintf("%.2f", sum[k] / n[k])
		if (n[k] > 1) {
			half = sprintf("%.2f", half_interval(sum[k], squares[k], n[k]))
			none = mean + 0 <= half + 0 && -mean <= half + 0 ? "yes" : "no"
		}
		print k, repeats[k], mean, symmetric[k], significant[k], half, none
	}
}
