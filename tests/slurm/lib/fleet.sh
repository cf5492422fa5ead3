# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Fleets of the cases. Sourced by lib/inside.
#   fleet OPTION...         tools/experiments/fleet on n1 and n2, which follow different traces, into $work/together
#   start_fleet OPTION...   the same in the background
#   fleet_is_under_way      whether both nodes have written rows
#   value_of NODE COLUMN    out of its report's table

printf '0 20%%\n4s 60%%\n8s 20%%\n' >n1.trace
printf '0 70%%\n4s 70%%\n4.1s 30%%\n8s 30%%\n' >n2.trace

fleet() {
	run "$source/tools/experiments/fleet" -B "$build" -t n1=n1.trace -t n2=n2.trace -w 1 -o together "$@"
}
start_fleet() {
	start_background "$source/tools/experiments/fleet" -B "$build" -t n1=n1.trace -t n2=n2.trace -w 1 -o together "$@"
}

has_rows() { # NODE
	[ -e "together/nodes/$1/log.csv" ] && [ "$(wc -l <"together/nodes/$1/log.csv")" -ge 5 ]
}
fleet_is_under_way() {
	has_rows n1 && has_rows n2
}

value_of() {
	awk -F, -v node="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next } $1 == node { print $column }' together/fleet.csv
}
