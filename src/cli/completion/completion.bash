# bash completion for git llm-apply, within git's own. Put it where bash-completion finds it when it is needed:
#   git llm-apply completion bash > ~/.local/share/bash-completion/completions/git-llm-apply

_git_llm_apply ()
{
	local first=$((${__git_cmd_idx:-0} + 1)) typed="$cur" kind offers
	offers="$(command git llm-apply completion bash -- "${words[@]:first:cword-first}" "$cur" 2>/dev/null)"
	kind="${offers%%$'\n'*}"
	offers="${offers#"$kind"}"
	case "$cur" in
	--*=*) typed="${cur#*=}" ;;
	esac
	case "$kind" in
	words | verbs) __gitcomp "${offers//$'\n'/ }" "" "$typed" ;;
	revisions) __git_complete_refs --cur="$typed" ;;
	directories) COMPREPLY=($(compgen -d -- "$typed")) ;;
	esac
}

if declare -F __git_complete >/dev/null; then
	__git_complete git-llm-apply _git_llm_apply
fi
