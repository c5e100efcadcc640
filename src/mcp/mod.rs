//! A Model Context Protocol server, so that agents use this program instead of edit tools of their own.
//!
//! It reads JSON-RPC messages, one a line, and answers them. Each tool call runs in its own thread, on the repository
//! that it names; the current directory does not matter. A call that is cancelled, or that still runs when the client
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
