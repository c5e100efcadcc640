//! The author and the committer, by git's own rules (git-commit-tree(1), "Commit information").

use super::config::Config;
use super::repo::Repo;
use super::{Error, Result, process};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Author or committer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Who wrote the change.
    Author,
    /// Who made the commit.
    Committer,
}

impl Role {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Role::Author => ("AUTHOR", "author"),
            Role::Committer => ("COMMITTER", "committer"),
        }
    }
}

/// The options about the author (`--author`, `--date`).
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// `Name <email>`, or a pattern for the name or address of an earlier author.
    pub author: Option<String>,
    /// The date, in any format that git reads.
    pub date: Option<String>,
}

/// Values that take precedence over those of the environment: `NAME`, `EMAIL` and `DATE`.
type Overrides = BTreeMap<&'static str, String>;

/// The author and committer of a landing's commits: `Name <email> seconds zone`.
#[derive(Debug, Clone)]
pub struct Identities {
    /// Who wrote the changes.
    pub author: String,
    /// Who makes the commits.
    pub committer: String,
}

impl Identities {
    /// When the commits are made: seconds since 1970, and the zone in minutes.
    pub fn time(&self) -> (i64, i32) {
        let date = self.committer.rsplit_once("> ").map_or("", |(_, date)| date);
        seconds_and_zone(&format!("@{date}")).map_or((0, 0), |time| (time.seconds(), time.offset_minutes()))
    }

    /// Sets the author in the environment of a hook, as `git commit` does.
    pub fn tell_author(&self, command: &mut super::supervise::Supervised) {
        command.command.envs(variables("AUTHOR", self.author.as_bytes()));
    }
}

/// The environment variables that give git this identity. None if the line is not `Name <email> seconds zone`.
pub(super) fn variables(role: &str, line: &[u8]) -> impl Iterator<Item = (String, OsString)> {
    let parts = || {
        let (name, rest) = split_at_first(line, b" <")?;
        let (email, date) = split_at_first(rest, b"> ")?;
        // With `@`, git takes also a short number for seconds.
        Some([("NAME", name.to_vec()), ("EMAIL", email.to_vec()), ("DATE", [b"@", date].concat())])
    };
    let named = move |(what, value)| (format!("GIT_{role}_{what}"), OsString::from_vec(value));
    parts().into_iter().flatten().map(named)
}

/// Splits at the first `separator`.
pub(super) fn split_at_first<'b>(bytes: &'b [u8], separator: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = memchr::memmem::find(bytes, separator)?;
    Some((&bytes[..at], &bytes[at + separator.len()..]))
}

impl Repo {
    /// The author of a commit made now, as `git commit` determines it from `--author` and `--date`.
    ///
    /// # Errors
    /// Git does not know who the user is, or cannot parse an option.
    pub fn author(&self, given: &Given) -> Result<git2::Signature<'static>> {
        let mut overrides = Overrides::new();
        if let Some(author) = &given.author {
            let (name, email) = self.name_and_email(author)?;
            overrides.extend([("NAME", name), ("EMAIL", email)]);
        }
        if let Some(date) = &given.date {
            let is_now = date.eq_ignore_ascii_case("now");
            overrides.insert("DATE", if is_now { String::new() } else { self.date(date)? });
        }
        self.identify(Role::Author, &overrides)
    }

    /// `Name <email>`, as in a sign-off.
    ///
    /// # Errors
    /// Git does not know who the user is.
    pub fn name_and_address(&self, role: Role) -> Result<String> {
        let who = self.identity(role)?;
        let text = String::from_utf8_lossy;
        Ok(format!("{} <{}>", text(who.name_bytes()), text(who.email_bytes())))
    }

    /// The name and address that `--author` means.
    fn name_and_email(&self, author: &str) -> Result<(String, String)> {
        let parts = |text: &str| -> Option<(String, String)> {
            let (name, rest) = text.rsplit_once('<')?;
            let email = rest.trim_end().strip_suffix('>')?;
            Some((name.trim().to_owned(), email.to_owned()))
        };
        if let Some(given) = parts(author) {
            return Ok(given);
        }
        let mut command = process::git(self);
        command.args(["log", "--all", "-i", &format!("--author={author}"), "-1", "--format=%aN <%aE>", "--"]);
        parts(&process::output(&mut command)?).ok_or_else(|| {
            Error::Invalid(format!(
                "'{author}' is not 'Name <email>' and matches no author of an earlier commit"
            ))
        })
    }

    /// A date in a form for the environment. git has to resolve a relative one.
    fn date(&self, date: &str) -> Result<String> {
        if seconds_and_zone(date).is_some() {
            return Ok(date.to_owned());
        }
        let strict = |date: &str| -> Result<String> {
            let mut command = process::git(self);
            // Name and address must not make git fail here.
            command.env("GIT_AUTHOR_NAME", "A").env("GIT_AUTHOR_EMAIL", "a").env("GIT_AUTHOR_DATE", date);
            let line = process::output(command.args(["var", "GIT_AUTHOR_IDENT"]))?;
            let internal = line.rsplit_once("> ").map(|(_, date)| format!("@{date}"));
            internal.ok_or_else(|| Error::BadDate(date.to_owned()))
        };
        let failed = |e| match e {
            Error::Command { .. } => Error::BadDate(date.to_owned()),
            other => other,
        };
        if date.trim().is_empty() {
            return Err(Error::BadDate(date.to_owned()));
        }
        match strict(date) {
            Err(Error::Command { .. }) => {}
            outcome => return outcome,
        }
        // As an expiry date these are words of their own, which make no sense for a commit.
        if ["all", "false"].iter().any(|word| date.eq_ignore_ascii_case(word)) {
            return Err(Error::BadDate(date.to_owned()));
        }
        let mut command = process::git(self);
        command.args(["-c", &format!("llm-apply.date={date}")]);
        command.args(["config", "--get", "--type=expiry-date", "llm-apply.date"]);
        let seconds = process::output(&mut command).map_err(failed)?;
        strict(&format!("@{seconds}")).map_err(failed)
    }

    /// The author and committer of commits made now.
    ///
    /// # Errors
    /// As [`Repo::identity`].
    pub fn identities(&self, given: &Given) -> Result<Identities> {
        let (author, committer) = (self.author(given)?, self.identity(Role::Committer)?);
        Ok(Identities { author: Repo::signature_line(&author), committer: Repo::signature_line(&committer) })
    }

    /// The name, address and date that git would put into a commit made now.
    ///
    /// The plain case (name and address set, and no date or one in seconds) is resolved here. For all else, such as an
    /// address made from the host name or a date in words, git is asked.
    ///
    /// # Errors
    /// Git does not know who the user is.
    pub fn identity(&self, role: Role) -> Result<git2::Signature<'static>> {
        self.identify(role, &Overrides::default())
    }

    fn identify(&self, role: Role, overrides: &Overrides) -> Result<git2::Signature<'static>> {
        let (upper, lower) = role.words();
        let env = |what: &str| match overrides.get(what) {
            Some(given) => Some(given.clone()),
            None => std::env::var(format!("GIT_{upper}_{what}")).ok(),
        };
        let part = |what: &str, variable: &str| match env(variable) {
            Some(value) => Ok(Some(value)),
            None => configured(self.config(), lower, what),
        };
        let plain = |text: &str| !text.is_empty() && !text.contains(['<', '>', '\n']) && text.trim() == text;
        let name = part("name", "NAME")?
            .filter(|name| plain(name) && !name.starts_with(CRUD) && !name.ends_with(CRUD));
        let email = part("email", "EMAIL")?
            .filter(|email| plain(email) && !email.starts_with(CRUD) && !email.ends_with(CRUD));
        let date = env("DATE").filter(|date| !date.is_empty());
        let known = name.zip(email);
        let signature = match (&known, date.as_deref().map(seconds_and_zone)) {
            (Some((name, email)), None) => git2::Signature::now(name, email).ok(),
            (Some((name, email)), Some(Some(time))) => git2::Signature::new(name, email, &time).ok(),
            _ => None,
        };
        match signature {
            Some(signature) => Ok(signature),
            None => self.ask_git(upper, known.is_some(), overrides),
        }
    }

    /// With `known`, name and address are valid, and git is asked only for the date.
    fn ask_git(&self, upper: &str, known: bool, overrides: &Overrides) -> Result<git2::Signature<'static>> {
        let mut command = std::process::Command::new("git");
        command.envs(overrides.iter().map(|(what, given)| (format!("GIT_{upper}_{what}"), given)));
        command.arg("--git-dir").arg(self.git_dir()).args(["var", &format!("GIT_{upper}_IDENT")]);
        let line = process::output(&mut command).map_err(|e| match e {
            Error::Command { message, .. } => Error::Ident { message, known },
            other => other,
        })?;
        let malformed = || {
            let message = format!("git knows the {} only as '{line}'", upper.to_lowercase());
            Error::Ident { message, known }
        };
        let (who, date) = line.rsplit_once("> ").ok_or_else(malformed)?;
        let (name, email) = who.split_once(" <").ok_or_else(malformed)?;
        let time = seconds_and_zone(date).ok_or_else(malformed)?;
        git2::Signature::new(name, email, &time).map_err(|_| malformed())
    }
}

/// The characters that git strips from both ends of a name. If there is one, git is asked.
const CRUD: [char; 8] = ['.', ',', ':', ';', '"', '\\', '\'', ' '];

fn configured(config: &Config, lower: &str, what: &str) -> Result<Option<String>> {
    match config.string(&format!("{lower}.{what}"))? {
        Some(value) => Ok(Some(value)),
        None => config.string(&format!("user.{what}")),
    }
}

/// Parses git's internal date format, `<seconds> <zone>`, also after `@`.
fn seconds_and_zone(text: &str) -> Option<git2::Time> {
    let (seconds, zone) = text.strip_prefix('@').unwrap_or(text).split_once(' ')?;
    // Git may read fewer digits as something else (a year, a day), so git has to decide.
    if !(text.starts_with('@') || seconds.len() >= 9) || !seconds.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i32 = digits.parse().ok()?;
    Some(git2::Time::new(seconds.parse().ok()?, sign * (number / 100 * 60 + number % 100)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_internal_date_format_is_read_and_nothing_else_is_guessed() {
        let time = seconds_and_zone("1700000000 -0330").unwrap();
        assert_eq!((time.seconds(), time.offset_minutes()), (1_700_000_000, -210));
        assert_eq!(seconds_and_zone("@5 +0000").unwrap().seconds(), 5);
        for other in ["20231114 +0000", "yesterday", "2023-11-14 12:00", "1700000000", "1700000000 UTC"] {
            assert!(seconds_and_zone(other).is_none(), "{other}");
        }
    }
}
