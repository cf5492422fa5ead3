# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: scancel, and Ctrl-C in front of it all: nothing is left on the nodes, and --resume goes on
start_accuracy --slurm
wait_until is_under_way
timeout 10 scancel --user=root
wait_background
expect_status 125
expect_text out '^4 of 4 runs are not complete; --resume takes them up$'
expect_idle
start_accuracy --slurm --resume
wait_until runs_complete 1
wait_until is_under_way
kill -TERM "$background"
wait_background
expect_status 143
expect_text err '^interrupted, and job [0-9]+ cancelled; --resume goes on$'
expect_idle
[ -z "$(find study -name '*.part')" ] || fail "$what: half a run is left"
accuracy --slurm --resume
expect_status 0
expect_whole 4
