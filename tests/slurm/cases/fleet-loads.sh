# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a fleet of two nodes holds both its loads within 1 pp, whatever else runs here: those of the workloads alone, which come before others
sh -c 'echo -20 >/proc/self/autogroup && nice -n -20 true' 2>/dev/null || skip 'workloads can not be put before others here'
fleet --base '-f workloads -F processors=1' sh -c 'echo -20 >/proc/self/autogroup; exec nice -n -20 ssburn'
expect_status 0
for node in n1 n2 'all together'; do
	error=$(value_of "$node" mean_error_pp)
	awk -v error="$error" 'BEGIN { exit !(error != "" && error < 1 && error > -1) }' || fail "$node: mean error $error pp"
done
for node in n1 n2; do
	late=$(value_of $node late_ms)
	awk -v late="$late" 'BEGIN { exit !(late != "" && late < 50) }' || fail "$node began $late ms late"
done
expect_idle
