#!/bin/sh
# SPDX-License-Identifier: MIT
# Work and precision: measure Zwang, CVODE on hand-written C and SciPy, draw their curves.
#   bench/work_precision.sh BUILD [FOLDER]      rows on stdout; FOLDER/PROBLEM.svg (default bench/results)
set -eu
build=$1 folder=${2:-bench/results}
points=$(mktemp -d)
trap 'rm -rf "$points"' EXIT
"$build/bench/work_precision" models "$points/all.csv"
/usr/bin/python3 bench/work_precision.py "$points/all.csv"
for problem in chain turntable tippedisk absorber; do
    set --
    for solver in "Zwang auto" "CVODE Adams by hand" "CVODE BDF by hand" "SciPy DOP853" "SciPy LSODA" \
        "SciPy Radau"; do
        file="$points/$solver.csv"
        awk -F, -v problem="$problem" -v solver="$solver" '
            BEGIN { print "error,time[s]" }
            $1 == problem && $2 == solver && $4 < 1 && $4 > 0 { print $4 "," $5; n++ }
            END { exit n < 2 }' "$points/all.csv" >"$file" || continue
        set -- "$@" "$file"
    done
    "$build/zwang" plot "$@" --plot time:error --logx --logy --title "$problem" --quiet \
        --picture "$folder/work_precision_$problem.svg"
done
