//! Where edits go, what they leave alone, and that twice is once.

#![cfg(test)]

mod answer;
mod base;
mod check;
#[path = "../corpus/mod.rs"]
mod corpus;
mod favor;
mod idempotence;
mod places;
mod properties;
mod quoted;
mod render;
mod roundtrip;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod snippets;
#[path = "../writing/mod.rs"]
mod writing;
mod written;
