# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# One run of a batch: its folder, its command, the environments of its sides. Sourced by lib/batch.sh.

# one_run NUMBER LABEL WORKLOAD INSTANCES WARM_UP SECONDS HOW OPTIONS: HOW is an environment, or sssim.
one_run() {
	label=$2 how=$7
	kept=$(folder_of "$label")
	part=$kept.part
	rm -rf "$part" "$kept.failed"
	mkdir -p "$part" || trouble "can't make $part"
	case $how in
	sssim) simulated_command "$3" "$4" "$5" "$6" "$8" ;;
	native) native_command "$3" "$4" "$5" "$6" "$8" ;;
	*) inside_commands "$3" "$4" "$5" "$6" "$8" ;;
	esac
	uptime >"$part/uptime"
	began=$(date +%s.%N)
	start_run &
	controller=$!
	wait "$controller"
	status=$?
	controller=
	ended=$(date +%s.%N)
	signal=0
	[ "$status" -le 128 ] || signal=$((status - 128))
	printf '%d\t:\t%.3f\t%10.3f\t0\t0\t%d\t%d\t%s\n' "$1" "$began" "$(echo "$ended $began" | awk '{ print $1 - $2 }')" \
		$((signal ? 0 : status)) "$signal" "$(paste -s -d ' ' "$part/command")" >>"$output/joblog"
	[ "$how" = sssim ] || end_of_run "$6"
	[ "$how" = sssim ] || [ "$status" -ne 0 ] || look_whether_warm "$5"
	if [ "$status" -eq 0 ]; then
		mv "$part" "$kept" || trouble "can't keep $part"
		return 0
	fi
	mv "$part" "$kept.failed"
	printf '%s failed with status %d: ' "$label" "$status"
	grep -v 'the run goes on' "$kept.failed/messages.txt" | head -n 1
	return 1
}

# Ends with the batch, whatever becomes of that; and isn't what a terminal's Ctrl-C reaches, for which the batch ends it.
start_run() {
	if [ "$how" = sssim ]; then
		cd "$part" && exec sh command 2>messages.txt
	fi
	echo "$how" >"$part/environment"
	exec setsid setpriv --pdeathsig TERM "$experiments/environment" run "$how" "$part" $$ 2>>"$part/messages.txt" 3<&-
}

# put_words FILE WORD...: a command for sh.
put_words() {
	to=$1
	shift
	for word do printf '%s ' "$(quoted "$word")"; done >"$to"
	echo >>"$to"
}

simulated_command() { # WORKLOAD INSTANCES WARM_UP SECONDS OPTIONS
	# shellcheck disable=SC2086 # words
	put_words "$part/command" "$build/sssim" -q -p "$processors" -W "$(model_of "$1")" -n "$2" -w "${3}s" -r "${4}s" -o log.csv $5
}

# What every showstopper of a run is told: $common.
common_options() { # WARM_UP SECONDS
	common="-q -w ${1}s -r ${2}s -o log.csv --export-json record.json --export-csv record.csv --placeholder @ --stdout /dev/null --stderr errors.@.txt --grace 2s"
}

# of_group NUMBER ALL: what is after the NUMBERth : of what add_run was given.
of_group() {
	printf '%s\n' "$2" | awk -v number="$1" '{ split($0, group, / : /); print group[number + 2] }'
}
# part_of NUMBER LIST: of words joined by /.
part_of() {
	printf '%s\n' "$2" | cut -d / -f $(($1 + 1))
}
# name_of NUMBER: what the records of a group are called.
name_of() {
	printf '%s\n' "${group_names:-iterations}" | cut -d ' ' -f $(($1 + 1))
}

# command_of WORKLOAD FOLDER NUMBER: its command, with records in that folder.
command_of() {
	"$experiments/workload" command "$1" --wrap --build "$build" --java "$java" \
		--records "$(printf '%s' "$2" | sed 's/@/@@/g')/$(name_of "$3").@.csv" --placeholder @
}

# On the host: one showstopper with all groups. Where these have no processors of their own, each has a quota of one half.
native_command() { # WORKLOADS INSTANCES WARM_UP SECONDS OPTIONS
	common_options "$3" "$4"
	workloads_of=$1 counts=$2 all=$5 groups=$(printf '%s\n' "$1" | awk -F / '{ print NF }')
	printf 'all\tall\t%s\t-\n' "$processors" >"$part/sides"
	# shellcheck disable=SC2086 # words
	set -- "$build/showstopper" $common ${all%% : *}
	separator='' group=0
	while [ $group -lt "$groups" ]; do
		options=$(of_group $group "$all")
		count=$(part_of $group "$counts")
		[ "$count" = P ] || options="$options -n $count"
		command=$(command_of "$(part_of $group "$workloads_of")" "$part" $group) || exit 125
		case $options in
		*'--pin neutral'*)
			side=$(name_of $group)
			printf '%s\tall\t%s\t%s\n' "$side" "$processors" "$half" >>"$part/sides"
			joined=$(quoted "$part/$side/group" | sed 's/@/@@/g')
			command="[ ! -s $joined ] || echo \$\$ >\"\$(cat $joined)\" || exit; $command"
			;;
		esac
		# shellcheck disable=SC2086 # words
		set -- "$@" $separator $options -- sh -c "$command"
		separator=: group=$((group + 1))
	done
	printf '%s\n' "$*" >"$part/command"
	put_words "$part/all.command" exec "$@"
}

# processors_of OPTION...: of a group, a list, or all.
processors_of() {
	scheme='' which=''
	while [ $# -gt 0 ]; do
		case $1 in
		--cpus)
			echo "$2"
			return
			;;
		--pin) scheme=$2 ;;
		--part) which=$2 ;;
		esac
		shift
	done
	case $scheme in
	'' | neutral) echo all ;;
	*) "$build/showstopper" --list-pins | awk -v scheme="$scheme" -v which="$which" '$1 == scheme && $2 == which { print $3 }' ;;
	esac
}
count_in() { # LIST
	case $1 in all) echo "$processors" ;; *) printf '%s\n' "$1" | tr , '\n' | awk -F - '{ sum += $NF - $1 + 1 } END { print sum }' ;; esac
}

# Inside: a showstopper for each group in its environment. The last one has the load under control; those before it run freely.
inside_commands() { # WORKLOADS INSTANCES WARM_UP SECONDS OPTIONS
	common_options "$3" "$4"
	workloads_of=$1 counts=$2 all=$5 groups=$(printf '%s\n' "$1" | awk -F / '{ print NF }')
	: >"$part/sides"
	visible_folders >"$part/visible"
	group=0
	while [ $group -lt "$groups" ]; do
		side=$(side_of_group $group)
		options=$(of_group $group "$all")
		# shellcheck disable=SC2086 # words
		placed=$(processors_of $options)
		case $options in *'--pin neutral'*) quota=$half ;; *) quota=- ;; esac
		printf '%s\t%s\t%s\t%s\n' "$side" "$placed" "$(count_in "$placed")" "$quota" >>"$part/sides"
		if [ $((group + 1)) -eq "$groups" ]; then controlled=${all%% : *}; else controlled='-T 100% -c open -C duty=1 --when-one-ends=stop'; fi
		count=$(part_of $group "$counts")
		[ "$count" = P ] || controlled="$controlled -n $count"
		command=$(command_of "$(part_of $group "$workloads_of")" "$part/$side/files" $group) || exit 125
		# shellcheck disable=SC2086 # words
		put_words "$part/$side.command" $common $controlled -- sh -c "$command"
		# shellcheck disable=SC2016 # of the shell inside
		sed -i "1s,^,exec $(quoted "$build/showstopper" | sed 's/[\\&,]/\\&/g') --start-at \"@\$START\" ," "$part/$side.command"
		sed "s/^/$side: /" "$part/$side.command" >>"$part/command"
		group=$((group + 1))
	done
}
side_of_group() { # NUMBER
	if [ "$groups" -eq 1 ]; then echo machine; else name_of "$1"; fi
}

# What may lie where the environments have folders of their own.
visible_folders() {
	printf '%s\n%s\n' "$root" "$build"
	printf '%s\n' "${SHOWSTOPPER_WORKLOADS-}" | tr : '\n' | while IFS= read -r seen; do
		[ ! -d "$seen" ] || (cd -- "$seen" && pwd)
	done
}

# Sets $status: whether the workloads lived as long as the run; they are endless. What was made inside comes into the run's folder.
end_of_run() { # SECONDS
	# After a signal it may not have had the time.
	[ "$status" -le 128 ] || "$experiments/environment" remove "$how" "$part"
	if [ "$how" = native ]; then
		records=$part/record.csv
	else
		records=
		group=0
		for side in $(cut -f 1 "$part/sides"); do
			bring_back "$side" "$(name_of $group)"
			records="$records $part/$side/files/record.csv"
			group=$((group + 1))
		done
		controlled_side "$side"
	fi
	[ "$status" -eq 0 ] || return 0
	for record in $records; do
		ran_as_long "$record" "$1" || {
			status=1
			echo "a workload ended before the run did" >>"$part/messages.txt"
			return
		}
	done
}

# bring_back SIDE NAME: its iteration records, and what it complained of.
bring_back() {
	[ ! -s "$part/$1/messages.txt" ] || sed "s/^/$1: /" "$part/$1/messages.txt" >>"$part/messages.txt"
	for file in "$part/$1/files/$2".*.csv; do
		[ ! -e "$file" ] || by_clock_of_host "$1" "$file" >"$part/${file##*/}"
	done
}
# Log and record of a run are those of the side that has the load under control.
controlled_side() { # SIDE
	for file in record.csv record.json; do
		[ ! -e "$part/$1/files/$file" ] || cp "$part/$1/files/$file" "$part/$file"
	done
	[ ! -e "$part/$1/files/log.csv" ] || by_clock_of_host "$1" "$part/$1/files/log.csv" >"$part/log.csv"
}

# by_clock_of_host SIDE FILE: a container has the host's clocks. Those of guests go each by themselves: times of their monotonic clocks become
# seconds since 1970 by the host's clock, and those of their wall clocks lose what these were ahead, in the mean of before and after the run.
by_clock_of_host() {
	if [ ! -e "$part/$1/clock.csv" ]; then
		cat "$2"
		return
	fi
	awk -F, -v OFS=, '
		FILENAME == ARGV[1] { if (FNR > 1) { count++; ahead += $2; zero += $4 } next }
		FNR == 1 {
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^(monotonic_s|start_s|end_s)$/) add[i] = (zero - ahead) / count
				if ($i == "time_unix_s") add[i] = -ahead / count
			}
			print
			next
		}
		{ for (i in add) if ($i != "") $i = sprintf("%.6f", $i + add[i]); print }' "$part/$1/clock.csv" "$2"
}

# look_whether_warm WARM-UP: makes warm.csv, a row for each group of workloads. A run that was not is kept; the report says so.
look_whether_warm() {
	[ "${1%%.*}" -ge 4 ] || return 0
	echo 'records,before,after,percent' >"$part/warm.csv"
	for records in ${group_names:-iterations}; do
		[ -n "$(find "$part" -maxdepth 1 -name "$records.*.csv")" ] || continue
		change=$(awk -F, -v warm_up="$1" -f "$experiments/lib/warm.awk" "$part/log.csv" "$part/$records".*.csv)
		[ -n "$change" ] || continue
		echo "$records,$change" >>"$part/warm.csv"
		awk -v change="${change##*,}" 'BEGIN { exit !(change > 2 || change < -2) }' || continue
		echo "not warm: the throughput of $records changed by ${change##*,} % from the last but one quarter of the warm-up to the last" >>"$part/messages.txt"
	done
}

# ran_as_long RECORD SECONDS
ran_as_long() {
	awk -F, -v wanted="$2" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i } NR == 2 { long = $column["controlled_s"] > wanted - 0.5 } END { exit !long }' "$1"
}
