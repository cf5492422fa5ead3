#!/bin/sh
# SPDX-License-Identifier: MIT
# about: --check-machine beside version 2: its command for a better source does what it says; isolated and offline processors
# machines: eight
# kernel: isolcpus=6,7
# limit: 180
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
echo 0 >/sys/devices/system/cpu/cpu5/online
run showstopper --check-machine
cat out
expect_status 0
expect_lines err 0
expect_text out '^processors: +7 online, 5 usable; offline 5; isolated 6-7$'
expect_text out '^measured: +the whole machine: 7 processors$'
expect_text out '^  measured: workloads may use 5 of 7 processors, by affinity; no load above 71 %'
expect_text out '^idle: +chosen: '
expect_text out '^combined: +unavailable: '
hold 20% 5 -v -F cpus=allowed ssburn
# One that comes back is measured again.
expect_text err 'cpus=0-5$'

# What it says to paste, here without sudo.
run showstopper --check-machine
sed -n 's/^    to have ns: //p' out | sed 's/sudo //g' >pasted
cat pasted
[ -s pasted ] || fail 'no command'
sh pasted || fail 'the command fails'
run showstopper --check-machine
expect_text out '^combined: +chosen: '
expect_no_text out '^idle: +chosen'
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || fail 'version 2 is not as it was'
hold 20% 5 -v ssburn
expect_text err 'source=combined'

finish
