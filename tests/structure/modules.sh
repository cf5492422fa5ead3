#!/bin/sh
# SPDX-License-Identifier: MIT
# Modules see include/showstopper/, their own folder and the parsers of CMakeLists.txt, and lack no symbol of the core.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

sed -n '/^set(parsers$/,/)$/s,.*src/\(.*\)\.[ch].*,\1.h,p' "$source/CMakeLists.txt" >parsers
[ "$(wc -l <parsers)" -ge 5 ] || fail "CMakeLists.txt lists $(wc -l <parsers) parsers"
(cd "$source/modules" && grep -HnE '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]+"' ./*/*.[ch]) |
	sed -nE 's,^\./([^/]+)/([^:]+):([0-9]+):[^"]*"([^"]+)".*,\1/\2:\3 \1 \4,p' >includes
[ "$(wc -l <includes)" -ge 20 ] || fail "only $(wc -l <includes) includes were found in modules/"
while read -r where kind header; do
	case $header in showstopper/*) continue ;; esac
	[ ! -e "$source/modules/$kind/$header" ] || continue
	grep -qx "$header" parsers || fail "modules/$where: $header is no parser that modules may include"
done <includes

cp parsers known
# The parsers see nothing of the core but parsers, and headers that have no .c.
while IFS= read -r header; do
	for file in "$source/src/$header" "$source/src/${header%.h}.c"; do
		sed -nE 's,^[[:blank:]]*#[[:blank:]]*include[[:blank:]]+"([^"]+)".*,\1,p' "$file"
	done | while IFS= read -r included; do
		[ -e "$source/include/$included" ] || [ ! -e "$source/src/${included%.h}.c" ] || grep -qx "$included" known ||
			echo "src/$header: $included is no parser"
	done
done <parsers >strangers
[ ! -s strangers ] || { fail "what parsers include:"; cat strangers; }

# lacks MODULE: the symbols that it lacks and the core has.
find "$build/CMakeFiles" -path '*.dir/src/*.o' -exec nm --extern-only --defined-only {} + | awk 'NF == 3 { print $3 }' | sort -u >core
[ "$(wc -l <core)" -ge 200 ] || fail "only $(wc -l <core) symbols were found in the core"
lacks() {
	nm --dynamic --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u | comm -12 - core
}
count=0
for module in "$build"/modules/*/*.so; do
	count=$((count + 1))
	lacks "$module" >lacking
	[ ! -s lacking ] || { fail "$module lacks symbols of the core:"; cat lacking; }
done
[ "$count" -ge 15 ] || fail "only $count modules were found in $build"

# The test itself: one that does is found.
printf 'void diag(const char *, ...);\nvoid f(void);\nvoid f(void) { diag("x"); }\n' >lacking.c
if ${CC:-cc} -shared -fPIC -o lacking.so lacking.c 2>/dev/null; then
	[ "$(lacks ./lacking.so)" = diag ] || fail "a module that lacks diag passes"
fi

finish
