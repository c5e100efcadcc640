//! The API for programs that read or land edits. Everything else in this crate may change at any time.

mod response;
mod tree;

#[cfg(feature = "git")]
mod error;
#[cfg(feature = "git")]
mod landing;
#[cfg(feature = "git")]
mod options;
#[cfg(feature = "git")]
mod repo;

pub use response::Response;
pub use tree::{Changed, Reason, Tree};

#[cfg(feature = "git")]
pub use error::{Error, Kind};
#[cfg(feature = "git")]
pub use landing::Landing;
#[cfg(feature = "git")]
pub use options::Options;
#[cfg(feature = "git")]
pub use repo::{Plan, Refused, Repo, Resolved, Step};

/// Cancels a landing from another thread. A cancelled landing changes nothing from then on.
#[cfg(feature = "git")]
pub use crate::transaction::interrupt::Cancel;

/// The fields of [`Options`] and their types.
#[cfg(feature = "git")]
pub mod settings {
    pub use crate::flow::Options as Settings;
    pub use crate::format::Reading;
    pub use crate::locate::Tier;
    pub use crate::path::RepoPath;
    pub use crate::plan::{Grouping, SyntaxCheck};
    pub use crate::report::record::Asked;
    pub use crate::vcs::commit::Sign;
    pub use crate::vcs::ident::Given as Author;
    pub use crate::vcs::merge::Favor;
}
