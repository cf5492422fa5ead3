# SPDX-License-Identifier: MIT
# One sentence for each setting: how far its throughput is from the straight line between the baseline's points (from none at no load), at the
# same measured load. From throughput.csv; variable: workload.
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["workload"] == workload && $column["setting"] == "baseline" {
	points++
	x[points] = $column["load_percent"]
	y[points] = $column["throughput"]
}
$column["workload"] == workload && $column["setting"] != "baseline" {
	setting = $column["setting"]
	if (!(setting in n)) order[++count] = setting
	n[setting]++
	load[setting, n[setting]] = $column["load_percent"]
	rate[setting, n[setting]] = $column["throughput"]
}
function baseline(at,    i, low, high) {
	low = 0
	high = 0
	for (i = 1; i <= points; i++) {
		if (x[i] <= at && (!low || x[i] > x[low])) low = i
		if (x[i] >= at && (!high || x[i] < x[high])) high = i
	}
	if (!high) return -1
	if (!low) return y[high] * at / x[high]
	if (x[high] == x[low]) return y[high]
	return y[low] + (y[high] - y[low]) * (at - x[low]) / (x[high] - x[low])
}
END {
	for (s = 1; s <= count; s++) {
		setting = order[s]
		sum = compared = 0
		for (i = 1; i <= n[setting]; i++) {
			expected = points ? baseline(load[setting, i]) : -1
			if (expected <= 0) continue
			off = rate[setting, i] / expected - 1
			sum += off < 0 ? -off : off
			compared++
		}
		if (compared)
			printf "%s: on %d targets within the range of the baseline, throughput %.1f %% from it in the mean. ", setting, compared, 100 * sum / compared
	}
}
