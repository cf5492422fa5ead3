#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments: lists of runs and options, and batches that are simulated. None of it waits for other experiments of the checkout.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
limit=120
experiments=$source/tools/experiments
all='accuracy baselines fastforward replay sweep throughput traces'

# ---- Lists and options --------------------------------------------------------------------------------------------------------

for name in $all; do
	run "$experiments/$name" --help
	expect_status 0
	expect_text out "^usage: tools/experiments/$name "
	run "$experiments/$name" --dry-run -B "$build"
	expect_status 0
	quick=$(tail -n 1 out)
	expect_text out '^[0-9]+ runs, [0-9]+ min [0-9]+ s$'
	[ "$(tail -n 1 out | cut -d ' ' -f 1)" -eq $(($(wc -l <out) - 1)) ] || fail "$what: says $quick"
	run "$experiments/$name" --full --dry-run
	expect_text out '^[0-9]+ runs, [0-9]+ h [0-9]+ min$'
	run "$experiments/$name" --dry-run --repeat 2 --workloads burn-single --random 7
	expect_status 0
	cp out shuffled
	run "$experiments/$name" --dry-run --repeat 2 --workloads burn-single
	sort out >one
	sort shuffled | cmp -s - one || fail "$what: in random order there are other runs"
	if cmp -s out shuffled; then fail "$what: the order is not random"; fi
	run "$experiments/$name" --nonsense
	expect_trouble "^tools/experiments/$name: unexpected argument '--nonsense'"
	run "$experiments/$name" --workloads burn-nothing
	expect_status 125
	run "$experiments/$name" --repeat 0
	expect_trouble "^tools/experiments/$name: --repeat: '0' is no whole number from 1"
	run "$experiments/$name" --time
	expect_trouble "^tools/experiments/$name: --time: expected one argument"
	run "$experiments/$name" --report -o nothing -B "$build"
	expect_trouble "^tools/experiments/$name: .*/nothing holds no batch"
	rm -rf nothing
done
# How long a replay takes is what it is asked for by.
for name in traces fastforward; do
	run "$experiments/$name" --dry-run --time 10
	expect_trouble "^tools/experiments/$name: --time: expected --times, in which the whole trace is replayed$"
done
run "$experiments/accuracy" --dry-run --as twice
expect_trouble '^tools/experiments/accuracy: --as: expected --publish with it$'
run "$experiments/accuracy" --dry-run --publish --as ../twice
expect_trouble "^tools/experiments/accuracy: --as: '\.\./twice' is no name of small letters, digits and hyphens$"
# Warm-ups are the workload's, the user's, or the papers'.
run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC
expect_text out '^burn-single_50_CDC_1: .*, warm-up 1 s, '
run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC --full
expect_text out ', warm-up 180 s, '
run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC --full --warm-up 7
expect_text out ', warm-up 7 s, '
run "$experiments/accuracy" --dry-run -w burn-single,burn-parallel -l 50 -s CDC --warm-up 3 -u burn-parallel=9
expect_text out '^burn-single_50_CDC_1: .*, warm-up 3 s, '
expect_text out '^burn-parallel_50_CDC_1: .*, warm-up 9 s, '
run "$experiments/accuracy" --dry-run -w burn-single --warm-up burn-parallel=9
expect_trouble "^tools/experiments/accuracy: --warm-up: 'burn-parallel' is none of burn-single$"
run "$experiments/accuracy" --dry-run -w burn-single --warm-up burn-single=9,10
expect_trouble "^tools/experiments/accuracy: --warm-up: '10': expected WORKLOAD=SECONDS$"
mkdir slow
cat >slow/slow.workload <<'END'
summary = is warm late
class = single-threaded
command = exec true {records}
records = own
warmup = 1M30s500ms
END
SHOWSTOPPER_WORKLOADS=$work/slow run "$experiments/accuracy" --dry-run -w slow -l 50 -s CDC
expect_text out '^slow_50_CDC_1: .*, warm-up 90\.5 s, '
expect_text out '^1 runs, 1 min [0-9]+ s$'
run "$experiments/accuracy" --warm-up soon
expect_trouble "^tools/experiments/accuracy: --warm-up: 'soon' is no whole number from 0"
# Times have units where they are given, and what is missing is said before anything is run.
run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC --time 1M5s -u burn-single=500ms -c 3s
expect_trouble "^tools/experiments/accuracy: --warm-up: '500ms' is no whole number from 0 of seconds, such as 90, 90s or 1M30s$"
run "$experiments/accuracy" --dry-run -w burn-single -l 50 -s CDC --time 1M5s -u burn-single=2000ms -c 3s
expect_text out '^burn-single_50_CDC_1: .*, warm-up 2 s, 65 s with '
expect_text out '^1 runs, 1 min 11 s$'
run env -u DACAPO_JAR "$experiments/accuracy" --dry-run -w dacapo-fop -l 50 -s CDC
expect_status 0
expect_text err "^workload dacapo-fop: missing: (.*, )?[$]DACAPO_JAR\$"
run "$experiments/accuracy" --targets 25,x
expect_trouble "^tools/experiments/accuracy: --targets: 'x' is no load in percent"
run "$experiments/accuracy" --settings CDC,nothing
expect_trouble "^tools/experiments/accuracy: --settings: 'nothing' is none of "
run "$experiments/traces" --targets 25
expect_trouble "^tools/experiments/traces: unexpected argument '--targets'"
run "$experiments/traces" --times 90,0
expect_trouble "^tools/experiments/traces: --times: '0' is no whole number from 1"
run "$experiments/traces" --levels stairs
expect_trouble "^tools/experiments/traces: --levels: invalid choice: 'stairs' \(choose from .*hold"
run "$experiments/traces" --dry-run -w burn-single
expect_text out ' -T \.\./\.\./nine-levels\.trace,speed='
run "$experiments/fastforward" --dry-run -w burn-single --levels hold
expect_text out ' -T \.\./\.\./nine-levels-hold\.trace,speed='
run "$experiments/accuracy" --simulate
expect_trouble "^tools/experiments/accuracy: unexpected argument '--simulate'"
for value in quantum=1m D.quantum D.quantum= 'D.quantum=1m 2m' X.quantum=1m d=a,,b; do
	run "$experiments/sweep" --vary "$value"
	expect_trouble "^tools/experiments/sweep: --vary: '.*': expected an option and its values"
done
run "$experiments/sweep" --vary d=./mine/spread.so
expect_trouble "^tools/experiments/sweep: --vary: .* can't be part of a label"
run "$experiments/sweep" --vary n=1,2 --vary n=3
expect_trouble '^tools/experiments/sweep: --vary: n is given twice'
run "$experiments/sweep" --dry-run --simulate -w burn-single --in native,lxc
expect_trouble '^tools/experiments/sweep: --in: what is simulated runs in sssim alone$'
run "$experiments/sweep" --simulate --workloads fop
expect_trouble "^tools/experiments/sweep: --workloads: 'fop' can't be simulated"

# Each value with each, the options of a module in one word.
run "$experiments/sweep" --dry-run -w burn-single -l 50 -v D.quantum=50m,83m -v c=deficit,rbpid -v D.least=1m,2m -v n=3
expect_status 0
expect_lines out 9
expect_text out '^burn-single_50_D\.quantum=50m\+c=rbpid\+D\.least=2m\+n=3_1: 3 instances .* -T 50% .*-c rbpid -D quantum=50m,least=2m$'

# ---- A simulated batch --------------------------------------------------------------------------------------------------------

runs_in() {
	find "$1/runs" -mindepth 1 -maxdepth 1 | sed 's,.*/,,' | sort
}
sweep() {
	run "$experiments/sweep" --simulate -B "$build" -w burn-single,burn-parallel -l 50 -t 20 -v D.quantum=67m,107m -v C.horizon=100m,300m "$@"
}
sweep -o swept
expect_status 0
[ "$(runs_in swept | wc -l)" -eq 8 ] || fail "$what: $(runs_in swept | wc -l) runs of 8"
[ "$(wc -l <swept/joblog)" -eq 9 ] || fail "$what: joblog has $(wc -l <swept/joblog) lines"
awk -F '\t' 'NR > 1 && (NF != 9 || $1 != NR - 1 || $3 !~ /^[0-9]+\.[0-9]+$/ || $7 != 0 || $8 != 0) { exit 1 }' swept/joblog ||
	fail "$what: joblog is not as GNU parallel writes it"
expect_text swept/sweep.md '^\| 67m \| [0-9.]+ \| [0-9.]+ \|$'
expect_text swept/sweep.md '^Lowest mean MSE: '
expect_text swept/sweep.html '^<table>$'
expect_text swept/sweep.html '^</html>$'
mkdir theirs
echo mine >theirs/joblog
sweep -o theirs
expect_trouble '^tools/experiments/sweep: .*theirs is there and not empty, and none of ours \(it has no runs\.tsv\): expected another --output$'
[ "$(ls theirs) $(cat theirs/joblog)" = 'joblog mine' ] || fail "$what: $(ls theirs)"
cp -r swept before
sweep -o swept
expect_trouble '^tools/experiments/sweep: .*swept holds a batch; --resume goes on with it'
sweep -o swept --resume
expect_status 0
cmp -s swept/joblog before/joblog || fail "$what: repeated what was complete"
sweep -o swept --resume -n 2
expect_trouble '^tools/experiments/sweep: .*swept was begun with other options'
rm -r swept/runs/burn-parallel_50_D.quantum=107m+C.horizon=100m_1
sweep -o swept --resume
expect_status 0
expect_lines out 2
[ "$(wc -l <swept/joblog)" -eq 10 ] || fail "$what: joblog has $(wc -l <swept/joblog) lines"
for file in accuracy.csv sweep-all.csv; do
	cmp -s "swept/$file" "before/$file" || fail "$what: another $file than that of one run"
done

# A batch that never ran, as its nodes were busy, say, is begun anew, also with other options.
rm -r before
cp -r swept before
rm -r before/runs/*
sweep -o before -n 2
expect_status 0
[ "$(runs_in before | wc -l)" -eq 16 ] || fail "$what: $(runs_in before | wc -l) runs of 16"

# Repeats have an interval of confidence.
run "$experiments/sweep" --simulate -B "$build" -w burn-single -l 50 -t 12 -v D.quantum=67m -n 2 -o repeated
expect_status 0
expect_text repeated/sweep.md '^\| burn-single 50 D\.quantum=67m \| 2 (\| -?[0-9.]+ \(-?[0-9.]+ to -?[0-9.]+\) ){2}\| 2 (\| -?[0-9.]+ \(-?[0-9.]+ to -?[0-9.]+\) ){2}\|$'
# Of few samples their number stands there, as in other tables.
run "$experiments/sweep" --simulate -B "$build" -w burn-single -l 50 -t 3 -v D.quantum=67m -n 2 -o few
expect_status 0
expect_text few/sweep.md '^\| burn-single 50 D\.quantum=67m \| 2 \| [0-9]+ samples \| [0-9]+ samples \| 2 \| [0-9]+ samples \| [0-9]+ samples \|$'

# A batch is simulated or not; and simulated ones wait for none but themselves.
run "$experiments/sweep" -B "$build" -w burn-single,burn-parallel -l 50 -t 20 -v D.quantum=67m,107m -v C.horizon=100m,300m -o swept --resume
expect_trouble '^tools/experiments/sweep: .*swept was begun with other options'
exec 8<swept/runs.tsv
flock 8
sweep -o swept --resume
expect_trouble '^tools/experiments/sweep: another experiment in .*swept is running'
exec 8<&-

# What there will be too few samples for is said before anything is run.
run "$experiments/latency" -w burn-single --services burn-service --schemes machine -l 0,30,60,90 -t 8 --dry-run
expect_text err '^latency: each run is made once, so that tables have no intervals over repeats \(--repeat N\)$'
expect_text err '^latency: burn-service: 80 requests count at each load, and p99 needs 100 \(--time, --rates\)$'

finish
