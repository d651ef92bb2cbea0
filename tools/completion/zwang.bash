# SPDX-License-Identifier: MIT
# Completion of the zwang command for bash. The command's own help is asked, so a new command or
# option needs no change here. Use: source tools/completion/zwang.bash

_zwang() {
    local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || [[ $verb == help ]]; then
        words=$("$command" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    elif [[ $word == -* ]]; then
        words=$("$command" help "$verb" 2>/dev/null | sed -n 's/^  *\(--[a-z-]*=\{0,1\}\).*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
    else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.zw' -- "$word"; compgen -d -S / -- "$word")
        [[ ${COMPREPLY[0]-} != */ ]] || compopt -o nospace
    fi
}
complete -F _zwang zwang
