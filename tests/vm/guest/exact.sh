# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by cases about how exactly a load is held, after lib.sh:
#   exact_table             prints the head of the table, of which hold_exactly prints a row
#   hold_exactly PERCENT INSTANCES SOURCE [OPTION]...   holds a load for $exact_seconds by what showstopper takes to be SOURCE, and has it
#                           witnessed (threads_time) and recorded from each source meanwhile (cpuload); expects that what was witnessed is
#                           within $most_exact_error percentage points of the target: 0.3 for groups, 1 for others
#   expect_half             expects that the witness finds one of two processors busy when it is
# $through stands before showstopper, as for hold. The option exact_seconds=N of the kernel (--machine plain+exact_seconds=15) is for a look.

exact_seconds=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^exact_seconds=//p' | tail -n 1)
exact_seconds=${exact_seconds:-60}
most_exact_error=

exact_table() {
	printf '| target %% | instances | held by | threads %% | interrupts %% | error pp | own error pp | groups %% | schedstat %% | idle %% | witness itself %% |\n'
	printf '| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n'
}

# under_control SECONDS: whether the load has been held for so long.
under_control() {
	# Who was refused never will be.
	kill -0 "$background" 2>/dev/null || return 0
	[ -e log.csv ] && awk -F, -v seconds="$1" 'END { exit !(NR > 1 && $1 >= seconds) }' log.csv
}

# witnessed NAME: a number of the witness.
witnessed() {
	awk -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) print $(i + 1) }' witness
}

# recorded_mean FILE: percent, over the time that was witnessed; - where the record knows less than half of it.
recorded_mean() {
	[ -s "$1" ] || { echo -; return; }
	awk -F, -v from="$(witnessed from)" -v to="$(witnessed to)" '
		NR > 1 {
			begin = $2 - ($1 - last)
			last = $1
			end = $2 < to ? $2 : to
			if (begin < from) begin = from
			if ($3 != "" && end > begin) { sum += $3 * (end - begin); time += end - begin }
		}
		END { if (time > 0.5 * (to - from)) printf "%.2f\n", 100 * sum / time; else print "-" }' "$1"
}

# Begun before the witness and ended after it, so that their starts and ends are none of its time.
exact_record() {
	recorders=
	for recorded in groups schedstat idle; do
		cpuload -q -s "$recorded" -f csv -o "$recorded.csv" 1s $((exact_seconds - 3)) 2>"$recorded.err" &
		recorders="$recorders $!"
	done
}

exact_row() { # PERCENT INSTANCES SOURCE
	awk -v target="$1" -v instances="$2" -v source="$3" -v busy="$(witnessed busy)" -v own="$(witnessed own)" -v irq="$(witnessed irq)" -v said="$(figure mean_error_pp)" \
		-v groups="$(recorded_mean groups.csv)" -v schedstat="$(recorded_mean schedstat.csv)" -v idle="$(recorded_mean idle.csv)" 'BEGIN {
			printf "| %s | %s | %s | %.2f | %.2f | %+.2f | %+.2f | %s | %s | %s | %.2f |\n", target, instances, source, 100 * busy, 100 * irq, 100 * (busy + irq) - target,
				said, groups, schedstat, idle, 100 * own
		}' | tee -a rows
}

expect_witnessed() { # PERCENT SOURCE
	exact_most=${most_exact_error:-$([ "$2" = groups ] && echo 0.3 || echo 1)}
	awk -v target="$1" -v busy="$(witnessed busy)" -v irq="$(witnessed irq)" -v most="$exact_most" \
		'BEGIN { error = 100 * (busy + irq) - target; exit !(busy != "" && error >= -most && error <= most) }' ||
		fail "$what: witnessed $(witnessed busy) and $(witnessed irq) of interrupts, more than $exact_most pp from $1 %"
}

hold_exactly() {
	exact_target=$1 exact_instances=$2 exact_source=$3
	shift 3
	rm -f log.csv record.csv witness groups.csv schedstat.csv idle.csv
	# shellcheck disable=SC2086 # words
	start_background $through showstopper -v -T "$exact_target%" -n "$exact_instances" -w 2s -r "${exact_seconds}s" -o log.csv \
		--export-csv record.csv "$@" ssburn
	wait_until under_control 1
	exact_record
	wait_until under_control 2
	if ! kill -0 "$background" 2>/dev/null; then
		wait_background
		expect_status 0
		# shellcheck disable=SC2086 # words
		kill $recorders 2>/dev/null
		fail "$what: ended before it was witnessed"
		return
	fi
	"$build/tests/threads_time" $((exact_seconds - 5)) >witness || fail "$what: no witness"
	wait_background
	# shellcheck disable=SC2086 # words
	wait $recorders
	exact_runs=$((${exact_runs:-0} + 1))
	tail -n +1 err groups.err schedstat.err idle.err >"said-$exact_runs"
	cp log.csv "log-$exact_runs.csv"
	expect_status 0
	held_by=$(sed -n 's/^showstopper: feedback .*source=\([a-z]*\).*/\1/p' err)
	[ "$held_by" = "$exact_source" ] || fail "$what: held by '$held_by', expected $exact_source"
	exact_row "$exact_target" "$exact_instances" "$held_by"
	expect_witnessed "$exact_target" "$held_by"
	expect_nobody_left
}

# One that burns takes one of the host's processors; more could be too many.
expect_half() {
	start_background ssburn
	sleep 1
	"$build/tests/threads_time" 12 >witness
	kill "$background"
	wait_background
	printf 'witness of one that burns, on %s processors: %s\n' "$(nproc)" "$(cat witness)"
	awk -v busy="$(witnessed busy)" -v own="$(witnessed own)" 'BEGIN { exit !(busy - own >= 0.497 && busy - own <= 0.51) }' ||
		fail "one of two processors is busy, and witnessed is $(witnessed busy)"
}
