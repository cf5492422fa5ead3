# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: a job is suspended in a run, for three seconds: the pause is in the log, the target is held again within a second, and a batch repeats the run
job=$(sbatch --parsable --nodes=1 --exclusive --wrap "exec showstopper -T 50% -r 8s -o $work/log ssburn")
wait_until has_records 5
timeout 10 scontrol suspend "$job" || fail 'scontrol suspend'
is_suspended() { [ -n "$(squeue --noheader --states=SUSPENDED)" ]; }
wait_until is_suspended
rows=$(wc -l <log)
sleep 3
[ "$(wc -l <log)" -le $((rows + 1)) ] || fail 'rows were written in the pause'
timeout 10 scontrol resume "$job"
expect_idle
# The clock of the trace stood still, that of the machine went on; a second later the load is the target again. Samples
# in which others take a part of the processor, and those after them, are not judged.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ time = $column["time_s"]; clock = $column["monotonic_s"] }
	NR > 2 && clock - last_clock - (time - last_time) > 2 { pauses++; after = time }
	{ is_calm = $column["others"] < 0.1 }
	pauses && time >= after + 1 && is_calm && was_calm { n++; sum += $column["load"] - $column["target"] }
	{ last_time = time; last_clock = clock; was_calm = is_calm }
	END { printf "%d pauses, %.1f s, %d samples, mean error %.4f\n", pauses, last_time, n, n ? sum / n : 0 }' log >judged
expect_text judged '^1 pauses, [78]\.'
case $(cat judged) in
*' '[0123]' samples, '*) left_out 'others took the processor' ;;
*) expect_text judged 'mean error -?0\.0[0-4]' ;;
esac

start_accuracy --slurm -t 4
wait_until is_under_way
timeout 10 scontrol suspend "$job"
wait_until is_suspended
sleep 1
timeout 10 scontrol resume "$job"
wait_background
expect_status 1
expect_text out ' was suspended on n[12], and doesn.t count$'
[ "$(find study/runs -name '*.failed' | wc -l)" -eq 1 ] || fail "$what: the run that was suspended counts"
accuracy --slurm -t 4 --resume
expect_status 0
expect_whole 4
expect_idle
