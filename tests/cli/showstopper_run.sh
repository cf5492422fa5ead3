#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole runs: the paper's command, exit statuses, what ends a run, what workloads find around them, and that nothing is left.
# shellcheck disable=SC2016 # commands of the workloads' shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# All that a run starts inherits this variable, so that what it leaves behind can be found.
show() {
	run env "TEST_MARK=$work" showstopper "$@"
	expect_nothing_left
}

# A second after the end nothing is alive; a busy machine gets more of them.
expect_nothing_left() {
	for _ in $(seq 100); do
		left=$(grep -lsz "^TEST_MARK=$work\$" /proc/[0-9]*/environ)
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	fail "$what: left behind: $(echo "$left" | tr '\n' ' ')"
}

# ---- The paper's command, with another program in place of the jar -----------------------------------------------------------

sstrace > saw.trace <<END
0 1/10
20s 6/10
40s 1/10
1M 9/10
80s 4/10
100s 9/10
2M 1/10
END
status=$?
what='sstrace >saw.trace'
expect_status 0
# Not as in the paper: 2 seconds of it, after one in which everything runs, since other programs may keep this machine busy.
show -w 1s -r 2s -n 12 -t file -T saw.trace -f realtime -F 103m -c rbpid -s even -d averageq -D 51m \
	ssburn -n 99999 -o scratch.%
expect_status 0
expect_text err '^target load  *[0-9.]+ %$'
expect_text err '^achieved load  *[0-9.]+ %$'
expect_text err '^mean error  *[-+][0-9.]+ pp$'
expect_text err '^mean squared error  *[0-9.]+ pp\^2 \([1-9][0-9]* samples of 500 ms\)$'
expect_text err '^ran all the time  *[0-9.]+ % of [0-9.]+ s under control, below the target \(saturated\)$'
expect_text err '^stood still  *[0-9.]+ % of [0-9.]+ s under control, above the target \(starved\)$'
expect_no_text err '^instances '
expect_text err "^workloads' CPU time  *[0-9.]+ s \(0: .*, 11: [0-9.]+\)\$|^workloads' CPU time  *[0-9.]+ s \(each [0-9.]+ to [0-9.]+, median [0-9.]+\)\$"
expect_text err "^Showstopper's  *[0-9.]+ s "
for number in 00 01 02 03 04 05 06 07 08 09 10 11; do
	[ -e "scratch.$number" ] || fail "$what: there is no scratch.$number"
done
# Where the default makes several instances, that is said; what was asked for is known.
usable=$(showstopper -T 50% --dry-run true | grep -c '^workload ')
run showstopper -v -T 50% -r 100m sleep 1000 : -n 2 sleep 1000
if [ "$usable" -gt 1 ]; then
	expect_text err "^showstopper: group 0: $usable instances, one for each processor that it may use \\(-n sets another number\\)\$"
	expect_text err "^instances            $usable: without -n, one for each processor that a group may use\$"
else
	left_out 'there is one processor'
	expect_no_text err '^instances '
fi
expect_no_text err 'group 1'
run showstopper --dry-run -t file -T saw.trace,speed=4,offset=60s true
expect_text out '^trace length: 15s$'

# ---- Exit status ---------------------------------------------------------------------------------------------------------------
# What must get somewhere runs with a duty cycle of 1: a busy machine may leave no load for less.

show -q -T 50% -r 500m sleep 1000
expect_status 0
expect_lines err 0
show -q -T 100% -c open true
expect_status 0
expect_lines err 0
show -T 100% -c open true
expect_text err '^showstopper: all workloads have ended(, [0-9.]+ s before the run.s time was over)?$'
show -q -T 100% -c open -n 1 true : -n 1 sh -c 'exit 3'
expect_status 1
expect_lines err 1
expect_text err '^showstopper: workload 1 ended with status 3$'
show -q -T 100% -c open -n 1 sh -c 'kill -KILL $$' : -n 1 true
expect_status 1
expect_lines err 1
expect_text err '^showstopper: workload 0 was killed by signal 9 \(Killed\)$'
show -q -T 100% -c open --ignore-failures -n 2 sh -c 'exit 3'
expect_status 0
# How a workload answers to being ended by Showstopper is no failure of its own.
show -q -T 100% -c open -r 500m -n 2 sh -c 'trap "exit 5" TERM; while :; do sleep 0.05; done'
expect_status 0
expect_no_text err '^showstopper:'
# The others go on when one has ended.
show -q -T 100% -c open -r 1s -o log.csv --log-interval 100m -n 1 true : -n 1 sleep 1000
expect_status 0
[ "$(wc -l <log.csv)" -gt 5 ] || fail "$what: ended with the first workload"

show -q -T 37% -r 1s --require error=100,mse=10000 -n 1 sleep 1000
expect_status 0
expect_lines err 0
show -q -T 37% -r 1s --require error=0,mse=0 -n 1 sleep 1000
expect_status 3
expect_text err '^showstopper: mean squared error [0-9.]+ pp\^2, required at most 0.000 pp\^2$'
show -T 37% -c open -r 9s --require error=100 -n 1 sleep 2
expect_status 3
expect_text err '^showstopper: all workloads have ended, [67]\.[0-9] s before the run.s time was over$'
expect_text err '^showstopper: the run ended [67]\.[0-9] s early, and --require is for all of it$'
printf '0 37%%\n1s 37%%\n' >short.trace
show -t file -T short.trace -r 2s --require error=100 -n 1 sleep 1000
expect_status 0
expect_text err '^showstopper: warning: --run-time: 2s is longer than the trace, which ends after 1s and the run with it$'
show -q -T 37% -r 1s --require mse=10000 -n 1 sleep 1000
expect_status 0
show -q -T 100% -c open --require error=100 -n 1 true
expect_status 3
show -q -T 100% -c open --require mse=0 -n 1 sh -c 'exit 4'
expect_status 1
show -q -T 37% -r 1s --require mse=0 -n 1 no-such-command-anywhere
expect_status 127

# ---- What ends a run -----------------------------------------------------------------------------------------------------------

# last_time: the end of the log's last row, in ms since control began.
last_time() {
	tail -n 1 log.csv | awk -F, '{ printf "%d", $1 * 1000 }'
}
printf '0 20%%\n1s 40%%\n' >short.trace
show -q -t file -T short.trace -o log.csv --log-interval 100m -n 1 sleep 1000
expect_status 0
[ "$(last_time)" -ge 900 ] || fail "$what: ended before the trace did: $(tail -n 1 log.csv)"
show -q -t file -T short.trace -r 1h -n 1 sleep 1000
expect_status 0
show -q -t file -T short.trace,loop -r 1500m -o log.csv --log-interval 100m -n 1 sleep 1000
expect_status 0
[ "$(last_time)" -ge 1400 ] || fail "$what: ended with the first round: $(tail -n 1 log.csv)"

# Workloads get SIGTERM, also those that are stopped at that moment, then the grace period, then SIGKILL.
show -q -w 2s -T 0 -c open -r 500m -n 2 sh -c 'trap "echo ended >ended.%; exit" TERM; while :; do sleep 0.05; done'
expect_status 0
for number in 0 1; do
	[ -e "ended.$number" ] || fail "$what: workload $number did not get to handle SIGTERM"
done
show -q -T 100% -c open -r 300m --grace 300m -n 2 sh -c 'trap "" TERM; while :; do sleep 0.05; done'
expect_status 0

# Descendants that leave group, session and parent are part of their workload.
show -q -T 100% -c open -r 500m -n 2 sh -c 'setsid sleep 1000 & (setsid sh -c "sleep 1000 & sleep 1000" &) ; sleep 1000'
expect_status 0
# … and keep it alive when its first process ends.
show -q -T 100% -c open -n 1 sh -c '(setsid sh -c "sleep 0.5; echo done >done.%" &); exit 0'
expect_status 0
[ -e done.0 ] || fail "$what: did not wait for the rest of the workload"

# ---- Many -----------------------------------------------------------------------------------------------------------------------

before=$(date +%s%N)
show -T 50% -r 1s -n 256 sleep 1000
expect_status 0
expect_text err 'median'
after=$(date +%s%N)
echo "256 instances: $(((after - before) / 1000000)) ms for a run of 1 s"

# ---- Control -----------------------------------------------------------------------------------------------------------------

# column FILE NAME: its values, one a line.
column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next } { print $column }' "$1"
}
# expect_column NAME CONDITION: awk's condition about v holds for each value.
expect_column() {
	column log.csv "$1" | awk "{ v = \$0 } !($2) { exit 1 }" || { fail "$what: not all of $1 have $2"; cat log.csv; }
	[ -n "$(column log.csv "$1")" ] || fail "$what: no rows"
}

# Without feedback the duty cycle is the target: never stopped, always stopped, split up.
show -q -T 100% -c open -r 1s -o log.csv -n 2 sleep 1000
expect_column target 'v == 1'
expect_column duty 'v > 0.99'
expect_column runnable 'v > 1.9'
show -q -T 0 -c open -r 1s -o log.csv -n 2 sleep 1000
expect_column target 'v == 0'
expect_column duty 'v < 0.01'
expect_column runnable 'v < 0.1'
show -q -T 25% -c open -s uneven -r 1s -o log.csv --log-instances -n 4 sleep 1000
expect_column duty_00 'v > 0.99'
expect_column duty_01 'v < 0.01'
expect_column duty_03 'v < 0.01'
show -q -T 50% -c open -d fixedq -D 10m -r 2s -o log.csv -n 1 sleep 1000
expect_column duty 'v > 0.49 && v < 0.51'
for module in geom rbpid skeleton; do
	show -q -T 30% -c "$module" -d skeleton -s skeleton -r 600m -n 2 ssburn
	expect_status 0
	expect_lines err 0
done
show -q -t skeleton -T time=600m -n 1 sleep 1000
expect_status 0

# The warm-up comes before the log's zero, without target and without a stop.
show -q -w 1s -T 0 -c open -r 1s -o log.csv --log-interval 200m -n 2 sleep 1000
expect_status 0
head -n 2 log.csv | tail -n 1 | awk -F, '{ exit !($1 < 0) }' || fail "$what: the first row is not negative: $(sed -n 2p log.csv)"
sed 1d log.csv | awk -F, '$1 < -0.1 && ($3 != "" || $6 < 0.99 || $7 < 1.9) { exit 1 }' || { fail "$what: controlled in the warm-up"; cat log.csv; }
sed 1d log.csv | awk -F, '$1 > 0.3 && ($3 != 0 || $6 > 0.1 || $7 > 0.5) { exit 1 }' || { fail "$what: not controlled after it"; cat log.csv; }

# The same as part of a trace.
printf '0 free\n1s free\n1s 0\n2s 0\n' >free.trace
show -q -t file -T free.trace -c open -o log.csv --log-interval 200m -n 2 sleep 1000
expect_status 0
sed 1d log.csv | awk -F, '$1 < 0.9 && ($3 != "" || $6 < 0.99 || $7 < 1.9) { exit 1 }' || { fail "$what: controlled while free"; cat log.csv; }
sed 1d log.csv | awk -F, '$1 > 1.3 && ($3 != 0 || $6 > 0.1 || $7 > 0.5) { exit 1 }' || { fail "$what: free too long"; cat log.csv; }

# ---- What is said -------------------------------------------------------------------------------------------------------------

show -v -T 50% -t constant -c rbpid -r 600m -n 1 sleep 1000
expect_status 0
expect_lines out 0
expect_text err '^showstopper: trace constant load=0.5$'
expect_text err '^showstopper: control rbpid ke=1,ki=1,peers=2,windup=clamp,integral=common,level=500ms,repay=4s$'
expect_text err '^showstopper: priority above the workloads: (SCHED_FIFO|nice|none)'
expect_text err 'executors .* master .* guardian .* late$'
show -v -t random -T hold=1s -r 300m -n 1 sleep 1000
expect_text err '^showstopper: trace random seed=[0-9]+,min=0,max=1,hold=1s,interpolate=step$'

# ---- What a workload finds around it ------------------------------------------------------------------------------------------

cat >surroundings <<'END'
#!/bin/sh
grep -E '^(Sig(Blk|Ign|Cgt)|Cpus_allowed|NoNewPrivs|Cap...):?' /proc/self/status
cat /proc/self/oom_score_adj /proc/self/timerslack_ns
awk '{ sub(/.*\) /, ""); print "priority", $16, "nice", $17, "policy", $39 }' /proc/self/stat
ls /proc/$$/fd
ulimit -a
umask
END
chmod +x surroundings
run nice -n 3 ./surroundings
mv out directly
run nice -n 3 showstopper -q -T 100% -n 1 ./surroundings
expect_status 0
grep -q 'nice 3' directly || fail "the test is wrong: no nice 3"
cmp -s directly out || {
	fail "$what: surroundings, < directly, > as a workload:"
	diff directly out
}
run showstopper -q -T 100% -n 1 sh -c 'echo "$SHOWSTOPPER_INSTANCE $(awk "{ sub(/.*\\) /, \"\"); print \$3, \$4 }" /proc/$$/stat) $$"'
expect_status 0
# A process group of its own.
awk 'NF != 4 || $1 != 0 || $2 != $4 { exit 1 }' out || { fail "$what: wrong instance or group"; cat out; }

# ---- Nothing is left ----------------------------------------------------------------------------------------------------------

# Other runs' segments live for a moment only.
for _ in $(seq 100); do
	left=$(find /dev/shm -maxdepth 1 -user "$(id -un)" -name '*showstopper*' 2>/dev/null)
	[ -n "$left" ] || break
	sleep 0.1
done
[ -z "$left" ] || fail "left behind in /dev/shm: $left"

# One file for both outputs keeps what comes from both.
run showstopper -q -n 1 -T 100% --stdout both.% --stderr both.% sh -c 'echo first; echo second >&2; echo third'
expect_status 0
[ "$(tr '\n' ' ' <both.0)" = 'first second third ' ] || fail "--stdout and --stderr of one file: found '$(cat both.0)'"

finish
