# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a fleet does not begin without a node, nor with a clock that is wrong
mkdir bin
cat >bin/date <<'END'
#!/bin/sh
# The clock of n2 is 200 ms ahead.
[ "${SLURMD_NODENAME-} $*" = 'n2 +%s.%N' ] || exec /bin/date "$@"
/bin/date +%s.%N | awk '{ split($1, part, "."); ns = part[2] + 200000000; printf "%d.%09d\n", part[1] + (ns >= 1000000000), ns % 1000000000 }'
END
chmod +x bin/date
PATH=$work/bin:$PATH
fleet
expect_trouble '^tools/experiments/fleet: the clock of n2 is (1[5-9]|2[0-9])[0-9] ms ahead of that of n1, and 50 ms at most are accepted \(--apart\)$'
expect_idle
[ ! -e together/nodes ] || fail "$what: it began"
rm -r together
fleet --apart 1000
expect_status 0
rm -r together bin

# A node that comes late: its start is held up.
cat >slow <<'END'
#!/bin/sh
[ "$SLURMD_NODENAME" != n2 ] || sleep 30
END
chmod +x slow
start_fleet --slurm="--task-prolog=$work/slow" --gather 5
wait_background
expect_trouble '^tools/experiments/fleet: only 1 of 2 nodes came within 5 s of the first, n2 is missing$'
expect_idle
