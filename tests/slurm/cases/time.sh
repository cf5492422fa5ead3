# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a job whose time is over leaves no half run
# limit: 300
accuracy --slurm=--time=1 -t 45 -s default
limit=280
[ "$status" -ne 0 ] || fail "$what: no run was lost"
expect_no_text out 'nothing'
[ -z "$(find study -name '*.part')" ] || fail "$what: half a run is left"
expect_idle
