#!/bin/sh
# SPDX-License-Identifier: MIT
# --frequency on made-up trees of /sys: what is set, refused and said, and that what was there is set back, whoever is killed.
# shellcheck disable=SC2317 # functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
without_leak_check
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
folder=root/sys/devices/system/cpu/cpufreq
record=root/run/showstopper/frequency

# ---- Made-up machines -----------------------------------------------------------------------------------------------------

# policy NUMBER PROCESSORS: from 800 to 3600 MHz.
policy() {
	mkdir -p "$folder/policy$1"
	echo "$2" | tee "$folder/policy$1/affected_cpus" >"$folder/policy$1/related_cpus"
	echo 800000 | tee "$folder/policy$1/cpuinfo_min_freq" >"$folder/policy$1/scaling_min_freq"
	echo 3600000 | tee "$folder/policy$1/cpuinfo_max_freq" >"$folder/policy$1/scaling_max_freq"
}
# The processors that may be used here, each with a clock of its own; and one that nobody uses.
usable=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done)
first=$(echo "$usable" | head -n 1)
machine() {
	rm -rf root
	mkdir -p root/run
	ln -s /proc root/proc
	for cpu in $usable; do policy "$cpu" "$cpu"; done
	policy 60000 60000
}
# limits NUMBER: both of a policy.
limits() { echo "$(cat "$folder/policy$1/scaling_min_freq") $(cat "$folder/policy$1/scaling_max_freq")"; }
expect_limits() {
	[ "$(limits "$1")" = "$2" ] || fail "$what: policy$1 has $(limits "$1"), expected $2"
}
has_limits() { [ "$(limits "$1")" = "$2" ]; }
expect_untouched() {
	for cpu in $usable 60000; do expect_limits "$cpu" '800000 3600000'; done
	[ ! -e root/run/showstopper ] || fail "$what: root/run/showstopper is there"
}
refused() {
	pattern=$1
	shift
	for also in '' --dry-run; do
		# shellcheck disable=SC2086 # none or one
		run showstopper --sysroot root -T 100% -r 1s $also "$@" touch started
		expect_trouble "^showstopper: --frequency: $pattern"
		[ ! -e started ] || fail "$what: a workload was started"
		rm -f started
		expect_untouched
	done
}

# All with a target of 100 %: at a lower one, others could keep the workloads from doing anything at all.

# ---- Set and set back -----------------------------------------------------------------------------------------------------

machine
# shellcheck disable=SC2016 # of the workload's shell
look='cat "$0"/policy*/scaling_m*_freq >"$1"'
run showstopper --sysroot root -T 100% -r 1h -n 1 --frequency 1.8GHz --export-json record.json sh -c "$look" "$folder" seen
expect_status 0
expect_untouched
count=$(echo "$usable" | wc -l)
[ "$(grep -cx 1800000 seen)" -eq $((2 * count)) ] || fail "$what: the workload saw $(tr '\n' ' ' <seen)"
[ "$(grep -cvx 1800000 seen)" -eq 2 ] || fail "$what: a clock that nobody uses was set"
expect_text err '^frequency +1800MHz: processors [0-9,-]+$'
[ "$(jq -c '[.configuration.groups[0].frequency, (.configuration.clocks | length), (.configuration.clocks[].khz), .configuration.clocks[0].cpus]' record.json)" = \
	"[\"1.8GHz\",$count,$(for cpu in $usable; do printf '1800000,'; done)[$first]]" ] || fail "$what: $(jq -c .configuration.clocks record.json)"
jq -e . record.json >/dev/null || fail "$what: no JSON"

# Two groups, on processors of their own or on all.
run showstopper --sysroot root -T 100% --dry-run -n 1 --cpus "$first" --frequency max a_command : -n 1 --cpus "$first" true
expect_status 0
expect_text out "^frequency: 3600MHz: processors $first\$"
expect_untouched
if [ "$count" -gt 1 ]; then
	second=$(echo "$usable" | sed -n 2p)
	run showstopper --sysroot root -T 100% -r 1h --when-one-ends stop -n 1 --cpus "$first" --frequency 25% sleep 1000 : -n 1 --cpus "$second" --frequency 900MHz sh -c "$look" "$folder" seen
	expect_status 0
	expect_untouched
	[ "$(sort seen | uniq -c | awk '$2 == 900000 { print $1 }')" -eq 4 ] || fail "$what: the workload saw $(tr '\n' ' ' <seen)"
	expect_text err "^frequency +900MHz: processors ($first-$second|$first,$second)\$"
fi
run showstopper --sysroot root -T 100% -r 1s -n 1 true
expect_status 0
expect_no_text err frequency

# A clock of more processors than the group has, boost, and no place for a record.
policy "$first" "$first 60001"
echo 1 >"$folder/boost"
run showstopper -q --sysroot root -T 100% -r 1s -n 1 --cpus "$first" --frequency max sleep 10
expect_status 0
expect_lines err 0
rmdir root/run
run showstopper -v --sysroot root -T 100% -r 500m -n 1 --cpus "$first" --frequency max sleep 10
expect_status 0
expect_text err '^showstopper: warning: --frequency holds for processors 60001 too, which share a clock with those of its group$'
expect_text err '^showstopper: warning: --frequency: boost is on, '
expect_text err "^showstopper: frequency: 3600MHz: processors $first,60001\$"
expect_text err '^showstopper: --frequency: no record in /run, '
expect_untouched

# ---- Refused --------------------------------------------------------------------------------------------------------------

machine
refused "'3.7GHz' is out of range: processors $first have 800MHz to 3600MHz: the nearest is 3600MHz\$" --frequency 3.7GHz
refused "'20%' is out of range: .*: the nearest is 800MHz\$" --frequency 20%
refused "processors $first have one clock, and groups 1 and 2 want 1800MHz and 2400MHz of it: expected the same, " \
	--frequency 1.8GHz --cpus "$first" true : --frequency 2.4GHz --cpus "$first"
echo '3600000 2400000 800000 ' >"$folder/policy$first/scaling_available_frequencies"
refused "processors $first don't have '1.8GHz': the nearest are 800MHz and 2400MHz\$" --frequency 1.8GHz
rm "$folder/policy$first/scaling_available_frequencies"
for odd in '' '<unknown>' 0; do
	echo "$odd" >"$folder/policy$first/cpuinfo_max_freq"
	refused ".*policy$first/cpuinfo_max_freq: expected a number of kHz there\$" --frequency min
done
machine
rm "$folder/policy$first/affected_cpus" "$folder/policy$first/related_cpus"
refused ".*policy$first/related_cpus: isn't there\$" --frequency min
policy "$first" ''
refused "processor $first has no policy in .*: expected --cpus with it that leaves it out\$" --frequency min
machine
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$build/showstopper"; then
	chmod 755 "$work"
	for also in '' --dry-run; do
		# shellcheck disable=SC2086 # none or one
		run setpriv --reuid 65534 --regid 65534 --clear-groups showstopper --sysroot root -T 100% $also --frequency min touch started
		expect_trouble "^showstopper: --frequency: can't write root/sys/.*/policy$first/scaling_min_freq: Permission denied: expected root, such as by sudo, "
	done
	run setpriv --reuid 65534 --regid 65534 --clear-groups showstopper --sysroot root --check-machine
	expect_text out "^set frequency: +unavailable: can't write .*: Permission denied: expected root, "
	expect_untouched
else
	left_out 'not root, or the build can not be seen by others'
fi
run showstopper --sysroot root --check-machine
expect_status 0
expect_text out "^set frequency: +available: --frequency: 800MHz to 3600MHz, $((count + 1)) clocks\$"
expect_untouched
rm -r "$folder"
for also in '' --dry-run; do
	# shellcheck disable=SC2086 # none or one
	run showstopper --sysroot root -T 100% -r 1s $also --frequency 1.8GHz touch started
	expect_trouble '^showstopper: --frequency: this machine has no cpufreq \(no policy in root/sys/devices/system/cpu/cpufreq\): a host, '
	[ ! -e started ] || fail "$what: a workload was started"
done
if [ ! -e /sys/devices/system/cpu/cpufreq/policy0 ]; then
	run showstopper -T 100% -r 1s --frequency 1.8GHz touch started
	expect_trouble '^showstopper: --frequency: this machine has no cpufreq '
	[ ! -e started ] || fail "$what: a workload was started"
	run showstopper --check-machine
	expect_text out '^set frequency: +unavailable: this machine has no cpufreq '
fi

# ---- Set back whatever happens --------------------------------------------------------------------------------------------

# begin: a run in the background whose workload is there.
begin() {
	rm -f started
	start_background showstopper --sysroot root -T 100% -r 1h --frequency 1.8GHz -n 1 sh -c 'touch started; exec sleep 1000'
	wait_until test -e started
	guardian=$background
	master=$(pgrep -P "$guardian")
	executor=$(pgrep -P "$master")
	expect_limits "$first" '1800000 1800000'
	[ -s "$record" ] || fail "$what: no record"
}
is_untouched() { has_limits "$first" '800000 3600000' && [ ! -e root/run/showstopper ]; }

machine
for signal in TERM HUP; do
	begin
	kill "-$signal" "$guardian"
	wait_background
	[ "$status" -gt 128 ] || fail "$what: status $status after SIG$signal"
	expect_untouched
done
begin
kill -KILL "$master"
wait_background
expect_status 125
expect_untouched
begin
kill -KILL "$executor"
wait_background
expect_status 125
expect_untouched
begin
kill -KILL "$guardian"
wait_background
wait_until is_untouched
expect_untouched
# Nothing is held by a run that is refused for another reason.
rm started
machine
run showstopper --sysroot root -T 100% -r 1s --frequency 1.8GHz --attach 2147483647 touch started
expect_trouble '^showstopper: --attach: process 2147483647 does not exist'
[ ! -e started ] || fail "$what: a workload was started"
expect_untouched
# One run at a time. What another one changes meanwhile is told, and set back too.
begin
run showstopper --sysroot root -T 100% -r 1s --frequency 2.4GHz true
expect_trouble '^showstopper: --frequency: another run holds frequencies \(it has locked root/run/showstopper/frequency\): '
expect_limits "$first" '1800000 1800000'
echo 1500000 >"$folder/policy$first/scaling_max_freq"
kill -TERM "$guardian"
wait_background
expect_text err "^showstopper: warning: --frequency: something else changed policy$first during the run: it had 1800MHz to 1500MHz in the end instead of 1800MHz\$"
expect_untouched

# A clock that goes meanwhile can't be set back: said once, and the others are.
run showstopper --sysroot root -T 100% -r 1h -n 1 --frequency 1.8GHz sh -c "rm -r $folder/policy$first"
expect_status 125
expect_text err "^showstopper: warning: --frequency: policy$first can't be read any more, maybe as its processors went offline\$"
expect_text err "^showstopper: --frequency: can't give back what was set: policy$first: No such file or directory \(scaling_min_freq was 800000, scaling_max_freq 3600000\)\$"
[ "$(grep -c "can't give back" err)" -eq 1 ] || fail "$what: not said once: $(cat err)"
for cpu in $usable; do [ "$cpu" = "$first" ] || expect_limits "$cpu" '800000 3600000'; done
[ -s "$record" ] || fail "$what: no record"
policy "$first" "$first"
run showstopper --sysroot root -T 100% -r 1h -n 1 --frequency max true
expect_status 0
expect_untouched

# A signal while the clocks are looked at, before anything is owed: a pipe in place of what can be had holds the guardian there.
machine
rm "$folder/policy60000/cpuinfo_max_freq"
mkfifo "$folder/policy60000/cpuinfo_max_freq"
start_background showstopper --sysroot root -T 100% -r 1h -n 1 --frequency max touch begun
sleep 0.5
kill -HUP "$background"
wait_background
expect_status 129
[ ! -e root/run/showstopper ] || fail "$what: the record was left: $(cat "$record")"

# Before there is a master, while what a dead run left is given back: a pipe in place of a limit.
has_record_open() { readlink "/proc/$guardian/fd/"* | grep -q "/$record\$"; }
for signal in HUP:129 QUIT:131; do
	machine
	mkdir root/run/showstopper
	echo 'policy60000 1800000 800000 3600000' >"$record"
	rm "$folder/policy60000/scaling_min_freq"
	mkfifo "$folder/policy60000/scaling_min_freq"
	# A shell's background process ignores SIGQUIT.
	start_background env --default-signal=QUIT showstopper --sysroot root -T 100% -r 1h -n 1 --frequency max touch begun
	guardian=$background
	wait_until has_record_open
	kill "-${signal%:*}" "$guardian"
	exec 3<>"$folder/policy60000/scaling_min_freq"
	wait_background
	exec 3>&-
	expect_status "${signal#*:}"
	for _ in $(seq 50); do [ ! -e root/run/showstopper ] || sleep 0.1; done
	[ ! -e root/run/showstopper ] || fail "$what: the record was left: $(cat "$record")"
done
machine

# All are killed at once: the next run sets back, but for what has been set since.
begin
kill -STOP "$guardian" "$master" "$executor"
kill -KILL "$executor" "$master" "$guardian"
wait_background
expect_limits "$first" '1800000 1800000'
run showstopper --sysroot root --check-machine
expect_limits "$first" '1800000 1800000'
echo 2400000 >"$folder/policy60000/scaling_max_freq"
wait_until flock -n "$record" true
run showstopper --sysroot root -T 100% -r 500m -n 1 --frequency max sleep 10
expect_status 0
expect_text err "^showstopper: --frequency: gave back what a run had left that was killed: limits of $count polic(y|ies)\$"
expect_limits 60000 '800000 2400000'
policy 60000 60000
expect_untouched

# With -q it is not said: neither what a dead run left nor what somebody else sets meanwhile.
left_and_changed() {
	begin
	kill -STOP "$guardian" "$master" "$executor"
	kill -KILL "$executor" "$master" "$guardian"
	wait_background
	wait_until flock -n "$record" true
	# shellcheck disable=SC2086 # none or one
	run showstopper $1 --sysroot root -T 100% -r 1h -n 1 --frequency 1.8GHz sh -c "echo 1500000 >$folder/policy$first/scaling_max_freq"
	expect_status 0
}
left_and_changed ""
expect_text err 'gave back what a run had left'
expect_text err 'something else changed policy'
left_and_changed -q
expect_lines err 0
expect_untouched

finish
