//! Where an answer lands: from its text to the text of the file, or to the refusal, in every format that can say it.
//!
//! One module for each rule, or two. Whatever lands is made twice: the second time nothing may change.
mod added;
mod additions;
mod again;
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
mod there;
mod tiers;
