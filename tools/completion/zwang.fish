# SPDX-License-Identifier: MIT
# Completion of the zwang command for fish. The command itself says what a word can become (zwang complete), so
# nothing here can be older than the command. Use: source tools/completion/zwang.fish

function __zwang_files --description 'files with these endings, and folders' --argument-names word
    set -l before (string match --regex -- '^--[a-z0-9-]+=' $word)
    set -l begun (string replace --regex -- '^--[a-z0-9-]+=' '' $word)
    for line in (complete --do-complete "'' $begun")
        set -l file (string split \t -- $line)[1]
        if string match --quiet -- '*/' $file; or test (count $argv) -le 1
            echo "$before$file"
            continue
        end
        for ending in $argv[2..]
            string match --quiet -- "*$ending" $file; and echo "$before$file"
        end
    end
end

function __zwang_complete
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l word (commandline --current-token --cut-at-cursor)
    set -l command (string replace --regex -- '^~' $HOME $words[1])
    for line in ($command complete $words[2..] "$word" 2>/dev/null)
        if string match --quiet -- \tfiles\t'*' $line
            __zwang_files "$word" (string split --no-empty ' ' -- (string split \t -- $line)[3])
        else
            echo $line
        end
    end
end

complete --command zwang --no-files --arguments '(__zwang_complete)'
