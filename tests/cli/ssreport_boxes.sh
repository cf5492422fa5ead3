#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport boxes and histogram: figures computed by hand, labels that are places on an axis, bins, pictures, what is refused.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_table: what the command printed is standard input.
expect_table() {
	cat >expected
	cmp -s out expected || { fail "$what: found other than expected"; diff out expected | head -20; }
}

refused() {
	expected=$1
	shift
	run ssreport "$@"
	expect_trouble "$expected"
	expect_lines out 0
}

# iterations FILE BEGIN SECONDS…: one after the other, from that moment on.
iterations() {
	file=$1
	moment=$2
	shift 2
	printf '%s\n' "$@" | awk -v moment="$moment" 'BEGIN { print "instance,iteration,start_s,end_s" }
		{ printf "0,%d,%.9f,%.9f\n", NR - 1, moment, moment + $1; moment += $1 }' >"$file"
}

# ---- Boxes ----------------------------------------------------------------------------------------------------------------

# Sorted: 1 2 4 5; and, with an outlier below and one above, 3 5 10 11 12 13 14 20 20.1 (whiskers reach from 4 to 20).
iterations a.csv 100 5 1 4 2
iterations b.csv 100 20.1 11 5 3 10 14 13 12 20
run ssreport boxes -f csv a=a.csv b=b.csv
expect_status 0
expect_lines err 0
expect_table <<'END'
label,iterations,least_s,q5_s,q25_s,q50_s,q75_s,q95_s,most_s,mean_s,outliers,load
a,4,1.000000000,1.150000000,1.750000000,3.000000000,4.250000000,4.850000000,5.000000000,3.000000000,0,
b,9,3.000000000,3.800000000,10.000000000,12.000000000,14.000000000,20.060000000,20.100000000,12.011111111,2,
END
# Runs of one label are one, and the unit is that which people need.
iterations ms.csv 7 0.25 0.5
run ssreport boxes --quantiles 2.5,50 -l x ms.csv -l x ms.csv -l y ms.csv
expect_table <<'END'
label  iterations  least ms  2.5 % ms  50 % ms  most ms  mean ms  outliers
x               4   250.000   250.000  375.000  500.000  375.000         0
y               2   250.000   256.250  375.000  500.000  375.000         0
END
# Times of a machine that is up for long: differences of large numbers are what the file says, and what is the same is no outlier.
seq 1 8 | awk 'BEGIN { print "start_s,end_s" } { printf "812345.%d00000001,812345.%d00000001\n", $1, $1 + 1 }' >even.csv
run ssreport boxes -f csv --quantiles 10 a=even.csv
expect_text out '^a,8,(0\.100000000,){3}0\.100000000,0,$'
# Control began at 101 s: what began in the warm-up is left out, or asked for.
{
	printf 'time_s,monotonic_s,target,load\n0,101,,1\n'
	for row in $(seq 1 11); do echo "$row,$((101 + row)),0.5,0.5"; done
} >log.csv
run ssreport boxes -f csv a=log.csv a=a.csv
expect_text out '^a,3,1\.000000000,.*,4\.000000000,2\.333333333,0,0\.500000$'
run ssreport boxes -f csv --warmup a=log.csv a=a.csv
expect_text out '^a,4,1\.000000000,.*,5\.000000000,3\.000000000,0,0\.541667$'
# What begins as control does, or in its first row, is under control; rows and times are not all alike.
printf 'time_s,monotonic_s,target,load\n0,101,,1\n0.5,101.5,0.5,0.9\n1.2,102.2,0.5,0.4\n1.7,102.7,0.5,0.6\n' >uneven.csv
iterations edge.csv 100.25 0.75 0.25 0.95 0.125
run ssreport boxes -f csv a=uneven.csv a=edge.csv
expect_text out '^a,3,0\.125000000,.*,0\.950000000,0\.441666667,0,0\.607547$'
# Without the run's clock all rows under control count.
cut -d , -f 1,3,4 uneven.csv >unclocked.csv
run ssreport boxes --warmup -f csv a=unclocked.csv a=edge.csv
expect_text out ',0\.605882$'
iterations early.csv 100 0.5 0.25
refused '^ssreport: a: found no iteration after the warm-up' boxes a=log.csv a=early.csv
cut -d , -f 1,3,4 log.csv >unclocked.csv
refused '^ssreport: unclocked.csv:1: found no column monotonic_s' boxes a=unclocked.csv a=a.csv
refused '^ssreport: log: found a log, but no iterations' boxes log.csv
for list in '' x '5,' 101 -1 5,,6 "$(seq -s , 21)"; do
	refused "^ssreport: --quantiles: found '$list', expected " boxes --quantiles "$list" a.csv
done
refused '^ssreport: found --axis, but no picture' boxes --axis load a.csv

# Of any column: the same values as above, out of order and with an empty field, by the column that is asked for, by label, or by file.
printf 'of,watts,label\na,5,x\nb,20.1,x\na,1,y\nb,11,x\nb,5,y\na,4,y\nb,3,y\n"b",10,y\nb,14,x\nb,,x\nb,13,x\nb,12,x\na,2,x\nb,20,x\n' >watts.csv
run ssreport boxes -f csv --all-digits --column watts --by of --quantiles 25,50 watts.csv
expect_status 0
expect_table <<'END'
label,count,least,q25,q50,most,mean,outliers
a,4,1,1.75,3,5,3,0
b,9,3,10,12,20.100000000000001,12.011111111111111,2
END
run ssreport boxes --column watts watts.csv
expect_text out '^x +8 +2\.0000 '
expect_text out '^y +5 +1\.0000 '
sed 's/,[^,]*$//' watts.csv >plain.csv
run ssreport boxes -f csv --column watts one=plain.csv plain.csv
expect_text out '^one,13,1,'
expect_text out '^plain\.csv,13,1,'
printf 'of,mean\nfast/10,-1\nfast/10,2\nfast/20,3\nslow/10,4\nslow/20,5\n' >rates.csv
run ssreport boxes --column mean --by of --axis 'rate (1/s)' -o rates.svg rates.csv
expect_status 0
if [ -s rates.svg ]; then
	for said in fast slow mean 'rate (1/s)'; do grep -q ">$said<" rates.svg || fail "$what: the picture lacks '$said'"; done
	grep -q 'time of an iteration' rates.svg && fail "$what: the picture is of durations"
fi
# Values that are all below zero, in the table and in the picture.
printf 'of,change\na,-5\na,-1\na,-2\na,-4\na,-3\nb,-20\nb,-10\n' >below.csv
run ssreport boxes -f csv --all-digits --column change --by of --quantiles 25,50,75 below.csv
expect_status 0
expect_table <<'END'
label,count,least,q25,q50,q75,most,mean,outliers
a,5,-5,-4,-3,-2,-1,-3,0
b,2,-20,-17.5,-15,-12.5,-10,-15,0
END
run ssreport boxes --column change --by of -o below.svg below.csv
expect_status 0
if [ -s below.svg ]; then expect_text below.svg '>(<[^>]*>)* *-20<'; fi
refused '^ssreport: found two columns, expected one' boxes --column of --column watts watts.csv
refused '^ssreport: found --by, but no column' boxes --by of watts.csv
refused '^ssreport: found --warmup and --column' boxes --warmup --column watts watts.csv
refused '^ssreport: found --join or --offset beside --column' boxes --join wall --column watts watts.csv
refused '^ssreport: found --join or --offset beside --column' boxes --offset watts.csv=1s --column watts watts.csv
refused '^ssreport: watts.csv:1: found the columns of,watts,label, expected power as --column says' boxes --column power watts.csv
refused '^ssreport: watts.csv:1: found the columns of,watts,label, expected setting as --by says' boxes --column watts --by setting watts.csv
refused '^ssreport: found --by beside labels' boxes --column watts --by of a=watts.csv
printf 'watts\n\n' >none.csv
refused '^ssreport: found no value' boxes --column watts none.csv
refused '^ssreport: curve has no option --quantiles' curve --quantiles 5 a.csv

# The load is that of the time from the first iteration to the last, and of all runs of a label together; one without a log, or without loads, makes it unknown.
# loads FILE LOAD…: a row of a second each, from 200 s on.
loads() {
	file=$1
	shift
	printf '%s\n' "$@" | awk 'BEGIN { print "time_s,monotonic_s,target,load" } { printf "%d,%d,0.2,%s\n", NR, 200 + NR, $1 }' >"$file"
}
loads low.log.csv 1 0.55 0.65 0.588 1 1
iterations low.csv 201 1 1 1
loads high.log.csv 0.8 0.9
iterations high.csv 200 1.5 0.5
loads unknown.log.csv '' ''
load_of() { # LABEL
	awk -F, -v label="$1" '$1 == label { print $NF }' out
}
run ssreport boxes -f csv -l 20 low.log.csv low.csv -l both low.log.csv low.csv -l both high.log.csv high.csv -l half high.log.csv high.csv -l half low.csv \
	-l none unknown.log.csv high.csv
expect_status 0
# (0.55 + 0.65 + 0.588) / 3, and (1.788 + 1.7) / 5
for pair in 20:0.596000 both:0.697600 half: none:; do
	[ "$(load_of "${pair%:*}")" = "${pair#*:}" ] || fail "$what: the load of ${pair%:*} is $(load_of "${pair%:*}")"
done
# A label that is a number is taken for a load, in per cent or as a fraction, and warned of when it is far from that.
expect_lines err 1
expect_text err '^ssreport: warning: label 20: found a load of 59\.6 %, not that of the label$'
run ssreport boxes -l a/58 low.log.csv low.csv -l 61% low.log.csv low.csv -l 0.6 low.log.csv low.csv -l low low.log.csv low.csv -l 7 low.csv
expect_lines err 0
expect_text out ' load %$'
run ssreport boxes -l a/57.5 low.log.csv low.csv -l 0.6% low.log.csv low.csv -l 0.5 low.log.csv low.csv
expect_lines err 3

# ---- Histograms -----------------------------------------------------------------------------------------------------------

cat >pieces.csv <<'END'
name,before,after
one,2.3,0.9
two,2.4,1.1
three,2.35,1.0
four,1.1,1.2
five,,1.0
END
run ssreport histogram --column before --width 0.1 -f csv pieces.csv
expect_status 0
expect_lines out 15
for row in '1.0,1.1,1,0.250000' '1.1,1.2,0,0.000000' '2.2,2.3,1,0.250000' '2.3,2.4,2,0.500000'; do expect_text out "^pieces,$row\$"; done
run ssreport histogram --column after --bins 3 pieces.csv
expect_table <<'END'
label   above  up to  values  share %
pieces    0.9    1.0       3     60.0
pieces    1.0    1.1       1     20.0
pieces    1.1    1.2       1     20.0
END
# Two series have the same bins: two columns, or two labels, whose files count together.
run ssreport histogram --column before --column after --width 1 -f csv pieces.csv
expect_table <<'END'
label,low,high,count,share
before,0,1,0,0.000000
before,1,2,1,0.250000
before,2,3,3,0.750000
after,0,1,3,0.600000
after,1,2,2,0.400000
after,2,3,0,0.000000
END
run ssreport histogram --column after --width 1 -f csv -l x pieces.csv pieces.csv y=pieces.csv
expect_table <<'END'
label,low,high,count,share
x,0,1,6,0.600000
x,1,2,4,0.400000
y,0,1,3,0.600000
y,1,2,2,0.400000
END
run sh -c 'ssreport histogram --column load -f csv - <log.csv'
expect_status 0
expect_text out '^stdin,'
refused '^ssreport: expected the column whose values are counted: --column NAME' histogram pieces.csv
refused '^ssreport: pieces.csv:1: found the columns name,before,after, expected load as --column says' histogram --column load pieces.csv
refused "^ssreport: pieces.csv:2:1: name: found 'one', expected a number" histogram --column name pieces.csv
refused "^ssreport: --column: found 'name' as another column, expected at most 2" \
	histogram --column before --column after --column name pieces.csv
refused "^ssreport: --column: found 'after' twice" histogram --column after --column after pieces.csv
refused '^ssreport: found two columns, expected one file, without a label' histogram --column after --column before x=pieces.csv
refused '^ssreport: found two columns, expected one file, without a label' \
	histogram --column after --column before pieces.csv a.csv
refused '^ssreport: found z besides x and y, expected at most two histograms' \
	histogram --column after x=pieces.csv y=pieces.csv z=pieces.csv
refused '^ssreport: found --width and --bins, expected one of them' histogram --column after --width 1 --bins 3 pieces.csv
refused "^ssreport: --width: found '0', expected a number above 0" histogram --column after --width 0 pieces.csv
refused '^ssreport: --width: found values from 0.9 to 1.2, which make more than 10000 bins of 1e-05' \
	histogram --column after --width 0.00001 pieces.csv
printf 'v,w\n2,\n2,\n' >same.csv
refused '^ssreport: --bins: found no value but 2, expected --width' histogram --column v --bins 3 same.csv
refused '^ssreport: same: found no number in the column w' histogram --column w same.csv
run ssreport histogram --column v same.csv
expect_status 0

# ---- Where boxes stand ----------------------------------------------------------------------------------------------------

# draw ARGUMENT…: the script of the picture, which is read by no gnuplot.
mkdir bin
printf '#!/bin/sh\ncat >script\necho picture\n' >bin/gnuplot
chmod +x bin/gnuplot
draw() {
	run env PATH="$work/bin:$PATH" ssreport boxes -o box.svg "$@"
	expect_status 0
}
# place SERIES: where its boxes are.
place() {
	awk -v block="\$box$1" '$1 == block { inside = 1; next } $1 == "END" { inside = 0 } inside { printf "%s ", $1 }' script
}
expect_places() { # SERIES EXPECTED
	[ "$(place "$1")" = "$2 " ] || fail "$what: series $1 stands at $(place "$1"), expected $2"
}
# At the load, from 0 to 100 %, whatever the label says.
draw -l 20 low.log.csv low.csv -l 80 high.log.csv high.csv
expect_places 0 '59.6 85'
expect_text script "'CPU load \(%\)'"
expect_text script '^set xrange \[0:100\]$'
expect_no_text script '^set xtics \('
# Boxes of several series are a percentage point beside it.
draw -l a/60 low.log.csv low.csv -l b/60 low.log.csv low.csv
expect_places 0 58.6
expect_places 1 60.6
# On an axis of another name the number counts, and nothing is said of loads; but of one that is called a load.
draw --axis 'bandwidth (%)' -l 20 low.log.csv low.csv -l 80 high.log.csv high.csv
expect_places 0 '20 80'
expect_lines err 0
draw --axis 'Load (%)' -l 20 low.log.csv low.csv -l 85 high.log.csv high.csv
expect_lines err 1
# Side by side above names, also above numbers where a load isn't known.
draw -l a low.log.csv low.csv -l b high.log.csv high.csv
expect_places 0 '0 1'
expect_text script "^set xtics \('a' 0,'b' 1\)$"
draw -l 20 low.log.csv low.csv -l 80 high.csv
expect_places 0 '0 1'
expect_text script "^set xtics \('20' 0,'80' 1\)$"

# ---- Pictures -------------------------------------------------------------------------------------------------------------

command -v gnuplot >/dev/null || skip_missing gnuplot-nox
run ssreport boxes --axis "it's {/=40 x}" -o boxes.png -o boxes.svg -l one/10% a.csv -l two/10% b.csv -l two/100% a.csv
expect_status 0
expect_lines err 0
expect_text boxes.svg ">it's \{/=40 x\}<"
expect_text boxes.svg '>two<'
expect_text boxes.svg '>time of an iteration \(s\)<'
expect_text boxes.svg '>(<[^>]*>)* *100<'
expect_no_text boxes.svg '>two/10'
# Labels that are no numbers stand below their boxes.
run ssreport boxes -o boxes.svg 10=a.csv "o'clock=b.csv"
expect_status 0
expect_text boxes.svg ">o'clock<"
iterations nothing.csv 5 0 0
for file in a.csv even.csv nothing.csv; do
	run ssreport boxes -o one.svg 10=$file
	expect_status 0
	expect_lines err 0
done
run ssreport histogram --column before --column after -o histogram.pdf -o histogram.svg pieces.csv
expect_status 0
expect_text histogram.svg '>before<'
expect_text histogram.svg '>values in the bin<'
run ssreport histogram --column before -o histogram.svg pieces.csv
expect_status 0
expect_text histogram.svg '>before<'

# ---- Means ----------------------------------------------------------------------------------------------------------------

printf 'label,value\na,1\na,2\nb,3\n"x,y",\na,4\n' >values.csv
run ssreport means --column value -f csv values.csv
expect_status 0
cat >expected <<'END'
label,count,mean,half,median,least,most,sum,error
a,3,2.3333333333333335,3.794583033596759,2,1,4,7,0.88191710368819676
b,1,3,,3,3,3,3,
"x,y",0,,,,,,,
END
cmp -s out expected || { fail "$what"; diff out expected; }
run ssreport means --column before pieces.csv
expect_table <<'END'
label       values    mean       ±  median   least    most     sum   error
pieces.csv       4  2.0375  0.9966  2.3250  1.1000  2.4000  8.1500  0.3132
END
# Of three labels one has a single value. scipy 1.17.1, stats.ttest_1samp(a, 0).pvalue; Holm's correction is for the two that have a p.
printf 'label,value\na,1.2\na,2\na,2.5\na,1.1\nb,3\nb,4.5\nc,1\n' >bounds.csv
run ssreport means --column value --within 0: -f csv bounds.csv
expect_text out '^label,count,mean,half,median,least,most,sum,error,low,high,place,p,p_holm,needed$'
expect_text out '^a,4,.*,inside,0\.01467815728086[0-9]*,0\.0293563145617[0-9]*,4$'
expect_text out '^b,2,.*,inside,0\.125665916378[0-9]*,0\.125665916378[0-9]*,13$'
expect_text out '^c,1,1,,1,1,1,1,,,,,,,$'
run ssreport means --column value --precision 10% -f csv bounds.csv
expect_text out '^a,4,.*,157$'
printf 'label,value\na,1\na,1\na,1\na,0\n' >ones.csv
run ssreport means --column value --shares --within 0.8: -f csv ones.csv
expect_text out '^a,4,.*,0\.19412044968324[0-9]*,0\.9936905367902[0-9]*,outside,1,1,'
run ssreport means --column value --shares --within 0: bounds.csv
expect_trouble 'found the value 1\.1 of a, expected 0 or 1$'
run ssreport means --column value --shares ones.csv
expect_trouble 'found --shares without --within$'
run ssreport means --column value --within 2:1 ones.csv
expect_trouble "\-\-within: found '2:1', expected two numbers or one, the lower one first, such as -5:5 or 0:$"
run ssreport means --column value --within 0: --precision 5% ones.csv
expect_trouble 'found --within and --precision, expected one of them$'
run ssreport means --column value --precision 0 ones.csv
expect_trouble "\-\-precision: found '0', expected a share of the mean above 0, such as 5%$"
run ssreport means values.csv
expect_trouble 'expected the column whose values are put together: --column NAME, once$'
run ssreport means --column other values.csv
expect_trouble 'values.csv:1: found the columns label,value, expected other as --column says$'

run ssreport histogram --column before --bins 3 --all-digits -f csv pieces.csv
expect_text out '^pieces,1\.53333333333333[0-9]+,1\.96666666666666[0-9]+,0,0$'

finish
