# SPDX-License-Identifier: MIT
# Sourced by the tests of whole programs. A test is a shell script that ends with `finish`.
#   build, source   where the programs and the sources are
#   work            an empty folder, removed at the end; the current folder at the start
#   run CMD…        runs under a time limit; leaves $status, and the files out and err
#   expect_…        checks that say what was expected and what was found; the script goes on and fails at the end
#   left_out WHY    a part can't be tried on this machine; the script goes on, and unless something fails CTest counts it as skipped
#   terminal COMMAND…            runs on a terminal of its own, whose keyboard is written to (ctrl_c)
#   skip WHY        the same for all of it
#   let_pass FILE RATES…         the columns of this made-up /proc/stat pass from now on as the clock does, and let_stand ends that
#   without_leak_check           for scripts that kill processes of showstopper
#   missing PACKAGE [PART]       the same for what a package of Debian lacks that tools/setup check installs. Where tools/check has run that
#                   (SHOWSTOPPER_TEST_PACKAGES=yes, or tests, for those of tools/setup tests) it is a failure
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
	case ${SHOWSTOPPER_TEST_PACKAGES-}:$("$source/tools/setup" --list | awk -v name="$1" '$1 ~ /^(build|demo|tests)$/ && $2 == name { print "installed" }') in
	yes:* | tests:installed) fail "the package $1 is missing${2:+: $2}" ;;
	tests:*) printf 'left to tools/check --all: the package %s%s\n' "$1" "${2:+: $2}" ;;
	*) left_out "the package $1 is missing (tools/setup check installs it)${2:+: $2}" ;;
	esac
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

# let_pass FILE RATES…: the columns of its processors grow by so much of the clock, such as user=0.8,steal=0.1,idle=0.1; `still' is none. With a
# number and a colon in front the rates are those of one processor (0:idle=1), else of all. Called again it changes the rates. Everything else in FILE stays
# as it is, also its columns but for zeros in front; so it is to be written before. It is written in place, in one write, as long each time.
let_pass() {
	stat_file=$1
	shift
	echo "$*" >passing.new
	mv passing.new passing
	if [ -z "$passing" ]; then
		first_of_all='chrt -f 2'
		$first_of_all true 2>/dev/null || first_of_all=
		$first_of_all python3 -c "$pass" "$stat_file" passing </dev/null >passing.err 2>&1 &
		passing=$!
	fi
	wait_until cmp -s passing passing.seen
}

let_stand() {
	rm -f passing passing.seen
	[ -z "$passing" ] || wait "$passing"
	passing=
}

passing=
pass='
import os, sys, time

NAMES = "user nice system idle iowait irq softirq steal".split()
path, control = sys.argv[1:]
parent = os.getppid()
with open(path) as file:
    lines = file.read().splitlines(True)
cpus = {}  # by the number of the line: the processor, none in the first line, and its numbers
for number, line in enumerate(lines):
    words = line.split()
    if words and words[0].startswith("cpu") and line.endswith("\n"):
        cpus[number] = (words[0][3:], words[1:])
passed = {cpu: [0.0] * len(NAMES) for cpu, _ in cpus.values() if cpu}
rates = {cpu: {} for cpu in passed}


def parse(words):
    for word in words:
        cpu, _, each = word.rpartition(":")
        rate = {} if each == "still" else {NAMES.index(name): float(share) for name, share in (one.split("=") for one in each.split(","))}
        for each in [cpu] if cpu else rates:
            rates[each] = rate


def text():
    out = list(lines)
    for number, (cpu, begun) in cpus.items():
        grown = passed[cpu] if cpu else [sum(column) for column in zip(*passed.values())]
        numbers = [
            "%0*d" % (max(10, len(was)), int(was) + (int(grown[i] * 100 + 1e-6) if grown and i < len(NAMES) else 0)) for i, was in enumerate(begun)
        ]
        out[number] = " ".join(["cpu" + (cpu or " "), *numbers]) + "\n"
    return "".join(out).encode()


file = os.open(path, os.O_WRONLY)
asked = seen = None
last = time.monotonic()
while os.getppid() == parent:
    try:
        with open(control) as asking:
            asked = asking.read()
    except FileNotFoundError:
        break
    now = time.monotonic()
    for cpu, rate in rates.items():
        for column, share in rate.items():
            passed[cpu][column] += share * (now - last)
    last = now
    os.pwrite(file, text(), 0)
    if asked != seen:
        parse(asked.split())
        with open(control + ".said", "w") as answer:
            answer.write(asked)
        os.replace(control + ".said", control + ".seen")
        seen = asked
    time.sleep(0.005)
'

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
