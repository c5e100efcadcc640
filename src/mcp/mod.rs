//! A Model Context Protocol server, so that agents use this program instead of edit tools of their own.
//!
//! It reads JSON-RPC messages, one a line, and answers them. A call of a tool runs in a thread of its own, on the repository
//! that it names: nothing is read from the current directory. A call that is cancelled, and one that still runs when the client
//! goes away, lands nothing from then on.

mod arguments;
mod clients;
mod edits;
mod listener;
mod message;
mod output;
mod read;
mod report;
mod server;
mod tools;

pub use clients::{CLIENTS, entry};
pub use server::serve;
