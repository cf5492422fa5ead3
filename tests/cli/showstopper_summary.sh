#!/bin/sh
# SPDX-License-Identifier: MIT
# The summary and its warnings: each names the figure that shows it. The feedback module `workloads` doesn't see what else the machine does.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

warns() {
	expect_text err "^warning: $1"
	[ "$(grep -c '^warning: the load' err)" -eq "${2-1}" ] || fail "$what: other warnings, too: $(grep '^warning: ' err)"
}
usable=$(showstopper -T 50% --dry-run true | grep -c '^workload ')
first=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)

# ---- The order of the rows, and where they are explained ------------------------------------------------------------------------

showstopper --explain | sed -n 's/^\([^ ].\{20\}\).*/\1/p' | sed 's/ *$//' >terms
run showstopper -T 50% -r 1s -w 200m -n 2 ssburn : --free -n 1 ssburn
expect_status 0
grep -v '^showstopper: ' err >rows
[ "$(tail -n 1 rows)" = 'what these mean: showstopper --explain' ] || fail "$what: the last line does not name --explain: $(tail -n 1 rows)"
sed '$d; /^warning: /d' rows | sed 's/^\(.\{21\}\).*/\1/; s/ *$//' >labels
sort labels | uniq -d >twice
[ ! -s twice ] || [ "$(cat twice)" = 'equal instances' ] || fail "$what: rows that are there twice: $(cat twice)"
grep -xFf labels terms >in_order
uniq labels | cmp -s - in_order || { fail "$what: rows, < as printed, > as explained:"; diff labels in_order; }
for row in 'target load' 'worst sample' others free "workloads' CPU time" 'outside control' "Showstopper's"; do
	grep -qxF -- "$row" labels || fail "$what: no row '$row'"
done
awk 'length > 80 && !/^warning: / { exit 1 }' rows || fail "$what: rows that are too long for a screen"
run showstopper -q -T 50% -r 500m -n 1 ssburn
expect_lines err 0

# ---- When processor time was used ------------------------------------------------------------------------------------------------

# Under control it stands still; after SIGTERM it works on for a while.
cat >works_on <<'END'
#!/bin/sh
trap 'trap "" TERM; timeout 60 awk "BEGIN { while (i < 3000000) i++ }"; exit' TERM
while :; do :; done
END
chmod +x works_on
run showstopper -T 0 -c open -w 500m -r 500m --grace 60s -n 1 --export-json record.json ./works_on : --free -n 1 ssburn
expect_status 0
jq -e '.workloads[0] | .cpu_parts_s.before > 0 and .cpu_parts_s.after > 0.01 and .cpu_parts_s.control < .cpu_s / 2' record.json >jq.out ||
	fail "$what: $(jq -c '.workloads[0]' record.json)"
jq -e '.workloads[] | .cpu_s - (.cpu_parts_s | .before + .control + .after) | . > -1e-6 and . < 1e-6' record.json >jq.out ||
	fail "$what: not all of it: $(jq -c '[.workloads[].cpu_parts_s]' record.json)"
jq -e '.workloads[1].cpu_parts_s.control > 0 and .result.free_cpu_s.control == .workloads[1].cpu_parts_s.control' record.json >jq.out ||
	fail "$what: free: $(jq -c .result record.json)"

# ---- Warnings: below the target --------------------------------------------------------------------------------------------------

if [ "$usable" -gt 1 ]; then
	run taskset -c "$first" showstopper -T 80% -r 1500m -f workloads ssburn
	expect_status 0
	warns 'the load stayed below the target: the workloads may use 1 of [0-9.]+ processors \([0-9.]+ %\), and the target was up to 80\.00 %: '
	expect_no_text err 'more instances, or more threads'
	run showstopper -T 90% -r 1500m -f workloads -n 1 ssburn
	warns 'the load stayed below the target: the workloads ran all the time for [0-9.]+ % of it, and used [0-9.]+ of the [0-9.]+ processors that '
	expect_no_text err 'may use 1 of'
else
	left_out 'there is one processor'
fi
run showstopper -T 50% -r 6s -n 1 -f workloads --when-one-ends=respawn --export-json record.json true
expect_status 0
expect_text err '^showstopper: warning: the workloads were gone for [0-9.]+ % of the last [0-9.]+ s, and the load is [0-9.]+ pp below the target: .* ssiterate '
[ "$(grep -c 'of the last' err)" = 1 ] || fail "$what: said more than once"
warns 'the load stayed below the target: the workloads were gone for [0-9.]+ % of the time \(started again [0-9]+ times?\): '
expect_no_text err '^warning: .*ran all the time'
jq -e '.result.alive < 0.6' record.json >jq.out || fail "$what: gaps count as life: $(jq -c .result record.json)"

# ---- What can't work is said in time ----------------------------------------------------------------------------------------------

start_background showstopper -T 50% -r 9s -n 1 -f workloads sleep 1000
mv err saturated
timeout -k 5 "$limit" showstopper -T 5% -r 9s -F container=no -n 1 --progress always ssburn : --free -n "$usable" ssburn 2>above
expect_text above 'showstopper: warning: in the last [0-9.]+ s what isn.t controlled made a load of [0-9.]+ % by itself, more than the target of 5\.0 %: '
[ "$(grep -c 'in the last' above)" = 1 ] || fail "above: said more than once"
expect_text above 'target  *5\.0 % load .* %, others make more'
wait_background
expect_text saturated '^showstopper: warning: the workloads ran all of the last [0-9.]+ s, and the load was 0\.0 %, below the target of 50\.0 %: more instances'
# With --limit that is no miss.
run showstopper --limit 50% -r 6500m sleep 1000
expect_status 0
expect_text err '^used                 0\.0 % of a processor of 50 %; held back [0-9]+ % of the time$'
expect_no_text err 'warning|target|mean error|ran all'
run showstopper -T 50% -r 1500m -c open -n 1 -f workloads sleep 1000
warns "the load was [0-9.]+ pp from the target \(root mean square\), though .*: control module 'open' doesn't hold it"
# A failure right after the first stop; on a busy machine it may take its time.
for _ in 1 2 3 4 5; do
	run showstopper -T 50% -r 5s -n 1 -c open -d fixedq -D quantum=300m sh -c 'trap "exit 7" CONT; while :; do :; done'
	expect_status 1
	! grep -q 'continued for the first time' err || break
done
expect_text err '^showstopper: workload 0 ended with status 7, right after it had been stopped and continued for the first time: .* -a quota'

# ---- Above it --------------------------------------------------------------------------------------------------------------------

run showstopper -T 10% -r 1500m -F container=no -n 1 -o log.csv ssburn : --free -n "$usable" ssburn
expect_status 0
expect_text log.csv '^time_s,.*,others,free,time_unix_s$'
warns 'the load stayed above the target: the workloads stood still for [0-9.]+ % of the time; then the load of free workloads was [0-9.]+ %'
run showstopper -T 0 -r 1s -n 1 --cpus "$first" ssburn : --free --cpus "$first" -n 2 ssburn
warns 'the load stayed above the target: .*; free workloads used [0-9.]+ s of processor time under control; what else ran is not known here'

finish
