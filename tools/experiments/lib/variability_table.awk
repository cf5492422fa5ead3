# SPDX-License-Identifier: MIT
# Of the results of one calibration a row each, as a table of Markdown.
function range(when) { return sprintf("[%.2f, %.2f]", value[when "_least"], value[when "_greatest"]) }
function of_ten(when) { return sprintf("%.0f %%", 100 * value[when "_within"] / value[when "_count"]) }
function row(    length_before, length_after, known) {
	if ("unavailable" in value) {
		printf "| %s | unavailable: %s | | | | | | |\n", value["hand"], value["unavailable"]
		return
	}
	length_before = value["before_greatest"] - value["before_least"]
	length_after = value["after_greatest"] - value["after_least"]
	known = ""
	if (value["known"] != "")
		known = sprintf(" (known: %s %%, off by %+.1f %% of it)", value["known"], 100 * (value["bandwidth"] / value["known"] - 1))
	printf "| %s | %s ± %s %%%s | %s | %s | %s | %.2f, %.2f | %.2f, %.2f | %s, %s |\n", value["hand"], value["bandwidth"], value["uncertainty"], known,
		range("before"), range("after"), (length_after > 0 ? sprintf("%.1f", length_before / length_after) : ""), value["before_median"], value["after_median"],
		value["before_greatest"] / value["before_least"], value["after_greatest"] / value["after_least"], of_ten("before"), of_ten("after")
}
# How far apart the methods are by themselves, which a limit that slows all alike doesn't change.
function note(    before, after, changed) {
	if ("unavailable" in value) return
	before = value["before_greatest"] / value["before_least"]
	after = value["after_greatest"] / value["after_least"]
	changed = after / before - 1
	if (changed < 0) changed = -changed
	if (changed > most) most = changed
}
BEGIN {
	print "| hand | bandwidth | range before | range after | length reduced by | median before, after | greatest / least | within 10 % of 1 |"
	print "| --- | --- | --- | --- | --- | --- | --- | --- |"
}
FNR == 1 && NR > 1 { row(); note(); delete value }
{ at = index($0, "="); value[substr($0, 1, at - 1)] = substr($0, at + 1) }
END {
	row()
	note()
	printf "\nGreatest / least changed by at most %.0f %%: ", 100 * most
	if (most <= 0.25) print "the limit slows all methods nearly alike, and the range is shorter as all ratios are smaller, not as they are nearer to one another."
	else print "not all methods are slowed alike, or the noise is too large to see it."
}
