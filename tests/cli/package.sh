#!/bin/sh
# SPDX-License-Identifier: MIT
# cpack makes two Debian packages of the build, of the programs and of the reports: what is in them, for whom, and what they depend on.
# tools/fresh installs and removes them.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

for tool in cpack:cmake dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev file:file gzip:gzip; do
	command -v "${tool%:*}" >/dev/null || skip_missing "${tool#*:}"
done
limit=240
umask 077
run cpack --config "$build/CPackConfig.cmake" -B "$work/package"
expect_status 0
# What stays below its _CPack_Packages is cpack's own.
find package -maxdepth 1 -name '*.deb' >packages
expect_lines packages 2
version=$("$build/showstopper" --version | sed 's/^showstopper //; s/ .*//')
architecture=$(dpkg --print-architecture)
programs=package/showstopper_${version}_$architecture.deb
report=package/showstopper-report_${version}_all.deb
for package in "$programs" "$report"; do [ -s "$package" ] || fail "there is no $package, but $(cat packages)"; done

# ---- What they say of themselves ------------------------------------------------------------------------------------------------

# field NAME REGEX
field() {
	run dpkg-deb -f "$package" "$1"
	expect_text out "$2"
}
for package in "$programs" "$report"; do
	field Version "^$version\$"
	field Maintainer '^[^<>]+ <[^@ ]+@[^@ ]+>$'
	field Description '^ [A-Z].*'
	run awk 'length > 80' out
	expect_lines out 0
	run dpkg-deb -f "$package" Homepage
	expect_no_text out .
done
field Package '^showstopper-report$'
field Architecture '^all$'
field Section '^science$'
field Recommends '^showstopper, python3-zstandard$'
field Description '^Makes tables and pictures '
field Depends '^python3 \(>= 3\.[0-9]+\), python3-matplotlib, python3-numpy, python3-pandas, python3-scipy, python3-statsmodels, tzdata$'
package=$programs
field Package '^showstopper$'
field Architecture "^$architecture\$"
field Section '^utils$'
field Suggests '^showstopper-report$'
field Description '^Holds the CPU load '
field Depends .
expect_no_text out python
for library in libc6 libjansson4 zlib1g 'libhwloc[0-9]+[a-z0-9]*'; do
	field Depends "(^|, )$library \\(>= "
done
if [ -x "$build/ssrequest" ]; then
	field Depends '(^|, )libcurl4(t64)? \(>= '
else
	missing libcurl4-openssl-dev ssrequest
fi
if grep -q '^MICROHTTPD_FOUND:[A-Z]*=1$' "$build/CMakeCache.txt"; then
	field Depends '(^|, )libmicrohttpd12(t64)? \(>= '
else
	missing libmicrohttpd-dev 'ssburn --listen'
fi

# ---- What is in them ------------------------------------------------------------------------------------------------------------

for package in "$programs" "$report"; do
	run dpkg-deb -c "$package"
	expect_status 0
	cat out
done >listing
awk '$2 != "root/root" || ($1 !~ /^drwxr-xr-x$/ && $1 !~ /^-rwxr-xr-x$/ && $1 !~ /^-rw-r--r--$/)' listing >odd
[ ! -s odd ] || { fail 'owners or permissions:'; cat odd; }
awk '$1 ~ /^-rwx/ { print $6 }' listing >executable
grep -v '^\./usr/bin/' executable >odd
[ ! -s odd ] || { fail 'executable, and no program:'; cat odd; }

# present PACKAGE FOLDER: unpacks it, and leaves the names of its files in the file of that name.
present() {
	run dpkg-deb -x "$1" "$2"
	expect_status 0
	(cd "$2" && find . -type f | sort) >present
}
# program NAME: itself, and what shells complete of it.
program() {
	echo "./usr/bin/$1"
	[ ! -d "$build/completions" ] || printf './usr/share/%s\n' "bash-completion/completions/$1" "zsh/vendor-completions/_$1" \
		"fish/vendor_completions.d/$1.fish"
}
present "$report" reports
{
	program ssreport
	program ssimport
	printf './usr/share/doc/showstopper-report/%s\n' changelog.gz copyright
	for manual in "$source"/tools/python/*.[17]; do echo "./usr/share/man/man${manual##*.}/$(basename "$manual").gz"; done
	echo ./usr/lib/showstopper/python/showstopper/_build.py
	(cd "$source/tools/python" && find showstopper -name '*.py' -o -name py.typed) | sed 's,^,./usr/lib/showstopper/python/,'
} | sort >wanted
cmp -s wanted present || { fail 'files of the reports, < wanted, > there:'; diff wanted present; }
present "$programs" root
{
	printf './usr/%s\n' include/showstopper/module.h include/showstopper/parsers.h lib/libshowstopper-parsers.a share/pkgconfig/showstopper.pc
	printf './usr/include/showstopper/parsers/%s.h\n' base/cpus base/units groups/cgroup groups/cgroup_places groups/cgroup_text load/container load/stat
	printf './usr/share/doc/showstopper/%s\n' changelog.gz copyright README.md.gz modules/README.md traces/README.md tools/bench/README.md.gz
	for picture in "$source"/traces/*.svg "$source"/tools/bench/*.svg; do echo "./usr/share/doc/showstopper/${picture#"$source/"}"; done
	for manual in "$source"/src/*.[157] "$source"/tools/*/*.[17]; do
		case $manual in
		*/python/*) continue ;;
		*/ssrequest.1) [ -x "$build/ssrequest" ] || continue ;;
		esac
		echo "./usr/share/man/man${manual##*.}/$(basename "$manual").gz"
		case $manual in *.1) program "$(basename "$manual" .1)" ;; esac
	done
	for module in "$source"/modules/*/*.c; do
		case $module in
		*/skeleton.c) echo "./usr/share/doc/showstopper/examples/${module#"$source/"}" ;;
		*) echo "./usr/lib/showstopper/modules/$(basename "$(dirname "$module")")/$(basename "$module" .c).so" ;;
		esac
	done
	for trace in "$source"/traces/*.trace; do echo "./usr/share/showstopper/traces/$(basename "$trace")"; done
} | sort >wanted
cmp -s wanted present || { fail 'files of the programs, < wanted, > there:'; diff wanted present; }

find root reports -name '*.gz' >compressed
while read -r file; do
	gzip -t "$file" || fail "$file is broken"
	# Neither a time nor a name: bytes 4 to 9 of the header.
	[ "$(od -An -tx1 -j 3 -N 6 "$file" | tr -d ' ')" = 000000000002 ] || fail "$file was not compressed by gzip -9n"
done <compressed
gzip -dc root/usr/share/man/man1/showstopper.1.gz | cmp - "$source/src/showstopper.1" || fail 'the manual is another one'
revision=$("$build/showstopper" --version | sed -n 's/.*(\(.*\))$/\1/p')
for documents in root/usr/share/doc/showstopper reports/usr/share/doc/showstopper-report; do
	gzip -dc $documents/changelog.gz >changelog
	expect_text changelog "^${documents##*/} \\($version\\) unstable; "
	dpkg-parsechangelog -l changelog >out 2>err || fail "dpkg-parsechangelog: $(cat err)"
	expect_lines err 0
	[ -z "$revision" ] || grep -qF "revision $revision." changelog || fail "the changelog doesn't name revision $revision"
	expect_text $documents/copyright "^Copyright: $(sed -n 's/^Copyright (c) //p' "$source/LICENSE")\$"
	sed -n 's/^ //p' $documents/copyright | tr '\n' ' ' >terms
	sed '1,/^Copyright/d' "$source/LICENSE" | sed 's/^$/./' | sed 1d | tr '\n' ' ' | cmp - terms || fail 'the terms in copyright are not those of LICENSE'
done

# Documents, as they are read: links lead to what is there, or is there compressed.
find root/usr/share/doc -name '*.md.gz' -exec gzip -dk {} +
find root/usr/share/doc -name '*.md' >documents
expect_lines documents 4
while read -r file; do expect_links "$file"; done <documents
expect_text root/usr/share/doc/showstopper/README.md '^| \[copyright\](copyright) | MIT |$'

for file in root/usr/bin/* $(find root -name '*.so'); do
	file "$file" | grep -q ', stripped$' || fail "$file is not stripped"
	readelf -d "$file" >dynamic
	expect_no_text dynamic 'RPATH|RUNPATH'
done

# ---- They work where they lie ---------------------------------------------------------------------------------------------------

run root/usr/bin/showstopper -n 1 -T 40% -r 500m -o log.csv root/usr/bin/ssburn
expect_status 0
run reports/usr/bin/ssreport accuracy log.csv
expect_status 0
[ -z "$(find reports -name '*.pyc')" ] || fail 'ssreport writes where it lies'
run env PKG_CONFIG_LIBDIR=root/usr/share/pkgconfig pkg-config --variable=moduledir showstopper
[ -e "$(cat out)/control/rbpid.so" ] || fail "pkg-config's moduledir '$(cat out)' has no rbpid"
# The manual's commands, as they stand there, but that they hold the load for a second only.
mkdir manual
gzip -dc root/usr/share/man/man7/showstopper-modules.7.gz | awk -f "$source/tests/cli/examples.awk" | sed 's/ -r 10s / -r 1s /' >manual/commands
expect_text manual/commands ' -r 1s .*ssburn$'
run env PATH="$work/root/usr/bin:/usr/bin:/bin" PKG_CONFIG_LIBDIR="$work/root/usr/share/pkgconfig" sh -ec 'cd manual; umask 022; . ./commands'
expect_status 0
expect_text out "^file: $work/manual/control/mine.so\$"
expect_text err '^target load +50\.00 %$'

if command -v lintian >/dev/null; then
	run lintian --allow-root --fail-on error,warning "$programs" "$report"
	expect_status 0
	expect_lines out 0
else
	missing lintian
fi

finish
