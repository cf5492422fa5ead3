# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Sourced by programs that measure, to write what they found into a document: between <!-- NAME: begin --> and <!-- NAME: end -->, below a
# line that says where the figures come from. Needs $root, the project, and trouble, which ends the program with a message.
#   publish_begin PROGRAM [ARGUMENT...]  what was called, and the revision that is measured; at the start
#   publish_measured REVISION DATE FOLDER FILE...  FOLDER holds what REVISION measured on DATE: said in the heading, and refused where one of these
#                                 files or folders has changed since, documents aside
#   publish_look FILE NAME...     refuses documents without these blocks, before anything is measured
#   publish_block FILE NAME       the block becomes that line and standard input (no pipe: an exit in one is only its own). $build is where
#                                 the programs lie that were measured
# FILE is seen from $root, or from PUBLISH_ROOT where that is set: a draft.

. "$root/tools/lib/awk.sh"

publish_to=${PUBLISH_ROOT:-$root}

# Documents, pictures and kept figures don't count as changes: each block that is published is one.
publish_revision() {
	git -C "$root" rev-parse --verify -q HEAD >/dev/null 2>&1 || return 1
	printf '%s%s\n' "$(git -C "$root" describe --always)" \
		"$(git -C "$root" diff --quiet HEAD -- . ':(exclude)*.md' ':(exclude)*.svg' ':(exclude)tools/experiments/measured' || echo -dirty)"
}

publish_begin() {
	published_command=$1
	shift
	for word do
		case $word in
		'' | *[!A-Za-z0-9_./,:=%+@-]*) published_command="$published_command '$word'" ;;
		*) published_command="$published_command $word" ;;
		esac
	done
	published_revision=$(publish_revision) || published_revision=
}

measured_revision='' measured_date=''
publish_measured() {
	measured_revision=$1 measured_date=$2 measured_in=$3
	shift 3
	[ "$measured_revision" != "$published_revision" ] || return 0
	git -C "$root" diff --quiet "$measured_revision" -- "$@" ':(exclude)*.md' 2>/dev/null ||
		trouble "--publish: $measured_in was begun with revision ${measured_revision:-that is not known}, and what measures is another now; choose another --output"
}

publish_look() {
	document=$publish_to/$1
	shift
	[ -n "$published_revision" ] || trouble "--publish: the revision is unknown: $root is no git checkout"
	[ -w "$document" ] || trouble "--publish: can't write $document"
	for name do
		awk -v begin="<!-- $name: begin -->" -v end="<!-- $name: end -->" '
			$0 == begin { begins++; if (ends) odd = 1 }
			$0 == end { ends++; if (!begins) odd = 1 }
			END { exit odd || begins != 1 || ends != 1 }' "$document" ||
			trouble "--publish: $document needs the lines <!-- $name: begin --> and <!-- $name: end -->, once and in this order"
	done
}

publish_machine() {
	model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
	kind=$(systemd-detect-virt --vm 2>/dev/null)
	case $kind in
	'') if grep -qw hypervisor /proc/cpuinfo; then kind='a virtual machine'; else kind='no virtual machine seen'; fi ;;
	none) kind='no virtual machine' ;;
	*) kind="a virtual machine ($kind)" ;;
	esac
	# shellcheck disable=SC2154 # the caller's
	accounting=$("$build/showstopper" --check-machine | sed -n 's/^accounting: *\(.*\) for user and system time, .*/\1/p')
	printf '%s processors%s, %s, %s, accounting %s' "$(nproc)" "${model:+ ($model)}" "$(uname -sr)" "$kind" "${accounting:-unknown}"
}

publish_heading() {
	printf 'Revision %s, %s, %s: `%s`\n' "${measured_revision:-$published_revision}" "${measured_date:-$(date -u +%Y-%m-%d)}" "$(publish_machine)" \
		"$published_command"
}

publish_block() {
	publish_look "$1" "$2"
	[ "$(publish_revision)" = "$published_revision" ] || trouble "--publish: the sources have changed since the start; nothing is published"
	heading="$(publish_heading)"
	# Of the same folder, so that mv replaces the document at once; with its mode.
	if cp -p "$document" "$document.new" &&
		awk -v heading="$heading" -v begin="<!-- $2: begin -->" -v end="<!-- $2: end -->" '
			FILENAME == "-" || FILENAME == "" { block[++lines] = $0; next }
			$0 == end { inside = 0 }
			!inside { print }
			$0 == begin {
				inside = 1
				print "\n" heading "\n"
				for (i = 1; i <= lines; i++) print block[i]
				print ""
			}
			END { exit !lines }' - "$document" >"$document.new"; then
		mv "$document.new" "$document" || trouble "--publish: can't write $document"
	else
		rm -f "$document.new"
		trouble "--publish: nothing to write into $document as $2"
	fi
	printf 'published: %s, %s\n' "$document" "$2"
}
