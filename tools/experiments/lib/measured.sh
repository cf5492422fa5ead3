# SPDX-License-Identifier: MIT
# Which files of a batch's report have figures that others read. Sourced.

# measured_files DIR: of a batch and of its environments, or of what was kept of one, "KIND<tab>FILE" each. Emulated guests have figures of no meaning.
measured_files() {
	for part in "$1" "$1/native" "$1/lxc" "$1/qemu"; do
		! cat "$part"/runs/*/environment.txt 2>/dev/null | grep -q '^Emulated' || continue
		for kind in accuracy accuracy-runs throughput interference interference-runs times; do
			[ ! -s "$part/$kind.csv" ] || printf '%s\t%s\n' "$kind" "$part/$kind.csv"
		done
		for kind in overall efficiency; do
			for file in "$part/$kind"-*-steps.csv; do
				[ ! -s "$file" ] || printf '%s\t%s\n' "$kind" "$file"
			done
		done
		[ ! -s "$part/ratio.csv" ] || printf '%s\t%s\n' "$(kind_of_ratio "$part")" "$part/ratio.csv"
	done
}

# Table 6 is of guests beside containers. Of a batch in several environments without guests it is the host beside containers; of others, anything.
kind_of_ratio() { # FOLDER
	case $([ ! -e "$1/runs.tsv" ] || awk -F '\t' '{ print $6; exit }' "$1/runs.tsv"):${1##*/} in
	qemu:* | :*-qemu) echo ratio ;;
	native:native | :*-native) echo ratio-host ;;
	*) echo ratio-other ;;
	esac
}
