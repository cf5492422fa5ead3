# SPDX-License-Identifier: MIT
# Bursts of others in loads that cpuload read: of the machine, and of the tree of processes that measures (tools/bench/lib/bursts.sh). What of the
# one is not of the other was made by others; where that is more than 3 % of the machine there is a burst. A sample meets it when it overlaps the
# burst, or when its middle lies in the second after: as ssreport accuracy has it. A library: other programs of awk come after it.
BEGIN {
	BURST = 0.03
	CALM_AFTER = 1
}

# A row of the log of the tree, whose first one began at `start`.
function tree_add(end, load, start) {
	if (!tree_rows) {
		tree_end[0] = start
		tree_sum[0] = 0
	}
	tree_rows++
	tree_end[tree_rows] = end
	tree_sum[tree_rows] = tree_sum[tree_rows - 1] + load * (end - tree_end[tree_rows - 1])
}

# The tree's time until a moment; empty where it is not known.
function tree_until(moment,    low, high, middle) {
	if (!tree_rows || moment < tree_end[0] || moment > tree_end[tree_rows])
		return ""
	low = 0
	high = tree_rows
	while (high - low > 1) {
		middle = int((low + high) / 2)
		if (tree_end[middle] <= moment) low = middle
		else high = middle
	}
	return tree_sum[low] + (tree_sum[high] - tree_sum[low]) * (moment - tree_end[low]) / (tree_end[high] - tree_end[low])
}

# A row of the log of the machine.
function machine_add(start, end, load,    from, to) {
	from = tree_until(start)
	to = tree_until(end)
	if (from == "" || to == "" || load == "") {
		note_unrest(start, end, 0)
		return
	}
	knows_others = 1
	if (load - (to - from) / (end - start) > BURST)
		note_unrest(start, end, CALM_AFTER)
}

function note_unrest(start, end, after) {
	unrests++
	unrest_start[unrests] = start
	unrest_end[unrests] = end
	unrest_after[unrests] = end + after
}

# Whether a sample meets no burst, and is known to.
function is_calm(start, end,    i, middle) {
	middle = (start + end) / 2
	for (i = 1; i <= unrests; i++)
		if ((start < unrest_end[i] && end > unrest_start[i]) || (middle >= unrest_end[i] && middle < unrest_after[i]))
			return 0
	return knows_others
}
