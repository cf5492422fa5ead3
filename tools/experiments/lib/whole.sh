# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Whether what a run wrote is all there. Sourced by lib/run.sh and tools/experiments/fleet.

# log_is_whole RECORD: what record.csv says of the log beside it. One that can't say it, of an older build, has nothing against it.
log_is_whole() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR == 2 && ("log_missing_s" in column) { lost = $column["log_missing_s"] == "" || $column["log_missing_s"] > 0 }
		END { exit lost }' "$1"
}

# records_are_whole FILE...: iteration records; one without a number stands for others.
records_are_whole() {
	awk -F, 'FNR == 1 { at = 0; for (i = 1; i <= NF; i++) if ($i == "iteration") at = i; next }
		at && $at == "" { lost = 1; exit }
		END { exit lost }' "$@"
}
