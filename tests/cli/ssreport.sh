#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport: options, tables and their figures, pictures, labels, files that are wrong, cut off or large.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_file FILE: its content is standard input.
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

# Control from 100 s on, after a warm-up of 1 s: 6 s at 20 % with errors of -10, 0, 0, 0, 0, 10 pp, and 6 s at 80 % with 30 pp
# less in the first of them. Two instances: iterations from 101 to 105 s and from 105 to 109 s, and one from 106 to 112 s.
cat >log.csv <<'END'
time_s,monotonic_s,target,load,estimate,duty,runnable
-0.5,99.5,,1.0,,1,2
0,100,,1.0,,1,2
1,101,0.2,0.1,0.1,0.1,1
2,102,0.2,0.2,0.1,0.1,1
3,103,0.2,0.2,0.1,0.1,1
4,104,0.2,0.2,0.1,0.1,1
5,105,0.2,0.2,0.1,0.1,1
6,106,0.2,0.3,0.1,0.1,1
7,107,0.8,0.5,0.1,0.1,1
8,108,0.8,0.8,0.1,0.1,1
9,109,0.8,0.8,0.1,0.1,1
10,110,0.8,0.8,0.1,0.1,1
11,111,0.8,0.8,0.1,0.1,1
12,112,0.8,0.8,0.1,0.1,1
END
cat >it.0.csv <<'END'
instance,iteration,start_s,end_s
0,0,101.000000000,105.000000000
0,1,105.000000000,109.000000000
END
cat >it.1.csv <<'END'
instance,iteration,start_s,end_s
1,0,106.000000000,112.000000000
END

# Help, manual and version.
run ssreport --help
expect_status 0
expect_lines err 0
for subcommand in accuracy repeats timeline throughput curve boxes events interference overall efficiency ratio heatmap histogram latency; do
	expect_text out "^  $subcommand "
	expect_text "$source/tools/ssreport/ssreport.1" "^\.It Cm $subcommand\$"
done
sed -En 's/^  (-.,|   ) --([a-z-]+).*/\2/p' out | sort >in_help
sed -n 's/^\.It .*Fl \\-\([a-z\\-]*\).*/\1/p' "$source/tools/ssreport/ssreport.1" | sed 's/\\//g' | sort >in_manual
cmp in_help in_manual || fail "options of --help and manual differ: $(diff in_help in_manual)"
run ssreport curve --help
expect_text out '^usage: ssreport curve '
expect_text out '^ .*--edge'
expect_no_text out '^ .*--settle'
run ssreport -V
expect_text out '^ssreport [0-9]+\.[0-9]+'
run ssreport throughput --version
expect_status 0
run sh -c 'ssreport --help >/dev/full'
expect_trouble "^ssreport: can't write standard output: No space left"

# Misuse.
refused "^ssreport: found no subcommand, expected a subcommand such as accuracy or timeline"
refused "^ssreport: found 'acc', expected a subcommand" acc log.csv
refused "^ssreport: expected files" accuracy
refused "^ssreport: accuracy has no option --interval " accuracy --interval 5s log.csv
refused "^ssreport: curve has no option --per-step " curve --per-step log.csv
refused "^ssreport: --edge: found '1/2', expected a share below 1/2" curve --edge 1/2 log.csv
refused "^ssreport: --size: found '8', expected width and height" curve --size 8 -o x.png log.csv
refused "^ssreport: --size: found '8x1e9'" curve --size 8x1e9 -o x.png log.csv
refused "^ssreport: found --size, but no picture" curve --size 8x6 log.csv
refused "^ssreport: found --per-step and --interval" throughput --per-step -i 6s log.csv
refused "^ssreport: found --edge without --per-step" throughput --edge 0 log.csv
refused "^ssreport: found --per-step and --interval" events --per-step -i 6s log.csv
refused "^ssreport: found --interval and --edge" curve --edge 0 -i 6s log.csv
refused "^ssreport: --output: found x.png, but accuracy has no picture" accuracy -o x.png log.csv
refused "^ssreport: --label: found no file behind 'b'" accuracy -l a log.csv -l b
for ending in jpg gif tex; do
	refused "^ssreport: --output: found x.$ending, expected the ending of a picture \(.png .svg .pdf\) or of a table \(.txt" timeline -o "x.$ending" log.csv
	refused "^ssreport: --output: found x.$ending, expected" accuracy -o "x.$ending" log.csv
done
refused "^ssreport: --output: ./log.csv is one of the files to read: expected another file\$" accuracy log.csv -o ./log.csv
cp log.csv log.png
ln log.png picture.png
refused "^ssreport: --output: picture.png is one of the files to read: expected another file\$" timeline log.png -o picture.png
refused "^ssreport: --output: log.csv is one of the files to read: expected another file\$" accuracy a=./log.csv -o log.csv
refused "^ssreport: --output and --output: both would be written to new.csv, which is also ./new.csv: expected" accuracy log.csv -o new.csv -o ./new.csv
cmp -s log.csv log.png || fail 'an input was harmed'
run sh -c 'exec ssreport accuracy - -o log.csv <log.csv'
expect_trouble '^ssreport: --output: log.csv is standard input: expected another file$'
run sh -c 'exec ssreport accuracy log.csv >>log.csv'
expect_trouble '^ssreport: standard output is one of the files to read: expected another file$'
cmp -s log.csv log.png || fail 'an input was harmed'
rm log.png picture.png

# Figures of accuracy, computed by hand: 12 samples, -20 pp in all, 100 + 100 + 900 pp^2.
run ssreport accuracy log.csv
expect_status 0
expect_lines err 0
expect_file out <<'END'
label  samples  time s  target %  load %  mean error pp     MSE pp²  within 5 pp %    in bursts
log         12    12.0     50.00   47.50     12 samples  12 samples     12 samples  unavailable
END
run ssreport accuracy --per-target --skip-edges 1s -f csv log.csv
expect_file out <<'END'
label,file,level,samples,time_s,target,load,mean_error_pp,mse_pp2,near,bursts,calm_mean_error_pp,calm_mse_pp2,calm_near
log,log.csv,,11,11.000,0.472727,0.472727,0.0000,18.1818,0.818182,,,,
log,log.csv,0.200000,6,6.000,0.200000,0.200000,0.0000,33.3333,0.666667,,,,
log,log.csv,0.800000,5,5.000,0.800000,0.800000,0.0000,0.0000,1.000000,,,,
END
# Two seconds: errors of -5, 0, 5, -15, 0, 0 pp.
run ssreport accuracy --window 2s -f json log.csv it.0.csv
expect_file out <<'END'
[
{"label":"log","file":"log.csv","level":null,"samples":6,"time_s":12.000,"target":0.500000,"load":0.475000,"mean_error_pp":-2.5000,"mse_pp2":45.8333,"near":0.833333,"bursts":null,"calm_mean_error_pp":null,"calm_mse_pp2":null,"calm_near":null}
]
END
run ssreport accuracy --settle 5s -f markdown A=log.csv
expect_file out <<'END'
| label | samples | time s | target % | load % | mean error pp | MSE pp² | within 5 pp % | in bursts |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| A | 7 | 7.0 | 71.43 | 68.57 | 7 samples | 7 samples | 7 samples | unavailable |
END
refused "^ssreport: log.csv: found rows of 1.000 s, expected --window to be at least as long" accuracy --window 500m log.csv
refused "^ssreport: log.csv: found no sample" accuracy --settle 1h log.csv
refused "^ssreport: found iterations only, expected a control log \(showstopper -o\)$" accuracy it.0.csv

# Bursts: others take 4 pp in the row of 1 s and 12 pp in that of 7 s; with the second after each of them four samples are left out, and of the eight
# others that of 6 s is wrong by 10 pp.
awk -F, -v OFS=, 'NR == 1 { print $0, "others"; next } { print $0, ($1 == 1 ? 0.04 : $1 == 7 ? 0.12 : $1 == 9 ? 0.03 : $1 > 0 ? "-0.000001" : "nan") }' log.csv >burst.csv
run ssreport accuracy -f csv burst.csv
expect_text out '^burst,burst.csv,,12,12.000,0.500000,0.475000,-2.5000,91.6667,0.750000,4,1.2500,12.5000,0.875000$'
run ssreport accuracy burst.csv log.csv
expect_file out <<'END'
label  samples  time s  target %  load %  mean error pp     MSE pp²  within 5 pp %    in bursts  calm: mean error pp  calm: MSE pp²  calm: within 5 pp %
burst       12    12.0     50.00   47.50     12 samples  12 samples     12 samples            4            8 samples      8 samples            8 samples
log         12    12.0     50.00   47.50     12 samples  12 samples     12 samples  unavailable                                                         
END
# A burst is what the option says it is; none above 12 pp.
run ssreport accuracy -f csv --burst 10 burst.csv
expect_text out ',2,0.0000,20.0000,0.800000$'
run ssreport accuracy -f csv --burst 2.5,0 burst.csv
expect_text out ',3,1.1111,11.1111,0.888889$'
run ssreport accuracy -f csv --burst 12,1h burst.csv
expect_text out ',0,-2.5000,91.6667,0.750000$'
run ssreport accuracy -f csv --burst 3,1h burst.csv
expect_text out ',12,,,$'
# What isn't known can't be said to be calm.
sed 's/-0.000001$//' burst.csv >known.csv
run ssreport accuracy -f csv known.csv
expect_text out ',11,0.0000,0.0000,1.000000$'
for value in '' x 101 -1 '3,' 3,x 3,-1s; do
	refused "^ssreport: --burst: found '$value', expected " accuracy --burst "$value" burst.csv
done
refused '^ssreport: timeline has no option --burst' timeline --burst 3 burst.csv
sed 's/0\.12$/1.2/' burst.csv >above.csv
refused '^ssreport: above.csv:.*: others: found 1.2, expected a load from 0 to 1' accuracy above.csv

# Repeats: mean errors of -2.5, 0 and 1 pp, whose mean is -0.5 and whose standard deviation 1.8028; t of two degrees of freedom is 4.3027.
# The shares near the target are 75, 83.3 and 100 %: Wilson's interval, where c is 4.3027^2 of the variance 0.016204 / (3 * 0.861111 * 0.138889).
sed 's/0.5,0.1,0.1,1$/0.8,0.1,0.1,1/' log.csv >second.csv
awk -F, -v OFS=, 'NR > 3 { $4 = $3 + 0.01 } { print }' log.csv >third.csv
run ssreport repeats -f csv log.csv second.csv third.csv it.0.csv
expect_status 0
expect_file out <<'END'
label,figure,runs,samples,mean,low,high,bursts,calm_runs,calm_mean,calm_low,calm_high
all,mean_error_pp,3,36,-0.5000,-4.9783,3.9783,,,,,
all,mse_pp2,3,36,36.4444,-83.9397,156.8286,,,,,
all,near_percent,3,36,86.1111,41.1197,98.2157,,,,,
all,runs_near_80_percent,3,36,66.6667,,,,,,,
all,runs_near_90_percent,3,36,33.3333,,,,,,,
END
run ssreport repeats -l a burst.csv -l b log.csv -l a burst.csv
expect_text out '^label  figure  *runs  *samples  *mean  *from  *to  *in bursts  *calm: runs  *calm: mean  *calm: from  *calm: to$'
expect_text out '^a      mean_error_pp  *2  *24  *-2\.50  *-2\.50  *-2\.50  *8  *2  *16 samples  *16 samples  *16 samples$'
expect_text out '^a      runs_near_80_percent  *2  *24  *0\.00  *8  *2  *16 samples  *$'
expect_text out '^b      mse_pp2  *1  *12  *12 samples  *unavailable  *$'
refused '^ssreport: found iterations only, expected control logs \(showstopper -o\)$' repeats it.0.csv
refused '^ssreport: --output: found x.png, but repeats has no picture' repeats -o x.png log.csv

# Figures of throughput, computed by hand.
run ssreport throughput -f csv log.csv it.0.csv it.1.csv
expect_status 0
expect_file out <<'END'
label,file,start_s,end_s,target,load,iterations,throughput,power_w
log,log.csv,0.000,6.000,0.200000,0.200000,1.250000,0.208333,
log,log.csv,6.000,12.000,0.800000,0.750000,1.750000,0.291667,
END
run ssreport throughput it.0.csv it.1.csv -i 5500m
expect_file out <<'END'
label  start s  end s  iterations  iterations/s
all        0.0    5.5        1.46         0.265
all        5.5   11.0        1.54         0.280
END
run ssreport throughput --per-step --edge 1/3 -f csv log.csv it.0.csv it.1.csv
expect_file out <<'END'
label,file,start_s,end_s,target,load,iterations,throughput,power_w
log,log.csv,2.000,4.000,0.200000,0.200000,0.500000,0.250000,
log,log.csv,8.000,10.000,0.800000,0.800000,0.583333,0.291667,
END
# Events: those of the control log, and those that cpuload counted beside, on a clock of its own. A row in which they aren't known is left out.
awk -F, 'NR == 1 { print $0 ",cycles_u_per_s,cycles_u_g0_per_s"; next } { print $0 "," ($1 <= 6 ? 100 : $1 <= 9 ? 300 : $1 <= 11 ? 200 : "") "," }' \
	log.csv >counted.csv
awk 'BEGIN { print "time_s,monotonic_s,load,idle_C1,LLC_loads_per_s"
	for (i = 1; i <= 8; i++) printf "%d,%d,0.5,0.1,%d\n", 2 * i, 98 + 2 * i, 10 * i }' >beside.csv
run ssreport events --per-step --edge 0 -f csv a=counted.csv a=it.0.csv a=it.1.csv a=beside.csv
expect_status 0
expect_file out <<'END'
label,file,start_s,end_s,target,load,throughput,event,per_s,per_iteration
a,counted.csv,0.000,6.000,0.200000,0.200000,0.208333,cycles_u,100.000,480.000000
a,counted.csv,6.000,12.000,0.800000,0.750000,0.291667,cycles_u,260.000,891.428571
a,counted.csv,0.000,6.000,0.200000,0.200000,0.208333,cycles_u_g0,,
a,counted.csv,6.000,12.000,0.800000,0.750000,0.291667,cycles_u_g0,,
a,beside.csv,0.000,6.000,0.200000,0.200000,0.208333,LLC_loads,30.000,144.000000
a,beside.csv,6.000,12.000,0.800000,0.750000,0.291667,LLC_loads,60.000,205.714286
END
run ssreport events -i 12s beside.csv
expect_file out <<'END'
label   start s  end s  load %  event      per second
beside      0.0   12.0   50.00  LLC_loads        35.0
beside     12.0   16.0   50.00  LLC_loads        75.0
END
refused "^ssreport: found no column EVENT_per_s, expected logs of showstopper --log-counters or cpuload" events log.csv
refused "^ssreport: it.0: found iterations, but no log of the load" events it.0.csv
sed '3s/,10$/,-1/; 2s/,10$/,-1/' beside.csv >negative.csv
refused "^ssreport: negative.csv:2:.* found -1, expected events per second" events negative.csv
run ssreport throughput --warmup -i 12s -f csv log.csv it.0.csv it.1.csv
expect_text out '^log,log.csv,-1.000,0.000,,1.000000,0.000000,0.000000,$'
run ssreport curve --edge 1/3 log.csv it.0.csv it.1.csv
expect_file out <<'END'
label  start s  end s  target %  load %  iterations  iterations/s
log        2.0    4.0     20.00   20.00        0.50         0.250
log        8.0   10.0     80.00   80.00        0.58         0.292
END
run ssreport timeline -w 6s -f csv log.csv
expect_file out <<'END'
label,file,start_s,end_s,target,load,iterations,throughput,power_w
log,log.csv,0.000,6.000,0.200000,0.200000,,,
log,log.csv,6.000,12.000,0.800000,0.750000,,,
END
run ssreport timeline log.csv it.1.csv
expect_lines out 13
refused "^ssreport: it.0: found iterations, but no log whose steps" throughput --per-step it.0.csv
refused "^ssreport: it.0: found iterations, but no log of the load" timeline it.0.csv
refused "^ssreport: it.0: found iterations, but no log of the load" curve it.0.csv
refused "^ssreport: log: found a log, but no iterations" throughput log.csv
refused "^ssreport: log: found a log, but no iterations" curve log.csv

# Labels, several files, outputs.
cp log.csv other.csv
run ssreport accuracy log.csv other.csv ./log.csv x=log.csv -l y -- log.csv
expect_lines out 6
expect_text out '^\./log '
expect_text out '^other '
run ssreport accuracy -l both log.csv other.csv
expect_text out '^label  file  '
expect_text out '^both   other.csv '
run ssreport curve -l a log.csv it.0.csv -l b other.csv it.1.csv -l a log.csv it.1.csv -o t.csv -o t.md -o t.json -o t.txt
expect_status 0
expect_lines out 0
expect_lines t.csv 7
expect_lines t.md 8
expect_lines t.json 8
expect_text t.txt '^b  *other.csv'
if command -v jq >/dev/null; then
	run jq -e 'length == 6 and all(.[]; .load >= 0 and (.label | type) == "string")' t.json
	expect_status 0
else
	missing jq
fi
refused "^ssreport: it.0.csv: found iterations at the time of both log.csv and other.csv, expected labels" \
	throughput log.csv other.csv it.0.csv
run sh -c 'ssreport accuracy - <log.csv'
expect_text out '^stdin  '
run sh -c 'ssreport accuracy log.csv >/dev/full'
expect_trouble "^ssreport: can't write standard output: No space left"
run ssreport accuracy log.csv -o /dev/full
expect_trouble "^ssreport: can't write /dev/full: No space left"
run ssreport accuracy log.csv -o - -o T.CSV
expect_status 0
expect_text out '^log  '
expect_text T.CSV '^label,file,'
[ ! -e ./- ] || fail 'a file is called -'
run ssreport accuracy -f csv log.csv -o t.dat
expect_status 0
run ssreport accuracy log.csv -o nowhere/table
expect_trouble "^ssreport: can't write nowhere/table: No such file"

# Files that are wrong.
sed '5s/0.2,0.2/0.2,two/' log.csv >letters
sed 's/load/lode/' log.csv >lode
cut -d, -f1,4 log.csv >cpuload.csv
refused "^ssreport: letters:5:11: load: found 'two', expected a number" accuracy letters
refused "^ssreport: lode:1: found the columns time_s,monotonic_s,target,lode,.*, expected those of a log" accuracy lode
refused "^ssreport: cpuload.csv:1: found no column target, expected a control log" accuracy cpuload.csv
printf 'time_s,monotonic_s,load\n1,101,\n2,102,\n3,103,\n' >unknown
refused "^ssreport: unknown: found no load, expected it in some rows" curve unknown it.0.csv
printf 'start_s,end_s\n5,5\n' >instant.csv
refused "^ssreport: instant: found all iterations at one moment" throughput instant.csv
refused "^ssreport: cpuload.csv:1: found no column monotonic_s" curve cpuload.csv it.0.csv
run ssreport timeline cpuload.csv
expect_status 0
echo instance,iteration,start_s,end_s >it.none.csv
refused "^ssreport: it.none: found no iteration in its iteration file" throughput it.none.csv
run ssreport throughput it.none.csv it.0.csv
expect_status 0
sed 's/,10/,90/g' it.0.csv >it.later.csv
refused "^ssreport: log.csv: found none of its iterations at the time of its log" throughput log.csv it.later.csv

# A log that was cut off: read to the last whole line, which is said once.
head -c -9 log.csv >cut.csv
run ssreport accuracy cut.csv
expect_status 0
expect_lines err 1
expect_text err "^ssreport: cut.csv: the last line is not whole and is left out"
expect_text out '^cut  *11 '
head -c -9 it.0.csv >cut.0.csv
run ssreport throughput cut.0.csv
expect_status 0
expect_text err "^ssreport: cut.0.csv: the last line is not whole and is left out"
expect_text out '1.00 '

# Cut off by SIGKILL while it is written.
if command -v cpuload >/dev/null; then
	cpuload -o killed.csv 20m 3000 &
	background=$!
	for _ in $(seq 300); do
		if [ -e killed.csv ] && [ "$(wc -l <killed.csv)" -gt 5 ]; then break; fi
		sleep 0.1
	done
	kill -KILL "$background"
	wait "$background" 2>/dev/null
	run ssreport timeline killed.csv
	expect_status 0
	[ "$(wc -l <out)" -gt 2 ] || fail "$what: found no rows"
fi

# Pictures.
shell="it's \`touch pwned\` \"\$(touch pwned)\" @x"
markup='{/=40 x}_2^3 \ <b>&amp; %s é'
line="a
set output 'pwned'
system('touch pwned')"
kind() {
	case $(head -c 5 "$1" | od -An -c | tr -d ' \n') in
	211PNG*) echo png ;;
	'<?xml') echo svg ;;
	%PDF-) echo pdf ;;
	*) echo other ;;
	esac
}
if command -v gnuplot >/dev/null; then
	for subcommand in timeline throughput 'throughput --per-step' curve 'curve -i 2s'; do
		rm -f picture.*
		# shellcheck disable=SC2086
		run ssreport $subcommand -l "$shell" log.csv it.0.csv -l "$markup" other.csv it.1.csv \
			-l "$line" log.csv it.0.csv -l "$(printf 'bytes \377\033')" log.csv it.0.csv \
			-o picture.png -o picture.svg -o picture.PDF
		expect_status 0
		expect_lines err 0
		for file in png svg PDF; do
			[ "$(kind picture.$file)" = "$(echo $file | tr 'PDF' 'pdf')" ] || fail "$what: picture.$file is none"
		done
		# The labels as a whole, as text and not as markup.
		expect_text picture.svg ">it's \`touch pwned\` \"\\$\(touch pwned\)\" @x<"
		expect_text picture.svg '>\{/=40 x\}_2\^3 \\ &lt;b>&amp;amp; %s é<'
		expect_text picture.svg ">a\?set output 'pwned'\?system\('touch pwned'\)<"
		[ ! -e pwned ] || fail "$what: the label was executed"
		[ "$(tail -n 1 picture.svg)" = "<!-- Showstopper $(ssreport --version | sed 's/^ssreport //') -->" ] ||
			fail "$what: picture.svg doesn't end with the version: $(tail -n 1 picture.svg)"
	done
	# Next to nothing is drawn, too.
	printf 'time_s,load\n1,0.5\n' >one.csv
	for arguments in 'timeline one.csv' 'timeline unknown' 'throughput --per-step unknown it.0.csv' \
		'throughput -i 1h log.csv it.0.csv'; do
		# shellcheck disable=SC2086
		run ssreport $arguments -o picture.png
		expect_status 0
	done
	# The name of the output never reaches gnuplot.
	run ssreport timeline log.csv -o '|touch pwned;.png' -o "'.svg"
	expect_status 0
	[ -s '|touch pwned;.png' ] || fail "$what: no picture"
	[ ! -e pwned ] || fail "$what: the name was executed"
	run ssreport timeline log.csv it.0.csv --size 17x7 -o picture.svg
	expect_text picture.svg 'width="643" height="265"'
	expect_text picture.svg '>CPU load \(%\)<'
	expect_text picture.svg '>iterations/s<'
	expect_text picture.svg '>time \(s\)<'
	logs='log.csv log.csv log.csv log.csv log.csv log.csv'
	# shellcheck disable=SC2086
	run ssreport timeline $logs $logs log.csv -o picture.png
	expect_trouble '^ssreport: found 13 logs for one picture, expected at most 12'
	ln -s /dev/full full.png
	run ssreport timeline log.csv -o full.png
	expect_trouble "^ssreport: full.png: can't write full.png: No space left"
	# Nothing stays behind.
	mkdir temporary
	run env TMPDIR="$work/temporary" ssreport timeline log.csv -o picture.png
	rmdir temporary || fail "$what: left $(ls temporary)"
else
	missing gnuplot-nox pictures
fi
# gnuplot is missing: said before anything is read, and tables work.
program=$(command -v ssreport)
mkdir -p bin
run env PATH="$work/bin" "$program" timeline nonexistent.csv -o picture.png
expect_trouble "^ssreport: can't run gnuplot, which draws pictures \(tables don't need it\): No such file"
run env PATH="$work/bin" "$program" timeline log.csv
expect_status 0
# Steps of one target have a bar: the standard deviation of the two throughputs, whatever the axis makes of them. A single step has none.
printf '#!/bin/sh\ncat >script\necho picture\n' >bin/gnuplot
chmod +x bin/gnuplot
run env PATH="$work/bin:$PATH" ssreport curve -l a log.csv it.0.csv -l b log.csv it.0.csv -l a log.csv it.1.csv -o picture.svg -o t.csv
expect_status 0
expect_text script 'bar0 using .* with vectors'
expect_no_text script 'bar1 using'
awk -F '[, ]' '
	NR == FNR { if ($1 == "a" && $5 == "0.200000") { sum += $8; change += first ? $8 - first : 0; first = $8 } next }
	/^\$bar0/ { inside = 1; next }
	inside && $1 == 20 { ratio = $3 / $2; exit }
	END { expected = change * sqrt(0.5) / (sum / 2); expected = expected < 0 ? -expected : expected
		exit !(expected > 0.1 && ratio - expected < 1e-4 && expected - ratio < 1e-4) }' t.csv script ||
	{ fail "$what: wrong bars"; cat t.csv script; }
# A timeline draws target and load through the middles of the same windows, and to their edges; the legend says how long these are.
block() { # NAME
	awk -v block="\$$1" '$1 == block { inside = 1; next } $1 == "END" { inside = 0 } inside { printf "%s,%s ", $1, $2 }' script
}
expect_block() { # NAME EXPECTED
	[ "$(block "$1")" = "$2 " ] || fail "$what: $1 is $(block "$1"), expected $2"
}
draw() {
	run env PATH="$work/bin:$PATH" ssreport timeline -o picture.svg "$@"
	expect_status 0
}
draw -w 6s log.csv
expect_block target0 '0,20 3,20 9,80 12,80'
expect_block load0 '0,20 3,20 9,75 12,75'
expect_text script "'target, mean of 6 s'"
expect_text script "'load, mean of 6 s'"
awk -F, -v OFS=, '{ print $0, NR == 1 ? "power_w" : 100 + $1 }' log.csv >watts.csv
draw --per-step watts.csv
expect_text script "'its mean in a step'"
# Every colour has six digits.
expect_text script "rgb '#004d39'"
expect_no_text script "rgb '#([0-9a-f]{1,5}|[0-9a-f]{7,})'"
draw log.csv
expect_text script "^set label [0-9]+ 'target' at"
case $(block target0) in '0,20 0.5,20 1.5,20 '*' 5.5,20 6.5,80 '*' 11.5,80 12,80 ') ;; *) fail "$what: the target is $(block target0)" ;; esac
# Rows that are free or not known interrupt the lines, a single row is a line from edge to edge, and a window that is free for a while has no target.
cat >odd.csv <<'END'
time_s,target,load
1,0.2,0.2
2,0.2,0.4
3,,1
4,0.4,
5,0.4,0.5
6,0.4,0.5
END
draw odd.csv
expect_block target0 '0,20 0.5,20 1.5,20 2,20 , 3,40 3.5,40 4.5,40 5.5,40 6,40'
expect_block load0 '0,20 0.5,20 1.5,40 2.5,100 3,100 , 4,50 4.5,50 5.5,50 6,50'
draw -w 2s odd.csv
expect_block target0 '0,20 1,20 2,20 , 4,40 5,40 6,40'
run ssreport timeline -w 2s -f csv odd.csv
expect_text out '^odd,odd.csv,2.000,4.000,,1.000000,,,$'
run ssreport timeline -w 500ms odd.csv
expect_status 125
expect_lines out 0
expect_text err '^ssreport: odd.csv: found rows of 1.000 s, expected --window to be at least as long'
for targets in ',,' '0.2,,0.2' '0.2,0.3,0.4'; do
	printf '%s\n' "$targets" | tr , '\n' | awk 'BEGIN { print "time_s,target,load" } { print NR "," $1 ",0.5" }' >three.csv
	draw three.csv
	draw -w 1h three.csv
done
# No target at all: none in the legend.
printf 'time_s,target,load\n1,,0.5\n' >three.csv
draw three.csv
expect_no_text script "'target"
# Steps of two rows: what makes rows shorter is named, both when there is no other step and when there are.
awk 'BEGIN { print "time_s,target,load"; for (i = 0; i < 8; i++) printf "%g,%g,0.5\n", (i + 1) / 2, 0.8 - 0.2 * int(i / 2) }' >brief.csv
refused '^ssreport: brief.csv: found no target that stays the same for 3 rows of 0.5 s, expected steps; showstopper --log-interval makes rows shorter$' \
	timeline --per-step brief.csv
awk 'BEGIN { print "time_s,target,load"; for (i = 0; i < 12; i++) printf "%g,%g,0.5\n", (i + 1) / 2, i < 5 ? 0.8 : i < 7 ? 0.6 : 0.2 }' >brief.csv
run ssreport timeline --per-step brief.csv
expect_status 0
expect_lines out 3
expect_lines err 1
expect_text err '^ssreport: warning: brief.csv: left out 1 step that fills less than 3 rows of 0.5 s; showstopper --log-interval makes rows shorter$'
# It fails: its reason is passed on, and an old picture stays.
printf '#!/bin/sh\necho "line 0: something is wrong" >&2\nexit 2\n' >bin/gnuplot
echo old >picture.png
run env PATH="$work/bin:$PATH" "$program" timeline log.csv -o picture.png
expect_trouble '^ssreport: picture.png: gnuplot failed with status 2: line 0: something is wrong'
[ "$(cat picture.png)" = old ] || fail "$what: the old picture is gone"

# Large: every row of it counts. (How fast it is, is measured where nothing else runs.)
awk 'BEGIN {
	print "time_s,monotonic_s,target,load,estimate,duty,runnable"
	for (i = 1; i <= 300000; i++)
		printf "%.6f,%.6f,%.6f,%.6f,0.500000,0.500000,2.000000\n", i / 2, 1000 + i / 2, 0.5, i % 2 ? 0.4 : 0.6
}' >large.csv
run ssreport accuracy -f csv large.csv
expect_text out '^large,large.csv,,300000,150000.000,0.500000,0.500000,0.0000,100.0000,0.000000,,,,$'
run ssreport accuracy -w 1s -f csv large.csv
expect_text out '^large,large.csv,,150000,150000.000,0.500000,0.500000,0.0000,0.0000,1.000000,,,,$'

expect_described ssreport

finish
