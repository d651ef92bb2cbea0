# SPDX-License-Identifier: MIT
# Completion of the zwang command for bash. The command itself says what a word can become (zwang complete), so
# nothing here can be older than the command. Use: source tools/completion/zwang.bash

# The files that begin with $1 and end with one of the other words, and folders.
_zwang_files() {
    local word=$1 file ending
    shift
    while IFS= read -r file; do
        if [[ -d $file ]]; then
            COMPREPLY+=("$file")
            continue
        fi
        (($# > 0)) || COMPREPLY+=("$file")
        for ending in "$@"; do
            [[ $file != *"$ending" ]] || COMPREPLY+=("$file")
        done
    done < <(compgen -f -- "$word")
    compopt -o filenames
}

_zwang() {
    local command=${COMP_WORDS[0]/#\~/$HOME} line word begun last=${COMP_WORDS[COMP_CWORD]} i
    local words=() cut=()
    COMPREPLY=()
    # bash has cut the line at = and : too; what belongs together is put together again
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]} > 0)) && [[ $word == [=:]* || ${words[-1]} == *[=:] ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    word=${words[-1]-}
    begun=${word%"$last"} # bash wants what follows its last cut
    [[ $last != [=:] ]] || begun=$word last=
    while IFS= read -r line; do
        if [[ $line == $'\tfiles\t'* ]]; then
            read -ra cut <<<"${line#$'\tfiles\t'}"
            _zwang_files "$last" "${cut[@]}"
        else
            word=${line%%$'\t'*}
            word=${word#"$begun"}
            [[ $word != *= ]] || compopt -o nospace
            if [[ $word == *[!A-Za-z0-9_./=:,+-]* ]]; then
                printf -v word %q "$word"
            fi
            COMPREPLY+=("$word")
        fi
    done < <("$command" complete "${words[@]}" 2>/dev/null)
}
complete -F _zwang zwang
