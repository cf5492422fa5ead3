#!/bin/sh
# SPDX-License-Identifier: MIT
# What bash, zsh and fish complete: the same lines are typed in each of them, as far as they are installed.
# shellcheck disable=SC2317 # functions that others get by name
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

made=$build/completions
[ -d "$made" ] || skip 'this build has no completions'
command -v script >/dev/null || skip_missing bsdutils
programs=$(cd "$made/bash-completion/completions" && echo *)
if [ ! -x "$build/ssrequest" ]; then missing libcurl4-openssl-dev ssrequest; fi
[ "$(echo "$programs" | sed 's/ ssrequest//')" = 'cpuload showstopper ssburn ssimport ssiterate ssreport sssim sstrace' ] || fail "completions are there for $programs"
# What other tests' surroundings may have set, and what a user has.
unset SHOWSTOPPER_MODULE_PATH
HOME=$work/home
XDG_DATA_DIRS=/usr/share
TERM=dumb
export HOME XDG_DATA_DIRS TERM
mkdir "$HOME" bin stub place
touch place/one.trace place/two.trace
mkdir place/folder
printf '#!/bin/sh\n' >bin/zzcommand
chmod +x bin/zzcommand
PATH=$work/bin:$PATH
# A module of the user's own, and names that must not be taken for any.
mkdir -p own/trace
cat >own.c <<'END'
#include "showstopper/module.h"
struct own {
	int first;
	double second, bad;
};
static const char *const names[] = {"one", "two", "$(touch${IFS}harm)", NULL};
static const struct sst_option options[] = {
	{"first", SST_CHOICE, offsetof(struct own, first), .choices = names, .help = "of $(touch harm) mine"},
	{"$(touch${IFS}harm)", SST_LOAD, offsetof(struct own, bad), .help = "bad"},
	{"second", SST_LOAD, offsetof(struct own, second), .help = "mine"},
	{0},
};
static double target(void *state, int64_t since_ns)
{
	(void)state;
	(void)since_ns;
	return 0;
}
SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = NAME, .summary = "of `touch harm` mine", .version = "1", .state_size = sizeof(struct own),
		.options = options),
	.target = target,
};
END
# shellcheck disable=SC2016 # names
for name in own '$(touch${IFS}harm)' '`touch${IFS}harm`' 'b*d' 'o(n)'; do
	"${CC:-cc}" -shared -fPIC -I "$source/include" -DNAME="\"$name\"" own.c -o "own/trace/$name.so" || fail "$name can't be compiled"
done

# ---- What is typed, and what is to come of the last word ------------------------------------------------------------------------

# names PROGRAM [SUBCOMMAND]: the options in --help.
names() {
	"$@" --help | sed -En 's/^ +(-[A-Za-z]), (--[a-z-]+).*/\1 \2/p; s/^ +(--[a-z-]+).*/\1/p' | tr ' ' '\n'
}

# sorted WORD…
sorted() {
	printf '%s\n' "$@" | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# type LINE WORD…: all of these are offered, and nothing else. In the file, `* WORD` stands for this and others.
type() {
	line=$1
	shift
	printf '%s\t%s\n' "$line" "$(sorted "$@")" >>typed
}

# modules KIND: the names of the modules of that kind.
modules() {
	showstopper --list-modules | sed -n "s/^$1:\\([^ ]*\\).*/\\1/p"
}

# shellcheck disable=SC2046 # lists
lines() {
	for program in $programs; do
		[ "$program" = ssreport ] || type "$program -" $(names "$program")
		[ "$program" = ssreport ] || type "$program --" $(names "$program" | grep '^--')
	done
	for subcommand in accuracy heatmap curve; do
		type "ssreport $subcommand -" $(names ssreport "$subcommand")
	done
	type 'ssreport -' -h --help -V --version
	type 'showstopper zzcommand : -' -n --instances --free --cpus --pin --part --bind --stdout --stderr
	type 'showstopper zzcommand : -n 2 --p' --pin --part
	type 'showstopper --separator=+ zzcommand + --f' --free
	type 'showstopper --separator + zzcommand + --f' --free
	type 'showstopper -qn 3 --qui' --quiet

	# Modules and their options.
	for kind in trace feedback control space dithering actuator; do
		type "showstopper --$kind " $(modules "$kind")
		type "sssim --$kind " $(modules "$kind")
	done
	type 'showstopper -t ' $(modules trace)
	type 'showstopper -t sta' staircase
	type 'showstopper -tsta' -tstaircase
	type 'showstopper --trace=sta' --trace=staircase
	type 'showstopper -qtsta' -qtstaircase
	type 'showstopper -T ' load= one.trace two.trace folder
	type 'showstopper -T on' one.trace
	type 'showstopper --trace-options=tw' --trace-options=two.trace
	type 'showstopper -T zz'
	type 'sssim -T on' one.trace
	type 'showstopper -t staircase -T on'
	type 'showstopper -t staircase -T ' from= to= step= hold= symmetric=
	type 'showstopper -t staircase -T from' from=
	type 'showstopper --trace=staircase -T from=1,sy' from=1,symmetric=
	type 'showstopper -tstaircase -T symmetric=n' symmetric=no
	type 'showstopper -t staircase -T from=0.5,symmetric=y' from=0.5,symmetric=yes
	type 'sssim -t random --trace-options interpolate=s' interpolate=step
	type 'sssim -t random --trace-options=interpolate=li' --trace-options=interpolate=linear
	type 'showstopper -t file -T on' one.trace
	type 'showstopper -t file -T file=tw' file=two.trace
	type 'showstopper -t file -T speed=2,file=tw' speed=2,file=two.trace
	type 'showstopper -C ' horizon= slack= memory= change= peers=
	type 'showstopper -c rbpid -C ' integral= ke= ki= level= peers= repay= windup=
	type 'showstopper --help-module sp' $(showstopper --list-modules | sed -n 's/^\(space:[^ ]*\).*/\1/p')
	type 'showstopper --help-module trace:sta' trace:staircase

	# Choices.
	type 'showstopper --progress ' auto always never
	type 'showstopper --progress=al' --progress=always
	type 'showstopper --pin per-' per-chip per-core per-thread
	type 'showstopper zzcommand : --pin pac' packed
	type 'ssburn -p ' single parallel contended phased sleepy
	type 'cpuload -C run' runqueue
	type 'cpuload --columns steal,f' steal,frequency
	type 'cpuload -f j' jsonl
	type 'ssreport accuracy -f mark' markdown
	type 'sssim -W ' single parallel contended phased sleeper service
	type 'sssim --background=se' --background=service
	type 'ssiterate --stream std' stdout stderr

	# Files, folders and processes.
	type 'showstopper -o ' one.trace two.trace folder
	type 'showstopper --log=on' --log=one.trace
	type 'showstopper -oon' -oone.trace
	type 'showstopper --chdir ' folder
	type 'showstopper --sysroot=fo' --sysroot=folder
	type 'ssburn -o tw' two.trace
	type 'ssreport accuracy -o on' one.trace
	type 'sstrace ' one.trace two.trace folder
	type 'sstrace --text on' one.trace
	type 'sstrace -- tw' two.trace
	type 'ssreport accuracy on' one.trace
	type 'ssreport accuracy paper=on' paper=one.trace
	printf 'showstopper --attach \t* %s\n' $$ >>typed

	# Words.
	type 'ssreport ' accuracy repeats timeline throughput curve boxes events interference overall efficiency ratio heatmap histogram means compare model fleet latency
	type 'ssreport he' heatmap
	type 'showstopper -T 50% zzc' zzcommand
	type 'showstopper -T 50% -- zzc' zzcommand
	type 'showstopper zzcommand : -n 2 zzc' zzcommand
	type 'ssiterate -n 3 zzc' zzcommand
	type 'cpuload 1 5 -- zzc' zzcommand
	type 'cpuload -- zzc' zzcommand
}

# compare SHELL: the file `answers` has a line for each that was typed.
compare() {
	[ "$(wc -l <answers)" -eq "$(wc -l <typed)" ] || { fail "$1: $(wc -l <answers) answers to $(wc -l <typed) lines"; tail -5 screen; }
	paste typed answers | awk -F '\t' -v shell="$1" '
		$2 ~ /^\* / ? !index(" " $3 " ", substr($2, 2) " ") : $2 != $3 { print shell ": " $1 ": found " $3 ", expected " $2 }' >wrong
	[ ! -s wrong ] || { fail "completed wrongly:"; cat wrong; }
}

# keyboard KEYS: types each line, completes it by these keys, and puts `words ` before the result.
keyboard() {
	cut -f 1 typed | while IFS= read -r line; do printf '%s%b\001words \n' "$line" "$1"; done
	printf 'exit\n'
}

# From lines `NUMBER WORD` all words of a number on one line; none for a number alone.
merge() {
	sed 's,/$,,' | sort -u -k 1,1n -k 2 | awk '
		$1 != row { if (row) print text; row = $1; text = $2; next }
		{ text = text (text == "" ? "" : " ") $2 }
		END { if (row) print text }'
}

# terminal SHELL KEYS COMMAND: leaves what the last words of all lines became in answers.
terminal() {
	rm -f words answers
	keyboard "$2" >keys
	(cd place && timeout -k 5 100 script -qec "$3" "$work/screen" <../keys >/dev/null 2>&1)
	# The words of each line, without those that stood there before its last one. What was left as it is was not completed.
	cut -f 1 typed | paste - words | awk -F '\t' '{
		count = split($1, before, " ") - ($1 !~ / $/)
		found = split($2, word, " ")
		print NR
		for (i = count + 1; i <= found; i++)
			if ($1 != $2)
				print NR, word[i]
	}' | merge >answers
	compare "$1"
}

# ---- The three shells -----------------------------------------------------------------------------------------------------------

cat >bashrc <<END
PS1='> '
bind 'set bell-style none'
[ -z "\$LOADED" ] || . "\$LOADED"
words() { echo "\$*" >>'$work/words'; }
for file in '$made'/bash-completion/completions/*; do . "\$file"; done
complete -W '--first --second' zzcommand
END
# All that is offered is inserted at once, as bash does for Meta-*.
mkdir zsh
cat >zsh/.zshrc <<END
PS1='> '
unsetopt beep prompt_sp prompt_cr
bindkey -e
words() { echo "\$*" >>'$work/words' }
fpath=('$made/zsh/site-functions' \$fpath)
autoload -Uz compinit
compinit -u -D
zle -C all-matches complete-word _generic
bindkey '^Xa' all-matches
zstyle ':completion:all-matches:*' insert yes
zstyle ':completion:all-matches::::' completer _all_matches _complete
_zzcommand() { compadd -- --first --second }
compdef _zzcommand zzcommand
END
# A line for each candidate, without what it means.
cat >complete.fish <<'END'
for file in $argv[1]/*.fish
    source $file
end
complete -c zzcommand -l first
complete -c zzcommand -l second
set -l number 0
while read -l line
    set number (math $number + 1)
    echo $number
    for found in (complete -C "$line")
        echo $number (string split \t -- $found)[1]
    end
end
END

in_bash() {
	terminal "bash${LOADED:+ with bash-completion}" '\033*' "bash --noprofile --rcfile '$work/bashrc' -i"
}

in_zsh() {
	terminal zsh '\030a' "env ZDOTDIR='$work/zsh' zsh -d -i"
}

in_fish() {
	# Fish does not look for files in a word that begins with an option's letter.
	grep -v '^showstopper -oon' typed >fewer
	mv fewer typed
	(cd place && cut -f 1 ../typed | timeout -k 5 200 fish --no-config ../complete.fish "$made/fish/vendor_completions.d" 2>../err) | merge >answers
	[ ! -s err ] || { fail 'fish complains:'; head -20 err; }
	compare fish
}

# in_shells FUNCTION: what the function types.
in_shells() {
	for shell in $shells; do
		: >typed
		"$1"
		"in_$shell"
	done
}

shells=bash
command -v shellcheck >/dev/null || missing shellcheck
for program in $programs; do
	bash -n "$made/bash-completion/completions/$program" || fail "bash can't read $program"
	if command -v shellcheck >/dev/null; then
		shellcheck "$made/bash-completion/completions/$program" || fail "shellcheck on the completions of $program"
	fi
done
if command -v zsh >/dev/null; then
	shells="$shells zsh"
	for program in $programs; do zsh -n "$made/zsh/site-functions/_$program" || fail "zsh can't read _$program"; done
else
	missing zsh 'what it completes'
fi
if command -v fish >/dev/null; then
	shells="$shells fish"
	for program in $programs; do fish -n "$made/fish/vendor_completions.d/$program.fish" || fail "fish can't read $program.fish"; done
else
	missing fish 'what it completes'
fi

LOADED=
export LOADED
in_shells lines

# ---- Commands behind the options ------------------------------------------------------------------------------------------------

own_lines() {
	type 'showstopper -T 50% zzcommand --fi' --first
	type 'showstopper -- zzcommand --fi' --first
	type 'showstopper ls -- : -n 2 zzcommand --fi' --first
	type 'showstopper --separator= zzcommand : --sec' --second
	type 'ssiterate zzcommand --fi' --first
	type 'ssiterate zzcommand : --sec' --second
	type 'cpuload 1 -- zzcommand --fi' --first
	type 'cpuload -- zzcommand --fi' --first
}
all=$shells
shells=$(printf '%s' "$all" | sed 's/^bash *//')
in_shells own_lines
shells=bash
LOADED=/usr/share/bash-completion/bash_completion
if [ -e "$LOADED" ]; then
	in_shells own_lines
	in_shells lines
else
	echo 'bash-completion is missing: what bash completes for commands behind the options is not looked at'
fi
LOADED=
shells=$all

# ---- Modules of the user's own -------------------------------------------------------------------------------------------------

SHOWSTOPPER_MODULE_PATH=$work/own
export SHOWSTOPPER_MODULE_PATH
own_module_lines() {
	type 'showstopper -t o' own
	type 'sssim --trace=o' --trace=own
	type 'showstopper --help-module trace:o' trace:own
	type 'showstopper -t own -T ' first= second=
	type 'showstopper -t own -T o' one
	type 'showstopper -t own -T second=1,first=t' second=1,first=two
	# What there is no answer about.
	type 'showstopper -t none -T '
	type 'showstopper -t ../own/trace/own.so -T fir'
	type 'showstopper -t ../own/trace/ow' ../own/trace/own.so
}
in_shells own_module_lines
unset SHOWSTOPPER_MODULE_PATH
[ -z "$(find . -name 'harm*')" ] || fail 'the name of a module was run'

# ---- What is said of each -------------------------------------------------------------------------------------------------------

# --help has the defaults behind the words of the table.
without_defaults() {
	sed -E 's/ \(default [^()]*\)$//' | sort
}

if command -v fish >/dev/null; then
	for program in $programs; do
		[ "$program" = ssreport ] && line='ssreport accuracy --' || line="$program --"
		# shellcheck disable=SC2016 # fish's
		fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$made/fish/vendor_completions.d/$program.fish" "$line" | tr '\t' ' ' | without_defaults >said
		set -- "$build/$program" --help
		[ "$program" != ssreport ] || set -- "$build/$program" accuracy --help
		COLUMNS=1000 "$@" | sed -En 's/^ +(-., )?(--[a-z-]+)([ =][^ ]+)? +([^ ].*)$/\2 \4/p' | without_defaults >meant
		cmp -s said meant || { fail "$program: what fish says of the options, < in --help:"; diff meant said | head; }
	done
fi

finish
