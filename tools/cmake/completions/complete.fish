# What fish completes for @program@, which says it itself (src/base/complete.h).

function __showstopper_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in ($program --complete $words[2..-1] "$last" 2>/dev/null </dev/null)
        set -l more (string split -m 1 \t -- $line)[2]
        set -l value (string sub -s (math 1 + (string length -- "$more")) -- "$last")
        switch $line
            case ':file*'
                printf '%s\n' $more(__fish_complete_path "$value")
            case ':directory*'
                printf '%s\n' $more(__fish_complete_directories "$value" '')
            case ':process*'
                printf '%s\n' $more(__fish_complete_pids)
            case ':nospace*'
            case ':command*'
                set -e words[1..$more]
                test (count $words) -eq 0; or set words (string escape -- $words)
                complete --do-complete="$words $last"
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c @program@ -fa '(__showstopper_complete)'
