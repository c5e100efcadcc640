//! `git llm-apply mcp`: serves agents on standard input and output.

use super::{Error, change_directory, output};
use crate::flow::sources::Typed;
use crate::outcome::Exit;
use crate::transaction::interrupt;
use crate::{mcp, vcs};
use clap::ArgMatches;
use std::io::{BufReader, stdin, stdout};

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Error> {
    if let Some(client) = matches.single("print-config").flatten() {
        let (file, entry) = mcp::entry(&client);
        output::exactly(&entry);
        output::remark(&format!("this belongs in {file}"));
        return Ok(Exit::Done);
    }
    vcs::process::leave_repository()?;
    // No result may depend on where the server was started.
    change_directory(&"/".into())?;
    mcp::serve(BufReader::new(stdin()), stdout()).map_err(|e| vcs::Error::io("start", "a thread", e))?;
    Ok(if interrupt::seen() { Exit::Interrupted } else { Exit::Done })
}
