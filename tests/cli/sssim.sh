#!/bin/sh
# SPDX-License-Identifier: MIT
# sssim: options, what it writes, determinism, speed.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# ---- What it writes ---------------------------------------------------------------------------------------------------------

run sssim -T 50% -r 10s
expect_status 0
expect_lines out 0
expect_text err '^target load          50\.00 %$'
expect_text err '^achieved load        (49|50)\.[0-9]+ %$'
expect_text err '^mean squared error   [0-9.]+ pp\^2 \(20 samples of 500 ms\)$'
expect_text err '^exact mean error     [+-]0\.[0-9]+ pp$'
expect_text err '^exact squared error  [0-9.]+ pp\^2 in windows of 500 ms, [0-9.]+ of 370 ms, [0-9.]+ of 1\.3 s$'
expect_text err '^settling time        [0-9.]+ s '
expect_no_text err '^sssim:'

run sssim -q -T 50% -r 10s
expect_status 0
expect_lines out 0
expect_lines err 0

run sssim -q -T 50% -r 10s --report
expect_status 0
expect_lines err 0
expect_lines out 1
expect_text out '^load=0\.[0-9]+ mean_error_pp=-?[0-9.]+ mse_500_pp2=[0-9.]+ mse_370_pp2=[0-9.]+ mse_1300_pp2=[0-9.]+ settling_s='

run sssim --stall 100m --stall-every 1s -T 50% -r 20s --report
expect_status 0
expect_text out ' stalls=[0-9]+ above_250_ms=[0-9]+ '
expect_text err '^stalls               [0-9]+, [0-9]+ times more than 5 pp'
run sssim --stall 500m --stall-every 1s -T 50% -r 20s
expect_trouble '^sssim: --stall-every: expected more than twice the stall'

# However a workload is stopped, in the model it is stopped.
sssim -T 50% -r 10s --report -q >by_default
run sssim -T 50% -r 10s --report -q -a freezer -A version=1
expect_status 0
cmp -s out by_default || fail "$what: $(diff out by_default)"

# A bandwidth: throttled by the modelled kernel, with no stop, and with many threads as well.
for workload in single parallel:threads=4 phased; do
	for target in 5 50 90; do
		run sssim -a quota -q --report -T $target% -r 60s -W $workload
		expect_status 0
		awk -v RS=' ' -F= '$1 == "mean_error_pp" { found = $2 < 0.15 && $2 > -0.15 } END { exit !found }' out ||
			fail "$what, $workload, $target %: $(cat out)"
	done
done
# Also where each of many has so little that its period is longer than a step, and where steps are shorter than the period.
for options in '-n 64' '-n 8 -A interval=5m'; do
	# shellcheck disable=SC2086 # words
	run sssim -a quota -q --report -T 10% -r 30s -p 8 -c geom $options
	expect_status 0
	awk -v RS=' ' -F= '$1 == "mean_error_pp" { found = $2 < 1 && $2 > -1 } END { exit !found }' out || fail "$what: $(cat out)"
done

# A load of 100 % may be one processor of two: it is held all the same, and what goes beyond it is shown.
for workloads in 2 8; do
	run sssim -q --report -f workloads -F processors=1 -l 100% -r 20s -n $workloads
	expect_status 0
	awk -v RS=' ' -F= '$1 ~ /mean_error_pp$/ { found += $2 < 0.05 && $2 > -0.05 } END { exit found != 2 }' out ||
		fail "$what: $(cat out)"
done
run sssim -q -f workloads -F processors=1 -l 100% -r 2s -n 2 -c open -C duty=1 -o log.csv
expect_status 0
awk -F, 'END { exit !($4 > 1.9 && $5 > 1.5) }' log.csv || fail "$what: $(cat log.csv)"

run sssim -q --speed -T 50% -r 10s
expect_status 0
expect_lines err 1
expect_text err '^sssim: 10\.0 s in .* times as fast as real time'

run sssim -v -T 50% -r 10s -c rbpid -C peers=1
expect_status 0
expect_text err '^sssim: trace constant load=0\.5$'
expect_text err '^sssim: control rbpid .*peers=1'
expect_text err '99 % of edges less than [0-9]+ us late$'

# What control costs grows with threads and processors, and so do readings that become rarer for it.
own() { # OPTION...: own_cpu_s
	run sssim -q --report --counters none -F source=idle -p 16 -n 2 -W parallel:16 -T 50% -r 10s "$@"
	expect_status 0
	cost=$(sed -n 's/.* own_cpu_s=//p' out)
}
own --edge-cost 0 --edge-cost-thread 0 --reading-cost 0 --reading-cost-processor 0
[ "$cost" = 0.000000 ] || fail "$what: own time $cost"
own --edge-cost 0 --edge-cost-thread 0 --reading-cost 16u --reading-cost-processor 0
fixed=$cost
own --edge-cost 0 --edge-cost-thread 0 --reading-cost 0 --reading-cost-processor 1u
[ "$fixed" != 0.000000 ] || fail "$what: readings take no time"
[ "$cost" = "$fixed" ] || fail "$what: own time $cost, where the same cost for all took $fixed"
own --edge-cost 0 --edge-cost-thread 1u --reading-cost 0 --reading-cost-processor 0
threads=$cost
own --edge-cost 16u --edge-cost-thread 0 --reading-cost 0 --reading-cost-processor 0
# Edges that change nothing wake no threads.
awk -v a="$threads" -v b="$cost" 'BEGIN { exit !(a > 0.5 * b && a <= b && b > 0) }' ||
	fail "$what: own time $cost, where the threads alone took $threads"

# The counters of the kernel: cpuacct.usage where nothing is said, and idle columns that may be wrong.
for options in '--counters cpuacct' '--counters groups,cpuacct,schedstat' '--idle-excess 0'; do
	# shellcheck disable=SC2086 # words
	run sssim -T 50% -r 10s --report -q $options
	expect_status 0
	cmp -s out by_default || fail "$what: $(diff out by_default)"
done
for counters in none groups,schedstat; do
	run sssim -T 50% -r 1s --counters $counters -F source=cpuacct
	expect_trouble "^sssim: feedback module 'realtime': source=cpuacct"
done
run sssim -q --report -T 50% -r 10s --counters none --idle-excess 4% -F source=idle
expect_status 0
# The idle column alone would be off by 2 pp: what the workloads use says that it is too much.
awk -v RS=' ' -F= '$1 == "mean_error_pp" { found = $2 > 0 && $2 < 1.7 } END { exit !found }' out || fail "$what: $(cat out)"
for list in nosuch none,cpuacct 'cpuacct,' ','; do
	run sssim --counters $list -T 50% -r 1s
	expect_trouble "^sssim: --counters: '$list': expected none, or some of cpuacct, groups and schedstat"
done
run sssim --idle-excess 0.6 -T 50% -r 1s
expect_trouble "^sssim: --idle-excess: '0.6' is not a fraction from 0 to 0.5, such as 4% or 0.04"

# Too short for a sample.
run sssim -T 50% -r 100m
expect_text err '^sssim: --run-time: 100ms is shorter than one sample'
expect_status 0
expect_text err '^target load          none'
expect_no_text err 'exact'

printf '0 10%%\n2m 60%%\n' >short.trace
run sssim -t file -T short.trace -r 1s
expect_text err "^sssim: the trace's length: 2ms is shorter than one sample .* 2 minutes are 2M or 2min\$"
expect_no_text err 'run-time'

run sssim -T 30% -w 2s -r 3s -n 3 -o log --log-interval 250m --log-instances
expect_status 0
expect_lines log 21
[ "$(head -n 1 log)" = time_s,monotonic_s,target,load,estimate,duty,runnable,others,duty_00,duty_01,duty_02 ] ||
	fail "$what: header of the log"
awk -F, 'NR > 1 && (NF != 11 || ($1 <= 0) != ($3 == "") || $4 < 0 || $4 > 1) { exit 1 }' log || fail "$what: a row of the log"
[ "$(cut -d, -f1 log | sed -n '2p;$p' | paste -sd ' ')" = '-1.750000 3.000000' ] || fail "$what: times of the log"

# ---- Cores ------------------------------------------------------------------------------------------------------------------

# 16 threads of 16 processors on 8 cores, at full load: each at 60 % of its speed.
run sssim -q --report -p 16 --threads-per-core 2 -T 100% -r 10s
expect_status 0
expect_text out ' processor_load=(1\.0|0\.999)[0-9]+ core_load=(1\.0|0\.999)[0-9]+ progress_s=(96\.0|95\.9)[0-9]+ '
run sssim -q --report -p 16 --threads-per-core 2 --shared-speed 0.5 -n 8 -T 100% -r 10s
expect_status 0
expect_text out ' processor_load=0\.50[0-9]+ core_load=(1\.0+|0\.99[0-9]+) progress_s=(80\.0+|79\.[89][0-9]+) '
run sssim -p 8 --sockets 2 --threads-per-core 2 --placement cores -F unit=core -T 40% -r 10s -o log
expect_status 0
expect_text err '^target load          40\.00 % of the cores$'
expect_text err '^others               unavailable$'
expect_text err '^exact loads          [0-9.]+ % of the processors, (39|40)\.[0-9]+ % of the cores$'
expect_text err '^progress             [0-9.]+ s: '
expect_lines log 21
[ "$(sed -n '1s/.*,//p;2s/.*,//p;21s/.*,//p' log | paste -sd ' ')" = 'unit core core' ] || fail "$what: the log's unit"
run sssim -q -p 8 --threads-per-core 2 -T 40% -r 2s -o log
expect_no_text log unit
run sssim -F unit=core -T 50% -r 1s
expect_trouble "^sssim: feedback module 'realtime': unit=core is unavailable: no two of these processors share a core"
run sssim -p 6 --sockets 2 --threads-per-core 2 -T 50% -r 1s
expect_trouble '^sssim: --processors: expected a multiple of 4, for 2 sockets and 2 threads per core'
run sssim --shared-speed 0 -T 50% -r 1s
expect_trouble "^sssim: --shared-speed: '0' is not a fraction above 0, up to 1, such as 60% or 0.6"

# ---- Services ---------------------------------------------------------------------------------------------------------------

# value NAME: of the line of results.
value() {
	tr ' ' '\n' <out | sed -n "s/^$1=//p"
}

# Free beside controlled workloads, which are the load that is missing to the target; its requests are the same as alone, and wait longer.
service=service:rate=320,mean=5m,distribution=exponential,arrivals=poisson
run sssim -p 16 -l 0% -r 60s -B $service -q --report
expect_status 0
alone=$(value service1_p99_ms)
arrived=$(value service1_requests)
case $arrived in
18[6-9]?? | 19[0-7]??) ;;
*) fail "$what: $arrived requests" ;;
esac
run sssim -p 16 -l 90% -r 60s -B $service --report --requests requests.csv
expect_status 0
expect_text err "^service 1            $service: $arrived requests, [0-9]+ answered, 0 turned away, [0-9]+ under way\$"
expect_text err '^response time        [0-9.]+ ms in the mean, p50 [0-9.]+, p90 [0-9.]+, p95 [0-9.]+, p99 [0-9.]+, p99\.9 [0-9.]+, maximum [0-9.]+$'
expect_text out '^load=0\.(90|89[5-9])'
[ "$(value service1_requests)" = "$arrived" ] || fail "$what: other requests than alone: $(cat out)"
p99=$(value service1_p99_ms)
echo "$alone $p99 $(value service1_mean_ms)" | awk '{ exit !($1 > 22.3 && $1 < 23.8 && $2 > $1 * 1.01 && $3 > 5.1) }' ||
	fail "$what: p99 $p99 ms, alone $alone"
# ssreport says the same of the record.
answered=$(value service1_answered)
expect_lines requests.csv $((answered + 1))
# A reader that comes late misses none of them.
run sh -c "sssim -q -p 16 -l 90% -r 60s -B $service --requests - | { sleep 1; cat; }"
cmp -s out requests.csv || fail "$what: $(wc -l <out) lines, $(cat err)"
run ssreport latency requests.csv -f csv
expect_status 0
echo "$p99,$answered" >expected
sed -n 1,2p out | tr -d '"' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
	NR == 2 { print $column["p99_s"] * 1000 "," $column["requests"] }' >found
awk -F, 'NR == FNR { p99 = $1; count = $2; next } { exit !($1 > p99 * 0.997 && $1 < p99 * 1.003 && $2 == count) }' expected found ||
	fail "$what: $(cat found), expected $(cat expected)"

# One that is held at half a processor, and one that turns requests away, in one record.
run sssim -n 1 -l 25% -r 20s -W service:60,distribution=lognormal:sigma=1 -B service:rate=300,mean=10m,threads=1,queue=3 -q --report --requests -
expect_status 0
expect_text out '^[0-9]+,"service:60,distribution=lognormal:sigma=1",[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,0,good,,$'
expect_text out '^[0-9]+,"service:rate=300,mean=10m,threads=1,queue=3",[0-9.]+,[0-9.]+,,[0-9.]+,,,dropped,,$'
[ "$(grep -c ',dropped,,$' out)" = "$(tail -n 1 out | tr ' ' '\n' | sed -n 's/^service2_turned_away=//p')" ] || fail "$what: $(tail -n 1 out)"

run sssim -l 50% -r 1s --requests none.csv
expect_trouble '^sssim: --requests: expected a service among the workloads and backgrounds: none.csv has nothing to record$'
[ ! -e none.csv ] || fail "$what: the file is there"
run sssim -l 50% -r 1s -B $service -o both --requests both
expect_trouble '^sssim: --log and --requests: both would be written to both: expected a file of its own for one of them$'
run sssim -l 50% -r 100s -B $service -q --requests /dev/full
expect_trouble '^sssim: /dev/full: can.t write the requests: No space left'

# ---- The same options, the same bytes ---------------------------------------------------------------------------------------

for workload in single contended phased sleeper service:rate=200,arrivals=poisson; do
	for output in first again other; do
		[ "$output" = other ] && seed=2 || seed=1
		run sssim -p 3 -n 4 -W "$workload" -W parallel:2 -B 10%,start=2s,end=5s -T 40% -r 10s -i "$seed" \
			-o log --report -v
		expect_status 0
		cat log out err >"$output"
	done
	cmp -s first again || fail "$what: not the same output again"
	if cmp -s first other; then fail "$what: the same output with another seed"; fi
done

# ---- It is fast -------------------------------------------------------------------------------------------------------------

# Generous: an ordinary build takes a hundredth of it, one with sanitizers a tenth.
limit=30
run sssim -q -T 50% -r 300s
expect_status 0
run sssim -q -p 128 -n 1000 -T 50% -r 30s
expect_status 0
limit=60

# ---- Wrong command lines ----------------------------------------------------------------------------------------------------

run sssim
expect_trouble "^sssim: -l is missing: give a load, such as -l 40%"
run sssim -T 50%
expect_trouble 'no end.*--run-time'
run sssim -T 50% -r 1s ssburn
expect_trouble "unexpected argument 'ssburn'"
run sssim -T 110% -r 1s
expect_trouble "^sssim: -T: '110%': expected a load .*, or the name of a trace file: No such file or directory\$"
run sssim -l 60 -r 1s
expect_trouble "^sssim: -l: '60' is out of range: .*; 60 per cent is 60%\$"
run sssim -l 60% -T 60% -r 1s
expect_trouble '^sssim: -l: expected neither -t nor -T with it'
# -l is short for a trace, and a trace in a file needs no -t.
run sssim -q --report -T 50% -r 5s
cp out long
run sssim -q --report --load 50% -r 5s
expect_status 0
cmp -s out long || fail "$what: another result than with -T"
printf '0 50%%\n5s 50%%\n' >short.trace
run sssim -q --report -T short.trace
expect_status 0
expect_text out '^load=0\.(50|49[5-9])'
# Values, and the models of -W, are in test_bad_input.c.
for wrong in '-p 4097' '--slice 2s' '--threads-per-core 9' '--edge-cost-thread 2m' '-W contended:threads=1' '-W sleeper:work=0' '-B 0' \
	'-B load=50%,start=x' '-C nosuch=1'; do
	# shellcheck disable=SC2086 # two words
	run sssim -T 50% -r 1s $wrong
	expect_trouble '^sssim: '
done
run sssim -q -T 50% -r 1s -o -
expect_lines out 3

# What the workloads make beside others, who don't count.
run sssim -q --report -f workloads -T 30% -r 30s -B load=40% -i 1
expect_status 0
awk '{ for (i = 1; i <= NF; i++) { split($i, part, "="); value[part[1]] = part[2] } }
	END { exit !(value["load"] > 0.295 && value["load"] < 0.305 && value["seen_mean_error_pp"] < 0.1 && value["seen_mean_error_pp"] > -0.1) }' out ||
	fail "$what: $(cat out)"
run sssim -f cgroup -T 30% -r 1s
expect_trouble "^sssim: feedback module 'cgroup': can't read /proc/self/mountinfo"

# The log is none of the files that are read, and what is refused leaves it as it was.
printf '0 10%%\n10s 20%%\n' >t.trace
ln -s t.trace way
cp "$build/modules/control/open.so" open.so
run sssim -q -t file -T t.trace -o way
expect_trouble '^sssim: --log: way is the input of the trace module: expected another file$'
run sssim -q -T 50% -r 1s -c ./open.so -o "$work/open.so"
expect_trouble "^sssim: --log: $work/open.so is the control module: expected another file\$"
run sh -c 'exec sssim -q -T 50% -r 1s --report -o t.trace >>t.trace'
expect_trouble '^sssim: --log and standard output: both would be written to t.trace: expected a file of its own for one of them$'
run sssim -q -T 50% -o t.trace
expect_status 125
expect_lines t.trace 2
cmp -s open.so "$build/modules/control/open.so" || fail 'the module was harmed'
run sssim -T 50% -r 10s -q -o /dev/full
expect_trouble '/dev/full: .*No space left'
if [ -w /dev/full ]; then
	what='sssim --report >/dev/full'
	timeout 60 sssim -T 50% -r 1s -q --report >/dev/full 2>err
	status=$?
	expect_trouble 'standard output'
	what='sssim --help >/dev/full'
	timeout 60 sssim --help >/dev/full 2>err
	status=$?
	expect_trouble 'standard output'
fi

expect_described sssim

finish
