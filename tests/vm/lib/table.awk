# SPDX-License-Identifier: MIT
# Rows of a table, and then those of a later run: prints one for each kernel, machine and case, the last. Cases are NAME.sh.
BEGIN {
	FS = " *[|] *"
	for (n = split(cases, file, " "); n; n--) {
		sub(/\.sh$/, "", file[n])
		known[file[n]] = 1
	}
}

NF == 9 && $4 in known {
	key = $2 FS $3 FS $4
	if (!(key in row)) keys[++rows] = key
	row[key] = $0
}

END { for (i = 1; i <= rows; i++) print row[keys[i]] }
