//! A Model Context Protocol server, so that agents can use this program instead of their own edit tools.
//!
//! It reads JSON-RPC messages, one per line, and answers them. Each tool call runs in its own thread, on the repository
//! that it names; the current directory does not matter. A call lands nothing after it is cancelled or the client has
//! gone away.

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
