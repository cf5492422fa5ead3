#compdef @program@
# What zsh completes for @program@, which says it itself (src/base/complete.h).
local word more nospace candidates=()
for word in ${(f)"$("${words[1]/#\~\//$HOME/}" --complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)"}; do
	more=${word#*$'\t'}
	case $word in
	(:nospace) nospace=yes ;;
	(:file*|:directory*|:process*)
		IPREFIX+=$more PREFIX=${PREFIX#"$more"}
		case $word in
		(:file*) _files ;;
		(:dir*) _files -/ ;;
		(*)
			local process processes=(/proc/<->(:t)) names=()
			for process in $processes; do names+=("$process $(</proc/$process/comm)"); done 2>/dev/null
			compadd -l -d names -a processes ;;
		esac
		;;
	(:command*)
		((more < CURRENT - 1)) || { [[ $PREFIX == -* ]] || _command_names -e; return }
		shift more words
		((CURRENT -= more))
		_normal; return ;;
	(*) candidates+=("${${word%%$'\t'*}//:/\\:}:$more") ;;
	esac
done
((${#candidates} == 0)) || _describe 'option or value' candidates ${nospace:+-S} ${nospace:+''}
