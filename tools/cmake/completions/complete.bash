# What bash completes for @program@, which says it itself (src/base/complete.h).
# shellcheck shell=bash

_showstopper_complete() {
	local readline_word=$2 line=${COMP_LINE:0:COMP_POINT} rest word more i words=() begins=()
	# The words up to the cursor, put together again where readline broke them at = and :, and where each begins in COMP_WORDS.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:space:]]*}"} word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$rest
		if ((i > 0)) && [[ -n $rest && $rest == "$line" ]]; then
			words[-1]+=$word
		else
			words+=("$word") begins+=("$i")
		fi
		line=${rest#"$word"}
	done
	while IFS=$'\t' read -r word more; do
		rest=${words[-1]#"$more"}
		case $word in
		:file) compopt -o default ;;&
		:directory) compopt -o dirnames ;;&
		:file | :directory)
			# Readline does it by itself where its word is what is wanted, and nothing else is offered.
			[[ $rest${COMPREPLY[*]} == "$readline_word" ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -A "${word:1}" -P "$more" -- "$rest")
			;;
		:process)
			for i in /proc/[0-9]*; do
				[[ ${i#/proc/} != "$rest"* ]] || COMPREPLY+=("$more${i#/proc/}")
			done
			# Names only where candidates are listed, and not inserted.
			if [[ $COMP_TYPE == @(33|63|64) ]] && ((${#COMPREPLY[@]} > 1)); then
				for i in "${!COMPREPLY[@]}"; do
					{ read -r word <"/proc/${COMPREPLY[i]#"$more"}/comm"; } 2>/dev/null && COMPREPLY[i]+=" ($word)"
				done
			fi
			;;
		:nospace) compopt -o nospace ;;
		:command)
			for i in _comp_command_offset _command_offset; do
				! declare -F $i >/dev/null || { $i "${begins[more]}"; return; }
			done
			((more < ${#words[@]} - 1)) || mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
			compopt -o default
			;;
		"${words[-1]}"*) COMPREPLY+=("$word") ;;
		esac
	done < <("${1/#\~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null </dev/null)
	# Readline exchanges its own word alone.
	COMPREPLY=("${COMPREPLY[@]#"${words[-1]%"$readline_word"}"}")
}

complete -F _showstopper_complete @program@
