#!/usr/bin/zsh -f
# SPDX-License-Identifier: MIT
# The completion of zsh, in a terminal: words are begun, the Tab key is pressed, and the line is looked at.
#   complete.zsh path/to/zwang
zmodload zsh/zpty || { echo "this zsh has no zpty" && exit 77 }
zwang=${1:A} scripts=${0:A:h}/../../tools/completion
folder=$(mktemp -d)
trap 'zpty -d z 2>/dev/null; rm -rf $folder' EXIT
cd $folder || exit 1
mkdir sub bin
touch own.zw run.csv notes.txt sub/inner.zw
ln -s $zwang bin/zwang
export TERM=dumb COLUMNS=200 ZDOTDIR=$folder
zpty z "PATH=$folder/bin:$PATH zsh -f -i"
say() { zpty -w z $1 }
wait_for() { # a pattern in what the terminal shows
    local shown part i
    for i in {1..300}; do
        while zpty -r -t z part; do shown+=$part; done
        [[ $shown != *"$1"* ]] || return 0
        sleep 0.1
    done
    echo "'$1' does not appear after '$2': $shown"
    exit 1
}
say 'unsetopt zle_bracketed_paste 2>/dev/null; PROMPT= RPROMPT= LISTMAX=1000'
say "stty -echo; fpath=($scripts \$fpath); autoload -U compinit; compinit -u -D; zstyle ':completion:*' menu no; echo re'ad'y"
wait_for ready start
# completes BEGINNING WHOLE: the command is replaced by one that shows its words but the last
completes() {
    zpty -n -w z "$1"$'\t'
    say ' "<<"' # ends the line
    wait_for "[$2]" "$1"
}
say 'zwang() { if [[ $1 == complete ]]; then command zwang "$@"; else print -r -- "[${(j: :)@[1,-2]}]"; fi }'
completes 'zwang veri' 'verify'
completes 'zwang help comp' 'help compare'
completes 'zwang run turnt' 'run turntable_ball'
completes 'zwang run ow' 'run own.zw'
completes 'zwang plot run.c' 'plot run.csv'
completes 'zwang run x --by voro' 'run x --by voronets'
completes 'zwang run x --method ratt' 'run x --method rattle'
completes 'zwang run x --method=ratt' 'run x --method=rattle'
completes 'zwang run x --out=not' 'run x --out=notes.txt'
completes 'zwang run turntable_ball --set Om' 'run turntable_ball --set Omega='
