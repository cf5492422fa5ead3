#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's commands work. Blocks marked sh are run, with `showstopper` cut to two seconds: what follows -r and -w is replaced, and
# -r added. Experiments are run with the programs under test. Blocks that build or install aren't run; the scripts in them must be there and have a --help.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
umask 022

mkdir bin
cat >bin/showstopper <<END
#!/bin/sh
before=
for word do
	shift
	case \$before in -r | -w) word=2s ;; esac
	before=\$word
	set -- "\$@" "\$word"
done
exec '$build/showstopper' -r 2s "\$@"
END
chmod +x bin/showstopper

# block.N for each block, with its language in language.N.
awk '/^```/ && !inside { inside = 1; count++; printf "%s\n", substr($0, 4) >("language." count); next }
	/^```/ { inside = 0; next }
	inside { print >("block." count) }
	END { exit inside || count < 4 }' "$source/README.md"
status=$?
what='blocks of the README'
expect_status 0

ran=0
for block in block.*; do
	number=${block#block.}
	[ "$(cat "language.$number")" = sh ] || continue
	what="README, block $number"
	sh -n "$block" || fail "$what: no shell script"
	# Experiments would build the programs anew.
	if ! grep -Evq '^tools/experiments/' "$block"; then
		while read -r line; do
			run sh -c "cd '$source' && $(printf '%s' "$line" | sed "s,-o results,-o $work/results,") -B '$build'"
			expect_status 0
		done <"$block"
		ran=$((ran + 1))
		continue
	fi
	if grep -Eq '(^|[ (])(tools/|cmake |sudo )' "$block"; then
		grep -Eo 'tools/[a-z/]+' "$block" >>scripts
		continue
	fi
	mkdir "run.$number"
	for folder in include modules traces; do ln -s "$source/$folder" "run.$number/$folder"; done
	(
		cd "run.$number" || exit 1
		failures=0
		PATH=$work/bin:$PATH
		run sh -e "../$block"
		expect_status 0
		expect_no_text err '^showstopper:.*(unknown|expected)'
		expect_no_text out '^status 1'
		[ "$failures" -eq 0 ]
	) || fail "$what"
	ran=$((ran + 1))
done
[ "$ran" -ge 5 ] || fail "only $ran blocks were run"

# What the README shows of the summary is what is printed, apart from the numbers.
shape() {
	sed -E 's/[-+]?[0-9]+(\.[0-9]+)?/N/g; s/  +/ /g' "$1"
}
what='the summary in the README'
for block in block.*; do
	grep -q '^target load' "$block" || continue
	seen=yes
	run "$work/bin/showstopper" -T 50% -n 2 ssburn
	shape err >actual
	shape "$block" >shown
	grep -vxFf actual shown >missing && { fail "$what has lines that are not printed:"; cat missing; }
done
[ "${seen-no}" = yes ] || fail "the README shows no summary"

# Commands named in the text, and what the README links to.
# A folder's name ends with a slash.
grep -Eo '`tools/[a-z/]+' "$source/README.md" | tr -d '`' | grep -v '/$' >>scripts
while read -r script; do
	run "$source/$script" --help
	expect_status 0
	expect_text out '^[Uu]sage: '
done <scripts
sed -En 's/.*\]\(([^)]*)\).*/\1/p' "$source/README.md" | while read -r link; do
	[ -e "$source/$link" ] || echo "$link"
done >broken
[ ! -s broken ] || { fail "the README links to what isn't there:"; cat broken; }

finish
