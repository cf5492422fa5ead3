#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/colocation: lists of pairs, what is refused, and a batch of pairs of two seconds with its report.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS HWLOC_SYNTHETIC HWLOC_XMLFILE
limit=120
colocation=$source/tools/experiments/colocation
if [ "$(nproc)" -lt 2 ]; then
	run "$colocation" --dry-run
	expect_trouble '^tools/experiments/colocation: two processors are needed, found one$'
	finish
fi

# ---- Lists and options --------------------------------------------------------------------------------------------------------

run "$colocation" --help
expect_status 0
expect_text out '^usage: tools/experiments/colocation '
run "$colocation" --dry-run
expect_status 0
expect_text out '^9 runs, 1[0-9] min [0-9]+ s$'
cp out ordered
run "$colocation" --dry-run --random 7
sort out >shuffled
sort ordered | cmp -s - shuffled || fail "$what: in random order there are other runs"
run "$colocation" --full --dry-run
expect_text out '^[0-9]+ runs, [0-9]+ h [0-9]+ min$'
run "$colocation" --targets 25
expect_trouble "^tools/experiments/colocation: unexpected argument '--targets'"
run "$colocation" --dry-run -w burn-single,burn-parallel -s 'packed,mine=0/1' -e 45 -t 60 -n 2
expect_status 0
expect_lines out 17
expect_text out '^burn-single_burn-parallel_packed_1: P/P instances of burn-single/burn-parallel, warm-up 30 s, 60 s with -t staircase -T from=95%,to=5%,step=45%,hold=10000m --log-interval 500m --log-power --when-one-ends=stop +: --free --pin packed --part 0/2 : --pin packed --part 1/2$'
expect_text out '^burn-parallel_burn-single_mine_2: .* : --free --cpus 0 : --cpus 1$'
# Without processors of its own the background is measured by its trees, and has half of the machine.
run "$colocation" --dry-run -w burn-single -s neutral -t 2
expect_text out ' -T from=47\.5%,to=2\.5%,step=7\.5%,.* -f workloads +: --free --pin neutral --part 0/2 : --pin neutral --part 1/2$'
run "$colocation" --dry-run -w burn-single -s 'dynamic:below=spread+above=packed+dwell=1s'
expect_text out '^burn-single_burn-single_dynamic_1: .* : --free --pin dynamic:below=spread,above=packed,dwell=1s : --pin dynamic$'
run "$colocation" --dry-run -w burn-single -s packed --base '-c rbpid -d averageq'
expect_text out ' -c rbpid -d averageq +: --free --pin packed --part 0/2 : --pin packed --part 1/2$'
run "$colocation" --dry-run --base '-c rbpid : true'
expect_trouble "^tools/experiments/colocation: --base: '-c rbpid : true' is more than options: expected no groups"
run "$colocation" --dry-run -s dynamic:below
expect_trouble "^tools/experiments/colocation: --schemes: 'dynamic:below': expected settings joined by"
run "$colocation" --dry-run --full -w burn-single -s per-core
expect_text out ' warm-up 600 s, 6840 s with .*step=5%,hold=180000m '
for list in nothing mine=0 mine=0/ mine=a/b 'mine=0/1;true' my_own=0/1 'a b=0/1'; do
	run "$colocation" --dry-run -s "$list"
	expect_trouble "^tools/experiments/colocation: --schemes: '.*': expected neutral, per-chip, .*, or NAME=LIST/LIST"
done
run "$colocation" --dry-run -w burn-single --outlier burn-parallel
expect_trouble "^tools/experiments/colocation: --outlier: 'burn-parallel' is none of burn-single$"
for step in 0 7 50 x ''; do
	run "$colocation" --dry-run -e "$step"
	expect_trouble "^tools/experiments/colocation: --step: '$step' is no step: expected per cent that divide the way from 95 to 5"
done
run "$colocation" --compare nowhere
expect_trouble '^tools/experiments/colocation: --compare: nowhere holds no batch'
run "$colocation" -B "$build" -w burn-single -s mine=0/7777 -t 2 -u 1 -F -o refused
expect_status 125
expect_text err "^showstopper: .*7777"
expect_text err "^tools/experiments/colocation: the processors can't be divided by mine$"

# ---- A batch ------------------------------------------------------------------------------------------------------------------

# Processors that this test may use, wherever it runs.
processors=$(awk '/^Cpus_allowed_list/ { n = split($2, part, ","); for (i = 1; i <= n; i++) { if (split(part[i], end, "-") < 2) end[2] = end[1]; for (p = end[1]; p <= end[2] && count < 2; p++) { printf "%s%s", count ? "/" : "", p; count++ } } }' /proc/self/status)
batch() {
	run "$colocation" -B "$build" -w burn-single,burn-parallel -s "mine=$processors" -e 45 -t 4 -u 1 -c 0 --force -o pairs "$@"
}
batch
expect_status 0
runs=$(find pairs/runs -mindepth 1 -maxdepth 1 -name '*_1' | wc -l)
[ "$runs" -eq 4 ] || fail "$what: $runs runs of 4"
for label in burn-single_burn-parallel_mine_1 burn-parallel_burn-single_mine_1; do
	for file in command log.csv record.csv; do
		[ -s "pairs/runs/$label/$file" ] || fail "$what: $label has no $file"
	done
done
expect_text pairs/runs/burn-single_burn-parallel_mine_1/command "--free --cpus ${processors%/*} -- sh -c .* : --cpus ${processors#*/} -- sh -c .*parallel"
expect_text pairs/colocation.md '^\| burn-single \| (-?[0-9.]+( a?p?)?)? \| (-?[0-9.]+( a?p?)?)? \|( [0-9.]* \|)?$'
expect_text pairs/colocation.md '^mine: (from -?[0-9.]+ \(burn-.* beside burn-.*\) to -?[0-9.]+ \(.*\); [0-4] of [1-4] pairs meet both criteria\.|unknown for all pairs, .*)$'
expect_text pairs/colocation.html '^</html>$'
expect_text pairs/colocation.md '^Unavailable: the logs have no power|iterations per watt-hour'
# Beside others it may happen that a workload ends no iteration, or never begins its records, which costs the pair its place.
[ "$(tail -n +2 pairs/interference.csv | wc -l)" -eq "$(wc -l <pairs/usable.txt)" ] || fail "$what: interference.csv has not a row per usable pair"
while read -r label; do
	for file in foreground.0.csv background.1.csv; do
		[ -s "pairs/runs/$label/$file" ] || fail "$what: $label has no $file"
	done
	fore=${label%%_*} back=${label#*_}
	back=${back%%_*}
	if [ "$fore" = "$back" ]; then
		expect_text pairs/colocation.md '^\| step \| target % \| mine \|$'
		expect_text pairs/colocation.md "^$fore, mine: from [0-9.]+ \(at a target of [0-9]+ %\) to [0-9.]+ \(at [0-9]+ %\) iterations per second\.$"
	fi
	for file in "foreground-$fore-$back" "background-$back-$fore" interference-mine timeline-mine; do
		[ -s "pairs/$file.svg" ] || fail "$what: there is no $file.svg"
	done
done <pairs/usable.txt
# The table's numbers are those of the file beside it.
awk -F, 'NR == FNR { for (i = 2; i <= NF; i++) if (FNR == 1) name[i] = $i; else value[$1, name[i]] = $i; next }
	FNR > 1 { expected = $5 == "" ? "" : sprintf("%.1f", $5); if (expected != "" && expected + 0 != value[$1, $2] + 0 || expected == "" && value[$1, $2] != "") exit 1; seen++ }
	END { if (!seen) exit 1 }' pairs/interference-mine.csv pairs/interference.csv || fail "$what: the table is not that of interference.csv"

rm pairs/runs/burn-parallel_burn-parallel_mine_1/background.1.csv
batch --report
expect_text err '^burn-parallel_burn-parallel_mine_1 is of no use: a workload ended no iteration'

# It goes on where it stopped, and compares itself with another batch.
rm -r pairs/runs/burn-parallel_burn-parallel_mine_1
batch
expect_trouble 'holds a batch; --resume goes on with it'
batch --resume
expect_status 0
[ "$(wc -l <pairs/joblog)" -eq 6 ] || fail "$what: joblog has $(wc -l <pairs/joblog) lines"
run "$colocation" -B "$build" -w burn-single,burn-parallel -s "mine=$processors" -e 45 -t 4 -u 1 -c 0 -o pairs --report --compare pairs --outlier burn-parallel
expect_status 0
# Beside others it may happen that in each pair there is a step in which no iteration ended.
if [ -e pairs/ratio.csv ]; then
	expect_text pairs/colocation.md '^\| burn-[a-z]* beside burn-[a-z]* \| mine \| 1 \| 1\.000 \| 1\.000 \| 1\.000 \|$'
	expect_text pairs/colocation.md '^The medians lie between 1\.000 and 1\.000\.$'
	expect_text pairs/ratio-mine.csv '^burn-[a-z]*,.*1\.000 1\.000\.\.1\.000'
	expect_text pairs/colocation.md '^\| burn-[a-z]* \|.* 1\.000 1\.000\.\.1\.000 \|'
	[ -s pairs/ratio-mine.svg ] || fail "$what: there is no ratio-mine.svg"
else
	expect_text pairs/colocation.md 'has none of these runs that could be compared\.$'
fi

# What is published of it, and of environments beside each other.
if git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	mkdir -p draft/tools/bench
	cp "$source/tools/bench/README.md" draft/tools/bench/README.md
	PUBLISH_ROOT=$work/draft batch --report --publish
	expect_status 0
	sed -n '/^<!-- experiments-colocation: begin/,/^<!-- experiments-colocation: end/p' draft/tools/bench/README.md >published
	expect_text published '^#### Interference, on the host, mine$'
	sed -n 's/,/ | /g; s/^burn-single .*/| & |/p' pairs/interference-mine.csv >row
	grep -qxFf row published || fail "$what: published isn't the report's row $(cat row)"
	# What else the report says of how its runs were made stands in the block as well.
	grep -E '^(The host of this virtual machine|\*\*The machine was busy)' pairs/colocation.md | while IFS= read -r line; do
		grep -qxF -- "$line" published || echo "$line"
	done >lacking
	[ ! -s lacking ] || fail "$what: the block lacks $(cat lacking)"
	awk -f "$source/tests/cli/figures.awk" draft/tools/bench/README.md >faults
	[ ! -s faults ] || { fail "$what:"; cat faults; }
	cmp -s pairs/interference.csv draft/tools/experiments/measured/colocation-native/interference.csv || fail "$what: another interference.csv is kept"
fi
# Schemes beside each other. Where others leave the workloads no time at all, no run is of use.
run "$colocation" -B "$build" -w burn-single -s "mine=$processors,back=${processors#*/}/${processors%/*}" -e 45 -t 4 -u 1 -c 0 --force -o schemes
if [ "$status" -eq 125 ] && grep -q 'no run is complete and of use$' err; then
	left_out 'no workload ended an iteration beside what else runs here'
else
	expect_status 0
	if [ "$(wc -l <schemes/usable.txt)" -eq 2 ]; then
		expect_text schemes/colocation.md '^\| step \| target % \| mine \| back \| back % \|$'
		expect_text schemes/colocation.md '^burn-single, mine: from [0-9.]+ \(at a target of [0-9]+ %\) to .* iterations per second; back: .* % of mine\.$'
		[ -s schemes/overall-burn-single-relative.svg ] || fail "$what: there is no relative picture"
	fi

	# What is published of one environment with two schemes is all of it, and what it doesn't replace stays.
	if git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		cp "$source/tools/bench/README.md" draft/tools/bench/README.md
		for kept in native lxc; do mkdir -p draft/tools/experiments/measured/colocation-$kept && echo kept >draft/tools/experiments/measured/colocation-$kept/about.md; done
		run env PUBLISH_ROOT="$work/draft" "$colocation" -B "$build" -w burn-single -s "mine=$processors,back=${processors#*/}/${processors%/*}" -e 45 -t 4 -u 1 \
			-c 0 -o schemes --report --publish
		expect_status 0
		sed -n '/^<!-- experiments-colocation: begin/,/^<!-- experiments-colocation: end/p' draft/tools/bench/README.md >published
		cut -d _ -f 3 schemes/usable.txt | sort -u >named
		while read -r scheme; do expect_text published "^#### Interference, on the host, $scheme\$"; done <named
		expect_text published '^- burn-single, .*: from .* iterations per second'
		cmp -s schemes/interference.csv draft/tools/experiments/measured/colocation-native/interference.csv || fail "$what: interference.csv isn't kept"
		[ "$(cat draft/tools/experiments/measured/colocation-lxc/about.md)" = kept ] || fail "$what: what was kept of containers is gone"
	fi

	# On a machine that measures its power.
	for log in schemes/runs/*/log.csv; do
		awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "power_w") power = i } NR > 1 { $power = 60 } { print }' "$log" >powered.csv
		mv powered.csv "$log"
	done
	run "$colocation" -B "$build" -w burn-single -s "mine=$processors,back=${processors#*/}/${processors%/*}" -e 45 -t 4 -u 1 -c 0 -o schemes --report
	expect_status 0
	if [ "$(wc -l <schemes/usable.txt)" -eq 2 ]; then
		expect_text schemes/colocation.md '^burn-single beside burn-single, iterations per watt-hour and per cent of mine, in each step:$'
		# 60 W are a watt-hour a minute.
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
			!($c["iterations_per_wh"] > 0) { seen++; next }
			{ e = $c["iterations"] / ($c["end_s"] - $c["start_s"]) * 60 / $c["iterations_per_wh"]; if (e < 0.99 || e > 1.01) exit 1; seen++ } END { exit !seen }' \
			schemes/efficiency-burn-single-steps.csv || fail "$what: another efficiency"
	fi
fi

# A foreground that ends makes the run fail.
mkdir catalogue
cat >catalogue/short.workload <<'END_OF_WORKLOAD'
summary = ends
class = single-threaded
command = : >{records}; exec sleep 0.5
records = own
END_OF_WORKLOAD
run env SHOWSTOPPER_WORKLOADS="$work/catalogue" "$colocation" -B "$build" -w short -s "mine=$processors" -e 45 -t 4 -u 1 -c 0 --force -o short
expect_status 125
expect_text out '^short_short_mine_1 failed with status 1: a workload ended before the run did'
expect_text err '^tools/experiments/colocation: no run is complete and of use'

finish
