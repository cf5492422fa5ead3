#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of a run: those of the workloads are emptied once and then shared, no file is written over another one that is read or
# written, and a run that is refused leaves what was there.
# shellcheck disable=SC2016 # commands of the workloads' shells
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

free='-q -T 100% -c open'
thousand='i=0; while [ $((i += 1)) -le 1000 ]; do echo line "$0" $i; done'

# has_all N FILE: a thousand lines of each of N instances, and nothing else.
has_all() {
	expect_lines "$2" $(($1 * 1000))
	[ "$(sort -u "$2" | grep -c '^line [0-9]* [0-9]*$')" -eq $(($1 * 1000)) ] || fail "$what: lines of $2 are damaged or missing"
}
# old FILE…: as another run has left it.
old() {
	for file in "$@"; do echo old >"$file"; done
}

# ---- Many write into one file -----------------------------------------------------------------------------------------------------

for contain in none pidns; do
	[ "$contain" = none ] || showstopper --check-machine | grep -q '^containment: *available' || { left_out 'no containment'; continue; }
	old said
	# shellcheck disable=SC2086
	run showstopper $free --contain="$contain" --stdout said -n 2 sh -c "$thousand" %
	expect_status 0
	has_all 2 said
	# Of several groups, errors as well, and by two names of one file.
	old said
	ln said again
	# shellcheck disable=SC2086
	run showstopper $free --contain="$contain" --stdout said --stderr ./again -n 2 sh -c "$thousand" % : -n 1 sh -c "{ $thousand; } >&2" %
	expect_status 0
	has_all 3 said
	rm -f said again
	# Each into its own.
	old said.0 said.1 said.2
	# shellcheck disable=SC2086
	run showstopper $free --contain="$contain" --stdout said.% -n 3 sh -c "$thousand" %
	expect_status 0
	for number in 0 1 2; do has_all 1 "said.$number"; done
	rm -f said.*
done

# One after the other, and again after an end: what an earlier one wrote stays, and is counted by the workload itself.
old said starts
rm starts
# shellcheck disable=SC2086
run showstopper $free --start-interval 300m -r 500m --stdout said -n 3 sh -c 'echo % >>starts; echo %; exec sleep 1000'
expect_status 0
[ "$(sort said | tr '\n' ' ')" = '0 1 2 ' ] || fail "$what: said is '$(cat said)'"
old said.0 said.1
rm starts
# shellcheck disable=SC2086
run showstopper $free --when-one-ends=respawn -r 1s --stdout said.% --stderr said.% -n 2 sh -c 'echo % >>starts; echo % >&2; echo %'
expect_status 0
for number in 0 1; do
	count=$(grep -c "^$number$" starts)
	[ "$count" -gt 1 ] || fail "$what: instance $number was not started again"
	# The last one may have been killed in between.
	written=$(wc -l <"said.$number")
	if [ "$written" -lt $((2 * count - 2)) ] || [ "$written" -gt $((2 * count)) ]; then
		fail "$what: said.$number has $written lines after $count starts"
	fi
	expect_no_text "said.$number" "[^$number]"
done
old said
rm starts
# shellcheck disable=SC2086
run showstopper $free --when-one-ends=respawn -r 1s --stdout said -n 2 sh -c 'echo % >>starts; echo %'
written=$(wc -l <said)
count=$(wc -l <starts)
if [ "$written" -lt $((count - 2)) ] || [ "$written" -gt "$count" ]; then
	fail "$what: said has $written lines after $count starts"
fi
expect_no_text said old

# What is no file is as it was: a FIFO, /dev/null, what standard output is, a terminal.
mkfifo fifo
timeout 60 cat fifo >said &
# shellcheck disable=SC2086
run showstopper $free --stdout fifo --stderr ./fifo -n 2 sh -c "$thousand" %
wait $!
expect_status 0
has_all 2 said
# shellcheck disable=SC2086
run showstopper $free --stdout /dev/null --stderr /dev/null -n 2 sh -c "$thousand" %
expect_status 0
for name in - /dev/stdout; do
	# The place where it stands: nothing of what was there before is lost.
	old said
	# shellcheck disable=SC2086
	run sh -c "showstopper $free --stdout $name -n 2 echo new >>said"
	expect_status 0
	[ "$(tr '\n' ' ' <said)" = 'old new new ' ] || fail "$what: said is '$(cat said)'"
	run sh -c "showstopper $free --stdout $name -n 2 echo new | cat"
	expect_lines out 2
done
run sh -c "showstopper $free --stderr /dev/stdout --stdout /dev/null -n 2 sh -c 'echo new >&2' >>said"
expect_lines said 5
run sh -c "showstopper $free -v --stderr /dev/stderr -n 1 sh -c 'echo error >&2' 2>said"
expect_text said '^showstopper: trace constant'
expect_text said '^error$'
cat >terminal.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b""
try:
    while piece := os.read(terminal, 4096):
        said += piece
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.write(said.decode().replace("\r", ""))
END
for name in /dev/tty /dev/stdout; do
	# shellcheck disable=SC2086
	run /usr/bin/python3 terminal.py showstopper $free --stdout $name -n 2 echo here
	expect_lines out 2
	expect_text out '^here$'
done

# ---- Where -----------------------------------------------------------------------------------------------------------------------

# A relative name is of the user's folder, as that of the log.
mkdir there
# shellcheck disable=SC2086
run showstopper $free --chdir there --stdout relative.out --stderr relative.err -o relative.csv -n 2 sh -c 'pwd; pwd >&2'
expect_status 0
[ -z "$(ls there)" ] || fail "$what: made $(ls there) in the workloads' folder"
for name in relative.out relative.err; do
	[ "$(sort -u $name)" = "$work/there" ] || fail "$what: $name is '$(cat $name)'"
done
expect_text relative.csv '^time_s,'

# ---- None is written over --------------------------------------------------------------------------------------------------------

printf '0 10%%\n10s 20%%\n' >t.trace
ln -s t.trace soft
ln t.trace hard
ln -s . same
cp "$build/modules/control/open.so" open.so
cp /bin/sleep program
echo 'data' >data
mkdir made
expected_sum() {
	cat t.trace open.so program data | cksum
}
before=$(expected_sum)

# distinct REGEX ARG…: refused, by a dry run as well; nothing is started, made or changed.
distinct() {
	expected=$1
	shift
	list=$(find . -type f ! -name out ! -name err | sort)
	for dry in '' --dry-run; do
		# shellcheck disable=SC2086
		run showstopper $dry -q "$@"
		expect_trouble "^showstopper: $expected"
	done
	[ "$(find . -type f ! -name out ! -name err | sort)" = "$list" ] || fail "$what: a file was made"
	[ "$(expected_sum)" = "$before" ] || { fail "$what: an input was harmed"; before=$(expected_sum); }
}
for name in t.trace ./t.trace soft hard same/soft "$work/t.trace"; do
	for option in --log --export-json --export-csv; do
		distinct "$option: $name is the input of the trace module: expected another file\$" -t file -T t.trace $option "$name" -n 1 touch started
	done
	for option in --stdout --stderr; do
		distinct "$option: $name is the input of the trace module: " -t file -T t.trace $option "$name" -n 2 touch started
	done
done
distinct '--log: t.trace is the input of the trace module' -t file -T file=soft,loop -o t.trace -r 1s -n 1 touch started
distinct '--log: same/open.so is the control module' -T 50% -c ./open.so -o same/open.so -n 1 touch started
distinct '--stderr: program is a command to start' -T 50% --stderr program -n 1 touch started : -n 1 ./program 0
distinct '--log: program is a command to start' -T 50% -o program --chdir made -n 1 ../program 0
both='both would be written to'
own='expected a file of its own for one of them$'
distinct "--log and --export-csv: $both log.csv, which is also ./log.csv: $own" -T 50% -o log.csv --export-csv ./log.csv -n 1 touch started
distinct "--log and --export-json: $both log.csv, which is also same/../$(basename "$work")/log.csv: $own" \
	-T 50% -o log.csv --export-json "same/../$(basename "$work")/log.csv" -n 1 touch started
distinct "--export-json and --export-csv: $both record: $own" -T 50% --export-json record --export-csv record -n 1 touch started
distinct "--log and --stdout: $both log.csv: $own" -T 50% -o log.csv --stdout log.csv -n 1 touch started
distinct "--export-csv and --stderr: $both data: $own" -T 50% --export-csv data --stderr data -n 1 touch started
# Each name that the number of an instance makes.
distinct "--log and --stdout: $both out.07: $own" -T 50% -o out.07 --stdout out.% -n 12 touch started
distinct "--log and --stderr: $both out.1, which is also same/out.1: $own" -T 50% -o out.1 --stderr same/out.% -n 2 touch started
# Links to what isn't there yet.
ln -s new.csv new
distinct "--log and --export-csv: $both new.csv, which is also new: $own" -T 50% -o new.csv --export-csv new -n 1 touch started
# What is there already: standard output, in which workloads write too, and standard input of the only one.
run sh -c 'showstopper -q -T 50% -o data touch started >>data'
expect_trouble "^showstopper: --log and standard output: $both data: $own"
run sh -c 'showstopper -q -T 50% --stdout data touch started 2>>data'
expect_status 125
run sh -c 'showstopper -q -T 50% --stdout data -n 1 touch started <data'
expect_trouble '^showstopper: --stdout: data is standard input: expected another file$'
run sh -c 'showstopper -q -T 50% -t file -T t.trace -o - touch started >>t.trace'
expect_trouble '^showstopper: --log: standard output is the input of the trace module: expected another file$'
[ "$(tail -n 1 data)" = "showstopper: --stdout and standard error: $both data: expected a file of its own for one of them" ] ||
	fail "the last line of data is '$(tail -n 1 data)'"
echo 'data' >data
[ "$(expected_sum)" = "$before" ] || fail 'an input was harmed through a standard descriptor'
[ ! -e started ] || fail 'something was started'
# Files that differ, and what keeps nothing.
# shellcheck disable=SC2086
run showstopper $free -o /dev/null --export-json /dev/null --export-csv /dev/null --stdout /dev/null -n 1 true
expect_status 0
# shellcheck disable=SC2086
run showstopper $free -o out.3 --stdout out.% --stderr out.% -n 3 true
expect_status 0
run sh -c "showstopper $free --stdout said -n 2 cat <data"
expect_status 0
run sh -c "showstopper $free -t file -T t.trace -r 100m -o new.csv echo more >>data 2>&1"
expect_status 0
expect_text data '^more$'

# ---- What is refused leaves what was there ------------------------------------------------------------------------------------------

rm -f new.csv out.*
# keeps STATUS REGEX ARG…: refused, and old files are as they were, while new ones are not made.
keeps() {
	expected_status=$1
	expected=$2
	shift 2
	old keep.csv keep.json keep.out keep.err.0
	run showstopper -q -o keep.csv --export-json keep.json --stdout keep.out --stderr keep.err.% --export-csv new.csv "$@"
	expect_status "$expected_status"
	expect_text err "^showstopper: $expected"
	for file in keep.csv keep.json keep.out keep.err.0; do
		[ "$(cat $file)" = old ] || fail "$what: $file is '$(head -c 100 $file)'"
	done
	[ ! -e new.csv ] || { fail "$what: made new.csv"; rm new.csv; }
	[ ! -e keep.err.1 ] || { fail "$what: made keep.err.1"; rm keep.err.1; }
	[ ! -e started ] || { fail "$what: started a workload"; rm started; }
}
mkdir folder.0
printf '#!/bin/sh\n' >folder.0/only
chmod +x folder.0/only
keeps 127 'nosuch: command not found$' -T 50% -n 1 touch started : -n 1 nosuch
keeps 126 './data: Permission denied$' -T 50% ./data
printf '#! /no/such/interpreter -x\n' >script
chmod +x script
keeps 127 './script: its interpreter /no/such/interpreter: No such file or directory$' -T 50% -n 1 touch started : -n 1 ./script
printf '#!%s/data\n' "$PWD" >script
keeps 126 "./script: its interpreter $PWD/data: Permission denied\$" -T 50% ./script
# A program whose loader isn't there.
loader=$(LC_ALL=C sed -n 's|.*\(/lib[0-9]*/ld[^[:cntrl:]]*\).*|\1|p' "$build/ssburn" 2>/dev/null | head -n 1)
LC_ALL=C sed "s|$loader|/nib${loader#/lib}|" "$build/ssburn" >lacks-loader
chmod +x lacks-loader
if [ -n "$loader" ] && [ "$(wc -c <lacks-loader)" -eq "$(wc -c <"$build/ssburn")" ]; then
	keeps 127 "./lacks-loader: its interpreter /nib${loader#/lib}: No such file or directory\$" -T 50% -n 1 touch started : -n 1 ./lacks-loader
else
	left_out 'a program without its loader: ssburn has none here'
fi
keeps 125 '--chdir: nowhere: No such file' -T 50% --chdir nowhere touch started
keeps 125 '--chdir: data: Not a directory' -T 50% --chdir data touch started
keeps 125 '--chdir: folder.1: No such file' -T 50% -n 2 --chdir folder.% touch started
mkdir folder.1
keeps 127 './only: command not found' -T 50% -n 2 --chdir folder.% ./only
keeps 125 'trace module' -t constant -T 500% touch started
keeps 125 "--log-counters: 'nonsense' is no event" -T 50% --log-counters=nonsense touch started
# What can't be written, before anything is started.
keeps 125 "nowhere/x: can't write the record: No such file" -T 50% --export-csv nowhere/x touch started
keeps 125 "made: can't write the record: Is a directory" -T 50% --export-csv made touch started
keeps 125 "nowhere/x.0: can't write the workloads' standard output: No such file" -T 50% --stdout nowhere/x.% -n 2 touch started
mkdir made.1
keeps 125 "made.1: can't write the workloads' standard error: Is a directory" -T 50% --stderr made.% -n 2 touch started
old keep.csv
run showstopper -q -o nowhere/log --stdout keep.csv -T 50% touch started
expect_trouble "^showstopper: nowhere/log: can't write the log: No such file"
[ "$(cat keep.csv)" = old ] || fail "$what: keep.csv is '$(cat keep.csv)'"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --clear-groups test -x "$build/showstopper"; then
	chmod 755 .
	mkdir mine
	old mine/keep.csv mine/keep.out mine/locked
	chmod 666 mine/keep.* out err
	for arguments in '-o mine/locked' '--stdout mine/locked' '-o mine/new' '--stderr mine/new.%' '--export-json mine/new'; do
		# shellcheck disable=SC2086
		run setpriv --reuid 65534 --clear-groups showstopper -q -T 50% -o mine/keep.csv --stdout mine/keep.out $arguments touch started
		expect_trouble "^showstopper: mine/(locked|new(\.0)?): can't write .*: Permission denied"
		[ "$(cat mine/keep.csv mine/keep.out mine/locked | tr '\n' ' ')" = 'old old old ' ] || fail "$what: an old file has changed"
	done
else
	left_out 'files that may not be written need root and setpriv'
fi
# Too few descriptors, wherever they give out.
for hand in signals freezer; do
	for files in $(seq 5 40); do
		old keep.csv keep.out
		# shellcheck disable=SC2086
		run prlimit --nofile="$files" showstopper $free -a "$hand" -o keep.csv --stdout keep.out --stderr keep.err -n 2 touch "started.%"
		[ "$status" -eq 125 ] || break
		[ "$(cat keep.csv keep.out | tr '\n' ' ')" = 'old old ' ] || fail "$what: keep.csv or keep.out has changed"
		if [ -e started.0 ] || [ -e started.1 ]; then fail "$what: started a workload"; fi
	done
	# Not everybody may freeze.
	[ "$hand" = freezer ] || expect_status 0
	rm -f started.*
done

# Nor is anything emptied as long as it may still come to nothing: here until the instant of the first start.
old keep.csv keep.out
start_background showstopper -q -T 50% --start-at "@$(($(date +%s) + 3600))" -o keep.csv --stdout keep.out touch started
sleep 0.7
kill -TERM "$background"
wait_background
expect_status 143
[ "$(cat keep.csv keep.out | tr '\n' ' ')" = 'old old ' ] || fail "$what: keep.csv or keep.out has changed"
# … and then they are.
# shellcheck disable=SC2086
run showstopper $free --start-at "@$(($(date +%s) + 2))" -o keep.csv --stdout keep.out -n 2 echo new
expect_status 0
expect_no_text keep.csv old
expect_text keep.csv '^time_s,'
[ "$(tr '\n' ' ' <keep.out)" = 'new new ' ] || fail "$what: keep.out is '$(cat keep.out)'"
# Where nothing is started they would be nobody's.
old keep.out
sleep 1000 &
sleeping=$!
# shellcheck disable=SC2086
run showstopper $free -r 600m --stdout keep.out --attach "$sleeping"
kill "$sleeping"
expect_trouble 'a command is missing.*--stdout'
[ "$(cat keep.out)" = old ] || fail "$what: keep.out is '$(cat keep.out)'"

finish
