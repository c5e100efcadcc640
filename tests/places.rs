//! Where an answer lands: from its text to the text of the file, or to the refusal, in every format that can say it.
//!
//! One module for each rule, or two. Whatever lands is made twice: the second time nothing may change.
#![cfg(test)]

#[path = "places/added.rs"]
mod added;
#[path = "places/additions.rs"]
mod additions;
#[path = "places/again.rs"]
mod again;
#[path = "places/answer.rs"]
mod answer;
#[path = "places/check.rs"]
mod check;
#[path = "places/command.rs"]
mod command;
#[path = "places/elision.rs"]
mod elision;
#[path = "places/guards.rs"]
mod guards;
#[path = "places/headings.rs"]
mod headings;
#[path = "places/misquoted.rs"]
mod misquoted;
#[path = "places/numbers.rs"]
mod numbers;
#[path = "places/order.rs"]
mod order;
#[path = "places/outcome.rs"]
mod outcome;
#[path = "places/parts.rs"]
mod parts;
#[path = "places/refusals.rs"]
mod refusals;
mod sandbox;
#[path = "places/similar.rs"]
mod similar_lines;
#[path = "places/there.rs"]
mod there;
#[path = "places/tiers.rs"]
mod tiers;
