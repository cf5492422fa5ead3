# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a node of a fleet dies: the other goes on, or ends too, and the report says when
# limit: 300

# One that is started again before Slurm has missed it is kept waiting for the end of the job that it had.
n2_comes_back() {
	wait_until node_is n2 'down*'
	node_start n2
	wait_until node_is n2 idle
	expect_idle
}

start_fleet --lost 4 --speed 0.5
wait_until fleet_is_under_way
node_kill n2
wait_background
expect_status 1
expect_text err '^n2 is dead: no row for 4 s$'
expect_text together/fleet.md ' n2 died: its log ends at [0-9.]+ s of 1[56]\.[0-9] s\.$'
[ "$(cat together/nodes/n1/status)" = 0 ] || fail "$what: n1 did not go on to its end"
n2_comes_back

rm -r together
start_fleet --lost 4 --speed 0.2 --when-a-node-dies end
wait_until fleet_is_under_way
node_kill n2
wait_background
expect_status 1
awk -v end="$(value_of n1 end_s)" 'BEGIN { exit !(end < 30) }' || fail "$what: n1 went on for $(value_of n1 end_s) s"
n2_comes_back
