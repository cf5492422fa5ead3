# SPDX-License-Identifier: MIT
# Rows of a table, and then those of a later run: prints one for each kernel, machine and case, the last. Of the former only those whose
# CASE/MACHINE is among cases.
BEGIN {
	FS = " *[|] *"
	for (n = split(cases, pair, " "); n; n--) known[pair[n]] = 1
}

FNR == 1 { files++ }
NF == 9 && (files > 1 || ($4 "/" $3) in known) {
	key = $2 FS $3 FS $4
	if (!(key in row)) keys[++rows] = key
	row[key] = $0
}

END { for (i = 1; i <= rows; i++) print row[keys[i]] }
