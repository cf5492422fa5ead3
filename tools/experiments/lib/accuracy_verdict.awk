# SPDX-License-Identifier: MIT
# One sentence for each of PI-even and default: largest mean error, and on how many targets the MSE is below that of both baselines. N-bench where
# whole instances make up the target exactly, or can't make it, is no baseline. From accuracy.csv. Needs bench/lib/whole.awk; variables: workload, processors.
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["workload"] == workload {
	target = $column["target_percent"]
	if (!(target in seen)) order[++targets] = target
	seen[target] = 1
	error[target, $column["setting"]] = $column["mean_error_pp"]
	mse[target, $column["setting"]] = $column["mse_pp2"]
}
function verdict(setting,    i, t, worst, rows, better, judged, e) {
	for (i = 1; i <= targets; i++) {
		t = order[i]
		if (!((t, setting) in mse)) continue
		rows++
		e = error[t, setting] < 0 ? -error[t, setting] : error[t, setting]
		if (e > worst) worst = e
		judged = 0
		if ((t, "CDC") in mse) { judged = 1; if (mse[t, setting] >= mse[t, "CDC"]) judged = -1 }
		if ((t, "N-bench") in mse && is_whole(t, processors) && (error[t, "N-bench"] > 1 || error[t, "N-bench"] < -1)) { if (!judged) judged = 1; if (mse[t, setting] >= mse[t, "N-bench"]) judged = -1 }
		if (judged) comparisons[setting]++
		if (judged == 1) better++
	}
	if (!rows) return ""
	return sprintf("%s: mean error within %.2f pp, MSE below that of the baselines on %d of %d targets. ", setting, worst, better, comparisons[setting])
}
END { print verdict("PI-even") verdict("default") }
