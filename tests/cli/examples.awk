# SPDX-License-Identifier: MIT
# Prints the literal blocks of a manual's section EXAMPLES, as whoever reads it types them.
/^\.Sh / { wanted = $2 == "EXAMPLES" }
/^\.Ed/ { inside = 0 }
wanted && inside {
	gsub(/\\\(aq/, "'")
	gsub(/\\-/, "-")
	gsub(/\\e/, "\\")
	print
}
/^\.Bd -literal/ { inside = 1 }
