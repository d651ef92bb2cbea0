#!/bin/bash
# SPDX-License-Identifier: MIT
# The tippedisk with set-valued Coulomb friction, 500 000 steps of Moreau's rule: `zwang run` from the text of the model
# beside C written by hand for this disc, user CPU time, least of 9 runs of each in turn; and beside the kernel of Siconos, where
# it was found, least of 3. Siconos' time is that of its steps alone. Rows as in bench.h.
#   bench/tippedisk.sh BUILD
set -euo pipefail
build=$1
export OPENBLAS_NUM_THREADS=1
result=$(mktemp --suffix=.csv)
trap 'rm -f "$result"' EXIT
TIMEFORMAT=%U
run() { # user seconds of zwang up to a time
    { time "$build/zwang" run models/tippedisk_contact.zw --variant euler --until "$1" --step 1e-5 --step-out 0.005 \
        --jit on --quiet --out "$result" >&2; } 2>&1 | tail -n 1
}
for i in 1 2 3 4 5 6 7 8 9; do
    echo "hand $("$build/bench/tippedisk_by_hand" | cut -d ' ' -f 3)"
    echo "start $(run 0.01)"
    echo "whole $(run 5)"
    if [ -x "$build/bench/tippedisk_siconos" ] && [ "$i" -le 3 ]; then
        "$build/bench/tippedisk_siconos" | awk '{ print "siconos", $3; print "height", $1 * 1000; print "energy", $2 }'
    fi
done | awk '
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    function row(quantity, value, unit, target) {
        printf "tippedisk,500 000 steps,%s,%.5g,%s,%s\n", quantity, value, unit, target
    }
    END {
        steps = least["whole"] - least["start"]
        row("by hand", least["hand"], "s", "")
        row("zwang without its start", steps, "s", "")
        row("zwang as a process", least["whole"], "s", "")
        row("steps over by hand", steps / least["hand"], "1", "<= 2")
        if (!("siconos" in least))
            exit
        row("Siconos", least["siconos"], "s", "")
        row("Siconos: mean height of the centre", least["height"], "mm", "")
        row("Siconos: energy at 0.5 s", least["energy"], "J", "")
        row("Siconos over the steps of zwang", least["siconos"] / steps, "1", ">= 50")
        row("Siconos over zwang as a process", least["siconos"] / least["whole"], "1", "")
    }'
# the same physics
awk -F, '!/^#/ && !names { names = 1; for (i = 1; i <= NF; i++) { sub(/\[.*/, "", $i); at[$i] = i } next }
    !/^#/ && $1 >= 1 { sum += $at["height"]; n++ }
    !/^#/ && $1 >= 0.5 && !seen { seen = 1; energy = $at["energy"] }
    END { printf "tippedisk,500 000 steps,mean height of the centre,%.5g,mm,\ntippedisk,500 000 steps,energy at 0.5 s,%.5g,J,\n", sum / n, energy }' "$result"
