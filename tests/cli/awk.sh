#!/bin/sh
# SPDX-License-Identifier: MIT
# Our awk programs and their variables, in all awks that are here; and that no script of tools/ goes on after an awk that failed.
# shellcheck disable=SC2016 # awk programs, and commands of inner shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# ---- Words that one of them keeps for itself -----------------------------------------------------------------------------------

# Variables of all calls: awk -v NAME=…, also in documents.
find "$source/tools" "$source/tests" -type f ! -path '*/fuzz/corpus/*' ! -name '*.svg' -exec grep -hoE -e '-v [A-Za-z_][A-Za-z_0-9]*=' {} + |
	sed 's/^-v //; s/=$//' | sort -u >variables
[ "$(wc -l <variables)" -gt 50 ] || fail "found $(wc -l <variables) variables of awk"
find "$source/tools" "$source/tests" -name '*.awk' ! -path '*/bench/lib/*' >files.awk
libraries=$(find "$source/tools/bench/lib" -name '*.awk' ! -name '*_row.awk' ! -name '*_table.awk' | sed 's/^/-f /' | tr '\n' ' ')
find "$source/tools/bench/lib" -name '*_row.awk' -o -name '*_table.awk' >>files.awk
for awk in mawk gawk; do
	command -v $awk >/dev/null || { missing $awk; continue; }
	while read -r variable; do
		$awk -v "$variable=1" 'BEGIN { exit 0 }' 2>err || fail "$awk -v $variable=: $(head -n 1 err)"
	done <variables
	case $awk in mawk) only_read='-W dump' ;; gawk) only_read=--pretty-print=/dev/null ;; esac
	while read -r program; do
		# shellcheck disable=SC2086 # words
		$awk $only_read $libraries -f "$program" </dev/null >out 2>err || fail "$awk can't read ${program#"$source/"}: $(head -n 1 err)"
	done <files.awk
	# That this finds anything.
	printf 'BEGIN { print 1 +* 2 }\n' >wrong.awk
	# shellcheck disable=SC2086
	if $awk $only_read -f wrong.awk </dev/null >out 2>&1; then fail "$awk read what is no program"; fi
	[ $awk = mawk ] || ! $awk -v "${reserved:=load}=1" 'BEGIN { exit 0 }' 2>err || fail "$awk takes $reserved as a variable"
done

# ---- One that fails --------------------------------------------------------------------------------------------------------------

# script AWK TEXT: runs it as a script of tools/ does, with that awk.
script() {
	mkdir -p "with.$1"
	ln -sf "$(command -v "$1")" "with.$1/awk"
	printf '. "%s/tools/lib/awk.sh"\ntrap "echo cleaned up" EXIT\ntrap "exit 143" TERM\n%s\necho went on\n' "$source" "$2" >script.sh
	run env PATH="$work/with.$1:$PATH" sh ./script.sh
	what="$2, with $1"
}
goes_on() { # TEXT…
	for text do
		script $awk "$text"
		expect_status 0
		expect_lines err 0
		expect_text out '^went on$'
	done
}
ends_with() { # STATUS TEXT…
	wanted=$1
	shift
	for text do
		script $awk "$text"
		expect_status "$wanted"
		expect_text err '^\./script\.sh: awk failed: '
		expect_text out '^cleaned up$'
		expect_no_text out '^went on$'
	done
}
fails="awk 'BEGIN { print 1 >\"/nonexistent/file\" }'"
for awk in mawk gawk; do
	command -v $awk >/dev/null || continue
	goes_on "awk 'BEGIN { exit 0 }'" "awk 'BEGIN { exit 1 }'" "awk 'BEGIN { exit 3 }'" 'above 5.1 5 || exit 1' 'above 5 5.0 && exit 1' 'above -3 2 && exit 1' \
		'above 10 9 || exit 1' "awk 'BEGIN { for (;;) print }' | head -n 1" 'echo 1 2 | awk "{ print \$2 }" >two; [ "$(cat two)" = 2 ] || exit 1'
	ends_with 125 "$fails" "if $fails; then :; fi" "$fails || echo no"
	ends_with 143 "x=\$($fails)" "$fails | cat" "($fails; :)" "x=\$(echo a | $fails | cat)" "for x in \$($fails); do :; done"
done
# An awk that can't be had, is killed, or says nothing.
mkdir broken
for text in 'exit 1' 'kill -KILL $$' 'exit 127'; do
	printf '#!/bin/sh\n%s\n' "$text" >broken/awk
	chmod +x broken/awk
	printf '. "%s/tools/lib/awk.sh"\nif above 50 5; then echo busy; fi\necho went on\n' "$source" >script.sh
	run env PATH="$work/broken:$PATH" sh ./script.sh
	[ "$status" -ne 0 ] || fail "$what: status 0 with an awk that does: $text"
	expect_text err '^\./script\.sh: awk failed: '
	expect_lines out 0
done

# ---- A machine that is busy ------------------------------------------------------------------------------------------------------

# The programs of this build, and a cpuload that says what it is told.
mkdir programs
for file in "$build"/*; do ln -s "$file" programs/; done
rm programs/cpuload
printf '#!/bin/sh\necho time_s,monotonic_s,load\n! [ -s "%s/load" ] || echo "2.0,100.0,$(cat "%s/load")"\n' "$work" "$work" >programs/cpuload
chmod +x programs/cpuload
for awk in mawk gawk; do
	command -v $awk >/dev/null || continue
	for script in 'bench/accuracy -o out.new' bench/trees bench/validate 'bench/peers -o out.new' 'experiments/accuracy -w burn-single -o out.new'; do
		echo 0.5 >load
		rm -rf out.new
		# shellcheck disable=SC2086 # words
		run env PATH="$work/with.$awk:$PATH" "$source/tools/"$script -B programs
		expect_status 125
		expect_text err '^tools/[a-z/]*: the machine is busy \(50\.0 % before anything was started\); --force measures all the same$'
		: >load
		rm -rf out.new
		# shellcheck disable=SC2086
		run env PATH="$work/with.$awk:$PATH" "$source/tools/"$script -B programs
		expect_status 125
		expect_text err "^tools/[a-z/]*: the load of this machine can't be measured\$"
	done
done

finish
