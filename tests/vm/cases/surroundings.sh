#!/bin/sh
# SPDX-License-Identifier: MIT
# about: /proc with hidepid=2 as an ordinary user, a /proc without lists of children, no /dev/shm, and no pidfd_open
# machines: plain
# limit: 180
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# A workload that is a tree, so that its members must be found.
cat >tree <<'END'
setsid sh -c 'ssburn -p parallel -t 1; true' &
ssburn -p parallel -t 1
wait
END
hold_tree() {
	hold 40% 6 -v -n 1 sh "$PWD/tree"
}

mount -o remount,hidepid=2 /proc || fail 'no hidepid'
through=as_user
cd /tmp && chmod 777 "$work" && cd "$work" || exit 1
hold_tree
mount -o remount,hidepid=0 /proc

through=$build/tests/without_call' pidfd_open'
hold_tree

through=
mv /dev/shm /dev/no-shm 2>/dev/null || { umount /dev/shm && rmdir /dev/shm; }
[ ! -d /dev/shm ] || fail '/dev/shm is still there'
hold_tree

finish
