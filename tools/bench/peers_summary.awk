# SPDX-License-Identifier: MIT
# A row for each tool, but for our other actuators, out of the medians.csv of tools/bench/peers: means over its workloads and target loads, alone and beside the background
# program. Needs lib/whole.awk; variable: processors. Of the loads only those count that all tools had to hold; with background, those 10 pp above it at least. The sizes of the mean errors
# are averaged, so that one above doesn't make up for one below. Variable: background, its load in percent.
BEGIN {
	FS = ","
	count = split("default quota stress-ng CDC 1CDC cpulimit N-bench paper", order, " ")
	name["default"] = "Showstopper"
	name["paper"] = "Showstopper, settings of the paper"
	name["quota"] = "CPU quota of a control group"
	name["stress-ng"] = "`stress-ng --cpu-load`"
	name["CDC"] = "CDC: a constant duty cycle"
	name["1CDC"] = "1CDC: the same, of one instance"
	name["cpulimit"] = "`cpulimit`"
	name["N-bench"] = "N-bench: as many instances as make up the load"
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

{
	tool = $column["tool"]
	if (!(tool in name))
		next
	target = $column["target_percent"]
	beside = $column["background"] == "background"
	if (beside && target < background + 10)
		next
	error = $column["mean_error_pp"]
	rows++
	row_tool[rows] = tool
	row_target[rows] = target
	row_beside[rows] = beside
	row_error[rows] = error < 0 ? -error : error
	row_mse[rows] = $column["mse_500_pp2"]
	error = $column["calm_error_pp"]
	row_calm_error[rows] = error < 0 ? -error : error
	row_calm_mse[rows] = $column["calm_mse_500_pp2"]
	row_samples[rows] = $column["samples"]
	row_bursts[rows] = $column["bursts"]
	held[tool, target] = 1
	seen[tool] = 1
}

function common(target,    t) {
	for (t in seen)
		if (!((t, target) in held))
			return 0
	return 1
}

# A mean, or nothing where nothing was measured.
function mean(sum, n) { return n ? sprintf(sum / n < 100 ? "%.2f" : "%.0f", sum / n) : "" }

END {
	for (i = 1; i <= rows; i++) {
		if (!common(row_target[i]))
			continue
		used[row_target[i]] = 1
		key = row_tool[i] SUBSEP row_beside[i]
		errors[key] += row_error[i]
		mses[key] += row_mse[i]
		n[key]++
		samples += row_samples[i]
		bursts += row_bursts[i]
		if (row_bursts[i] == "")
			unknown = 1
		if (row_calm_mse[i] != "") {
			calm_errors[key] += row_calm_error[i]
			calm_mses[key] += row_calm_mse[i]
			calm_n[key]++
		}
		if (row_tool[i] == "N-bench" && !is_whole(row_target[i], processors))
			impossible[row_target[i]] = 1
	}
	print "| tool | mean error, pp | MSE, pp² | beside other work: mean error, pp | MSE, pp² | runs |"
	print "| --- | ---: | ---: | ---: | ---: | ---: |"
	for (i = 1; i <= count; i++) {
		tool = order[i]
		if (!(tool in seen))
			continue
		alone = tool SUBSEP 0
		beside = tool SUBSEP 1
		printf "| %s | %s | %s | %s | %s | %d |\n", name[tool], mean(errors[alone], n[alone]), mean(mses[alone], n[alone]),
			mean(errors[beside], n[beside]), mean(mses[beside], n[beside]), n[alone] + n[beside]
	}
	for (target = 1; target <= 100; target++) {
		if (target in used)
			list = list (list == "" ? "" : ", ") target
		if (target in impossible)
			none = none (none == "" ? "" : ", ") target
	}
	printf "\nMeans over workloads, at loads of %s %%; of the mean errors, the sizes. A tool runs on those workloads that it can handle.", list
	if (none != "")
		printf " Whole instances, and so N-bench, can't make %s %% of %d processors.", none, processors
	if (unknown || !samples)
		print " What others did meanwhile is unavailable."
	else if (!bursts)
		printf " None of %d samples met a burst of others.\n", samples
	else {
		alone = "default" SUBSEP 0
		beside = "default" SUBSEP 1
		printf " Without the %d of %d samples that met a burst of others: Showstopper ", bursts, samples
		if (calm_n[alone])
			printf "%s pp and %s pp²", mean(calm_errors[alone], calm_n[alone]), mean(calm_mses[alone], calm_n[alone])
		else
			printf "has none left"
		if (calm_n[beside])
			printf ", beside other work %s pp and %s pp²", mean(calm_errors[beside], calm_n[beside]), mean(calm_mses[beside], calm_n[beside])
		print "."
	}
}
