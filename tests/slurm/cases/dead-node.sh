# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a node loses its power in a run; its task is begun again elsewhere
# limit: 240
start_accuracy --slurm
wait_until is_under_way
node_kill n1
wait_background
expect_status 0
expect_whole 4
[ "$(cat study/runs/*/node | sort -u)" = n2 ] || [ "$(cat study/runs/*/node | sort -u | wc -l)" -eq 2 ] || fail "$what: runs on a node that is gone"
node_start n1
wait_until node_is n1 idle
expect_idle
