//! The options for reading, checking and landing responses.

use crate::format::Reading;
use crate::locate::Tier;
use crate::path::RepoPath;
use crate::plan::{Grouping, SyntaxCheck};
use crate::report::record::Asked;
use crate::response::DEFAULT_MAX_SIZE;
use crate::vcs::commit::Sign;
use crate::vcs::ident;
use crate::vcs::merge::Favor;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The values of options by their long names, as typed or configured. A switch has the value `true` or `false`.
pub type Given = BTreeMap<String, Vec<String>>;

/// Defines a struct with the default of each field.
macro_rules! with_defaults {
    ($(#[$of:meta])* pub struct $Type:ident { $($(#[$of_field:meta])* pub $field:ident: $Of:ty = $default:expr,)* }) => {
        $(#[$of])*
        pub struct $Type { $($(#[$of_field])* pub $field: $Of,)* }

        impl Default for $Type {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

pub(crate) use with_defaults;

with_defaults! {
    /// How responses are read, checked and landed. The defaults are those of the command.
    #[derive(Debug, Clone)]
    #[non_exhaustive]
    pub struct Options {
    /// In which formats responses are read, and the file of blocks that name none.
        pub reading: Reading = Reading::default(),
        /// Refuse a response if a part of it is not read.
        pub strict: bool = false,
        /// The branch to commit to; by default HEAD's.
        pub branch: Option<String> = None,
        /// The commit that the model was shown, as any revision.
        pub base: Option<String> = None,
        /// Which edits share a commit.
        pub commit: Grouping = Grouping::Edit,
        /// A message for the commits instead of the edits' reasons; without `ff`, the message of the merge commit.
        pub message: Option<String> = None,
        /// A prefix for each subject.
        pub subject_prefix: Option<String> = None,
        /// How messages are cleaned up: `strip`, `whitespace`, `verbatim`, `scissors` or `default`; by default as
        /// `commit.cleanup` says.
        pub cleanup: Option<String> = None,
        /// Let the user edit the messages.
        pub edit: bool = false,
        /// Trailers for each message: `<token>: <value>` or `<token>=<value>`.
        pub trailer: Vec<String> = Vec::new(),
        /// The model for an `Assisted-by` trailer.
        pub assisted_by: Option<String> = None,
        /// Add a `Signed-off-by` trailer with the committer.
        pub signoff: bool = false,
        /// Allow the edits' reasons to contain words such as `[skip ci]`, by which CI skips a commit.
        pub allow_skip_ci: bool = false,
        /// The author, as given.
        pub author: ident::Given = ident::Given::default(),
        /// Whether to sign commits.
        pub sign: Sign = Sign::AsConfigured,
        /// Fast-forward the branch to the last commit; otherwise add a merge commit on top, and move the branch there.
        pub ff: bool = true,
        /// The side whose lines a three-way merge takes in a conflict.
        pub favor: Option<Favor> = None,
        /// The remote to push to before the landing; if empty, git chooses it. If the remote refuses, nothing lands.
        pub push: Option<String> = None,
        /// Rebase the commits if the remote's branch has moved on.
        pub rebase: bool = false,
        /// Run the hooks that `--no-verify` skips.
        pub verify: bool = true,
        /// Shell command lines that must succeed before anything lands.
        pub exec: Vec<String> = Vec::new(),
        /// Run the command lines at every commit, not only at the last.
        pub exec_each: bool = false,
        /// The directory for scratch worktrees, in which hooks and commands run; by default in the user's cache
        /// directory.
        pub scratch_dir: Option<PathBuf> = None,
        /// Keep the scratch worktree for the next landing.
        pub keep_scratch: bool = false,
        /// Keep the responses in the record of a landing.
        pub keep_response: bool = true,
        /// Pathspecs: if there are any, edits may touch only these paths.
        pub include: Vec<String> = Vec::new(),
        /// More pathspecs like `include`: a path must match both lists.
        pub include_too: Vec<String> = Vec::new(),
        /// Pathspecs: edits may not touch these paths.
        pub exclude: Vec<String> = Vec::new(),
        /// Files that may hold secrets and are shown to the model anyway, because the user named them.
        pub named: Vec<String> = Vec::new(),
        /// Refuse to move or copy files that are withheld from models: under the new path they would be shown.
        pub withhold: bool = false,
        /// The directory that the responses' paths are relative to; by default the top of the repository.
        pub directory: Option<RepoPath> = None,
        /// Pathspecs: these paths are sensitive, too.
        pub sensitive: Vec<String> = Vec::new(),
        /// The loosest match mode allowed.
        pub max_fuzz: Tier = Tier::Similar,
        /// Let edits delete files.
        pub allow_delete: bool = true,
        /// Let edits create files that exist.
        pub allow_overwrite: bool = false,
        /// Let edits change sensitive files, which git or other programs run by themselves.
        pub allow_sensitive: bool = false,
        /// Let edits add placeholders for omitted code, such as `// ... existing code ...`.
        pub allow_placeholder: bool = false,
        /// Let edits add conflict markers.
        pub allow_markers: bool = false,
        /// Let edits add text with HTML escapes, such as `&lt;`.
        pub allow_escaped: bool = false,
        /// Let whole files lose more than half of the old lines, and let snippets drop lines of the file.
        pub allow_shrink: bool = false,
        /// What to do about new syntax errors.
        pub syntax: SyntaxCheck = SyntaxCheck::Warn,
        /// Add trailers that name the response and the edit.
        pub trailers: bool = false,
        /// Add the diff of each edit to the report.
        pub diffs: bool = false,
        /// Land the edits that apply, if others are refused.
        pub keep_going: bool = false,
        /// Land edits again that have landed already.
        pub again: bool = false,
        /// Merge uncommitted changes in the touched files with the landing, instead of refusing it.
        pub autostash: bool = false,
        /// Keep a refused attempt for `--continue`.
        pub keep: bool = true,
        /// Keep every response that does not land, also if it was not refused: the user may have no other copy.
        pub keep_whole: bool = false,
        /// Record the landing with its responses, for `list`, `show` and `undo`.
        pub record: bool = true,
        /// The idempotency key of the landing. Nothing lands while an earlier landing with the same key is in effect.
        pub key: Option<String> = None,
        /// What the model was asked.
        pub asked: Option<Asked> = None,
        /// The largest response, in bytes.
        pub max_size: u64 = DEFAULT_MAX_SIZE,
        /// Change nothing, and report what would happen.
        pub dry_run: bool = false,
        /// In a dry run, build the tree that would land, so that its diff can be shown.
        pub previews: bool = false,
        /// How long to wait for another landing.
        pub lock_timeout: Duration = Duration::from_secs(60),
        /// The options as they were typed or configured, so that a refused attempt can keep them.
        pub given: Given = Given::new(),
    }
}

impl Options {
    /// Tightens these options so that they forbid everything that `by` forbids, too.
    pub fn restrict(&mut self, by: &Self) {
        self.strict |= by.strict;
        self.verify |= by.verify;
        self.exec_each |= by.exec_each;
        self.keep_going &= by.keep_going;
        self.allow_skip_ci &= by.allow_skip_ci;
        self.allow_delete &= by.allow_delete;
        self.allow_overwrite &= by.allow_overwrite;
        self.allow_sensitive &= by.allow_sensitive;
        self.allow_placeholder &= by.allow_placeholder;
        self.allow_markers &= by.allow_markers;
        self.allow_escaped &= by.allow_escaped;
        self.allow_shrink &= by.allow_shrink;
        self.max_fuzz = self.max_fuzz.min(by.max_fuzz);
        if by.syntax == SyntaxCheck::Refuse {
            self.syntax = by.syntax;
        }
        let own = if self.include.is_empty() { &mut self.include } else { &mut self.include_too };
        own.clone_from(&by.include);
        for (own, others) in [
            (&mut self.exec, &by.exec),
            (&mut self.exclude, &by.exclude),
            (&mut self.sensitive, &by.sensitive),
        ] {
            let missing: Vec<_> = others.iter().filter(|one| !own.contains(one)).cloned().collect();
            own.extend(missing);
        }
    }
}
