# SPDX-License-Identifier: MIT
# Whether a number of instances that take a processor each makes up a load, to within a percentage point: what N-bench can do at best. Of other loads it
# is nobody's fault to miss them, and no merit to come closer. A library: other programs of awk come after it.
function is_whole(target, processors,    best) {
	best = int(target * processors / 100 + 0.5)
	if (best < 1)
		best = 1
	best = 100 * best / processors - target
	return best <= 1 && best >= -1
}
