# Completion of gc and bd for bash: source <(gc completion bash)
_gc() {
  local rest=${COMP_LINE:0:COMP_POINT} cur=${COMP_WORDS[COMP_CWORD]} words=() last=-1 i word trimmed prefix reply line
  # bash cuts words at : and =, which names have: what follows without a space belongs together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    trimmed=${rest#"${rest%%[![:space:]]*}"}
    if ((last >= 0)) && [[ $trimmed == "$rest" ]]; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
    rest=${trimmed#"$word"}
  done
  prefix=
  case $cur in
    : | = | :: | ==) prefix=${words[last]} ;;
    *) prefix=${words[last]%"$cur"} ;;
  esac
  COMPREPLY=()
  if reply=$("${COMP_WORDS[0]}" __complete -- "${words[@]:1}" 2>/dev/null); then
    while IFS= read -r line; do
      line=${line%%$'\t'*}
      [[ -z $line ]] || COMPREPLY+=("${line#"$prefix"}")
    done <<<"$reply"
  else
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
  fi
}
complete -F _gc gc bd
