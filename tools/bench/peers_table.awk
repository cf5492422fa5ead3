# SPDX-License-Identifier: MIT
# Markdown tables out of the medians.csv of tools/bench/peers: one per workload, instances and background; a row per tool, a column per
# target load. Below each the same of the samples that met no burst of others. Needs lib/whole.awk; variable: processors.
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
	mark = ""
	if (tool == "N-bench" && !is_whole(target, processors)) {
		mark = " \\*"
		marked[group] = 1
	}
	cell[group, tool, target] = sprintf("%+.2f, %.2f%s%s", $column["mean_error_pp"], $column["mse_500_pp2"], ratio, mark)
	if ($column["repeats"] > 1) {
		repeats[group, tool] = $column["repeats"]
		means[group, tool] = means[group, tool] sprintf("%s%s %%: %s pp, %s pp²", means[group, tool] == "" ? "" : "; ", target,
			plus_minus($column["mean_error_mean_pp"], $column["mean_error_half_pp"], "%+.2f"),
			plus_minus($column["mse_500_mean_pp2"], $column["mse_500_half_pp2"], "%.2f"))
		if ($column["calm_mse_500_mean_pp2"] != "")
			calm_means[group, tool] = calm_means[group, tool] sprintf("%s%s %%: %s pp, %s pp²", calm_means[group, tool] == "" ? "" : "; ", target,
				plus_minus($column["calm_error_mean_pp"], $column["calm_error_half_pp"], "%+.2f"),
				plus_minus($column["calm_mse_500_mean_pp2"], $column["calm_mse_500_half_pp2"], "%.2f"))
	}
	samples[group] += $column["samples"]
	bursts[group] += $column["bursts"]
	if ($column["bursts"] == "")
		unknown[group] = 1
	if ($column["calm_error_pp"] != "")
		calm[group, tool, target] = sprintf("%+.2f, %.2f%s", $column["calm_error_pp"], $column["calm_mse_500_pp2"], mark)
	if ($column["own_cpu_percent"] != "")
		own[group, tool] = sprintf("%.2f", $column["own_cpu_percent"])
}

function brief(x) { return sprintf(x < 10 ? "%.1f" : "%.0f", x) }

# MEAN HALF of an interval, the latter perhaps unknown.
function plus_minus(mean, half, form) {
	return sprintf(form, mean) (half == "" ? "" : sprintf(" ± %.2f", half))
}

# What is said of bursts, and the table without them.
function print_calm(group,    a, k, tool) {
	if (unknown[group] || !samples[group]) {
		print "\nWhat others did meanwhile is unavailable."
		return
	}
	if (!bursts[group]) {
		printf "\nNone of %d samples met a burst of others.\n", samples[group]
		return
	}
	printf "\nWithout the %d of %d samples that met a burst of others:\n\n| tool |", bursts[group], samples[group]
	for (a = 1; a <= targets[group]; a++)
		printf " %s %% |", list[group, a]
	printf "\n| --- |"
	for (a = 1; a <= targets[group]; a++)
		printf " ---: |"
	print ""
	for (k = 1; k <= tools[group]; k++) {
		tool = name[group, k]
		printf "| %s |", tool
		for (a = 1; a <= targets[group]; a++)
			printf " %s |", calm[group, tool, list[group, a]]
		print ""
	}
}

# Means over the repeats of a tool that has some.
function print_repeats(group, tool) {
	if (!repeats[group, tool])
		return
	printf "\n%s, means of %d repeats and their 95 %% confidence: %s.", tool, repeats[group, tool], means[group, tool]
	if (bursts[group] && calm_means[group, tool] != "")
		printf " Without bursts: %s.", calm_means[group, tool]
	print ""
}

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
		if (marked[group])
			print "\n\\* Whole instances can't make this load."
		print_calm(group)
		for (k = 1; k <= tools[group]; k++)
			print_repeats(group, name[group, k])
	}
}
