#!/bin/sh
# SPDX-License-Identifier: MIT
# The live line on a terminal, here tmux, beside what workloads write there. What is looked at is the screen.
# shellcheck disable=SC2016,SC2317 # commands of other shells; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
command -v tmux >/dev/null || skip_missing tmux
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH TMUX
terminals=0
trap 'tmux -S "$work/tmux.$terminals" kill-server 2>/dev/null; cd /; rm -rf "$work"' EXIT

# terminal COLUMNS ROWS COMMAND: on a terminal of that size a shell runs it, and leaves its status in the file `status`.
terminal() {
	what="$1 columns, $2 rows: $3"
	rm -f status executor
	# A server of its own: the last one may still be about to end.
	terminals=$((terminals + 1))
	# Ctrl-C is for showstopper: the shells around it go on.
	printf 'trap : INT\n%s\n' "$3" >commands
	tmux -S "$work/tmux.$terminals" -f /dev/null new-session -d -x "$1" -y "$2" \
		'trap : INT; timeout --foreground -k 5 100 sh ./commands; echo $? >status.new; mv status.new status; exec sleep 100'
}
# When the command has ended.
end_terminal() {
	wait_until test -e status || type C-c C-c
	wait_until test -e status
	tmux -S "$work/tmux.$terminals" kill-server
}
type() {
	tmux -S "$work/tmux.$terminals" send-keys "$@" 2>/dev/null || fail "$what: the terminal is gone"
}
# What the terminal shows, one line a row.
look() {
	tmux -S "$work/tmux.$terminals" capture-pane -p >screen 2>/dev/null
}
shows() {
	look
	grep -Eq -- "$1" screen
}
live_line='(\[[#-]*\] )?[0-9:]+( left| passed)? (target +[0-9.-]+ % load +[0-9.-]+ %( duty +[0-9.-]+ %)?(, [a-z ]+)?|[0-9.-]+/[0-9.-]+%)( [_.:=+*#-]*)?'
has_live_line() {
	look
	tail -n 1 screen | grep -Eq "^$live_line\$"
}
# So many of the workload's that they have scrolled.
has_lines() {
	shows '^line ([2-9][0-9]|[0-9]{3,})$'
}
# Each row holds a line of the workload, or nothing, and the last one the live line.
is_tidy() {
	has_live_line && grep -q '^line ' screen && head -n -1 screen | sed '/^$/d; /^line [0-9]*$/d' | cmp -s - /dev/null
}
expect_tidy() {
	# Once more, as a look may meet the middle of a row.
	is_tidy || is_tidy || { fail "$what: not the workload's lines above a live line:"; sed 's/^/  /' screen; }
}
# After `sh after`: it has scrolled through all rows, and the cursor is in the last one.
is_whole() {
	look
	tail -n 2 screen | head -n 1 | grep -q '^after 160$' && ! grep -vq '^after [0-9]*$\|^$' screen && [ "$(grep -c . screen)" -eq "$1" ]
}
expect_whole() {
	wait_until is_whole "$1" || sed 's/^/  /' screen
}

parent_of() {
	cut -d' ' -f4 "/proc/$1/stat"
}

cat >lines <<'END'
echo $PPID >executor
i=0
while :; do
	i=$((i + 1))
	echo "line $i"
	sleep 0.05
done
END
{ echo "trap '' TERM"; cat lines; } >deaf
cat >after <<'END'
for i in $(seq 100 160); do echo "after $i"; done
END
run_lines='showstopper -T 100% -c open -n 1'

# ---- Widths, and ends -----------------------------------------------------------------------------------------------------------

for columns in 20 40 80 200; do
	terminal "$columns" 10 "$run_lines -r 1h sh lines; sh after"
	wait_until has_lines
	expect_tidy
	sleep 1
	expect_tidy
	type C-c
	expect_whole 9
	end_terminal
done

terminal 80 10 "$run_lines -r 2s sh lines; sh after"
expect_whole 9
end_terminal

terminal 80 10 "$run_lines -r 1h sh lines 2>&1; sh after"
wait_until has_lines
kill -KILL "$(parent_of "$(cat executor)")"
expect_whole 9
end_terminal

# Ctrl-Z gives the row back, fg takes it again.
terminal 80 10 "PS1= exec bash --norc -i"
type "PS1=; $run_lines -r 1h sh lines" Enter
wait_until has_lines
type C-z
wait_until shows Stopped
type 'sh after' Enter
expect_whole 9
type fg Enter
wait_until has_live_line
wait_until is_tidy
type C-c
wait_until shows "^Showstopper's"
type 'sh after' Enter
expect_whole 9
# In the background there is none.
type "$run_lines -r 1h sh lines & sleep 2; echo slept" Enter
wait_until shows '^slept$'
has_live_line && fail "$what: a live line in the background"
type 'kill %1; wait; exit' Enter
end_terminal

# ---- Sizes ----------------------------------------------------------------------------------------------------------------------

terminal 80 10 "$run_lines -r 1h sh lines; sh after"
wait_until is_tidy
for size in 40x6 100x20 20x15 200x5; do
	tmux -S "$work/tmux.$terminals" resize-window -x "${size%x*}" -y "${size#*x}"
	what="resized to $size"
	sleep 1
	wait_until is_tidy || sed 's/^/  /' screen
done
tmux -S "$work/tmux.$terminals" resize-window -x 80 -y 3
what='resized to 3 rows'
sleep 1
wait_until shows '^line [0-9]+$'
has_live_line && fail "$what: a live line"
tmux -S "$work/tmux.$terminals" resize-window -x 80 -y 8
what='resized to 8 rows'
wait_until is_tidy || sed 's/^/  /' screen
type C-c
expect_whole 7
end_terminal

# ---- Others that draw there -----------------------------------------------------------------------------------------------------

# What takes all rows for itself, and writes into the last one.
{ printf '%s\n' 'printf "\033[2J\033[r\033[10;1H"'; cat lines; } >greedy
terminal 80 10 "$run_lines -r 1h sh greedy; sh after"
wait_until shows '^line [0-9]+$'
wait_until is_tidy || sed 's/^/  /' screen
type C-c
expect_whole 9
end_terminal

# Who reads standard output may be a pager.
terminal 80 10 "$run_lines -r 1h sh lines | cat"
wait_until has_lines
has_live_line && fail "$what: a live line"
type C-c
end_terminal
terminal 80 10 "$run_lines --progress=always -r 1h sh lines | cat; sh after"
wait_until has_lines
expect_tidy
type C-c
expect_whole 9
end_terminal

# A terminal that is held holds nobody up.
terminal 80 10 "$run_lines -r 1h --stdout lines.out sh lines"
wait_until has_live_line
wait_until test -s executor
type C-s
sleep 1
kill -INT "$(parent_of "$(parent_of "$(cat executor)")")"
end_terminal

# Terminals that know no sequences get none.
escape=$(printf '\033')
for name in dumb '' xterm; do
	what="TERM=$name"
	TERM=$name timeout -k 5 "$limit" script -qec "stty rows 10 cols 80; $run_lines -r 1s sleep 1000" raw >/dev/null 2>&1 </dev/null
	grep -q 'target load' raw || fail "$what: no summary"
	case $name:$(grep -c "$escape" raw) in
	xterm:0) fail "$what: no sequences" ;;
	xterm:* | dumb:0 | :0) ;;
	*) fail "$what: sequences" ;;
	esac
done

# ---- Ctrl-C, and what then ------------------------------------------------------------------------------------------------------

terminal 80 10 "$run_lines -q --grace 1h sh deaf"
wait_until has_lines
type C-c
wait_until shows 'showstopper: ending; Ctrl-C again kills what is left$'
[ ! -e status ] || fail "$what: ended"
type C-c
end_terminal

# The same without a terminal: another wording, nothing with -q, nothing where all end at once.
interrupted() {
	rm -f executor
	# Background processes of a shell are born with SIGINT ignored.
	start_background perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV or die' showstopper -T 100% -c open -n 1 "$@"
	wait_until test -s executor
	kill -TERM "$background"
}
interrupted --grace 1h --stdout /dev/null sh deaf
wait_until grep -q 'ending; a SIGINT kills what is left$' err
kill -TERM "$background"
sleep 1
kill -0 "$background" || fail "$what: a second SIGTERM ended it"
kill -INT "$background"
wait_background
expect_status 143
[ "$(grep -c ending err)" -eq 1 ] || fail "$what: said more than once"

interrupted -q --grace 1s --stdout /dev/null sh deaf
wait_background
expect_lines err 0

interrupted -q --stdout /dev/null sh lines
wait_background
expect_no_text err ending

finish
