//! Three strategies to find which of its places each hunk has: by itself, in order with line numbers, in order with
//! headings.

pub(super) mod addition;
pub(super) mod anchored;
mod asked;
mod equal;
pub(super) mod numbered;
mod order;
mod series;
pub(super) mod single;
