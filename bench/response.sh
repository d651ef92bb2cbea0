#!/bin/bash
# SPDX-License-Identifier: MIT
# Response curves of chains of Duffing's oscillators: Zwang by harmonic balance (response.c), and AUTO-07p of Debian by collocation on 40 intervals with 4
# points, both with multipliers at every point, one after the other for each length of the chain. User time of the processor, the best of some runs.
#   bench/response.sh [BUILD]
# AUTO: from rest the force is raised to 0.18, located to 1e-11; from there it goes along w in steps of fixed length, a new mesh every third one. Its time is that of
# the process, with its start and its output. Folds of both must agree.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
here=$PWD/bench
auto=${AUTO_DIR:-/usr/lib/auto-07p}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1 LC_ALL=C
cd "$work"

peer=
if [ -d "$auto/lib" ] && command -v gfortran >/dev/null; then
    gfortran -O2 -std=legacy -fopenmp "$here/response_auto.f90" -o chain "$auto"/lib/*.o && peer=yes
else
    echo "response.sh: no AUTO-07p here (tools/setup bench)" >&2
fi

constants() { # states, first label, free parameter, steps, further lines
    cat <<EOF
NDIM=$1, IPS=2, IRS=$2
ICP=[$3,11]
NTST=40, NCOL=4, IAD=3, ISW=1, IPLT=0, NBC=0, NINT=0
NMX=$4, NPR=0, MXBF=0, IID=2, ITMX=8, ITNW=7, NWTN=3, JAC=1
EPSL=1e-7, EPSU=1e-7
THL={11:0.0}
EOF
}

run_auto() { # oscillators, steps: the user time of a run along w; fort.7 is what it found
    local states=$((2 * $1 + 2))
    { constants $states 0 1 400
      echo "ILP=0, ISP=0, EPSS=1e-11, DS=0.02, DSMIN=1e-4, DSMAX=0.05, IADS=1"
      echo "UZSTOP={1:0.18}"; } >fort.2
    ./chain >out 2>&1
    cp fort.8 fort.3
    { constants $states 2 2 "$2"
      echo "ILP=1, ISP=2, EPSS=1e-7, DS=0.02, DSMIN=0.02, DSMAX=0.02, IADS=0"; } >fort.2
    local TIMEFORMAT=%U
    { time ./chain >out 2>&1; } 2>&1
}

row() { echo "response,$1,$2,$3,$4,$5"; }

# oscillators, steps of AUTO, runs of it, the factor that a prototype in C reached
while read -r n steps runs factor; do
    for chance in 1 2; do # two rounds: the machine may have been busy in one of them
        "$build/bench/response" "$n" >rows.$chance 2>folds
    done
    awk -F, 'NR == FNR { first[$3] = $4; next }
        { OFS = ","; if ($3 ~ /^points/ ? first[$3] > $4 : first[$3] < $4) $4 = first[$3]; print }' rows.1 rows.2 | tee rows
    [ -n "$peer" ] || continue
    best=
    for _ in $(seq "$runs"); do
        took=$(run_auto "$n" "$steps")
        best=$(awk -v a="$took" -v b="${best:-$took}" 'BEGIN { print a < b ? a : b }')
    done
    rate=$(awk -v t="$best" -v n="$steps" 'BEGIN { printf "%.6g", n/t }')
    row "n=$n AUTO" "steps in a second" "$rate" 1/s ""
    row "n=$n" "times AUTO" "$(awk -F, -v r="$rate" '$3 == "points in a second" { printf "%.4g", $4/r }' rows)" 1 \
        ">= $(awk -v f="$factor" 'BEGIN { print f/2 }')"
    row "n=$n" "times AUTO from the text" \
        "$(awk -F, -v r="$rate" '$3 == "points in a second from the text" { printf "%.4g", $4/r }' rows)" 1 ""
    # the first fold of both: limit points of the branch have type 5
    theirs=$(awk '$1 != 0 && ($3 == 5 || $3 == -5) { sub("E", "e", $5); print $5 + 0 != 0 ? $5 : ""; exit }' fort.7)
    ours=$(awk '{ print $3 }' folds)
    if [ -n "$theirs" ] && [ -n "$ours" ]; then
        row "n=$n" "first fold off that of AUTO by" \
            "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { d = a - b; printf "%.3g", d < 0 ? -d : d }')" rad/s "<= 1e-7"
    fi
done <<EOF
1 300 5 123
2 300 4 70
5 250 2 112
10 60 2 260
20 20 1 501
EOF
# what the authors' tool of harmonic balance made in Octave (NLvib 1.3, another processor): quoted, not run
for pair in "1 172" "2 145" "5 80" "10 29"; do
    set -- $pair
    row "n=$1 NLvib (quoted)" "points in a second" "$2" 1/s ""
done
"$build/bench/response" growth
