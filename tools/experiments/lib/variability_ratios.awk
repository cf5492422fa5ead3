# SPDX-License-Identifier: MIT
# Of two profiles, base first and target second: how many times as fast the target is, for each name that both have, in the base's order. Before
# them may stand a file of weights, `NAME WEIGHT' a line, with kind=weights; a profile has kind=profile. The rate of a name is the median of its
# repetitions; base_error and target_error are its standard error as a share of it, 0 where there is one repetition alone.
function median(values, count,    i, k, swap) {
	for (i = 2; i <= count; i++)
		for (k = i; k > 1 && values[k] < values[k - 1]; k--) { swap = values[k]; values[k] = values[k - 1]; values[k - 1] = swap }
	return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}
# The median of three and more is a little less certain than their mean.
function measure(of, name,    i, count, sum, squares, values) {
	count = repetitions[of, name]
	for (i = 1; i <= count; i++) {
		values[i] = rate[of, name, i]
		sum += values[i]
	}
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
		printf "%s,%.9g,%.9g,%.6f,%s,%.6f,%.6f\n", name, base, middle, middle / base, name in weight ? weight[name] : 1, base_error, error
	}
}
