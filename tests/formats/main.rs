//! What is read from responses, in every format, and what of it lands.

#![cfg(test)]

mod answers;
mod cases;
mod conformance;
#[path = "../corpus/mod.rs"]
mod corpus;
mod diffs;
mod earlier;
mod encodings;
mod fuzzed;
mod given;
mod kinds;
mod merges;
mod readings;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod seen;
mod snippets;
#[path = "../writing/mod.rs"]
mod writing;
