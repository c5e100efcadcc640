//! The verbs as people and programs call them.

#![cfg(test)]

mod accept;
mod again;
mod ask;
mod asked;
mod attempts;
mod choice;
mod cli;
mod corrected;
mod drop;
mod fate;
mod feedback;
mod habits;
mod history;
mod kept;
#[cfg(feature = "mcp")]
mod mcp;
mod prompt;
mod refusals;
mod resumed;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod series;
mod shown;
mod suggestions;
mod terminal;
mod told;
mod undo;
mod verbs;
mod ways_back;
#[path = "../writing/mod.rs"]
mod writing;
