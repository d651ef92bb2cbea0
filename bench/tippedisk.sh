#!/bin/bash
# SPDX-License-Identifier: MIT
# The tippedisk with set-valued Coulomb friction, 500 000 steps of Moreau's rule: `zwang run` from the text of the model
# beside C written by hand for this disc, user CPU time, least of 5 runs of each in turn. Rows as in bench.h.
#   bench/tippedisk.sh BUILD
set -euo pipefail
build=$1
result=$(mktemp --suffix=.csv)
trap 'rm -f "$result"' EXIT
TIMEFORMAT=%U
run() { # user seconds of zwang up to a time
    { time "$build/zwang" run models/tippedisk_contact.zw --variant euler --until "$1" --step 1e-5 --step-out 0.005 \
        --jit on --quiet --out "$result" >&2; } 2>&1 | tail -n 1
}
for i in 1 2 3 4 5; do
    echo "hand $("$build/bench/tippedisk_by_hand" | cut -d ' ' -f 3)"
    echo "start $(run 0.01)"
    echo "whole $(run 5)"
done | awk '
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    END {
        steps = least["whole"] - least["start"]
        printf "tippedisk,500 000 steps,by hand,%.4g,s,\n", least["hand"]
        printf "tippedisk,500 000 steps,zwang without its start,%.4g,s,\n", steps
        printf "tippedisk,500 000 steps,zwang as a process,%.4g,s,\n", least["whole"]
        printf "tippedisk,500 000 steps,steps over by hand,%.4g,1,<= 2\n", steps / least["hand"]
    }'
# the same physics
awk -F, '!/^#/ && !names { names = 1; for (i = 1; i <= NF; i++) { sub(/\[.*/, "", $i); at[$i] = i } next }
    !/^#/ && $1 >= 1 { sum += $at["height"]; n++ }
    !/^#/ && $1 >= 0.5 && !seen { seen = 1; energy = $at["energy"] }
    END { printf "tippedisk,500 000 steps,mean height of the centre,%.5g,mm,\ntippedisk,500 000 steps,energy at 0.5 s,%.5g,J,\n", sum / n, energy }' "$result"
