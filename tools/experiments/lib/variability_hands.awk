# SPDX-License-Identifier: MIT
# Whether hands give the same picture. Reads for each calibration and hand `calibration FOLDER', `hand NAME WHY' and then its ratios
# (variability_ratios.awk, without the header); WHY is why it can't be had. Prints a sentence for each pair, and one that answers the paper's question.
BEGIN { FS = "," }
function median(values, count,    i, k, swap) {
	for (i = 2; i <= count; i++)
		for (k = i; k > 1 && values[k] < values[k - 1]; k--) { swap = values[k]; values[k] = values[k - 1]; values[k - 1] = swap }
	return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}
/^calibration / { folder = $0; next }
/^hand / {
	split($0, word, " ")
	hand = word[2]
	if (word[3] != "") { why = $0; sub(/^hand [^ ]+ /, "", why); lacking[hand] = why }
	else if (!(hand in have)) { have[hand] = 1; order[++hands] = hand }
	next
}
{ ratio[folder, hand, $1] = $4; error[folder, hand, $1] = $7; names[folder SUBSEP $1] = 1 }
function pair(one, two,    key, part, a, b, apart, count, all, most, where, noise, beyond) {
	for (key in names) {
		split(key, part, SUBSEP)
		if (!((part[1], one, part[2]) in ratio) || !((part[1], two, part[2]) in ratio)) continue
		a = ratio[part[1], one, part[2]]
		b = ratio[part[1], two, part[2]]
		apart = b / a - 1
		if (apart < 0) apart = -apart
		noise = 2 * sqrt(error[part[1], one, part[2]] ^ 2 + error[part[1], two, part[2]] ^ 2)
		all[++count] = apart
		noises[count] = noise
		if (apart > noise && apart > 0.1) beyond++
		if (apart > most) { most = apart; where = part[2] }
	}
	if (!count) return
	compared++
	if (10 * beyond > count) differs++
	printf "After calibration the ratios by %s and by %s differ by %.1f %% in the median (noise %.1f %%)", one, two,
		100 * median(all, count), 100 * median(noises, count)
	printf " and by at most %.0f %% (%s); %d of %d differ by more than 10 %% and their noise.\n", 100 * most, where, beyond, count
}
END {
	for (i = 1; i <= hands; i++) for (k = i + 1; k <= hands; k++) pair(order[i], order[k])
	if (compared) print ""
	answer = "The open question of the paper, whether throttling the frequency gives the same picture: "
	if ("frequency" in have) {
		if (!compared) answer = answer "no other hand was tried beside it."
		else answer = answer (differs ? "not all hands give the same picture here, see above." : "here it does, as far as these methods show it.")
	} else {
		answer = answer "not answered here, as " ("frequency" in lacking ? "the frequency can't be set (" lacking["frequency"] ")" : "it was not tried") "; "
		if (!compared) answer = answer "and only one hand was"
		else if (differs) answer = answer "the hands that take time away don't all give the same picture"
		else answer = answer "the hands that take time away give the same one"
		answer = answer "."
	}
	print answer
}
