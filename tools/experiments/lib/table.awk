# SPDX-License-Identifier: MIT
# A CSV file without quotes as a table: format = markdown or html. The first column is text, the others are numbers.
function cell(text) {
	if (format == "html") {
		gsub(/&/, "\\&amp;", text)
		gsub(/</, "\\&lt;", text)
		gsub(/>/, "\\&gt;", text)
	} else
		gsub(/\|/, "\\|", text)
	return text
}
BEGIN {
	FS = ","
	if (format == "html") print "<table>"
}
{
	line = format == "html" ? "<tr>" : "|"
	for (i = 1; i <= NF; i++)
		line = line (format == "html" ? (NR == 1 ? "<th>" : "<td>") cell($i) : " " cell($i) " |")
	print line
	if (NR == 1 && format != "html") {
		line = "| --- |"
		for (i = 2; i <= NF; i++)
			line = line " ---: |"
		print line
	}
}
END { if (format == "html") print "</table>" }
