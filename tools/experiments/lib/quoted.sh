# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# quoted TEXT: as a word of the shell. Sourced.

quoted() {
	case $1 in
	'' | *[!A-Za-z0-9_/.,:=+%@-]*) printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf '%s' "$1" ;;
	esac
}
