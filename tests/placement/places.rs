//! Where an answer lands, as examples: a file, an answer, and the result or the refusal, in every format that can
//! express it.
//!
//! Each rule has a module, or two. Whatever lands is run a second time, which must change nothing.
mod added;
mod additions;
mod again;
mod already_applied;
mod command;
mod elision;
mod guards;
mod headings;
mod misquoted;
mod numbers;
mod order;
mod outcome;
mod parts;
mod refusals;
#[path = "places/similar.rs"]
mod similar_lines;
mod tiers;
