# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: verdicts, and the table that is published. Needs $table, the rows of this run, $folder, where a case left its results,
# $accelerator, $publisher with $published_revision, and $called, the command.
#   table_add KERNEL MACHINE CASE VERDICT SECONDS   a row, and the verdict for a later run
#   table_settled FOLDER    whether the case was ok or left out when it was run last
#   table_has WORD          whether a verdict begins with it
#   table_totals            prints how many verdicts of each kind there are
#   table_merge CASES ROWS  of a document on standard input, the rows with these in their places, and in those of older kernels of the same
#                           series; those go whose case in this folder is no more, or names the machine no more
#   table_publish           puts the rows of this run into those of the document, but for cases that were in no machine, as something was lacked

table_add() {
	printf '%s\n' "$4" >"$folder/verdict"
	# shellcheck disable=SC2154 # the caller's
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$(printf '%s' "$4" | tr '|' /)" "$5" "$accelerator" \
		"${published_revision:-unknown}" >>"$table"
}

table_settled() {
	grep -qsx -e ok -e 'left out.*' "$1/verdict"
}

table_has() {
	grep -q "^|[^|]*|[^|]*|[^|]*| $1" "$table"
}

table_totals() {
	awk -F ' [|] ' '
		{ sub(/^[|] /, ""); runs++; verdict = $4; n[verdict ~ /^left out/ ? "left out" : verdict ~ /^busy/ ? "busy" : verdict ~ /^ok/ ? "ok" : "failed"]++ }
		END { printf "%d run: %d ok, %d left out, %d failed, %d busy\n", runs, n["ok"], n["left out"], n["failed"], n["busy"] }' "$table"
}

# CASE/MACHINE, all that there are.
table_known() {
	for file in "$1"/*.sh; do
		name=${file##*/}
		for kind in $(sed -n 's/^# machines: *//p' "$file"); do
			printf '%s/%s ' "${name%.sh}" "$kind"
		done
	done
}

table_merge() {
	awk -v cases="$(table_known "$1")" -f "$root/tests/vm/lib/table.awk" - "$2" | sort -t '|' -k 2,2V -k 4,4 -k 3,3
}

table_publish() {
	grep -v '| - | [^|]*|$' "$table" >"$work/ran"
	# shellcheck disable=SC2154 # the caller's
	{
		printf '| kernel | machine | case | verdict | s | by | revision |\n| --- | --- | --- | --- | ---: | --- | --- |\n'
		sed -n '/^<!-- vm: begin -->$/,/^<!-- vm: end -->$/p' "${PUBLISH_ROOT:-$root}/tests/vm/README.md" | table_merge "$vm/cases" "$work/ran"
		cat <<END

Each row is of the last run of that case, at its revision, in a machine of KVM's (kvm) or of QEMU's own emulation (tcg); the line below is of the last run
of all.
END
	} >"$work/block"
	"$publisher" block tests/vm/README.md vm "$build" "$published_revision" "$called" <"$work/block" || exit 125
}
