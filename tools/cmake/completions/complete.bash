# The functions are the same for all of Showstopper's programs. They see the tables of the caller, and what _showstopper_complete
# declares.

# The words up to the cursor, put together again where readline broke them at = and : into `words`, and where each of them begins in
# COMP_WORDS into `begins`.
_showstopper_words() {
	local line=${COMP_LINE:0:COMP_POINT} rest word i
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:space:]]*}"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$rest
		if ((i > 0)) && [[ -n $rest && $rest == "$line" ]]; then
			words[-1]+=$word
		else
			words+=("$word")
			begins+=("$i")
		fi
		line=${rest#"$word"}
	done
}

# _showstopper_note OPTION VALUE
_showstopper_note() {
	case ${takes[$1]-} in
	'module '*) chosen[${takes[$1]#module }]=$2 ;;
	esac
	[[ $1 != --separator ]] || separator=$2
}

# The option in a word of letters that takes a value, into `pending`, and what of the value is in the word, into `attached`.
_showstopper_letters() {
	local i
	pending='' attached=''
	for ((i = 1; i < ${#1}; i++)); do
		[[ -n ${takes[-${1:i:1}]-} ]] || continue
		pending=-${1:i:1} attached=${1:i+1}
		return
	done
}

# Goes through the words before the last: leaves `place`, `start` (the command's index), `pending` (what the last is the value of),
# and what was chosen.
_showstopper_scan() {
	local i word
	for ((i = 1; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ -n $pending ]]; then
			_showstopper_note "$pending" "$word"
			pending=
		elif [[ $place == command ]]; then
			[[ $kind != groups || -z $separator || $word != "$separator" ]] || place=later
		elif [[ $place == words ]]; then
			[[ $kind != dashes || $word != -- ]] || place=command start=$((i + 1))
		elif [[ $word == -- ]]; then
			place=words
			case $kind in command | groups | dashes) place=command start=$((i + 1)) ;; esac
		elif [[ $word == --*=* ]]; then
			_showstopper_note "${word%%=*}" "${word#*=}"
		elif [[ $word == --* ]]; then
			[[ -z ${takes[$word]-} ]] || pending=$word
		elif [[ $word == -?* ]]; then
			_showstopper_letters "$word"
			[[ -z $attached ]] || { _showstopper_note "$pending" "$attached"; pending=; }
		else
			case $kind in
			command | groups) place=command start=$i ;;
			dashes) place=words ;;
			subcommand) [[ $place != first ]] || place=$word ;;
			esac
		fi
	done
}

# Those of the words that begin with `value`. `prefix` is what stands before the value in the same word.
_showstopper_offer() {
	local word
	for word; do
		[[ $word != "$value"* ]] || COMPREPLY+=("$prefix$word")
	done
}

# _showstopper_files f|d: readline's own completion of files or folders, where its word is the value.
_showstopper_files() {
	if [[ $value == "$readline_word" && $1 == f ]]; then
		compopt -o default
	elif [[ $value == "$readline_word" ]]; then
		compopt -o dirnames
	else
		mapfile -t COMPREPLY < <(compgen "-$1" -P "$prefix" -- "$value")
	fi
}

# Lines `KIND:NAME SUMMARY`: those that there are, else those that there were when this was made.
_showstopper_modules() {
	showstopper --list-modules 2>/dev/null </dev/null | grep -E '^[a-z]+:[A-Za-z0-9_.-]+ ' || printf '%s\n' "${known_modules[@]}"
}

# _showstopper_known KIND:NAME: its options as lines KEY=VALUES.
_showstopper_known() {
	local row
	[[ $1 != */* ]] || return
	showstopper --help-module "$1" 2>/dev/null </dev/null | sed -nE 's/^  ([A-Za-z0-9_-]+=[^ ]+)$/\1/p' | grep . && return
	for row in "${known_options[@]}"; do
		[[ $row != "$1 "* ]] || tr ' ' '\n' <<<"${row#* }"
	done
}

# _showstopper_module_value VALUES, as in KEY=VALUES
_showstopper_module_value() {
	local -a choices
	case $1 in
	FILE | TEXT) _showstopper_files f ;;
	*[a-z]*)
		IFS='|' read -ra choices <<<"$1"
		_showstopper_offer "${choices[@]}"
		;;
	esac
}

_showstopper_module_options() {
	local name row item=${value##*,} is_trace=no
	local -a options
	# Without -t, the trace may be in a file.
	[[ $1 != trace || -n ${chosen[trace]-} || $value == *,* ]] || is_trace=yes
	for name in "${usual_modules[@]}"; do
		[[ $name == "$1:"* ]] && break
	done
	mapfile -t options < <(_showstopper_known "$1:${chosen[$1]-${name#*:}}")
	prefix+=${value%"$item"} value=$item
	compopt -o nospace
	if [[ $item != *=* ]]; then
		_showstopper_offer "${options[@]/%=*/=}"
		((${#COMPREPLY[@]} == 0)) || return
		if [[ $is_trace == yes ]]; then
			_showstopper_files f
		elif ((${#options[@]} > 0)); then
			_showstopper_module_value "${options[0]#*=}"
		fi
		return
	fi
	for row in "${options[@]}"; do
		[[ ${row%%=*} == "${item%%=*}" ]] || continue
		prefix+=${row%%=*}= value=${item#*=}
		_showstopper_module_value "${row#*=}"
	done
}

# _showstopper_value WHAT: what completes an option's value, as in `rows`.
_showstopper_value() {
	local item
	local -a words
	case $1 in
	'choice '*)
		IFS='|' read -ra words <<<"${1#* }"
		_showstopper_offer "${words[@]}"
		;;
	'list '*)
		item=${value##*,}
		prefix+=${value%"$item"} value=$item
		IFS='|' read -ra words <<<"${1#* }"
		_showstopper_offer "${words[@]}"
		;;
	file) _showstopper_files f ;;
	folder) _showstopper_files d ;;
	process)
		words=(/proc/[0-9]*)
		_showstopper_offer "${words[@]#/proc/}"
		;;
	'module '*)
		mapfile -t words < <(_showstopper_modules | sed -n "s/^${1#* }:\([^ ]*\) .*/\1/p")
		_showstopper_offer "${words[@]}"
		[[ $value != */* ]] || _showstopper_files f
		;;
	'options '*) _showstopper_module_options "${1#* }" ;;
	kind:module)
		mapfile -t words < <(_showstopper_modules | sed 's/ .*//')
		_showstopper_offer "${words[@]}"
		;;
	esac
}

# The command that begins at that index of words: by itself, as far as bash-completion can.
_showstopper_command() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "${begins[$1]}"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "${begins[$1]}"
	elif (($1 == ${#words[@]} - 1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
	else
		compopt -o default
	fi
}

# A file, of ssreport's with its label before it.
_showstopper_input() {
	if [[ $kind == subcommand && $value == *=* ]]; then
		prefix=${value%%=*}= value=${value#*=}
	fi
	_showstopper_files f
}

# What the last word can be: where an option can stand, and where none can.
_showstopper_word() {
	local word=${words[-1]} last=$((${#words[@]} - 1)) pending attached
	_showstopper_letters "$word"
	if [[ $place == words ]]; then
		[[ $kind != file && $kind != subcommand ]] || _showstopper_input
	elif [[ $word == --*=* ]]; then
		prefix=${word%%=*}= value=${word#*=}
		_showstopper_value "${takes[${word%%=*}]-}"
	elif [[ $word == -[!-]* && -n $attached ]]; then
		prefix=${word%"$attached"} value=$attached
		_showstopper_value "${takes[$pending]}"
	elif [[ $word == -* || ($kind == none && -z $word) ]]; then
		_showstopper_offer "${names[@]}"
	else
		case $kind in
		command | groups) _showstopper_command "$last" ;;
		file) _showstopper_input ;;
		subcommand)
			if [[ $place == first ]]; then
				_showstopper_offer "${subcommands[@]%% *}"
			else
				_showstopper_input
			fi
			;;
		esac
	fi
}

# _showstopper_complete READLINE'S-WORD
_showstopper_complete() {
	local readline_word=$1 place=first start=0 separator=: pending='' attached='' prefix='' value i
	local -a words=() begins=() names=()
	local -A takes=() chosen=()
	COMPREPLY=()
	for ((i = 0; i < ${#rows[@]}; i += 6)); do
		[[ -z ${rows[i + 1]} ]] || takes[-${rows[i + 1]}]=${rows[i + 4]}
		takes[--${rows[i + 2]}]=${rows[i + 4]}
	done
	_showstopper_words
	_showstopper_scan
	for ((i = 0; i < ${#rows[@]}; i += 6)); do
		[[ -z ${rows[i]} || " ${rows[i]} " == *" $place "* ]] || continue
		[[ -z ${rows[i + 1]} ]] || names+=("-${rows[i + 1]}")
		names+=("--${rows[i + 2]}")
	done
	value=${words[-1]}
	if [[ -n $pending ]]; then
		_showstopper_value "${takes[$pending]}"
	elif [[ $place == command ]]; then
		_showstopper_command "$start"
		return
	else
		_showstopper_word
	fi
	# Readline exchanges its own word alone.
	local before=${words[-1]%"$readline_word"}
	COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
