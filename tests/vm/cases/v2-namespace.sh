#!/bin/sh
# SPDX-License-Identifier: MIT
# about: version 2: half of a quota inside a namespace of control groups
# machines: plain
# kernel: cgroup_no_v1=all
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

mount_v2
mkdir -p /sys/fs/cgroup/group/inner
echo '150000 100000' >/sys/fs/cgroup/group/cpu.max
through='/bin/unshare -C'
hold_half_of 1.5 group
expect_text err 'source=cgroup'
# As in a container: the hierarchy begins at the group.
cat >inside <<'END'
umount /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 99
exec "$@"
END
through='/bin/unshare -C -m sh ./inside'
hold_half_of 1.5 group
expect_text err 'source=cgroup'

finish
