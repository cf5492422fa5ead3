#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check: its --help, CTest's labels, README.md, tests/README.md, .ci/run and tools/fresh say the same of its two forms; and what it does in
# both, with a ctest that says what it is told.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
check=$source/tools/check

# ---- What is said of it ---------------------------------------------------------------------------------------------------------

run "$check" --help
expect_status 0
cp out help
run "$check" --all --help
cmp -s out help || fail "$what says something else than tools/check --help"
# tests_of OPTION…: their names.
tests_of() {
	ctest --test-dir "$build" -N "$@" | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p'
}
sed -n 's/^        .*  \([^ ]*\)$/\1/p' help >patterns
expect_lines patterns 9
tests_of >tests
tests_of -L '^all$' >labelled
grep -xEf patterns tests >named
cmp -s named labelled || { fail 'tests, < named by --help, > with the label all:'; diff named labelled; }
while read -r pattern; do
	grep -qxE "$pattern" labelled || fail "--help names $pattern, which is no test"
done <patterns
sed -n "s/.*-LE '^(*\([a-z|]*\))*\\$'.*/\1/p; s/.*label \\\\\`\([a-z]*\)'.*(label \\\\\`\([a-z]*\)').*/\1|\2/p" "$check" | tr '|' '\n' | sort -u >labels
expect_lines labels 6
ctest --test-dir "$build" --print-labels | sed -n 's/^  \([a-z]*\)$/\1/p' >printed
while read -r label; do
	grep -qx "$label" printed || fail "tools/check names the label $label, which no test has"
done <labels
tail -n 1 "$source/.ci/run" | grep -q '/tools/check" --all$' || fail '.ci/run does not run tools/check --all'
sed -n '/^!\[/,/^## /p' "$source/README.md" | grep -E '^tools/' | sed 's/ .*//' | paste -s -d ' ' - >commands
[ "$(cat commands)" = 'tools/demo tools/check' ] || fail "below its picture, README.md has the commands '$(cat commands)'"
# shellcheck disable=SC2016 # Markdown
grep -q '^`tools/check` .*`tools/check --all`' "$source/tests/README.md" || fail 'tests/README.md does not begin with both forms'
grep -q 'exec tools/check'\''$' "$source/tools/fresh" || fail 'tools/fresh --check does not run the second command of README.md'

# ---- What it does ---------------------------------------------------------------------------------------------------------------

mkdir -p there/tools there/src there/modules there/tests/faults there/tests/measure there/include there/.ci bin
cp "$check" there/tools/
for program in cmake ctest shellcheck mandoc clang-format clang-tidy black chrt dpkg-query setup; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/asked"\n' "$program" "$work" >bin/$program
done
mv bin/setup there/tools/
# shellcheck disable=SC2016 # the program's
echo '[ -z "${broken-}" ]' >>bin/cmake
cat >>bin/ctest <<'END'
echo "packages $SHOWSTOPPER_TEST_PACKAGES" >>"$(dirname "$0")/../asked"
late=late
case $* in *sanitize*) late=late_there ;; esac
echo "1/2 Test #2: right ............   Passed    0.01 sec
1/2 Test #1: $late .............***Failed    0.02 sec
100% tests passed, 0 tests failed out of 1
    Start 1: $late
    Test #1: $late .............   Passed    0.01 sec

${share:-100}% tests passed, ${failed:-0} tests failed out of 2

Total Test time (real) =   1.02 sec"
exit "${failed:-0}"
END
chmod +x bin/* there/tools/*
# checked OPTION…: leaves what it asked for in the file asked.
checked() {
	rm -f asked
	run env PATH="$work/bin:$PATH" "$work/there/tools/check" -j 2 "$@"
}
# ends_with SECOND-TRIES: just before what CTest ends with.
ends_with() {
	tail -n 3 out >closing
	printf '%s\n' '100% tests passed, 0 tests failed out of 2' '' 'Total Test time (real) =   1.02 sec' | cmp -s - closing || fail "$what: ends with $(cat closing)"
	tail -n 8 out | grep -qx "Passed at the second try: $1" || fail "$what: doesn't say what passed at the second try: $(cat out)"
}
checked
expect_status 0
expect_text asked '^setup tests$'
expect_text asked '^packages tests$'
expect_text asked '^ctest --test-dir .*/build/check/ordinary .*-j 7 .*-LE \^all\$$'
expect_no_text asked 'sanitize|fuzz|shellcheck'
expect_text out '^tools/check --all also: sanitizers, fuzzing, linters; guests, Slurm, .*, times of stops$'
ends_with late
share=50 failed=1
export share failed
checked
expect_status 1
expect_text out '^50% tests passed, 1 tests failed out of 2$'
unset share failed
broken=yes
export broken
checked
expect_status 1
expect_text out '^FAILED  ordinary '
expect_no_text asked '^ctest'
unset broken
checked --all
expect_text asked '^setup check$'
expect_text asked '^packages yes$'
expect_text asked '^ctest --test-dir .*/build/check/sanitize '
expect_text asked '^ctest --test-dir .*/build/check/ordinary .* -LE \^part\$$'
expect_no_text out '--all also'
ends_with 'late late_there'
run "$check" --nonsense
expect_trouble "^tools/check: unexpected argument '--nonsense' "
run "$check" --jobs 0
expect_trouble "^tools/check: --jobs: '0' is no whole number from 1\$"

finish
