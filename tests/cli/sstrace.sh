#!/bin/sh
# SPDX-License-Identifier: MIT
# sstrace: compiling, canonical text, --info, --check, ready traces, refusals, output that can't be written.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# run_with FILE CMD…: as run, with the file on stdin.
run_with() {
	input=$1
	shift
	what=$*
	timeout -k 5 "$limit" "$@" >out 2>err <"$input"
	status=$?
}

expect_same() {
	cmp -s "$1" "$2" || fail "$what: $1 and $2 differ"
}

# The paper's trace, as printed there.
sstrace >saw.bin <<END
0 1/10
20s 6/10
40s 1/10
1M 9/10
80s 4/10
100s 9/10
2M 1/10
END
# 24 bytes of header, 7 records of 16, 4 of checksum.
[ "$(wc -c <saw.bin)" -eq 140 ] || fail "saw.bin has $(wc -c <saw.bin) bytes, expected 140"
cat >saw.text <<END
0n 0.10000000000000001
20000000000n 0.59999999999999998
40000000000n 0.10000000000000001
60000000000n 0.90000000000000002
80000000000n 0.40000000000000002
100000000000n 0.90000000000000002
120000000000n 0.10000000000000001
END

run sstrace --text saw.bin
expect_status 0
expect_same out saw.text
run_with saw.bin sstrace -t
expect_same out saw.text
run_with saw.bin sstrace --text -
expect_same out saw.text
run sstrace --text "$source/traces/saw.trace"
expect_same out saw.text
# Either form to either form.
run sstrace saw.text
expect_same out saw.bin
run sstrace saw.bin
expect_same out saw.bin
run sstrace --text saw.text
expect_same out saw.text
# A pipe instead of a file.
what='a pipe'
# shellcheck disable=SC2002 # the pipe is the point
cat saw.bin | sstrace | cat | sstrace --text >out
expect_same out saw.text

mkfifo fifo
cat saw.bin >fifo &
run sstrace --text fifo
expect_status 0
expect_same out saw.text
wait

# Canonical text with everything there is.
printf 'interpolate step\n0n free\n1n 0\n1n 1\n9223372036854775807n 0.33333333333333331\n' >all.text
run sstrace -o all.bin all.text
expect_status 0
expect_lines out 0
run sstrace --output=all.again --text all.bin
expect_status 0
expect_same all.again all.text
# An output that is there is replaced, not overwritten in part.
cp saw.bin all.bin
printf '0 1\n' | sstrace -o all.bin || fail 'writing over a file'
[ "$(wc -c <all.bin)" -eq 44 ] || fail "all.bin has $(wc -c <all.bin) bytes, expected 44"

# The mean of the saw: 20 s each of 0.35, 0.35, 0.5, 0.65, 0.65, 0.5.
run sstrace --info saw.bin
expect_status 0
expect_lines out 17
expect_text out '^records: 7$'
expect_text out '^length: 2min$'
expect_text out '^interpolation: linear$'
expect_text out '^mean: 0\.5$'
expect_text out '^minimum: 0\.1$'
expect_text out '^maximum: 0\.9$'
expect_text out '^free: 0$'
# Free for 10 of 40 s; 0.2 for 10 s before the first record, then 0.4 for 10 s (held up to the free part) and 0.6 to 1 for 10 s.
printf '10s 0.2\n10s 0.4\n20s free\n30s 0.6\n40s 1\n' >mixed
run sstrace -i mixed
expect_text out '^mean: 0\.466667$'
expect_text out '^minimum: 0\.2$'
expect_text out '^maximum: 1$'
expect_text out '^free: 0\.25$'
printf 'interpolate step\n0 0.2\n30s 1\n40s 0\n' >steps
run sstrace -i steps
expect_text out '^interpolation: step$'
expect_text out '^mean: 0\.4$'
printf '0 10%%\n1m 60%%\n2m 10%%\n' >minutes
run sstrace -i minutes
expect_status 0
expect_text out '^length: 2ms$'
expect_text err "^sstrace: minutes: the trace's length: 2ms is shorter than one sample .*: 2m is 2 milliseconds; 2 minutes are 2M or 2min$"
printf '0 0.7\n' >single
run sstrace -i single
expect_text out '^length: 0s$'
expect_text out '^mean: 0\.7$'
expect_text out '^free: 0$'
printf '0 free\n1M free\n' >uncontrolled
run sstrace -i uncontrolled
expect_text out '^mean: none$'
expect_text out '^minimum: none$'
expect_text out '^maximum: none$'
expect_text out '^free: 1$'
printf '0 free\n' >uncontrolled
run sstrace -i uncontrolled
expect_text out '^mean: none$'
expect_text out '^free: 1$'

run sstrace --check saw.bin
expect_status 0
expect_lines out 0
expect_lines err 0
printf '0 0.5\r\n1m 0.6' >windows
run sstrace --check windows
expect_status 0
printf '0 0.5\n10s 1/2 x\n' >wrong
run sstrace -c wrong
expect_trouble '^sstrace: wrong:2:9: found "x", expected the end of the line$'
expect_lines out 0
run_with wrong sstrace --check
expect_trouble '^sstrace: standard input:2:9: found "x"'

# Nothing comes out of a wrong trace, and an output file stays as it was.
run sstrace -o saw.copy saw.bin
run sstrace -o saw.copy wrong
expect_trouble 'wrong:2:9'
expect_same saw.copy saw.bin

# Damaged files.
head -c 139 saw.bin >short
run sstrace --check short
expect_trouble 'found the end of the file after 139 bytes, expected 140 for 7 records'
{ cat saw.bin; printf x; } >long
run sstrace --check long
expect_trouble 'found 141 bytes, expected 140 for 7 records'
what='sstrace --check <a pipe that is cut off>'
head -c 100 saw.bin | sstrace --check 2>err
status=$?
expect_trouble 'standard input: found the end of the file after 100 bytes'
{ head -c 41 saw.bin; printf '\377'; tail -c +43 saw.bin; } >flipped
run sstrace --text flipped
expect_trouble 'flipped: found the checksum|flipped: record'
expect_lines out 0
: >empty
run sstrace empty
expect_trouble '^sstrace: empty: found nothing, expected a trace: it is empty$'
run sstrace /
expect_trouble '^sstrace: /: found a directory, expected a trace$'
run sstrace nothing.trace
expect_trouble '^sstrace: nothing.trace: No such file or directory$'
run sstrace /dev/zero
expect_trouble '/dev/zero:1:1: found a NUL byte'
truncate -s 10G holes
run sstrace holes
expect_trouble 'holes:1:1: found a NUL byte'
cp saw.bin secret
chmod 0 secret
# As root without the right to read everything.
as=
[ "$(id -u)" -ne 0 ] || as='setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all'
# shellcheck disable=SC2086 # a command with arguments
run $as sstrace secret
expect_trouble 'secret: Permission denied'

# Output that can't be written.
for job in '' --text --info; do
	# shellcheck disable=SC2086 # no word at all when empty
	run sstrace $job -o /dev/full saw.bin
	expect_trouble "can't write /dev/full: No space left on device"
	what="sstrace $job >/dev/full"
	# shellcheck disable=SC2086
	sstrace $job saw.bin >/dev/full 2>err
	status=$?
	expect_trouble "can't write standard output: No space left on device"
done
run sstrace -o missing/x saw.bin
expect_trouble "can't write missing/x: No such file or directory"
run sstrace --text -o saw.bin saw.bin
expect_trouble 'saw.bin is the input'
ln -s saw.bin link
run sstrace --text -o link saw.bin
expect_trouble 'link is the input'
ln saw.bin hard
run sstrace --text -o ./hard saw.bin
expect_trouble '^sstrace: --output: ./hard is the input: expected another file$'
run sh -c 'exec sstrace --text -o saw.bin <hard'
expect_trouble '^sstrace: --output: saw.bin is standard input: expected another file$'
run sh -c 'exec sstrace --text saw.bin >>hard'
expect_trouble '^sstrace: standard output is the input: expected another file$'
for job in '' --text --info; do
	run sh -c "exec sstrace $job saw.bin 1<>hard"
	expect_trouble '^sstrace: standard output is the input: expected another file$'
	run sh -c "exec sstrace $job <saw.bin 1<>hard"
	expect_trouble '^sstrace: standard output is standard input: expected another file$'
done
cmp -s saw.bin saw.copy || fail 'the input was harmed'
[ "$(wc -c <saw.bin)" -eq 140 ] || fail 'the input was harmed'
what='sstrace --help >/dev/full'
sstrace --help >/dev/full 2>err
status=$?
expect_trouble "can't write standard output"
what='sstrace with stdout closed'
sstrace saw.bin >&- 2>err
status=$?
expect_trouble "can't write standard output: Bad file descriptor"
what='sstrace with stdin closed'
sstrace --check <&- 2>err
status=$?
expect_trouble 'standard input: Bad file descriptor'
what='sstrace with stderr closed'
cp saw.bin saw.copy
# shellcheck disable=SC2094 # the point
sstrace -o saw.copy <saw.copy 2>&- # says that this is the input: on no account into it
status=$?
expect_status 125
expect_same saw.copy saw.bin

# Binary stays away from a terminal; text doesn't. `script` provides the terminal.
if command -v script >/dev/null; then
	run script -qec 'sstrace saw.bin' /dev/null
	expect_status 125
	expect_text out 'standard output is a terminal, expected a file or a pipe'
	run script -qec 'sstrace --text saw.bin' /dev/null
	expect_status 0
	expect_text out '^120000000000n 0\.1'
else
	missing bsdutils terminals
fi

# Command line.
run sstrace --version
expect_status 0
expect_text out '^sstrace [0-9]+\.[0-9]+'
run sstrace --tex saw.bin
expect_trouble "unknown option '--tex': expected --text in full"
run sstrace --text -o - saw.bin
expect_status 0
expect_text out '^0n '
run sstrace -o x -o y saw.bin
expect_trouble "found two output files, 'x' and 'y', expected one"
run sstrace --text --info saw.bin
expect_trouble 'found --text and --info, expected one of them'
run sstrace --check -o x saw.bin
expect_trouble 'found --output and --check'
run sstrace saw.bin saw.text
expect_trouble "found a second file, 'saw.text', expected one trace"
run sstrace --text -- saw.bin
expect_status 0

# The man page has the options of --help, and no others.
run sstrace --help
expect_status 0
sed -n 's/^  -\(.\), --\([a-z-]*\).*/\1 \2/p; s/^      --\([a-z-]*\).*/\1/p' out | sort >help.options
sed -n 's/^\.It Fl \(.\) , \\-\([a-z-]*\).*/\1 \2/p; s/^\.It Fl \\-\([a-z-]*\).*/\1/p' "$source/tools/sstrace/sstrace.1" | sort >man.options
[ "$(wc -l <help.options)" -ge 20 ] || fail "--help has $(wc -l <help.options) options"
expect_same help.options man.options

# Ready traces: right, explained, and as long as they say.
for trace in "$source"/traces/*.trace; do
	run sstrace --check "$trace"
	expect_status 0
	what=$trace
	head -n 1 "$trace" >out
	expect_text out '^# .{40}'
done
run sstrace --info "$source/traces/saw.trace"
expect_text out '^length: 2min$'
run sstrace --info "$source/traces/staircase.trace"
expect_text out '^length: 114min$'
expect_text out '^mean: 0\.5$'
run sstrace --info "$source/traces/staircase-warmup.trace"
expect_text out '^length: 124min$'
expect_text out '^mean: 0\.5$'
expect_text out '^free: 0\.0806452$'
run sstrace --info "$source/traces/nine-levels.trace"
expect_text out '^length: 27min$'
expect_text out '^mean: 0\.505556$'
expect_text out '^interpolation: linear$'
# The same levels, held.
run sstrace --info "$source/traces/nine-levels-hold.trace"
expect_text out '^length: 27min$'
expect_text out '^mean: 0\.505556$'
expect_text out '^interpolation: step$'
run sstrace --info "$source/traces/sine.trace"
expect_text out '^length: 1min$'

expect_described sstrace

finish
