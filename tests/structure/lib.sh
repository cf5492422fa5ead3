# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by the tests of this folder. Edges are lines `FROM TO WHERE`, from one unit (a path below src/ without its ending) to another.

# judge EDGES: prints each edge that breaks the order of the rooms, and the units that know each other in a circle.
judge() {
	awk '
		function room(unit) { return unit ~ /\// ? substr(unit, 1, index(unit, "/") - 1) : "" }
		FILENAME != ARGV[2] {
			if (!/^#/) {
				floors++
				for (i = 1; i <= NF; i++)
					floor[$i] = floors
			}
			next
		}
		{
			from = room($1); to = room($2)
			for (i = 1; i <= 2; i++)
				if ($i != "main" && !(room($i) in floor) && !told[$i]++)
					print $i " is in no room of tests/structure/rooms"
			where = $3 ? $3 ": " : ""
			if (from != to && from in floor && to in floor && floor[to] >= floor[from])
				print where $1 " knows " $2 (floor[to] == floor[from] ? ", which stands beside it" : ", which stands above it")
			if ($2 == "main")
				print where $1 " knows main"
		}' "$SHOWSTOPPER_SOURCE/tests/structure/rooms" "$1"
	# Who is in a circle: what is left when all that nobody left knows, and all that knows nobody left, is taken away.
	awk '$1 != $2 { print $1, $2 }' "$1" | sort -u >pairs
	cp pairs rest
	while
		awk 'NR == FNR { from[$1]; to[$2]; next } ($1 in to) && ($2 in from)' rest rest >fewer
		! cmp -s rest fewer
	do
		mv fewer rest
	done
	[ ! -s rest ] || awk '{ print "circle: " $1 " knows " $2 }' rest
}
