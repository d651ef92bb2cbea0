#!/usr/bin/fish --no-config
# SPDX-License-Identifier: MIT
# The completion of fish: it is asked what it would offer for a line.
#   complete.fish path/to/zwang
set zwang (realpath $argv[1])
source (dirname (realpath (status filename)))/../../tools/completion/zwang.fish
set folder (mktemp -d)
cd $folder; or exit 1
mkdir sub bin
touch own.zw run.csv run.h5 notes.txt sub/inner.zw
ln -s $zwang bin/zwang
set PATH $folder/bin $PATH
set failed 0

function wants --argument-names line
    set -l offered (complete --do-complete "$line" | string replace --regex '\t.*' '')
    if test (string join -- ' ' (printf '%s\n' $offered | sort)) != (string join -- ' ' (printf '%s\n' $argv[2..] | sort))
        echo "$line: '$argv[2..]' was wanted, not '$offered'"
        set failed 1
    end
end

wants 'zwang ve' verify version
wants 'zwang help com' compare
wants 'zwang run turnt' turntable_ball
wants 'zwang run own' own.zw
wants 'zwang plot run' run.csv run.h5
wants 'zwang run run' run.csv run.h5
wants 'zwang plot sub/' sub/inner.zw
wants 'zwang run x --restart run' run.csv run.h5
wants 'zwang run x --out no' notes.txt
wants 'zwang run x --out=no' --out=notes.txt
wants 'zwang run x --meth' --method=
wants 'zwang run x --method ra' rattle radau
wants 'zwang run x --method=ra' --method=rattle --method=radau
wants 'zwang derive x --by gauss' gauss gauss-min
wants 'zwang run turntable_ball --set Om' Omega=
complete --do-complete 'zwang ru' | string match --quiet '*integrate the motion*'; or begin
    echo 'no word about the verb'
    set failed 1
end
cd /
rm -rf $folder
exit $failed
