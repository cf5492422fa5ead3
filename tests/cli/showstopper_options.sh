#!/bin/sh
# SPDX-License-Identifier: MIT
# showstopper's command line: what is refused (before anything is started), groups, placeholders, what is printed, redirections.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

# refused REGEX ARG…: status 125 and one line, whatever command follows is not started, and no file appears.
refused() {
	expected=$1
	shift
	run showstopper "$@" touch started
	expect_trouble "^showstopper: $expected"
	expect_lines out 0
	[ ! -e started ] || fail "$what: started a workload"
	rm -f started
}

# The same option with a good value is accepted, so that what is refused is the value.
accepted() {
	run showstopper -T 50% "$@" --dry-run touch started
	expect_status 0
	expect_lines err 0
	[ ! -e started ] || fail "$what: started a workload"
}

# ---- Values -------------------------------------------------------------------------------------------------------------------

# Which values are refused, and how, is in unit/cli/test_command_line.c, unit/module/test_option.c and test_bad_input.c: here is one of each kind.
refused "-n: '1.5' is malformed: expected a whole number, from 1 to 100000" -n 1.5
refused "--grace: '1x' is malformed: expected a time such as" --grace=1x
refused "-r: '0' is out of range: expected a time such as .*, from 1ns to 3650d" -r 0
accepted -n 1 -w 0 --grace 0 -r 1d2h3min4s5ms6us7ns --log-interval 500m --instances 2

for kind in trace feedback control space dithering; do
	refused "--$kind: '' is malformed: expected the name of a module" "--$kind="
	refused "$kind module 'nosuch': no $kind/nosuch.so in .*--list-modules shows what there is" -T 50% "--$kind=nosuch"
	refused "$kind module '../$kind/nosuch': " -T 50% "--$kind=../$kind/nosuch"
	[ "$kind" = trace ] || refused "$kind module '$build/modules/trace/constant.so': .* is a trace module, expected one of kind $kind" \
		-T 50% "--$kind=$build/modules/trace/constant.so"
	refused "$kind module '$source/README.md': " -T 50% "--$kind=$source/README.md"
done
accepted -c "$build/modules/control/geom.so"
refused "--actuator: '' is malformed: expected the name of a module" --actuator=
for name in nosuch signal "$build/modules/control/geom.so" "$source/README.md"; do
	refused "actuator module '$name': expected signals, freezer or quota: actuators are built in, and none is loaded from a file\$" -T 50% -a "$name"
done

# Options of modules.
refused "trace module 'constant': -T: option 'load': '2' is out of range: expected a load from 0 to 1" -T load=2
refused "-l: '2' is out of range: expected a load from 0 to 1, such as [^;]*; 2 per cent is 2%\$" -l 2
refused "-T: '1/0': expected a load from 0 to 1, such as .*, or the name of a trace file: No such file or directory" -T 1/0
refused "-l is missing: give a load, such as -l 40%, or a trace's file, such as -T day.trace\$" -q
refused ".*'load': '40' is out of range: expected a load from 0 to 1, .*; 40 per cent is 40%\$" -T load=40
refused "-T: '40': expected a load from 0 to 1, .*, or the name of a trace file: No such file or directory; 40 per cent is 40%\$" -T 40
refused "-T: 'nosuch.trace': expected a load .*, or the name of a trace file: No such file or directory\$" -T nosuch.trace,speed=2
for other in '-T 40%' '-t constant' '-t file -T x'; do
	# shellcheck disable=SC2086 # words
	refused '-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD$' $other --load 40%
done
echo '0 10%' >1.trace
for name in hand.txt /hand 1.trace; do
	refused ".*'$name' is malformed: expected a load .*; a trace in a file: -t file -T $name\$" -t constant -T "$name"
done
refused ".*'1.5x' is malformed: expected a load from 0 to 1, such as [^;]*\$" -t constant -T 1.5x
refused "space module 'even': -S: unknown option 'a': there are no options" -T 50% -S a=1
refused "control module 'rbpid': -C: option 'ke': '1001' is out of range: expected a number, from 0 to 1000" -T 50% -c rbpid -C ke=1001
refused "dithering module 'averageq': -D: option 'quantum': '1u' is out of range: expected a time .*, from 1ms to 1h" -T 50% -d averageq -D 1u
refused "feedback module 'realtime': /proc/stat has none of the processors of option 'cpus'" -T 50% -F cpus=1000

# A wrong trace: file, line, column, what was found, what was expected.
printf '0 10%%\n10s 110%%\n' >wrong.trace
refused "trace module 'file': wrong.trace.*2.*5.*110%" -t file -T wrong.trace
refused "trace module 'file': nosuch.trace.*No such file" -t file -T nosuch.trace
refused "trace module 'file': -T is missing: give file=FILE \(trace to replay, compiled by sstrace or text\)\$" -t file
: >empty.trace
refused "trace module 'file': empty.trace" -t file -T empty.trace
printf '0 10%%\n10s 20%%\n' >right.trace
accepted -t file -T right.trace
refused "trace module 'file': wrong.trace.*2.*5.*110%" -T wrong.trace
# Without -t a load, or else a file.
cp right.trace 50%
for line in '-T right.trace,speed=2|file file=right.trace,speed=2,' '-T ./50%|file file=\./50%,' '-T 50%|constant load=0\.5$' '-l 50%|constant load=0\.5$'; do
	# shellcheck disable=SC2086 # words
	run showstopper ${line%|*} --dry-run touch started
	expect_status 0
	expect_text out "^trace: ${line#*|}"
done
rm 50%

# A FIFO is a trace when its writer has closed it; until then it is said what is waited for, and it can be ended.
mkfifo fifo
cat right.trace >fifo &
accepted -t file -T fifo
expect_text out '^trace length: 10s$'
wait
start_background showstopper -T fifo -n 1 touch started
wait_until test -s err
kill "$background"
wait_background
expect_text err '^showstopper: fifo: still waiting for the end of the trace, before which nothing is started$'
[ ! -e started ] || fail "$what: started a workload"
rm fifo

accepted --require error=1,mse=12
accepted --require others=3 -F container=no
refused "--require: others: can.t be known, as feedback module 'workloads' measures a part of the machine here" --require=others=3 -f workloads -T 50%

accepted --progress never
refused "nowhere/log: can't write the log: No such file" -T 50% -o nowhere/log
refused ".: can't write the log: Is a directory" -T 50% -o .
for option in --export-json --export-csv; do
	refused "nowhere/record: can't write the record: No such file" -T 50% "$option" nowhere/record
done

refused "nowhere/out: can't write the workloads' standard output: No such file" -T 50% --stdout nowhere/out
refused "nowhere/err.0: can't write the workloads' standard error: No such file" -T 50% --stderr nowhere/err.%
refused "--chdir: nowhere: No such file or directory" -T 50% --chdir nowhere
refused "--chdir: right.trace: Not a directory" -T 50% --chdir right.trace

# ---- Names of options ---------------------------------------------------------------------------------------------------------

refused "unknown option '--run': expected --run-time in full" --run 3s
refused "unknown option '-Z'" -qZ
refused "--quiet: takes no value" --quiet=yes
run showstopper
expect_trouble "^showstopper: a command is missing: expected one, such as showstopper -l 40% ssburn"

# Options end at the first word that is none, or at --.
run showstopper -T 50% -n 1 --dry-run echo -n 5 --help
expect_status 0
expect_text out "^workload 0: echo -n 5 --help\$"
run showstopper -T 50% -n 1 --dry-run -- echo -- x
expect_status 0
expect_text out "^workload 0: echo -- x\$"

# ---- Groups -------------------------------------------------------------------------------------------------------------------

run showstopper -T 50% --dry-run -n 2 echo a% : -n 1 printf b% : -n 8 echo c%
expect_status 0
expect_text out "^workload 00: echo a00\$"
expect_text out "^workload 01: echo a01\$"
expect_text out "^workload 02: printf b02\$"
expect_text out "^workload 03: echo c03\$"
expect_text out "^workload 10: echo c10\$"
[ "$(grep -c '^workload' out)" -eq 11 ] || fail "$what: not 11 workloads"

# -n doesn't carry over; the default is the number of processors.
usable=$(nproc --all)
run showstopper -T 50% --dry-run -n 7 echo a : echo b
expect_status 0
[ "$(grep -c ': echo a$' out)" -eq 7 ] || fail "$what: not 7 of the first group"
own=$(grep -c ': echo b$' out)
if [ "$own" -lt 1 ] || [ "$own" -gt "$usable" ]; then fail "$what: $own of the second group, expected 1 to $usable"; fi

run showstopper -T 50% touch started : -n 2
expect_trouble "^showstopper: group 1 is empty"
run showstopper -T 50% touch started : --log x touch started
expect_trouble "^showstopper: option '--log' must stand before the first command"
run showstopper -T 50% -n 60000 touch started : -n 60000 touch started
expect_trouble "^showstopper: 120000 workloads are too many"
[ ! -e started ] || fail "$what: started a workload"

run showstopper -T 50% --dry-run --separator=++ -n 1 echo : a ++ -n 1 echo b
expect_status 0
expect_text out "^workload 0: echo : a\$"
expect_text out "^workload 1: echo b\$"
run showstopper -T 50% --dry-run --separator= -n 1 echo a : -n 1 echo b ''
expect_status 0
expect_text out "^workload 0: echo a : -n 1 echo b ''\$"
expect_no_text out "^workload 1"

# ---- Placeholders -------------------------------------------------------------------------------------------------------------

expect_workload() {
	expect_text out "^workload 0*$1: $2\$"
}
run showstopper -T 50% --dry-run -n 10 echo scratch.% 50%% %%%-%
expect_status 0
expect_workload 0 'echo scratch.0 50% %0-0'
expect_workload 9 'echo scratch.9 50% %9-9'
run showstopper -T 50% --dry-run -n 12 echo scratch.% 50%%
expect_status 0
expect_workload 0 'echo scratch.00 50%'
expect_workload 11 'echo scratch.11 50%'
run showstopper -T 50% --dry-run -n 101 echo %
expect_status 0
expect_workload 7 'echo 007'
expect_workload 100 'echo 100'
run showstopper -T 50% --dry-run -n 1 --placeholder=@@ echo a@@b @@@@ @ %
expect_status 0
expect_workload 0 'echo a0b @@ @ %'
run showstopper -T 50% --dry-run -n 1 --placeholder= echo % %%
expect_status 0
expect_workload 0 'echo % %%'

# What programs themselves write with percent signs reaches them unchanged; what was replaced is said.
run showstopper -T 50% --dry-run -n 12 echo it.%.csv date +%H:%M
expect_workload 11 'echo it.11.csv date \+%H:%M'
expect_text out '^replaced in group 0: it\.%\.csv becomes it\.00\.csv$'
expect_no_text out 'replaced.*date'
run showstopper -T 50% --dry-run --stdout out.% --stderr err.%a -n 2 true % : -n 1 echo 50%% %
expect_text out '^replaced in group 0: % becomes 0$'
expect_text out '^replaced in group 1: 50%% becomes 50%$'
expect_text out '^replaced in group 1: % becomes 2$'
expect_text out '^replaced in --stdout: out\.% becomes out\.0$'
expect_no_text out 'replaced in --stderr'
run showstopper -T 50% --dry-run --stdout all.% -n 2 true : --stdout own.% --stderr err.% -n 10 true : -n 1 true
expect_text out '^replaced in --stdout: all\.% becomes all\.00$'
expect_text out '^replaced in --stdout of group 1: own\.% becomes own\.02$'
expect_text out '^replaced in --stderr of group 1: err\.% becomes err\.02$'
expect_no_text out 'of group [02]'
# shellcheck disable=SC2016 # the workloads' shell expands
run showstopper -q -v -T 100% -c open -n 1 sh -c 'x=abc; echo "${x%c}" "$1"; date +%Hh; awk "BEGIN { printf \"%s %.1f\n\", 1, 2 }"' sh it.%
expect_status 0
expect_text out '^ab it\.0$'
expect_text out '^[0-9][0-9]h$'
expect_text out '^1 2\.0$'
expect_text err '^showstopper: replaced in group 0: it\.% becomes it\.0$'
run showstopper -q -T 100% -c open -n 1 echo %
expect_no_text err replaced

# Never in the command's name, also when it is run. (A duty cycle of 1, since a busy machine may leave no load for less.)
cat >'a%' <<'END'
#!/bin/sh
echo "$1 $SHOWSTOPPER_INSTANCE" >"seen.$SHOWSTOPPER_INSTANCE"
END
chmod +x 'a%'
run showstopper -q -T 100% -c open -n 11 ./a% x%
expect_status 0
for number in 0 1 2 3 4 5 6 7 8 9 10; do
	printf 'x%02d %d\n' "$number" "$number" | cmp -s - "seen.$number" || fail "$what: instance $number saw '$(cat "seen.$number" 2>&1)'"
done

# ---- Commands that can't be run -----------------------------------------------------------------------------------------------

run showstopper -T 50% -n 1 no-such-command-anywhere
expect_status 127
expect_lines err 1
expect_text err "^showstopper: no-such-command-anywhere: command not found"
run showstopper -T 50% -n 1 touch started : ./nosuch
expect_status 127
expect_lines err 1
run showstopper -T 50% -n 1 ''
expect_status 127
expect_lines err 1
run showstopper -T 50% -n 1 ./right.trace
expect_status 126
expect_lines err 1
expect_text err "^showstopper: ./right.trace: Permission denied"
run showstopper -T 50% -n 1 touch started : .
expect_status 126
# The interpreter of a script.
printf '#!%s/right.trace\n' "$work" >script
chmod +x script
run showstopper -T 50% -n 4 ./script
expect_status 126
expect_text err "script: its interpreter .*/right\.trace: Permission denied$"
expect_lines err 1
printf '#!/no/such/interpreter\n' >script
run showstopper -T 50% -n 4 ./script
expect_status 127
expect_text err "script: its interpreter /no/such/interpreter: No such file or directory$"
expect_lines err 1
# What only exec finds out: one that counts from the folder of the moment.
printf '#!no/such/interpreter\n' >script
run showstopper -T 50% -n 4 ./script
expect_status 127
expect_text err "script: No such file or directory$"
expect_lines err 1
[ ! -e started ] || fail "a workload was started beside one that can't be run"

# ---- What is printed ----------------------------------------------------------------------------------------------------------

run showstopper -T 50% -c rbpid -d averageq --dry-run -n 2 touch started
expect_status 0
expect_lines err 0
expect_text out '^trace: constant load=0.5$'
expect_text out '^feedback: realtime base=333ms,.*source=[a-z]+$'
expect_text out '^control: rbpid ke=1,ki=1,peers=2,windup=clamp,integral=common,level=500ms,repay=4s$'
expect_text out '^space: even'
expect_text out '^dithering: averageq quantum=107ms,jitter=0.2,seed=[0-9]*$'
expect_text out '^processors: [1-9]'
expect_text out '^trace length: endless$'
expect_text out '^run time: endless$'
expect_text out '^warm-up: none$'
expect_text out '^required: nothing$'
run showstopper -t file -T right.trace,speed=2 --dry-run -n 1 sh -c "it's \$a
b"
expect_status 0
expect_text out '^trace length: 5s$'
expect_text out '^run time: 5s, as the trace$'
expect_text out "^workload 0: sh -c 'it'\\\\''s \\\$a\$"
[ ! -e started ] || fail "--dry-run started a workload"
run showstopper -T 50% -r 3s -w 2s --require mse=0.5,error=1 --require others=3 --dry-run true
expect_status 0
expect_text out '^run time: 3s$'
expect_text out '^warm-up: 2s$'
expect_text out '^required: error at most 1 pp, mse at most 0\.5 pp², others at most 3 pp$'
# The seed that was picked is recorded and repeats the trace.
run showstopper -t random --dry-run -n 1 true
expect_text out '^trace: random seed=[0-9]+,min=0,max=1,hold=10s,interpolate=step$'
run showstopper --help
expect_status 0
expect_text out '^Usage: showstopper '
[ "$(sed -n '/^Every day:$/,/^$/s/^  //p' out | wc -l)" -eq 10 ] || fail "$what: not ten options of every day"
sed -n '/^Every day:$/{n;p;}' out | grep -q -- '-l, --load=LOAD ' || fail "$what: doesn't begin with the load"
[ "$(grep -Ec '^(Workloads|Modules|Length of the run|Output|Instead of a run):$' out)" -eq 5 ] || fail "$what: not five more headings"
expect_text out '^Options stand before the first .*: -n, --free, --cpus, --pin, --part, --bind, --stdout and --stderr\.$'
run showstopper -V
expect_status 0
expect_text out '^showstopper [0-9]+\.[0-9]+'
run showstopper --help-module control:rbpid
expect_status 0
expect_text out '^control module rbpid, version '
expect_text out '^  ke=NUMBER$'
for name in '' rbpid control: :rbpid control-rbpid contro:rbpid; do
	run showstopper --help-module "$name"
	expect_trouble "^showstopper: --help-module: '$name': expected KIND:NAME"
done
run showstopper --help-module control:nosuch
expect_trouble "^showstopper: control module 'nosuch': no control/nosuch.so"
for arguments in --help --version --list-modules '--help-module control:rbpid' --check-machine '-T 1 --dry-run -n 1 true'; do
	# shellcheck disable=SC2086
	timeout 60 showstopper $arguments >/dev/full 2>err </dev/null
	status=$?
	what="showstopper $arguments >/dev/full"
	expect_trouble "^showstopper: can't write to standard output: No space left"
done

# ---- Where workloads run and what they are connected to -------------------------------------------------------------------------

mkdir folder.0 folder.1
run showstopper -q -T 100% -c open -n 2 --chdir folder.% --stdout out.% --stderr err.% sh -c 'pwd; echo no >&2; readlink /proc/self/fd/0'
expect_status 0
expect_lines out 0
expect_lines err 0
for number in 0 1; do
	printf '%s\n/dev/null\n' "$(cd "folder.$number" && pwd -P)" >expected
	cmp -s expected "out.$number" || fail "$what: out.$number is '$(cat "out.$number" 2>&1)'"
	echo no | cmp -s - "err.$number" || fail "$what: err.$number is wrong"
done
# Those of all groups, and those of one.
rm -f out.* err.*
run showstopper -q -T 100% -c open --chdir folder.0 --stdout all.% --stderr errors -n 1 sh -c 'echo a; echo 1 >&2' : \
	--stdout own.% -n 1 sh -c 'echo b; echo 2 >&2' : -n 1 --stderr - sh -c 'echo c; echo 3 >&2' : --stdout - -n 1 echo d
expect_status 0
expect_lines err 0
[ "$(sort out | paste -sd ' ')" = '3 d' ] || { fail "$what: what goes to standard output"; cat out; }
for line in 'all.0 a' 'own.1 b' 'all.2 c'; do
	[ "$(cat "${line% *}" 2>&1)" = "${line#* }" ] || fail "$what: ${line% *} is '$(cat "${line% *}" 2>&1)'"
done
[ "$(sort errors | paste -sd ' ')" = '1 2' ] || { fail "$what: errors"; cat errors; }
if [ -e all.1 ] || [ -e all.3 ] || [ -n "$(find folder.0 -type f)" ]; then fail "$what: other files"; fi
run showstopper -q -T 50% -n 1 sleep 100 : -n 2 --stderr nowhere/% touch started
expect_trouble '^showstopper: nowhere/1: can.t write the workloads. standard error: No such file or directory$'
[ ! -e started ] || fail "$what: started a workload"
run showstopper -q -T 100% -c open -n 1 --chdir folder.% ./nosuch
expect_status 127
cp /bin/true folder.1/here
run showstopper -q -T 100% -c open -n 1 --chdir folder.1 ./here
expect_status 0

# ---- Milliseconds that were meant to be minutes -----------------------------------------------------------------------------

readings='1ms is shorter than one sample \(500 ms\): 1m is one millisecond; a minute is 1M or 1min$'
printf '0 10%%\n1m 60%%\n2m 10%%\n' >minutes.trace
run showstopper -q -T 50% -r 1ms -n 1 sleep 1000
expect_status 0
expect_text err "^showstopper: --run-time: $readings"
run showstopper -q -T 50% -w 1ms -r 500m -n 1 sleep 1000
expect_status 0
expect_text err "^showstopper: --warmup: $readings"
refused "-r: '1m' is less than 100 ms: expected 1ms where that is meant; a minute is 1min or 1M" -T 50% -r 1m
refused "--warmup: '0.05s' is less than 100 ms: expected 50ms where" -T 50% --warmup 0.05s
accepted -w 0
run showstopper -t file -T minutes.trace --dry-run true
expect_status 0
expect_text out '^trace length: 2ms$'
expect_text err "^showstopper: the trace's length: 2ms is shorter than .* 2 minutes are 2M or 2min$"
rm -f started
refused "--require: --run-time: $readings" -T 50% -r 1ms --require error=5
refused "--require: --warmup: $readings" -T 50% -r 1s -w 1ms --require mse=5
refused "--require: the trace's length: 2ms is shorter" -t file -T minutes.trace --require others=5
accepted -w 1min -r 1M --require error=5
expect_lines err 0

# stdin belongs to a workload that is alone.
echo line >input
what='one workload with stdin'
timeout 60 showstopper -q -T 100% -c open -n 1 cat <input >out 2>err
status=$?
expect_status 0
expect_text out '^line$'
what='two workloads with stdin'
timeout 60 showstopper -q -T 100% -c open -n 2 cat <input >out 2>err
status=$?
expect_status 0
expect_lines out 0
grep -q warning err && fail "$what: warned with -q"
for given in 'cat input | (sleep 0.2; exec showstopper "$@")' 'showstopper "$@" <input' '(sleep 0.3; cat input) | showstopper "$@"'; do
	run sh -c "$given" sh -T 100% -c open -n 2 sleep 1
	expect_status 0
	expect_text err '^showstopper: warning: standard input reaches none of the workloads, .*: -n 1 makes it one'
	[ "$(grep -c 'standard input' err)" = 1 ] || fail "$what: said more than once"
done
run showstopper -T 100% -c open -n 2 true
expect_no_text err 'standard input'
run sh -c 'true | (sleep 0.2; exec showstopper -T 100% -c open -n 2 true)'
expect_no_text err 'standard input'
run sh -c 'showstopper -T 100% -c open -n 1 cat <input'
expect_no_text err 'standard input'
what='two groups with stdin'
timeout 60 showstopper -q -T 100% -c open -n 1 cat : -n 1 cat <input >out 2>err
status=$?
expect_status 0
expect_lines out 0

# --limit: what it stands for, and what it can't stand beside.
run showstopper --limit 20% --dry-run touch started
expect_status 0
expect_text out '^trace: constant load=0\.2'
expect_text out '^feedback: workloads .*processors=1$'
[ "$(grep -c '^workload' out)" = 1 ] || { fail "$what: more than one workload"; cat out; }
run showstopper --limit 150% --dry-run -n 2 touch started
expect_text out '^trace: constant load=0\.75'
expect_text out '^feedback: workloads .*processors=2$'
# What is nearer to the whole number below is rounded up all the same.
run showstopper --limit 120% --dry-run touch started
expect_status 0
expect_text out '^trace: constant load=0\.6$'
expect_text out '^feedback: workloads .*processors=2$'
for value in '' 0 0% -5% abc 20 0.2 20%% % nan% 1e9%; do
	run showstopper --limit "$value" touch started
	expect_trouble "^showstopper: --limit: '$value': expected a share of one processor and a percent sign, such as 20%, or 150% for one and a half\$"
done
for other in '-T 20%' '-l 20%' '-t sine' '-f realtime' '-F share=40m' '-t constant'; do
	# shellcheck disable=SC2086 # two words
	run showstopper --limit 20% $other touch started
	expect_trouble '^showstopper: --limit: expected none of -l, -t, -T, -f and -F with it: it stands for them$'
done
run showstopper --limit 20% -r 1500m --export-json limit.json sh -c 'while :; do :; done'
expect_status 0
expect_text err '^measured  *the workloads alone; 100 % is 1 processor$'
[ "$(jq '.result.target' limit.json)" = 0.2 ] || fail "$what: target $(jq '.result.target' limit.json), expected 0.2"

# The command of --dry-run is as a shell would read it back, whatever its words are of; % would be the instance.
awk 'BEGIN { for (code = 33; code < 127; code++) if (code != 37) printf "a%cb\n", code }' >words
printf '%s\n' 'two words' '*' >>words
what='showstopper --dry-run with words of all kinds'
xargs -d '\n' timeout 60 showstopper -T 50% -n 1 --dry-run echo '' <words >out 2>err
status=$?
expect_status 0
sed -n 's/^workload 0: /set -- /p' out >line
# shellcheck disable=SC2016 # for the shell that reads it
printf '%s\n' 'for word; do printf "%s\n" "$word"; done' >>line
sh ./line >back || fail "$what: no command: $(cat line)"
{ printf 'echo\n\n'; cat words; } | cmp -s - back || fail "$what: $(cat line)"

expect_described showstopper

finish
