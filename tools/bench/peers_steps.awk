# SPDX-License-Identifier: MIT
# How far the load is from its target after steps of it. Arguments: the control log of a run whose target steps, and a load log with
# short windows, ten of which make one of 500 ms. Prints after_s,windows,worst_pp: for 500 ms windows that begin so long after a
# step, and end before the next, the largest distance from the target.
BEGIN { FS = "," }

FNR == 1 {
	delete column
	for (i = 1; i <= NF; i++)
		column[$i] = i
	file++
	next
}

# The steps, as the rows of the log show them: the first row of each target begins 500 ms or less after its step, so the step is where
# the trace has it, in whole seconds.
file == 1 {
	if (origin == "")
		origin = $column["monotonic_s"] - $column["time_s"]
	if ($column["time_s"] > 0)
		last = $column["time_s"]
	next
}

{
	n++
	at[n] = $column["monotonic_s"] - origin
	load[n] = 100 * $column["load"]
}

# The trace: every 3 s, between 10 and 90 %.
function target(t) { return int(t / 3) % 2 ? 90 : 10 }

END {
	for (i = 11; i <= n; i++) {
		begin = at[i - 10]
		if (begin < 3 || at[i] > last)
			continue
		since = begin - 3 * int(begin / 3)
		if (int(begin / 3) != int((at[i] - 0.0001) / 3))
			continue
		mean = 0
		for (k = i - 9; k <= i; k++)
			mean += load[k] * (at[k] - at[k - 1])
		mean /= at[i] - begin
		distance = mean - target(begin)
		if (distance < 0)
			distance = -distance
		slot = int(since / 0.25)
		windows[slot]++
		if (distance > worst[slot])
			worst[slot] = distance
	}
	print "after_s,windows,worst_pp"
	for (slot = 0; slot <= 12; slot++)
		if (windows[slot])
			printf "%.2f,%d,%.2f\n", slot * 0.25, windows[slot], worst[slot]
}
