//! Where edits go, what they do not change, and that a second run changes nothing.

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
