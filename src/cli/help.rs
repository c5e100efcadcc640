//! What to do next about what went wrong.

use crate::flow;
use crate::response::ResponseError;
use crate::transaction::{self, Failure};
use crate::vcs;

/// What to do about a flow that failed.
pub(super) fn of_flow(error: &flow::Error) -> Option<String> {
    use flow::Error as F;
    use transaction::Error as T;
    match error {
        F::Vcs(error) | F::Transaction(T::Vcs(error)) => of_vcs(error),
        F::Tree(error) => error.source.downcast_ref().and_then(of_vcs),
        F::Transaction(T::Unsupported { help, .. }) => Some(help.clone()),
        F::Transaction(T::Hook(failure) | T::Exec(failure)) => Some(of_failure(failure)),
        F::Transaction(T::Busy(_)) => Some("run it again, or raise llmapply.lockTimeout".into()),
        F::Transaction(T::Unfinished { .. } | T::Stuck { .. }) => Some("run 'git llm-apply recover'".into()),
        F::Transaction(T::Broken { .. }) => Some(
            "'git llm-apply recover --discard' gives it up: removes its locks, moves what it left aside, and touches no \
             file, branch or index"
                .into(),
        ),
        F::Transaction(T::NoAttempt { others, .. }) => Some(if *others {
            "name one: --continue=<id>, --abort=<id>".into()
        } else {
            "a response with refused edits is kept, unless --no-keep or llmapply.keep says otherwise".into()
        }),
        F::NothingToUndo(_) => {
            Some("nothing was changed; 'git llm-apply list' names the landings on record, -b another branch".into())
        }
        F::Inseparable { .. } => {
            Some("nothing was changed; name both: --edit takes several numbers".into())
        }
        F::NoLandings => {
            Some("what lands is recorded unless --no-record or llmapply.record says otherwise".into())
        }
        F::NoBranch(_) => Some("'git llm-apply list --open' names suggestions, 'git branch' all branches".into()),
        F::NoLanding(_) | F::AmbiguousLanding(..) => {
            Some("'git llm-apply list' names those that there are".into())
        }
        F::Transaction(T::Behind { .. }) => {
            Some("nothing was changed; --rebase brings it onto what is there now".into())
        }
        F::Transaction(T::NotTaken { .. }) => Some("nothing was changed".into()),
        F::Transaction(T::NotKnown { new, .. }) => Some(format!(
            "'git llm-apply recover' asks again, and moves the branch here if it has; else it takes {new} away"
        )),
        F::Transaction(T::NotHere { .. }) => {
            Some("'git llm-apply recover' moves it, unless it has moved elsewhere".into())
        }
        F::Diverged(_) => Some("'git pull --rebase' or 'git pull --no-rebase' first".into()),
        F::NoSuggestion(_) => {
            Some("--force removes it all the same; 'git llm-apply list --open' names suggestions".into())
        }
        F::Merge { branch, .. } => Some(format!("'git merge {branch}' takes it as it is")),
        F::Unborn(_) => Some("land the first commits without --no-ff".into()),
        F::Attempt(id) | F::Transaction(T::Attempt { id, .. }) => {
            Some(format!("give the whole response again; --abort={id} forgets this attempt"))
        }
        F::Mismatch(_) => Some(
            "give one corrected edit for each that failed, in their order, and no others; or --abort and apply a whole \
             response"
                .into(),
        ),
        F::Response(ResponseError::TooLarge { .. }) => Some("llmapply.maxSize sets the limit".into()),
        F::Response(ResponseError::NotUtf8 { .. }) => Some("save it as UTF-8".into()),
        _ => None,
    }
}

fn of_vcs(error: &vcs::Error) -> Option<String> {
    use vcs::Error as V;
    match error {
        V::Unsupported { help, .. } => Some(help.clone()),
        V::NotARepository(_) => Some("change to a clone, or use -C <dir>; 'git init' makes a new one".into()),
        V::Ident { known: true, .. } => None,
        V::Ident { .. } => Some("git config --global user.name <name>, and user.email".into()),
        V::Locked(_) => Some("wait for the other process; if there is none, remove the file".into()),
        V::NotOwn(_) => Some("move it away".into()),
        V::Moved { .. } | V::Switched { .. } | V::Raced(_) | V::Pruned => {
            Some("nothing was changed; run it again".into())
        }
        V::Remote { .. } => Some(
            "nothing was changed; 'git remote -v' names the remotes, --push=<remote> takes another".into(),
        ),
        V::Unfetched { .. } => {
            Some("make its remote reachable, then run it again; 'git remote -v' names it".into())
        }
        V::TooLarge { .. } => Some("change that file by hand, and leave it out of the response".into()),
        V::Filter { path, .. } => {
            Some(format!("'git check-attr -a {path}' names the filter or encoding; git needs its command"))
        }
        V::Unsigned(_) => Some("user.signingKey, gpg.format and gpg.program say how git signs".into()),
        V::Encoding { .. } => {
            Some("'git -c i18n.commitEncoding=UTF-8 llm-apply' takes git's own encoding".into())
        }
        V::BadDate(_) => Some("such as '2026-01-31 12:00 +0100' or '2 days ago'".into()),
        V::Editor { .. } => Some("-m <message> and -F <file> give one without an editor".into()),
        V::BadRevision(_) => Some("name a commit, such as HEAD~2 or a tag".into()),
        _ => None,
    }
}

/// What to do about a hook that refused, or a command that failed.
fn of_failure(failure: &Failure) -> String {
    if failure.lacks_command() {
        return "it found no command of that name; what git ignores (node_modules, .env) is there if a committed \
                .worktreeinclude names it"
            .into();
    }
    "nothing was changed".into()
}
