#!/bin/bash
# SPDX-License-Identifier: MIT
# The completion of bash: its function is called as bash calls it, and what it offers is compared.
#   complete.bash path/to/zwang
set -euf
zwang=$(realpath "$1")
# shellcheck disable=SC1091,SC2016,SC2086
source "$(dirname "$(realpath "$0")")/../../tools/completion/zwang.bash"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir sub
touch own.zw run.csv run.h5 notes.txt sub/inner.zw 'touch hacked.zw'
compopt() { opened="$opened $*"; } # outside of a completion bash has none

# offers WORD... : what is offered for the last word, cut as bash cuts it
offers() {
    COMP_WORDS=("$zwang")
    for word in "$@"; do
        while [[ $word == *[=:]* ]]; do
            rest=${word#*[=:]}
            mark=${word%"$rest"}
            [[ -z ${mark%[=:]} ]] || COMP_WORDS+=("${mark%[=:]}")
            COMP_WORDS+=("${mark: -1}")
            word=$rest
            [[ -n $word ]] || break
        done
        [[ -z $word && ${COMP_WORDS[-1]} == [=:] ]] || COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) opened=
    _zwang
}

sorted() { printf '%s\n' $1 | sort; }

wants() { # WORD... --- all that is wanted in any order, or a pattern of it with *
    local asked=() answer
    while [[ $1 != --- ]]; do asked+=("$1") && shift; done
    shift
    offers "${asked[@]}"
    answer=${COMPREPLY[*]-}
    # shellcheck disable=SC2053 # patterns are wanted
    [[ ($1 != *\** && $(sorted "$answer") == "$(sorted "$1")") || ($1 == *\** && " $answer " == $1) ]] ||
        { echo "zwang ${asked[*]}: '$*' was wanted, not '${COMPREPLY[*]-}'" && exit 1; }
}

wants "" --- "amplitudes backbone basin chart check compare connect continue derive diagram equilibria fit linearise lyapunov melnikov models noise orbit path plot reduce response rest run slow sweep track verify view help version"
wants "ve" --- "verify version"
wants help "com" --- "compare"
wants run "turnt" --- "turntable_ball"
wants verify "claims/turntable_ball_p" --- "claims/turntable_ball_printed"
wants run "own" --- "own.zw"
wants run "run" --- "run.csv run.h5"
wants plot "run" --- "run.csv run.h5"
wants run --restart "" --- "run.csv run.h5 sub"
wants plot "sub/" --- "sub/inner.zw"
wants run own.zw --out "no" --- "notes.txt"
wants run own.zw --meth --- "--method="
[[ $opened == *nospace* ]] || { echo "a blank is put behind --method=" && exit 1; }
wants run x --method ra --- "rattle radau"
wants run x --method= --- "auto adams bdf ida erk rattle energy rk54 rk87 radau"
wants run x --method=ra --- "rattle radau"
wants derive x --by gauss --- "gauss gauss-min"
wants derive x --by=v --- "voronets vakonomic"
wants derive x --format "" --- "* latex *"
wants run turntable_ball --set O --- "Omega="
wants run --set=Om turntable_bal --- "turntable_ball"
wants run turntable_ball --set=Om --- "Omega="
wants run turntable_ball --set Omega=3 --- ""
wants run turntable_ball --variant p --- " printed*"
wants run snakeboard --without gait.1,skate --- "gait.1,skate_1 gait.1,skate_2"
wants plot pushed_ball --at sl --- "slip"
wants plot duffing --plot "x" --- "x x\\'"
wants plot duffing --plot "x:" --- "* t *"
wants plot duffing --plot "x:t" --range x --- "x= x\\'="
wants view own.zw --out "ru" --- ""
touch ru.html
wants view own.zw --out "ru" --- "ru.html"
printf 't[s],height[m]\n0,1\n1,2\n' >fall.csv
wants plot fall.csv --plot "he" --- "height"
wants run x --until "" --- ""
wants run -- --- " --until= *"
wants run -- "own" --- "own.zw"
wants run -- "--until" --- ""
wants nothing "" --- ""

# every option that the help names is offered, with a = if it takes a value
for verb in $("$zwang" complete help '' | cut -f 1); do
    offers "$verb" --
    for option in $("$zwang" help "$verb" --all | sed -n 's/^  \(--[a-z0-9-]*=\{0,1\}\).*/\1/p'); do
        [[ " ${COMPREPLY[*]} " == *" $option "* ]] || { echo "zwang $verb: $option is not offered" && exit 1; }
    done
done

# names are text, whatever is in them
mkdir models
printf 'model m\n' >'models/$(touch hacked).zw'
ZWANG_MODELS=$folder/models
export ZWANG_MODELS
offers run '$('
[[ ${COMPREPLY[0]} == '\$\(touch\ hacked\)' ]] || { echo "not quoted: ${COMPREPLY[0]}" && exit 1; }
[[ ! -e hacked ]] || { echo "the completion has run the name of a model" && exit 1; }
