#!/bin/sh
# SPDX-License-Identifier: MIT
# Figures in documents say where they come from, and the programs that measure them can write them there: each of tools/bench does so here, in a
# run that is much too short for its figures to mean anything, into drafts.
# shellcheck disable=SC2016 # Markdown
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH PUBLISH_ROOT
limit=120
check=$source/tests/cli/figures.awk

# ---- The documents ------------------------------------------------------------------------------------------------------------

for document in README.md tools/bench/README.md tests/README.md tools/experiments/README.md traces/README.md modules/README.md; do
	awk -f "$check" "$source/$document" >faults
	[ ! -s faults ] || { fail "$document:"; cat faults; }
done

# The check itself. It fails on each of these, and on nothing of what follows.
heading='<sub>Revision cf49142, 2026-11-20, 2 processors (X), Linux 6.18.44, a virtual machine (kvm), accounting tick: `tools/bench/trees --publish`</sub>'
faulty() { # WHAT TEXT, with HEADING for a good one
	printf '%b\n' "$2" | sed "s#HEADING#$heading#" >sample.md
	awk -f "$check" sample.md >faults
	grep -q "$1" faults || { fail "the check does not say '$1' of:"; cat sample.md; }
}
faulty 'a figure outside' '| `single` | +0.07 |'
faulty 'a figure outside' '| `single` | −3 |'
faulty 'a figure outside' '| `single` | +3, 12 |'
faulty 'a figure outside' '| mean (-4) | x |'
faulty 'a figure outside' '| 95.9 % | x |'
faulty 'a figure outside' '<!-- a: begin -->\n| +1 |\n\nHEADING\n<!-- a: end -->\n\n| +1 |'
faulty "a doesn't end with" '<!-- a: begin -->\n\n| +1 |\n<!-- a: end -->'
faulty "a doesn't end with" '<!-- a: begin -->\n| +1 |\n\n<sub>Revision cf49142, 2026-11-20</sub>\n<!-- a: end -->'
faulty "a doesn't end with" '<!-- a: begin -->\nHEADING\n\n| +1 |\n<!-- a: end -->'
faulty "a doesn't end with" '<!-- a: begin -->\n<!-- a: end -->'
faulty 'a has no table' '<!-- a: begin -->\nHEADING\n<!-- a: end -->'
faulty 'has more' '<!-- a: begin -->\nnot measured yet\n| +1 |\n<!-- a: end -->'
faulty 'a has no end' '<!-- a: begin -->\n| +1 |\n\nHEADING'
faulty 'which has not begun' '| a |\n<!-- a: end -->'
faulty 'a second block' '<!-- a: begin -->\nnot measured yet\n<!-- a: end -->\n<!-- a: begin -->\nnot measured yet\n<!-- a: end -->'
for good in '| `0-7,16-23` | 0-7 | from-to | 114 min | burn-single |' '<!-- a: begin -->\n\n| +1 |\n\nHEADING\n\n<!-- a: end -->' \
	"<!-- a: begin -->\n| +1 |\n\n$(printf %s "$heading" | sed 's/tick/&, 1.50 % of its busy time stolen, sources 0a1b (src tools)/')\n<!-- a: end -->" \
	'Text with +1.5 pp.' '<!-- a: begin -->\nnot measured yet\n<!-- a: end -->'; do
	printf '%b\n' "$good" | sed "s#HEADING#$heading#" >sample.md
	awk -f "$check" sample.md >faults
	[ ! -s faults ] || { fail "the check finds faults in:"; cat sample.md faults; }
done

# ---- publish-all --------------------------------------------------------------------------------------------------------------

if ! git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	echo "this is no git checkout: what is published is not looked at"
	finish
fi
all=$source/tools/bench/publish-all
run "$all" --nonsense
expect_trouble "^tools/bench/publish-all: unexpected argument '--nonsense'"
# A name that is none would have measured nothing, or have found nothing stale.
for how in --dry-run --stale --quick; do
	run "$all" "$how" --only trees,bandwidth
	expect_trouble "^tools/bench/publish-all: --only: 'bandwidth' is none of example, peers,.* experiments-bandwidth,"
done
run "$all" --dry-run
expect_status 0
sed -n 's/^ *[0-9]* min  //p' out >commands
expect_text commands '^tools/experiments/fastforward .* --settings PI-even,PI-even[+] .* --output results/publish-[^ ]*/fastforward '
run "$all" --quick --dry-run
expect_text out '^39 programs, about ([0-9]|[1-9][0-9]|1[01][0-9]) minutes$'
sed -n 's/^ *[0-9]* min  //p' out >quick
for list in commands quick; do
	grep -Ev '^(tools/[a-z/-]+|tests/vm/run).* --publish$' "$list" && fail "$what: odd commands"
	sed 's,^tests/vm/run .*exact.*,vm-exact,; s,^tools/bench/soak --seed \([0-9]*\) .*,soak-\1,; s,^tools/bench/faults --ledger .*,ledger,; s,^tools/experiments/throughput .*--by .*,experiments-bandwidth,; s,^tools/experiments/.* --as \([a-z0-9-]*\) .*,experiments-\1,; s/ .*//; s,^tools/bench/,,; s,^tools/experiments/findings,findings,; s,^tools/experiments/,experiments-,; s,^tools/,,; s,^tests/vm/run$,vm,' "$list" | sort >names
	{
		printf '%s\n' example findings
		sed -n 's/^<!-- \(.*\): begin -->$/\1/p' "$source/tools/bench/README.md" "$source/tests/vm/README.md"
	} | sort >blocks
	cmp -s names blocks || { fail "programs of publish-all, and blocks of the documents:"; diff names blocks; }
done
# What is made of others' figures comes with them.
run "$all" --dry-run --only experiments-traces
expect_text out '^2 programs, '
expect_text out '^ *[0-9]* min  tools/experiments/findings --publish$'
run "$all" --dry-run --only peers,example
expect_text out '^ *[0-9]* min  tools/bench/closer results/publish-[^ ]*/peers --publish$'
expect_text out '^3 programs, '
run "$all" --dry-run --only trees
expect_text out '^1 programs, '
# What has no room for its block says so before it measures.
mkdir -p bare/tools/bench bare/tools/experiments bare/tests/vm
touch bare/README.md bare/tools/bench/README.md bare/tools/experiments/README.md bare/tests/vm/README.md
while read -r program _; do
	run "$source/$program" --help
	expect_text out '^ +--publish '
	PUBLISH_ROOT=$work/bare run "$source/$program" --publish
	expect_trouble '--publish: .* needs the lines <!-- [a-z0-9-]+: begin --> and '
done <commands
PUBLISH_ROOT=$work/bare run "$all" --quick
expect_trouble '^tools/bench/publish-all: --publish: .*/README\.md needs the lines <!-- example: begin -->'

# ---- Published ----------------------------------------------------------------------------------------------------------------

mkdir -p draft/tools/bench
cp "$source/README.md" draft/README.md
cp "$source/tools/bench/README.md" draft/tools/bench/README.md
PUBLISH_ROOT=$work/draft
export PUBLISH_ROOT
publishes() { # BLOCK ROWS COMMAND...
	block=$1 rows=$2
	shift 2
	run "$@" --publish
	case $status in 0 | 1 | 3) ;; *) expect_status 0 ;; esac
	expect_text out "^published: $work/draft/tools/bench/README\.md, $block\$"
	awk -v block="$block:" '$1 == "<!--" && $2 == block { inside = $3 == "begin" } inside' draft/tools/bench/README.md >found
	[ "$(grep -c '^|' found)" -ge "$rows" ] || { fail "$what: fewer than $rows lines in the table:"; cat found; }
	expect_text found '^<sub>Revision [^,]+, .*: `tools/.* --publish`</sub>$'
}
publishes trees 3 "$source/tools/bench/trees" -B "$build" --force -s 2 -p 1 -t 1 -w 1
# What it depends on hasn't changed since, but for what is not committed; and with another hash it has.
run "$all" --stale --only trees
expect_status 0
expect_lines out 0
sed -i '/tools.bench.trees/s/, sources [0-9a-f]*/, sources 0123456789ab/' draft/tools/bench/README.md
run "$all" --stale --only trees
expect_status 1
expect_text out '^tools/bench/README\.md: trees: what it depends on has changed since '
publishes scale 5 "$source/tools/bench/scale" -B "$build" -q -p 2,16 -T 50 -t 5 -s idle
expect_text found '^\| 16 \| 64 \| 1 \| `idle` \| [+-]0\.[0-9]+ \(50 %\) \| [0-9.]+ \(50 %\) \| 0\.[0-9]+ \| 0\.[0-9]+ \| (yes|no) \|$'
expect_text found '^An executor among four times as many costs [0-9.]+ to [0-9.]+ times as much\.$'
publishes stop-latency 3 "$source/tools/bench/stop-latency" -B "$build" -n 2 -k single
publishes own-cost 3 "$source/tools/bench/own-cost" -B "$build" -n 1 -T 50 -t 1 -r 1
if [ -x "$build/ssrequest" ] && ! ssburn --listen 0 --time 0 2>&1 | grep -q 'built without'; then
	publishes queues 3 "$source/tools/bench/queues" -B "$build" --force -q M/M/2 -u 20 -t 2 -s 5
	expect_text found '^\| M/M/2 \| 20 % \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 5\.208 \| [0-9.]+ \| [0-9.]+ \| [+-][0-9.]+ ± [0-9.]+ \| [0-9.]+ \| (yes|no) \|$'
else
	missing libmicrohttpd-dev queues
fi
if showstopper -a freezer -T 50% --dry-run true >/dev/null 2>&1; then
	publishes actuators 4 "$source/tools/bench/actuators" -B "$build" -p 4 -t 1 -r 1
	for actuator in signals freezer quota; do
		showstopper -a $actuator -T 50% --dry-run true >/dev/null 2>&1 || continue
		expect_text found "^\\| .$actuator. \\| [+-][0-9]+\\.[0-9]{2} (\\| -?[0-9]+\\.[0-9]+ ){8}\\|\$"
	done
fi
publishes cores 3 "$source/tools/bench/cores" -B "$build" -t 5 -m '^8.single.linux'
publishes soak-2 6 "$source/tools/bench/soak" -B "$build" -S 2 -t 8 -e 1 -n 1
publishes validate 3 "$source/tools/bench/validate" -B "$build" --force -t 5 -m sleepy -o validate
publishes faults 4 "$source/tools/bench/faults" -B "$build" -n 2
# The ledger goes on where it stopped, with another seed, and doesn't count what ran on other sources.
if git -C "$source" diff --quiet HEAD -- . ':(exclude)*.md'; then
	publishes ledger 3 "$source/tools/bench/faults" -B "$build" -n 2 -b 1 -S 7 --ledger kept/ledger.csv
	expect_status 0
	expect_text out '^None of 2 trials failed\. Where 0\.0003 of all did, so few would have with a probability of 0\.5 or more, which is too much to say that fewer do\.$'
	expect_text out "^Made from $(date +%Y)-[0-9-]* to $(date +%Y)-[0-9-]*, at $(git -C "$source" rev-parse --short HEAD)[0-9a-f]*\.\$"
	[ "$(cut -d, -f7-10 kept/ledger.csv | tail -n +2 | tr '\n' ' ')" = '7,1,0,0 8,1,0,0 ' ] || { fail "$what: another ledger:"; cat kept/ledger.csv; }
	sed -i 's/^\([^,]*,[^,]*\),[^,]*\(.*,7,1,0,0\)$/\1,other\2/' kept/ledger.csv
	run "$source/tools/bench/faults" -B "$build" -n 3 -b 2 -S 7 --ledger kept/ledger.csv
	expect_text out '^None of 3 trials failed'
	expect_text kept/ledger.csv ',9,2,[0-9]+,0$'
	# 10,000 clean ones, and one that failed.
	sed -i 's/,8,1,0,0$/,8,9998,0,0/' kept/ledger.csv
	run "$source/tools/bench/faults" -B "$build" -n 3 --ledger kept/ledger.csv
	expect_text out '^None of 10000 trials failed\. .* a probability of 0\.05, so at 95 % fewer than 0\.0003 of all fail\.$'
	sed -i 's/\(,9,2,[0-9]*\),0$/\1,1/' kept/ledger.csv
	run "$source/tools/bench/faults" -B "$build" -n 3 --ledger kept/ledger.csv
	expect_status 1
	expect_text out '^1 of 10000 trials failed\. .*, which is too much to say that fewer do\.$'
	run "$source/tools/bench/faults" -B "$build" --ledger kept/ledger.csv --user no-such-user
	[ "$(id -u)" -ne 0 ] || expect_trouble "^tools/bench/faults: --user: there is no user 'no-such-user' here\$"
fi
publishes peers 5 "$source/tools/bench/peers" -B "$build" --force -m quick -w single -t default -l 5 -o peers
expect_text draft/README.md '^\| Showstopper \| [0-9.]+ \| [0-9.]+ \| [0-9.]* \| [0-9.]* \| [0-9]+ \|$'
# Not what was measured at another revision.
sed -i 's/^revision: .*/revision: 0000000/' peers/machine.txt
run "$source/tools/bench/peers" -B "$build" --force -m quick -w single -t default -l 5 -o peers --publish
expect_trouble '^tools/bench/peers: --publish: .* was begun with another revision than '
for document in README.md tools/bench/README.md; do
	awk -f "$check" "draft/$document" >faults
	[ ! -s faults ] || { fail "$document, published:"; cat faults; }
done

finish
