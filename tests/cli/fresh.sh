#!/bin/sh
# SPDX-License-Identifier: MIT
# Options of tools/fresh and tools/compilers, and the lists of tools/setup. What the two do takes minutes and needs a
# network: run them by hand.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# options PROGRAM WORDS…: each of them is refused.
options() {
	program=$1
	shift
	run "$source/tools/$program" --help
	expect_status 0
	expect_text out "^usage: tools/$program "
	for words do
		# shellcheck disable=SC2086 # a list
		run "$source/tools/$program" $words
		expect_trouble "^tools/$program: "
	done
	# Without being root it makes nothing.
	if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
		# The text itself: the sources may lie where nobody else may look.
		run setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$(cat "$source/tools/$program")" "/$program" --release bookworm
		expect_trouble 'must be run as root'
	else
		left_out 'setpriv is missing, or this is not root'
	fi
}
options fresh '--release' '--release sid' '--release bookworm --release=trixie' '--nonsense' 'bookworm'
options compilers '--release' '--release sid' '--only' '--only gcc-12,clang-99' '--only gcc' '--nonsense' 'gcc-12'

# Each purpose that the list names may be asked for, and each that --help names has packages.
run "$source/tools/setup" --list
expect_status 0
sed 's/ .*//' out | sort -u >listed
run "$source/tools/setup" --help
sed -n '1s/.*\[\(.*\)\].*/\1/p' out | tr '|' '\n' | sort >named
cmp -s listed named || { fail 'purposes, < in --list, > in --help:'; diff listed named; }
run "$source/tools/setup" nonsense
expect_trouble "unexpected arguments 'nonsense'"

finish
