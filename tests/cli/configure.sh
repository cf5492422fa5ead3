#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests are built only if that is asked for. Without cmocka or Check everything is built but the tests that need them, and one line says so.
# Completions are made if they are not turned off.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_TEST_PACKAGES

# configured FOLDER LIBRARY…: configures while pkg-config knows these alone, and leaves the names of the tests in the file tests.
configured() {
	folder=$1
	shift
	mkdir "$folder.pc"
	for library do
		printf 'Name: %s\nDescription: x\nVersion: 8\n' "$library" >"$folder.pc/$library.pc"
	done
	PKG_CONFIG_LIBDIR=$work/$folder.pc run cmake -S "$source" -B "$folder" -DBUILD_TESTING=ON
	expect_status 0
	mv out said
	run ctest --test-dir "$folder" -N
	sed -n 's/^ *Test *#[0-9]*: //p' out >tests
}

needs='jansson hwloc libcurl libmicrohttpd'
count=$(find "$source/tests" -path '*/unit/*/test_*.c' -o -path '*/modules/test_*.c' -o -path '*/cli/test_*.c' | wc -l)
# shellcheck disable=SC2086 # a list
configured neither $needs
[ "$(grep -c 'left out' said)" -eq 1 ] || { fail 'not one line says what is left out'; cat said err; }
expect_text said " $count of $count tests in C are left out "
expect_no_text tests '^test_[^ ]*$'
expect_text tests '^test_base_units \(Disabled\)$'
expect_text tests '^cli_sstrace$'
expect_text tests '^replay_units$'
# Where tools/check has installed the packages it is an error.
PKG_CONFIG_LIBDIR=$work/neither.pc run env SHOWSTOPPER_TEST_PACKAGES=yes cmake -S "$source" -B refused -DBUILD_TESTING=ON
[ "$status" -ne 0 ] || fail "$what: $count tests are left out with status 0"
expect_text err " $count of $count tests in C are left out"

# shellcheck disable=SC2086 # a list
configured cmocka $needs cmocka
[ "$(grep -c 'left out' said)" -eq 1 ] || { fail 'not one line says what is left out'; cat said err; }
expect_text tests '^test_base_units$'
expect_text tests '^test_workloads_spawn \(Disabled\)$'

# shellcheck disable=SC2086 # a list
configured both $needs cmocka check
expect_no_text said 'left out'
expect_text tests '^test_ssrequest_schedule$'
[ "$(grep -c '^test_[^ ]*$' tests)" -eq "$count" ] || fail "$(grep -c '^test_' tests) of $count tests in C are there"

# ---- Without libcurl or libmicrohttpd -------------------------------------------------------------------------------------------

# Only ssrequest, its tests, its manual and its completions are left out, and the service of ssburn, which says so.
configured no_curl jansson hwloc cmocka check
[ "$(grep -c 'left out' said)" -eq 1 ] || { fail 'not one line says what is left out'; cat said err; }
expect_text said '^-- Without libcurl, ssrequest is left out '
expect_no_text tests '^test_ssrequest_'
expect_text tests '^test_base_units$'
grep -E 'ssrequest/main|/ssrequest"' no_curl/cmake_install.cmake no_curl/compile_commands.json && fail 'ssrequest would be built or installed without libcurl'
expect_text said '^-- Without libmicrohttpd, ssburn has no --listen '
grep -F tools/ssburn/server.c no_curl/compile_commands.json && fail 'the service of ssburn would be built without libmicrohttpd'
grep -qF tools/ssburn/without_server.c no_curl/compile_commands.json || fail 'nothing stands for the service of ssburn'
# It has all that the rest of ssburn calls, or the build would end where it is linked.
called=$(grep -o 'server_[a-z]*(' "$source/tools/ssburn/server.h")
[ -n "$called" ] || fail 'server.h declares nothing'
for name in $called; do
	grep -qF "$name" "$source/tools/ssburn/without_server.c" || fail "without libmicrohttpd ssburn isn't linked: no $name)"
done
[ ! -e no_curl/completions/bash/ssrequest ] || fail 'completions of ssrequest are made without libcurl'

# ---- Without tests --------------------------------------------------------------------------------------------------------------

PKG_CONFIG_LIBDIR=$work/both.pc run cmake -S "$source" -B plain
expect_status 0
expect_lines err 0
[ "$(grep -c '^-- Tests are left out (-DBUILD_TESTING=ON builds them)$' out)" -eq 1 ] || { fail 'not one line says that there are no tests'; cat out; }
grep -F '"file":' plain/compile_commands.json >compiled
expect_text compiled "$source/src/main\.c\""
expect_no_text compiled "$source/tests/|/skeleton\.c\""
PKG_CONFIG_LIBDIR=$work/both.pc run cmake -S "$source" -B plain -DSHOWSTOPPER_FUZZ=ON
expect_status 1
expect_text err 'SHOWSTOPPER_FUZZ .*expected BUILD_TESTING=ON'

# ---- Completions ----------------------------------------------------------------------------------------------------------------

# completions OPTION…: configures; 0 when completions are made.
completions() {
	rm -rf shells
	PKG_CONFIG_LIBDIR=$work/both.pc run cmake -S "$source" -B shells "$@"
	expect_status 0
	[ -s shells/completions/bash-completion/completions/showstopper ]
}

completions || fail 'no completions are made'
completions -DSHOWSTOPPER_COMPLETIONS=OFF && fail 'completions are made although they were turned off'

finish
