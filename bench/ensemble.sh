#!/bin/sh
# SPDX-License-Identifier: MIT
# Many motions by zw_ensemble and by hand in C (ensemble.c), by Boost.Odeint and by SciPy, one after the other, and how many times
# faster than each we are, per core.
#   bench/ensemble.sh [BUILD [SECONDS]]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"$build/bench/ensemble" "${2:-2}" >"$rows"
if [ -x "$build/bench/ensemble_odeint" ]; then "$build/bench/ensemble_odeint" >>"$rows"; fi
/usr/bin/python3 bench/ensemble_peer.py >>"$rows" || echo "bench/ensemble.sh: without SciPy" >&2
cat "$rows"
awk -F, '
    $3 == "4 lanes" || $3 == "8 lanes" { if ($4 > ours[$2]) ours[$2] = $4 }
    $3 ~ /^(Boost|SciPy)/ { peer[++n] = $3; what[n] = $2; theirs[n] = $4 }
    END {
        for (i = 1; i <= n; i++) {
            aim = peer[i] ~ /^SciPy/ ? ">= 800" : peer[i] ~ /rkf78/ ? ">= 3" : ""
            if (ours[what[i]] > 0)
                printf "ensemble,%s,speed-up over %s,%.4g,1,%s\n", what[i], peer[i], ours[what[i]] / theirs[i], aim
        }
    }' "$rows"
