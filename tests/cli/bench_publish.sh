#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench/lib/publish.sh: what stands between two markers of a document is replaced as a whole, under a line that says where it comes
# from; what isn't right is refused, and then the document is as it was.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH PUBLISH_ROOT
command -v git >/dev/null || skip 'git is missing'

# A project of its own, at a known revision.
project=$work/project
as_author() {
	git -C "$project" -c user.name=test -c user.email=test@localhost "$@" >git.log 2>&1 || fail "git $* failed: $(cat git.log)"
}
mkdir -p "$project/tools/lib"
cp "$source/tools/lib/awk.sh" "$project/tools/lib/"
echo one >"$project/program"
cat >"$project/table.md" <<'END'
Before.

<!-- first: begin -->
not measured yet
<!-- first: end -->

Between \ & /.

<!-- second: begin -->
not measured yet
<!-- second: end -->
END
as_author init -q
as_author add .
as_author commit -q -m all
revision=$(git -C "$project" rev-parse --short HEAD)
chmod 640 "$project/table.md"
cp "$project/table.md" before.md

cat >publish <<'END'
#!/bin/sh
set -u
trouble() {
	printf 'publish: %s\n' "$*" >&2
	exit 125
}
build=$SHOWSTOPPER_BUILD root=$1 file=$2 name=$3
shift 3
. "$SHOWSTOPPER_SOURCE/tools/bench/lib/publish.sh"
publish_begin tools/bench/thing "$@"
[ -z "${EARLIER-}" ] || publish_measured "$EARLIER" 2020-02-02 results program
[ "$name" != none ] || publish_look "$file" first second third
[ ! -e meanwhile ] || echo changed >"$root/program"
publish_block "$file" "$name"
echo "went on"
END
chmod +x publish
# publish_lines LINES PROJECT FILE BLOCK [ARGUMENT...]
publish_lines() {
	lines_in=$1
	shift
	printf '%b' "$lines_in" >fragment
	what="publish $*"
	timeout 60 ./publish "$@" >out 2>err <fragment
	status=$?
}
expect_as_it_was() {
	cmp -s "$project/table.md" before.md || fail "$what: the document has changed"
	[ ! -e "$project/table.md.new" ] || fail "$what: left table.md.new"
}

# ---- A block ------------------------------------------------------------------------------------------------------------------

publish_lines '| a \\\\ & / |\n| ---: |\n| +1.50 |\n' "$project" table.md first -m 'two words' --publish
expect_status 0
expect_text out '^published: .*/table\.md, first$'
expect_text out '^went on$'
cat >expected.md <<'END'
Before.

<!-- first: begin -->

HEADING

| a \\ & / |
| ---: |
| +1.50 |

<!-- first: end -->

Between \ & /.

<!-- second: begin -->
not measured yet
<!-- second: end -->
END
sed 's/^Revision .*/HEADING/' "$project/table.md" | diff expected.md - || fail "$what: another document than expected"
heading="^Revision $revision, [0-9]{4}-[0-9]{2}-[0-9]{2}, [0-9]+ processors.*, Linux [0-9.]+.*, .*virtual machine.*, accounting [a-z]+: "
expect_text "$project/table.md" "$heading\`tools/bench/thing -m 'two words' --publish\`\$"
[ "$(stat -c %a "$project/table.md")" = 640 ] || fail "$what: the document has another mode"

# The same again is the same; the document that was published doesn't make the revision dirty. Another takes its place.
cp "$project/table.md" once.md
publish_lines '| a \\\\ & / |\n| ---: |\n| +1.50 |\n' "$project" table.md first -m 'two words' --publish
cmp -s once.md "$project/table.md" || fail "$what: another document the second time"
publish_lines 'short\n' "$project" table.md first
expect_status 0
expect_no_text "$project/table.md" '1\.50'
expect_lines "$project/table.md" 15
publish_lines 'second\n' "$project" table.md second
expect_text "$project/table.md" '^short$'
expect_text "$project/table.md" '^second$'

# Changed sources make it dirty.
echo two >"$project/program"
publish_lines 'short\n' "$project" table.md first
expect_text "$project/table.md" "^Revision $revision-dirty, "
git -C "$project" checkout -q program

# What an earlier revision measured, while documents alone have changed since; and when the program has.
git -C "$project" checkout -q table.md
echo Before, too. >>"$project/table.md"
as_author commit -q -a -m document
EARLIER=$revision publish_lines 'short\n' "$project" table.md first
expect_status 0
expect_text "$project/table.md" "^Revision $revision, 2020-02-02, "
git -C "$project" checkout -q table.md
EARLIER=0123456 publish_lines 'short\n' "$project" table.md first
expect_trouble '^publish: --publish: results was begun with revision 0123456, and what measures is another now; choose another --output$'
EARLIER=$revision-dirty publish_lines 'short\n' "$project" table.md first
expect_trouble 'was begun with revision [0-9a-f]+-dirty, and what measures is another now'
echo two >"$project/program"
as_author commit -q -a -m program
EARLIER=$revision publish_lines 'short\n' "$project" table.md first
expect_trouble "was begun with revision $revision, and what measures is another now"
cp before.md "$project/table.md"
revision=$(git -C "$project" rev-parse --short HEAD)

# A draft elsewhere.
mkdir draft
cp before.md draft/table.md
cp before.md "$project/table.md"
PUBLISH_ROOT=$work/draft
export PUBLISH_ROOT
publish_lines 'short\n' "$project" table.md first
expect_status 0
expect_text draft/table.md '^short$'
expect_as_it_was
unset PUBLISH_ROOT

# ---- What is refused ----------------------------------------------------------------------------------------------------------

publish_lines '| 1 |\n' "$project" table.md third
expect_trouble '^publish: --publish: .*/table\.md needs the lines <!-- third: begin --> and <!-- third: end -->'
expect_no_text out 'went on'
expect_as_it_was
# Looked for before anything is measured.
publish_lines '| 1 |\n' "$project" table.md none
expect_trouble 'needs the lines <!-- third: begin -->'
publish_lines '' "$project" table.md first
expect_trouble '^publish: --publish: nothing to write into .*/table\.md as first'
expect_as_it_was
publish_lines '| 1 |\n' "$project" nothing.md first
expect_trouble "^publish: --publish: can't write .*/nothing\.md"
touch meanwhile
publish_lines '| 1 |\n' "$project" table.md first
expect_trouble '^publish: --publish: the sources have changed since the start'
expect_as_it_was
rm meanwhile
git -C "$project" checkout -q program
for broken in '/second: end/d' '/second: begin/d' 's/first: begin/second: begin/' 's/first: end/second: end/' 's/second: begin/x/; s/second: end/second: begin/; s/x/second: end/'; do
	sed "$broken" before.md >"$project/table.md"
	cp "$project/table.md" broken.md
	publish_lines '| 1 |\n' "$project" table.md second
	expect_trouble 'needs the lines <!-- second: begin --> and <!-- second: end -->, once and in this order'
	cmp -s broken.md "$project/table.md" || fail "$what: the document has changed"
done
mkdir plain
cp before.md plain/table.md
cp -r "$project/tools" plain/
export GIT_CEILING_DIRECTORIES="$work"
publish_lines '| 1 |\n' "$work/plain" table.md first
expect_trouble '^publish: --publish: the revision is unknown: .*/plain is no git checkout'

finish
