# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by programs that measure, so that nothing is decided by an awk that failed.
#   awk ...              the program of that name. Where it fails, all of the script ends with 125, also when this is a part of it that runs in a shell of its own,
#                        whose parent then ends as if it were told to (SIGTERM). 1 and from 3 on are answers of awk programs
#   above NUMBER LIMIT   whether it is; anything but an answer ends the script

awk_failed() {
	printf '%s: awk failed: %s\n' "$0" "$1" >&2
	# shellcheck disable=SC2016 # the inner shell's
	[ "$(exec sh -c 'echo $PPID')" = $$ ] || kill -s TERM $$
	exit 125
}

awk() {
	command awk "$@"
	awk_status=$?
	case $awk_status in
	141) ;; # nobody reads any more
	2 | 12[6-9] | 1[3-9]? | 2??) awk_failed "status $awk_status" ;;
	esac
	return $awk_status
}

# An awk that can't read the program ends with 1 as well.
above() {
	case $(awk -v number="$1" -v limit="$2" 'BEGIN { print (number + 0 > limit + 0 ? "yes" : "no") }') in
	yes) return 0 ;;
	no) return 1 ;;
	*) awk_failed 'no answer' ;;
	esac
}
