# SPDX-License-Identifier: MIT
# What means_over_repeats of settings.sh says, of ssreport's CSV. Variables: row_name, and wanted, the columns, as they are given there. Needs
# bench/lib/interval.awk.
BEGIN { columns = split(wanted, want, " ") }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
	split($column["label"], part, "_")
	key = part[1] OFS part[2] OFS part[3]
	if (!(key in n)) order[++keys] = key
	n[key]++
	for (c = 1; c <= columns; c++) {
		split(want[c], field, ":")
		if ($column[field[1]] == "") continue
		value = field[3] * $column[field[1]]
		sum[key, c] += value
		squares[key, c] += value ^ 2
		known[key, c]++
	}
}
function shown(key, c,    half) {
	split(want[c], field, ":")
	half = field[5] != "half" ? "" : OFS (known[key, c] < 2 ? "" : sprintf("%.3g", half_interval(sum[key, c], squares[key, c], known[key, c])))
	if (!known[key, c] || (field[5] == "sum" && known[key, c] < n[key])) return half
	return sprintf(field[4], field[5] == "sum" ? sum[key, c] : sum[key, c] / known[key, c]) half
}
END {
	line = "workload" OFS row_name OFS "setting" OFS "repeats"
	for (c = 1; c <= columns; c++) {
		split(want[c], field, ":")
		line = line OFS field[2] (field[5] == "half" ? OFS field[2] "_half" : "")
	}
	print line
	for (i = 1; i <= keys; i++) {
		line = order[i] OFS n[order[i]]
		for (c = 1; c <= columns; c++) line = line OFS shown(order[i], c)
		print line
	}
}
