#!/bin/sh
# SPDX-License-Identifier: MIT
# about: systemd as init: half of the quota of a scope, and a scope that is stopped
# machines: plain
# init: systemd
# kernel: cgroup_no_v1=all
# limit: 240
# shellcheck disable=SC2317 # a function that wait_until calls
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"

# Nothing is left of a scope: no unit, no group.
scope_is_gone() {
	[ ! -e "/sys/fs/cgroup/$scope" ] && systemctl list-units --all --no-legend half.scope >units && [ ! -s units ]
}

scope=system.slice/half.scope
hold_half_of 0.5 $scope systemd-run --quiet --scope --unit=half -p CPUQuota=50%
expect_text err 'source=cgroup'
wait_until scope_is_gone

# Stopped, it ends, with those whom it holds.
rm -f log.csv
start_background systemd-run --quiet --scope --unit=half -p CPUQuota=50% showstopper -T 20% -r 60s -o log.csv ssburn
wait_until has_records 2
systemctl stop half.scope
wait_background
expect_status 143
expect_nobody_left
wait_until scope_is_gone

finish
