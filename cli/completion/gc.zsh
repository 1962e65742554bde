#compdef gc bd
# Completion of gc for zsh: source <(gc completion zsh), or a file _gc in a folder of $fpath
_gc() {
  local reply line name
  local -a names shown
  if ! reply=$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null); then
    _files
    return
  fi
  for line in "${(@f)reply}"; do
    [[ -n $line ]] || continue
    name=${line%%$'\t'*}
    names+=("$name")
    if [[ $line == *$'\t'* ]]; then shown+=("$name -- ${line#*$'\t'}"); else shown+=("$name"); fi
  done
  (( $#names )) && compadd -l -d shown -a names
}
if [[ $funcstack[1] == _gc ]]; then
  _gc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _gc gc bd
fi
