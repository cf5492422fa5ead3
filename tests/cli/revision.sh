#!/bin/sh
# SPDX-License-Identifier: MIT
# --version names the revision of a checkout, and none where there is none; a build in which nothing has changed compiles nothing.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
limit=240

# A build of one program without the git history, as from `git archive`.
mkdir plain
for part in CMakeLists.txt README.md LICENSE src include modules tools traces; do cp -R "$source/$part" plain/; done
run cmake -S plain -B plain/build -DCMAKE_BUILD_TYPE=Debug
expect_status 0
run cmake --build plain/build --target ssburn --parallel "$(nproc)"
expect_status 0
run plain/build/ssburn --version
expect_text out '^ssburn [0-9]+\.[0-9]+\.[0-9]+$'

if ! command -v git >/dev/null; then
	skip_missing git checkouts
fi
HOME=$work GIT_CONFIG_NOSYSTEM=1
export HOME GIT_CONFIG_NOSYSTEM
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
commit() { git -C plain -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m "$1"; }

# rebuilt: builds, and leaves what --version says in the file out.
rebuilt() {
	run cmake --build plain/build --target ssburn
	expect_status 0
	mv out built
	run plain/build/ssburn --version
}

# What lies in a checkout of something else is no checkout.
git init -q .
git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m outer
rebuilt
expect_text out '^ssburn [0-9.]+$'

# The first commit, a second one, a change, a tag.
git init -q plain
printf '/build/\n' >plain/.gitignore
git -C plain add . && commit first
rebuilt
expect_text out "^ssburn [0-9.]+ \\($(git -C plain rev-parse --short HEAD)\\)\$"
expect_text built 'version\.c'
expect_no_text built 'config\.c'
commit second
rebuilt
expect_text out "^ssburn [0-9.]+ \\($(git -C plain rev-parse --short HEAD)\\)\$"
touch plain/build/before
rebuilt
expect_no_text built 'version\.c'
[ -z "$(find plain/build -name revision.h -newer plain/build/before)" ] || fail 'revision.h is written anew, and says nothing new'
echo >>plain/README
git -C plain add README
rebuilt
expect_text out "^ssburn [0-9.]+ \\($(git -C plain rev-parse --short HEAD)-dirty\\)\$"
commit third
git -C plain tag 'v1,"x--y'
rebuilt
expect_text out '^ssburn [0-9.]+ \(v1__x-y\)$'

finish
