# SPDX-License-Identifier: MIT
# Rows of tools/bench/peers out of one session: the windows of each load that lie within it, without its first seconds (settle).
# Needs lib/bursts.awk. Arguments in this order: own.txt (NAME=VALUE), segments.csv (target,start_s,end_s), tree.csv (may be left out), then
# load.WINDOW.csv of 500, 370 and 1300 ms. One row per target: session,target_percent,repetition,samples,load_percent,mean_error_pp,mse_500_pp2,
# mse_370_pp2,mse_1300_pp2,own_cpu_percent,lateness_p99_us,bursts,calm_error_pp,calm_mse_500_pp2: samples of 500 ms that met a burst of others, and the
# figures of the rest; empty where nothing is known of others, or nothing is left. Status 1 when a target has no complete window, 2 when a reading came
# so late that the machine must have stood still.
BEGIN { FS = "," }

FILENAME ~ /own\.txt$/ {
	split($0, pair, "=")
	own[pair[1]] = pair[2]
	next
}

FILENAME ~ /segments\.csv$/ {
	target[++segments] = $1
	start[segments] = $2 + settle
	end[segments] = $3
	next
}

FILENAME ~ /tree\.csv$/ {
	if (FNR > 1)
		tree_add($2, $3, $2 - $1)
	next
}

FNR == 1 {
	window = FILENAME
	sub(/.*load\./, "", window)
	sub(/\.csv$/, "", window)
	for (i = 1; i <= NF; i++)
		column[$i] = i
	before = ""
	next
}

{
	now = $column["monotonic_s"]
	if (before != "" && now - before > 1.5 * window / 1000) {
		stalled = 1
		exit
	}
	if (before != "" && window == 500)
		machine_add(before, now, $column["load"])
	if (before != "")
		for (i = 1; i <= segments; i++)
			if (before >= start[i] && now <= end[i]) {
				error = 100 * $column["load"] - target[i]
				sum[i, window] += error
				squares[i, window] += error * error
				count[i, window]++
				sample_start[i, window, count[i, window]] = before
				sample_end[i, window, count[i, window]] = now
				sample_error[i, window, count[i, window]] = error
			}
	before = now
}

# A burst is known when the row that has it was read, which may be after a sample that it meets.
function add_calm(i,    k, error) {
	for (k = 1; k <= count[i, 500]; k++) {
		if (!is_calm(sample_start[i, 500, k], sample_end[i, 500, k]))
			continue
		error = sample_error[i, 500, k]
		calm[i]++
		calm_sum[i] += error
		calm_squares[i] += error * error
	}
}

# What is left without bursts, with commas before it.
function calm_figures(i) {
	if (!knows_others)
		return ",,,"
	add_calm(i)
	if (!calm[i])
		return sprintf(",%d,,", count[i, 500])
	return sprintf(",%d,%.3f,%.3f", count[i, 500] - calm[i], calm_sum[i] / calm[i], calm_squares[i] / calm[i])
}

function mse(i, window) { return squares[i, window] / count[i, window] }

END {
	if (stalled)
		exit 3
	for (i = 1; i <= segments; i++) {
		if (!count[i, 500] || !count[i, 370] || !count[i, 1300])
			exit 1
		mean = sum[i, 500] / count[i, 500]
		printf "%s,%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%s,%s%s\n", session, target[i], repetition, count[i, 500], target[i] + mean, mean,
			mse(i, 500), mse(i, 370), mse(i, 1300), own["own_cpu_percent"], own["lateness_p99_us"], calm_figures(i)
	}
}
