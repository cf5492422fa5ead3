#!/bin/sh
# SPDX-License-Identifier: MIT
# What is kept lies in the agreed folders: nothing that a test or a person has left at the top was committed with the rest.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

printf '%s\n' .ci .clang-format .clang-tidy .gitignore CMakeLists.txt LICENSE README.md include modules src tests tools traces | sort >agreed
git -C "$source" ls-files >kept 2>/dev/null || skip "this is no git checkout"
top_of() {
	sed 's,/.*,,' "$1" | sort -u
}
top_of kept >found
cmp -s agreed found || { fail "at the top, < agreed, > kept:"; diff agreed found; }

# The test itself.
{ cat kept && echo left/over; } >"more"
top_of "more" | cmp -s agreed - && fail "what was left is not noticed"

finish
