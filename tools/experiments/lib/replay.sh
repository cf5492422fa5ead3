# SPDX-License-Identifier: MIT
# Replays of the trace of nine levels in several times: what the experiments traces and fastforward have in common.

trace_length=1620
replay_options='  -s, --settings LIST     out of geom-uneven,geom-even,PI-uneven,PI-even,default (all; quick: PI-even,default)
  -T, --times LIST        replay times in seconds (1620,1080,540,360,180,90; quick: 60,30)
  -L, --levels NAME       lines: straight ones from one level to the next, as in the paper; or hold: each is held, and then left in a step (lines)'
levels=lines
chosen='geom-uneven geom-even PI-uneven PI-even default'
times=

settings() {
	seconds=0 # the times say it
	case $1 in
	quick)
		: "${times:=60 30}"
		[ -n "${settings_given-}" ] || chosen='PI-even default'
		;;
	full) : "${times:=1620 1080 540 360 180 90}" ;;
	esac
}

take_option() {
	case $1 in
	-s | --settings)
		choose_settings "$2"
		settings_given=yes
		;;
	-T | --times)
		times=$(printf '%s' "$2" | tr ',' ' ')
		for value in $times; do number_from "$1" "$value" 1; done
		;;
	-L | --levels)
		case $2 in lines | hold) levels=$2 ;; *) trouble "--levels: '$2': expected lines or hold" ;; esac
		;;
	*) return 1 ;;
	esac
}

# The papers' tables are those of straight lines.
is_papers() {
	[ "$levels" = lines ]
}
trace_name() {
	if is_papers; then echo nine-levels.trace; else echo nine-levels-hold.trace; fi
}
# How a report calls the trace.
trace_shape() {
	if is_papers; then echo 'A trace of nine levels, one in each 180 s, with straight lines from one to the next, as in the paper,'
	else echo 'A trace of nine levels of 180 s each, with steps between them,'; fi
}

list_runs() {
	repetition=1
	while [ $repetition -le "$repeat" ]; do
		for workload in $workloads; do
			for replay in $times; do
				speed=$(awk -v length_s=$trace_length -v replay="$replay" 'BEGIN { printf "%.9g", length_s / replay }')
				for name in $chosen; do
					add_run "${workload}_${replay}_${name}_$repetition" "$workload" "$(instances_of "$workload")" "$replay" \
						-t file -T "../../$(trace_name),speed=$speed" "$(options_of "$name")"
				done
			done
		done
		repetition=$((repetition + 1))
	done
}

prepare_runs() {
	cp "$root/traces/$(trace_name)" "$output/$(trace_name)"
}

# A picture of each replay with the last of the settings.
draw_replays() { # WORKLOAD
	last=${chosen##* }
	set -- "$1" "$output/load-$1.svg"
	picture=$2 workload=$1
	shift 2
	for replay in $times; do
		run=${workload}_${replay}_${last}_1
		if is_complete "$run"; then set -- "$@" "$replay s=$output/runs/$run/log.csv"; fi
	done
	[ $# -gt 0 ] || return 0
	"$build/ssreport" timeline --size 16x$((5 * $#)) -o "$picture" "$@" || return 1
	report_picture "load-$workload.svg" "$workload, $last: target (black) and load (blue)"
}
