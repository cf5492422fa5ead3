# What bash completes for @program@, which says it itself (src/cli/complete.h).
# shellcheck shell=bash

_showstopper_complete() {
	local readline_word=$2 line=${COMP_LINE:0:COMP_POINT} rest word more i
	local -a words=() begins=()
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
	COMPREPLY=()
	while IFS=$'\t' read -r word more; do
		rest=${words[-1]#"$more"}
		case $word in
		:file | :directory)
			# Readline's own completion, where its word is what is wanted.
			if [[ $rest != "$readline_word" ]]; then
				mapfile -t COMPREPLY < <(compgen -A "${word:1}" -P "$more" -- "$rest")
			elif [[ $word == :file ]]; then
				compopt -o default
			else
				compopt -o dirnames
			fi
			;;
		:process) for i in /proc/[0-9]*; do COMPREPLY+=("$more${i#/proc/}"); done ;;
		:nospace) compopt -o nospace ;;
		:command)
			if declare -F _comp_command_offset >/dev/null; then
				_comp_command_offset "${begins[more]}"
			elif declare -F _command_offset >/dev/null; then
				_command_offset "${begins[more]}"
			elif ((more == ${#words[@]} - 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
			else
				compopt -o default
			fi
			return
			;;
		"${words[-1]}"*) COMPREPLY+=("$word") ;;
		esac
	done < <("${1/#\~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null </dev/null)
	# Readline exchanges its own word alone.
	line=${words[-1]%"$readline_word"}
	COMPREPLY=("${COMPREPLY[@]#"$line"}")
}

complete -F _showstopper_complete @program@
