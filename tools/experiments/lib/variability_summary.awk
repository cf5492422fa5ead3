# SPDX-License-Identifier: MIT
# Of ratios (variability_ratios.awk): `NAME=VALUE' a line. noise and base_noise are the standard errors of the weighted mean from the target's and
# from the base's repetitions; within is how many ratios are between 0.9 and 1.1.
BEGIN { FS = "," }
FNR == 1 { next }
{
	ratio[++count] = $4 + 0
	weights += $5
	sum += $5 * $4
	noise += ($5 * $4 * $7) ^ 2
	base_noise += ($5 * $4 * $6) ^ 2
	if ($4 >= 0.9 && $4 <= 1.1) within++
}
END {
	if (!count || weights <= 0) exit 1
	for (i = 2; i <= count; i++)
		for (k = i; k > 1 && ratio[k] < ratio[k - 1]; k--) { swap = ratio[k]; ratio[k] = ratio[k - 1]; ratio[k - 1] = swap }
	printf "count=%d\nleast=%.4f\ngreatest=%.4f\n", count, ratio[1], ratio[count]
	printf "median=%.4f\n", count % 2 ? ratio[(count + 1) / 2] : (ratio[count / 2] + ratio[count / 2 + 1]) / 2
	printf "mean=%.6f\nnoise=%.6f\nbase_noise=%.6f\nwithin=%d\n", sum / weights, sqrt(noise) / weights, sqrt(base_noise) / weights, within
}
