#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation works from wherever it lies: programs, modules, headers, man pages, documents, examples, traces and the pkg-config file.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_MODULE_PATH PKG_CONFIG_PATH
umask 022

run cmake --install "$build" --prefix "$work/first place"
expect_status 0
mkdir "second place"
mv "first place" "second place/prefix"
prefix="$work/second place/prefix"
# Nothing is found any more but what lies there and what the system has.
PATH=$prefix/bin:/usr/local/bin:/usr/bin:/bin

# ---- Programs and their manuals -----------------------------------------------------------------------------------------------

for program in showstopper sstrace cpuload ssburn; do
	[ -x "$prefix/bin/$program" ] || fail "$program is not installed"
done
for program in "$prefix"/bin/*; do
	name=$(basename "$program")
	run "$name" --version
	expect_status 0
	expect_text out "^$name [0-9]+\\.[0-9]+"
	run "$name" --help
	expect_status 0
	[ -s "$prefix/share/man/man1/$name.1" ] || fail "$name has no manual"
	[ -d "$build/completions" ] || continue
	for file in "bash-completion/completions/$name" "zsh/site-functions/_$name" "fish/vendor_completions.d/$name.fish"; do
		[ -s "$prefix/share/$file" ] || fail "share/$file is missing"
	done
done
for manual in showstopper-modules.7 showstopper-container.7 showstopper-record.5 showstopper-check-machine.5; do
	[ -s "$prefix/share/man/man${manual##*.}/$manual" ] || fail "$manual is not installed"
done

# ---- Modules ------------------------------------------------------------------------------------------------------------------

run showstopper --list-modules
expect_status 0
cp out listed
for source_file in "$source"/modules/*/*.c; do
	kind=$(basename "$(dirname "$source_file")")
	name=$(basename "$source_file" .c)
	if [ "$name" = skeleton ]; then
		expect_no_text listed "^$kind:skeleton "
		continue
	fi
	expect_text listed "^$kind:$name +[^ ]"
	run showstopper --help-module "$kind:$name"
	expect_status 0
	expect_text out "^file: $prefix/bin/\\.\\./.*/$kind/$name\\.so\$"
done
[ -z "$(find "$prefix" -name 'skeleton*.so')" ] || fail 'the skeleton of a module is installed as a module'

# ---- For authors of modules ---------------------------------------------------------------------------------------------------

[ -s "$prefix/include/showstopper/module.h" ] || fail 'module.h is not installed'
PKG_CONFIG_LIBDIR=$(dirname "$(find "$prefix" -name showstopper.pc)")
export PKG_CONFIG_LIBDIR
# pkg-config puts a backslash before blanks.
plain() { sed 's/\\//g' "$1"; }
run pkg-config --variable=moduledir showstopper
expect_status 0
[ -e "$(plain out)/control/rbpid.so" ] || fail "pkg-config's moduledir '$(cat out)' has no rbpid"
run pkg-config --variable=includedir showstopper
[ -e "$(plain out)/showstopper/module.h" ] || fail "pkg-config's includedir '$(cat out)' has no module.h"
run pkg-config --variable=examplesdir showstopper
examples=$(plain out)
for kind in trace feedback control space dithering; do
	cmp "$source/modules/$kind/skeleton.c" "$examples/modules/$kind/skeleton.c" || fail "the examples in '$examples' lack a skeleton of kind $kind"
done
run pkg-config --modversion showstopper
expect_status 0
expect_text out '^[0-9]+\.[0-9]+\.[0-9]+$'
version=$(cat out)
run showstopper --version
expect_text out "^showstopper $version( \\(.*\\))?\$"
for program in showstopper ssreport; do
	run "$build/$program" --version
	cp out built
	run "$program" --version
	cmp -s out built || fail "what is installed is $(cat out), and what was built $(cat built)"
done
sed 's/^ssreport/showstopper/' out >reports
run showstopper --version
cmp -s out reports || fail "the versions are $(cat out) and $(cat reports)"

# ---- Documents ------------------------------------------------------------------------------------------------------------------

# As they are in the sources, but that what is left there is not linked to.
documents=$prefix/share/doc/showstopper
for document in README.md modules/README.md traces/README.md tools/bench/README.md; do
	expect_links "$documents/$document"
	sed -E 's/\[([^][]*)\]\([^()]*\)/\1/g' "$source/$document" >wanted
	sed -E 's/\[([^][]*)\]\([^()]*\)/\1/g; s/ \(in the sources\)//g' "$documents/$document" | cmp - wanted || fail "share/doc has another $document"
done
expect_text "$documents/README.md" '^!\[.*\]\(traces/saw\.svg\)$'
expect_text "$documents/README.md" '\[modules/\]\(modules/README\.md\), \[traces/\]\(traces/README\.md\)'
expect_text "$documents/README.md" 'src/ \(in the sources\)'
cmp "$source/LICENSE" "$documents/LICENSE" || fail 'the licence is not installed'

# ---- It works -----------------------------------------------------------------------------------------------------------------

for trace in "$prefix"/share/showstopper/traces/*.trace; do
	run sstrace --check "$trace"
	expect_status 0
	run showstopper --dry-run -n 1 -t file -T "$trace" true
	expect_status 0
done
run showstopper -n 2 -T 40% -r 1s -o log.csv ssburn --profile=single
expect_status 0
[ "$(wc -l <log.csv)" -ge 2 ] || fail "the log of the run has no row"
# Nothing that lies here, or that the environment names, is taken for a part of Python.
for module in os pandas showstopper; do echo 'raise SystemExit(3)' >$module.py; done
run env PYTHONPATH="$work" ssreport accuracy log.csv
expect_status 0
grep -F "$source" "$prefix/bin/ssreport" && fail 'ssreport takes the package from the sources'
[ -z "$(find "$prefix" -name __pycache__)" ] || fail 'ssreport writes where it lies'

# From elsewhere, and by a link to the program, too.
(cd / && "$prefix/bin/showstopper" --dry-run -n 1 -T 40% true >/dev/null) || fail 'from / nothing works'
mkdir links
ln -s "$prefix/bin/showstopper" links/stopper
run links/stopper --help-module control:rbpid
expect_status 0

# What is installed can be read by everybody.
[ -z "$(find "$prefix" ! -perm -444)" ] || fail "not for everybody: $(find "$prefix" ! -perm -444)"

finish
