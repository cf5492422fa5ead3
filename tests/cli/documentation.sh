#!/bin/sh
# SPDX-License-Identifier: MIT
# Manuals and programs say the same: options, modules, their options, bounds and defaults.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

if command -v mandoc >/dev/null; then
	for manual in "$source"/src/*.[1-9] "$source"/tools/*/*.[1-9]; do
		run mandoc -T lint -W warning "$manual"
		expect_status 0
		expect_lines out 0
	done
	# One paragraph a line, without the overstrikes of bold and underlined text.
	render() {
		mandoc -T ascii -O width=1000 "$1" | sed "s/.$(printf '\b')//g"
	}
else
	missing mandoc manuals
	render() {
		return 1
	}
fi

# ---- Options of the programs ------------------------------------------------------------------------------------------------

# options <HELP: what begins a line of --help, or a paragraph's tag in a manual, as `-x --name` or `--name`.
options() {
	sed -En 's/^ *(-[A-Za-z]), (--[a-z][a-z-]*).*/\1 \2/p; s/^ *(--[a-z][a-z-]*).*/\1/p' | sort
}

# arguments <HELP: what the first argument of each long option is called, `--name argument`; of alternatives the first one.
arguments() {
	sed -En 's/^ *(-[A-Za-z], )?(--[a-z][a-z-]*)((\[?=| )([^ |]+))?([ |].*)?$/\2 \5/p' | tr '[:upper:]' '[:lower:]' | sort
}

# unexplained <HELP: options of which nothing is said, on their line or on the next one.
unexplained() {
	awk '
		awaited && !/^ {8,}[^ -]/ { print awaited }
		{ awaited = "" }
		/^ *(-[A-Za-z], )?--[a-z]/ {
			words = $0
			sub(/^ *(-[A-Za-z], )?--[^ ]+ ?[^ ]*/, "", words)
			if (words !~ /[^ ]/)
				awaited = $0
		}
		END { if (awaited) print awaited }'
}

# help_of PROGRAM: what it says of its options, a line each; ssreport by subcommands.
help_of() {
	if [ "$1" != ssreport ]; then
		"$1" --help
		return
	fi
	for subcommand in $(ssreport --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		COLUMNS=200 ssreport "$subcommand" --help
	done | awk '{ option = $0; sub(/^ */, "", option); sub(/  .*/, "", option) } !seen[option]++'
}

for program in "$source"/src/*.1 "$source"/tools/*/*.1; do
	name=$(basename "$program" .1)
	if [ "$name" = ssrequest ] && [ ! -x "$build/$name" ]; then
		missing libcurl4-openssl-dev ssrequest
		continue
	fi
	if [ ! -x "$build/$name" ]; then
		fail "$name.1 describes a program that is not in $build"
		continue
	fi
	run "$name" --help
	expect_status 0
	expect_lines err 0
	help_of "$name" >help
	unexplained <help >lacking
	[ ! -s lacking ] || { fail "$name --help says nothing of these:"; cat lacking; }
	options <help >in_help
	[ -s in_help ] || fail "$name --help has no options"
	if render "$program" >manual; then
		options <manual >in_manual
		cmp -s in_help in_manual || {
			fail "options of $name, < in --help, > in the manual:"
			diff in_help in_manual
		}
		arguments <help >arguments_in_help
		arguments <manual >arguments_in_manual
		cmp -s arguments_in_help arguments_in_manual || {
			fail "arguments of $name, < in --help, > in the manual:"
			diff arguments_in_help arguments_in_manual
		}
	fi
	grep -qx -- '-h --help' in_help || fail "$name has no -h, --help"
	grep -qx -- '-V --version' in_help || fail "$name has no -V, --version"
	for option in --help -h --version -V; do
		run "$name" "$option"
		expect_status 0
		expect_lines err 0
	done
	expect_text out "^$name [0-9]+\.[0-9]+\.[0-9]+( \([A-Za-z0-9._/+-]+\))?\$"
	expect_lines out 1
	sed "s/^$name //" out >>versions
done
[ "$(sort -u versions | wc -l)" -eq 1 ] || { fail 'the programs are of different versions:'; cat versions; }
for program in "$source"/tools/*/main.c; do
	folder=${program%/main.c}
	[ -e "$folder/${folder##*/}.1" ] || fail "$folder has no manual"
done

# Defaults: what --help names, the manual names in the paragraph of the same option, perhaps with a blank before the unit. Which modules
# sssim takes is told by showstopper.1, and some defaults are no values.
for program in "$source"/src/*.1 "$source"/tools/*/*.1; do
	name=$(basename "$program" .1)
	[ -x "$build/$name" ] || continue
	render "$program" >manual || break
	help_of "$name" | sed -En "s/^ *(-., )?(--[a-z-]+).*\(default '?([^;)']*)'?[;)].*/\2 \3/p" | while read -r option default; do
		case $name$option in
		showstopper--run-time | ssiterate--instance | sssim--trace | sssim--feedback | sssim--control | sssim--space | sssim--dithering | sssim--actuator) continue ;;
		esac
		[ "$default" != 0s ] || default=0
		grep -EA2 -- "^ *(-., )?$option( |\$)" manual | sed -E 's/([0-9]) ([a-z])/\1\2/g' | grep -qF -- "$default" || echo "$option: default '$default'"
	done >lacking
	[ ! -s lacking ] || { fail "the manual of $name lacks defaults that --help names:"; cat lacking; }
done

# ---- The summary ------------------------------------------------------------------------------------------------------------

# What --explain says of a row, the manual says in the same words: an entry a line, with single blanks.
run showstopper --explain
expect_status 0
expect_lines err 0
awk '/^[^ ]/ && NR > 1 { print "" } { printf "%s ", $0 } END { print "" }' out | sed 's/  */ /g; s/ $//' >explained
[ "$(wc -l <explained)" -ge 20 ] || fail "--explain names too few rows"
awk 'length > 80 { exit 1 }' out || fail "--explain has lines that are too long for a screen"
if render "$source/src/showstopper.1" >manual; then
	sed -n '/^SUMMARY$/,/^ENVIRONMENT$/p' manual | tr '\n' ' ' | sed 's/  */ /g' >section
	while read -r entry; do
		grep -qF -- "$entry" section || fail "the manual's section SUMMARY lacks what --explain says: $entry"
	done <explained
fi

# ---- Modules ----------------------------------------------------------------------------------------------------------------

# What --help-module says, as `kind:name option=VALUES bounds and default`.
run showstopper --list-modules
expect_status 0
sed 's/ .*//; /:skeleton$/d' out | sort >modules
[ "$(wc -l <modules)" -ge 14 ] || fail "--list-modules names too few modules"
while read -r module; do
	showstopper --help-module "$module" </dev/null | awk -v module="$module" '
		function lasting(text,   part, count, i, facts) {
			count = split(text, part, "; ")
			for (i = count; i > 0 && part[i] ~ /^(from .* to |at least |at most |default |required)/; i--)
				facts = part[i] (facts ? ", " facts : "")
			return facts
		}
		BEGIN { print module }
		/^  [a-z]/ { option = $1; next }
		/^      / { sub(/^ */, ""); print module, option, lasting($0) }'
done <modules | sed 's/ $//' | sort >in_help
grep -q ' default ' in_help || fail "--help-module names no default"

# What the manual says, in the same form.
if render "$source/src/showstopper-modules.7" >manual; then
	awk '
		/^   [a-z]+:[a-z0-9_-]+$/ { module = $1; print module; next }
		/^[A-Z]/ { module = "" }
		module && /^     [a-z_]+=[A-Za-z0-9|]+$/ { option = $1; next }
		module && option && /^             / {
			facts = ""
			if (match($0, /(From [^ ]+ to |At least |At most |Default |Required)[^ ].*\.$|Required\.$/)) {
				facts = substr($0, RSTART, RLENGTH - 1)
				facts = tolower(substr(facts, 1, 1)) substr(facts, 2)
			}
			print module, option, facts
			option = ""
		}' manual | sed 's/ $//' | sort >in_manual
	cmp -s in_help in_manual || {
		fail "modules, < in --help-module, > in showstopper-modules.7:"
		diff in_help in_manual
	}
fi

# ---- The table of modules ---------------------------------------------------------------------------------------------------

while IFS=: read -r kind name; do
	grep -Eq "^\| *$kind *\|.*\`$name\`" "$source/modules/README.md" || fail "the table of modules/README.md lacks the $kind module $name"
done <modules
sed -En 's/^\| *(trace|feedback|control|space|dithering|actuator) *\|([^|]*)\|.*/\1 \2/p' "$source/modules/README.md" | tr -d ',`' |
	while read -r kind names; do
		for name in $names; do
			grep -qx "$kind:$name" modules || echo "$kind:$name"
		done
	done >unknown
[ ! -s unknown ] || { fail "the table of modules/README.md names modules that are not there:"; cat unknown; }

finish
