#!/bin/sh
# SPDX-License-Identifier: MIT
# about: systemd-run --user --scope of an ordinary user: half of the quota of a scope
# machines: plain
# init: systemd
# kernel: cgroup_no_v1=all
# limit: 150
# shellcheck disable=SC2317 # a function that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# The user's own systemd, as a login would start it.
XDG_RUNTIME_DIR=/run/user/1000 HOME=/tmp
export XDG_RUNTIME_DIR HOME
mkdir -p $XDG_RUNTIME_DIR /etc/systemd/user
chown user $XDG_RUNTIME_DIR
printf '[Unit]\nDescription=Nothing but what is asked for\n' >/etc/systemd/user/default.target
systemd-run --quiet --unit=manager -p DefaultDependencies=no -p User=user -p Delegate=yes -p Type=notify -p Environment=XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR \
	/lib/systemd/systemd --user || fail 'no systemd of the user'
manager=system.slice/manager.service
as_user systemctl --user --no-pager status

# Whoever asks for a scope is inside of what was delegated to the user, as a terminal of a desktop is: from outside it would take a bus.
scope=$manager/app.slice/half.scope
in_group $manager/init.scope true || fail 'no group of the user'
hold_half_of 0.5 $scope in_group $manager/init.scope as_user systemd-run --user --quiet --scope --unit=half -p CPUQuota=50%
expect_text err 'source=cgroup'
scope_is_gone() {
	[ ! -e "/sys/fs/cgroup/$scope" ]
}
wait_until scope_is_gone

finish
