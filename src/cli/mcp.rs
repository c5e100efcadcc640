//! `git llm-apply mcp`: serves agents on standard input and output.

use super::args::Typed;
use super::{Error, change_directory, output};
use crate::outcome::Exit;
use crate::transaction::interrupt;
use crate::{mcp, vcs};
use std::io::{BufReader, stdin, stdout};

pub(super) fn run(typed: &Typed) -> Result<Exit, Error> {
    if let Some(client) = typed.value("print-config") {
        let (file, entry) = mcp::entry(&client);
        output::exactly(&entry);
        output::remark(&format!("this belongs in {file}"));
        return Ok(Exit::Done);
    }
    vcs::process::leave_repository()?;
    // The server may be started in any directory, and no result may depend on it.
    change_directory(&"/".into())?;
    mcp::serve(BufReader::new(stdin()), stdout()).map_err(|e| vcs::Error::io("start", "a thread", e))?;
    Ok(if interrupt::seen() { Exit::Interrupted } else { Exit::Done })
}
