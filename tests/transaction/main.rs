//! What a landing does to every kind of repository, and what can stop it.

#![cfg(test)]

mod attributes;
mod autostash;
mod bounds;
mod checkout;
mod exec;
mod filters;
mod hooks;
mod hostile;
mod indexes;
mod limits;
mod managers;
#[path = "../oracle/mod.rs"]
mod oracle;
mod packs;
mod partial;
mod paths;
mod push;
mod references;
mod replacements;
mod replay;
mod repositories;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod sensitive;
mod signing;
mod surroundings;
mod transaction;
mod upkeep;
