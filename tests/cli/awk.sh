#!/bin/sh
# SPDX-License-Identifier: MIT
# Awk programs of ours and their variables, in both awks that Debian has: gawk keeps words such as `load' for itself. And what once failed by that:
# a busy machine is refused by all that measures.
# shellcheck disable=SC2016 # awk programs, and commands of inner shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# ---- Words that one of them keeps for itself -----------------------------------------------------------------------------------

# Variables of all calls: awk -v NAME=…, also in documents.
find "$source/tools" "$source/tests" -type f ! -path '*/fuzz/corpus/*' ! -name '*.svg' -exec grep -hoE -e '-v [A-Za-z_][A-Za-z_0-9]*=' {} + |
	sed 's/^-v //; s/=$//' | sort -u >variables
[ "$(wc -l <variables)" -gt 10 ] || fail "found $(wc -l <variables) variables of awk"
find "$source/tools" "$source/tests" -name '*.awk' >files.awk
for awk in mawk gawk; do
	command -v $awk >/dev/null || { missing $awk; continue; }
	while read -r variable; do
		$awk -v "$variable=1" 'BEGIN { exit 0 }' 2>err || fail "$awk -v $variable=: $(head -n 1 err)"
	done <variables
	case $awk in mawk) only_read='-W dump' ;; gawk) only_read=--pretty-print=/dev/null ;; esac
	while read -r program; do
		# shellcheck disable=SC2086 # words
		$awk $only_read -f "$program" </dev/null >out 2>err || fail "$awk can't read ${program#"$source/"}: $(head -n 1 err)"
	done <files.awk
	# That this finds anything.
	printf 'BEGIN { print 1 +* 2 }\n' >wrong.awk
	# shellcheck disable=SC2086
	if $awk $only_read -f wrong.awk </dev/null >out 2>&1; then fail "$awk read what is no program"; fi
	[ $awk = mawk ] || ! $awk -v "${reserved:=load}=1" 'BEGIN { exit 0 }' 2>err || fail "$awk takes $reserved as a variable"
done

# ---- A machine that is busy ------------------------------------------------------------------------------------------------------

# The programs of this build, and a cpuload that says what it is told.
mkdir programs
for file in "$build"/*; do ln -s "$file" programs/; done
rm programs/cpuload
printf '#!/bin/sh\necho time_s,monotonic_s,load\n! [ -s "%s/load" ] || echo "2.0,100.0,$(cat "%s/load")"\n' "$work" "$work" >programs/cpuload
chmod +x programs/cpuload
# Compilers take long, and Java is not the question.
mkdir without_java
printf '#!/bin/sh\nexit 1\n' >without_java/javac
chmod +x without_java/javac
PATH=$work/without_java:$PATH
for script in bench/trees bench/validate 'bench/peers -o out.new' 'experiments/accuracy -w burn-single -o out.new'; do
	echo 0.5 >load
	rm -rf out.new
	# shellcheck disable=SC2086 # words
	run "$source/tools/"$script -B programs
	expect_status 125
	expect_text err '^tools/[a-z/]*: the machine is busy \(50\.0 % before anything was started\); --force measures all the same$'
	: >load
	rm -rf out.new
	# shellcheck disable=SC2086
	run "$source/tools/"$script -B programs
	expect_status 125
	expect_text err "^tools/[a-z/]*: the load of this machine can't be measured\$"
done

finish
