# SPDX-License-Identifier: MIT
# Rows of the table of tools/bench/faults out of what tests/faults printed. Variable: what, which tool and how it was contained.
/^trials that left a process alive: / {
	split($0, part, /[^0-9]+/)
	rows[++n] = sprintf("| %s | %d | %d | %d |", what, part[3], part[2], part[4])
	trials = part[3]
}

/^… where guardian, master/ {
	split($0, part, /[^0-9]+/)
	unsupervised = sprintf("| %s: guardian, master and the workload's executor together | %d | %d | %d |", what, part[3], part[2], part[4])
}

END {
	if (n != 1)
		exit 1
	if (trials)
		print rows[1]
	if (unsupervised != "")
		print unsupervised
}
