# SPDX-License-Identifier: MIT
# Rows of tools/bench/scale out of what sssim --report says: a line for each target and source of load, which stand in front of it.
# Variables: processors, workloads, model; time, the length of a run in s; costs, a file to which the cost of an executor is added.
function size(x) { return x < 0 ? -x : x }

{
	target = $1
	source = $2
	for (i = 3; i <= NF; i++) {
		split($i, pair, "=")
		value[pair[1]] = pair[2]
	}
	error = value["mean_error_pp"]
	mse = value["mse_500_pp2"]
	own = 100 * value["own_cpu_s"] / time / workloads
	if (error == "" || mse == "")
		exit failed = 1
	if (!(source in n)) {
		order[++sources] = source
		worst_error[source] = error
		worst_mse[source] = -1
	}
	n[source]++
	if (size(error) >= size(worst_error[source])) {
		worst_error[source] = error
		error_at[source] = target
	}
	if (mse > worst_mse[source]) {
		worst_mse[source] = mse
		mse_at[source] = target
	}
	sum[source] += own
	if (own > most[source])
		most[source] = own
}

END {
	if (failed || !sources)
		exit 1
	for (i = 1; i <= sources; i++) {
		source = order[i]
		good = size(worst_error[source]) <= 0.05 && worst_mse[source] <= 1 && most[source] <= 0.15
		printf "| %d | %d | %s | `%s` | %+.3f (%s %%) | %.2f (%s %%) | %.3f | %.3f | %s |\n", processors, workloads, model, source,
			worst_error[source], error_at[source], worst_mse[source], mse_at[source], sum[source] / n[source], most[source],
			good ? "yes" : "no"
		printf "%d %d %s %s %.6f\n", processors, workloads, model, source, sum[source] / n[source] >>costs
	}
}
