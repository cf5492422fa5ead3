# SPDX-License-Identifier: MIT
# Which goals Showstopper's default settings reached in tools/bench/peers, by the default actuator alone. Arguments: medians.csv, then the steps.csv of each session of
# steps. Variables: processors, and background, the load in percent of the background program alone. Prints a Markdown table with
# the worst row for each goal, and the worst one of the samples that met no burst of others; what is judged are all samples. With a background load,
# rows count where the target is 10 pp above it at least. N-bench counts as beaten only where whole instances can make the load. Needs lib/whole.awk.
BEGIN {
	FS = ","
	print "| goal | limit | worst | where | | worst without bursts |"
	print "| --- | ---: | ---: | --- | --- | ---: |"
}

FNR == 1 {
	delete column
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

function size(x) { return x < 0 ? -x : x }

# NAME LIMIT VALUE PLACE: a value that should be at most LIMIT. CALM is that without bursts, where there is one.
function judge(name, limit, value, place, calm) {
	if (!(name in limits)) {
		limits[name] = limit
		order[++goals] = name
	}
	rows[name]++
	if (calm != "" && (calms[name] == "" || calm > calms[name]))
		calms[name] = calm
	if (value > limit)
		missed[name]++
	if (!(name in worst) || value > worst[name]) {
		worst[name] = value
		at[name] = place
	}
}

"worst_pp" in column {
	if ($column["after_s"] >= 0.5)
		judge("step 10 ↔ 90 %, parallel: distance after 0.5 s, pp", 5, $column["worst_pp"], $column["after_s"] " s after")
	next
}

{
	workload = $column["workload"]
	instances = $column["instances"]
	background_on = $column["background"] == "background"
	tool = $column["tool"]
	target = $column["target_percent"]
	error = size($column["mean_error_pp"])
	mse = $column["mse_500_pp2"]
	calm_error = $column["calm_error_pp"] == "" ? "" : size($column["calm_error_pp"])
	calm_mse = $column["calm_mse_500_pp2"] == "" ? "" : $column["calm_mse_500_pp2"] + 0
	if ($column["bursts"] != "")
		known += $column["samples"]
	samples += $column["samples"]
	bursts += $column["bursts"]
	place = workload " " instances (background_on ? " + background" : "") " " target " %"
	if (background_on && target < background + 10)
		next
	key = workload SUBSEP instances SUBSEP background_on SUBSEP target
	if (tool == "many") {
		judge("500 workloads: mean error, pp", 0.5, error, place, calm_error)
		judge("500 workloads: own CPU time, % of a processor", 10, $column["own_cpu_percent"], place)
	} else if (tool == "default") {
		own_error[key] = error
		own_mse[key] = mse
		own_calm_error[key] = calm_error
		own_calm_mse[key] = calm_mse
		if (background_on)
			judge("mean error with background, pp", 0.2, error, place, calm_error)
		else
			judge("mean error, pp", 0.1, error, place, calm_error)
		if (background_on)
			next
		if (instances == "6P") {
			judge("MSE, N = 6·P, pp²", 2, mse, place, calm_mse)
		} else if (workload ~ /^(single|contended|fop)$/) {
			judge("MSE, single, contended, fop, pp²", 0.7, mse, place, calm_mse)
			judge("… in windows of 370 ms", 1.5, $column["mse_370_pp2"], place)
			judge("… in windows of 1.3 s", 1.5, $column["mse_1300_pp2"], place)
		} else {
			judge("MSE, parallel, phased, sunflow, pp²", 2, mse, place, calm_mse)
		}
		executors = (instances == "6P" ? 6 : 1) * processors
		judge("own CPU time per executor, % of a processor", 0.15, $column["own_cpu_percent"] / executors, place)
		judge("99th percentile of lateness, µs", 500, $column["lateness_p99_us"], place)
	} else if (tool !~ /^(paper|default-.*)$/) {
		peer_key[++peers] = key
		peer_tool[peers] = tool
		peer_place[peers] = place
		peer_error[peers] = error
		peer_mse[peers] = mse
		peer_workload[peers] = workload
		peer_background[peers] = background_on
		peer_target[peers] = target
		peer_calm_error[peers] = calm_error
		peer_calm_mse[peers] = calm_mse
	}
}

# A ratio, where both are known and the other one isn't too small for it.
function over(own, other, least) {
	if (own == "" || other == "" || other <= 0)
		return ""
	return own / (other > least ? other : least)
}

END {
	for (i = 1; i <= peers; i++) {
		key = peer_key[i]
		if (!(key in own_error))
			continue
		error = own_error[key]
		floor = error < 0.01 ? 0.01 : error
		if (peer_tool[i] == "quota") {
			if (peer_background[i])
				judge("20 × our mean error over the quota's, background", 1, 20 * floor / (peer_error[i] > 0.01 ? peer_error[i] : 0.01), peer_place[i])
			else if (peer_workload[i] ~ /^(single|contended|fop)$/)
				judge("our MSE over the quota's, single, contended, fop", 3, own_mse[key] / peer_mse[i], peer_place[i],
					over(own_calm_mse[key], peer_calm_mse[i], 0))
			else
				judge("our MSE over the quota's, parallel, phased, sunflow", 6, own_mse[key] / peer_mse[i], peer_place[i],
					over(own_calm_mse[key], peer_calm_mse[i], 0))
		} else if (peer_tool[i] == "N-bench" && !is_whole(peer_target[i], processors)) {
			impossible[peer_target[i]] = 1
		} else if (peer_tool[i] == "N-bench" && peer_error[i] < 0.5) {
			# Whole instances make up the target exactly.
			continue
		} else {
			judge("our mean error over that of " peer_tool[i], 1, error / (peer_error[i] > 0.01 ? peer_error[i] : 0.01), peer_place[i],
				over(own_calm_error[key], peer_calm_error[i], 0.01))
			judge("our MSE over that of " peer_tool[i], 1, own_mse[key] / peer_mse[i], peer_place[i], over(own_calm_mse[key], peer_calm_mse[i], 0))
		}
	}
	for (i = 1; i <= goals; i++) {
		name = order[i]
		printf "| %s | %s | %.3g | %s | %s | %s |\n", name, limits[name], worst[name], at[name], \
			missed[name] ? "missed on " missed[name] " of " rows[name] : "reached on " rows[name], \
			calms[name] == "" ? "" : sprintf("%.3g", calms[name])
	}
	if (known < samples)
		print "\nWhat others did meanwhile is unavailable."
	else if (samples)
		printf "\n%d of %d samples of 500 ms met a burst of others.\n", bursts, samples
	for (target = 1; target <= 100; target++)
		if (target in impossible)
			none = none (none == "" ? "" : ", ") target
	if (none != "")
		printf "\nN-bench is no baseline at %s %%: %d processors have no whole instances for it.\n", none, processors
}
