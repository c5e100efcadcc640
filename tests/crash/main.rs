//! Runs that are killed or stopped, fail, or race with others: what they leave, and how it is recovered.

#![cfg(test)]

mod attempts;
mod concurrency;
mod crash;
mod durability;
mod ended;
#[path = "../faults/mod.rs"]
mod faults;
mod journals;
mod locks;
mod meanwhile;
mod outlived;
mod recovery;
#[path = "../sandbox/mod.rs"]
mod sandbox;
mod syscalls;
