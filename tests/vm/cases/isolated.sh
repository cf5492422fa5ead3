#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors that are isolated, offline, or without ticks: who uses them, and what is measured
# machines: eight+isolcpus=6-7 eight+maxcpus=5 eight+nohz_full=4-7
# limit: 120
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/pins.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/pins.sh"

cd /sys/devices/system/cpu || exit 1
grep -s . online offline isolated nohz_full
cd "$work" || exit 1
# /proc/self/status has those that are offline as well, which an older kernel forgets as soon as a mask is set.
usable=$(showstopper --part 0/1 --list-pins | sed -n 's,^packed *0/1 *,,p')
count=$(count_of "$usable")
echo "usable: $usable"
run showstopper --check-machine
cat out err
showstopper --list-pins | tee schemes

hold_on 12% "$count:$usable" ssburn
grep -v '^neutral' schemes | grep spread >halves
while read -r scheme part list <&3; do
	hold_on 15% "$(count_of "$list"):$list" --pin "$scheme" --part "$part" ssburn 3<&-
done 3<halves
# Those that nobody is given unless it is asked for.
apart=$(sed -n 's/^\([0-9]*\).*/\1/p' /sys/devices/system/cpu/isolated)
if [ -n "$apart" ]; then
	run showstopper -T 50% -r 1s --cpus "$apart" ssburn
	expect_trouble "--cpus: processor $apart can't be used"
	through='taskset 0xff'
	hold_on 50% "1:$apart" --cpus "$apart" ssburn
	through=
fi
no_ticks=$(sed -n 's/^\([0-9]*\).*/\1/p' /sys/devices/system/cpu/nohz_full 2>/dev/null)
if [ -n "$no_ticks" ]; then
	hold_on 50% "1:$no_ticks" --cpus "$no_ticks" ssburn
fi

finish
