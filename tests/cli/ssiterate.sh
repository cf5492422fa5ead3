#!/bin/sh
# SPDX-License-Identifier: MIT
# ssiterate: options, records, lines of programs, pass-through, signals, ends.
# shellcheck disable=SC2317,SC2016 # functions that wait_until calls; scripts for sh -c
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE

# expect_records FILE INSTANCE COUNT: a header, then so many whole records of the instance, numbered, whose times don't go back.
expect_records() {
	[ "$(head -n 1 "$1")" = instance,iteration,start_s,end_s,status,time_unix_s ] || fail "$what: header of $1"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: the last line of $1 is not whole"
	expect_lines "$1" $(($3 + 1))
	awk -F, -v instance="$2" '
		NR == 1 { next }
		!/^[0-9]+,[0-9]+,[0-9]+\.[0-9]+,[0-9]+\.[0-9]+,[0-9]+,[0-9]+\.[0-9]+$/ { exit 1 }
		$1 != instance || $2 != NR - 2 || $3 < last || $4 < $3 { exit 1 }
		{ last = $4 }' "$1" || { fail "$what: records of $1"; head -20 "$1"; }
}

# Options that are refused, with nothing started and no file made.
refused() {
	expected=$1
	shift
	run ssiterate -o refused.csv "$@"
	expect_trouble "$expected"
	[ ! -e refused.csv ] || fail "$what: made its output"
	rm -f refused.csv
	[ ! -e started ] || fail "$what: started the command"
	rm -f started
}
refused "^ssiterate: expected a command"
refused "^ssiterate: expected a command" --
refused "^ssiterate: -n: '0' is out of range: expected a whole number, from 1 to" -n 0 touch started
refused "^ssiterate: --match: '\(' is no extended regular expression: [[:upper:]][[:lower:]]+ " -m '(' touch started
refused "^ssiterate: --match-start: '\[' is no extended regular expression: [[:upper:]][[:lower:]]+ " -m x --match-start '[' touch started
refused "^ssiterate: found --match-start without --match" --match-start x touch started
refused "^ssiterate: found --format and --match, expected one of them" -f dacapo -m x touch started
refused "^ssiterate: found --format and --match-start, expected one of them" -f dacapo --match-start x touch started
refused "^ssiterate: found --stream without" --stream stdout touch started
refused "^ssiterate: found --keep-going and --match" -k -m x touch started
refused "^ssiterate: --output and --export-json: both would be written to standard output: expected" -o - --export-json - touch started
export SHOWSTOPPER_INSTANCE=two
refused "^ssiterate: SHOWSTOPPER_INSTANCE: 'two' is malformed: expected a whole number" touch started
unset SHOWSTOPPER_INSTANCE
run ssiterate -o nowhere/log touch started
expect_trouble "^ssiterate: nowhere/log: can't write iteration records: No such file"
run ssiterate -o /dev/full touch started
expect_trouble "^ssiterate: /dev/full: can't write iteration records: No space left"
run ssiterate --export-json nowhere/json touch started
expect_trouble "^ssiterate: can't write nowhere/json: No such file"
[ ! -e started ] || fail "$what: started the command"

# Outputs are neither one another nor the command, nor what that reads or writes; and what is refused leaves them as they were.
cp /bin/true program
echo kept >kept.csv
echo kept >kept.json
for arguments in '-o kept.csv --export-json ./kept.csv' '-o new.csv --export-json ./new.csv'; do
	name=${arguments##*/}
	# shellcheck disable=SC2086
	run ssiterate $arguments touch started
	expect_trouble "^ssiterate: --output and --export-json: both would be written to $name, which is also ./$name: expected"
done
for option in -o --export-json; do
	run ssiterate $option program ./program
	expect_trouble '^ssiterate: --(output|export-json): program is the command: expected another file$'
	run sh -c "exec ssiterate $option kept.csv cat <kept.csv"
	expect_trouble '^ssiterate: --(output|export-json): kept.csv is standard input: expected another file$'
	run sh -c "exec ssiterate $option kept.csv touch started >>kept.csv"
	expect_trouble '^ssiterate: --(output|export-json) and standard output: both would be written to kept.csv: expected'
done
run ssiterate -o kept.csv --export-json kept.json ./nosuch
expect_status 127
expect_lines err 1
run ssiterate -o kept.csv --export-json nowhere/json touch started
expect_trouble "^ssiterate: can't write nowhere/json: No such file"
[ "$(cat kept.csv kept.json)" = "$(printf 'kept\nkept')" ] || fail 'an output of a refused command line was emptied'
cmp -s program /bin/true || fail 'the command was harmed'
if [ -e started ] || [ -e new.csv ]; then fail 'something was started or made although outputs are one'; fi
rm program kept.csv kept.json

# Help and manual name the same options.
run ssiterate --help
expect_status 0
expect_lines err 0
sed -En 's/^  (-.,|   ) --([a-z-]+).*/\2/p' out | sort >in_help
sed -n 's/^\.It .*Fl \\-\([a-z\\-]*\).*/\1/p' "$source/tools/ssiterate/ssiterate.1" | sed 's/\\//g' | sort >in_manual
cmp in_help in_manual || fail "options of --help and manual differ: $(diff in_help in_manual)"
run ssiterate -V
expect_status 0
expect_text out '^ssiterate [0-9]+\.[0-9]+'
for option in --help --version; do
	run sh -c "ssiterate $option >/dev/full"
	expect_trouble "^ssiterate: can't write standard output: No space left"
done

# Each run is an iteration.
run ssiterate -q -n 5 -o log -- sh -c 'echo "run $SHOWSTOPPER_INSTANCE"; echo error >&2'
expect_status 0
expect_lines out 5
expect_lines err 5
expect_records log 0 5
run ssiterate -n 2 -i 7 -o log true
expect_status 0
expect_records log 7 2
run env SHOWSTOPPER_INSTANCE=11 ssiterate -n 2 -o log true
expect_records log 11 2
run ssiterate -n 3 true
expect_status 0
run ssiterate -n 3 -o log sleep 0.2
awk -F, 'NR > 1 && $4 - $3 < 0.2 { exit 1 }' log || fail "$what: sleep 0.2 took less"

# A run that fails ends it, and its status is the command's; it is no iteration, unless it is to keep going.
run ssiterate -q -o log -- sh -c 'echo >>count; [ $(wc -l <count) -lt 4 ] || exit 42'
expect_status 42
expect_lines err 0
expect_records log 0 3
run ssiterate -o log -- sh -c 'kill -USR1 $$'
expect_status 138
expect_records log 0 0
# Those that fail are counted by themselves, and in no figure.
run ssiterate -k -n 20 -o log --export-json json -- sh -c 'echo >>run; case $(($(wc -l <run) % 4)) in 0) kill $$ ;; 1) exit 3 ;; esac'
expect_status 0
expect_records log 0 20
expect_text err '^  Failed:              10 of 20$'
[ "$(sed 1d log | cut -d, -f5 | paste -s -d ' ' -)" = "$(yes '3 0 0 143' | head -n 5 | paste -s -d ' ' -)" ] || { fail "$what: another status"; cat log; }
sed 1d log | awk -F, '$5 == 0 { print $4 - $3; sum += $4 - $3 } END { print sum / 10 }' >taken
jq -e '.results[0] | .iterations == 20 and .failed == 10' json >found || { fail "$what: failures"; cat json; }
jq -r '.results[0] | .times[], .mean' json | paste taken - | awk '{ off += ($1 - $2) ^ 2 > 1e-11 } END { exit off || NR != 11 }' || { fail "$what: times"; cat json; }
run ssiterate -k -n 4 false
expect_status 0
expect_lines err 2
expect_text err '^  Failed:              4 of 4$'
run ssiterate -o log nonexistent-command
expect_status 127
expect_text err "^ssiterate: can't execute 'nonexistent-command': No such file or directory"
run ssiterate -k /etc/passwd
expect_status 126
expect_text err "^ssiterate: can't execute '/etc/passwd': Permission denied"
run ssiterate -k -n 9 -o log -- sh -c 'echo >>again; [ $(wc -l <again) -lt 3 ] || rm -f ./tool'
expect_status 0

# What has come of all iterations: the figures of the records, for people and for programs; times are in the order in which they were taken.
run ssiterate -n 4 -i 3 -o log --export-json json -- sh -c 'echo; sleep 0.0$(echo 3142 | cut -c $(wc -l <log))'
expect_status 0
expect_lines err 3
expect_text err '^ssiterate: instance 3: 4 iterations of sh$'
expect_text err '^  Time \(mean ± σ\):     [0-9]+\.[0-9] ms ± [0-9]+\.[0-9] ms$'
expect_text err '^  Range \(min … max\):   [0-9]+\.[0-9] ms … [0-9]+\.[0-9] ms$'
awk -F, 'NR > 1 { print $4 - $3 }' log >durations
jq -r '.results[0] | [.command, .instance, .iterations, (.times | length)] | @tsv' json >found
printf 'sh -c echo; sleep 0.0$(echo 3142 | cut -c $(wc -l <log))\t3\t4\t4\n' | cmp -s - found || { fail "$what: the record"; cat json; }
jq -r '.results[0] | .times[], .mean, .stddev, .median, .min, .max' json | paste -s >found
# The records have whole microseconds.
sort -g durations | paste -s - durations | awk -v found="$(cat found)" '
	function near(a, b) { if (a - b > 3e-6 || b - a > 3e-6) exit 1 }
	NR == 1 {
		split(found, f, "\t")
		mean = ($1 + $2 + $3 + $4) / 4
		for (i = 1; i <= 4; i++) squares += ($i - mean) ^ 2
		near(f[5], mean); near(f[6], sqrt(squares / 3)); near(f[7], ($2 + $3) / 2); near(f[8], $1); near(f[9], $4)
	}
	NR > 1 { for (i = 1; i <= 4; i++) near(f[i], $i) }' || { fail "$what: figures"; cat durations json; }
run ssiterate -q -n 1 --export-json - true
expect_status 0
expect_lines err 0
jq -e '.results[0] | .stddev == null and .mean == .median and .times == [.mean]' out >found || { fail "$what: one time"; cat out; }
run ssiterate -n 1 true
expect_lines err 2
expect_text err '^ssiterate: 1 iteration of true$'
expect_text err '^  Time: +[0-9.]+ (s|ms|µs)$'
run ssiterate --export-json json -m never echo x
expect_status 0
expect_lines err 1
expect_text err '^ssiterate: 0 iterations of echo$'
jq -e '.results[0] | .iterations == 0 and .mean == null and .times == []' json >found || { fail "$what: no time"; cat json; }
run ssiterate -q -n 1 --export-json /dev/full true
expect_trouble "^ssiterate: can't write /dev/full: No space left"
run sh -c 'trap "" XFSZ; ulimit -f 1; exec ssiterate -q -n 90 --export-json json true'
expect_trouble "^ssiterate: can't write json: File too large"
[ ! -s json ] || fail "$what: left half a record"
# Standard error keeps what is in it.
echo before >shared
run sh -c 'ssiterate -q -n 1 --export-json /dev/stderr true 2>>shared'
expect_status 0
[ "$(head -n 1 shared)" = before ] || fail "$what: emptied standard error"

# Iterations from lines: the program's output passes unchanged, whatever is in it.
run ssiterate -q -m '^done' -o log -- sh -c 'echo done 1; echo not done; echo done 2 >&2; printf "done 3"; exit 6'
expect_status 6
[ "$(cat out)" = "$(printf 'done 1\nnot done\ndone 3')" ] || fail "$what: standard output"
[ "$(cat err)" = "done 2" ] || fail "$what: standard error"
expect_records log 0 3
run ssiterate -m '^done$' --stream stderr -o log -- sh -c 'printf "done\n"; printf "done\r\n" >&2'
expect_records log 0 1
run ssiterate -m '^done' --stream stdout -o log -- sh -c 'echo done; echo done >&2; echo done >&2'
expect_records log 0 1
run ssiterate -m end --match-start begin -o log -- sh -c 'echo end; echo begin; sleep 0.3; cat /proc/uptime >uptime; echo begin
	echo end; echo end; echo begin; echo end and begin; echo end; echo begin'
expect_status 0
expect_records log 0 3
awk -F, -v mark="$(cut -d' ' -f1 uptime)" 'NR == 2 && $3 < mark - 0.02 { exit 1 }' log || fail "$what: began with the first begin"
head -c 300000 /dev/urandom >noise
run ssiterate -m x -- cat noise
expect_status 0
cmp out noise || fail "$what: output differs"
run sh -c 'ssiterate -m x -- cat noise | { sleep 0.5; cat; }'
cmp out noise || fail "$what: output differs behind a slow reader"
run ssiterate -m 'x$' -o log -- sh -c 'head -c 200000 /dev/zero; echo x; echo x; printf "\0x\n"'
expect_records log 0 2 # of a line only its beginning is looked at

# Nobody reads: the command gets what it would get without ssiterate.
run sh -c 'ssiterate -m x -o log -- sh -c "while echo x; do :; done" | head -n 3'
expect_lines out 3
# … and that is nothing to speak of.
run env --default-signal=PIPE sh -c 'ssiterate -q -m x -- yes x | head -n 3'
expect_lines out 3
expect_lines err 0
run sh -c 'ssiterate -q -m x -- sh -c "echo x; sleep 0.2; echo y" >/dev/full'
expect_trouble "^ssiterate: can't write standard output: No space left"

# DaCapo.
cat >dacapo <<'END'
#!/bin/sh
echo "Using scaled threading model. 2 processors detected, 1 threads used to drive the workload" >&2
echo "===== DaCapo 9.12-MR1 luindex starting warmup 1 =====" >&2
echo "===== DaCapo 9.12-MR1 luindex completed warmup 1 in 1812 msec =====" >&2
echo "===== DaCapo evaluation-git+309e1fa luindex starting =====" >&2
echo "===== DaCapo evaluation-git+309e1fa luindex PASSED in 812 msec =====" >&2
echo "===== DaCapo 9.12 luindex starting =====" >&2
echo "===== DaCapo 9.12 luindex FAILED =====" >&2
END
chmod +x dacapo
run ssiterate -q -f dacapo -o log ./dacapo
expect_status 0
expect_lines err 7
expect_records log 0 2

# With -m the end is that of the command, although a descendant writes more than can be read.
{
	status=0
	timeout 10 ssiterate -q -m '^request done' -o endless.csv -- sh -c 'yes "request done" & sleep 0.2' || status=$?
	echo "$status" >ended
} | dd of=/dev/null bs=64k 2>/dev/null
[ "$(cat ended)" = 0 ] || fail "a descendant that goes on writing: status $(cat ended), expected 0"

# -n and --time end a command that is running, and its descendants.
run ssiterate -m x -n 3 -o log -- sh -c 'while :; do echo x; sleep 0.05; done'
expect_status 0
expect_records log 0 3
# … but no more of them are recorded than were asked for, also where more come in one piece.
for text in 'x\nx\nx\nx\nx\n' 'x\nx\nx\nx'; do
	run ssiterate -m x -n 3 -o log -- printf "$text"
	expect_status 0
	[ "$(cat out)" = "$(printf %b "$text")" ] || fail "$what: output differs"
	expect_records log 0 3
	expect_text err '^ssiterate: 3 iterations of printf$'
done
run ssiterate --time 0.5s -o log -- sh -c 'echo $$; sleep 300 & echo $!; wait'
expect_status 0
expect_records log 0 0
while read -r process; do
	[ ! -e "/proc/$process" ] || grep -q '^State:.Z' "/proc/$process/status" || fail "$what: left process $process"
done <out
run ssiterate --time 0.5s --grace 0.2s -- sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done'
expect_status 0
[ ! -e "/proc/$(cat out)" ] || fail "$what: left its command"
run ssiterate --time 0.6s -o log sleep 0.1
expect_status 0
[ "$(wc -l <log)" -ge 2 ] || fail "$what: recorded nothing"

# Signals: passed on to the command; ssiterate ends by the same one, with whole records.
for name in TERM INT HUP; do
	start_background env --default-signal=INT \
		ssiterate -o log -- sh -c "trap 'echo got $name; exit 0' $name; while :; do sleep 0.02; done"
	sleep 0.3
	kill -s $name "$background"
	wait_background
	case $name in TERM) expected=143 ;; INT) expected=130 ;; HUP) expected=129 ;; esac
	expect_status "$expected"
	expect_text out "^got $name"
	expect_records log 0 0
done
start_background ssiterate -o log sleep 0.02
wait_until has_records 3
kill -TERM "$background"
wait_background
expect_status 143
expect_records log 0 $(($(wc -l <log) - 1))
start_background ssiterate -- sh -c "trap 'echo got it; exit 3' USR1; while :; do sleep 0.02; done"
sleep 0.3
kill -USR1 "$background"
wait_background
expect_status 3
expect_text out '^got it'
start_background nohup ssiterate -n 2 -o log sleep 0.3
sleep 0.2
kill -HUP "$background"
wait_background
expect_status 0
expect_records log 0 2

# Ctrl-C of a terminal reaches the command in its process group by itself. One in a session of its own it doesn't reach, nor does ssiterate pass it on.
cat >interrupted <<'END'
trap 'echo x >>interrupts' INT
: >ready
until [ -e over ]; do sleep 0.02; done
exit 9
END
if command -v script >/dev/null; then
	terminal 'ssiterate -q -- sh ./interrupted'
	wait_until test -e ready
	ctrl_c
	wait_until test -s interrupts
	: >over
	wait_background
	expect_status 130
	expect_lines interrupts 1
	rm ready over interrupts
	terminal 'ssiterate -q -- setsid sh ./interrupted'
	wait_until test -e ready
	ctrl_c
	sleep 0.4
	: >over
	wait_background
	expect_status 130
	[ ! -e interrupts ] || fail "$what: passed Ctrl-C on"
else
	missing bsdutils terminals
fi

# Killed: the kernel kills the command.
start_background ssiterate -- sh -c 'sleep 300 & echo "$$ $!" >pid; wait'
wait_until test -s pid
read -r process child <pid
kill -KILL "$background"
wait_background
is_gone() {
	[ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"
}
wait_until is_gone "$process"
kill "$child" # the command's own child has lost its parent and is nobody's but ours

# Being stopped and continued at any moment is harmless.
start_background ssiterate -n 40 -o log sh -c 'echo x'
stops=0
while [ $stops -lt 100 ] && kill -STOP "$background" 2>/dev/null; do
	stops=$((stops + 1))
	sleep 0.01
	kill -CONT "$background" 2>/dev/null
	sleep 0.005
done
wait_background
expect_status 0
expect_lines out 40
expect_records log 0 40
start_background ssiterate -m x -n 200 -o log -- \
	sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); echo "x $i"; sleep 0.002; done'
stops=0
while [ $stops -lt 100 ] && kill -STOP "$background" 2>/dev/null; do
	stops=$((stops + 1))
	sleep 0.01
	kill -CONT "$background" 2>/dev/null
	sleep 0.005
done
wait_background
expect_status 0
expect_records log 0 200
awk '{ if ($2 != NR) exit 1 }' out || fail "$what: output has gaps"

# A full disk: said once, the work goes on, no line is damaged.
run sh -c "trap '' XFSZ; ulimit -f 1; exec ssiterate -q -n 40 -o log true"
expect_trouble '^ssiterate: log: iteration records are being lost: File too large'
# The row that stands for those that are missing may have room.
sed '$ { /^0,,/d; }' log >whole
lines=$(wc -l <whole)
if [ "$lines" -lt 5 ] || [ "$lines" -gt 20 ]; then fail "$what: log has $lines lines in 512 bytes"; fi
expect_records whole 0 $((lines - 1))

# As rows of standard output that nobody reads any more, which the output is called, not "-".
run env --default-signal=PIPE sh -c '{ ssiterate -q -n 40 -o - true; echo $? >&2; } | head -n 1'
expect_text err '^ssiterate: standard output: iteration records are being lost: Broken pipe$'
expect_lines out 1

# Standard descriptors that are closed are not taken for files.
run sh -c 'ssiterate -m x -n 1 -o log -- sh -c "echo x; echo error >&2" >&- 2>&- <&-'
expect_status 0
expect_records log 0 1

# With showstopper, any program is a benchmark.
if command -v xz >/dev/null && command -v showstopper >/dev/null; then
	head -c 200000 /dev/urandom >file
	run showstopper -q -n 4 -c open -T 100% -r 5s --stdout /dev/null ssiterate -o it.%.csv -- xz -k -c file
	expect_status 0
	for i in 0 1 2 3; do
		what="showstopper ssiterate xz"
		expect_records "it.$i.csv" $i $(($(wc -l <"it.$i.csv") - 1))
	done
	[ "$(cat it.?.csv | wc -l)" -gt 8 ] || fail "no iterations in 5 s: $(cat it.?.csv)"
else
	missing xz-utils
fi

expect_described ssiterate

finish
