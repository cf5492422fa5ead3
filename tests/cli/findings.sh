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
mkdir empty accuracy throughput other replays 'two=pairs'
for folder in empty accuracy throughput other replays 'two=pairs'; do : >"$folder/runs.tsv"; done
run "$findings" empty
expect_trouble '^tools/experiments/findings: none of these folders has a report'

# 30 % is no number of whole instances of four processors: N-bench is no baseline there.
echo 'processors: 4, X' >accuracy/machine.txt
cat >accuracy/accuracy.csv <<'END'
workload,target_percent,setting,repeats,mean_error_pp,mse_pp2
burn-parallel,25,N-bench,1,75,5600
burn-parallel,25,CDC,1,3,50
burn-parallel,25,PI-even,1,0.1,1
burn-parallel,30,N-bench,1,60,3600
burn-parallel,30,PI-even,1,0.1,1
burn-single,25,CDC,1,-6,30
burn-single,25,PI-even,1,0.1,31
END
cat >accuracy/accuracy-runs.csv <<'END'
label,near
burn-single_25_PI-even_1,0.95
burn-single_25_default_1,0.6
burn-single_25_CDC_1,1
END
cat >throughput/throughput.csv <<'END'
workload,target_percent,setting,repeats,load_percent,throughput,throughput_half
xz,25,baseline,3,25,10,0.1
xz,100,baseline,3,100,100,0.5
xz,50,PI-even,3,50,50,0.5
xz,75,PI-even,3,75,72,0.5
xz,100,PI-even,3,100,100,0.5
xz,50,PI-uneven,3,50,41,0.5
xz,100,PI-uneven,3,100,100,0.5
h2,50,PI-even,3,50,40,9
h2,75,PI-even,3,75,72,5
h2,100,PI-even,3,100,100,9
sunflow,20,default,3,20,21,0.5
sunflow,60,default,3,60,60,0.5
sunflow,90,default,3,90,89,0.5
END
# Ten times as fast as the first batch, but not compared with that. The last one ran once.
cat >other/throughput.csv <<'END'
workload,target_percent,setting,repeats,load_percent,throughput,throughput_half
xz,50,PI-even,3,50,500,5
xz,75,PI-even,3,75,750,5
xz,100,PI-even,3,100,1000,5
sunflow,20,default,1,20,21,
sunflow,60,default,1,60,60,
sunflow,90,default,1,90,89,
END
cat >replays/throughput.csv <<'END'
workload,replay_s,setting,repeats,load_percent,throughput,throughput_half
fop,90,geom-uneven,3,50,11.5,0.1
fop,1620,geom-uneven,3,50,10,0.1
h2,90,PI-even,3,50,9.8,0.1
h2,540,PI-even,3,50,10.1,1.5
h2,1620,PI-even,3,50,10,0.1
END
cat >'two=pairs/interference.csv' <<'END'
foreground,background,scheme,repeats,interference,symmetric,significant,half,none
xz,xz,per-chip,3,-3,yes,yes,1,no
xz,xz,per-core,1,0,yes,yes,,
xz,xz,neutral,1,20,yes,yes,5,no
xz,xz,per-thread,1,40,yes,yes,1,no
fop,xz,per-thread,1,20,no,yes,2,no
END
cat >'two=pairs/interference-runs.csv' <<'END'
label,slope_1,intercept_1,slope_2,intercept_2
xz_xz_per-chip_1,0.1,10,0.1,10
xz_xz_neutral_1,-2,12,-2,12
xz_xz_per-thread_1,-5,16,-5,16
fop_xz_per-thread_1,0,10,0,8
fop_xz_per-thread_2,0,20,0,16
END
cat >'two=pairs/overall-xz-steps.csv' <<'END'
label,step,target,throughput
per-chip,1,0.95,20
per-thread,1,0.95,19
per-chip,2,0.05,10
per-thread,2,0.05,13
per-core,1,0.95,18
per-core,2,0.05,11
END
# A fast workload, which ran with one scheme alone.
printf 'label,step,target,throughput\nper-chip,1,0.95,2000\nper-chip,2,0.05,1000\n' >'two=pairs/overall-fop-steps.csv'
# Guests that are emulated don't count, and the host beside containers says nothing of guests.
mkdir -p batch/native/runs batch/lxc batch/qemu/runs/x_y_mine_1
printf 'native/x\tx/y\t1/1\t1\t1\tnative\t\n' >batch/runs.tsv
printf 'x\tx/y\t1/1\t1\t1\tnative\t\n' >batch/native/runs.tsv
printf 'pair,scheme,repetition,least,median,most\nxz beside xz,mine,1,0.9,0.95,1\nxz beside fop,mine,1,0.9,1.02,1.1\n' >batch/native/ratio.csv
printf 'Emulated: no KVM\n' >batch/qemu/runs/x_y_mine_1/environment.txt
sed 's/per-chip/per-core/' 'two=pairs/interference.csv' >batch/qemu/interference.csv
cp batch/native/ratio.csv batch/qemu
run "$findings" accuracy throughput other replays 'two=pairs' batch
expect_status 0
# row PAPER FINDING VERDICT WHY FILE
row() {
	expect_text out "^\| $1 \| $2 \| $3 \| $4 \| $5 \|\$"
}
row '000, 4\.3' 'whole instances .*' shown 'more than 5 pp above on 2 of 2 targets' '`[^`]*accuracy/accuracy\.csv`'
row '000, 4\.3' 'a constant duty cycle \(CDC\) of highly parallel programs exceeds it too' contradicted '.* 0 of 1 targets' '.*'
row '000, 4\.3' 'of other programs a constant duty cycle stays near the target' contradicted 'within 5 pp on 0 of 1 targets' '.*'
row '000, 4\.3' 'with feedback .*' shown 'a lower MSE in 2 of 3 comparisons' '.*'
row '000, 9' '.*' contradicted '1 of 2 runs have 80 % of their samples there, 1 have 90 %' '`[^`]*accuracy-runs\.csv`'
# Even: as much as the load at 50 %, 3 % less at 75 %; uneven has too few points for this, but is nearer to the baseline, which has 40 at 50 %.
row '000, 5\.2\.1' 'throughput is often not proportional to load' contradicted 'off by more than 5 % .* in 0 of 3 curves, and 1 can.t be told by their intervals of 95 %' '.*'
row '000, 5\.2\.1' 'of highly parallel programs it nearly is' undecided 'within 5 % of the most in 1 of 2 curves, and 1 can.t be told .*' '`[^`]*throughput/throughput\.csv`, `[^`]*other/throughput\.csv`'
row '000, 5\.2\.1' 'uneven work .*' shown 'nearer in 1 of 1 comparisons' '.*'
row '000, 5\.3\.1' 'a trace replayed faster .*' undecided 'within 5 % of the slowest in 1 of 3 replays, and 1 can.t be told .*' '`[^`]*replays/throughput\.csv`'
row '000, 5\.3\.1' '.* that of fop rises' shown 'more than 5 % above in 1 of 1 replays' '.*'
row '000, 6\.2' 'with per-thread the foreground is fastest in most pairs' shown 'in 1 of 1 pairs' '`[^`]*two=pairs/interference-runs\.csv`'
row '000, 6\.2' 'with neutral it mostly comes second' shown 'in 1 of 1 pairs' '.*'
row '001, Tables I and II' 'per-chip isolates best.*' shown '-3\.0 to -3\.0 in 1 pairs' '.*'
row '001, Tables I and II' 'per-core isolates too.*' undecided '0\.0 to 0\.0 in 1 pairs, of which 1 can.t be told .*' '.*'
row '001, Tables I and II' 'per-thread isolates least.*' contradicted '20\.0 to 40\.0 in 2 pairs, of which 1 are outside' '.*'
row '001, Table I' 'neutral isolates little .*' undecided '20\.0 to 20\.0 in 1 pairs, of which 1 can.t be told by their intervals of 95 %' '.*'
row '000, 6\.3' "fop's halves .*" shown 'without a background -20\.0 ±0\.0 % in the second half, in 2 runs' '.*'
row '000, 6\.4' 'the throughput .* with per-thread than .*' shown '130\.0 % below, 95\.0 % above' '`[^`]*overall-[a-z]*-steps\.csv`, .*'
row '000, 6\.4' 'the throughput .* with per-core than .*' contradicted '110\.0 % below, 90\.0 % above' '.*'
row '000, 6\.5' '.*' undecided 'no runs with both' ''
row '000, 7' 'in a guest .*' undecided 'no guests by KVM; on the host, .* 0\.950 to 1\.020 of what it does in a container, in 2 runs' '`[^`]*batch/native/ratio\.csv`'
expect_text out '^[0-9]+ shown, [0-9]+ contradicted, [0-9]+ undecided\.$'
rm batch/qemu/runs/x_y_mine_1/environment.txt
printf 'x\tx/y\t1/1\t1\t1\tqemu\t\n' >batch/qemu/runs.tsv
run "$findings" batch
row '000, 7' 'in a guest .*' contradicted 'the median is below 1 in 1 of 2 pairs' '`[^`]*batch/qemu/ratio\.csv`'

if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
	mkdir -p draft/tools/experiments
	printf 'Before.\n\n<!-- findings: begin -->\nnot measured yet\n<!-- findings: end -->\n' >draft/tools/experiments/README.md
	run env PUBLISH_ROOT="$work/draft" "$findings" --publish --build "$build" accuracy
	expect_status 0
	what='the draft'
	cp draft/tools/experiments/README.md draft.md
	expect_text draft.md '^<sub>Revision .*: `tools/experiments/findings --publish '
	expect_text draft.md '^\| 000, 4\.3 \| whole instances .* \| shown \|'
fi
# What was published is what the kept figures say.
block=$(sed -n '/^<!-- findings: begin -->$/,/^<!-- findings: end -->$/p' "$source/tools/experiments/README.md")
case $block in
*'not measured yet'*) ;;
*)
	run "$findings"
	expect_status 0
	grep . out >found
	printf '%s\n' "$block" | grep -E '^\||undecided\.$' | diff - found || fail 'the published findings are not those of tools/experiments/measured'
	;;
esac
finish
