//! What decides how a response lands.

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

/// Options by their long names, each with its values; a switch has one, `true` or `false`.
pub type Given = BTreeMap<String, Vec<String>>;

/// Defines a structure with the default of each field.
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

with_defaults! {
    /// How responses are read, judged and landed. The defaults are those of the command.
    #[derive(Debug, Clone)]
    #[non_exhaustive]
    pub struct Options {
        /// In which formats responses are read, and which file the blocks are for that name none.
        pub reading: Reading = Reading::default(),
        /// Refuse a response of which something is not read.
        pub strict: bool = false,
        /// The branch to commit to; without one, what HEAD points to.
        pub branch: Option<String> = None,
        /// The commit that the model was shown, as any revision that git knows.
        pub base: Option<String> = None,
        /// What makes a commit.
        pub commit: Grouping = Grouping::Edit,
        /// A message that replaces the edits' own; with `ff` off, that of the merge.
        pub message: Option<String> = None,
        /// What is put before each subject.
        pub subject_prefix: Option<String> = None,
        /// What becomes of messages at last: `strip`, `whitespace`, `verbatim`, `scissors` or `default`; without it,
        /// `commit.cleanup`.
        pub cleanup: Option<String> = None,
        /// Have the user edit the messages.
        pub edit: bool = false,
        /// Trailers for each message: `<token>: <value>` or `<token>=<value>`.
        pub trailer: Vec<String> = Vec::new(),
        /// The model that goes into an `Assisted-by` trailer.
        pub assisted_by: Option<String> = None,
        /// Add a `Signed-off-by` trailer of the committer.
        pub signoff: bool = false,
        /// Let reasons ask continuous integration to skip a commit.
        pub allow_skip_ci: bool = false,
        /// What is given of the author.
        pub author: ident::Given = ident::Given::default(),
        /// Whether commits are signed.
        pub sign: Sign = Sign::AsConfigured,
        /// Whether the branch moves to the last commit; else to a merge commit above it.
        pub ff: bool = true,
        /// Whose lines a three-way merge takes where both sides changed them; without it, that is a conflict.
        pub favor: Option<Favor> = None,
        /// Push to that remote first, an empty one is git's choice, and land only what it takes.
        pub push: Option<String> = None,
        /// Where the remote's branch has moved on, bring the commits onto that, and try again.
        pub rebase: bool = false,
        /// Whether hooks run that can be skipped.
        pub verify: bool = true,
        /// Command lines for `sh` that have to succeed on what is to land.
        pub exec: Vec<String> = Vec::new(),
        /// Whether they run at every commit, and not at the last only.
        pub exec_each: bool = false,
        /// Where the worktrees are made that hooks and commands run in; by default in the user's cache directory.
        pub scratch_dir: Option<PathBuf> = None,
        /// Whether such a worktree stays for the next landing, with what was built there.
        pub keep_scratch: bool = false,
        /// Pathspecs: only these paths may be touched, where there are any.
        pub include: Vec<String> = Vec::new(),
        /// One of these has to name each path, too.
        pub include_too: Vec<String> = Vec::new(),
        /// Pathspecs: these paths may not be touched.
        pub exclude: Vec<String> = Vec::new(),
        /// The directory that paths of responses begin in; without one, the top of the repository.
        pub directory: Option<RepoPath> = None,
        /// Pathspecs: these paths are sensitive, too.
        pub sensitive: Vec<String> = Vec::new(),
        /// The loosest tier allowed.
        pub max_fuzz: Tier = Tier::Similar,
        /// Let edits remove files.
        pub allow_delete: bool = true,
        /// Let edits create over files.
        pub allow_overwrite: bool = false,
        /// Let edits change what runs by itself.
        pub allow_sensitive: bool = false,
        /// Let edits bring placeholders.
        pub allow_placeholder: bool = false,
        /// Let edits bring conflict markers.
        pub allow_markers: bool = false,
        /// Let edits bring text that is escaped as in HTML.
        pub allow_escaped: bool = false,
        /// Let whole files be less than half of what they replace, and snippets lose what the file has.
        pub allow_shrink: bool = false,
        /// What is done about a file that has more syntax errors than before.
        pub syntax: SyntaxCheck = SyntaxCheck::Warn,
        /// Say in trailers where a commit is from.
        pub trailers: bool = false,
        /// Whether the report has what each edit changes, as a diff.
        pub diffs: bool = false,
        /// Whether the report has abbreviated names of commits beside whole ones, as people want them. For each of them all of the
        /// repository is looked through.
        pub abbreviate: bool = true,
        /// Land what resolves.
        pub keep_going: bool = false,
        /// Land edits that have landed already, by the record, once more.
        pub again: bool = false,
        /// Carry uncommitted changes in the files that are touched across.
        pub autostash: bool = false,
        /// Keep a refused attempt.
        pub keep: bool = true,
        /// Keep any answer that does not land, whatever stops it: nobody may be able to give it again.
        pub keep_whole: bool = false,
        /// Keep what lands, and the responses, for `list`, `show` and `undo`.
        pub record: bool = true,
        /// What the landing is known by: while one with the same key is in effect there is nothing to do.
        pub key: Option<String> = None,
        /// What a model was asked for the responses.
        pub asked: Option<Asked> = None,
        /// The largest response, in bytes.
        pub max_size: u64 = DEFAULT_MAX_SIZE,
        /// Change nothing, and say what undo, redo, accept and drop would do.
        pub dry_run: bool = false,
        /// How long to wait for another landing.
        pub lock_timeout: Duration = Duration::from_secs(60),
        /// All of these as they were typed or configured: a refused attempt keeps it for whoever goes on from it.
        pub given: Given = Given::new(),
    }
}

impl Options {
    /// Takes over what other options forbid, so that these allow no more than those do.
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
