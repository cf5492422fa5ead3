#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport compare and model: which values make a group, what is asked of them, what is refused. The figures themselves are in tests/unit/report.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# Fields of the row that begins so.
expect_row() {
	grep -q "^$1" out || { fail "$what: found no row '$1'"; cat out; }
}

printf 'name,seconds,note\nx,10,a\nx,12,b\nx,11.5,c\nx,14,d\nx,10.5,e\nx,13,f\n' >old.csv
printf 'name,seconds,note\nx,9,a\nx,11.75,b\nx,11,c\ny,12,d\ny,10.25,e\ny,12,f\n' >new.csv
printf 'seconds\n30\n31\n\n' >few.csv

# ---- Groups ---------------------------------------------------------------------------------------------------------------

# The first number of the first row is in the second column.
run ssreport compare -f csv old.csv -- new.csv
expect_status 0
expect_lines err 0
cp out dashes
expect_text out '^test,a,b,count_a,count_b,estimate,low,high,percent,statistic,df,df_2,p,p_holm$'
# scipy.stats.ttest_ind(new, old, equal_var=False) of 1.17.1
expect_row 'mean,old.csv,,6,,11.8333333333333[0-9]*,10.253360432'
expect_row "Welch's t,old.csv,new.csv,6,6,-0.8333333333333[0-9]*,-2.593470394[0-9]*,0.926803728[0-9]*,-7.042253521[0-9]*,-1.062387957[0-9]*,9.505885202[0-9]*,,0.314303575"
expect_row 'Bartlett,,,,,,,,,[0-9.]*,1,,'
expect_row 'Shapiro-Wilk,new.csv,'
expect_no_text out '^sign\|^paired\|ANOVA\|^quantile'
run ssreport compare -f csv --column seconds old.csv new.csv
cmp -s out dashes || fail "each file is a group: $(diff out dashes)"
run ssreport compare -f csv -l old.csv old.csv -l new.csv new.csv
cmp -s out dashes || fail "labels make groups: $(diff out dashes)"
run ssreport compare -f csv old.csv=old.csv new.csv=new.csv
cmp -s out dashes || fail "LABEL=FILE make groups: $(diff out dashes)"
# A group has several files; options end at the first --.
run ssreport compare old.csv -f csv -- new.csv few.csv -- few.csv new.csv
expect_row 'mean,new.csv,,8,'
expect_row 'mean,few.csv,,8,'
run ssreport compare -f csv --by name --column seconds old.csv new.csv
expect_row 'mean,x,,9,'
expect_row 'mean,y,,3,'
run sh -c 'ssreport compare --by name -f csv new.csv - <old.csv'
expect_row 'mean,y,,3,'

# ---- Questions ------------------------------------------------------------------------------------------------------------

run ssreport compare --paired --quantiles 50,90 -f csv old.csv -- new.csv
# -1, -0.25, -0.5, -2, -0.25, -1: none above 0, p = 2/64.
expect_row 'paired t,old.csv,new.csv,6,6,-0.8333333333333'
expect_row 'sign,old.csv,new.csv,6,6,-0.75,-2,-0.25,,0,6,,0.03125'
expect_row 'quantile 50 %,old.csv,new.csv,6,6,-0.375,'
expect_row 'quantile 90 %,old.csv,new.csv,6,6,-1.5,'
cp out first
run ssreport compare --paired --quantiles 50,90 -f csv old.csv -- new.csv
cmp -s out first || fail 'the same command makes other intervals'
run ssreport compare --paired --quantiles 50,90 --seed 2 --resamples 1000 -f csv old.csv -- new.csv
if cmp -s out first; then fail 'another seed makes the same intervals'; fi
# Three groups: three pairs, each p times 3, 2, 1 by its rank, and one question to all.
printf 'seconds\n20\n21\n22.5\n20\n' >far.csv
run ssreport compare old.csv -- new.csv -- far.csv
expect_row "Welch's ANOVA .*<0.0001"
expect_row "Welch's t  *old.csv  far.csv .*<0.0001  *<0.0001\$"
expect_row "Welch's t  *old.csv  new.csv .* 0.3143  *0.3143\$"
run ssreport compare -f json old.csv -- far.csv
expect_row "{\"test\":\"Welch's t\",\"a\":\"old.csv\",\"b\":\"far.csv\",.*\"p\":[0-9.]*e-0[0-9],\"p_holm\":null}"

# ---- Refused --------------------------------------------------------------------------------------------------------------

run ssreport compare old.csv
expect_trouble 'found one group, expected two or more: files with -- between them, or --by NAME$'
run ssreport compare old.csv --
expect_trouble 'found no file behind --, expected those of another group$'
run ssreport compare -- old.csv
expect_trouble 'found no file before --, expected those of the first group$'
run ssreport compare -l a old.csv -- new.csv
expect_trouble 'found --label and --, expected one of them between groups$'
printf 'seconds\n30\n31\n' >two.csv
run ssreport compare --paired old.csv -- two.csv
expect_trouble '\-\-paired: found 6 values of old.csv and 2 of two.csv, expected as many$'
run ssreport compare --column nix old.csv -- new.csv
expect_trouble 'old.csv:1: found the columns name,seconds,note, expected nix as --column says$'
run ssreport compare --column seconds --column name old.csv -- new.csv
expect_trouble 'found --column twice, expected one column$'
printf 'seconds\n1\n' >one.csv
run ssreport compare old.csv one.csv
expect_trouble 'found 1 value of one.csv, expected two or more$'
printf 'seconds\n1\nabc\n' >word.csv
run ssreport compare old.csv word.csv
expect_trouble "word.csv:3:1: seconds: found 'abc', expected a number"
printf 'a,b\nx,y\n' >words.csv
run ssreport compare words.csv old.csv
expect_trouble 'words.csv:2: found no number in the columns a,b, expected one, or --column NAME$'
run ssreport compare -o x.svg old.csv new.csv
expect_trouble 'compare has no picture'

run ssreport compare --by nix old.csv -- new.csv
expect_trouble 'found --by beside labels or --, expected one of them to make groups$'
run ssreport compare --by nix old.csv new.csv
expect_trouble 'old.csv:1: found the columns name,seconds,note, expected nix as --by says$'
run ssreport compare old.csv -- new.csv -f csv
expect_trouble 'found -f behind --, expected a file; options stand before the first --$'
run ssreport compare --seed 2 old.csv new.csv
expect_trouble 'found --resamples or --seed without --quantiles, for which they are$'
# A value that is missing would shift all pairs behind it.
printf 'x\n1\n""\n3\n' >gap.csv
run ssreport compare --paired gap.csv two.csv
expect_trouble 'gap.csv:3:[0-9]*: x: found no value, expected one in each row with --paired$'
# Labels that are numbers are no values.
printf 'l,x\n1,5\n1,6\n2,8\n2,9\n' >numbered.csv
run ssreport compare --by l -f csv numbered.csv
expect_row 'mean,1,,2,,5.5,'
expect_row 'mean,2,,2,,8.5,'

# ---- Models ---------------------------------------------------------------------------------------------------------------

# The fits of paper 004: P = -0.13 c² + 8.86 c + 188.53 and 4.72 c + 187.38, with noise of one watt.
awk 'function noise() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
BEGIN {
	srand(4)
	print "scaling,c,power"
	for (c = 1; c <= 32; c++)
		for (i = 0; i < 3; i++) {
			print "vertical," c "," (188.53 + 8.86 * c - 0.13 * c * c + noise())
			print "horizontal," c "," (187.38 + 4.72 * c + noise())
		}
}' >power.csv
run ssreport model --by scaling --column c --column power -f csv power.csv
expect_status 0
expect_text out '^label,model,count,constant,constant_error,x,x_error,x2,x2_error,r2,adjusted_r2,residual_sd,p,weight$'
# Found within four standard errors, the better model with all certainty where there is a square.
awk -F, 'function near(found, true, error) { return found > true - 4 * error && found < true + 4 * error && error > 0 && error < 0.5 }
$1 == "vertical" && $2 == "quadratic" { ok += near($4, 188.53, $5) && near($6, 8.86, $7) && near($8, -0.13, $9) && $14 > 0.999 && $13 != "" && $13 < 1e-4 }
$1 == "vertical" && $2 == "linear" { ok += $8 == "" && $14 < 0.001 && $12 > 5 }
$1 == "horizontal" && $2 == "linear" { ok += near($4, 187.38, $5) && near($6, 4.72, $7) && $14 > 0.05 && $10 > 0.99 }
END { exit ok != 3 }' out || { fail 'model: other than the points were made from'; cat out; }
cp out named
# Without a name: the first two columns with numbers.
run ssreport model --by scaling -f csv power.csv
cmp -s out named || fail "$what: $(diff out named)"
run ssreport model -f csv --column c --column power power.csv
expect_row 'power.csv,linear,192,'
run ssreport model --by nix power.csv
expect_trouble 'power.csv:1: found the columns scaling,c,power, expected nix as --by says$'
run ssreport model --column c power.csv
expect_trouble 'found one --column, expected two: that of x, then that of y$'
run ssreport model old.csv
expect_trouble 'old.csv:2: found no second number in the columns name,seconds,note, expected one, or --column NAME$'
printf 'x,y\n1,2\n1,3\n2,4\n' >points.csv
run ssreport model points.csv
expect_trouble 'points.csv: found fewer than 3 different x, expected as many$'
printf 'x,y\n' >none.csv
run ssreport model none.csv
expect_trouble 'found no point$'
# A point lacks its y.
printf 'x,y\n1,2\n2,\n3,4\n4,5\n5,6.5\n' >points.csv
run ssreport model -f csv points.csv
expect_row 'points.csv,linear,4,'

# Without --column all files have that of the first one, also where its field is empty in their first rows.
printf 'seconds,run\n10.5,1\n10,2\n11,3\n12,4\n' >first.csv
printf 'seconds,run\n,1\n10,2\n11,3\n12,4\n' >second.csv
run ssreport compare -f csv first.csv -- second.csv
expect_status 0
expect_text out '^mean,second\.csv,,3,,11,'
printf 'time,run\n10,2\n11,3\n' >third.csv
run ssreport compare first.csv -- third.csv
expect_trouble '^ssreport: third\.csv:1: found the columns time,run, expected seconds as in the first file$'
run ssreport compare first.csv old.csv -- first.csv new.csv
expect_trouble '^ssreport: found first\.csv as the first file of two groups, expected another one: a group is called by it$'
# A file without a row is a group without values.
echo seconds,run >without.csv
run ssreport compare --column seconds first.csv -- second.csv -- without.csv
expect_trouble "found 0 values"

# Hundreds of groups take seconds: of each one it is drawn once, and not for each of 19,900 pairs.
awk 'BEGIN { srand(1); print "group,value"; for (i = 0; i < 200; i++) for (k = 0; k < 20; k++) print "g" i "," rand() }' >groups.csv
groups=200
if grep -q __asan_init "$SHOWSTOPPER_BUILD/ssreport"; then groups=60; fi # a sanitizer takes ten times as long
head -n $((1 + 20 * groups)) groups.csv >some.csv
run sh -c 'ulimit -t 40; exec ssreport compare --by group --column value --quantiles 50 -f csv some.csv'
expect_status 0
pairs=$(grep -c '^quantile 50 %,' out)
[ "$pairs" -eq $((groups * (groups - 1) / 2)) ] || fail "$what: $pairs pairs of $groups groups"
limit=180 # it comes last, and a sanitizer makes it late
run ssreport compare --by group --column value --quantiles 50 --resamples 1000000 groups.csv
expect_trouble '--quantiles: found 1 for each of 200 groups, expected fewer, or --resamples up to 671088$'

finish
