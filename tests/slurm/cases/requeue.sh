# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a task is requeued in a run; the run is made again as a whole
start_accuracy --slurm --per-node any -t 4
wait_until is_under_way
timeout 10 scontrol requeue "$job" || fail 'scontrol requeue'
wait_background
expect_status 0
expect_whole 4
# What was interrupted, if it had begun, and then once more.
[ "$(wc -l <study/joblog)" -ge 5 ] || fail "$what: joblog has $(wc -l <study/joblog) lines"
expect_idle
