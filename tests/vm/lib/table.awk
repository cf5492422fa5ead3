# SPDX-License-Identifier: MIT
# Rows of a table, and then those of a later run: prints one for each series of kernels, machine and case, the last. Of the former only those
# whose CASE/MACHINE is among cases.
BEGIN {
	FS = " *[|] *"
	for (n = split(cases, pair, " "); n; n--) known[pair[n]] = 1
}

# The kernel without what Debian counts up: 6.12+deb13-cloud-amd64 for 6.12.107+deb13-cloud-amd64, as an older one can't be had any more.
function series(kernel, version) {
	if (!match(kernel, /^[0-9]+[.][0-9]+/)) return kernel
	version = substr(kernel, 1, RLENGTH)
	sub(/^[0-9]+[.][0-9]+([.][0-9]+)?(-[0-9]+)?/, "", kernel)
	return version kernel
}

FNR == 1 { files++ }
NF == 9 && (files > 1 || ($4 "/" $3) in known) {
	key = series($2) FS $3 FS $4
	if (!(key in row)) keys[++rows] = key
	row[key] = $0
}

END { for (i = 1; i <= rows; i++) print row[keys[i]] }
