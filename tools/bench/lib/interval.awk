# SPDX-License-Identifier: MIT
# Half the length of the interval around the mean of n repeats that holds the true mean with a confidence of 95 % (Student's t); empty for fewer than
# two. `total` and `squares` are those of the values. As ssreport repeats has it. A library: other programs of awk come after it.
function half_interval(total, squares, n,    variance) {
	if (n < 2)
		return ""
	variance = (squares - total * total / n) / (n - 1)
	# Rounding may make it a little less than nothing.
	return variance > 0 ? t_of(n - 1) * sqrt(variance / n) : 0
}

# The quantile 0.975 of t: from a table, and from the eleventh degree of freedom on by its expansion around that of the normal distribution.
function t_of(freedom,    table, z) {
	split("12.7062 4.30265 3.18245 2.77645 2.57058 2.44691 2.36462 2.30600 2.26216 2.22814", table, " ")
	if (freedom in table)
		return table[freedom]
	z = 1.959964
	return z + (z ^ 3 + z) / (4 * freedom) + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / (96 * freedom ^ 2) + (3 * z ^ 7 + 19 * z ^ 5 + 17 * z ^ 3 - 15 * z) / (384 * freedom ^ 3)
}
