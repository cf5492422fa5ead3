# SPDX-License-Identifier: MIT
# A row for each finding of papers 000 and 001: is it seen here, by which figures, in which file. From the CSV files of reports; before each stands
# kind=…, what it is. Variables: root, which is left out of the files' names; processors, of the machine that what follows was measured on. Batches are
# not mixed: what one measured is compared with its own only. Needs bench/lib/interval.awk and bench/lib/whole.awk.

kind == "classes" {
	split($0, word, /  +/)
	class_of[word[1]] = word[2]
	next
}

FNR == 1 {
	delete column
	for (i = 1; i <= NF; i++) column[$i] = i
	batch = name = FILENAME
	sub("/[^/]*$", "", batch)
	if (index(name, root) == 1) name = substr(name, length(root) + 1)
	file[kind] = file[kind] (file[kind] == "" ? "" : ", ") "`" name "`"
	if (kind == "throughput" && "target_percent" in column) file["curve"] = file["curve"] (file["curve"] == "" ? "" : ", ") "`" name "`"
	if (kind == "throughput" && !("target_percent" in column)) file["replay"] = file["replay"] (file["replay"] == "" ? "" : ", ") "`" name "`"
	next
}

function of(name) { return $column[name] }
function size(x) { return x < 0 ? -x : x }
# Half of the 95 % confidence interval of a mean over repeats; empty where there are none.
function interval_of(name) { return (name "_half") in column ? of(name "_half") : "" }

# ---- What is remembered -------------------------------------------------------------------------------------------------------

kind == "accuracy" && "target_percent" in column {
	key = batch SUBSEP of("workload") SUBSEP of("target_percent")
	held[key] = processors
	error[key, of("setting")] = of("mean_error_pp")
	mse[key, of("setting")] = of("mse_pp2")
}
kind == "accuracy-runs" {
	split(of("label"), part, "_")
	if (part[3] !~ /^(N-bench|1?CDC|1DC|baseline)$/) {
		near_runs++
		near_80 += of("near") >= 0.8
		near_90 += of("near") >= 0.9
	}
}
kind == "throughput" && "target_percent" in column {
	key = batch SUBSEP of("workload")
	curve[key] = of("workload")
	if (of("load_percent") > 0) {
		points[key, of("setting")]++
		x[key, of("setting"), points[key, of("setting")]] = of("load_percent")
		y[key, of("setting"), points[key, of("setting")]] = of("throughput")
		y_half[key, of("setting"), points[key, of("setting")]] = interval_of("throughput")
	}
	settings[of("setting")] = 1
}
# Of a replay: by its length, the second column.
kind == "throughput" && !("target_percent" in column) {
	key = batch SUBSEP of("workload") SUBSEP of("setting")
	replays[key]++
	replay_s[key, replays[key]] = $2 + 0
	replay_rate[key, replays[key]] = of("throughput")
	replay_half[key, replays[key]] = interval_of("throughput")
	if (!(key in slowest) || $2 + 0 > replay_s[key, slowest[key]]) slowest[key] = replays[key]
}
kind == "interference" && of("interference") != "" {
	scheme = of("scheme")
	pairs[scheme]++
	value = of("interference") + 0
	if (pairs[scheme] == 1 || value < low[scheme]) low[scheme] = value
	if (pairs[scheme] == 1 || value > high[scheme]) high[scheme] = value
	values[scheme, pairs[scheme]] = value
	halves_of_pair[scheme, pairs[scheme]] = "half" in column ? of("half") : ""
}
# The throughput of the foreground at half the load, by the line through it.
kind == "interference-runs" && of("intercept_1") != "" {
	split(of("label"), part, "_")
	pair = batch SUBSEP part[1] SUBSEP part[2]
	beside[pair] = 1
	foregrounds[pair, part[3]]++
	foreground[pair, part[3]] += (of("intercept_1") + of("slope_1") / 2 + of("intercept_2") + of("slope_2") / 2) / 2
	rise = (of("intercept_2") - of("intercept_1")) / of("intercept_1")
	rises[part[1]] += rise
	rise_squares[part[1]] += rise ^ 2
	halves[part[1]]++
}
(kind == "overall" || kind == "efficiency") && of(kind == "overall" ? "throughput" : "iterations_per_wh") != "" {
	half = of("target") < 0.5 ? "low" : of("target") > 0.5 ? "high" : ""
	if (half != "") {
		whole_of[kind, FILENAME] = 1
		steps[FILENAME, of("label"), half]++
		work[FILENAME, of("label"), half] += of(kind == "overall" ? "throughput" : "iterations_per_wh")
	}
}
kind == "ratio" { ratios++; below += of("median") < 1 }
kind == "ratio-host" {
	hosts++
	if (hosts == 1 || of("median") + 0 < slow_host) slow_host = of("median") + 0
	if (hosts == 1 || of("median") + 0 > fast_host) fast_host = of("median") + 0
}

# ---- Findings -----------------------------------------------------------------------------------------------------------------

function say(source, finding, verdict, why, files) {
	printf "| %s | %s | %s | %s | %s |\n", source, finding, verdict, why, files == "" ? "" : files
	count[verdict]++
}
function undecided(source, finding, why) { say(source, finding, "undecided", why, "") }

# judge SOURCE FINDING GOOD ALL WHAT FILES: seen in most cases.
function judge(source, finding, good, all, what, files) {
	if (all) say(source, finding, good * 2 > all ? "shown" : "contradicted", sprintf(what, good, all), files)
	else undecided(source, finding, "no batch has runs that could show it")
}

# weigh SOURCE FINDING GOOD BAD ALL WHAT FILES: seen, or seen not to be, in most cases; the rest can't be told by their intervals of confidence.
function weigh(source, finding, good, bad, all, what, files,    why) {
	if (!all) { undecided(source, finding, "no batch has runs that could show it"); return }
	why = sprintf(what, good, all)
	if (good + bad < all) why = why sprintf(", and %d can't be told by their intervals of 95 %%", all - good - bad)
	say(source, finding, good * 2 > all ? "shown" : bad * 2 >= all ? "contradicted" : "undecided", why, files)
}

# Half the interval of a quotient a / b, whose parts have these; -1: one of them has none.
function quotient_half(a, a_half, b, b_half) {
	return a_half == "" || b_half == "" || a <= 0 || b <= 0 ? -1 : a / b * sqrt((a_half / a) ^ 2 + (b_half / b) ^ 2)
}

# 1: far from 0 by more than the limit; -1: nearer than that; 0: can't be told.
function beyond(off, half, limit) {
	if (half < 0) return 0
	return off - half > limit ? 1 : off + half <= limit ? -1 : 0
}

# Whether the throughput of a setting is off what is proportional to the load, by more than 5 % of that at the highest load: 1 yes, -1 no, 0 can't be told.
# "": too few loads.
function bend(key, setting,    i, n, top, far, near, off, half) {
	n = points[key, setting]
	if (n < 3) return ""
	top = 1
	for (i = 2; i <= n; i++) if (x[key, setting, i] > x[key, setting, top]) top = i
	if (y[key, setting, top] <= 0) return ""
	for (i = 1; i <= n; i++) {
		if (i == top) continue
		off = size(y[key, setting, i] / y[key, setting, top] - x[key, setting, i] / x[key, setting, top])
		half = quotient_half(y[key, setting, i], y_half[key, setting, i], y[key, setting, top], y_half[key, setting, top])
		far += beyond(off, half, 0.05) > 0
		near += beyond(off, half, 0.05) < 0
	}
	return far ? 1 : near == n - 1 ? -1 : 0
}

# Between the points of the baseline; -1 beyond them.
function baseline(workload, at,    i, under, over, n) {
	n = points[workload, "baseline"]
	for (i = 1; i <= n; i++) {
		if (x[workload, "baseline", i] <= at && (!under || x[workload, "baseline", i] > x[workload, "baseline", under])) under = i
		if (x[workload, "baseline", i] >= at && (!over || x[workload, "baseline", i] < x[workload, "baseline", over])) over = i
	}
	if (!over) return -1
	if (!under) return y[workload, "baseline", over] * at / x[workload, "baseline", over]
	if (under == over) return y[workload, "baseline", over]
	return y[workload, "baseline", under] + (y[workload, "baseline", over] - y[workload, "baseline", under]) * \
		(at - x[workload, "baseline", under]) / (x[workload, "baseline", over] - x[workload, "baseline", under])
}

# Mean distance of a setting from the baseline, as a part of it; -1: nothing to compare.
function distance(workload, setting,    i, expected, sum, n) {
	for (i = 1; i <= points[workload, setting]; i++) {
		expected = baseline(workload, x[workload, setting, i])
		if (expected > 0) { sum += size(y[workload, setting, i] / expected - 1); n++ }
	}
	return n ? sum / n : -1
}

function accuracy(    key, good, all, wide, parallel, off, setting) {
	for (key in held) {
		split(key, part, SUBSEP)
		wide = class_of[part[2]] == "highly parallel"
		if (wide && (key, "N-bench") in error) { n_all++; n_good += error[key, "N-bench"] > 5 }
		if (wide && (key, "CDC") in error) { c_all++; c_good += error[key, "CDC"] > 5 }
		if (!wide && (key, "CDC") in error) { m_all++; m_good += size(error[key, "CDC"]) <= 5 }
		if ((key, "PI-even") in mse)
			for (setting = 1; setting <= 2; setting++) {
				off = setting == 1 ? "N-bench" : "CDC"
				# Where whole instances can't make the load, N-bench is no baseline.
				if (setting == 1 && held[key] && !is_whole(part[3], held[key])) continue
				if ((key, off) in mse) { all++; good += mse[key, "PI-even"] < mse[key, off] }
			}
	}
	judge("000, 4.3", "whole instances of a highly parallel program (N-bench) exceed the target by far", n_good, n_all,
		"more than 5 pp above on %d of %d targets", file["accuracy"])
	judge("000, 4.3", "a constant duty cycle (CDC) of highly parallel programs exceeds it too", c_good, c_all, "more than 5 pp above on %d of %d targets", file["accuracy"])
	judge("000, 4.3", "of other programs a constant duty cycle stays near the target", m_good, m_all, "within 5 pp on %d of %d targets", file["accuracy"])
	judge("000, 4.3", "with feedback (PI, even) the error is less than that of both baselines", good, all, "a lower MSE in %d of %d comparisons",
		file["accuracy"])
	if (near_runs)
		say("000, 9", "in 80 to 90 % of the runs the load is within 5 pp of the target", near_80 / near_runs >= 0.8 ? "shown" : "contradicted",
			sprintf("%d of %d runs have 80 %% of their samples there, %d have 90 %%", near_80, near_runs, near_90), file["accuracy-runs"])
	else
		undecided("000, 9", "in 80 to 90 % of the runs the load is within 5 pp of the target", "no batch has runs that could show it")
}

function curves(    key, setting, b, narrow_all, narrow_off, narrow_on, wide_all, wide_off, wide_on, kinds, k, even, uneven, all, good) {
	for (key in curve)
		for (setting in settings) {
			if (setting == "baseline" || (b = bend(key, setting)) == "") continue
			if (class_of[curve[key]] == "highly parallel") { wide_all++; wide_off += b > 0; wide_on += b < 0 }
			else { narrow_all++; narrow_off += b > 0; narrow_on += b < 0 }
		}
	weigh("000, 5.2.1", "throughput is often not proportional to load", narrow_off, narrow_on, narrow_all,
		"off by more than 5 %% of the most in %d of %d curves", file["curve"])
	weigh("000, 5.2.1", "of highly parallel programs it nearly is", wide_on, wide_off, wide_all, "within 5 %% of the most in %d of %d curves", file["curve"])
	kinds = split("PI geom", of_control, " ")
	for (key in curve)
		for (k = 1; k <= kinds; k++) {
			even = distance(key, of_control[k] "-even")
			uneven = distance(key, of_control[k] "-uneven")
			if (even >= 0 && uneven >= 0) { all++; good += uneven < even }
		}
	judge("000, 5.2.1", "uneven work gives a throughput nearer to the baseline's than even work", good, all, "nearer in %d of %d comparisons", file["curve"])
}

function replayed(    key, i, slow, ratio, half, b, all, near, far, rises, falls, rise_all) {
	for (key in replays) {
		split(key, part, SUBSEP)
		slow = slowest[key]
		for (i = 1; i <= replays[key]; i++) {
			if (i == slow || replay_rate[key, slow] <= 0) continue
			ratio = replay_rate[key, i] / replay_rate[key, slow]
			half = quotient_half(replay_rate[key, i], replay_half[key, i], replay_rate[key, slow], replay_half[key, slow])
			b = beyond(size(ratio - 1), half, 0.05)
			all++
			near += b < 0
			far += b > 0
			if (part[2] ~ /fop$/ && part[3] ~ /-uneven$/) {
				rise_all++
				rises += b > 0 && ratio > 1
				falls += half >= 0 && ratio + half <= 1.05
			}
		}
	}
	weigh("000, 5.3.1", "a trace replayed faster gives nearly the same throughput", near, far, all, "within 5 %% of the slowest in %d of %d replays", file["replay"])
	weigh("000, 5.3.1", "with uneven work, that of fop rises", rises, falls, rise_all, "more than 5 %% above in %d of %d replays", file["replay"])
}

# In how many pairs a scheme's foreground is at that place among all schemes, the fastest first; `ranked` is how many pairs have at least two, or
# for the second place three, of which per-thread is one.
function at_place(scheme, place,    pair, other, ours, faster, good, others) {
	ranked = good = 0
	for (pair in beside) {
		if (!((pair, scheme) in foreground) || (place == 2 && !((pair, "per-thread") in foreground))) continue
		ours = foreground[pair, scheme] / foregrounds[pair, scheme]
		faster = others = 0
		for (other in pairs) {
			if (other == scheme || !((pair, other) in foreground)) continue
			others++
			faster += foreground[pair, other] / foregrounds[pair, other] > ours
		}
		if (others >= place) { ranked++; good += faster == place - 1 }
	}
	return good
}

# A pair that lies outside counts as far as its interval of confidence does, too. One that was run once has none, and says nothing.
function within(source, finding, scheme, from, to,    i, outside, unsure, value, half) {
	if (!(scheme in pairs)) { undecided(source, finding, "no runs with " scheme); return }
	for (i = 1; i <= pairs[scheme]; i++) {
		value = values[scheme, i]
		half = halves_of_pair[scheme, i]
		outside += half != "" && (value + half < from || value - half > to)
		unsure += half == "" || value - half < from || value + half > to
	}
	say(source, finding, outside ? "contradicted" : unsure ? "undecided" : "shown",
		sprintf("%.1f to %.1f in %d pairs", low[scheme], high[scheme], pairs[scheme]) \
			(outside ? sprintf(", of which %d are outside", outside) : unsure ? sprintf(", of which %d can't be told by their intervals of 95 %%", unsure) : ""),
		file["interference"])
}

# Whether the second half of the staircase is the slower one, on the mean of all runs with this foreground.
function slower_with_time(source, finding, name,    mean, half, which) {
	for (which in halves)
		if (which ~ ("(^|-)" name "$")) {
			halves_of += halves[which]
			sum_of += rises[which]
			squares_of += rise_squares[which]
		}
	if (halves_of < 2) { undecided(source, finding, "needs two runs with " name " in the foreground"); return }
	mean = 100 * sum_of / halves_of
	half = 100 * half_interval(sum_of, squares_of, halves_of)
	say(source, finding, mean + half < 0 ? "shown" : mean - half > 0 ? "contradicted" : "undecided",
		sprintf("without a background %+.1f ±%.1f %% in the second half, in %d runs", mean, half, halves_of), file["interference-runs"])
}

function sides(    good) {
	good = at_place("per-thread", 1)
	judge("000, 6.2", "with per-thread the foreground is fastest in most pairs", good, ranked, "in %d of %d pairs", file["interference-runs"])
	good = at_place("neutral", 2)
	judge("000, 6.2", "with neutral it mostly comes second", good, ranked, "in %d of %d pairs", file["interference-runs"])
	within("001, Tables I and II", "per-chip isolates best: interference is a little below 0 (-7 to 0)", "per-chip", -7, 0)
	within("001, Tables I and II", "per-core isolates too (-5 to 10)", "per-core", -5, 10.2)
	within("001, Tables I and II", "per-thread isolates least (33 or more, without avrora)", "per-thread", 33, 1000)
	within("001, Table I", "neutral isolates little (16 to 51)", "neutral", 16, 51)
	undecided("000, 6.2", "with per-thread, cache misses rise and pipeline stalls fall as the background's load falls", "needs hardware counters beside two threads of a core")
	undecided("000, 6.2", "a quantum of 53 ms gives almost the same as one of 107 ms", "needs two batches with --base")
	slower_with_time("000, 6.3", "fop's halves of a staircase differ, as it becomes slower with time", "fop")
}

# How many times as much a scheme does as another, in the mean over workloads; -1: no workload was run with both.
function compare(kind, ours, theirs, half,    key, part, a, b, sum, n) {
	for (key in whole_of) {
		split(key, part, SUBSEP)
		if (part[1] != kind || !steps[part[2], ours, half] || !steps[part[2], theirs, half]) continue
		a = work[part[2], ours, half] / steps[part[2], ours, half]
		b = work[part[2], theirs, half] / steps[part[2], theirs, half]
		if (b > 0) { sum += a / b; n++ }
	}
	return n ? sum / n : -1
}
function whole(kind, source, what,    r, s) {
	r = compare(kind, "per-thread", "per-chip", "low")
	s = compare(kind, "per-thread", "per-chip", "high")
	what = what " is more with per-thread than with per-chip while the background's load is below a half, and less above"
	if (r < 0 || s < 0) undecided(source, what, "no runs with both")
	else say(source, what, r > 1 && s < 1 ? "shown" : "contradicted", sprintf("%.1f %% below, %.1f %% above", 100 * r, 100 * s), file[kind])
	if (kind == "efficiency") return
	r = compare(kind, "per-core", "per-chip", "low")
	s = compare(kind, "per-core", "per-chip", "high")
	if (r < 0 || s < 0) undecided(source, "the throughput of the whole machine is less with per-core than with per-chip", "no runs with both")
	else say(source, "the throughput of the whole machine is less with per-core than with per-chip", r < 1 && s < 1 ? "shown" : "contradicted",
		sprintf("%.1f %% below, %.1f %% above", 100 * r, 100 * s), file[kind])
}

END {
	print "| paper, section | finding | here | why | file |"
	print "| --- | --- | --- | --- | --- |"
	accuracy()
	curves()
	replayed()
	sides()
	whole("overall", "000, 6.4", "the throughput of the whole machine")
	whole("efficiency", "000, 6.5", "the work per watt-hour")
	guests = "in a guest (KVM) the foreground is slower than in a container (LXC)"
	if (hosts && !ratios)
		say("000, 7", guests, "undecided", sprintf("no guests by KVM; on the host, without environments, it makes %.3f to %.3f of what it does in a container, in %d runs",
			slow_host, fast_host, hosts), file["ratio-host"])
	else
		judge("000, 7", guests, below, ratios, "the median is below 1 in %d of %d pairs", file["ratio"])
	printf "\n%d shown, %d contradicted, %d undecided.\n", count["shown"], count["contradicted"], count["undecided"]
}
