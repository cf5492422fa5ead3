# SPDX-License-Identifier: MIT
# Which goals Showstopper's default settings reached in tools/bench/peers. Arguments: medians.csv, then the steps.csv of each session of
# steps. Variables: processors, and background, the load in percent of the background program alone. Prints a Markdown table with
# the worst row for each goal. With a background load, rows count where the target is 10 pp above it at least.
BEGIN {
	FS = ","
	print "| goal | limit | worst | where | |"
	print "| --- | ---: | ---: | --- | --- |"
}

FNR == 1 {
	delete column
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

function size(x) { return x < 0 ? -x : x }

# NAME LIMIT VALUE PLACE: a value that should be at most LIMIT.
function judge(name, limit, value, place) {
	if (!(name in limits)) {
		limits[name] = limit
		order[++goals] = name
	}
	rows[name]++
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
	place = workload " " instances (background_on ? " + background" : "") " " target " %"
	if (background_on && target < background + 10)
		next
	key = workload SUBSEP instances SUBSEP background_on SUBSEP target
	if (tool == "many") {
		judge("500 workloads: mean error, pp", 0.5, error, place)
		judge("500 workloads: own CPU time, % of a processor", 10, $column["own_cpu_percent"], place)
	} else if (tool == "default") {
		own_error[key] = error
		own_mse[key] = mse
		if (background_on)
			judge("mean error with background, pp", 0.2, error, place)
		else
			judge("mean error, pp", 0.1, error, place)
		if (background_on)
			next
		if (instances == "6P") {
			judge("MSE, N = 6·P, pp²", 2, mse, place)
		} else if (workload ~ /^(single|contended|fop)$/) {
			judge("MSE, single, contended, fop, pp²", 0.7, mse, place)
			judge("… in windows of 370 ms", 1.5, $column["mse_370_pp2"], place)
			judge("… in windows of 1.3 s", 1.5, $column["mse_1300_pp2"], place)
		} else {
			judge("MSE, parallel, phased, sunflow, pp²", 2, mse, place)
		}
		executors = (instances == "6P" ? 6 : 1) * processors
		judge("own CPU time per executor, % of a processor", 0.15, $column["own_cpu_percent"] / executors, place)
		judge("99th percentile of lateness, µs", 500, $column["lateness_p99_us"], place)
	} else if (tool != "paper") {
		peer_key[++peers] = key
		peer_tool[peers] = tool
		peer_place[peers] = place
		peer_error[peers] = error
		peer_mse[peers] = mse
		peer_workload[peers] = workload
		peer_background[peers] = background_on
	}
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
				judge("our MSE over the quota's, single, contended, fop", 3, own_mse[key] / peer_mse[i], peer_place[i])
			else
				judge("our MSE over the quota's, parallel, phased, sunflow", 6, own_mse[key] / peer_mse[i], peer_place[i])
		} else if (peer_tool[i] == "N-bench" && peer_error[i] < 0.5) {
			# Whole instances make up the target exactly.
			continue
		} else {
			judge("our mean error over that of " peer_tool[i], 1, error / (peer_error[i] > 0.01 ? peer_error[i] : 0.01), peer_place[i])
			judge("our MSE over that of " peer_tool[i], 1, own_mse[key] / peer_mse[i], peer_place[i])
		}
	}
	for (i = 1; i <= goals; i++) {
		name = order[i]
		printf "| %s | %s | %.3g | %s | %s |\n", name, limits[name], worst[name], at[name], \
			missed[name] ? "missed on " missed[name] " of " rows[name] : "reached on " rows[name]
	}
}
