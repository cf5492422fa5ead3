# SPDX-License-Identifier: MIT
# Sourced by the tests of whole programs. A test is a shell script that ends with `finish`.
#   build, source   where the programs and the sources are
#   work            an empty folder, removed at the end; the current folder at the start
#   run CMD…        runs under a time limit; leaves $status, and the files out and err
#   expect_…        checks that say what was expected and what was found; the script goes on and fails at the end
#   left_out WHY    a part can't be tried on this machine; the script goes on, and unless something fails CTest counts it as skipped
#   terminal COMMAND…            runs on a terminal of its own, whose keyboard is written to (ctrl_c)
#   skip WHY        the same for all of it
#   without_leak_check           for scripts that kill processes of showstopper
#   missing PACKAGE [PART]       the same for what a package of Debian lacks that tools/setup check installs; where that has been run, by tools/check, which
#                   sets SHOWSTOPPER_TEST_PACKAGES=yes, it is a failure
#   skip_missing PACKAGE         the same for all of it

set -u
build=${SHOWSTOPPER_BUILD:?run me through ctest, or set SHOWSTOPPER_BUILD}
# shellcheck disable=SC2034 # for the scripts that source this
source=${SHOWSTOPPER_SOURCE:?}
PATH=$build:$PATH
export PATH
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
background=
trap '[ -z "$background" ] || kill -KILL "$background"; cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1
failures=0
parts_left_out=0
limit=60

fail() {
	failures=$((failures + 1))
	printf 'FAIL: %s\n' "$*"
}

left_out() {
	parts_left_out=$((parts_left_out + 1))
	printf 'left out: %s\n' "$*"
}

# The leak sanitizer stops its process by PTRACE_ATTACH at the end, and a SIGCONT at that moment undoes the stop: both wait for ever. Who
# loses its parent is sent one by the kernel, when it may be on its way out.
without_leak_check() {
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
}

skip() {
	left_out "$*"
	finish
}

missing() {
	if [ "${SHOWSTOPPER_TEST_PACKAGES-}" = yes ]; then
		fail "the package $1 is missing${2:+: $2}"
	else
		left_out "the package $1 is missing (tools/setup check installs it)${2:+: $2}"
	fi
}

skip_missing() {
	missing "$@"
	finish
}

run() {
	what=$*
	timeout -k 5 "$limit" "$@" >out 2>err </dev/null
	status=$?
}

expect_status() {
	[ "$status" -eq "$1" ] || { fail "$what: status $status, expected $1"; sed 's/^/  err: /' err; }
}

# expect_text FILE REGEX: a line of the file matches the extended regular expression.
expect_text() {
	grep -Eq -- "$2" "$1" || { fail "$what: no line of $1 matches '$2'"; sed 's/^/  /' "$1" | head -20; }
}

expect_no_text() {
	if grep -Eq -- "$2" "$1"; then fail "$what: a line of $1 matches '$2'"; fi
}

expect_lines() {
	lines=$(wc -l <"$1")
	[ "$lines" -eq "$2" ] || { fail "$what: $1 has $lines lines, expected $2"; sed 's/^/  /' "$1" | head -20; }
}

# expect_trouble REGEX: refused with status 125 and one line on stderr that matches.
expect_trouble() {
	expect_status 125
	expect_lines err 1
	expect_text err "$1"
}

# start_background COMMAND…: its process is $background; wait_background leaves its $status.
start_background() {
	what=$*
	# Else the files of the command before could be taken for those of this one, until it has been scheduled.
	: >out
	: >err
	"$@" >out 2>err </dev/null &
	background=$!
}

wait_background() {
	wait "$background" 2>/dev/null
	status=$?
	background=
}

# terminal COMMAND: a shell runs it on a terminal of its own, in the background. The keyboard is descriptor 9; the screen is copied to the file `screen`.
terminal() {
	what=$1
	exec 9>&-
	rm -f keyboard screen
	mkfifo keyboard
	# Background processes of a shell are born with SIGINT ignored.
	env --default-signal=INT,QUIT script -q -f -e -c "$1" screen <keyboard >/dev/null 2>&1 &
	background=$!
	exec 9>keyboard
}

ctrl_c() {
	printf '\003' >&9
}

# wait_until COMMAND…: repeats it until it is true, for half a minute.
wait_until() {
	for _ in $(seq 300); do
		if "$@"; then return 0; fi
		sleep 0.1
	done
	fail "$what: waited in vain for: $*"
	return 1
}

# expect_described PROGRAM: --help says of each option what it does.
expect_described() {
	run "$1" --help
	expect_status 0
	expect_no_text out '^ +(-[[:alnum:]], )?--[^ ]+( [^ ]+)?( *|  +[^ ]+)$'
}

# has_records N: the file log has its header and at least so many lines.
has_records() {
	[ -e log ] && [ "$(wc -l <log)" -gt "$1" ]
}

# expect_links FILE…: what these documents link to is there.
expect_links() {
	for linking do
		[ -s "$linking" ] || fail "$linking isn't there"
		sed -En 's/[^]]*\]\(([^)#]*)[^)]*\)/\1\n/gp' "$linking" | sed -n '/^[^ ]*$/{/./p;}' | while read -r link; do
			link=$(dirname "$linking")/$link
			[ -e "$link" ] || echo "$link"
		done >broken
		[ ! -s broken ] || { fail "$linking links to what isn't there:"; cat broken; }
	done
}

finish() {
	[ "$failures" -eq 0 ] || { printf '%s failed\n' "$failures"; exit 1; }
	[ "$parts_left_out" -eq 0 ] || { printf 'parts left out: %s\n' "$parts_left_out"; exit 77; }
	exit 0
}
