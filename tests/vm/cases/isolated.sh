#!/bin/sh
# SPDX-License-Identifier: MIT
# about: processors that are isolated, offline, or without ticks: who uses them, and what is measured
# machines: eight+isolcpus=6-7 eight+maxcpus=5 eight+nohz_full=4-7 eight+nohz_full=4-7+isolcpus=4-7
# limit: 150
# shellcheck source=tests/vm/guest/lib.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/lib.sh"
# shellcheck source=tests/vm/guest/pins.sh
. "$SHOWSTOPPER_SOURCE/tests/vm/guest/pins.sh"

cd /sys/devices/system/cpu || exit 1
grep -s . online offline isolated nohz_full
cd "$work" || exit 1
usable=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
count=$(count_of "$usable")
echo "usable: $usable"
run showstopper --check-machine
cat out err
showstopper --list-pins | tee schemes

hold_on 15% "$count:$usable" ssburn
last=${usable##*[-,]}
hold_on 10% "1:$last" --cpus "$last" -F cpus=0-4 ssburn
for part in 0 1; do
	list=$(sed -n "s,^spread *$part/2 *,,p" schemes)
	hold_on 8% "$(count_of "$list"):$list" --pin spread --part $part/2 ssburn
done
# Those that nobody is given unless they are asked for.
apart=$(sed -n 's/^\([0-9]*\).*/\1/p' /sys/devices/system/cpu/isolated)
if [ -n "$apart" ]; then
	hold_on 50% "1:$apart" --cpus "$apart" ssburn
fi
no_ticks=$(sed -n 's/^\([0-9]*\).*/\1/p' /sys/devices/system/cpu/nohz_full 2>/dev/null)
if [ -n "$no_ticks" ]; then
	hold_on 50% "1:$no_ticks" --cpus "$no_ticks" ssburn
fi

finish
