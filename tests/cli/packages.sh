#!/bin/sh
# SPDX-License-Identifier: MIT
# What a test leaves out for want of a Debian package is a failure in tools/check, which installs them.
# shellcheck disable=SC2016 # lines of tests
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_TEST_PACKAGES

# as_test INSTALLED LINE: what a test of that line comes to.
as_test() {
	printf '. "%s/tests/cli/lib.sh"\n%s\nfinish\n' "$source" "$2" >one.sh
	run env SHOWSTOPPER_TEST_PACKAGES="$1" sh ./one.sh
	what="$2, with packages installed: '$1'"
}
for line in 'missing nosuch' 'missing nosuch pictures' 'skip_missing nosuch'; do
	as_test '' "$line"
	expect_status 77
	expect_text out '^left out: the package nosuch is missing \(tools/setup check installs it\)'
	as_test yes "$line"
	expect_status 1
	expect_text out '^FAIL: the package nosuch is missing'
done
# tools/setup tests installs less: what it leaves out is no failure.
as_test tests 'missing g++'
expect_status 1
expect_text out '^FAIL: the package g\+\+ is missing'
as_test tests 'missing lxc containers'
expect_status 0
expect_text out '^left to tools/check --all: the package lxc: containers$'
# What the machine doesn't permit is skipped all the same.
as_test yes "left_out 'no control groups'"
expect_status 77

# Programs that tests start: all that is installed here, but for one.
mkdir bin
for folder in /bin /usr/bin /usr/sbin; do ln -s "$folder"/* bin/ 2>/dev/null; done
lacks() { # PROGRAM COMMAND…
	mv "bin/$1" lacking 2>/dev/null
	lacked=$1
	shift
	run env PATH="$work/bin" "$@"
	expect_status 77
	expect_text err "left out: $lacked is missing \\(tools/setup [a-z]* installs it\\)\$"
	run env PATH="$work/bin" SHOWSTOPPER_TEST_PACKAGES=yes "$@"
	expect_trouble "^tests/[a-z]*/run: $lacked is missing \\(tools/setup [a-z]* installs it\\)\$"
	mv lacking "bin/$lacked" 2>/dev/null
}
lacks qemu-system-x86_64 "$source/tests/vm/run" -B "$build" half
lacks sbatch "$source/tests/slurm/run" -B "$build" --short

# All that tests name are installed by tools/setup check.
"$source/tools/setup" --list | sed -n 's/^\(build\|demo\|tests\|check\)  *//p' | sort -u >installed
names_in() {
	sed -nE '/^expect_/d; s/^([[:space:]]*|[^#]*(\|\||;|else|then|\)) )(skip_)?missing ([a-z][a-z0-9+.-]+).*/\4/p' "$@" | sort -u
}
find "$source/tests" -name '*.sh' ! -name packages.sh >scripts
# shellcheck disable=SC2046 # names
names_in $(cat scripts) >named
[ "$(wc -l <named)" -ge 10 ] || fail "tests name $(wc -l <named) packages: $(paste -s -d ' ' named)"
comm -13 installed named >others
[ ! -s others ] || fail "tools/setup check doesn't install $(paste -s -d ' ' others)"
# All that those of tools/check name, by tools/setup tests, but for a part of one.
"$source/tools/setup" --list | sed -n 's/^\(build\|demo\|tests\)  *//p' | sort -u >installed
ctest --test-dir "$build" -N -LE '^all$' | sed -n "s,^ *Test *#[0-9]*: cli_\(.*\),$source/tests/cli/\1.sh,p" >scripts
# shellcheck disable=SC2046 # names
names_in $(cat scripts) | comm -13 installed - >others
[ "$(cat others)" = lxc ] || fail "tools/setup tests doesn't install $(paste -s -d ' ' others)"

finish
