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

# What it leaves out for arm64 are tests: one that has another name now would be run, and fail.
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: test_\([^ ]*\).*/\1/p' >tests
sed -n "/^not_emulated='/,/'\$/ { s/^not_emulated=//; s/'//g; s/[ \t]\{1,\}/\n/g; p }" "$source/tools/compilers" | grep . >left-out
while read -r name; do
	grep -qx "$name" tests || fail "tools/compilers: there is no test $name"
done <left-out
[ -s left-out ] || fail 'tools/compilers leaves out nothing for arm64'

# Each purpose that the list names may be asked for, and each that --help names has packages.
run "$source/tools/setup" --list
expect_status 0
sed 's/ .*//' out | sort -u >listed
run "$source/tools/setup" --help
sed -n '1s/.*\[\(.*\)\].*/\1/p' out | tr '|' '\n' | sort >named
cmp -s listed named || { fail 'purposes, < in --list, > in --help:'; diff listed named; }
run "$source/tools/setup" nonsense
expect_trouble "unexpected arguments 'nonsense'"

# It says what it does, on stderr, as what its callers print to stdout are results: on a Debian that has all, and on one without file(1).
mkdir bin
cat >bin/dpkg-query <<'END'
#!/bin/sh
for package do :; done
[ "$package" = "${lacking-}" ] || echo installed
END
cat >bin/apt-get <<'END'
#!/bin/sh
[ -z "${no_network-}" ] || exit 100
echo "$*" >>asked
echo 'apt-get was here'
END
printf '#!/bin/sh\necho 0\n' >bin/id
chmod +x bin/*
while read -r purpose; do
	run env PATH="$work/bin:$PATH" "$source/tools/setup" "$purpose"
	expect_status 0
	expect_lines out 0
	expect_lines err 1
	expect_text err "^tools/setup $purpose: all [1-9][0-9]* packages are installed, nothing is missing\$"
done <listed
run env PATH="$work/bin:$PATH" lacking=file "$source/tools/setup" package
expect_status 0
expect_lines out 0
expect_text err '^tools/setup package: installing file$'
expect_text err '^apt-get was here$'
expect_text err '^tools/setup package: all [1-9][0-9]* packages are installed now$'
expect_text asked ' update$'
expect_text asked ' install --no-install-recommends file$'
run env PATH="$work/bin:$PATH" lacking=file no_network=yes "$source/tools/setup" package
expect_status 125
expect_text err '^tools/setup: apt-get update failed; missing are file$'

finish
