# The functions are the same for all of Showstopper's programs.

# __showstopper_takes PROGRAM OPTION: prints what completes its value; fails where it takes none.
function __showstopper_takes
    set -l rows __showstopper_takes_$argv[1]
    string match -q -- "$argv[2] *" $$rows
    and string replace -- "$argv[2] " '' (string match -- "$argv[2] *" $$rows)
end

# The option in a word of letters that takes a value, and what of the value is in the word, as two lines.
function __showstopper_letters
    for i in (seq 2 (string length -- $argv[2]))
        set -l letter -(string sub -s $i -l 1 -- $argv[2])
        if __showstopper_takes $argv[1] $letter >/dev/null
            printf '%s\n' $letter (string sub -s (math $i + 1) -- $argv[2])
            return
        end
    end
end

# Goes through the words before the cursor. Prints the place, the index of the command, and lines `OPTION VALUE`.
function __showstopper_scan
    set -l words (commandline -opc)
    set -l kind __showstopper_kind_$argv[1]
    set -l place first
    set -l start 0
    set -l given
    set -l pending ''
    set -l separator :
    for i in (seq 2 (count $words))
        set -l word $words[$i]
        if test -n "$pending"
            set -a given "$pending $word"
            test "$pending" = --separator; and set separator $word
            set pending ''
        else if test $place = command
            test $$kind = groups -a -n "$separator" -a "$word" = "$separator"; and set place later
        else if test $place = words
            test $$kind = dashes -a "$word" = --; and set place command; and set start (math $i + 1)
        else if test "$word" = --
            set place words
            contains $$kind command groups dashes; and set place command; and set start (math $i + 1)
        else if string match -q -- '--*=*' $word
            set -a given (string replace -- = ' ' $word)
            string match -q -- '--separator=*' $word; and set separator (string replace -- --separator= '' $word)
        else if string match -q -- '--*' $word
            __showstopper_takes $argv[1] $word >/dev/null; and set pending $word
        else if string match -q -- '-?*' $word
            set -l found (__showstopper_letters $argv[1] $word)
            if test -n "$found[2]"
                set -a given "$found[1] $found[2]"
            else if test -n "$found[1]"
                set pending $found[1]
            end
        else if contains $$kind command groups
            set place command
            set start $i
        else if test $$kind = dashes
            set place words
        else if test $$kind = subcommand -a $place = first
            set place $word
        end
    end
    printf '%s\n' $place $start $given
end

# __showstopper_at PROGRAM PLACE…: whether the cursor is there; without a place, whether options are possible.
function __showstopper_at
    set -l found (__showstopper_scan $argv[1])
    if set -q argv[2]
        contains -- $found[1] $argv[2..-1]
    else
        not contains -- $found[1] command words
    end
end

# Completes the command that stands behind the program's options by itself.
function __showstopper_command
    set -l found (__showstopper_scan $argv[1])
    set -l words (commandline -opc)
    set -l before
    test $found[1] = command; and test $found[2] -le (count $words); and set before (string escape -- $words[$found[2]..-1])
    set -l line "$before $(commandline -ct)"
    complete --do-complete=(string trim -l -- "$line")
end

# Lines `KIND:NAME SUMMARY`: those that there are, else those that there were when this was made.
function __showstopper_modules
    set -l listed
    command -q showstopper; and set listed (showstopper --list-modules 2>/dev/null </dev/null | string match -r '^[a-z]+:[A-Za-z0-9_.-]+ .*')
    set -q listed[1]; or set listed $__showstopper_known_modules
    printf '%s\n' $listed
end

# __showstopper_known KIND:NAME: its options as lines KEY=VALUES.
function __showstopper_known
    string match -q '*/*' -- $argv[1]; and return
    set -l listed
    command -q showstopper
    and set listed (showstopper --help-module $argv[1] 2>/dev/null </dev/null | string match -r '^  [A-Za-z0-9_-]+=[^ ]+$' | string trim)
    set -q listed[1]; or set listed (string match -- "$argv[1] *" $__showstopper_known_options | string split ' ')[2..-1]
    printf '%s\n' $listed
end

# __showstopper_module_value PREFIX VALUE VALUES, as in KEY=VALUES
function __showstopper_module_value
    if contains -- $argv[3] FILE TEXT
        printf '%s\n' $argv[1](__fish_complete_path $argv[2])
    else if string match -qr '[a-z]' -- $argv[3]
        printf '%s\n' $argv[1](string split '|' -- $argv[3])
    end
end

# __showstopper_module_options PROGRAM KIND
function __showstopper_module_options
    set -l module (string replace -- $argv[2]: '' (string match -- "$argv[2]:*" $__showstopper_usual_modules))
    set -l is_named no
    for row in (__showstopper_scan $argv[1])[3..-1]
        set -l option (string split -m 1 ' ' -- $row)
        test "$(__showstopper_takes $argv[1] $option[1])" = "module $argv[2]"; and set module $option[2]; and set is_named yes
    end
    set -l known (__showstopper_known $argv[2]:$module)
    set -q known[1]; or return
    # The value alone, and of that what begins behind the last comma.
    set -l value (commandline -ct)
    set -l prefix ''
    if string match -q -- '--*=*' $value
        set value (string replace -r -- '^--[^=]*=' '' $value)
    else if string match -q -- '-*' $value
        set value (__showstopper_letters $argv[1] $value)[2]
    end
    set -l parts (string match -rg -- '^((?:.*,)?)([^,]*)$' "$value")
    set prefix $parts[1]
    set -l item $parts[2]
    if string match -q -- '*=*' $item
        set -l key (string split -m 1 = -- $item)
        for row in (string match -- "$key[1]=*" $known)
            __showstopper_module_value $prefix$key[1]= "$key[2]" (string split -m 1 = -- $row)[2]
        end
        return
    end
    printf '%s\n' $prefix(string replace -r -- '=.*' = $known)
    set -l values (string split -m 1 = -- $known[1])[2]
    # Without -t, the trace may be in a file.
    test $argv[2] = trace -a $is_named = no -a -z "$prefix"; and set values TEXT
    string match -q -- "$item*" $known; or __showstopper_module_value "$prefix" "$item" $values
end

# __showstopper_value PROGRAM WHAT WORD…: candidates, with a tab and what they are.
function __showstopper_value
    switch $argv[2]
        case choice
            printf '%s\n' $argv[3..-1]
        case list
            __fish_append , $argv[3..-1]
        case folder
            __fish_complete_directories (commandline -ct) ''
        case process
            __fish_complete_pids
        case module
            __showstopper_modules | string replace -rf -- "^$argv[3]:([^ ]*) +(.*)" '$1\t$2'
            string match -q '*/*' -- (commandline -ct); and __fish_complete_path (commandline -ct)
        case options
            __showstopper_module_options $argv[1] $argv[3]
        case kind:module
            __showstopper_modules | string replace -rf -- '^([^ ]*) +(.*)' '$1\t$2'
    end
end
