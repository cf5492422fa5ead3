#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/slurm/run: what it refuses, that cases are complete, and the short ones; and what --slurm and --parallel refuse without a cluster.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SLURM_CONF
slurm=$source/tests/slurm
limit=280

run "$slurm/run" --help
expect_status 0
run "$slurm/run" --nonsense
expect_trouble "^tests/slurm/run: unexpected argument '--nonsense'"
run "$slurm/run" nowhere
expect_trouble "^tests/slurm/run: there is no case 'nowhere'"
run "$slurm/run" -B nowhere
expect_trouble "^tests/slurm/run: --build: there is no folder 'nowhere'"
run "$slurm/run" --list
for file in "$slurm"/cases/*.sh; do
	name=${file##*/}
	expect_text out "^${name%.sh} +[^ ].*"
	grep -q '^# about: ..*' "$file" || fail "$name doesn't say what it is about"
done

accuracy=$source/tools/experiments/accuracy
run "$accuracy" --slurm --parallel a,b
expect_trouble '^tools/experiments/accuracy: --slurm and --parallel: expected one of them'
run "$accuracy" --per-node house
expect_trouble "^tools/experiments/accuracy: --per-node: invalid choice: 'house' \(choose from .*any"
run "$source/tools/experiments/sweep" --simulate --slurm
expect_trouble '^tools/experiments/sweep: what is simulated runs here alone'

run "$slurm/run" -B "$build" --short
[ "$status" -ne 77 ] || skip "$(cat err)"
expect_status 0
[ "$status" -eq 0 ] || cat out
finish
