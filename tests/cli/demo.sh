#!/bin/sh
# SPDX-License-Identifier: MIT
# Which programs tools/demo uses, and that it says so: with a cmake and programs that say what they were asked for. tools/fresh runs it with
# real ones.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# programs FOLDER REVISION: programs in that folder.
programs() {
	mkdir -p "$1"
	for name in showstopper sstrace ssburn ssreport; do
		{
			printf '#!/bin/sh\n[ "$*" != --version ] || exec echo "%s 0.1.0 (%s)"\n' "$name" "$2"
			# shellcheck disable=SC2016 # the programs'
			printf 'echo "%s $*" >>"%s"\n' "$1/$name" "$work/asked"
			# shellcheck disable=SC2016
		[ "$name" != showstopper ] || echo 'echo "achieved load 50 %" >&2; [ ! -e "'"$work"'/summary" ] || cat "'"$work"'/summary" >&2'
		} >"$1/$name"
		chmod +x "$1/$name"
	done
}

# Sources like those of a checkout, in which nothing has to be installed.
mkdir -p "sources of it/tools" "sources of it/traces" bin
there="$work/sources of it"
cp "$source/tools/demo" "$there/tools/"
cp "$source/traces/saw.trace" "$there/traces/"
printf '#!/bin/sh\necho "setup $*" >>"%s"\n' "$work/asked" >"$there/tools/setup"
cat >bin/cmake <<END
#!/bin/sh
echo "cmake \$*" >>'$work/asked'
[ -z "\${broken-}" ] || { echo 'no compiler'; exit 1; }
[ "\$1" != --build ] || sh '$work/programs' "\$2" new
END
{
	echo "work='$work'"
	sed -n '/^programs() {$/,/^}$/p' "$source/tests/cli/demo.sh"
	# shellcheck disable=SC2016 # the script's
	echo 'programs "$@"'
} >programs
chmod +x bin/* "$there/tools/setup"
PATH=$work/bin:/usr/local/bin:/usr/bin:/bin

# demo OPTION…: leaves what it asked for in the file asked.
demo() {
	rm -rf asked results
	run "$there/tools/demo" --quick -o "$work/results" "$@"
}
# uses FOLDER: the last one did, for all that it ran.
uses() {
	expect_status 0
	expect_text out 'achieved load 50 %'
	expect_text asked "^$1/showstopper -n [0-9]+ -t file -T saw.trace,speed=4 "
	expect_text asked "^$1/sstrace $there/traces/saw.trace\$"
	expect_text asked "^$1/ssreport timeline "
}
cache() {
	mkdir -p "$there/build"
	printf '%s\n' "$@" >"$there/build/CMakeCache.txt"
}

# ---- Nothing is built or installed ----------------------------------------------------------------------------------------------

demo
uses "$there/build/demo"
expect_text out "^Building in $there/build/demo\$"
expect_text asked '^setup demo$'
expect_text asked "^cmake -S $there -B $there/build/demo -G Ninja .*-DBUILD_TESTING=OFF"
expect_text asked "^cmake --build $there/build/demo --target "
broken=yes
export broken
demo
expect_status 125
expect_text err '^no compiler$'
expect_text err '^tools/demo: the build failed$'
unset broken

# ---- How well it went -------------------------------------------------------------------------------------------------------------

# judged MSE WORD: by the limits that --explain names.
judged() {
	printf 'mean squared error   %s pp^2 (60 samples of 500 ms)\nothers               0.21 %% of the machine, at most 1.77 %%\n' "$1" >summary
	demo
	[ "$(tail -n 1 out)" = "Held within $1 pp^2 of the trace: $2; others made 0.2 %" ] || fail "$what: the last line is '$(tail -n 1 out)'"
}
judged 0.06 good
judged 1.00 fair
judged 4.99 fair
judged 5.00 poor
judged 123.40 poor
run "$build/showstopper" --explain
tr -s ' \n' ' ' <out | grep -q ' Below 1 is good and usual, below 5 fair, from 5 on poor\. ' || fail "--explain has other limits"
echo 'mean squared error   0.06 pp^2 (60 samples of 500 ms)' >summary
demo
[ "$(tail -n 1 out)" = 'Held within 0.06 pp^2 of the trace: good' ] || fail "$what: the last line is '$(tail -n 1 out)'"
rm summary

# ---- A build ----------------------------------------------------------------------------------------------------------------------

cache "CMAKE_HOME_DIRECTORY:INTERNAL=$there" CMAKE_BUILD_TYPE:STRING=RelWithDebInfo SHOWSTOPPER_SANITIZE:STRING= SHOWSTOPPER_FUZZ:BOOL=OFF
demo
uses "$there/build"
expect_text out "^Using the build in $there/build, after building there what is out of date\$"
expect_no_text asked '^cmake -S'
expect_text asked "^cmake --build $there/build --target showstopper modules sstrace ssburn ssreport\$"
# One of other sources, or that is not for use.
for line in "CMAKE_HOME_DIRECTORY:INTERNAL=$work" CMAKE_BUILD_TYPE:STRING=Debug SHOWSTOPPER_SANITIZE:STRING=address SHOWSTOPPER_FUZZ:BOOL=ON \
	SHOWSTOPPER_COVERAGE:BOOL=ON; do
	{
		printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$there" CMAKE_BUILD_TYPE:STRING=Release | grep -v "^${line%%:*}:"
		echo "$line"
	} >"$there/build/CMakeCache.txt"
	demo
	uses "$there/build/demo"
done
programs "$work/other" old
demo --build "$work/other"
uses "$work/other"
expect_text out "^Using the programs of $work/other\$"
expect_no_text asked '^(cmake|setup)'
rm "$work/other/ssreport"
demo --build "$work/other"
expect_trouble "^tools/demo: --build: $work/other/ssreport isn't there\$"
demo --build "$work/absent"
expect_trouble '^tools/demo: --build needs a folder$'

# ---- Installed programs -----------------------------------------------------------------------------------------------------------

command -v git >/dev/null || skip_missing git 'installed programs of the same revision'
HOME=$work GIT_CONFIG_NOSYSTEM=1
export HOME GIT_CONFIG_NOSYSTEM
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init -q "$there"
printf '/build/\n' >"$there/.gitignore"
git -C "$there" add . && git -C "$there" -c user.name=x -c user.email=x@example.org commit -q -m first
revision=$(git -C "$there" describe --tags --always)
programs "$work/installed" "$revision"
PATH=$work/installed:$PATH
demo
uses "$work/installed"
expect_text out "^Using the installed programs in $work/installed, of the same revision as these sources: $revision\$"
expect_no_text asked '^(cmake|setup)'
echo >>"$there/tools/setup"
demo
uses "$there/build/demo"
git -C "$there" checkout -q tools/setup
programs "$work/installed" 0000000
demo
uses "$there/build/demo"

finish
