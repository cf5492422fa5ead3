# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a fleet of two nodes with different traces: each follows its own, both begin at one instant
# short: yes
# Each node's load is that of its own processor. fleet-loads judges how well it is held; here others may take it.
fleet --base '-F cpus=allowed' --command n2='ssburn -p parallel'
expect_status 0
expect_text out '^2 nodes begin at @[0-9]+\.0; their clocks are [0-9.]+ ms apart$'
expect_text together/fleet.md '^2 nodes: together they were to take 4[0-9]\.'
expect_text together/nodes/n2/command 'ssburn -p parallel'
for node in n1 n2; do
	[ "$(head -n 1 together/nodes/$node/log.csv | grep -c time_unix_s)" -eq 1 ] || fail "$node: its log has no wall clock"
	[ "$(cat together/nodes/$node/status)" = 0 ] || fail "$node: status $(cat together/nodes/$node/status)"
	[ -s "together/nodes/$node/stolen" ] || fail "$node: what its host took meanwhile is not known"
done
# Means of the traces, whatever was held.
expect_share() { # NODE LEAST MOST
	awk -v target="$(value_of "$1" target)" -v least="$2" -v most="$3" 'BEGIN { exit !(target > least && target < most) }' ||
		fail "$1 had the target $(value_of "$1" target)"
}
expect_share n1 0.38 0.42
expect_share n2 0.48 0.53
expect_idle
fleet
expect_trouble 'together holds a run; choose another --output'
