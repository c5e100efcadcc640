#compdef git-llm-apply
#description land the code edits in a model's answer
# zsh completion for git llm-apply, within git's own: put it into a directory of $fpath, as _git-llm-apply.

_git-llm-apply () {
  local kind
  local -a offers open revisions
  offers=(${(f)"$(command git llm-apply completion zsh -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
  kind=$offers[1]
  shift offers
  compset -P '--*='
  case $kind in
    (words|verbs)
      # A value goes on in the same word.
      open=(${(M)offers:#*=:*})
      offers=(${offers:#*=:*})
      _describe -t offers offer offers -- open -S ''
      [[ $kind = words ]] || _files ;;
    (revisions)
      revisions=(HEAD ${(f)"$(command git for-each-ref --format='%(refname:short)' 2>/dev/null)"})
      compadd -a revisions ;;
    (directories) _files -/ ;;
    (files) _files ;;
  esac
}

_git-llm-apply "$@"
