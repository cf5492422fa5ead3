#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of the documents, and the first ones of manuals, work. Blocks marked sh are run, with `showstopper` and `ssrequest` cut to two seconds: what follows -r and -w is replaced, and
# -r added. Experiments are run with the programs under test. Blocks that build, install or test aren't run; the scripts in them must be there
# and have a --help, and the programs of tests that they name must be built.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH
umask 022

mkdir bin
for program in showstopper ssrequest; do
	[ -x "$build/$program" ] || continue
	cat >bin/$program <<END
#!/bin/sh
before=
for word do
	shift
	case \$before in -r | -w) word=2s ;; esac
	before=\$word
	set -- "\$@" "\$word"
done
exec '$build/$program' -r 2s "\$@"
END
	chmod +x bin/$program
done

# A day is recorded at once: five rows of 72 s, at the speed of the README half a second each.
cat >bin/cpuload <<END
#!/bin/sh
[ "\$*" = '-o monday.csv 5min 288' ] || exec '$build/cpuload' "\$@"
'$build/cpuload' 10ms 5 | awk -F, -v OFS=, 'NR > 1 { \$1 = 72 * (NR - 1); \$3 = NR * 3 % 5 / 5 } { print }' >monday.csv
END
chmod +x bin/cpuload

lines=$(wc -l <"$source/README.md")
[ "$lines" -le 180 ] || fail "README.md has $lines lines, more than 180"
# A bare Debian has no sudo.
# shellcheck disable=SC2016 # Markdown
grep -Fq '; root leaves `sudo` out.' "$source/README.md" || fail 'README.md does not say what root types where there is no sudo'

# look_at BLOCK: what it names is there.
look_at() {
	grep -Eo '(^|[ (])tools/[a-z0-9/-]+' "$1" | tr -d ' (' >>scripts
	built=$(grep -Eo '(^|[ =])build/tests/[a-z_]+' "$1" | sed 's,.*build/,,')
	for file in $built; do
		[ -x "$build/$file" ] || fail "$what names build/$file, which is not built"
	done
	there=$(grep -Eo '(^|[ =])tests/[a-z_/]+(\.sh)?' "$1" | tr -d ' =')
	for file in $there; do
		[ -e "$source/$file" ] || fail "$what names $file, which isn't there"
	done
}

# run_block BLOCK FOLDER: what it leaves in the background ends with it.
run_block() {
	mkdir "$2"
	for folder in include modules traces; do ln -s "$source/$folder" "$2/$folder"; done
	(
		cd "$2" || exit 1
		failures=0
		PATH=$work/bin:$PATH
		# shellcheck disable=SC2016 # the inner shell's
		run sh -e -c 'trap "kill \$(jobs -p) 2>/dev/null || :" EXIT; . "$1"' sh "../$1"
		expect_status 0
		expect_no_text err '^showstopper:.*(unknown|expected)'
		expect_no_text out '^status 1'
		[ "$failures" -eq 0 ]
	) || fail "$what"
}

# run_experiments BLOCK: a command a line, which would build the programs anew.
run_experiments() {
	while read -r line; do
		run sh -c "cd '$source' && $(printf '%s' "$line" | sed "s,-o results,-o $work/results,") -B '$build'"
		expect_status 0
	done <"$1"
}

# document FILE PREFIX LEAST: its blocks are PREFIX.N, with their languages in PREFIX.language.N; so many at least must have been run.
document() {
	awk -v prefix="$2." '/^```/ && !inside { inside = 1; count++; printf "%s\n", substr($0, 4) >(prefix "language." count); next }
		/^```/ { inside = 0; next }
		inside { print >(prefix count) }
		END { exit inside }' "$source/$1" || fail "$1: a block has no end"
	ran=0
	for language in "$2".language.*; do
		[ "$(cat "$language" 2>/dev/null)" = sh ] || continue
		number=${language##*.}
		block=$2.$number
		what="$1, block $number"
		sh -n "$block" || fail "$what: no shell script"
		if ! grep -Evq '^tools/experiments/' "$block"; then
			run_experiments "$block"
		elif grep -Eq '(^|[ (])(tools/|cmake |ctest |sudo |build/|sh tests/)' "$block"; then
			look_at "$block"
			continue
		elif grep -q '^ssrequest ' "$block" && [ ! -x "$build/ssrequest" ]; then
			left_out "$what: ssrequest is not built"
			continue
		else
			run_block "$block" "run.$block"
		fi
		ran=$((ran + 1))
	done
	[ "$ran" -ge "$3" ] || fail "$1: only $ran blocks were run"
	# Commands named in the text, and what it links to. A folder's name ends with a slash, a file of figures with its kind;
	# tables name folders of figures as well.
	grep -Eo '`tools/[a-z0-9/-]+[^a-z0-9/.-]' "$source/$1" | tr -d '`' | sed 's/[^a-z0-9/-]*$//' | grep -Ev '/$|^tools/experiments/measured/' >>scripts
	expect_links "$source/$1"
}

# manual FILE SECTION PREFIX LEAST: the examples in it, of which there must be so many at least, as blocks. What stands for a process, or for
# more data than a test has, is replaced; a load that a busy machine doesn't hold is no failure here.
manual() {
	awk -v title="$2" -v prefix="$3." '/^\.S[hs] / { inside = substr($0, 5) == title; next }
		!inside { next }
		/^\.Dl / { count++; print substr($0, 5) >(prefix count) }
		/^\.Bd / { block = 1; count++; next }
		/^\.Ed/ { block = 0 }
		block { gsub(/\\e/, "\\"); print >(prefix count) }' "$source/$1"
	ran=0
	for block in "$3".[0-9]*; do
		what="$1, example ${block##*.}"
		{
			echo 'sleep 100 &'
			sed 's/ 1234$/ $!/; s,/home,/etc/passwd,; s/--require [^ ]*//' "$block"
		} >"$block.sh"
		run_block "$block.sh" "run.$block"
		ran=$((ran + 1))
	done
	[ "$ran" -ge "$4" ] || fail "$1: only $ran examples were run"
}
# A client that ends.
printf '#!/bin/sh\nsleep 0.5\necho "tps of $*"\n' >bin/pgbench
chmod +x bin/pgbench

manual src/showstopper.1 'Five examples' five 5
grep -qx 'tps of -c 4 -T 60 bench' run.five.3/client.txt || fail "showstopper.1, example 3: the client's last line is missing"
[ -s run.five.2/day.svg ] || fail 'showstopper.1, example 2: no picture'
manual src/showstopper-record.5 EXAMPLES record 1
manual src/showstopper-check-machine.5 EXAMPLES check 1

document README.md readme 5
document modules/README.md modules 1
document traces/README.md traces 2
document tools/experiments/README.md experiments 2
document tools/bench/README.md bench 0
document tests/README.md tests 0

# What the README shows of the summary is what is printed, apart from the numbers.
shape() {
	sed -E 's/[-+]?[0-9]+(\.[0-9]+)?/N/g; s/  +/ /g' "$1"
}
what='the summary in the README'
for block in readme.[0-9]*; do
	grep -q '^target load' "$block" || continue
	seen=yes
	run "$work/bin/showstopper" -T 50% -n 2 ssburn
	shape err >actual
	# What is said only where the default made several instances.
	run "$work/bin/showstopper" -T 50% ssburn
	shape err | grep '^instances ' >>actual
	# Nothing is said of instances that got next to no time, as on a machine that others fill.
	shape "$block" | grep -v '^equal instances ' >shown
	grep -vxFf actual shown >missing && { fail "$what has lines that are not printed:"; cat missing; }
done
[ "${seen-no}" = yes ] || fail "the README shows no summary"

# The replay of the README follows the record.
what='the recorded day in the README'
block=$(grep -l '^cpuload -o monday.csv 5min 288$' readme.[0-9]*)
awk -F, 'NR > 1 { print $3 > "followed"; off = $3 - (NR * 3 % 5 / 5); if (off > 0.05 || off < -0.05) wrong = 1 }
	END { exit wrong || NR < 4 }' "run.$block/replay.csv" || fail "$what: its targets are $(cat followed)"
[ -s "run.$block/replay.svg" ] || fail "$what: no picture"

# The curve of the README has a point for each step of its staircase.
what='the curve in the README'
block=$(grep -l '^ssreport curve ' readme.[0-9]*)
staircase=$(sed -n 's/^showstopper -t staircase -T \([^ ]*\) .*/\1/p' "$block")
run sssim -q -t staircase -T "$staircase" -o steps.csv
expect_status 0
awk -F, 'NR == 1 { print "start_s,end_s" } NR > 1 { printf "%.6f,%.6f\n", $2 - 0.4, $2 }' steps.csv >it.0.csv
run sh -c "$(grep '^ssreport curve ' "$block") -f csv"
expect_status 0
expect_lines err 0
expect_lines out 11

# The picture in the README shows the peaks of its trace, at both speeds: its rows are so short that their means come near to 60 and 90 %.
for name in speed interval; do sed -n "s/^[[:space:]]*$name=\([0-9].*\)/\1/p" "$source/tools/demo" >"$name"; done
paste -d ' ' speed interval >pictures
[ "$(wc -l <pictures)" -eq 2 ] || fail "tools/demo has other speeds and intervals than expected: $(cat pictures)"
while read -r speed interval; do
	run sssim -q -t file -T "$source/traces/saw.trace,speed=$speed" --log-interval "$interval" -o saw.csv
	expect_status 0
	awk -F, -v speed="$speed" 'NR > 1 { if ($1 * speed < 40 && $3 > first) first = $3; if ($3 > most) most = $3 }
		END { print first, most; exit !(first > 0.59 && most > 0.89) }' saw.csv >peaks || fail "$what: the peaks are $(cat peaks)"
done <pictures

sort -u scripts >named
[ "$(wc -l <named)" -ge 10 ] || fail "only $(wc -l <named) scripts are named"
while read -r script; do
	run "$source/$script" --help
	expect_status 0
	expect_text out '^[Uu]sage: '
done <named

finish
