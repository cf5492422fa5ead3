# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: who waits for the job is killed; --resume waits on, for the same job
# short: yes
start_accuracy --slurm
wait_until is_under_way
kill -KILL "$background"
wait_background
accuracy --slurm --resume
expect_status 0
expect_text out '^job [0-9]+ is under way; nothing else is submitted$'
expect_whole 4
[ "$(cut -f 1 study/joblog | sort | paste -s -d ' ')" = '1 2 3 4 Seq' ] || fail "$what: not each run once"
expect_idle
