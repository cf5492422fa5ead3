# SPDX-License-Identifier: MIT
# A line for each workload and target load that tools/bench/accuracy repeated, out of its table: means over the repeats, with what is added and
# taken away for a confidence of 95 %. Needs lib/interval.awk.
BEGIN { FS = "," }

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

function add(key, what, value) {
	if (value == "")
		return
	n[key, what]++
	all[key, what] += value
	squares[key, what] += value * value
}

{
	key = "`" $column["profile"] "`, " $column["target_percent"] " %"
	if (!(key in seen))
		order[++keys] = key
	seen[key]++
	add(key, "error", $column["mean_error_pp"])
	add(key, "mse", $column["mse_pp2"])
	add(key, "calm error", $column["calm_error_pp"])
	add(key, "calm mse", $column["calm_mse_pp2"])
}

function shown(key, what, form,    half) {
	half = half_interval(all[key, what], squares[key, what], n[key, what])
	return sprintf(form, all[key, what] / n[key, what]) (half == "" ? "" : sprintf(" ± %.2f", half))
}

END {
	for (i = 1; i <= keys; i++) {
		key = order[i]
		if (seen[key] < 2)
			continue
		if (!lines++)
			print "Means over repeats and their 95 % confidence:\n"
		printf "- %s: %s pp, %s pp²", key, shown(key, "error", "%+.2f"), shown(key, "mse", "%.2f")
		if (n[key, "calm mse"])
			printf "; without bursts %s pp, %s pp²", shown(key, "calm error", "%+.2f"), shown(key, "calm mse", "%.2f")
		print ""
	}
}
