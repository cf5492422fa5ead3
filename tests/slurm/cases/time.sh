# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a job whose time is over leaves no half run
# limit: 300
limit=280
accuracy --slurm=--time=1 -t 45
expect_status 1
expect_text out '^[1-3] of 4 runs are not complete; --resume takes them up$'
[ -z "$(find study -name '*.part')" ] || fail "$what: half a run is left"
expect_idle
