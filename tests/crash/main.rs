//! Runs that are killed, stopped, raced or cut off: what they leave, and how it is settled.

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
