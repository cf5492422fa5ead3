# SPDX-License-Identifier: MIT
# Rows of one workload, a row per target with the paper's below it, a column per setting: from paper/table1.csv and accuracy.csv.
# Needs bench/lib/whole.awk. Variables: workload, class, chosen (settings, separated by blanks), processors.
function pair(error, mse) {
	if (mse == "") return ""
	mse = sprintf(mse >= 100 ? "%.0f" : "%.2f", mse)
	return error == "" ? "MSE " mse : sprintf("%+.2f / %s", error, mse)
}
/^#/ { next }
FNR == 1 || $1 == "benchmark" {
	for (i = 1; i <= NF; i++) column[$i] = i
	paper = $1 == "benchmark"
	next
}
paper && $column["class"] == class {
	benchmark = $column["benchmark"]
	key = $column["target_percent"] SUBSEP $column["setting"]
	theirs[key] = pair($column["mean_error_pp"], $column["mse_pp2"])
	known[$column["target_percent"]] = 1
}
!paper && $column["workload"] == workload {
	target = $column["target_percent"]
	ours[target, $column["setting"]] = pair($column["mean_error_pp"], $column["mse_pp2"])
	if ($column["setting"] == "N-bench" && !is_whole(target, processors)) ours[target, "N-bench"] = ours[target, "N-bench"] " *"
	if (!(target in seen)) order[++targets] = target
	seen[target] = 1
}
END {
	count = split(chosen, setting, " ")
	line = "target"
	for (i = 1; i <= count; i++) line = line OFS setting[i]
	print line
	for (t = 1; t <= targets; t++) {
		line = order[t] " %"
		for (i = 1; i <= count; i++) line = line OFS ours[order[t], setting[i]]
		print line
		if (!(order[t] in known)) continue
		line = "paper: " benchmark
		for (i = 1; i <= count; i++) line = line OFS theirs[order[t], setting[i]]
		print line
	}
}
