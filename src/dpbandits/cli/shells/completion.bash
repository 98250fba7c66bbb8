_dpbandits() {
    local line="${COMP_LINE:0:COMP_POINT}" word head
    word="${line##*[[:space:]]}"
    mapfile -t COMPREPLY < <("$1" --complete "$line" 2>/dev/null)
    # bash replaces what follows the last = or : of a word
    head="${word%"${word##*[=:]}"}"
    [[ $COMP_WORDBREAKS == *=* && -n $head ]] && COMPREPLY=("${COMPREPLY[@]#"$head"}")
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[=.] ]] && compopt -o nospace
    return 0
}
complete -o default -F _dpbandits COMMANDS
