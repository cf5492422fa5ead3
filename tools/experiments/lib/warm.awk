# SPDX-License-Identifier: MIT
# Whether a workload was warm when control began: iterations a second in the two last quarters of the warm-up, of which none is longer than 30 s, and
# by how many per cent they differ. Reads the control log of a run and iteration records, one after the other. An iteration counts where it ran.
# Prints nothing where no iteration ended in one of the two. Variable: warm_up, in seconds.
FNR == 1 {
	delete column
	for (i = 1; i <= NF; i++) column[$i] = i
	file++
	next
}
file == 1 {
	if (!began) began = $column["monotonic_s"] - $column["time_s"]
	next
}
{
	step = warm_up / 4 > 30 ? 30 : warm_up / 4
	from = $column["start_s"]
	to = $column["end_s"]
	if (to <= from) next
	for (i = 1; i <= 2; i++) {
		low = began - (3 - i) * step
		high = low + step
		part = (to < high ? to : high) - (from > low ? from : low)
		if (part > 0) count[i] += part / (to - from)
		if (to > low && to <= high) ended[i]++
	}
}
END {
	if (!ended[1] || !ended[2]) exit
	printf "%.4g,%.4g,%.2f\n", count[1] / step, count[2] / step, 100 * (count[2] / count[1] - 1)
}
