//! Asks edit by edit, as `git add -p` asks hunk by hunk.
//!
//! Answers are read from standard input, or from the terminal if standard input has the response. Questions go to the
//! terminal, since standard output is for the report; without a terminal, to standard error.

use super::diff::coloured;
use super::settings::{Output, git_color};
use super::{Error, usage};
use crate::flow::{self, Answer, Asked, Chooser};
use crate::report::escape::escape;
use crate::transaction;
use crate::vcs::repo::Repo;
use crate::vcs::show::Colors;
use anstream::ColorChoice;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::rc::Rc;

const TERMINAL: &str = "/dev/tty";

/// A chooser that asks the user.
#[derive(Debug)]
pub(super) struct Terminal {
    input: RefCell<BufReader<File>>,
    output: File,
    colors: Colors,
}

impl Terminal {
    /// Opens the streams. `taken` says that the response is on standard input, so that answers cannot come from there.
    pub(super) fn open(repo: &Repo, output: Output, taken: bool) -> Result<Rc<dyn Chooser>, Error> {
        let terminal = File::options().write(true).open(TERMINAL).ok();
        let color = match (output.color, &terminal) {
            (ColorChoice::Auto, None) => ColorChoice::Never,
            (color, _) => color,
        };
        let own = |of: std::os::fd::BorrowedFd<'_>| of.try_clone_to_owned().map(File::from).ok();
        let input = if taken { File::open(TERMINAL).ok() } else { own(std::io::stdin().as_fd()) };
        let (Some(input), Some(output)) = (input, terminal.or_else(|| own(std::io::stderr().as_fd()))) else {
            return usage(
                "-i reads answers from standard input, which has the response: name a file with the response",
            );
        };
        let colors = repo.colors(git_color(color))?;
        Ok(Rc::new(Self { input: RefCell::new(BufReader::new(input)), output, colors }))
    }

    /// Prints a text. If that fails, the user cannot see questions, so the run ends.
    fn print(&self, text: &str) -> Result<(), flow::Error> {
        let gone = |_| flow::Error::from(transaction::Error::Interrupted);
        (&self.output).write_all(text.as_bytes()).map_err(gone)
    }

    fn line(&self, color: &str, text: &str) -> String {
        match color {
            "" => format!("{text}\n"),
            color => format!("{color}{text}{}\n", self.colors.reset),
        }
    }

    fn show(&self, question: &Asked<'_>) -> Result<(), flow::Error> {
        let mut out = format!("{} {}", question.operation, escape(&question.path));
        if let Some(why) = question.why {
            out += &format!(": {}", escape(why.lines().next().unwrap_or_default()));
        }
        let out = self.line(&self.colors.meta, &out) + &coloured(question.diff.as_bytes(), &self.colors);
        self.print(&out)
    }

    fn prompt(&self, question: &Asked<'_>) -> Result<(), flow::Error> {
        let what = match question.hunk {
            Some((number, of)) => format!("hunk {number}/{of} of this edit"),
            None => "this edit".to_owned(),
        };
        let keys: String = keys(question).map(|(letter, ..)| format!("{letter},")).collect();
        let Colors { prompt, reset, .. } = &self.colors;
        let reset = if prompt.is_empty() { "" } else { reset };
        self.print(&format!("{prompt}({}/{}) Land {what} [{keys}?]?{reset} ", question.number, question.of))
    }

    fn help(&self, question: &Asked<'_>) -> Result<(), flow::Error> {
        let line = |letter: char, help: &str| self.line(&self.colors.help, &format!("{letter} - {help}"));
        let help: String = keys(question).map(|(letter, _, help)| line(*letter, help)).collect();
        self.print(&(help + &line('?', "print this help")))
    }

    /// Reads an answer. At the end of the input the run ends, and nothing lands.
    fn answer(&self) -> Result<String, flow::Error> {
        let mut line = Vec::new();
        match self.input.borrow_mut().read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => Ok(String::from_utf8_lossy(&line).trim().to_owned()),
            _ => {
                let _ = self.print("\n");
                Err(transaction::Error::Interrupted.into())
            }
        }
    }
}

/// The keys with their answers and their help. `n` and `d` may be followed by a reason, which goes into the answer.
const KEYS: &[(char, Answer, &str)] = &[
    ('y', Answer::Take, "take this edit"),
    ('n', Answer::Leave(None), "leave it out; a reason after it goes to the model: n <reason>"),
    ('q', Answer::Quit, "quit: leave out this edit and all later ones, land those that were taken"),
    ('a', Answer::TakeFile, "take this edit and all later ones of the file"),
    ('d', Answer::LeaveFile(None), "leave out this edit and all later ones of the file"),
    ('k', Answer::Back, "go back to the question before"),
    ('e', Answer::Edit, "edit the new text, then ask again"),
    ('m', Answer::Message, "edit the message, then ask again"),
    ('s', Answer::Split, "choose among the hunks of this edit"),
];

/// The keys that a question allows.
fn keys(question: &Asked<'_>) -> impl Iterator<Item = &'static (char, Answer, &'static str)> {
    KEYS.iter().filter(|(_, answer, _)| match answer {
        Answer::Back => question.can_go_back,
        Answer::Edit => question.can_edit,
        Answer::Message => question.can_edit_message,
        Answer::Split => question.can_split,
        _ => true,
    })
}

impl Chooser for Terminal {
    fn choose(&self, question: &Asked<'_>) -> Result<Answer, flow::Error> {
        self.show(question)?;
        loop {
            self.prompt(question)?;
            let line = self.answer()?;
            let (key, reason) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
            let key = key.to_ascii_lowercase();
            let known = keys(question).find(|(letter, ..)| key.chars().eq([*letter]));
            match (known.map(|(_, answer, _)| answer), reason) {
                (Some(Answer::Leave(_)), reason) => return Ok(Answer::Leave(reason)),
                (Some(Answer::LeaveFile(_)), reason) => return Ok(Answer::LeaveFile(reason)),
                (Some(answer), None) => return Ok(answer.clone()),
                _ => self.help(question)?,
            }
        }
    }

    fn tell(&self, text: &str) {
        let _ = self.print(&format!("{}\n", escape(text)));
    }
}
