# SPDX-License-Identifier: MIT
# One sentence for each actuator: between which values the processor time of an iteration lies. From times.csv; variable: workload.
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["workload"] != workload { next }
{
	hand = $column["setting"]
	work = $column["work_s"]
	if (!(hand in n)) order[++count] = hand
	if (!n[hand]++ || work < least[hand]) least[hand] = work
	if (n[hand] == 1 || work > most[hand]) most[hand] = work
}
END {
	for (i = 1; i <= count; i++) {
		hand = order[i]
		if (n[hand] > 1 && least[hand] > 0)
			printf "%s: the processor time of an iteration from %g to %g s, the most %.3f times the least. ", hand, least[hand], most[hand], \
				most[hand] / least[hand]
	}
}
