#!/bin/sh
# SPDX-License-Identifier: MIT
# What a file of src/ includes lies in its own room or in one further down; modules include the library of parsers alone.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
# shellcheck source=tests/structure/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/structure/lib.sh"

# FOLDER: its edges. Includes name the room: what does not is an edge to nowhere, which judge names.
edges_of() {
	(cd "$1" && find . -name '*.[ch]' -exec grep -HnE '^[[:blank:]]*#[[:blank:]]*include[[:blank:]]+"' {} +) |
		sed -nE 's,^\./([^:]+)\.[ch]:([0-9]+):[^"]*"([^"]+)\.h".*,\1 \3 \1:\2,p' |
		awk '$2 !~ /^showstopper\// && $1 != $2'
}

edges_of "$source/src" >edges
[ "$(wc -l <edges)" -ge 200 ] || fail "only $(wc -l <edges) includes were found in src/"
judge edges >wrong
[ ! -s wrong ] || { fail "includes of src/:"; cat wrong; }

# The test itself: one include turned upwards is found, and so is a circle, and two that stand side by side.
turned() {
	{ cat edges; echo "$1 $2 here:1"; } >turned
	judge turned >found
	grep -q "$3" found || { fail "$1 includes $2, and nobody says so"; cat found; }
}
turned processes/tree control/shared '^here:1: processes/tree knows control/shared, which stands above it$'
turned load/stat meters/power 'beside it$'
turned processes/descendants processes/tree '^circle: processes/tree knows processes/descendants$'
turned processes/tree newroom/file '^newroom/file is in no room'

find "$source/src" -mindepth 1 -maxdepth 1 -type d -exec basename {} \; | sort >folders
sed '/^#/d' "$source/tests/structure/rooms" | tr ' ' '\n' | sort >rooms
cmp -s folders rooms || { fail "folders of src/, < there, > in tests/structure/rooms:"; diff folders rooms; }

# No room's name begins the path of a system header, which -Isrc would hide.
while IFS= read -r room; do
	for folder in /usr/include /usr/include/*-linux-gnu*; do
		[ ! -d "$folder/$room" ] || fail "the room $room hides $folder/$room"
	done
done <rooms

finish
