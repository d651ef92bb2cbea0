# SPDX-License-Identifier: MIT
# What the scripts beside this file share: runs of zwang, numbers out of their results, and a table in
# which each number stands beside the one of the document. A script of reproduce/ reads
#
#   . "$(dirname "$0")/lib.sh"
#   begin "What the document is" "$@"
#   run free turntable_ball.zw --until 10                 # results of the run "free"
#   expect "period" "$(cell free.events t 1)" 4.667 5e-4 "Table 1"
#   finish
#
# deviation TEXT says, where the reader sees it, what is done otherwise than in the document.
#
# expect VALUES come from runs only, EXPECTED numbers from the document or from closed forms with their
# source beside them, and a TOLERANCE says how exact the expected number is (half a unit of its last
# digit, say), never how well it happens to agree. Relations (holds) are between numbers of runs, closed
# forms and data: they have no thresholds of their own.

# begin TITLE [--quick] [--out DIR] [--zwang PATH] [--run "OPTIONS"]: --quick leaves out what takes long, and
# all pictures; --run gives options to every run, such as another method, which must not change a thing
begin() {
    echo "$1" && shift
    root=$(cd "$(dirname "$0")/.." && pwd)
    zwang=$root/build/zwang quick="" extra="" out=$root/out/reproduce/$(basename "$0")
    while [ $# -gt 0 ]; do
        case $1 in
        --quick) quick=yes && shift ;;
        --out) out=$2 && shift 2 ;;
        --zwang) zwang=$2 && shift 2 ;;
        --run) extra=$2 && shift 2 ;;
        *) echo "usage: $(basename "$0") [--quick] [--out DIR] [--zwang PATH] [--run OPTIONS]" >&2 && exit 1 ;;
        esac
    done
    [ -x "$zwang" ] || { echo "$zwang is not there: make build" >&2 && exit 1; }
    zwang=$(realpath "$zwang")
    mkdir -p "$out"
    out=$(realpath "$out")
    checks=0 failures=0
    cd "$root/models" || exit 1
}

# section TEXT: a new part of the table, under its own heading
section() {
    printf '\n%s\n  %-44s %13s %13s %10s  %-8s %s\n' "$1" "" zwang expected difference "" source
}

# deviation TEXT: what is not as in the document: chosen data, forces that it does not have, other pictures
deviation() { printf '  deviation: %s\n' "$1"; }

# run NAME MODEL [options of zwang run]: the results are NAME and NAME.events for cell and the others;
# a run that fails ends the script
run() {
    name=$1 && shift
    # shellcheck disable=SC2086 # options are words
    "$zwang" run "$@" $extra --quiet --out "$out/$name.csv" --events "$out/$name.events.csv" >"$out/$name.log" 2>&1 || {
        echo "zwang run $*" >&2
        cat "$out/$name.log" >&2
        exit 1
    }
}

# rows RESULT COLUMN: its numbers, one per line. A column is called as in the file, without the unit.
rows() {
    awk -F, -v name="$2" -v file="$1" '
        /^#/ { next }
        !place {
            for (i = 1; i <= NF; i++) {
                title = $i
                sub(/\[[^]]*\]$/, "", title)
                if (title == name)
                    place = i
            }
            if (!place) {
                print file ": no column " name >"/dev/stderr"
                exit 1
            }
            next
        }
        { print $place }' "$out/$1.csv"
}

cell() { rows "$1" "$2" | sed -n "$3p"; }                           # cell RESULT COLUMN ROW
at() { # at RESULT COLUMN TIME: events have rows between those of the output step
    rows "$1" t >"$out/$1.t" && rows "$1" "$2" | paste "$out/$1.t" - |
        awk -v t="$3" '$1 >= t - 1e-9 { print $2; exit }'
}
during() { # during RESULT COLUMN FROM TO: its numbers between two times
    rows "$1" t >"$out/$1.t" && rows "$1" "$2" | paste "$out/$1.t" - |
        awk -v from="$3" -v to="$4" '$1 >= from - 1e-9 && $1 <= to + 1e-9 { print $2 }'
}
mean() { # mean RESULT COLUMN FROM TO
    during "$@" | awk '{ sum += $1 } END { if (NR) printf "%.15g\n", sum/NR }'
}
moment() { # moment RUN EVENT COLUMN N: what the column is when the event comes for the N-th time
    number=$(sed -n "s/^# event \([0-9]*\): $2\$/\1/p" "$out/$1.events.csv")
    rows "$1.events" event >"$out/$1.t" && rows "$1.events" "$3" | paste "$out/$1.t" - |
        awk -v event="$number" -v n="$4" 'event != "" && $1 == event && ++seen == n { print $2 }'
}
last() { rows "$1" "$2" | tail -n 1; }                              # last RESULT COLUMN
count() { rows "$1" "$2" | wc -l; }                                 # count RESULT COLUMN
largest() { rows "$1" "$2" | sort -g | tail -n 1; }                 # largest RESULT COLUMN
smallest() { rows "$1" "$2" | sort -g | head -n 1; }                # smallest RESULT COLUMN
spread() { calc "$(largest "$1" "$2") - ($(smallest "$1" "$2"))"; } # spread RESULT COLUMN

# paths NAME: every value of the report NAME.json on a line behind its path, keys and numbers of items
# joined by dots: "attractors.0.share 0.5"; item NAME PATH: one of them
paths() {
    awk '
        function close_one() { depth--; key = 0 }
        function put(value) {
            path = ""
            for (d = 1; d <= depth; d++)
                path = path (d > 1 ? "." : "") (list[d] ? number[d] : name[d])
            print path " " value
        }
        { text = text $0 "\n" }
        END {
            while (match(text, /^[ \t\n]*("([^"\\]|\\.)*"|[][{}:,]|[^][{}:, \t\n]+)/)) {
                token = substr(text, 1, RLENGTH)
                text = substr(text, RLENGTH + 1)
                sub(/^[ \t\n]*/, "", token)
                if (token == "{" || token == "[") {
                    depth++
                    list[depth] = token == "["
                    number[depth] = 0
                    key = token == "{"
                } else if (token == "}" || token == "]")
                    close_one()
                else if (token == ",") {
                    number[depth]++
                    key = !list[depth]
                } else if (token == ":")
                    key = 0
                else {
                    gsub(/^"|"$/, "", token)
                    if (key)
                        name[depth] = token
                    else
                        put(token)
                }
            }
        }' "$out/$1.json"
}
item() { paths "$1" | awk -v path="$2" '$1 == path { sub(/^[^ ]* /, ""); print }'; }
# named NAME LIST WORD KEY: of the item of a list with this name
named() {
    place=$(paths "$1" | awk -v list="$2" -v word="$3" 'index($1, list ".") == 1 && $1 ~ /[.]name$/ && substr($0, length($1) + 2) == word { sub(/name$/, "", $1); print $1; exit }')
    item "$1" "$place$4"
}

# largest, smallest, absolute values of what is piped in
high() { sort -g | tail -n 1; }
low() { sort -g | head -n 1; }
size() { sed 's/^-//'; }
# apart RUN RUN COLUMN [ROW]: the largest difference of a column in two runs; with ROW: the row it is in
apart() {
    rows "$1" "$3" >"$out/one" && rows "$2" "$3" | paste "$out/one" - | awk -v row="${4:-}" '
        { d = $1 - $2; d = d < 0 ? -d : d }
        d > far { far = d; where = NR }
        END { printf "%.9g\n", row != "" ? where : far }'
}
# turns RUN COLUMN FROM TO: how often it turns back between two times
turns() {
    during "$@" | awk 'NR > 1 { up = $1 > before; if (NR > 2 && up != was) n++; was = up } { before = $1 } END { print n + 0 }'
}

# calc EXPRESSION: its value; pi, abs, tan, acos and asin beside what awk has
calc() {
    awk "
        function abs(x) { return x < 0 ? -x : x }
        function tan(x) { return sin(x)/cos(x) }
        function asin(x) { return atan2(x, sqrt(1 - x*x)) }
        function acos(x) { return atan2(sqrt(1 - x*x), x) }
        BEGIN { pi = atan2(0, -1); printf \"%.15g\\n\", $1 }"
}

# expect NAME VALUE EXPECTED TOLERANCE SOURCE: VALUE is EXPECTED within TOLERANCE
expect() { compare "$1" "$2" "$3" "$4" "$5" agrees; }

# erratum NAME VALUE PRINTED TOLERANCE SOURCE: PRINTED is in the document, and not what comes out. That
# is a finding, not a failure; but if the numbers agree after all, it is one.
erratum() { compare "$1" "$2" "$3" "$4" "$5" apart; }

# unlike NAME VALUE OTHER TOLERANCE SOURCE: two numbers that differ and may differ: neither is wrong
unlike() { compare "$1" "$2" "$3" "$4" "$5" unlike; }

compare() {
    checks=$((checks + 1))
    awk -v name="$1" -v value="$2" -v expected="$3" -v tolerance="$4" -v source="$5" -v wanted="$6" '
        BEGIN {
            usable = value ~ /[0-9]/ && value !~ /nan|inf/
            d = value - expected
            size = d < 0 ? -d : d
            agrees = usable && size <= tolerance + 0
            ok = wanted == "agrees" ? agrees : usable && !agrees
            word = !ok ? "DIFFERS" : wanted == "apart" ? "erratum" : "ok"
            if (wanted != "agrees" && agrees)
                word = "AGREES"
            printf "  %-44s %13.7g %13.7g %10.1e  %-8s %s\n", name, value, expected, d, word, source
            exit !ok
        }' || failures=$((failures + 1))
}

# holds NAME RELATION SOURCE: a relation between numbers, like "3.1 > 2.9 && 4 < 5"
holds() {
    checks=$((checks + 1))
    case $(calc "($2) ? 1 : 0") in
    1) word=ok ;;
    *) word=DIFFERS failures=$((failures + 1)) ;;
    esac
    printf '  %-44s %38s  %-8s %s\n' "$1" "$2" "$word" "$3"
}

# ask NAME VERB [options]: what a verb writes, as a result NAME; a verb that fails ends the script
ask() {
    name=$1 verb=$2 && shift 2
    "$zwang" "$verb" "$@" --quiet --out "$out/$name.csv" >"$out/$name.log" 2>&1 || {
        echo "zwang $verb $*" >&2
        cat "$out/$name.log" >&2
        exit 1
    }
}
# linear NAME MODEL [options of zwang linearise]: a steady motion and its linear equations, for spectrum and the others
linear() {
    name=$1 && shift
    "$zwang" linearise "$@" --quiet --json >"$out/$name.json" 2>"$out/$name.log" || {
        echo "zwang linearise $*" >&2
        cat "$out/$name.log" >&2
        exit 1
    }
}

# eigenvalues RESULT [eigenvalues|orbit]: "re im", one per line; orbit: along the symmetries; both if nothing is said
eigenvalues() {
    case ${2:-eigenvalues} in
    eigenvalues) sed -n 's/^ *"value": \[\([^],]*\), \([^]]*\)\].*/\1 \2/p' "$out/$1.json" ;;
    esac
    case ${2:-orbit} in
    orbit)
        sed -n 's/.*"eigenvalues_along_symmetries": \[\(.*\)\].*/\1/p' "$out/$1.json" | tr -d '[ ' |
            tr ']' '\n' | sed 's/^,//; /^$/d; s/,/ /'
        ;;
    esac
}
# eigen RESULT RE IM re|im: a part of the eigenvalue that is nearest to RE + i IM
eigen() {
    eigenvalues "$1" | awk -v re="$2" -v im="$3" -v part="$4" '
        { d = ($1 - re)^2 + ($2 - im)^2; if (NR == 1 || d < least) { least = d; value = part == "re" ? $1 : $2 } }
        END { print value }'
}
# spectrum NAME RESULT TOLERANCE SOURCE "RE IM" ...: these are among its eigenvalues
spectrum() {
    title=$1 result=$2 tolerance=$3 source=$4 && shift 4
    for value in "$@"; do
        expect "$title, real part" "$(eigen "$result" ${value% *} ${value#* } re)" "${value% *}" "$tolerance" "$source"
        [ "${value#* }" = 0 ] ||
            expect "  imaginary part" "$(eigen "$result" ${value% *} ${value#* } im)" "${value#* }" "$tolerance" "$source"
    done
}
hopf() { # hopf RESULT a|b|omega|sigma|type: of the cycles that grow out of a pair on the imaginary axis
    sed -n "/\"hopf\": {/,\$ s/^ *\"$2\": \"*\([^,\"]*\).*/\1/p" "$out/$1.json" | head -n 1
}
fastest() { # fastest RESULT: the largest real part of its eigenvalues that are not zero, symmetries left out
    eigenvalues "$1" eigenvalues | awk '$1^2 + $2^2 > 1e-12 && (!n++ || $1 > most) { most = $1 } END { print most }'
}

# over NAME MODEL [options]: eigenvalues over a parameter, zwang linearise --over, with marks
over() { name=$1 && shift && ask "$name" linearise "$@"; }
mark() { # mark RESULT KIND NEAR: the parameter at its mark of a kind (hopf, zero, coalescence) that is nearest to NEAR
    sed -n "s/^# mark [0-9]*: $2 \([^ ]*\).*/\1/p" "$out/$1.csv" | awk -v near="$3" '
        { d = $1 < near ? near - $1 : $1 - near; if (NR == 1 || d < least) { least = d; value = $1 } } END { print value }'
}
marks() { grep -c "^# mark [0-9]*: $2 " "$out/$1.csv"; } # marks RESULT KIND: how many there are

# branch NAME MODEL [options]: a branch of orbits, zwang orbit --over; NAME is a result with rows, and cycle takes orbits out of it
branch() { name=$1 && shift && ask "$name" orbit "$@"; }
# cycle NAME BRANCH WHICH: one orbit of it, at a label or at a value of the parameter ("31.4 2": where it is passed for the second time)
cycle() {
    "$zwang" orbit "$out/$2.csv" --point "$3" --json --quiet >"$out/$1.json" 2>"$out/$1.log" || {
        echo "zwang orbit $out/$2.csv --point $3" >&2
        cat "$out/$1.log" >&2
        exit 1
    }
}
period_of() { sed -n 's/.*"period": \([^,]*\),.*/\1/p' "$out/$1.json" | head -n 1; } # period_of CYCLE
measure_of() { # measure_of CYCLE QUANTITY max|min|rms|mean
    named "$1" orbits.0.quantities "$2" "$3"
}
accuracy_of() { sed -n 's/.*"multiplier_accuracy": \([^,]*\),.*/\1/p' "$out/$1.json" | head -n 1; } # accuracy_of CYCLE: of its multipliers
# multiplier_of CYCLE [re|im|size]: the largest but for the one that is 1 of every orbit of an undriven model
multiplier_of() {
    sed -n 's/.*"multipliers": \[\(\[.*\]\)\],.*/\1/p' "$out/$1.json" | tr -d '[]' | tr -s ', ' '\n\n' | paste -d ' ' - - |
        awk -v part="${2:-re}" '
            { re[NR] = $1; im[NR] = $2; d = ($1 - 1)^2 + $2^2; if (NR == 1 || d < least) { least = d; one = NR } }
            END {
                for (i = 1; i <= NR; i++)
                    if (i != one && re[i]^2 + im[i]^2 > most) { most = re[i]^2 + im[i]^2; k = i }
                print part == "re" ? re[k] : part == "im" ? im[k] : sqrt(most)
            }'
}
# connection NAME MODEL [options]: a connecting orbit, zwang connect, for joined
connection() {
    name=$1 && shift
    "$zwang" connect "$@" --quiet --json >"$out/$name.json" 2>"$out/$name.log" || {
        echo "zwang connect $*" >&2
        cat "$out/$name.log" >&2
        exit 1
    }
}
joined() { sed -n "s/.*\"${2:-value}\": \([^,]*\),.*/\1/p" "$out/$1.json" | head -n 1; } # joined CONNECTION [value|saddle_quantity|time]
# sweep NAME MODEL [options of zwang sweep]: many motions; NAME is a result with rows
sweep() { name=$1 && shift && ask "$name" sweep "$@"; }
# verify NAME MODEL [options]: tests the claims of a model, printed equations, for verdict
verify() {
    name=$1 && shift
    "$zwang" verify "$@" >"$out/$name.log" 2>&1 || true # some are meant to fail
}

# verdict NAME CLAIM holds|FAILS SOURCE: what verify found
verdict() {
    checks=$((checks + 1))
    found=$(sed -n "s/^$2 \\(holds\\|FAILS\\) .*/\\1/p" "$out/$1.log")
    case $found in
    "$3") word=ok && [ "$3" = holds ] || word=erratum ;;
    *) word=DIFFERS failures=$((failures + 1)) ;;
    esac
    printf '  %-44s %13s %13s %10s  %-8s %s\n' "claim $2" "${found:-missing}" "$3" "" "$word" "$4"
}

# table NAME HEADER ROW ...: a result of these rows, for pictures
table() {
    name=$1 && shift
    printf '%s\n' "$@" >"$out/$name.csv"
}

# picture NAME [arguments of zwang plot]: NAME.svg and NAME.png; nothing with --quick
picture() {
    name=$1 && shift
    [ -z "$quick" ] || return 0
    for kind in svg png; do
        "$zwang" plot "$@" --picture "$out/$name.$kind" --quiet >"$out/$name.log" 2>&1 || {
            echo "zwang plot $*" >&2
            cat "$out/$name.log" >&2
            exit 1
        }
    done
    echo "  picture $out/$name.svg, .png"
}

# finish: the verdict; exit code 1 if something differs
finish() {
    printf '\n%s checks, %s of them differ\n' "$checks" "$failures"
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}
