#!/bin/sh
# SPDX-License-Identifier: MIT
# src/README.md names every file of every room once, in the room's own paragraph, and nothing that isn't there.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
guide=$source/src/README.md

# units FILE: `ROOM/UNIT` for each name in backquotes below a room's heading.
units() {
	awk '/^### [a-z]+\/$/ { room = $2; next } /^#/ { room = "" } room {
		while (match($0, /`[a-z_]+`/)) {
			print room substr($0, RSTART + 1, RLENGTH - 2)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}' "$1" | sort
}
units "$guide" >named
(cd "$source/src" && find . -mindepth 2 -name '*.[ch]') | sed 's,^\./,,; s,\.[ch]$,,' | sort -u >there
[ "$(wc -l <there)" -ge 80 ] || fail "only $(wc -l <there) files were found in src/"
uniq -d named >twice
[ ! -s twice ] || { fail "src/README.md names twice:"; cat twice; }
cmp -s named there || { fail "files, < in src/README.md, > in src/:"; diff named there; }
sed '/^#/d' "$source/tests/structure/rooms" | tr ' ' '\n' | sort >rooms
sed -n 's,^### \(.*\)/$,\1,p' "$guide" | sort >headed
cmp -s headed rooms || { fail "rooms, < in src/README.md, > in tests/structure/rooms:"; diff headed rooms; }

# Files and folders that its table names are there.
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^## What to change where/,/^## The rooms/p' "$guide" | grep -Eo '`[a-z_/.0-9]+`' | tr -d '`' | sort -u >pointed
[ "$(wc -l <pointed)" -ge 8 ] || fail "src/README.md points to $(wc -l <pointed) files"
while IFS= read -r file; do
	[ -e "$source/$file" ] || [ -e "$source/src/$file" ] || fail "src/README.md points to $file, which isn't there"
done <pointed

# The test itself.
# shellcheck disable=SC2016
sed 's/^`trace` is a trace/A trace/' "$guide" >without
units without | cmp -s - there && fail "a file without a word is not noticed"

finish
