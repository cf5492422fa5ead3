#!/bin/sh
# SPDX-License-Identifier: MIT
# sstrace --cut, --scale, --clip and --length, alone and together, and what --info says of levels and changes.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_trace LINE…: the trace that came out, in seconds and with six digits.
expect_trace() {
	expect_status 0
	printf '%s\n' "$@" >wanted
	awk '/^interpolate/ { print; next } { printf "%.9g %s\n", $1 / 1e9, $2 == "free" ? $2 : sprintf("%.6g", $2) }' out >found
	cmp -s wanted found || { fail "$what: expected <, found >"; diff wanted found; sed 's/^/  err: /' err; }
}

printf '0 20%%\n10s 60%%\n20s 20%%\n' >lines
printf 'interpolate step\n0 20%%\n10s free\n20s 60%%\n30s 80%%\n40s 80%%\n' >steps

# ---- A part: what holds at its beginning and up to its end -----------------------------------------------------------------------------
run sstrace -t --cut 5s,15s lines
expect_trace '0 0.4' '5 0.6' '10 0.4'
expect_lines err 0
run sstrace -t --cut 10s, lines
expect_trace '0 0.6' '10 0.2'
run sstrace -t --cut ,10s lines
expect_trace '0 0.2' '10 0.6'
run sstrace -t --cut 5s,25s steps
expect_trace 'interpolate step' '0 0.2' '5 free' '15 0.6' '20 0.6'
run sstrace -t --cut 15s,30s steps
expect_trace 'interpolate step' '0 free' '5 0.6' '15 0.6'
run sstrace -t --cut 0,40s steps
expect_trace 'interpolate step' '0 0.2' '10 free' '20 0.6' '30 0.8' '40 0.8'
printf '10s 1\n10s 0\n20s 0.5\n20s 1\n30s 1\n' >late
run sstrace -t --cut 5s,20s late
expect_trace '0 1' '5 1' '5 0' '15 0.5'
run sstrace -t --cut 10s, late
expect_trace '0 0' '10 0.5' '10 1' '20 1'
run sstrace -t --cut 0,21s lines
expect_trouble '^sstrace: --cut: lines: found 21s, expected a part of the trace, which ends at 20s$'
run sstrace -t --cut 20s, lines
expect_trouble '^sstrace: --cut: lines: found 20s, expected a part of the trace, which ends at 20s$'
for wrong in '' ',' 5s 5s,5s 9s,2s a,b 1s,2s,3s -1s,2s; do
	run sstrace -t --cut "$wrong" lines
	expect_trouble "^sstrace: --cut: found '$wrong', expected two times, the earlier one first"
done

# ---- Loads -----------------------------------------------------------------------------------------------------------------------------
run sstrace -t --scale 0.5 steps
expect_trace 'interpolate step' '0 0.1' '10 free' '20 0.3' '30 0.4' '40 0.4'
expect_lines err 0
run sstrace -t --scale 2 lines
expect_trace '0 0.4' '7.5 1' '10 1' '12.5 1' '20 0.4'
expect_text err '^sstrace: lines: 1 load outside 0 to 1, cut$'
run sstrace -t --clip 30%,1/2 lines
expect_trace '0 0.3' '2.5 0.3' '7.5 0.5' '10 0.5' '12.5 0.5' '17.5 0.3' '20 0.3'
expect_text err '^sstrace: lines: 3 loads outside 0.3 to 0.5, cut$'
run sstrace -t --clip 0.4,0.4 steps
expect_trace 'interpolate step' '0 0.4' '10 free' '20 0.4' '30 0.4' '40 0.4'
for wrong in 0 -1 '' nan 2x; do
	run sstrace -t --scale "$wrong" lines
	expect_trouble "^sstrace: --scale: found '$wrong', expected a number above 0"
done
for wrong in '' 0.5 0.6,0.5 0,2 ,1 '0,'; do
	run sstrace -t --clip "$wrong" lines
	expect_trouble "^sstrace: --clip: found '$wrong', expected two loads from 0 to 1, the lower one first"
done

# ---- Length, and all of it, in its order -----------------------------------------------------------------------------------------------
run sstrace -t --length 10min lines
expect_trace '0 0.2' '300 0.6' '600 0.2'
expect_text err '^sstrace: lines: 20s in 10min, speed 0.0333333$'
run sstrace -t --length 2s --clip 0.3,0.7 --scale 2 --cut 5s,15s lines
expect_trace '0 0.7' '1 0.7' '2 0.7'
expect_text err '^sstrace: lines: 10s in 2s, speed 5$'
expect_text err '^sstrace: lines: 3 loads outside 0.3 to 0.7, cut$'
echo '0 0.5' >point
run sstrace -t --length 5s point
expect_trouble '^sstrace: --length: point: found a trace without a length, expected one that can change$'
run sstrace -t --length 0 lines
expect_trouble '^sstrace: --length: .0. is out of range'
# Times as long as there are stay in order, to the nanosecond.
printf '0 0\n4611686018427387904n 1\n9223372036854775807n 0\n' >longest
run sstrace -t --length 9223372036854775806n longest
expect_text out '^4611686018427387903n 1$|^4611686018427387904n 1$'
expect_text out '^9223372036854775806n 0$'
# What is imported is shaped alike, and a compiled trace; nothing is left to shape in a list.
printf '0,0.25\n10,0.5\n20,0.75\n' >day.csv
run sstrace -o day.trace --from csv --cut 10s, --scale 0.5 --length 1min day.csv
expect_status 0
run sstrace -t --cut ,30s day.trace
expect_trace 'interpolate step' '0 0.25' '30 0.25'
run sstrace --machines --length 1min day.csv
expect_trouble '^sstrace: found --machines, which makes no trace, and --length$'

# ---- Levels, changes, autocorrelation --------------------------------------------------------------------------------------------------
# A minute of 0.1 and a minute of 0.9, for an hour: what is 2 minutes apart is alike, what is 1 minute apart is the opposite.
awk 'BEGIN { print "interpolate step"; for (m = 0; m < 60; m++) print m "M " (m % 2 ? 0.9 : 0.1); print "60M 0.9" }' >square
run sstrace -i square
expect_text out '^mean: 0\.5$'
expect_text out '^changes per minute: 0\.983333$'
expect_text out '^window: 1s$'
expect_text out '^p5: 0\.1$'
expect_text out '^p25: 0\.1$'
expect_text out '^p75: 0\.9$'
expect_text out '^p95: 0\.9$'
# Of 3599 pairs, 59 are at an edge: 1 - 2 * 59 / 3599.
expect_text out '^autocorrelation 1s: 0\.967213$'
expect_text out '^autocorrelation 10s: 0\.6713'
expect_text out '^autocorrelation 1min: -1$'
expect_text out '^autocorrelation 10min: 1$'
expect_no_text out '^autocorrelation 1h'
# A minute of it is 0.1 s now, and what is left is the mean.
run sstrace -i --length 6s square
expect_text out '^window: 100ms$'
expect_text out '^autocorrelation 100ms: -1$'
expect_text err 'speed 600$'
# A ramp: as much of the time at each load.
printf '0 0\n1000s 1\n' >ramp
run sstrace -i ramp
expect_text out '^p5: 0\.05045$'
expect_text out '^p50: 0\.5$'
run sstrace -i point
expect_text out '^p50: none$'
expect_text out '^changes per minute: none$'
expect_no_text out '^autocorrelation'
printf '0 free\n1min free\n' >free
run sstrace -i free
expect_text out '^p50: none$'
expect_text out '^changes per minute: 0$'

finish
