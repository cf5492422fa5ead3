# SPDX-License-Identifier: MIT
# A row of tools/bench/accuracy out of one run. Needs lib/bursts.awk. Arguments: the log of cpuload of what is measured (NAME.tree.csv), and that of the
# machine. Variables: profile, target, repetition; error and mse, as Showstopper reported them; own, its CPU time; table, to which the row is added.
BEGIN { FS = "," }

FNR == 1 {
	is_tree = FILENAME ~ /tree\.csv$/
	before = ""
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

is_tree {
	tree_add($column["monotonic_s"], $column["load"], $column["monotonic_s"] - $column["time_s"])
	next
}

{
	now = $column["monotonic_s"]
	if (before == "")
		before = now - $column["time_s"]
	n++
	start[n] = before
	end[n] = before = now
	off[n] = 100 * $column["load"] - target
	load += 100 * $column["load"]
	sum += off[n]
	squares += off[n] * off[n]
	machine_add(start[n], now, $column["load"])
}

END {
	if (!n)
		exit 1
	for (i = 1; i <= n; i++) {
		if (!is_calm(start[i], end[i]))
			continue
		calm++
		calm_sum += off[i]
		calm_squares += off[i] * off[i]
	}
	bursts = knows_others ? n - calm : ""
	calm_error = calm ? sprintf("%.3f", calm_sum / calm) : ""
	calm_mse = calm ? sprintf("%.3f", calm_squares / calm) : ""
	printf "%s,%d,%d,%d,%.3f,%.3f,%.3f,%s,%s,%s,%s,%s,%s\n", profile, target, repetition, n, load / n, sum / n, squares / n, error, mse, own,
		bursts, calm_error, calm_mse >>table
	good = sum / n <= 1 && sum / n >= -1 && squares / n < 12
	printf "%-10s %7d %8d %8.2f %+11.2f %10.2f %10s %11s %10s   %-16s%s\n", profile, target, n, load / n, sum / n, squares / n,
		bursts == "" ? "unknown" : bursts, calm ? sprintf("%+.2f", calm_error) : "", calm ? sprintf("%.2f", calm_mse) : "", own, good ? "" : "  MISSED"
}
