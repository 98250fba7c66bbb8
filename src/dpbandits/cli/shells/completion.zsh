_dpbandits() {
    local -a found
    found=("${(@f)$("${words[1]}" --complete "$LBUFFER" 2>/dev/null)}")
    if [[ -z "${found[1]}" ]]; then
        _files
    elif [[ "${found[1]}" == *[=.] ]]; then
        compadd -Q -S '' -- "${found[@]}"
    else
        compadd -Q -- "${found[@]}"
    fi
}
compdef _dpbandits COMMANDS
