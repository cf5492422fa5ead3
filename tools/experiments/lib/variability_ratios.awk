# SPDX-License-Identifier: MIT
# Of two profiles, base first and target second: how many times as fast the target is, for each name that both have, in the base's order. Before
# them may stand a file of weights, `NAME WEIGHT' a line, with kind=weights; a profile has kind=profile. The rate of a name is the median of its
# repetitions; base_error and target_error are its standard error as a share of it, 0 where there is one repetition alone. Where the variable paired
# is set, each repetition was measured just beside the same one of the base: the ratio is the median of theirs, and target_error is its error.
function median(values, count,    i, k, swap) {
	for (i = 2; i <= count; i++)
		for (k = i; k > 1 && values[k] < values[k - 1]; k--) { swap = values[k]; values[k] = values[k - 1]; values[k - 1] = swap }
	return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}
function measure(of, name,    i, count, values) {
	count = repetitions[of, name]
	for (i = 1; i <= count; i++) values[i] = rate[of, name, i]
	judge(values, count)
}
# How many pairs there are.
function measure_pairs(name,    i, count, values) {
	for (i = 1; i <= repetitions[2, name]; i++)
		if ((name, number[2, name, i]) in base_rate) values[++count] = rate[2, name, i] / base_rate[name, number[2, name, i]]
	if (count) judge(values, count)
	return count
}
# Sets middle and error. The median of three and more is a little less certain than their mean.
function judge(values, count,    i, sum, squares) {
	for (i = 1; i <= count; i++) sum += values[i]
	for (i = 1; i <= count; i++) squares += (values[i] - sum / count) ^ 2
	middle = median(values, count)
	error = count > 1 ? sqrt(squares / (count - 1) / count) * (count > 2 ? 1.25 : 1) / middle : 0
}
BEGIN { FS = "," }
FNR == 1 && kind == "profile" { profile++; next }
kind == "weights" {
	if ($0 ~ /^[ \t]*(#|$)/) next
	split($0, word, " ")
	weight[word[1]] = word[2]
	next
}
{
	if (profile == 1 && !(($1) in seen)) { seen[$1] = 1; order[++names] = $1 }
	rate[profile, $1, ++repetitions[profile, $1]] = $3 + 0
	number[profile, $1, repetitions[profile, $1]] = $2
	if (profile == 1) base_rate[$1, $2] = $3 + 0
}
END {
	print "name,base,target,ratio,weight,base_error,target_error"
	for (n = 1; n <= names; n++) {
		name = order[n]
		if (!((2 SUBSEP name) in repetitions)) continue
		measure(1, name)
		base = middle
		base_error = error
		measure(2, name)
		target = middle
		ratio = target / base
		if (paired != "") {
			if (!measure_pairs(name)) continue
			ratio = middle
			base_error = 0
		}
		printf "%s,%.9g,%.9g,%.6f,%s,%.6f,%.6f\n", name, base, target, ratio, name in weight ? weight[name] : 1, base_error, error
	}
}
