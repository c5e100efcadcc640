# fish completion for git llm-apply, also within fish's own of git. Put it where fish reads it:
#   git llm-apply completion fish > ~/.config/fish/conf.d/git-llm-apply.fish

function __git_llm_apply_offers
    set -l words (commandline -opc)
    set -l at (contains -i -- llm-apply $words); or set at 1
    set -e words[1..$at]
    set -l typed (commandline -ct)
    set -l offers (command git llm-apply completion fish -- $words "$typed" 2>/dev/null)
    # A value may be in its option's word.
    set -l option (string match -r '^--[^=]*=' -- "$typed")
    set -l value (string replace -r '^--[^=]*=' '' -- "$typed")
    switch "$offers[1]"
        case words
            string replace -r '^' -- "$option" $offers[2..-1]
        case verbs
            printf '%s\n' $offers[2..-1]
            __fish_complete_path "$value"
        case revisions
            string replace -r '^' -- "$option" HEAD (command git for-each-ref --format='%(refname:short)' 2>/dev/null)
        case directories
            string replace -r '^' -- "$option" (__fish_complete_directories "$value")
        case files
            string replace -r '^' -- "$option" (__fish_complete_path "$value")
    end
end

complete -c git-llm-apply -f -a '(__git_llm_apply_offers)'
complete -c git -f -n 'contains -- llm-apply (commandline -opc)' -a '(__git_llm_apply_offers)'
