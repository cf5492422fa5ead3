# SPDX-License-Identifier: MIT
# Bins of one or two files of ratios (variability_ratios.awk), `LOW,HIGH,FIRST,SECOND' a line: 0.1 wide as in the paper, or where one ratio is above
# 8, ten to each power of ten. A bin holds its upper end and not its lower one.
function bin(ratio) {
	at = wide ? log(ratio) / log(10) * 10 : ratio * 10
	return at - int(at) < 1e-6 && at >= 0 ? int(at) - 1 : at < 0 ? (int(at) == at ? at - 1 : int(at) - 1) : int(at)
}
function edge(number) { return wide ? 10 ^ (number / 10) : number / 10 }
BEGIN { FS = "," }
FNR == 1 { file++; next }
{
	of[++count] = file
	ratio[count] = $4
	if ($4 > 8) wide = 1
}
END {
	print "low,high,first,second"
	for (i = 1; i <= count; i++) {
		number = bin(ratio[i])
		if (i == 1 || number < least) least = number
		if (i == 1 || number > most) most = number
		found[number, of[i]]++
	}
	for (number = least; number <= most; number++) printf "%.3g,%.3g,%d,%d\n", edge(number), edge(number + 1), found[number, 1], found[number, 2]
}
