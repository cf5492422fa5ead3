# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by tests/vm/run: tables of a machine's firmware. Needs $vm, $work, lacks and trouble.
#   acpi_table NAME   sets acpi_options, those of QEMU for a machine that has the table tests/vm/acpi/NAME.asl as well; none without a name.
#                     Fails by lacks

acpi_table() {
	acpi_options=
	[ -n "$1" ] || return 0
	if [ ! -e "$work/$1.aml" ]; then
		command -v iasl >/dev/null || lacks 'iasl is missing (tools/setup vm installs it)' || return
		iasl -p "$work/$1" "$vm/acpi/$1.asl" >"$work/$1.log" 2>&1 || trouble "tests/vm/acpi/$1.asl: $(grep -m 1 Error "$work/$1.log")"
	fi
	# shellcheck disable=SC2034 # for run
	acpi_options="-acpitable file=$work/$1.aml"
}
