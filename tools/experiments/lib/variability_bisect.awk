# SPDX-License-Identifier: MIT
# The next step of a search for the bandwidth in per cent at which the mean ratio is 1. Reads what was measured, in order, `BANDWIDTH MEAN NOISE
# BASE_NOISE' a line, the first without a limit. The mean grows with the bandwidth. Prints one of
#   probe BANDWIDTH
#   found BANDWIDTH UNCERTAINTY   both in per cent; the uncertainty is that of 95 %, with the base's noise in it
#   slower MEAN                   the machine is slower than the base, even without a limit
#   least BANDWIDTH               it would have to be held at less than this
# Stops when the mean can't be told from 1, that is, is within twice its noise or within the variable enough, or when what is left between too
# little and too much is below that, as bandwidth. A guess is the one by proportion, bandwidth / mean; each third, and one that would lie outside of
# what is left, is its geometric middle: while nothing but the whole is known to be too much, half of that would be far off.
function found(at, left,    sure) {
	if (left < 0) left = -left
	sure = 2 * sqrt(noise ^ 2 + base_noise ^ 2) / mean * at
	if (left / 2 > sure) sure = left / 2
	printf "found %.2f %.2f\n", (at > 100 ? 100 : at), sure
	answered = 1
	exit
}
function say(text) {
	print text
	answered = 1
	exit
}
{
	at = $1
	mean = $2
	noise = $3
	base_noise = $4
	near = 2 * noise > enough ? 2 * noise : enough + 0
	count++
	if (count == 1 && mean < 1 - near) say("slower " mean)
	if (mean >= 1 - near && mean <= 1 + near) found(at / mean, at / mean - at)
	if (mean > 1) { high = at; high_mean = mean } else { low = at; low_mean = mean }
	if (count > 1 && low && high - low <= near / mean * at || count > 16)
		found(low + (1 - low_mean) * (high - low) / (high_mean - low_mean), high - low)
}
END {
	if (answered) exit
	guess = at / mean
	if (count % 3 == 0 || guess <= low || guess >= high) guess = low ? sqrt(low * high) : high / 2
	if (guess < 0.5) print "least 0.5"
	else printf "probe %.2f\n", guess
}
