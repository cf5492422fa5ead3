#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are started with standard input, output or error closed: nothing else gets its number, no message goes into a file, and
# what was to go to a closed one is refused or complained about.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH

programs='showstopper sstrace cpuload ssburn ssiterate ssreport ssimport sssim'
if [ -x "$build/ssrequest" ]; then
	programs="$programs ssrequest"
else
	missing libcurl4-openssl-dev ssrequest
fi

# without N COMMAND…: in place of this shell, with that descriptor closed; the others are files.
without() {
	closed=$1
	shift
	exec </dev/null >out 2>err
	case $closed in
	0) exec 0<&- ;;
	1) exec 1>&- ;;
	2) exec 2>&- ;;
	esac
	exec "$@"
}

# run_without N COMMAND…: as run, with that descriptor closed.
run_without() {
	descriptor=$1
	shift
	what="$* with descriptor $descriptor closed"
	(without "$descriptor" timeout -k 5 "$limit" "$@")
	status=$?
}

# What is asked for and can't be told is a failure; else nobody minds.
for program in $programs; do
	for closed in 0 1 2; do
		for option in --help --version; do
			run_without $closed "$program" $option
			if [ $closed = 1 ]; then
				expect_trouble "^$program: can't write (to )?standard output"
			else
				expect_status 0
			fi
		done
	done
done

# Refused before anything is started or any file is made: records on a descriptor that is closed, or open for reading alone.
refused() {
	for how in closed unwritable; do
		rm -f started
		what="$* with standard output $how"
		: >err
		case $how in
		closed) timeout -k 5 "$limit" "$@" </dev/null 2>err >&- ;;
		*) timeout -k 5 "$limit" "$@" </dev/null 2>err 1</dev/null ;;
		esac
		status=$?
		expect_trouble "^$1: .*standard output.*: Bad file descriptor\$"
		[ ! -e started ] || fail "$what: the command was started"
	done
}
refused showstopper -q -n 1 -c open -T 50% -r 1s -o - touch started
refused ssburn --time 0 -o -
refused ssiterate -n 1 -o - touch started
refused cpuload 0.1 1
refused cpuload 0.1 1 -- touch started
[ ! -x "$build/ssrequest" ] || refused ssrequest --rate 10 -n 1 -o - -- touch started

# held N COMMAND…: as long as it runs, nothing but what keeps the place has that number. It may run for long: it is ended here.
# shellcheck disable=SC2317 # wait_until calls it
has_begun() {
	[ "$(readlink "/proc/$background/fd/$1")" = /dev/null ] && { [ "$2" = nothing ] || [ -s "$2" ]; }
}
held() {
	what="$2 … with descriptor $1 closed"
	case " $* " in
	*' -o log '*) written=log ;;
	*) written=nothing ;;
	esac
	rm -f log
	without "$@" &
	background=$!
	wait_until has_begun "$1" "$written" || ls -l "/proc/$background/fd"
	kill -TERM "$background" 2>/dev/null
	wait_background
	if [ $written = log ] && grep -q "^$2:" log; then fail "$what: a message is among the records"; fi
}
for closed in 0 1 2; do
	held $closed showstopper -n 1 -c open -T 50% -r 20s -o log sleep 20
	held $closed ssburn --listen 0 --time 20
	held $closed ssburn -v --time 20 -o log
	held $closed ssiterate -o log sleep 0.1
	held $closed cpuload -o log 0.1 200
	[ ! -x "$build/ssrequest" ] || held $closed ssrequest --rate 20 -r 20s -o log -- true
done

# Of those that soon end: files are what they are with all three open.
run sssim -o simulated -T 50% -r 10s
expect_status 0
run ssreport accuracy -o table.csv simulated
expect_status 0
for closed in 0 1 2; do
	run_without $closed sssim -o simulated.again -T 50% -r 10s
	cmp -s simulated simulated.again || fail "$what: the log is another"
	run_without $closed ssreport accuracy -o again.csv simulated
	expect_status 0
	cmp -s table.csv again.csv || fail "$what: the table is another"
done

# A command finds closed what its user has closed.
# shellcheck disable=SC2016 # for sh
found='list=; for fd in 0 1 2; do [ -e /proc/$$/fd/$fd ] || list=$list$fd; done; echo "$list" >found'
for closed in 0 1 2; do
	for prefix in 'showstopper -q -n 1 -c open -T 100% -r 20s' 'ssiterate -n 1'; do
		rm -f found
		what="$prefix with descriptor $closed closed"
		# shellcheck disable=SC2086 # words
		(without $closed timeout -k 5 "$limit" $prefix sh -c "$found")
		[ "$(cat found)" = "$closed" ] || fail "$what: the command found closed: $(cat found)"
	done
done

finish
