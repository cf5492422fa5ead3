# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A profile: rows of rates, and beside them FILE.about, what they are of. Sourced by variability.
# shellcheck disable=SC2154 # of variability

# The words of showstopper by which a hand holds one thread at a share of one processor, without that share.
hand_options() { # HAND BANDWIDTH
	case $1 in
	signals | freezer) printf '%s' "-a $1 -c open -D quantum=20m -T $2%" ;;
	quota) printf '%s' "-a quota -A period=20m -c open -T $2%" ;;
	frequency) printf '%s' "--frequency $2% -c open -T 100%" ;;
	esac
}

# Why a hand can't be had here; nothing where it can.
hand_missing() { # HAND
	# shellcheck disable=SC2046 # words
	"$build/showstopper" $(hand_options "$1" 100) -n 1 --dry-run true >/dev/null 2>"$temporary/hand" && return
	sed -n 's/^showstopper: //; /./{p;q;}' "$temporary/hand" | grep . || echo 'showstopper refuses it'
}

# What stands before each command. One processor, so that it is the same for all.
prefix_of() { # HAND BANDWIDTH PROCESSOR
	case $1 in
	none) printf 'taskset -c %s' "$3" ;;
	*)
		printf '%s -q -n 1 --cpus %s %s --when-one-ends stop --grace 2s --placeholder= --' "$(quoted "$build/showstopper")" "$3" \
			"$(hand_options "$1" "$2")"
		;;
	esac
}

settings_of_runner() { # HAND BANDWIDTH PROCESSOR SCRATCH
	printf '%s=%s\n' prefix "$(quoted "$(prefix_of "$1" "$2" "$3")")" seconds "$seconds" limit "$limit" warm "$warm" iterations "$iterations" \
		scratch "$(quoted "$4")" experiments "$(quoted "$experiments")" build "$(quoted "$build")" java "$(quoted "$java")"
}

# What two measurements that continue one another must have in common.
about_wanted() { # HAND BANDWIDTH
	printf '%s: %s\n' environment "$environment" hand "$1" bandwidth_percent "$2" time_s "$seconds" host "$(uname -n)"
	[ "$kind" = methods ] || printf '%s: %s\n' warm_iterations "$warm" iterations "$iterations"
}

value_of() { # KEY FILE.about
	sed -n "s/^$1: //p" "$2" 2>/dev/null | head -n 1
}

# What is missing in FILE, in turn, so that a burst of others is spread over many names.
plan() { # FILE NAMES ROUNDS
	# shellcheck disable=SC2086 # a list
	printf '%s\n' $2 | awk -v rounds="$3" '
		FILENAME != "-" { split($0, part, ","); have[part[1], part[2]] = 1; next }
		{ name[++count] = $1 }
		END { for (r = 1; r <= rounds; r++) for (n = 1; n <= count; n++) if (!((name[n], r) in have)) print name[n], r }' "$1" -
}

# A row that was cut off, and what is there twice.
mend() { # FILE
	awk -F, 'NR == 1 || NF == 3 && $3 + 0 > 0 && !seen[$1, $2]++' "$1" >"$1.new" && mv "$1.new" "$1"
}

# What FILE is of, before it is measured: who goes on with it must do the same.
about() { # FILE HAND BANDWIDTH
	about_wanted "$2" "$3" >"$temporary/wanted"
	if [ ! -e "$1.about" ]; then
		{
			cat "$temporary/wanted"
			printf '%s: %s\n' kind "$kind" processor "$processor" date "$(date -u '+%Y-%m-%d %H:%M UTC')" revision "${published_revision:-unknown}" \
				showstopper "$("$build/showstopper" --version | head -n 1)" busy_before_percent "$other"
		} >"$1.about" || trouble "can't write $1.about"
		return
	fi
	! grep -vFxf "$1.about" "$temporary/wanted" >"$temporary/differs" ||
		trouble "$1 was measured with other options than $(paste -s -d , "$temporary/differs"); repeat its own, or choose another --output"
}

# The machine is what the runner saw, which may be a guest.
about_machine() { # FILE
	grep -q '^model: ' "$1.about" || cat "$temporary/ran.about" >>"$1.about" 2>/dev/null
}

# A name whose rates are missing in the end is only said: others may be complete.
measure() { # FILE NAMES ROUNDS HAND BANDWIDTH
	about "$1" "$4" "$5"
	[ -s "$1" ] || echo "name,repetition,per_second" >"$1" || trouble "can't write $1"
	rm -f "$temporary/ran.about"
	[ "$environment" = native ] || bring_rows "$1"
	mend "$1"
	plan "$1" "$2" "$3" >"$temporary/plan"
	[ -s "$temporary/plan" ] || return 0
	failed=0
	if [ "$environment" = native ]; then run_native "$@"; else run_inside "$@"; fi
	about_machine "$1"
	[ "$failed" -eq 0 ] && return
	incomplete=yes
	echo "tools/experiments/variability: some rates of $1 are missing; --resume tries again" >&2
}

run_native() { # FILE NAMES ROUNDS HAND BANDWIDTH
	rm -rf "$temporary/scratch"
	mkdir "$temporary/scratch"
	settings_of_runner "$4" "$5" "$processor" "$temporary/scratch" >"$temporary/settings"
	# The runner writes beside its rows; these go to where the profile is as they come.
	ln -sf "$(absolute "$1")" "$temporary/ran"
	start_part "$experiments/lib/variability_runner" "$temporary/settings" "$temporary/plan" "$temporary/ran" $$
	wait "$part_process" || failed=1
	part_process=
}

# In an environment all is done by one run of it, whose rows can be seen as they come.
run_inside() { # FILE NAMES ROUNDS HAND BANDWIDTH
	part=$(absolute "$1").run
	mkdir -p "$part" || trouble "can't make $part"
	printf 'machine\t%s\t1\t-\n' "$processor" >"$part/sides"
	printf '%s\n%s\n' "$root" "$build" >"$part/visible"
	within=$processor
	[ "$environment" != qemu ] || within=0
	{
		# shellcheck disable=SC2016 # of the shell inside
		printf 'cat >settings <<\\END && cat >plan <<\\PLAN && exec sh %s ./settings ./plan "$SHARED/rows"\n' \
			"$(quoted "$experiments/lib/variability_runner")"
		# Its own, as in every environment.
		settings_of_runner "$4" "$5" "$within" /tmp
		echo END
		cat "$temporary/plan"
		echo PLAN
	} >"$part/machine.command"
	printf '%s measurements in %s\n' "$(wc -l <"$temporary/plan")" "$environment"
	start_part "$experiments/environment" run "$environment" "$part" $$
	wait "$part_process" || failed=1
	part_process=
	! grep -q '^Emulated' "$part/environment.txt" 2>/dev/null || echo 'The guest is emulated: what is measured is the speed of the emulation.'
	[ "$failed" -eq 0 ] || tail -n 3 "$part/machine/messages.txt" >&2
	bring_rows "$1"
	mend "$1"
}

# Of an environment that was or is: what it has measured.
bring_rows() { # FILE
	left=$(absolute "$1").run
	[ -d "$left" ] || return 0
	"$experiments/environment" remove "$environment" "$left"
	[ ! -e "$left/machine/rows" ] || cat "$left/machine/rows" >>"$1"
	cp "$left/machine/rows.about" "$temporary/ran.about" 2>/dev/null
	about_machine "$1"
	rm -rf "$left"
}

# start_part COMMAND...: ends when this shell does.
start_part() {
	setpriv --pdeathsig TERM "$@" 9<&- &
	part_process=$!
}

methods_of_stress() {
	stress-ng --cpu-method which 2>&1 | sed -n 's/.*must be one of: *//p' | tr ' ' '\n' | grep -vx -e all -e ''
}

choose_methods() {
	methods_of_stress >"$temporary/methods"
	[ -s "$temporary/methods" ] || trouble "stress-ng names no CPU methods; is it installed? (tools/setup experiments)"
	if [ -z "$methods" ]; then
		methods=$(tr '\n' ' ' <"$temporary/methods")
		return
	fi
	for method in $methods; do
		grep -qx -- "$method" "$temporary/methods" || trouble "--methods: stress-ng has no CPU method '$method' ($(paste -s -d ' ' "$temporary/methods"))"
	done
}

# A second one must be asked for.
look_at_output() { # FILE
	[ -n "$1" ] || trouble "$verb: expected --output FILE"
	[ ! -e "$1" ] || [ "$resume" = yes ] || trouble "$1 is there already; --resume goes on with it, or choose another --output"
	[ -d "$(dirname -- "$1")" ] || trouble "$1: there is no folder $(dirname -- "$1")"
}

profile() {
	[ $# -eq 0 ] || trouble "profile: unexpected argument '$1' (--help says more)"
	kind=methods
	choose_methods
	choose_hand
	if [ "$dry_run" = yes ]; then
		# shellcheck disable=SC2086 # a list
		set -- $methods
		printf '%d methods, %d rounds of %d s each, %s, in %s: about %s\n' $# "$rounds" "$seconds" "$(said_hand)" "$environment" \
			"$(as_time $(($# * rounds * seconds)))"
		return
	fi
	look_at_output "$output"
	prepare_to_measure
	measure "$output" "$methods" "$rounds" "$hand" "$bandwidth"
	printf 'Profile: %s\n' "$output"
}
