# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by cases about processors, after lib.sh:
#   list_pins_is <EXPECTED   expects that --list-pins prints this, but for schemes that the machine has no use for
#   hold_on TARGET LISTS OPTION...   holds a load; expects that the workloads are bound to these lists, so many to
#                            each ("2:0-1 2:4,6"), and run nowhere else
#   hold_schemes TARGET      does that with both halves of every scheme that list_pins_is has found
#   masks                    what workloads are bound to, in the same form

list_pins_is() {
	cat >expected
	run showstopper --list-pins
	expect_status 0
	grep -v ' -  ' out >schemes
	cmp -s schemes expected || { fail "$what: found, expected:"; diff schemes expected; }
}

# For awk: adds the processors of a list to a set.
take_list='function take(list, set,    part, ends, end, n, i) {
	for (n = split(list, part, ","); n; n--) {
		ends = split(part[n], end, "-")
		for (i = end[1] + 0; i <= end[ends] + 0; i++) set[i] = 1
	}
}'

# online_of <LISTS: of each list those that are online: newer kernels keep others in a mask as well.
online_of() {
	awk -v online="$(cat /sys/devices/system/cpu/online)" "$take_list"'
		BEGIN { take(online, there) }
		{
			split("", set)
			take($0, set)
			list = ""
			for (i = 0; i < 1024; i++) {
				if (!(i in set && i in there)) continue
				for (from = i; (i + 1) in set && (i + 1) in there; i++) ;
				list = list (list == "" ? "" : ",") from (i > from ? "-" i : "")
			}
			print list
		}'
}

# What the ssburns are bound to: COUNT:LIST, with blanks between.
masks() {
	grep -lsx ssburn /proc/[0-9]*/comm | sed 's/comm$/status/' | xargs sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' 2>/dev/null |
		online_of | sort | uniq -c | awk '{ printf "%s%s:%s", (NR > 1 ? " " : ""), $1, $2 }'
}

# Ticks of programs on each processor: NUMBER TICKS, one a line.
program_ticks() {
	awk '/^cpu[0-9]/ { sub("cpu", "", $1); print $1, $2 + $3 }' /proc/stat
}

# ticks_are_on LISTS FROM TO: between two files of them, programs used no other processors than these, but for a tenth.
ticks_are_on() {
	awk -v lists="$1" "$take_list"'
		BEGIN { for (k = split(lists, each, " "); k; k--) { sub(/^.*:/, "", each[k]); take(each[k], inside) } }
		NR == FNR { before[$1] = $2; next }
		{
			used = $2 - before[$1]
			printf "%s:%d ", $1, used
			all += used
			if (!($1 in inside)) outside += used
		}
		END {
			printf "ticks, %d outside of %s\n", outside, lists
			exit !(all && outside < all / 10)
		}' "$2" "$3"
}

expect_ticks_on() { # LISTS
	program_ticks >before
	sleep 2
	program_ticks >after
	ticks_are_on "$1" before after || fail "$what: programs ran elsewhere than on $1"
}

hold_on() {
	hold_target=$1
	lists=$2
	shift 2
	rm -f log.csv
	# shellcheck disable=SC2086 # words
	start_background $through showstopper -v -T "$hold_target" -r 4s -o log.csv --export-csv record.csv "$@"
	wait_until has_records 2
	expect_ticks_on "$lists"
	found=$(masks)
	wait_background
	cat err
	expect_status 0
	expect_held
	expect_nobody_left
	[ "$found" = "$lists" ] || fail "$what: workloads are bound to $found, expected $lists"
}

count_of() { # LIST
	echo "$1" | tr , '\n' | awk -F- '{ sum += ($NF - $1) + 1 } END { print sum }'
}

hold_schemes() {
	grep -v '^neutral' schemes | while read -r scheme _ list; do
		printf '%s %s %s\n' "$scheme" "$(count_of "$list")" "$list"
	done | awk '{ if ($1 == last) print $1, before " " $2 ":" $3; last = $1; before = $2 ":" $3 }' >halves
	while read -r scheme lists <&3; do
		hold_on "$1" "$lists" --pin "$scheme" --part 0/2 ssburn : --pin "$scheme" --part 1/2 ssburn 3<&-
	done 3<halves
}
