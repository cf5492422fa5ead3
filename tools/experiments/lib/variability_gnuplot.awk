# SPDX-License-Identifier: MIT
# A script for gnuplot that draws bins (variability_bins.awk), one set in green, the second beside it in purple, as in the paper. Variables: title;
# first and second, what these are, of which the second may be empty; lines, `RATIO COLOUR' each, separated by semicolons: ends of ranges; terminal.
# The picture goes to standard output.
BEGIN { FS = "," }
NR == 1 { next }
{
	edge[bins++] = $1
	edge[bins] = $2
	one[bins] = $3
	two[bins] = $4
	if ($3 > most) most = $3
	if ($4 > most) most = $4
}
# Where a ratio is on the axis of bins; just outside if there is none for it.
function place(ratio,    e) {
	for (e = 0; e < bins; e++) if (ratio >= edge[e] && ratio <= edge[e + 1]) return e + (ratio - edge[e]) / (edge[e + 1] - edge[e])
	return ratio < edge[0] ? -0.3 : bins + 0.3
}
function columns(name, shift, width, colour) {
	return sprintf("$bins using ($1+%g):%s with boxes lc rgb \"%s\" title \"%s\"", shift, width, colour, name)
}
END {
	if (!bins) exit 1
	if (terminal == "") terminal = "svg size 760,340 font \"sans-serif,12\" background \"white\""
	printf "set terminal %s\nset title \"%s\" noenhanced\nset key top right noenhanced\n", terminal, title
	print "set xlabel \"times as fast as the base\"\nset ylabel \"how many\"\nset style fill solid 0.6 noborder\nset grid y lc rgb \"#dddddd\""
	# Room for the names above the bars, and no tenths of a method.
	printf "set yrange [0:%g]\nset ytics %d\n", 1.3 * most, int(most / 8) + 1
	every = int(bins / 14) + 1
	for (e = 0; e <= bins; e += every) tics = tics (e ? ", " : "") "\"" edge[e] "\" " e
	printf "set xrange [-0.5:%g]\nset xtics (%s)\n", bins + 0.5, tics
	count = split(lines, line, ";")
	for (i = 1; i <= count; i++) {
		split(line[i], part, " ")
		x = place(part[1])
		printf "set arrow from first %g, graph 0 to first %g, graph 1 nohead lw 1.5 dt 2 lc rgb \"%s\"\n", x, x, part[2]
	}
	print "$bins << END"
	for (e = 1; e <= bins; e++) print e - 1, one[e], two[e]
	print "END"
	if (second == "") print "plot " columns(first, 0.5, "2:(0.8)", "#2a8f3c")
	else print "plot " columns(first, 0.28, "2:(0.4)", "#2a8f3c") ", " columns(second, 0.72, "3:(0.4)", "#7b3fa0")
}
