# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: eight runs on two nodes, and a controller that is restarted meanwhile
start_accuracy --slurm --repeat 2
wait_until is_under_way
controller_stop
sleep 1
controller_start
wait_background
expect_status 0
expect_text out "^job [0-9]+: tasks 1,2$"
expect_whole 8
[ "$(wc -l <study/joblog)" -eq 9 ] || fail "$what: joblog has $(wc -l <study/joblog) lines"
[ "$(cut -f 2 study/joblog | grep -c '^n[12]$')" -eq 8 ] || fail "$what: joblog doesn't name the nodes"
for label in burn-single burn-parallel; do
	[ "$(cat study/runs/"$label"_*/node | sort -u | wc -l)" -eq 1 ] || fail "$what: $label was on two nodes"
done
[ "$(cat study/runs/*/node | sort -u | wc -l)" -eq 2 ] || fail "$what: one node did it all"
expect_text study/machine.txt '^nodes: n[12] n[12] \(8 runs\)$'
expect_idle
wait_until node_is n1 idle
cp study/joblog before
accuracy --slurm --repeat 2 --resume
expect_status 0
cmp -s before study/joblog || fail "$what: repeated what was complete"
accuracy --repeat 2 --resume
expect_trouble 'was begun on other machines; go on there'
# Another kind of machine is named before anything else.
echo 'kernel: Other 1' >study/runs/burn-single_50_CDC_1/machine.txt
accuracy --repeat 2 --report
expect_status 0
sed -n 3p study/accuracy.md >third
expect_text third '^These runs were made on 2 kinds of machines, .*: 1 runs on n[12] \(kernel: Other 1\); 7 runs on n[12], n[12] \('
