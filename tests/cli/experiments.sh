#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments: reports, and batches that are interrupted and go on.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
limit=120
experiments=$source/tools/experiments

runs_in() {
	find "$1/runs" -mindepth 1 -maxdepth 1 | sed 's,.*/,,' | sort
}

# With real workloads; interrupted after the first run, killed after the third, and then left alone.
cat >accuracy <<'END'
#!/bin/sh
exec "$SHOWSTOPPER_SOURCE/tools/experiments/accuracy" -B "$SHOWSTOPPER_BUILD" -w burn-single,burn-parallel -l 50 -s N-bench,CDC,default -t 2 -c 0 \
	--force -o interrupted "$@"
END
chmod +x accuracy
start_background ./accuracy
has_runs() {
	[ "$(runs_in interrupted 2>/dev/null | grep -vc '\.part$')" -ge "$1" ]
}
wait_until has_runs 1
kill -TERM "$background"
wait_background
expect_status 143
expect_text err 'interrupted; --resume goes on$'
start_background ./accuracy --resume
wait_until has_runs 3
kill -KILL "$background"
wait_background
# What it was doing ends by itself, within the length of a run; until then the next one waits in vain for the lock.
free() {
	run ./accuracy --resume
	[ "$status" -ne 125 ]
}
wait_until free
expect_status 0
[ "$(runs_in interrupted | wc -l)" -eq 6 ] || fail "$what: runs are $(runs_in interrupted | tr '\n' ' ')"
"$experiments/accuracy" --dry-run -w burn-single,burn-parallel -l 50 -s N-bench,CDC,default | sed -n 's/: .*//p' | sort >expected
runs_in interrupted | cmp -s - expected || fail "$what: not the runs of a batch that is left alone"
for label in $(runs_in interrupted); do
	for file in command log.csv record.json record.csv run.json uptime; do
		[ -s "interrupted/runs/$label/$file" ] || fail "$what: $label has no $file"
	done
done
expect_text interrupted/accuracy.md '^\| 50 % \| .* \| .* \| .* \|$'
expect_text interrupted/accuracy.md '^\| paper: fop \| \+9\.47 \| 95\.20 \| \+0\.13 \| 7\.54 \|  \|  \|( [0-9.]* \|)?$'
expect_text interrupted/accuracy.md '^Rows that begin with paper: have what Table 1 of paper 000 says '
expect_text interrupted/accuracy.html 'target \(black\) and load \(blue\) over time at 50 %'
expect_no_text interrupted/accuracy.md 'have no whole instances for 50 %'
expect_text interrupted/machine.txt '^processors: '

# Its tables published into a draft, and not when another revision made the runs.
if git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	mkdir -p draft/tools/bench
	cp "$source/tools/bench/README.md" draft/tools/bench/README.md
	export PUBLISH_ROOT="$work/draft"
	run ./accuracy --report --publish
	expect_status 0
	awk '/^<!-- experiments-accuracy: begin/, /^<!-- experiments-accuracy: end/' draft/tools/bench/README.md >published
	# shellcheck disable=SC2016 # Markdown
	expect_text published '^<sub>Revision .*: `tools/experiments/accuracy .* --report --publish`</sub>$'
	expect_text published '^#### burn-single \(single-threaded\)$'
	expect_text published '^\| 50 % \| .* \| .* \| .* \|$'
	expect_no_text published '^(# |## |!\[|not measured yet|.*runs are complete)'
	awk -f "$source/tests/cli/figures.awk" draft/tools/bench/README.md >faults
	[ ! -s faults ] || { fail "$what:"; cat faults; }
	kept=draft/tools/experiments/measured/accuracy-native
	cmp -s interrupted/accuracy.csv "$kept/accuracy.csv" || fail "$what: another accuracy.csv is kept"
	# shellcheck disable=SC2016 # Markdown
	expect_text "$kept/about.md" '^Revision .*: `tools/experiments/accuracy .* --report --publish`$'
	# Under another name, beside that.
	run ./accuracy --report --publish --as twice
	expect_trouble '--publish: .* needs the lines <!-- experiments-twice: begin -->'
	echo '<!-- experiments-twice: begin -->
<!-- experiments-twice: end -->' >>draft/tools/bench/README.md
	run ./accuracy --report --publish --as twice
	expect_status 0
	expect_text out '^published: .*/tools/bench/README\.md, experiments-twice$'
	cmp -s interrupted/accuracy.csv draft/tools/experiments/measured/twice-native/accuracy.csv || fail "$what: another accuracy.csv is kept"
	run "$experiments/accuracy" -B "$build" -w burn-single,burn-parallel -l 50 -s N-bench,CDC -t 2 -c 0 -o interrupted --report --publish
	expect_trouble '^tools/experiments/accuracy: interrupted was begun with other options; repeat them, or choose another --output$'
	mv interrupted/runs/burn-parallel_50_CDC_1 held-back
	run ./accuracy --report --publish
	expect_trouble '^tools/experiments/accuracy: --publish: 1 runs of .*/interrupted are missing; --resume makes them$'
	mv held-back interrupted/runs/burn-parallel_50_CDC_1
	cp interrupted/revision revision
	echo 0000000 >interrupted/revision
	run ./accuracy --report --publish
	expect_trouble '^tools/experiments/accuracy: --publish: interrupted was begun with revision 0000000, and what measures is another now'
	cp revision interrupted/revision
	sed -i 's/^kernel: .*/kernel: Linux 2.4/' interrupted/machine.txt
	run ./accuracy --report --publish
	expect_trouble '^tools/experiments/accuracy: --publish: interrupted was measured on another machine or kernel than this$'
	# A batch that has no block.
	run "$experiments/sweep" --publish -o unpublished
	expect_trouble '--publish: .* needs the lines <!-- experiments-sweep: begin -->'
	unset PUBLISH_ROOT
fi

# Elsewhere it doesn't go on.
sed -i 's/^kernel: .*/kernel: Linux 2.4/' interrupted/machine.txt
rm -r "interrupted/runs/$(runs_in interrupted | head -n 1)"
sed 's/--force//' accuracy >unforced
chmod +x unforced
run ./unforced --resume
expect_trouble '^tools/experiments/accuracy: .*interrupted was begun on another machine or kernel \(.*machine\.txt\); --force goes on all the same$'

# A workload that ends or fails makes the run fail, and the batch goes on.
cat >short.workload <<'END'
summary = ends
class = single-threaded
command = : >{records}; exec true
records = own
END
run "$experiments/accuracy" -B "$build" -w "$work/short.workload" -l 50 -s CDC,default -t 2 -c 0 --force -o failing
expect_trouble '^tools/experiments/accuracy: --workloads: .*: expected a name without / and _'
mkdir catalogue
mv short.workload catalogue
export SHOWSTOPPER_WORKLOADS="$work/catalogue"
run "$experiments/accuracy" -B "$build" -w short,burn-single -l 50 -s default -t 2 -c 0 --force -o failing
expect_status 1
expect_text out 'short_50_default_1 failed with status 1: a workload ended before the run did'
expect_text failing/accuracy.md '^1 of 2 runs are complete'

# So does what could not be recorded: iterations, as their records say or whoever wrote them, and rows of the log. The record is a stand-in's that
# had a full disk.
cat >catalogue/marked.workload <<'END'
summary = has lost records
class = single-threaded
command = printf 'instance,iteration,start_s,end_s\n0,,1,2\n' >{records}; exec sleep 100
records = own
END
cat >catalogue/lossy.workload <<'END'
summary = loses records
class = single-threaded
command = : >{records}; echo 'ssburn: x: iteration records are being lost: No space left on device' >&2; exec sleep 100
records = own
END
run "$experiments/accuracy" -B "$build" -w marked,lossy -l 50 -s default -t 2 -c 0 --force -o lost
expect_text out '^marked_50_default_1 failed with status 1: iteration records are missing in iterations\.0*\.csv$'
expect_text out '^lossy_50_default_1 failed with status 1: iteration records were lost$'
mkdir stand_in
ln -s "$build"/* stand_in/
rm stand_in/showstopper
cat >stand_in/showstopper <<END
#!/bin/sh
"$build/showstopper" "\$@" || exit
[ ! -e record.csv ] || awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if (\$i == "log_missing_s") at = i } NR == 2 { \$at = 0.5 } { print }' record.csv >new.csv
[ ! -e new.csv ] || mv new.csv record.csv
END
chmod +x stand_in/showstopper
run "$experiments/accuracy" -B "$work/stand_in" -w burn-single -l 50 -s default -t 2 -c 0 --force -o holes
expect_text out '^burn-single_50_default_1 failed with status 1: rows of the log are missing$'

# A record is made once, and replayed by each workload; what is left of a batch replays the same.
record() {
	# shellcheck disable=SC2086 # none or one
	run "$experiments/replay" -B "$build" -w burn-single -s xz -t 2 -n 2 -c 0 --force -o recorded $1
}
record ""
expect_status 0
expect_text out '^recording xz for 2 s$'
expect_lines recorded/xz.csv 3
run sstrace --from cpuload --text recorded/xz.csv
mv out imported
run sstrace --text recorded/xz.trace
cmp -s out imported || fail "$what: its trace is not that of the record"
expect_text recorded/replay.md '^\| burn-single \| 1 s \| 4 \| 4 samples \| 4 samples \|'
expect_no_text recorded/replay.md '^\| burn-single \| 10 s '
expect_text recorded/replay.md 'Not to be told of so few: burn-single: mean error, burn-single: MSE\.$'
[ -s recorded/load-xz.svg ] || fail "$what: no picture"
cp recorded/xz.csv recorded/before.csv
rm -r recorded/runs/*_2
record --resume
expect_status 0
expect_no_text out '^recording'
expect_text out '^\[2/2\] burn-single_xz_default_2'
cmp -s recorded/xz.csv recorded/before.csv || fail "$what: recorded again"
run "$experiments/replay" --record nothing
expect_trouble "^tools/experiments/replay: --record: 'nothing' is none of builds, xz$"

# The runs of traces are those of fastforward, too.
replay() {
	# shellcheck disable=SC2086 # none or one
	run "$experiments/$1" -B "$build" -w burn-single -s PI-even -T 3,2 -c 0 --force -o replayed $2
}
replay traces ""
expect_status 0
expect_text replayed/traces.md '^\| 2 \| [34] samples \| [34] samples \|( [0-9.]* \|)?$'
expect_text replayed/traces.md '^Rows that begin with paper: have what Table 2 of paper 000 says '
expect_text replayed/traces.md '^\| paper: fop in 90 to 1620 s \| \+0\.01 to \+0\.06 \| 2\.88 to 5\.11 \|( [0-9.]* \|)?$'
expect_text replayed/traces.md '^In [0-2] of [0-2] runs under control the mean load was within 5 % of the target .*\)\.( All samples of [12] more met bursts of others, .*)?$'
replay fastforward --resume
# Where others leave a workload no time at all there is no throughput.
if grep -qs 'no iteration ended' err replayed/fastforward.md; then
	left_out 'no workload ended an iteration beside what else runs here'
else
	expect_status 0
	expect_lines out 1
	expect_text replayed/fastforward.md '^\| 3 \| [0-9.]+( \(1\.000\))? \|( [0-9.]* \|)?$'
	expect_text replayed/fastforward.md '^\| paper: fop in 90 s \| 136\.0 \(1\.046\) \|( [0-9.]* \|)?$'
	expect_text replayed/fastforward.md '^\| paper: fop on AIX in 90 s \| 135\.0 \(0\.794\) \|( [0-9.]* \|)?$'
fi
# Held levels are none of the paper's.
run "$experiments/traces" -B "$build" -w burn-single -s PI-even -T 3,2 --levels hold -o replayed --report
expect_status 0
expect_text replayed/traces.md '^A trace of nine levels of 180 s each, with steps between them,'
expect_no_text replayed/traces.md '^\| paper: '

# Bursts of others, which the logs tell: in the first second of each, of no height, and not known.
expect_bursts() { # LOAD OF OTHERS, WHAT IS SAID
	for log in replayed/runs/*/log.csv; do
		awk -F, -v OFS=, -v others="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "others") at = i; if (!at) at = NF + 1; $at = "others" }
			NR > 1 { $at = others == "" || ($1 > 0.2 && $1 < 0.8) ? others : 0 } { print }' "$log" >with_others.csv
		mv with_others.csv "$log"
	done
	run "$experiments/traces" -B "$build" -w burn-single -s PI-even -T 3,2 -o replayed --report
	expect_status 0
	expect_text replayed/traces.md "$2"
}
expect_bursts 0.1 '^6 of 10 samples met a burst of others\. Without them:$'
[ "$(grep -Ec '^\| 2 \| [0-9]* samples? \| [0-9]* samples? \|( [0-9.]* \|)?$' replayed/traces.md)" -eq 2 ] || fail "$what: no table without bursts"
expect_bursts 0.01 '^None of 10 samples met a burst of others\.$'
expect_bursts '' '^What others did meanwhile is unavailable\.$'

# What is measured on a busy machine says so first, with the share of others beside each row.
sed -i 's/^load before the first run: .*/load before the first run: 97.0 %/' replayed/machine.txt
run "$experiments/traces" -B "$build" -w burn-single -s PI-even -T 3,2 -o replayed --report
expect_status 0
sed -n 3p replayed/traces.md >first
expect_text first '^\*\*The machine was busy: others took 97\.0 % of it before the first run\. '
grep -A 1 '^<h1>' replayed/traces.html >first
expect_text first '^<p class="warning">The machine was busy: '
expect_text replayed/traces.md '^\| replay_s \| PI-even: mean_error_pp \| PI-even: mse_pp2 \| others \(%\) \|$'
expect_text replayed/traces.md '^\| 2 \| [34] samples \| [34] samples \| [0-9.]+ \|$'
# And judges nothing of which there is no iteration.
for file in replayed/runs/*/iterations.*.csv; do sed -i '2,$d' "$file"; done
run "$experiments/fastforward" -B "$build" -w burn-single -s PI-even -T 3,2 -o replayed --report
expect_trouble '^tools/experiments/fastforward: no iteration ended in any run; --time makes runs longer$'

# A blank in the names of the checkout and of the output; and a run says as fields what it was.
ln -s "$source" "$work/a check out"
run "$work/a check out/tools/experiments/accuracy" -B "$build" -w burn-single -l 50 -s default -t 2 -u 0 -c 0 --force -o 'an output'
expect_status 0
expect_text 'an output/accuracy.md' '^1 of 1 runs are complete'
run jq -e '.fields == {workload: "burn-single", setting: "default", target: "50", repetition: 1, scheme: "", environment: "native", seed: null} and
	.status == "complete" and .exit_status == 0 and .end > .start and (.command | test("-T 50%"))' 'an output/runs/burn-single_50_default_1/run.json'
expect_status 0
# A run whose record doesn't say that it is complete is made again.
sed -i 's/"complete"/"failed"/' 'an output/runs/burn-single_50_default_1/run.json'
run "$experiments/accuracy" -B "$build" -w burn-single -l 50 -s default -t 2 -u 0 -c 0 --force -o 'an output' --report
expect_trouble '^tools/experiments/accuracy: no run is complete$'

# What is asked for twice, or is no name, is refused; and a busy machine is refused before anything is installed, built or written.
run "$experiments/accuracy" --dry-run -w burn-single,burn-single
expect_trouble '^tools/experiments/accuracy: (-w|--workloads): burn-single is given twice$'
run "$experiments/accuracy" --dry-run -w '*'
expect_trouble "^tools/experiments/accuracy: there is no workload '\*' "
mkdir -p checkout/tools
for part in "$source"/*; do [ "${part##*/}" = tools ] || [ "${part##*/}" = build ] || [ "${part##*/}" = results ] || ln -s "$part" checkout/; done
for part in "$source"/tools/*; do ln -s "$part" checkout/tools/; done
rm checkout/tools/setup checkout/tools/experiments checkout/tools/measure
cp -r "$source/tools/experiments" "$source/tools/measure" checkout/tools/
printf '#!/bin/sh\necho "$@" >>%s/installed\n' "$work" >checkout/tools/setup
chmod +x checkout/tools/setup
for _ in $(seq $((2 * $(nproc)))); do ssburn & burning="${burning-} $!"; done
run checkout/tools/experiments/accuracy --workloads burn-single -l 50 -s default -t 2 -u 0 -c 0
# shellcheck disable=SC2086 # numbers
kill $burning
expect_trouble '^tools/experiments/accuracy: the machine is busy \([0-9.]+ % before anything was started\); --force measures all the same$'
[ ! -e installed ] || fail "$what: installed $(cat installed)"
[ ! -e checkout/results ] || fail "$what: left $(find checkout/results)"
[ ! -e checkout/build ] || fail "$what: left $(find checkout/build)"
run checkout/tools/experiments/accuracy --workloads burn-single -l 50 -s default -t 2 -u 0 -c 0 -B "$build" --force
expect_status 0

# What is built is said, and where.
mkdir stubs
cat >stubs/cmake <<END
#!/bin/sh
[ "\$1" != --build ] || ln -s "$build"/* "\$2/"
END
chmod +x stubs/cmake
PATH=$work/stubs:$PATH run checkout/tools/experiments/sweep --simulate -w burn-single -l 50 -t 5 -v n=1 -o built
expect_status 0
expect_text err "^building Showstopper in $work/checkout/build/demo, as $work/checkout/build/demo/build\.log says$"

finish
