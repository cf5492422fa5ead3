# SPDX-License-Identifier: MIT
# Medians over the repeats of tools/bench/peers, one row per workload, instances, background, tool and target, in the order of
# `peers --help`. The ratios are those of |mean error| and MSE to the row of Showstopper's default settings (empty without it); the
# mean error counts as 0.01 pp at least there, about what the reader can tell apart. Behind them are the means over the repeats with half of their confidence
# interval, of all samples and of those that met no burst of others. Needs lib/interval.awk.
BEGIN {
	FS = OFS = ","
	count = split("idle background single contended parallel phased fop sunflow P 6P 500 default default-freezer default-quota paper cpulimit cpulimit-m quota stress-ng N-bench CDC 1CDC many",
		words, " ")
	for (i = 1; i <= count; i++)
		rank[words[i]] = i
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

{
	key = $1 OFS $2 OFS $3 OFS $4 OFS $5
	if (!(key in repeats)) {
		keys[++n] = key
		place[key] = (((rank[$3] * 100 + rank[$2]) * 100 + rank[$1]) * 100 + rank[$4]) * 100 + $5
	}
	k = ++repeats[key]
	for (i = 7; i <= 17; i++)
		value[key, i, k] = $i
}

# Of field i; empty where there is none.
function median(key, i,    count, a, b, hold, sorted) {
	count = 0
	split("", sorted)
	for (a = 1; a <= repeats[key]; a++)
		if (value[key, i, a] != "")
			sorted[++count] = value[key, i, a] + 0
	if (!count)
		return ""
	for (a = 2; a <= count; a++) {
		hold = sorted[a]
		for (b = a - 1; b >= 1 && sorted[b] > hold; b--)
			sorted[b + 1] = sorted[b]
		sorted[b + 1] = hold
	}
	return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

# Of all repeats; empty where one of them has none.
function sum(key, i,    a, all) {
	for (a = 1; a <= repeats[key]; a++) {
		if (value[key, i, a] == "")
			return ""
		all += value[key, i, a]
	}
	return all
}

function spread(key, i,    a, least, most) {
	least = most = value[key, i, 1] + 0
	for (a = 2; a <= repeats[key]; a++) {
		if (value[key, i, a] + 0 < least)
			least = value[key, i, a] + 0
		if (value[key, i, a] + 0 > most)
			most = value[key, i, a] + 0
	}
	return sprintf("%.3f,%.3f", least, most)
}

# The mean over those repeats that have the value, and half of its interval.
function mean_and_half(key, i,    a, n, all, squares, half) {
	for (a = 1; a <= repeats[key]; a++)
		if (value[key, i, a] != "") {
			n++
			all += value[key, i, a]
			squares += value[key, i, a] * value[key, i, a]
		}
	half = half_interval(all, squares, n)
	return (n ? sprintf("%.3f", all / n) : "") OFS (half == "" ? "" : sprintf("%.3f", half))
}

function size(x) { return x < 0 ? -x : x }
function shown(x) { return x == "" ? "" : sprintf("%.3f", x) }

END {
	print "workload,instances,background,tool,target_percent,repeats,load_percent,mean_error_pp,mean_error_least_pp,mean_error_most_pp," \
		"mse_500_pp2,mse_500_least_pp2,mse_500_most_pp2,mse_370_pp2,mse_1300_pp2,own_cpu_percent,lateness_p99_us,error_ratio,mse_ratio,samples,bursts," \
		"calm_error_pp,calm_mse_500_pp2,mean_error_mean_pp,mean_error_half_pp,mse_500_mean_pp2,mse_500_half_pp2," \
		"calm_error_mean_pp,calm_error_half_pp,calm_mse_500_mean_pp2,calm_mse_500_half_pp2"
	for (a = 2; a <= n; a++)
		for (b = a; b > 1 && place[keys[b - 1]] > place[keys[b]]; b--) {
			hold = keys[b]
			keys[b] = keys[b - 1]
			keys[b - 1] = hold
		}
	for (k = 1; k <= n; k++) {
		split(keys[k], part, FS)
		# What chooses its number of instances itself is compared with as many as there are processors.
		base = part[1] OFS part[2] OFS part[3] OFS "default" OFS part[5]
		error_ratio = mse_ratio = ""
		if (base in repeats) {
			least = size(median(base, 9))
			error_ratio = shown(size(median(keys[k], 9)) / (least < 0.01 ? 0.01 : least))
			if (median(base, 10) > 0)
				mse_ratio = shown(median(keys[k], 10) / median(base, 10))
		}
		print keys[k], repeats[keys[k]], shown(median(keys[k], 8)), shown(median(keys[k], 9)), spread(keys[k], 9), shown(median(keys[k], 10)),
			spread(keys[k], 10), shown(median(keys[k], 11)), shown(median(keys[k], 12)), shown(median(keys[k], 13)), shown(median(keys[k], 14)),
			error_ratio, mse_ratio, sum(keys[k], 7), sum(keys[k], 15), shown(median(keys[k], 16)), shown(median(keys[k], 17)),
			mean_and_half(keys[k], 9), mean_and_half(keys[k], 10), mean_and_half(keys[k], 16), mean_and_half(keys[k], 17)
	}
}
