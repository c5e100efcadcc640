//! What is written for people, the layout of the source, and what a landing costs.

#![cfg(test)]

mod completion;
mod costs;
#[path = "../faults/mod.rs"]
mod faults;
mod layering;
mod messages;
#[path = "../oracle/mod.rs"]
mod oracle;
mod pages;
mod public;
mod samples;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod shape;
mod snapshots;
mod texts;
mod trailers;
mod wording;
