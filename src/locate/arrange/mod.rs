//! Three strategies to find which of its places each hunk has: by itself, in order with line numbers, in order with
//! headings.

pub(super) mod addition;
pub(super) mod anchored;
mod equal;
pub(super) mod numbered;
mod series;
pub(super) mod single;
