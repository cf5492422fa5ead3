# SPDX-License-Identifier: MIT
# Markdown tables out of the medians.csv of tools/bench/peers: one per workload, instances and background; a row per tool, a column per
# target load.
BEGIN {
	FS = ","
	title["idle"] = ""
	title["background"] = ", beside the background program"
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

{
	group = $1 FS $2 FS $3
	tool = $4
	target = $5
	if (!(group in tools)) {
		groups[++n] = group
		tools[group] = 0
	}
	if (!((group, tool) in seen)) {
		seen[group, tool] = 1
		name[group, ++tools[group]] = tool
	}
	if (!((group, "target", target) in seen)) {
		seen[group, "target", target] = 1
		list[group, ++targets[group]] = target
	}
	ratio = $column["mse_ratio"] == "" || tool == "default" ? "" : sprintf(" (%s×, %s×)", brief($column["error_ratio"]), brief($column["mse_ratio"]))
	cell[group, tool, target] = sprintf("%+.2f, %.2f%s", $column["mean_error_pp"], $column["mse_500_pp2"], ratio)
	if ($column["own_cpu_percent"] != "")
		own[group, tool] = sprintf("%.2f", $column["own_cpu_percent"])
}

function brief(x) { return sprintf(x < 10 ? "%.1f" : "%.0f", x) }

END {
	for (i = 1; i <= n; i++) {
		split(groups[i], part, FS)
		group = groups[i]
		printf "%s### %s, %s workloads%s\n\n| tool |", (i > 1 ? "\n" : ""), part[1], part[2], title[part[3]]
		for (a = 1; a <= targets[group]; a++)
			printf " %s %% |", list[group, a]
		printf " own CPU, %% |\n| --- |"
		for (a = 1; a <= targets[group] + 1; a++)
			printf " ---: |"
		print ""
		for (k = 1; k <= tools[group]; k++) {
			tool = name[group, k]
			printf "| %s |", tool
			for (a = 1; a <= targets[group]; a++)
				printf " %s |", cell[group, tool, list[group, a]]
			printf " %s |\n", own[group, tool]
		}
	}
}
