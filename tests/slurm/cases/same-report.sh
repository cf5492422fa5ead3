# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: accuracy --quick ends in the same report on the cluster and on one processor here, but for its figures
# limit: 1800
limit=1000
set -- "$source/tools/experiments/accuracy" --quick -B "$build" --force -c 0 -u 0 -t 4
run "$@" --slurm -o there
expect_status 0
run taskset -c "$(processor_of n1)" "$@" -o here
expect_status 0
form() { # of a report: without figures, how many of them there are, and what is said where samples met bursts of others
	sed '/^## What it was run on/,$d; /^|.* calm_/,/^$/d; s/ All samples of [0-9]* more met bursts .*//' "$1" |
		sed -E 's/[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/0/g; s/ \*+//g'
}
# Which figures are better is said in sentences that depend on them.
for of in here there; do form $of/accuracy.md | grep -Ev '^($|None of|0 of 0 samples|Without them|PI|geom|default)' >$of.form; done
diff here.form there.form >difference || fail "the reports differ: $(head -n 20 difference)"
[ "$(wc -l <here/accuracy.csv)" -eq "$(wc -l <there/accuracy.csv)" ] || fail 'their tables have other rows'
expect_idle
