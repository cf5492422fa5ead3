# The functions are the same for all of Showstopper's programs. They see the tables of the caller, and what _showstopper_complete
# declares.

# Lines `KIND:NAME SUMMARY`: those that there are, else those that there were when this was made.
_showstopper_modules() {
	local -a listed
	listed=(${(M)${(f)"$(showstopper --list-modules 2>/dev/null </dev/null)"}:#[a-z]##:[A-Za-z0-9_.-]##\ *})
	((${#listed})) || listed=("${known_modules[@]}")
	print -rl -- "${listed[@]}"
}

# _showstopper_known KIND:NAME: its options as lines KEY=VALUES.
_showstopper_known() {
	local -a listed
	[[ $1 != */* ]] || return
	listed=(${(M)${(f)"$(showstopper --help-module $1 2>/dev/null </dev/null)"}:#  [A-Za-z0-9_-]##=[^ ]##})
	listed=(${listed#  })
	((${#listed})) || listed=(${(s: :)${(M)known_options:#$1 *}#* })
	print -rl -- "${listed[@]}"
}

# _showstopper_module_value VALUES, as in KEY=VALUES
_showstopper_module_value() {
	case $1 in
	(FILE|TEXT) _files ;;
	(*[a-z]*) compadd -S '' -- "${(s:|:)1[@]}" ;;
	(*) _message "$1" ;;
	esac
}

_showstopper_module_options() {
	local name=${${(M)usual_modules:#$1:*}#*:} row
	local -a known
	known=(${(f)"$(_showstopper_known "$1:${chosen[$1]:-$name}")"})
	# Without -t, the trace may be in a file.
	if [[ $1 == trace && -z ${chosen[trace]-} && $PREFIX != *[,=]* ]]; then
		((${#known})) && compadd -S '' -- "${known[@]/%=*/=}" || _files
		return
	fi
	compset -P '*,'
	if compset -P '*='; then
		row=${IPREFIX%=}
		row=${(M)known:#${${row##*,}##*=}=*}
		[[ -z $row ]] || _showstopper_module_value "${row#*=}"
		return
	fi
	((${#known} == 0)) || compadd -S '' -- "${known[@]/%=*/=}" || _showstopper_module_value "${known[1]#*=}"
}

# _showstopper_value OPTION: what completes its value.
_showstopper_value() {
	local what=${takes[$1]} line
	local -a found
	case $what in
	('choice '*) compadd -- "${(s:|:)${what#* }[@]}" ;;
	('list '*)
		compset -P '*,'
		compadd -S '' -- "${(s:|:)${what#* }[@]}"
		;;
	(file) _files ;;
	(folder) _files -/ ;;
	(process) compadd -- /proc/<->(N:t) ;;
	('module '*)
		for line in ${(M)${(f)"$(_showstopper_modules)"}:#${what#* }:*}; do
			line=${line#*:}
			found+=("${line%% *}:${${line#* }## #}")
		done
		_describe "${what#* } module" found
		[[ $PREFIX != */* ]] || _files
		;;
	('options '*) _showstopper_module_options "${what#* }" ;;
	(kind:module)
		found=(${(f)"$(_showstopper_modules)"})
		compadd -- "${found[@]%% *}"
		;;
	esac
}

_showstopper_subcommands() {
	local row
	local -a found
	for row in "${subcommands[@]}"; do
		found+=("${row%% *}:${row#* }")
	done
	_describe subcommand found
}

# _showstopper_note OPTION VALUE
_showstopper_note() {
	case ${takes[$1]-} in
	('module '*) chosen[${takes[$1]#module }]=$2 ;;
	esac
	[[ $1 != --separator ]] || separator=$2
}

# The option in a word of letters that takes a value, into `pending`, and what of the value is in the word, into `attached`.
_showstopper_letters() {
	local i
	pending= attached=
	for ((i = 2; i <= ${#1}; i++)); do
		[[ -n ${takes[-${1[i]}]-} ]] || continue
		pending=-${1[i]} attached=${1[i + 1,-1]}
		return
	done
}

# Goes through the words before the cursor: leaves `place`, `start` (the command's index), `before` (that of the last word before the
# options of this place), and what was chosen.
_showstopper_scan() {
	local i word pending attached
	for ((i = 2; i < CURRENT; i++)); do
		word=${words[i]}
		if [[ -n $pending ]]; then
			_showstopper_note $pending "$word"
			pending=
		elif [[ $place == command ]]; then
			[[ $kind != groups || -z $separator || $word != "$separator" ]] || { place=later; before=$i }
		elif [[ $place == words ]]; then
			[[ $kind != dashes || $word != -- ]] || { place=command; start=$((i + 1)) }
		elif [[ $word == -- ]]; then
			case $kind in (command|groups|dashes) place=command start=$((i + 1)) ;; esac
		elif [[ $word == --*=* ]]; then
			_showstopper_note "${word%%=*}" "${word#*=}"
		elif [[ $word == --* ]]; then
			[[ -z ${takes[$word]-} ]] || pending=$word
		elif [[ $word == -?* ]]; then
			_showstopper_letters $word
			[[ -z $attached ]] || { _showstopper_note $pending "$attached"; pending= }
		else
			case $kind in
			(command|groups) place=command start=$i ;;
			(dashes) place=words ;;
			(subcommand) [[ $place != first ]] || { place=$word; before=$i } ;;
			esac
		fi
	done
}

_showstopper_command() {
	[[ $PREFIX == -* ]] || _command_names -e
}

# LABEL=FILE or FILE
_showstopper_labelled() {
	compset -P '[^/]#='
	_files
}

_showstopper_complete() {
	local place=first separator=: start=0 before=1 only letter name argument what help action
	local -a specs
	local -A takes chosen
	for only letter name argument what help in "${rows[@]}"; do
		[[ -z $letter ]] || takes[-$letter]=$what
		takes[--$name]=$what
	done
	_showstopper_scan
	if [[ $place == command ]]; then
		words=("${(@)words[start,-1]}")
		((CURRENT -= start - 1))
		_normal
		return
	fi
	words=("${words[1]}" "${(@)words[before + 1,-1]}")
	((CURRENT -= before - 1))
	for only letter name argument what help in "${rows[@]}"; do
		[[ -z $only || " $only " == *" $place "* ]] || continue
		help="[${help//(#m)[\[\]\\:]/\\$MATCH}]"
		if [[ -z $what ]]; then
			[[ -z $letter ]] || specs+=("*-$letter$help")
			specs+=("*--$name$help")
			continue
		fi
		action=" _showstopper_value --$name"
		[[ $what != any ]] || action=' '
		help+=":${argument//:/\\:}:$action"
		[[ -z $letter ]] || specs+=("*-$letter+$help")
		specs+=("*--$name=$help")
	done
	case $kind in
	(command|groups) specs=(-A '-*' "${specs[@]}" '(-)1:command:_showstopper_command') ;;
	(dashes) specs=(-A '-*' "${specs[@]}" '1:interval: ' '2:count: ') ;;
	(file) specs+=('1:trace:_files') ;;
	(subcommand) [[ $place == first ]] && specs+=('1:subcommand:_showstopper_subcommands') || specs+=('*:file:_showstopper_labelled') ;;
	esac
	_arguments -s -S "${specs[@]}"
}
