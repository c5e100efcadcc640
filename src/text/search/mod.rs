//! Searches in a text. Reading more than a few lines spends [`Budget`]. Nothing can go around it, because
//! [`crate::text`] does not export its chunks.

mod borders;
mod budget;
mod haystack;
mod place;
mod solid;
mod token;

pub use budget::Budget;
pub(crate) use haystack::Haystack;
pub(crate) use place::{Place, Point};
pub(crate) use solid::Solid;
pub(crate) use token::is_of_tokens;

#[cfg(test)]
mod tests;
