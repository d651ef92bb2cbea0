#!/bin/bash
# SPDX-License-Identifier: MIT
# Time from the start of the process to the first row of numbers of `zwang run`, on every shipped
# model: median and smallest of 15 runs. Rows as in bench.h.
#   bench/startup.sh path/to/zwang models...
set -euo pipefail
zwang=$1
shift
repeats=15

# microseconds until the first line after the header (comments start with '#')
first_row() {
    local begin=$EPOCHREALTIME line seen=
    while IFS= read -r line; do
        case $line in
        '#'*) ;;
        *) [ -z "$seen" ] || break; seen=header ;;
        esac
    done < <("$zwang" run "$1" --until 0.01 --step-out 0.01 --out - 2>/dev/null)
    local end=$EPOCHREALTIME
    [ "$seen" ] && [ "${line:-}" ] || return 1
    echo $((${end/[.,]/} - ${begin/[.,]/}))
}

for model in "$@"; do
    name=$(basename "$model" .zw)
    times=$(for ((i = 0; i < repeats; i++)); do first_row "$model" || exit 1; done | sort -n) || {
        echo "startup.sh: zwang run $model gives no rows" >&2
        exit 1
    }
    echo "$times" | awk -v name="$name" '{ t[NR] = $1 / 1000 } END {
        printf "startup,%s,first row (median),%.4g,ms,<= 100\n", name, t[int((NR + 1) / 2)]
        printf "startup,%s,first row (min),%.4g,ms,\n", name, t[1] }'
done
