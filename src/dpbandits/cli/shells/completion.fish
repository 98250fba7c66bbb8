function __dpbandits
    set -l line (commandline --cut-at-cursor --current-process)
    set -l words (string split --no-empty ' ' -- $line)
    $words[1] --complete "$line" 2>/dev/null
end
for each in COMMANDS
    complete --command $each --arguments '(__dpbandits)'
end
