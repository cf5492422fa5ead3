#!/bin/sh
# SPDX-License-Identifier: MIT
# about: /proc with hidepid=2 as an ordinary user, no /dev/shm, and no pidfd_open
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

run "$build/tests/without_call" pidfd_open showstopper -T 40% -r 6s touch started
expect_trouble 'expected Linux 5.3 or newer, and a sandbox that permits pidfd_open'
[ ! -e started ] || fail "$what: started a workload"

through=
mv /dev/shm /dev/no-shm 2>/dev/null || { umount /dev/shm && rmdir /dev/shm; }
[ ! -d /dev/shm ] || fail '/dev/shm is still there'
hold_tree

finish
