#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport interference, overall, efficiency, ratio and heatmap, and timelines beside each other, on made-up runs.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

expect_file() {
	cat >expected
	cmp -s "$1" expected || { fail "$what: $1 differs"; diff "$1" expected | head -20; }
}

refused() {
	expected=$1
	shift
	run ssreport "$@"
	expect_trouble "$expected"
	expect_lines out 0
}

# make_run NAME SLOPE_DOWN SLOPE_UP RATE [POWER [LEVELS]]: a warm-up of 2 s, then 95, 65, 35, 5, 5, 35, 65, 95 % for 6 s each, in rows of half a second.
# The foreground makes 10 - slope * load iterations a second, the background RATE * load.
make_run() {
	awk -v name="$1" -v down="$2" -v up="$3" -v background="$4" -v power="${5-}" -v levels="${6-4}" 'BEGIN {
		control = name ".log.csv"
		print "time_s,monotonic_s,target,load" (power ? ",power_w" : "") >control
		print "instance,iteration,start_s,end_s" >(name ".fore.csv")
		print "instance,iteration,start_s,end_s" >(name ".back.csv")
		began = 1000
		for (row = -3; row <= 0; row++) printf "%.3f,%.3f,,1%s\n", row / 2, began + row / 2, power ? "," : "" >control
		for (step = 0; step < 2 * levels; step++) {
			load = 0.95 - 0.3 * (step < levels ? step : 2 * levels - 1 - step)
			for (row = 1; row <= 12; row++)
				printf "%.3f,%.3f,%.6f,%.6f%s\n", 6 * step + row / 2, began + 6 * step + row / 2, load, load + (row % 2 ? 0.002 : -0.002),
					power ? "," power : "" >control
			iterations("fore", 0, step, 6 * (10 - (step < levels ? down : up) * load))
			iterations("back", 1, step, 6 * background * load)
		}
	}
	# As evenly as can be; the last one is cut where the step ends.
	function iterations(what, instance, step, count,    i, end) {
		for (i = 0; i < count; i++) {
			end = i + 1 < count ? i + 1 : count
			printf "%d,%d,%.9f,%.9f\n", instance, total[what]++, began + 6 * step + 6 * i / count, began + 6 * step + 6 * end / count >(name "." what ".csv")
		}
	}'
}
make_run same 4 4 4
make_run worn 4 6 4
make_run powered 4 4 4 100

# ---- Interference -------------------------------------------------------------------------------------------------------------

run ssreport interference -l same same.log.csv same.fore.csv -l worn worn.log.csv worn.fore.csv
expect_status 0
expect_lines err 0
expect_text out '^label  steps  interference  first half  second half  angle °  symmetric  largest p  significant$'
expect_text out '^same  *8  *40\.[0-9]  *40\.[0-9]  *40\.[0-9]  *0\.[0-9]*  *yes  *0\.0000  *yes *$'
expect_text out '^worn  *8  *[45][0-9]\.[0-9]  *40\.[0-9]  *[56][0-9]\.[0-9]  *[89]\.[0-9]*  *no  *0\.0000  *yes *$'
run ssreport interference -f csv same.log.csv same.fore.csv
expect_text out '^label,file,steps,interference,interference_1,interference_2,angle_deg,symmetric,p,significant,slope_1,intercept_1,slope_p_1,.*,r2_2$'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
	NR == 2 { exit !(NF == 20 && $c["interference"] - 40 < 1 && 40 - $c["interference"] < 1 && $c["intercept_1"] > 9.9 && $c["intercept_2"] < 10.1 &&
		$c["r2_1"] > 0.999) }' out || fail "$what: other figures: $(tail -n 1 out)"
# Without its edges a step has less of it.
run ssreport interference --edge 0 -f csv same.log.csv same.fore.csv
expect_status 0
refused '^ssreport: same.log: found a log, but no iterations' interference same.log.csv
refused '^ssreport: same.fore: found iterations, but no control log' interference same.fore.csv
cut -d, -f1,2,4 same.log.csv >load.csv
refused '^ssreport: load.csv:1: found no column target, expected a control log' interference load.csv same.fore.csv
awk -F, 'NR == 1 || $1 <= 24' same.log.csv >half.csv
refused '^ssreport: half.csv: found 4 steps, expected a staircase that goes back as it came, with at least 3 steps in each half' \
	interference half.csv same.fore.csv
awk -F, -v OFS=, 'NR > 1 { $4 = 1 } { print }' same.log.csv >busy.csv
run ssreport interference -f csv busy.csv same.fore.csv
expect_status 0
expect_text err '^ssreport: busy.csv: interference is unavailable: the load was the same'
expect_text out '^busy,busy.csv,8,,,,,no,,no,,,,,,,,,,$'
refused '^ssreport: interference has no option --reference' interference --reference same same.log.csv same.fore.csv
refused '^ssreport: --output: found x.svg, but ratio has no picture' ratio -o x.svg same.log.csv same.fore.csv

# ---- Overall ------------------------------------------------------------------------------------------------------------------

# The foreground loses what the background gains: 10 a second in each step.
run ssreport overall -l same same.log.csv same.fore.csv same.back.csv
expect_status 0
expect_lines out 9
awk 'NR > 1 && ($8 < 9.9 || $8 > 10.1) { exit 1 }' out || { fail "$what: not 10 iterations a second in each step:"; cat out; }
run ssreport overall -f csv --reference same -l same same.log.csv same.fore.csv same.back.csv -l worn worn.log.csv worn.fore.csv worn.back.csv
expect_lines out 17
expect_text out '^label,file,step,start_s,end_s,target,load,iterations,throughput,relative$'
expect_text out '^same,same.log.csv,4,19.000,23.000,0.050000,0.050000,.*,1.000000$'
expect_text out '^worn,worn.log.csv,1,1.000,5.000,0.950000,0.950000,.*,1.000000$'
expect_text out '^worn,worn.log.csv,8,43.000,47.000,.*,0.8[0-9]*$'
refused "^ssreport: --reference: found no run of the label 'other'" overall --reference other same.log.csv same.fore.csv
make_run short 4 4 4 '' 3
refused '^ssreport: short.log.csv: found 6 steps, and 8 in same.log.csv, expected the same ones' \
	overall --reference same -l same same.log.csv same.fore.csv -l short short.log.csv short.fore.csv

# ---- Efficiency ---------------------------------------------------------------------------------------------------------------

# 4 s at 100 W are 400 J, a ninth of a watt-hour; 40 iterations in them make 360.
run ssreport efficiency -f csv powered.log.csv powered.fore.csv powered.back.csv
expect_status 0
expect_lines err 0
expect_text out '^label,file,step,start_s,end_s,target,load,iterations,power_w,energy_j,iterations_per_wh,relative$'
awk -F, 'NR > 1 && ($9 != 100 || $10 != 400 || $11 < 356 || $11 > 364 || $12 != "") { exit 1 }' out || { fail "$what: other figures"; cat out; }
# The power may come from cpuload.
awk -F, -v OFS=, 'NR == 1 { print "time_s,monotonic_s,load,power_w"; next } { print $1 + 7, $2, $4, 50 }' same.log.csv >cpuload.csv
run ssreport efficiency --reference a -l a same.log.csv cpuload.csv same.fore.csv -l b powered.log.csv powered.fore.csv
expect_status 0
expect_text out '^a  .*  50\.00  .*100\.00 *$'
expect_text out '^b  .*  100\.00  .*50\.00 *$'
# What there is none of is said, and left out.
run ssreport efficiency same.log.csv same.fore.csv
expect_status 0
expect_lines err 1
expect_text err '^ssreport: same.log: energy is unavailable: none of its logs has values in a column power_w$'
expect_lines out 9
expect_no_text out 'W'
run ssreport efficiency -f json same.log.csv same.fore.csv
expect_text out '"power_w":null,"energy_j":null,"iterations_per_wh":null'
sed 's/,100$/,-1/' powered.log.csv >negative.csv
refused '^ssreport: negative.csv:6:.*: power_w: found -1, expected a power in watts' efficiency negative.csv same.fore.csv

# ---- Ratio --------------------------------------------------------------------------------------------------------------------

run ssreport ratio -l pair worn.log.csv worn.fore.csv -l other same.log.csv same.fore.csv -l pair same.log.csv same.fore.csv -l other same.log.csv same.fore.csv
expect_status 0
expect_text out '^label  steps  least  median   most$'
expect_text out '^pair  *8  *0\.6[0-9]*  *0\.9[0-9]*  *1\.000$'
expect_text out '^other  *8  *1\.000  *1\.000  *1\.000$'
run ssreport ratio -f csv -l a same.log.csv same.fore.csv -l a worn.log.csv worn.fore.csv
expect_text out '^a,same.log.csv,worn.log.csv,8,1.000000,'
refused '^ssreport: a: found 1 run of this label, expected two' ratio -l a same.log.csv same.fore.csv
refused '^ssreport: a: found 3 runs of this label, expected two' ratio -l a same.log.csv same.fore.csv -l a same.log.csv same.fore.csv \
	-l a same.log.csv same.fore.csv

# As a matrix, which heatmap reads: medians, with the least and the greatest.
run ssreport ratio --matrix -l fop/h2 worn.log.csv worn.fore.csv -l h2/h2 same.log.csv same.fore.csv -l fop/h2 same.log.csv same.fore.csv \
	-l h2/h2 same.log.csv same.fore.csv -l h2/fop same.log.csv same.fore.csv -l h2/fop worn.log.csv worn.fore.csv -o pairs.csv -o pairs.txt
expect_status 0
expect_lines pairs.csv 3
expect_text pairs.csv '^foreground,h2,fop$'
expect_text pairs.csv '^fop,0\.9[0-9]* 0\.6[0-9]*\.\.1\.000,$'
expect_text pairs.csv '^h2,1\.000 1\.000\.\.1\.000,1\.[0-9]* 1\.000\.\.1\.[0-9]*$'
expect_text pairs.txt '^foreground  h2 '
run ssreport heatmap -f csv pairs.csv
expect_status 0
expect_text out '^h2,h2,1\.000000,1\.000\.\.1\.000$'
for label in fop /fop fop/; do
	refused "^ssreport: $label: found this label, expected one such as fop/h2" ratio --matrix -l $label same.log.csv same.fore.csv \
		-l $label same.log.csv same.fore.csv
done
refused '^ssreport: interference has no option --matrix' interference --matrix same.log.csv same.fore.csv
refused '^ssreport: found --range without --matrix' ratio --range 0:1 -l a same.log.csv same.fore.csv -l a same.log.csv same.fore.csv
refused '^ssreport: found --outlier without --matrix' ratio --outlier a -l a same.log.csv same.fore.csv -l a same.log.csv same.fore.csv
refused "^ssreport: --outlier: found no row or column 'xz'" ratio --matrix --outlier xz -l a/b same.log.csv same.fore.csv -l a/b same.log.csv same.fore.csv
if command -v gnuplot >/dev/null; then
	run ssreport ratio --matrix -l fop/h2 worn.log.csv worn.fore.csv -l fop/h2 same.log.csv same.fore.csv -o pairs.svg --size 12x8
	expect_status 0
	expect_text pairs.svg '>0\.9[0-9]* 0\.6[0-9]*\.\.1\.000<'
fi

# ---- Heat maps ----------------------------------------------------------------------------------------------------------------

cat >table.csv <<'END_OF_TABLE'
foreground,fop,h2
fop,44.2,3 p
h2,,-2.50 ap
END_OF_TABLE
run ssreport heatmap -f csv table.csv
expect_status 0
expect_file out <<'END_OF_TABLE'
row,column,value,mark
fop,fop,44.200000,
fop,h2,3.000000,p
h2,fop,,
h2,h2,-2.500000,ap
END_OF_TABLE
run sh -c 'ssreport heatmap - <table.csv'
expect_status 0
refused '^ssreport: found 2 files, expected one table' heatmap table.csv table.csv
refused "^ssreport: --range: found '5:-5', expected two numbers" heatmap --range 5:-5 table.csv
refused "^ssreport: --range: found '5', expected two numbers" heatmap --range 5 table.csv
refused "^ssreport: --outlier: found no row or column 'xz'" heatmap --outlier xz table.csv
refused '^ssreport: found --range and --outlier, expected one of them' heatmap --outlier fop --range 0:1 table.csv
refused '^ssreport: heatmap has no option --label' heatmap -l a table.csv

if command -v gnuplot >/dev/null; then
	run ssreport heatmap table.csv -o heat.svg -o heat.png -o heat.pdf -o heat.md
	expect_status 0
	expect_lines err 0
	for text in foreground fop h2 44.2 '3 p' '-2.50 ap'; do expect_text heat.svg ">$text<"; done
	for file in heat.png heat.pdf heat.md; do [ -s $file ] || fail "$what: $file is empty"; done
	# Of a wider range the darkest cell is lighter.
	grep -q 'rgb( *8, *48, *107)' heat.svg || fail "$what: the greatest number has not the darkest colour"
	# Each number is darker than the one before, in nine steps.
	printf 'a,0,1,2,3,4,5,6,7,8\nb,0,1,2,3,4,5,6,7,8\n' >ramp.csv
	run ssreport heatmap ramp.csv -o ramp.svg
	expect_status 0
	for color in 247,251,255 222,235,247 198,219,239 158,202,225 107,174,214 66,146,198 33,113,181 8,81,156 8,48,107; do
		grep -q "rgb( *$(echo "$color" | sed 's/,/, */g'))" ramp.svg || fail "$what: no cell has the colour $color"
	done
	run ssreport heatmap --range -5:100 --size 12x8 table.csv -o wide.svg
	expect_no_text wide.svg 'rgb\( *8, *48, *107\)'
	expect_text wide.svg 'width="454" height="302"'
	# Without the workload that is far from all others the next greatest number is darkest, and so are those beyond.
	printf 'foreground,fop,h2,far\nfop,4,3,9\nh2,1,5,9\nfar,90,80,95\n' >far.csv
	run ssreport heatmap far.csv -o far.svg
	[ "$(grep -c 'rgb( *8, *48, *107)' far.svg)" -le 2 ] || fail "$what: more than one cell is darkest"
	run ssreport heatmap --outlier far far.csv -o far.svg
	[ "$(grep -c 'rgb( *8, *48, *107)' far.svg)" -ge 6 ] || fail "$what: not six cells are darkest"
	# Text is text, whatever it is.
	# shellcheck disable=SC2016 # what is not to be expanded
	printf '"%s",`b`\n"x'"'"'; system ""touch pwned""",1 <b>\n' "line
set output 'pwned'" >markup.csv
	run ssreport heatmap markup.csv -o markup.svg
	expect_status 0
	expect_text markup.svg '>1 &lt;b&gt;<|>1 &lt;b><'
	[ ! -e pwned ] || fail "$what: the table was executed"
	printf ',a\nx,\n' >empty.csv
	run ssreport heatmap empty.csv -o empty.svg
	expect_status 0

	# A line of each half, and points that tell them apart; a load that stays the same has no line.
	run ssreport interference -l same same.log.csv same.fore.csv -l worn worn.log.csv worn.fore.csv -o lines.svg -o lines.csv --size 12x8
	expect_status 0
	expect_text lines.svg '>throughput \(iterations/s\)<'
	expect_text lines.svg '>worn<'
	[ "$(grep -c "xlink:href='#gpPt8'" lines.svg)" -eq 8 ] || fail "$what: not 8 points of the second halves"
	[ "$(grep -c "xlink:href='#gpPt10'" lines.svg)" -eq 8 ] || fail "$what: not 8 points of the first halves"
	expect_lines lines.csv 3
	run ssreport interference busy.csv same.fore.csv -o busy.svg
	expect_status 0
	[ -s busy.svg ] || fail "$what: no picture"
	run ssreport overall -l same same.log.csv same.fore.csv -l worn worn.log.csv worn.fore.csv -o overall.svg
	expect_status 0
	expect_text overall.svg '>throughput \(iterations/s\)<'
	run ssreport overall --reference same -l same same.log.csv same.fore.csv -l worn worn.log.csv worn.fore.csv -o overall.svg -o overall.csv
	expect_text overall.svg '>relative throughput \(%\)<'
	expect_lines overall.csv 17
	run ssreport efficiency powered.log.csv powered.fore.csv -o efficiency.svg
	expect_text efficiency.svg '>efficiency \(iterations/Wh\)<'
	run ssreport efficiency same.log.csv same.fore.csv -o none.svg
	expect_status 125
	expect_text err '^ssreport: found no run with a power to draw'
	[ ! -e none.svg ] || fail "$what: drew nothing"

	# Timelines beside each other: as wide as columns, as high as rows.
	run ssreport timeline --columns 2 -l a same.log.csv same.fore.csv -l b worn.log.csv worn.fore.csv -l c same.log.csv -o beside.svg
	expect_status 0
	expect_text beside.svg 'width="643" '
	run ssreport timeline --columns 5 -l a same.log.csv -l b same.log.csv -o two.svg
	expect_text two.svg 'width="643" '
	# The last row of the warm-up may end after control began and have a target; the band begins with the next row all the same.
	printf 'time_s,target,load\n-0.4995,,1\n0.0005,,1\n0.5,0.8,0.8\n1,0.8,0.8\n1.5,0.8,0.8\n2,0.4,0.4\n2.5,0.4,0.4\n' >late.csv
	sed 's/^0.0005,,/0.0005,0.8,/' late.csv >early.csv
	run ssreport timeline -l run late.csv -o late.svg
	run ssreport timeline -l run early.csv -o early.svg
	cmp -s late.svg early.svg || fail "$what: the target's band is another one"
	set --
	for number in 1 2 3 4 5 6 7 8 9 10 11 12 13; do set -- "$@" -l $number same.log.csv; done
	run ssreport timeline --columns 3 "$@" -o many.svg
	expect_status 0
	refused '^ssreport: found 13 logs for one picture, expected at most 12' timeline "$@" -o many.svg
	refused "^ssreport: --columns: '13' is out of range: expected" timeline --columns 13 same.log.csv -o many.svg
else
	missing gnuplot-nox pictures
fi

finish
