#!/bin/sh
# SPDX-License-Identifier: MIT
# ssreport fleet: logs of machines whose clocks begin at different moments, one that ends early, pictures; and tools/experiments/fleet without a cluster.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
fleet=$source/tools/experiments/fleet

# ---- Logs -----------------------------------------------------------------------------------------------------------------

# log NAME BOOT BEGIN SECONDS TARGET LOAD: rows of a second after one of warm-up; control began at BEGIN of the wall clock, and the machine was booted at BOOT.
log() {
	awk -v boot="$2" -v begin="$3" -v seconds="$4" -v target="$5" -v value="$6" 'BEGIN {
		print "time_s,monotonic_s,target,load,time_unix_s"
		for (i = 0; i <= seconds; i++)
			printf "%d,%.6f,%s,%s,%.6f\n", i, begin - boot + i, (i ? target : ""), value, begin + i
	}' >"$1"
}
log a.csv 1000 5000 10 0.2 0.25
log b.csv 4000 5000.04 10 0.6 0.6
log c.csv 2000 5000.01 5 0.4 0.1
run ssreport fleet -f csv a.csv b.csv c.csv
expect_status 0
cat >expected <<'END'
label,file,late_ms,end_s,samples,target,load,mean_error_pp,mse_pp2
a,a.csv,0.000,10.000,10,0.200000,0.250000,5.0000,25.0000
b,b.csv,40.000,10.040,10,0.600000,0.600000,0.0000,0.0000
c,c.csv,10.000,5.010,5,0.400000,0.100000,-30.0000,900.0000
END
head -n 4 out | cmp -s - expected || { fail "$what"; diff out expected; }
# For five seconds all three, of which then one adds nothing: targets of 1.2 and 0.8 of three machines.
awk -F, '$1 == "all together" { exit !($5 == 10 && $6 > 0.33 && $6 < 0.34 && $7 > 0.299 && $7 < 0.301 && $4 == 10.04) }' out || fail "$what: all together: $(tail -n 1 out)"
for picture in picture.svg picture.png; do
	run ssreport fleet -o $picture -l 'a node' a.csv -l b b.csv -l c c.csv
	if [ "$status" -eq 0 ]; then [ -s $picture ] || fail "$what: no $picture"; else expect_trouble 'gnuplot'; fi
done
[ ! -e picture.svg ] || expect_text picture.svg 'a node'
# The picture has no lines between cells, neither of known loads nor of unknown ones: all pixels in the middle of the map have the colour of 50 or 52 %, and right
# of it that of what is not known.
if command -v gnuplot >/dev/null; then
	for node in 0 1 2; do
		awk -v node=$node 'BEGIN { print "time_s,monotonic_s,target,load"
			for (i = 1; i <= (node ? 60 : 90); i++) printf "%d,%d,0.5,%.2f\n", i, 100 + i, 0.5 + (i + node) % 2 * 0.02 }' >cells.$node.csv
	done
	run ssreport fleet --size 8x10 -o cells.png cells.0.csv cells.1.csv cells.2.csv
	expect_status 0
	# Columns are x from the left, y from below, red, green, blue.
	if gnuplot -e "set table 'pixels'; plot 'cells.png' binary filetype=png using 1:2:3:4:5 with table" 2>gnuplot.err; then
		awk 'NF < 5 { next } { x = $1 / 944; y = $2 / 1181 }
			y > 0.58 && y < 0.9 && x > 0.25 && x < 0.5 { known++; wrong += $3 < 100 || $3 > 108 || $4 < 169 || $4 > 175 }
			y > 0.58 && y < 0.78 && x > 0.65 && x < 0.75 { unknown++; wrong += $3 != 221 || $4 != 221 || $5 != 221 }
			END { print known + 0, unknown + 0, wrong + 0; exit !(known > 10000 && unknown > 10000 && wrong == 0) }' pixels >found ||
			fail "the map has pixels of no cell's colour (known, unknown, wrong): $(cat found)"
	else
		left_out "gnuplot can't read PNG: lines between the cells of a map"
	fi
	# Many cells are an image.
	awk 'BEGIN { print "time_s,monotonic_s,target,load"; for (i = 1; i <= 600; i++) printf "%d,%d,0.5,%s\n", i, 100 + i, i == 300 ? "" : 0.5 }' >long.csv
	set --
	for node in $(seq 60); do set -- "$@" "$node=long.csv"; done
	run ssreport fleet -o many.svg "$@"
	expect_status 0
	expect_text many.svg '<image '
fi
# Without a wall clock all begin together; with and without don't go together.
for name in a b c; do cut -d , -f 1-4 $name.csv >$name.old; done
run ssreport fleet -f csv a.old b.old c.old
expect_status 0
expect_text out '^a\.old,a\.old,,10\.000,'
run ssreport fleet a.csv b.old
expect_trouble 'a\.csv tells the wall clock \(time_unix_s\), b\.old doesn.t; expected all or none'
cut -d , -f 1,2,4 a.old >no_target
run ssreport fleet no_target
expect_trouble 'no_target:1: found no column target, expected a control log'
run ssreport fleet --window 1m a.csv
expect_status 0
log far.csv 1000 900000000 10 0.2 0.25
run ssreport fleet --window 1s a.csv far.csv
expect_trouble 'expected at most 100000 bins of 1 s'

# ---- Nodes ----------------------------------------------------------------------------------------------------------------

printf '0 20%%\n10s 60%%\n20s 20%%\n' >up.trace
printf '0 80%%\n20s 20%%\n' >down.trace
run "$fleet" --help
expect_status 0
run "$fleet" --nonsense
expect_trouble "^tools/experiments/fleet: unexpected argument '--nonsense'"
run "$fleet" -B "$build"
expect_trouble '^tools/experiments/fleet: expected what nodes follow: --trace, --traces or --total'
run "$fleet" --trace up.trace
expect_trouble "^tools/experiments/fleet: --trace: 'up\.trace': expected NODE=FILE"
run "$fleet" --trace ../n=up.trace
expect_trouble "^tools/experiments/fleet: --trace: '\.\./n': expected the name of a node"
run "$fleet" -B "$build" --trace n=nowhere
expect_status 125
run "$fleet" -B "$build" --total up.trace
expect_trouble '^tools/experiments/fleet: --total: expected --nodes'
run "$fleet" -B "$build" --total up.trace --trace n=up.trace --nodes 2
expect_trouble '^tools/experiments/fleet: --total: expected no --trace'
run "$fleet" -B "$build" --trace a=up.trace --command b=true
expect_trouble '^tools/experiments/fleet: b is none of the nodes: a$'
run "$fleet" -B "$build" --total up.trace --nodes a,b --share a=0
expect_trouble "^tools/experiments/fleet: --share: 'a=0': expected a number above 0"
run "$fleet" --when-a-node-dies weep
expect_trouble "^tools/experiments/fleet: --when-a-node-dies: 'weep' is none of go-on, end"
run "$fleet" -B "$build" --dry-run --trace a=up.trace --trace b=down.trace ssburn -o 'x y'
expect_status 0
expect_text out "^b: down\.trace, ssburn -o 'x y'$"
expect_text out '^srun .*--nodes=2 .*--exclusive .*--nodelist=a,b --no-kill .*/fleet --agent '

# ---- Simulated ----------------------------------------------------------------------------------------------------------------

simulate() {
	run "$fleet" --simulate -B "$build" -P 2 -w 0 "$@"
}
mkdir traces
cp up.trace traces/first.trace
cp down.trace traces/second.trace
simulate --traces traces -o followed
expect_status 0
expect_text followed/fleet.md '^2 nodes: together they were to take 4[45]\.[0-9]+ % and took 4[45]\.'
expect_text followed/fleet.md '^\| second \|  \| 20\.0 \| (49|50)\.'
simulate --traces traces -o followed
expect_trouble 'followed holds a run; choose another --output'
# What is somebody else's stays.
mkdir theirs
echo mine >theirs/agents
simulate --traces traces -o theirs
expect_trouble "theirs is there and not empty, and none of ours \(it has no command\): expected another --output\$"
[ "$(ls theirs) $(cat theirs/agents)" = 'agents mine' ] || fail "$what: $(ls theirs)"
# Shares of a total: the sum is what was asked.
simulate --total up.trace --nodes a,b,c --share a=1.5 -o shared
expect_status 0
awk -F, '$1 == "all together" { exit !($6 > 0.395 && $6 < 0.405) }' shared/fleet.csv || fail "$what: the total is $(tail -n 1 shared/fleet.csv)"
awk -F, '$1 == "a" { a = $6 } $1 == "b" { b = $6 } END { exit !(a / b > 1.49 && a / b < 1.51) }' shared/fleet.csv || fail "$what: the shares are wrong"
simulate --total up.trace --nodes a,b,c --share a=9 -o too_much
expect_trouble '^tools/experiments/fleet: --share: a would have a load of 147 % for its share of --total; expected 100 % at most'
# What has died.
echo second >followed/dead
sed -i '20,$d' followed/nodes/second/log.csv
run "$fleet" --report -B "$build" -o followed
expect_status 0
expect_text followed/fleet.md 'second died: its log ends at 9\.[0-9] s of 20\.0 s\.$'

finish
