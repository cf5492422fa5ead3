#!/bin/sh
# SPDX-License-Identifier: MIT
# src/README.md has a heading for every room and for no other, and every file that it points to is there.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
guide=$source/src/README.md

sed '/^#/d' "$source/tests/structure/rooms" | tr ' ' '\n' | sort >rooms
headings() {
	sed -n 's,^### ,,p' "$1" | grep -o '[a-z]*/' | tr -d / | sort
}
headings "$guide" >headed
cmp -s headed rooms || { fail "rooms, < in src/README.md, > in tests/structure/rooms:"; diff headed rooms; }

# pointed FILE: what it names in backquotes that has a folder or an ending.
pointed() {
	# shellcheck disable=SC2016 # backquotes of Markdown
	grep -Eo '`[a-z_/.0-9]+`' "$1" | tr -d '`' | grep '[/.]' | sort -u
}
missing_of() {
	pointed "$1" | while IFS= read -r file; do
		[ -e "$source/$file" ] || [ -e "$source/src/$file" ] || printf '%s\n' "$file"
	done
}
[ "$(pointed "$guide" | wc -l)" -ge 12 ] || fail "src/README.md points to $(pointed "$guide" | wc -l) files"
missing_of "$guide" >gone
[ ! -s gone ] || { fail "src/README.md points to what isn't there:"; cat gone; }

# The test itself.
sed 's,^### self/,### elsewhere/,; s,control/loop.h,control/nowhere.h,' "$guide" >without
headings without | cmp -s - rooms && fail "a room without a heading is not noticed"
[ "$(missing_of without)" = control/nowhere.h ] || fail "a file that isn't there is not noticed: '$(missing_of without)'"

finish
