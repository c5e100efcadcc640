//! Searching a text. Every look at more than a few lines spends [`Budget`], and there is no other way to look: the pieces
//! that a text is searched by are not to be had outside of [`crate::text`].

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
