# SPDX-License-Identifier: MIT
# What is wrong with the figures of a document: rows of tables that hold a signed number or one with decimals must stand between markers, and each
# block must end with where it comes from, unless nothing has been measured. Prints a line for each fault.
function fault(text) { print FILENAME ":" FNR ": " text }

/^<!-- [a-z0-9-]+: begin -->$/ {
	if (name != "") fault("a block within " name)
	name = substr($2, 1, length($2) - 1)
	if (name in seen) fault("a second block " name)
	seen[name] = 1
	first = last = ""
	more = 0
	next
}

/^<!-- [a-z0-9-]+: end -->$/ {
	if (name ":" != $2) fault("the end of " $2 " which has not begun")
	if (first == "not measured yet") {
		if (more) fault(name " isn't measured, but has more")
	} else if (last !~ /^<sub>Revision [0-9A-Za-z._-]+, [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9], [0-9]+ processors.*, Linux [0-9].*, accounting [a-z ]+(, load by [a-z]+)?(, [0-9]+\.[0-9][0-9] % of its busy time stolen)?(, sources [0-9a-f]+ \([^`)]*\))?: `tools\/[a-z\/-]+.*`<\/sub>$/)
		fault(name " doesn't end with revision, date, machine and command")
	else if (!more)
		fault(name " has no table")
	name = ""
	next
}

name != "" && /./ { last = $0 }
name != "" && first == "" && /./ {
	first = $0
	if (first == "not measured yet") next
}
name != "" && (/^\||^```$/ || first == "not measured yet" && /./) { more = 1 }
name == "" && /^\|/ && /[| (~](-|\+|−|±)?[0-9]+\.[0-9]|[| (~](-|\+|−|±)[0-9]/ { fault("a figure outside of a block: " $0) }

END { if (name != "") fault(name " has no end") }
