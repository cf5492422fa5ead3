# SPDX-License-Identifier: MIT
# Replays of the trace of nine levels in several times: what the experiments traces and fastforward have in common.

trace_length=1620
replay_options='  -s, --settings LIST     out of geom-uneven,geom-even,PI-uneven,PI-even,default (all; quick: PI-even,default)
  -T, --times LIST        replay times in seconds (1620,1080,540,360,180,90; quick: 60,30)'
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
	*) return 1 ;;
	esac
}

list_runs() {
	repetition=1
	while [ $repetition -le "$repeat" ]; do
		for workload in $workloads; do
			for replay in $times; do
				speed=$(awk -v length_s=$trace_length -v replay="$replay" 'BEGIN { printf "%.9g", length_s / replay }')
				for name in $chosen; do
					add_run "${workload}_${replay}_${name}_$repetition" "$workload" "$(instances_of "$workload")" "$replay" \
						-t file -T "../../nine-levels.trace,speed=$speed" "$(options_of "$name")"
				done
			done
		done
		repetition=$((repetition + 1))
	done
}

prepare_runs() {
	cp "$root/traces/nine-levels.trace" "$output/nine-levels.trace"
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
	report_picture "load-$workload.svg" "$workload, $last: target as a grey band, load as a line"
}
