#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/findings: what reports of batches, made up here, show of the papers' findings, and what it writes into a document.
# shellcheck disable=SC2016 # Markdown
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset PUBLISH_ROOT SHOWSTOPPER_WORKLOADS
findings=$source/tools/experiments/findings

run "$findings" --help
expect_status 0
expect_text out '^usage: tools/experiments/findings '
run "$findings" --nothing
expect_trouble "^tools/experiments/findings: unexpected argument '--nothing' \(--help says more\)$"
run "$findings" nowhere
expect_trouble '^tools/experiments/findings: nowhere holds no batch$'
# batch NAME: an empty one.
batch() {
	mkdir -p "$1"
	: >"$1/runs.tsv"
}
# rows SPREAD LABEL VALUE...: a row for each of five repeats, whose values differ by up to this part of the first and have others behind it.
rows() {
	awk -v spread="$1" -v label="$2" -v first="$3" -v rest="${4-}" 'BEGIN {
		split("0 1 -1 0.5 -0.5", off)
		for (i = 1; i <= 5; i++)
			printf "%s_%d,%.6g%s\n", label, i, first * (1 + spread * off[i]), rest
	}'
}
# row PAPER FINDING VERDICT WHY FILE
row() {
	expect_text out "^\| $1 \| $2 \| $3 \| $4 \| $5 \|\$"
}
for folder in empty accuracy once throughput replays 'two=pairs' fast slow calibrated validated; do batch "$folder"; done
run "$findings" empty
expect_trouble '^tools/experiments/findings: none of these folders has a report'

# ---- Loads --------------------------------------------------------------------------------------------------------------

# 30 % is no number of whole instances of four processors: N-bench is no baseline there.
echo 'processors: 4, X' >accuracy/machine.txt
cp accuracy/machine.txt once
{
	echo label,mse_pp2,mean_error_pp,target,samples,bursts
	rows 0.1 burn-parallel_25_N-bench 5600 ,75,0.25,20,0
	rows 0.1 burn-parallel_25_CDC+ 50 ,7,0.25,20,0
	rows 0.2 burn-parallel_25_PI-even 1 ,0.1,0.25,20,0
	rows 0.1 burn-parallel_30_N-bench 3600 ,60,0.3,20,0
	rows 0.3 burn-parallel_30_PI-even 1 ,0.1,0.3,20,0
	rows 0.3 burn-parallel_25_geom-even 3 ,0.1,0.25,20,0
	rows 0.1 burn-parallel_25_geom-uneven 90 ,2,0.25,20,0
	rows 2 burn-single_25_PI-even 30 ,0.1,0.25,20,0 | sed 's/,-/,/'
	rows 1.5 burn-single_25_geom-even 31 ,0.1,0.25,20,0 | sed 's/,-/,/'
	# Disturbed all the time.
	rows 0.1 burn-single_50_geom-even 90 ,9,0.5,20,20
	rows 0.1 burn-single_50_PI-even 1 ,0.1,0.5,20,20
} | awk -F, -v OFS=, 'NR > 1 { $3 += 0.01 * $2 / 60 * (NR % 3 - 1) } { print }' >accuracy/accuracy-runs.csv
# As it was published: 6 of 8, of one run each. Chance does that in 29 of 100.
{
	echo label,mse_pp2,mean_error_pp,target,samples,bursts
	for target in 25 50 75 100; do
		echo "w_${target}_N-bench_1,10,9,0.5,20,0"
		echo "w_${target}_CDC+_1,10,9,0.5,20,0"
		mse=1 && [ "$target" != 75 ] || mse=11
		echo "w_${target}_PI-even_1,$mse,0.1,0.5,20,0"
	done
} >once/accuracy-runs.csv
run "$findings" -B "$build" once
row '000, 4\.3' 'with feedback \(PI, even\) .*' undecided 'so in 6 of 8 that were run once; sign test: p 0\.29\. It takes 8 repeats on any machine: `tools/experiments/accuracy .* --repeat 8 --output DIR`' '`[^`]*once/accuracy-runs\.csv`'
row '000, 4\.3' 'of other programs .*' undecided 'so in 0 of 4 that were run once; sign test: p 0\.12\..*' '.*'
run "$findings" -B "$build" accuracy
row '000, 4\.3' 'whole instances .*' shown 'so in 2 of 2, not so in 0, 0 can.t be told; p .*' '`[^`]*accuracy/accuracy-runs\.csv`'
row '000, 4\.3' 'a constant duty cycle \(CDC\) of highly parallel .*' shown '.* of 5 runs; p <0\.0001' '.*'
row '000, 4\.3' 'with feedback \(PI, even\) .*' shown '.*so in 2 of 2, not so in 0, .*' '.*'
row '000, 4\.3' 'with feedback with what is ours .*' undecided 'no runs\. It takes any machine: .*' ''
row '000, 4\.3' 'geom is unstable .*' shown '.* of 5 runs; p <0\.0001' '.*'
row '000, 4\.3' 'PI is steadier than geom \(even\)' undecided 'so in 1 of 2, not so in 0, 1 can.t be told; p .*\. It takes [0-9]+ repeats on any machine: .* --settings PI-even,geom-even .*' '.*'
# Six experiments of five repeats each, all within 5 % of their targets but geom-uneven: 83 %.
row '000, 9' 'in 80 % .*' undecided '83\.3 % \(35\.[0-9] to 99\.[0-9]\) of 6 experiments; p .* experiments on any machine: .*' '.*'
row '000, 9' 'in 90 % .*' undecided 'no runs.*' ''
# Of what was repeated and what was run once, the repeats are asked.
run "$findings" -B "$build" once accuracy
row '000, 4\.3' 'with feedback \(PI, even\) .*' shown '.*so in 2 of 2, not so in 0, .*; 8 that were run once don.t count' '.*once/accuracy-runs\.csv`.*'

# ---- Throughput ---------------------------------------------------------------------------------------------------------

{
	echo label,throughput,load
	for curve in 'xz 25 baseline 10 0.25' 'xz 100 baseline 100 1' 'xz 50 PI-even 50 0.5' 'xz 75 PI-even 72 0.75' 'xz 100 PI-even 100 1' \
		'xz 50 PI-uneven 41 0.5' 'xz 100 PI-uneven 100 1' 'h2 50 PI-even 30 0.5' 'h2 75 PI-even 60 0.75' 'h2 100 PI-even 100 1' \
		'fop 20 default 30 0.2' 'fop 60 default 80 0.6' 'fop 90 default 100 0.9' 'sunflow 20 default 21 0.2' 'sunflow 60 default 60 0.6' \
		'sunflow 90 default 89 0.9'; do
		# shellcheck disable=SC2086 # its words
		set -- $curve
		rows "0.00$2" "$1_$2_$3" "$4" ",$5"
	done
} >throughput/throughput-runs.csv
printf 'workload,replay_s,setting,repeats,load_percent,throughput,throughput_half\nfop,90,x,1,1,1,\n' >replays/throughput.csv
{
	echo label,throughput,load
	rows 0.01 fop_90_geom-uneven 11.5 ,0.5
	rows 0.012 fop_1620_geom-uneven 10 ,0.5
	rows 0.01 h2_90_PI-even 10.1 ,0.5
	rows 0.012 h2_1620_PI-even 10 ,0.5
} >replays/throughput-runs.csv
run "$findings" -B "$build" throughput replays
# xz has one too few with uneven work; it is 3 % off at most with even work.
row '000, 5\.2\.1' 'throughput is often not .*' shown 'so in 2 of 3, not so in 1, 0 can.t be told; p .*' '.*throughput/throughput-runs\.csv`.*'
row '000, 5\.2\.1' 'of highly parallel programs .*' shown 'so in 1 of 1, .*' '.*'
row '000, 5\.2\.1' 'uneven work .*' shown '.* of 5 runs; p <0\.0001' '.*'
row '000, 5\.3\.1' 'a trace replayed faster .*' contradicted 'so in 1 of 2, not so in 1, .*' '.*'
row '000, 5\.3\.1' 'with uneven work, that of fop rises .*' shown '15\.[0-9] % .* of 5 runs; p <0\.0001' '.*'

# ---- Pairs --------------------------------------------------------------------------------------------------------------

# pair LABEL INTERFERENCE INTERCEPT SLOPE SECOND-INTERCEPT
pair() {
	rows 0.05 "$1" "$2" ",$4,$3,$4,$5" | awk -F, -v OFS=, '{ $4 *= 1 + NR % 3 / 1000; print }'
}
{
	echo label,interference,slope_1,intercept_1,slope_2,intercept_2
	pair xz_xz_per-chip -3 10 -1 10
	pair xz_xz_per-core 8 10 -2 10
	pair xz_xz_neutral 20 12 -2 12
	pair xz_xz_per-thread 40 16 -5 16
	pair fop_xz_per-thread 20 10 -1 8
} >'two=pairs/interference-runs.csv'
{
	echo label,file,step,target,throughput
	for again in 1 2 3 4; do
		for row in 'per-chip 0.95 20' 'per-thread 0.95 19' 'dynamic 0.95 20.1' 'per-chip 0.05 10' 'per-thread 0.05 13' 'dynamic 0.05 13.1' \
			'per-core 0.95 18' 'per-core 0.05 11'; do
			# shellcheck disable=SC2086 # its words
			set -- $row
			echo "$1,runs/xz_xz_$1_$again/log.csv,1,$2,$(awk -v value="$3" -v again="$again" 'BEGIN { srand(again * value); print value * (1 + rand() / 100) }')"
		done
	done
} >'two=pairs/overall-xz-steps.csv'
for pair in a b c d e f; do
	printf 'step,target %%,cache-misses,stalled-cycles-backend\n1,95,10,30\n2,5,20,12\n' >"two=pairs/events-${pair}_x_per-thread_1.csv"
done
{
	echo label,file,target,throughput
	for again in 1 2 3; do
		printf 'x_x_per-core_%d,f,0.5,1%d\nx_x_per-thread_%d,f,0.5,7\nx_x_per-core_%d,f,0.9,2%d\nx_x_per-thread_%d,f,0.9,19\n' \
			$again $again $again $again $again $again
	done
} >'two=pairs/background-runs.csv'
# Two batches of one pair, by their quanta.
for folder in fast slow; do
	quantum=53 && [ "$folder" = fast ] || quantum=107
	printf 'x\tx\t1\t1\t1\tnative\t-d averageq -D 107m,jitter=0 -D %dm,jitter=0\n' "$quantum" >"$folder/runs.tsv"
done
{ echo label,interference,slope_1,intercept_1,slope_2,intercept_2 && rows 0.01 h2_xz_per-core 8 ,,,,; } >fast/interference-runs.csv
{ echo label,interference,slope_1,intercept_1,slope_2,intercept_2 && rows 0.02 h2_xz_per-core 9 ,,,,; } >slow/interference-runs.csv
# Guests that are emulated don't count, and the host beside containers says nothing of guests.
mkdir -p batch/native/runs batch/lxc batch/qemu/runs/x_y_mine_1
printf 'native/x\tx/y\t1/1\t1\t1\tnative\t\n' >batch/runs.tsv
printf 'x\tx/y\t1/1\t1\t1\tnative\t\n' >batch/native/runs.tsv
{
	echo pair,scheme,repetition,least,median,most
	for again in 1 2 3; do printf 'xz beside xz,mine,%d,0.9,0.9%d,1\n' $again $again; done
} >batch/native/ratio.csv
printf 'Emulated: no KVM\n' >batch/qemu/runs/x_y_mine_1/environment.txt
sed 's/per-chip/emulated/' 'two=pairs/interference-runs.csv' >batch/qemu/interference-runs.csv
cp batch/native/ratio.csv batch/qemu
run "$findings" -B "$build" 'two=pairs' fast slow batch
expect_status 0
row '000, 6\.2' 'with per-thread the foreground is fastest in most pairs' shown '.* of 5 runs; p <0\.0001' '`[^`]*two=pairs/interference-runs\.csv`.*'
row '000, 6\.2' 'with neutral it mostly comes second' shown '.* of 5 runs; p <0\.0001' '.*'
row '001, Tables I and II' 'per-chip isolates best.*' shown '.* of 5 runs; p <0\.0001' '.*'
row '001, Tables I and II' 'per-core isolates too.*' shown 'so in 3 of 3, .*' '.*'
row '001, Tables I and II' 'per-thread isolates least.*' contradicted 'so in 1 of 2, not so in 1, .*' '.*'
row '001, Table I' 'neutral isolates little .*' shown '.* of 5 runs; p .*' '.*'
row '000, 6\.2' '.*, cache misses rise .*' shown 'so in 6 of 6 that were run once; sign test: p 0\.031' '.*'
row '000, 6\.2' '.*, stalls of the pipeline fall .*' shown 'so in 6 of 6 .*' '.*'
row '000, 6\.2' 'a quantum of 53 ms .*' shown '.* of 5 runs; p <0\.0001' '.*fast/interference-runs\.csv`.*'
row '000, 6\.2' 'per-thread costs the background most .*' shown '.* of 3 runs; p .*' '`[^`]*background-runs\.csv`'
row '000, 6\.3' "fop's halves .*" shown '-21\.[0-9] % \(.*\) of 5 runs; p <0\.0001' '.*'
row '002, IV' '.*' contradicted 'so in 1 of 2, not so in 1, .*' '.*'
row '000, 6\.4' 'the throughput .* with per-thread than .*' shown 'so in 2 of 2, .*' '`[^`]*overall-xz-steps\.csv`'
row '000, 6\.4' 'the throughput .* with per-core than .*' contradicted 'so in 1 of 2, not so in 1, .*' '.*'
row '000, 6\.5' 'the work per .*' undecided 'no runs\. It takes a machine .* counters of energy: .*' ''
row '000, 6\.5' 'choosing the pinning .*' shown '.* of 4 runs; p .*' '.*'
row '000, 7' 'in a guest .*' undecided 'no runs\. .*' ''
expect_text out '^[0-9]+ shown, [0-9]+ contradicted, [0-9]+ undecided\.$'
rm batch/qemu/runs/x_y_mine_1/environment.txt
printf 'x\tx/y\t1/1\t1\t1\tqemu\t\n' >batch/qemu/runs.tsv
run "$findings" -B "$build" batch
row '000, 7' 'in a guest .*' shown '-8\.0 % .* of 3 runs; p 0\.0052' '`[^`]*batch/qemu/ratio\.csv`'

# ---- Two machines ---------------------------------------------------------------------------------------------------------

echo name,ratio | tee calibrated/free-ratios.csv >calibrated/quota-ratios.csv
for method in 1 2 3 4 5 6 7 8 9; do
	echo "m$method,$method" >>calibrated/free-ratios.csv
	awk -v of="$method" 'BEGIN { print "m" of "," of / 3 }' >>calibrated/quota-ratios.csv
done
{ echo how,name,ratio,least,greatest,within && for program in 1 2 3 4 5 6 7 8; do echo "quota,p$program,9,1,2,no"; done; } >validated/validation.csv
run "$findings" -B "$build" calibrated validated
row '003, V\.A' '.*' shown '.* of 9 methods; p .*' '.*free-ratios\.csv`, .*quota-ratios\.csv`'
row '003, V\.B' '.*' contradicted '0\.0 % \(0\.0 to 36\.9\) of 8 programs; p <0\.0001' '.*'

# ---- Power, answers and response times of services --------------------------------------------------------------------------

for folder in served turned single clocks placed; do batch "$folder"; done
# repeats TEXT-COLUMNS HEADER: of each line of words four repeats, a little different, in which - stands for nothing. The label comes behind the texts.
repeats() {
	awk -v texts="$1" -v header="$2" 'BEGIN { print header }
		{ for (i = 1; i <= 4; i++) {
			noise = 1 + ((i * i * 7 + NR * NR * 3 + i * NR * 5) % 37 - 18) / 9000
			for (k = 1; k <= NF; k++) {
				value = $k == "-" ? "" : k <= texts ? $k : sprintf("%.6g", $k * noise)
				printf "%s%s", value, k == texts ? ",s_" i "," : k < NF ? "," : "\n"
			} } }'
}
# Scaling has a rate at which nobody is overloaded as well.
awk '$1 == "scaling" { print $1, $2, $3, $4, $5, $6, $7, $8, "yes 0 10 10 0.1 0.2 150" } 1' <<EOF |
scaling s horizontal 1 free roundrobin even - no 1 100 25 4 6 200
scaling s horizontal 1 pinned roundrobin even - no 1 100 23 4.5 7 180
scaling s horizontal 4 free roundrobin even - no 1 100 80 1.5 5 280
scaling s horizontal 4 free leastconn even - no 1 100 80 1.6 2.5 280
scaling s horizontal 4 pinned roundrobin even - no 1 100 84 1.3 4 260
scaling s horizontal 4 pinned leastconn even - no 1 100 84 1.4 2.2 260
scaling s vertical 4 free roundrobin even - no 1 100 78 1.6 4 275
scaling s vertical 4 pinned roundrobin even - no 1 100 82 1.4 4 262
limit s horizontal 1 free roundrobin even 0 no 1 50 25 0.1 0.2 200
limit s horizontal 1 free roundrobin even 100 no 1 50 25 4 5 200
neighbour s horizontal 1 pinned roundrobin even none yes 0 10 10 0.1 0.2 150
neighbour s horizontal 1 pinned roundrobin even 1 yes 0 10 10 0.2 0.3 150
neighbour s horizontal 1 pinned roundrobin even 2 yes 0 10 10 0.12 0.2 150
neighbour s horizontal 1 pinned roundrobin even 3 yes 0 10 10 0.12 0.2 150
EOF
	repeats 10 figure,service,way,count,place,balance,arrivals,more,underloaded,place_of_step,label,planned_per_s,answered_per_s,mean_s,p95_s,power_w \
		>served/scaling-runs.csv
run "$findings" -B "$build" served
expect_status 0
row '004, 1 \(5\)' 'scaling with consolidation .*' shown 'so in 4 of 4, .*' '`[^`]*served/scaling-runs\.csv`'
row '004, 1 \(6\)' 'at a high load scaling out and up .*' shown 'so in 4 of 4, .*' '.*'
row '004, 1 \(6\)' 'the largest arrangement .*' shown 'so in 3 of 3, .*' '.*'
row '004, 1 \(7\)' 'how load is balanced .*' shown 'so in 2 of 2, .*' '.*'
row '004, 5\.2\.3' '.*' shown 'so in 2 of 2, .*' '.*'
row '004, 5\.2\.4' '.*' shown '8\.[0-9] % .* of 4 runs; p <0\.0001' '.*'
row '004, 6\.1\.3' '.*' shown '3[89][0-9][0-9]\.[0-9] % .* of 4 runs; p <0\.0001' '.*'
row '004, 6\.1\.4' '.*' shown 'so in 2 of 2, .*' '.*'
row '004, 6\.2' '.*' shown 'so in 2 of 2, .*' '.*'
row '004, 1 \(1\)' '.*' undecided 'no runs\. It takes a machine with clocks .*: `tools/experiments/frequency .* --repeat 8 --output DIR`' ''
# 280 W to 200 W and 260 W to 180 W; 80 and 84 answers to 10, as one instance takes more than two seconds for more.
expect_text out '^\| horizontal scaling \| from most instances to one \| 29 \| 29\.[5-8] ± [0-9.]+, 4 runs \| 61 \| 87\.[789] ± [0-9.]+, 4 runs \| `[^`]*served` \|$'
expect_text out '^\| CPU pinning \| from free to pinned \| 8 \| 7\.[1-4] ± .* \| 14 \| -3\.[4-8] ± .* \|$'
expect_text out '^\| DVFS \| .* \| 14 \| no runs \| 33 \| no runs: `tools/experiments/frequency .*` \|  \|$'
expect_text out '^\| horizontal scaling \| overloaded, one instance \| scale out \| negative \| 42\.[0-9] ± .*: negative \| positive \| -66\.[0-9] ± .*: positive \| it depends on what is wanted \|'
# The other way round, without a meter.
sed 's/roundrobin/the other/; s/leastconn/roundrobin/; s/the other/leastconn/; 2,$s/[0-9.]*$//' served/scaling-runs.csv >turned/scaling-runs.csv
run "$findings" -B "$build" turned
row '004, 1 \(7\)' 'how load is balanced .*' contradicted 'so in 0 of 2, not so in 2, .*' '.*'
row '004, 1 \(5\)' '.*' undecided 'no runs\. It takes a machine with six processors and a meter of power .*' ''
expect_text out '^\| horizontal scaling \| .* \| 29 \| unavailable: it takes an overload and a meter of power \(--meter\) \| 61 \| 87\.[789] '
expect_text out '^\| CPU pinning \| overloaded, most instances \| pin them \| negative \| unavailable: .* \| positive \| -1[0-9]\.[0-9] ± .*: positive \| unknown \|'
# One run tells nothing by itself.
sed -n '1p; /,s_1,/p' served/scaling-runs.csv >single/scaling-runs.csv
run "$findings" -B "$build" single
row '004, 1 \(7\)' 'how load is balanced .*' undecided 'so in 2 of 2 that were run once; sign test: p 0\.5\. It takes 8 repeats .*' '.*'
expect_text out '^\| horizontal scaling \| .* \| 29\.[0-9] \(one run\) \|'

repeats 5 by,arrivals,level,underloaded,place,label,planned_per_s,answered_per_s,mean_s,p95_s,power_w >clocks/frequency-runs.csv <<EOF
frequency even 1.4GHz yes 0 10 10 0.15 0.3 150
frequency even 2.1GHz yes 0 10 10 0.1 0.2 152
frequency even 1.4GHz no 1 100 50 3 5 200
frequency even 2.1GHz no 1 100 75 1.5 3 240
frequency concurrent 1.4GHz yes 0 10 10 0.4 0.5 160
frequency concurrent 2.1GHz yes 0 10 10 0.3 0.4 155
EOF
repeats 2 workload,layout,label,load,power_w >placed/layouts-runs.csv <<EOF
burn full-free 0.25 250
burn full-packed 0.25 227
EOF
repeats 3 kind,layout,place,label,planned_per_s,answered_per_s,mean_s,p95_s,power_w >placed/service-runs.csv <<EOF
several full-free 1 50 40 0.2 0.4 250
several full-packed 1 50 40 0.3 0.5 227
several full-apart 1 50 40 0.22 0.4 240
EOF
run "$findings" -B "$build" clocks placed
row '004, 1 \(1\)' '.*' shown '-1\.[0-9] % .* of 4 runs; p <?0\.0.*' '`[^`]*clocks/frequency-runs\.csv`'
row '004, 1 \(2\)' '.*' shown '3\.[0-9] % .* of 4 runs; p .*' '.*'
row '004, 1 \(3\)' 'work on processors side by side .*' shown 'so in 2 of 2, .*' '.*layouts-runs\.csv`, .*service-runs\.csv`'
row '004, 1 \(3\)' 'a saturated service .*' shown '50\.[0-9] % .*' '.*'
row '004, 1 \(4\)' '.*' shown '36\.[0-9] % .*' '.*'
# 240 W to 200 W, 75 answers to 10.
expect_text out '^\| DVFS \| .* \| 14 \| 16\.[5-8] ± .* \| 33 \| 86\.[678] ± .* \| `[^`]*clocks` \|$'
expect_text out '^\| DVFS \| saturated \| reduce the frequency \| big positive \| -16\.[5-8] ± .*: positive \| big negative \| (99|100)\.[0-9] ± .*: negative \| it depends '

if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
	mkdir -p draft/tools/experiments
	printf 'Before.\n\n<!-- findings: begin -->\nnot measured yet\n<!-- findings: end -->\n' >draft/tools/experiments/README.md
	run env PUBLISH_ROOT="$work/draft" "$findings" --publish --build "$build" throughput
	expect_status 0
	what='the draft'
	cp draft/tools/experiments/README.md draft.md
	expect_text draft.md '^<sub>Revision .*: `tools/experiments/findings --publish '
	expect_text draft.md '^\| 000, 5\.2\.1 \| of highly parallel .* \| shown \|'
fi
# What was published is what the kept figures say.
block=$(sed -n '/^<!-- findings: begin -->$/,/^<!-- findings: end -->$/p' "$source/tools/experiments/README.md")
case $block in
*'not measured yet'*) ;;
*)
	run "$findings" -B "$build"
	expect_status 0
	grep -E '^\||undecided\.' out >found
	printf '%s\n' "$block" | grep -E '^\||undecided\.' | diff - found || fail 'the published findings are not those of tools/experiments/measured'
	;;
esac
finish
