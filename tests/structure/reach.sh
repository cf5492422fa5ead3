#!/bin/sh
# SPDX-License-Identifier: MIT
# What each program is linked from, by the symbols of the compiled files: only the rooms of src/ that tests/structure/reach gives it, and nothing in src/ is
# there for one program alone, unless that is showstopper.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
allowed=$source/tests/structure/reach

# Lines `PROGRAM FILE D|U SYMBOL` of all objects; the program of those of src/ is -.
find "$build/CMakeFiles" -path '*.dir/src/*.o' -o -path '*.dir/tools/*.o' -o -path '*.dir/modules/*.o' >objects
while IFS= read -r object; do
	file=${object##*.dir/} target=${object%".dir/$file"}
	# What a file left behind that is gone from the sources would be linked by nobody.
	[ -e "$source/${file%.o}" ] || continue
	case $file in
		tools/*) program=${target##*/} program=${program%_parts} ;;
		modules/*) program=modules ;;
		src/main.*) program=showstopper ;;
		*) program=- ;;
	esac
	nm --extern-only "$object" | awk -v of="$program ${file%.c.o}" '{ print of, ($(NF - 1) == "U" ? "U" : "D"), $NF }'
done <objects | sort -u >symbols

# links_of SYMBOLS: lines `PROGRAM FILE`, for each file of src/ that a program is linked with: as a linker does, from what its own files lack.
links_of() {
	awk '
		$3 == "D" { by[$1, $4] = $2 }
		$3 == "U" { lacks[$2] = lacks[$2] " " $4 }
		$1 != "-" && !(($1, $2) in own) { own[$1, $2]; files[$1] = files[$1] " " $2 }
		END {
			for (program in files) {
				split("", seen)
				depth = split(files[program], stack, " ")
				while (depth > 0) {
					file = stack[depth--]
					n = split(lacks[file], symbol, " ")
					for (i = 1; i <= n; i++) {
						if ((program, symbol[i]) in by || !(("-", symbol[i]) in by))
							continue
						next_file = by["-", symbol[i]]
						if (next_file in seen)
							continue
						seen[next_file]
						stack[++depth] = next_file
						print program, next_file
					}
				}
			}
		}' "$1" | sort
}
links_of symbols >links
[ "$(wc -l <links)" -ge 200 ] || fail "only $(wc -l <links) files were found in $build"

# judge LINKS: what is in a room that the program is not given, and what one program alone has.
judge() {
	awk '
		NR == FNR {
			if (!/^#/) {
				for (i = 2; i <= NF; i++)
					given[$1, $i] = 1
				known[$1] = 1
			}
			next
		}
		{
			split($2, part, "/")
			users[$2] = users[$2] " " $1
			count[$2]++
			if (!($1 in known))
				print $1 " is not in tests/structure/reach"
			else if (!(($1, part[2]) in given))
				print $1 " is linked with " $2
		}
		END {
			for (file in count)
				if (count[file] == 1 && users[file] != " showstopper")
					print file " is there for" users[file] " alone"
		}' "$allowed" "$1" | sort -u
}
judge links >wrong
[ ! -s wrong ] || { fail "what programs are linked with:"; cat wrong; }

# The test itself.
{ cat links; echo ssiterate src/supervise/master; echo sstrace src/trace/another; } >turned
judge turned >found
grep -qx 'ssiterate is linked with src/supervise/master' found || fail 'ssiterate is linked with the master, and nobody says so'
grep -qx 'src/trace/another is there for sstrace alone' found || fail 'a file of one program is not noticed'

finish
