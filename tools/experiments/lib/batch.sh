# SPDX-License-Identifier: MIT
# A batch of runs of showstopper: options, the list of runs, one run after the other, going on where it stopped. Sourced by the experiments, which
# before that set
#   experiment          the name; summary: what it does, lines of text for --help
#   default_workloads, default_targets (per cent, or none), quick_targets (fewer, or none), default_repeat
#   settings MODE       (a function) sets `seconds`, the length of a run under control, for quick or full, and whatever else is its own
#   list_runs           (a function) calls add_run for each run; reads workloads, targets and repeat
#   write_report        (a function) writes the report from the runs, with lib/report.sh
#   group_names         where a run has several groups of workloads: what the iteration records of each are called, one after the other
#   own_options         see below, or nothing
# and then call `batch "$@"`. What they may have: own_options, a text for --help, with take_option NAME VALUE, which returns 1 for a name that it
# doesn't know; model_of WORKLOAD, sssim's model of it, which makes --simulate an option; check_runs, which refuses what this machine (that of the runs) can't do, before
# a batch is begun; prepare_runs, which makes files in $output that runs need;
# in_environments=yes, if runs may be put into containers and guests: then list_runs is called for each $environment; published_report and published_as, see lib/publish.sh.

. "$root/tools/bench/lib/publish.sh"
. "$root/tools/bench/lib/bursts.sh"
. "$root/tools/experiments/lib/quoted.sh"
. "$root/tools/experiments/lib/run.sh"
. "$root/tools/experiments/lib/publish.sh"
. "$root/tools/experiments/lib/cluster.sh"
. "$root/tools/experiments/lib/slurm.sh"
. "$root/tools/experiments/lib/parallel.sh"

experiments=$root/tools/experiments
tab=$(printf '\t')

trouble() {
	printf 'tools/experiments/%s: %s\n' "$experiment" "$*" >&2
	exit 125
}

usage() {
	cat <<END
usage: tools/experiments/$experiment [OPTION]...
$summary
  -q, --quick             minutes on two processors (this is what is done without -q or -f)
  -f, --full              the papers' durations
  -w, --workloads LIST    out of tools/experiments/workload list ($default_workloads)
$([ -z "$default_targets" ] || echo "  -l, --targets LIST      target loads in percent ($default_targets${quick_targets:+; quick: $quick_targets})")
  -n, --repeat N          how often each run is made ($default_repeat)
  -t, --time SECONDS      length of a run under control, instead of what -q or -f mean
$own_options$([ "${in_environments-}" != yes ] || printf '%s' '
  -I, --in LIST           out of native,lxc,qemu: on the host itself, each side of a run in a container, or in a guest of its own (native)')
  -u, --warm-up SECONDS   before that, uncontrolled (${warm_up_help:-what the file of each workload says; with --full 180}); or WORKLOAD=SECONDS,... for some
  -R, --random SEED       in random order, the same for the same seed
  -c, --cool-down SECONDS wait so long between runs (2; with --full 20)
  -o, --output DIR        where everything goes (results/$experiment)
  -r, --resume            go on with the batch in DIR: complete runs are kept, the others made
  -d, --dry-run           print the runs and how long they take together; run nothing
  -p, --report            make no run; write the report of those that are there
      --publish           write the tables into tools/bench/README.md as well, where that has a block for them, and keep the small CSV files
                          they come from in tools/experiments/measured; refuses what other programs measured, or another machine, and batches that lack runs
  -B, --build DIR         where the programs are (build/demo, which is built first when it isn't given)
  -F, --force             also on a machine that is busy
      --slurm[=OPTIONS]   as a job array of Slurm, a node for each task; OPTIONS are sbatch's, separated by blanks
      --parallel LOGINS   by ssh on these machines, separated by commas, one task at a time on each (GNU parallel's --sshlogin)
      --per-node WHAT     what stays on one node, or on nodes of one kind: the runs of a workload, of a setting, or any (workload)
  -h, --help              print this
DIR/$experiment.html and DIR/$experiment.md say what came out. DIR/joblog has a line per run as GNU parallel writes them, DIR/runs a folder per run with
its command, log, iteration records and record. An interruption loses at most the run that is under way.
For --slurm and --parallel, DIR, the build and this checkout lie in a folder that all of the machines share, under one name.
Ends with 0, with 1 when a run failed, with 125 on trouble, and with 130 or 143 when it was interrupted.
END
}

# Seconds for all workloads, or WORKLOAD=SECONDS,... for these.
take_warm_ups() { # OPTION VALUE
	case $2 in *=*) ;; *) number_from "$1" "$2" 0 && warm_up_s=$2 && return ;; esac
	for word in $(printf '%s' "$2" | tr ',' ' '); do
		case $word in *=*) number_from "$1" "${word#*=}" 0 ;; *) trouble "$1: '$word': expected WORKLOAD=SECONDS" ;; esac
		warm_ups="$warm_ups $word"
	done
}
warm_up_for() { # WORKLOAD
	for word in $warm_ups; do
		[ "${word%%=*}" != "$1" ] || echo "${word#*=}"
	done
}

# What is left out here is left to each workload: its file says how long it needs.
choose_warm_up() {
	[ -z "$warm_up_s" ] || return 0
	case $mode in quick) warm_up_s=$quick_warm_up ;; full) warm_up_s=$full_warm_up ;; esac
}

# in_seconds TIME, such as 1M30s: as showstopper reads it.
in_seconds() {
	printf '%s\n' "$1" | awk '{
		split("n 1e-9 ns 1e-9 u 1e-6 us 1e-6 m 1e-3 ms 1e-3 s 1 M 60 min 60 h 3600 d 86400", word, " ")
		for (i = 1; i in word; i += 2) factor[word[i]] = word[i + 1]
		for (rest = $0; match(rest, /^[0-9.]+/); rest = substr(rest, RLENGTH + 1)) {
			number = substr(rest, 1, RLENGTH)
			rest = substr(rest, RLENGTH + 1)
			match(rest, /^[a-zA-Z]*/)
			unit = substr(rest, 1, RLENGTH)
			seconds += number * (unit == "" ? 1 : factor[unit])
		}
		print seconds + 0
	}'
}

# Of each workload a file with its class, instances and warm-up in seconds: it is asked for often.
look_at_workloads() {
	for word in $warm_ups; do
		case " $workloads " in *" ${word%%=*} "*) ;; *) trouble "--warm-up: '${word%%=*}' is none of $workloads" ;; esac
	done
	for workload in $workloads; do
		case $workload in */* | *_* | *.workload) trouble "--workloads: '$workload': expected a name without / and _, as its runs are called by it; SHOWSTOPPER_WORKLOADS is for folders" ;; esac
		class=$("$experiments/workload" show "$workload" class) && instances=$("$experiments/workload" show "$workload" instances) &&
			warm_up=$("$experiments/workload" show "$workload" warmup) || exit 125
		{
			printf 'class=%s\nwanted=%s\n' "$class" "$instances"
			case $instances in P) instances=$processors ;; esac
			printf 'instances=%s\n' "$instances"
			own=$(warm_up_for "$workload")
			echo "warmup=${own:-${warm_up_s:-$(in_seconds "$warm_up")}}"
		} >"$temporary/$workload"
	done
}
class_of() {
	sed -n 's/^class=//p' "$temporary/$1"
}
instances_of() {
	sed -n 's/^instances=//p' "$temporary/$1"
}
# A number, or P for as many as a group has processors.
wanted_of() {
	sed -n 's/^wanted=//p' "$temporary/$1"
}
# WORKLOAD or WORKLOAD/WORKLOAD...: the longest.
warm_up_of() {
	for one in $(printf '%s' "$1" | tr / ' '); do sed -n 's/^warmup=//p' "$temporary/$one"; done | sort -g | tail -n 1
}

# add_run LABEL WORKLOAD INSTANCES SECONDS OPTION...: the label is the run's folder; its parts are joined by _. Of several environments each has a
# folder, which is then put before the label. A run of several groups has a workload
# and instances for each, joined by /, and options for all of it and then for each group, with a word : between them. P instances are as many as
# showstopper starts when it isn't told.
add_run() {
	run_label=$folder_of_environment$1 run_workload=$2 run_instances=$3 run_seconds=$4
	shift 4
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$run_label" "$run_workload" "$run_instances" "$(warm_up_of "$run_workload")" "$run_seconds" \
		"$([ "$simulated" = yes ] && echo sssim || echo "$environment")" "$*"
}

# Once, or the rows of one report would tell of different things.
make_list() {
	for environment in $environments; do
		folder_of_environment=
		[ "$several" = no ] || folder_of_environment=$environment/
		list_runs || exit 125
	done | if [ -n "$order" ]; then
		awk -v seed="$order" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' | sort -n | cut -f 2-
	else
		cat
	fi
}

folder_of() { # LABEL
	case $1 in */*) echo "$output/${1%/*}/runs/${1##*/}" ;; *) echo "$output/runs/$1" ;; esac
}
is_complete() {
	[ -d "$(folder_of "$1")" ]
}

# Seconds that the runs of a list take that are not complete.
time_left() {
	while IFS=$tab read -r label _ _ warm_up length _; do
		is_complete "$label" || echo "$warm_up $length"
	done <"$1" | awk -v cool_down="$cool_down" '{ sum += $1 + $2 + 1 + cool_down } END { printf "%d", sum }'
}

as_time() {
	awk -v s="$1" 'BEGIN { if (s >= 3600) printf "%d h %02d min", s / 3600, s % 3600 / 60; else if (s >= 60) printf "%d min %02d s", s / 60, s % 60; else printf "%d s", s }'
}

prepare_build() {
	if [ -z "$build" ]; then
		build=$root/build/demo
		"$root/tools/setup" experiments || exit 125
		mkdir -p "$build" || trouble "can't make $build"
		{
			cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF && cmake --build "$build"
		} >"$build/build.log" 2>&1 || {
			cat "$build/build.log" >&2
			trouble "the build failed"
		}
	fi
	build=$(cd -- "$build" && pwd) || exit 125
	for program in showstopper ssburn ssiterate ssreport sssim cpuload; do
		[ -x "$build/$program" ] || trouble "$build/$program isn't there"
	done
	java=$build/java
}

check_machine_of_runs() {
	! command -v check_runs >/dev/null || check_runs
}

prepare_workloads() {
	for workload in $workloads; do
		missing=$("$experiments/workload" missing "$workload" | tr '\n' ' ') || exit 125
		[ -z "$missing" ] || trouble "workload $workload: missing: $missing"
	done
	# shellcheck disable=SC2086 # names
	"$experiments/workload" build-java --java "$java" $workloads || exit 125
}

# Two idle seconds: what other programs do at the moment.
check_idle() {
	other=$("$build/cpuload" 2s 1 | awk -F, 'END { printf "%.1f", 100 * $3 }')
	awk -v load="$other" 'BEGIN { exit !(load > 5) }' || return 0
	[ "$force" = yes ] || trouble "the machine is busy ($other % before anything was started); --force measures all the same"
	echo "warning: the machine is busy ($other %); the numbers say little" >&2
}

controller=
end_run() {
	[ -n "$controller" ] || return 0
	kill -TERM "$controller" 2>/dev/null
	wait "$controller" 2>/dev/null
	controller=
}
interrupted() {
	trap '' INT TERM HUP
	end_run
	printf '\ninterrupted; --resume goes on\n' >&2
	exit "$1"
}

run_all() {
	total=$(wc -l <"$output/runs.tsv")
	number=0
	failed=0
	ran=no
	# Descriptor 3, since a run must not read the list.
	while IFS=$tab read -r label workload instances warm_up length how options <&3; do
		number=$((number + 1))
		if is_complete "$label"; then continue; fi
		[ "$ran" = no ] || sleep "$cool_down"
		ran=yes
		left=
		[ "$simulated" = yes ] || left=", $(as_time "$(time_left "$output/runs.tsv")") left"
		printf '[%d/%d] %s%s\n' "$number" "$total" "$label" "$left"
		one_run "$number" "$label" "$workload" "$instances" "$warm_up" "$length" "$how" "$options" || failed=$((failed + 1))
	done 3<"$output/runs.tsv"
}

choose_environments() { # OPTION LIST
	[ "${in_environments-}" = yes ] || trouble "unexpected argument '$1' (--help says more)"
	environments=
	for environment in $(printf '%s' "$2" | tr , ' '); do
		case $environment in native | lxc | qemu) ;; *) trouble "$1: '$environment' is none of native, lxc, qemu" ;; esac
		case " $environments " in *" $environment "*) trouble "$1: $environment is given twice" ;; esac
		environments="$environments${environments:+ }$environment"
	done
	case $environments in '') trouble "$1: expected some of native, lxc, qemu" ;; *' '*) several=yes ;; esac
}

number_from() { # OPTION VALUE LEAST
	case $2 in '' | *[!0-9]*) trouble "$1: '$2' is no whole number from $3" ;; esac
	[ "$2" -ge "$3" ] || trouble "$1: '$2' is no whole number from $3"
}

# One run after the other, on this machine.
run_here() {
	if [ "$(time_left "$output/runs.tsv")" -gt 0 ]; then
		if [ ! -e "$output/machine.txt" ] || [ "$simulated" = yes ] || same_machine; then :; else
			[ "$force" = yes ] || trouble "$output was begun on another machine or kernel ($output/machine.txt); --force goes on all the same"
			echo "warning: $output was begun on another machine or kernel; its runs can't be compared" >&2
		fi
		[ "$simulated" = yes ] || check_idle
		describe_machine >"$output/machine.txt"
	fi
	trap 'interrupted 130' INT
	trap 'interrupted 143' TERM HUP
	run_all
	trap - INT TERM HUP
}

batch() {
	mode=quick workloads=$default_workloads targets='' repeat=$default_repeat output='' build='' order='' cool_down='' time=''
	publish=no slurm=no slurm_options='' logins='' per_node=workload task='' nodes_processors=''
	called=$(quoted_words "$experiments/$experiment" "$@")
	publish_begin "tools/experiments/$experiment" "$@"
	dry_run=no resume=no force=no report_only=no simulated=no warm_up_s='' warm_ups='' quick_warm_up='' full_warm_up=180
	environments=native several=no published_as=$experiment
	processors=$(nproc)
	while [ $# -gt 0 ]; do
		case $1 in
		-q | --quick) mode=quick ;;
		-f | --full) mode=full ;;
		-r | --resume) resume=yes ;;
		-d | --dry-run) dry_run=yes ;;
		-p | --report) report_only=yes ;;
		--publish) publish=yes ;;
		-F | --force) force=yes ;;
		--slurm) slurm=yes ;;
		--slurm=*) slurm=yes slurm_options=${1#*=} ;;
		-h | --help)
			usage
			exit 0
			;;
		-w | --workloads | -l | --targets | -n | --repeat | -t | --time | -u | --warm-up | -R | --random | -c | --cool-down | -o | --output | -B | --build | \
			-I | --in | --parallel | --per-node | --processors | --task)
			[ $# -ge 2 ] || trouble "$1 needs a value"
			case $1 in
			-w | --workloads) workloads=$(printf '%s' "$2" | tr ',' ' ') ;;
			-l | --targets)
				[ -n "$default_targets" ] || trouble "unexpected argument '$1' (--help says more)"
				targets=$(printf '%s' "$2" | tr ',' ' ')
				[ -n "$targets" ] || trouble "$1: expected loads in percent"
				;;
			-n | --repeat) number_from "$1" "$2" 1 && repeat=$2 ;;
			-t | --time) number_from "$1" "$2" 2 && time=$2 ;;
			-R | --random) number_from "$1" "$2" 0 && order=$2 ;;
			-u | --warm-up) take_warm_ups "$1" "$2" ;;
			-c | --cool-down) number_from "$1" "$2" 0 && cool_down=$2 ;;
			-o | --output) output=$2 ;;
			-B | --build) build=$2 ;;
			-I | --in) choose_environments "$1" "$2" ;;
			--parallel) logins=$2 ;;
			--per-node)
				case $2 in workload | setting | any) per_node=$2 ;; *) trouble "$1: '$2' is none of workload, setting, any" ;; esac
				;;
			# What a node is told.
			--processors) number_from "$1" "$2" 1 && nodes_processors=$2 ;;
			--task) number_from "$1" "$2" 1 && task=$2 ;;
			esac
			shift
			;;
		-S | --simulate)
			# Only for who has a model of its workloads.
			command -v model_of >/dev/null || trouble "unexpected argument '$1' (--help says more)"
			simulated=yes
			;;
		*)
			if [ $# -ge 2 ] && [ -n "$own_options" ] && take_option "$1" "$2"; then
				shift
			else
				trouble "unexpected argument '$1' (--help says more)"
			fi
			;;
		esac
		shift
	done
	if [ -z "$targets" ]; then case $mode in quick) targets=${quick_targets:-$default_targets} ;; full) targets=$default_targets ;; esac fi
	for target in $targets; do
		printf '%s\n' "$target" | awk '!/^[0-9]+(\.[0-9]+)?$/ || $1 <= 0 || $1 > 100 { exit 1 }' ||
			trouble "--targets: '$target' is no load in percent, above 0 and at most 100"
	done
	[ -n "$cool_down" ] || case $mode in quick) cool_down=2 ;; full) cool_down=20 ;; esac
	[ -n "$output" ] || output=$root/results/$experiment
	choose_machines
	half=$(awk -v processors="$processors" 'BEGIN { printf "%g", processors / 2 }')
	settings "$mode"
	[ -z "$time" ] || seconds=$time

	temporary=$(mktemp -d) || exit 125
	trap 'rm -rf "$temporary"' EXIT
	list=$temporary/list.tsv
	choose_warm_up
	look_at_workloads
	make_list >"$list"
	[ -s "$list" ] || trouble "there is nothing to run"
	if [ "$dry_run" = yes ]; then
		while IFS=$tab read -r label workload instances warm_up length how options; do
			case $how in lxc | qemu) inside="in $how, " ;; *) inside= ;; esac
			printf '%s: %s%s instances of %s, warm-up %s s, %s s with %s\n' "$label" "$inside" "$instances" "$workload" "$warm_up" "$length" "$options"
		done <"$list"
		total="$(as_time "$(output=/nonexistent && time_left "$list")")"
		[ "$simulated" = no ] || total='simulated'
		printf '%d runs, %s\n' "$(wc -l <"$list")" "$total"
		! is_on_cluster || show_tasks "$list"
		exit 0
	fi

	if [ -n "$task" ]; then
		prepare_build
		check_machine_of_runs
		run_task
		[ "$failed" -eq 0 ] || exit 1
		exit 0
	fi
	if [ "$publish" = yes ]; then
		[ "$several" = no ] || command -v published_report >/dev/null || trouble '--publish: expected one environment'
		publish_look tools/bench/README.md "experiments-$published_as"
	fi
	if [ "$report_only" = no ] && [ -e "$output/runs.tsv" ] && [ "$resume" = no ]; then
		trouble "$output holds a batch; --resume goes on with it, or choose another --output"
	fi
	if [ "$publish" = yes ] && [ -e "$output/runs.tsv" ]; then
		same_list
		look_at_measured
	fi
	mkdir -p "$output/runs" || trouble "can't make $output"
	output=$(cd -- "$output" && pwd) || exit 125
	if [ "$report_only" = no ] && [ "$simulated" = no ] && ! is_on_cluster; then
		# Two batches on one machine would measure each other; what runs elsewhere must not share a folder.
		lock "$experiments/lib/batch.sh" 'of this checkout'
		remove_left
	fi
	prepare_build
	if [ "$report_only" = no ]; then
		is_on_cluster || check_machine_of_runs
		# In this order, so that a batch is begun as a whole or not at all.
		if [ -e "$output/runs.tsv" ]; then
			same_list
		else
			cp "$list" "$output/runs.tsv.new" && mv "$output/runs.tsv.new" "$output/runs.tsv" || trouble "can't write $output/runs.tsv"
			printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' >"$output/joblog"
			publish_revision >"$output/revision"
		fi
		if [ "$simulated" = yes ] || is_on_cluster; then lock "$output/runs.tsv" "in $output"; fi
		[ "$simulated" = yes ] || prepare_workloads
		prepare_environments
		if command -v prepare_runs >/dev/null; then prepare_runs || trouble "can't prepare the runs"; fi
		if is_on_cluster; then
			run_on_cluster 9<&-
		else
			run_here 9<&-
		fi
	else
		[ -e "$output/runs.tsv" ] || trouble "$output holds no batch"
		failed=0
	fi
	write_reports || trouble "no report could be written"
	printf 'Report: %s\n' "$output/$experiment.html"
	if [ "$publish" = yes ]; then
		publish_report
	fi
	[ "$failed" -eq 0 ] || exit 1
}

same_list() {
	cmp -s "$list" "$output/runs.tsv" || trouble "$output was begun with other options; repeat them, or choose another --output"
}

same_machine() {
	kernel_and_processors >"$temporary/machine"
	grep -E '^(kernel|processors): ' "$output/machine.txt" | sort -u | cmp -s - "$temporary/machine"
}

lock() { # FILE WHERE
	exec 9<"$1"
	flock -n 9 || trouble "another experiment $2 is running"
}

# What a batch that was killed has not removed itself.
remove_left() {
	for part in "$output"/runs/*.part "$output"/*/runs/*.part; do
		[ ! -e "$part/environment" ] || "$experiments/environment" remove "$(cat "$part/environment")" "$part"
	done
}

# Of several, each has a folder like that of a batch of its own, with its list.
prepare_environments() {
	for environment in $environments; do
		lacking=$("$experiments/environment" missing "$environment" | paste -s -d , - | sed 's/,/, /g')
		[ -z "$lacking" ] || trouble "--in $environment: missing: $lacking"
		[ "$several" = yes ] || continue
		mkdir -p "$output/$environment/runs" || trouble "can't make $output/$environment"
		sed -n "s,^$environment/,,p" "$output/runs.tsv" >"$output/$environment/runs.tsv"
	done
}

# What may not change within a batch.
kernel_and_processors() {
	uname -sr | sed 's/^/kernel: /'
	printf 'processors: %s, %s\n' "$processors" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
}

describe_machine() {
	date '+date: %Y-%m-%d %H:%M'
	kernel_and_processors
	awk '/^MemTotal/ { printf "memory: %.0f GiB\n", $2 / 1048576 }' /proc/meminfo
	"$build/showstopper" --version | sed 's/^/showstopper: /'
	if command -v java >/dev/null; then java -version 2>&1 | head -n 1 | sed 's/^/java: /'; fi
	if [ "$simulated" = yes ]; then
		echo 'simulated: by sssim, in virtual time'
	else
		printf 'load before the first run: %s %%\n' "$other"
	fi
}

# Of several environments each has a report of its own, in its folder, beside that of all.
write_reports() {
	if [ "$several" = no ]; then
		write_report
		return
	fi
	whole=$output
	reported=
	for environment in $environments; do
		output=$whole/$environment
		[ -n "$(complete_runs)" ] || continue
		cp "$whole/machine.txt" "$output/" 2>/dev/null
		# What one lacks should not cost the others their reports.
		if (write_report); then
			reported="$reported $environment"
		else
			echo "tools/experiments/$experiment: no report of the runs in $environment could be written" >&2
			failed=$((failed + 1))
		fi
	done
	output=$whole
	[ -n "$reported" ] || trouble 'no run is complete and of use'
	report_environments
}

# Labels of the list whose run is complete.
complete_runs() {
	while IFS=$tab read -r label _; do
		if is_complete "$label"; then printf '%s\n' "$label"; fi
	done <"$output/runs.tsv"
}
