# SPDX-License-Identifier: MIT
# A gnuplot script out of the medians.csv of tools/bench/peers: mean error and MSE of every tool on every workload, logarithmic, each
# point a target load. Variable: picture, the file to draw.
BEGIN { FS = "," }

NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}

$4 == "steps" || $4 == "many" { next }

{
	group = $1 " " $2 ($3 == "background" ? " + bg" : "")
	if (!(group in place)) {
		place[group] = ++groups
		label[groups] = group
	}
	if (!($4 in rank)) {
		rank[$4] = ++tools
		tool[tools] = $4
	}
	error = $column["mean_error_pp"]
	if (error < 0)
		error = -error
	points[$4] = points[$4] sprintf("%d %s %.4f %.4f\n", place[group], rank[$4], error < 0.01 ? 0.01 : error, $column["mse_500_pp2"])
}

END {
	print "set terminal svg size 1000,760 font 'sans,12' background '#ffffff'"
	printf "set output '%s'\n", picture
	print "set multiplot layout 2,1"
	print "set logscale y"
	print "set grid ytics"
	print "set lmargin 12"
	printf "set xrange [0.5:%d.5]\n", groups
	printf "set xtics ("
	for (i = 1; i <= groups; i++)
		printf "%s'%s' %d", (i > 1 ? "," : ""), label[i], i
	print ") rotate by -20"
	print "set key outside right top"
	for (t = 1; t <= tools; t++)
		printf "$tool%d << EOD\n%sEOD\n", t, points[tool[t]]
	panel("|mean error|, pp", 3)
	panel("mean squared error, pp²", 4)
	print "unset multiplot"
}

# Tools side by side within a workload, so that none hides another.
function panel(name, field,    t) {
	printf "set ylabel '%s'\n", name
	printf "plot "
	for (t = 1; t <= tools; t++)
		printf "%s$tool%d using ($1 + 0.8 * ($2 - %.1f) / %d):%d with points pointtype %d linecolor %d title '%s'", (t > 1 ? ", " : ""), t,
			(tools + 1) / 2, tools, field, t == 1 ? 7 : t, t, tool[t]
	print ""
}
