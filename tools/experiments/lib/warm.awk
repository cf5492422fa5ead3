# SPDX-License-Identifier: MIT
# Whether a workload was warm when control began: iterations a second in the two last quarters of the warm-up, of which none is longer than 30 s, and
# by how many per cent they differ. Reads the control log of a run and iteration records, one after the other. An iteration counts where it ran; one that
# ends under control, which may have slowed it, as if it took as long as those of the warm-up did in the mean. Prints nothing where no iteration ended
# in one of the two. Variable: warm_up, in seconds.
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
	if (to > began) {
		if (from < began) reached[++reaching] = from
		next
	}
	for (i = 1; i <= 2; i++) {
		part = within(i, from, to)
		count[i] += part / (to - from)
		if (part > 0 && to <= edge(i + 1)) {
			ended[i]++
			lengths += to - from
		}
	}
}
function edge(i) { return began - (3 - i) * step }
function within(i, from, to,    part) {
	part = (to < edge(i + 1) ? to : edge(i + 1)) - (from > edge(i) ? from : edge(i))
	return part > 0 ? part : 0
}
END {
	for (k = 1; k <= reaching; k++)
		for (i = 1; i <= 2 && lengths; i++) count[i] += within(i, reached[k], began) * (ended[1] + ended[2]) / lengths
	if (!ended[1] || !ended[2]) exit
	printf "%.4g,%.4g,%.2f\n", count[1] / step, count[2] / step, 100 * (count[2] / count[1] - 1)
}
