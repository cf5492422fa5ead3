#!/bin/sh
# SPDX-License-Identifier: MIT
# What a file of src/ calls lies in its own room or in one further down: as includes.sh, from the symbols of the compiled files.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
# shellcheck source=tests/structure/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/structure/lib.sh"

# Lines `UNIT D|U SYMBOL`: what each compiled file of src/ defines for others, and what it lacks.
find "$build/CMakeFiles" -path '*.dir/src/*.o' >objects
while IFS= read -r object; do
	unit=${object##*.dir/src/}
	# What a file left behind that is gone from the sources would hide who calls whom.
	[ -e "$SHOWSTOPPER_SOURCE/src/${unit%.o}" ] || continue
	nm --extern-only "$object" | awk -v unit="${unit%.c.o}" '{ print unit, ($(NF - 1) == "U" ? "U" : "D"), $NF }'
done <objects >symbols

# A weak symbol may be in many (coverage, sanitizers); a file knows the one that defines what it lacks.
awk '$2 == "D" { defined[$3]++; by[$3] = $1 } END { for (s in by) if (defined[s] == 1) print s, by[s] }' symbols >definitions
awk 'NR == FNR { by[$1] = $2; next } $2 == "U" && ($3 in by) && by[$3] != $1 { print $1, by[$3], $3 }' definitions symbols >edges
[ "$(wc -l <edges)" -ge 300 ] || fail "only $(wc -l <edges) calls were found in $build"
judge edges >wrong
[ ! -s wrong ] || { fail "what the files of src/ call:"; cat wrong; }

# The test itself: a call turned upwards is found.
{ cat edges; echo "processes/tree control/shared shared_init"; } >turned
judge turned >found
grep -qx 'shared_init: processes/tree knows control/shared, which stands above it' found || fail "processes/tree calls shared_init, and nobody says so"

finish
