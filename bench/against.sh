#!/bin/bash
# SPDX-License-Identifier: MIT
# Two versions of the command on the same runs: instructions counted by callgrind, which do not depend on
# what else the machine does, as the ratio of the second to the first. Rows as in bench.h.
#   bench/against.sh path/to/old/zwang path/to/new/zwang SECONDS models...
set -euo pipefail
old=$1 new=$2 until=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

instructions() { # command, model, end
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$1" run "$2" --until "$3" --quiet --out "$folder/run.csv" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for model in "$@"; do
    name=$(basename "$model" .zw)
    before=$(instructions "$old" "$model" "$until")
    after=$(instructions "$new" "$model" "$until")
    echo "against,$name,instructions of a run of $until s (ratio),$(awk "BEGIN { printf \"%.4g\", $after / $before }"),1,<= 1"
done
