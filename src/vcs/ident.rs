//! The author and the committer, by git's own rules (git-commit-tree(1), "Commit information").

use super::repo::Repo;
use super::{Error, Result, process};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

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
        time_of(&self.committer).map_or((0, 0), |time| (time.seconds(), time.offset_minutes()))
    }

    /// Sets the author in the environment of a hook, as `git commit` does.
    pub fn set_author(&self, command: &mut super::supervise::Supervised) {
        command.command.envs(variables("AUTHOR", self.author.as_bytes()));
    }
}

/// Returns the environment variables that give git this identity; none if the line is not `Name <email> seconds zone`.
pub(super) fn variables(role: &str, line: &[u8]) -> impl Iterator<Item = (String, OsString)> {
    let parts = || {
        let (name, rest) = split_at_first(line, b" <")?;
        let (email, date) = split_at_first(rest, b"> ")?;
        // After `@`, git reads even a short number as seconds.
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
    /// The author and committer of commits made now, as `git commit` determines them from `--author` and `--date`.
    ///
    /// # Errors
    /// Git does not know who the user is, or cannot parse an option.
    pub fn identities(&self, given: &Given) -> Result<Identities> {
        let mut overrides = Overrides::new();
        if let Some(author) = &given.author {
            let (name, email) = self.name_and_email(author)?;
            overrides.extend([("NAME", name), ("EMAIL", email)]);
        }
        if let Some(date) = &given.date {
            let is_now = date.eq_ignore_ascii_case("now");
            overrides.insert("DATE", if is_now { String::new() } else { self.date(date)? });
        }
        Ok(Identities {
            author: self.identify("AUTHOR", &overrides)?,
            committer: self.identify("COMMITTER", &Overrides::new())?,
        })
    }

    /// The committer as `Name <email>`, as in a sign-off.
    ///
    /// # Errors
    /// Git does not know who the user is.
    pub fn committer_address(&self) -> Result<String> {
        let line = self.identify("COMMITTER", &Overrides::new())?;
        Ok(line.rsplit_once("> ").map_or(line.clone(), |(who, _)| format!("{who}>")))
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

    /// Converts a date to a form that git reads from the environment. Git itself resolves a relative date.
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
        // These words are valid expiry dates, but make no sense for a commit.
        if ["all", "false"].iter().any(|word| date.eq_ignore_ascii_case(word)) {
            return Err(Error::BadDate(date.to_owned()));
        }
        let mut command = process::git(self);
        command.args(["-c", &format!("llm-apply.date={date}")]);
        command.args(["config", "--get", "--type=expiry-date", "llm-apply.date"]);
        let seconds = process::output(&mut command).map_err(failed)?;
        strict(&format!("@{seconds}")).map_err(failed)
    }

    /// The name, address and date that git would put into a commit made now: `Name <email> seconds zone`.
    ///
    /// The plain case (name and address set, and no date or one in seconds) is resolved here. Git is asked in all other
    /// cases, such as an address made from the host name, or a date in words.
    fn identify(&self, role: &str, overrides: &Overrides) -> Result<String> {
        let env = |what: &str| match overrides.get(what) {
            Some(given) => Some(given.clone()),
            None => std::env::var(format!("GIT_{role}_{what}")).ok(),
        };
        let part = |what: &str, variable: &str| match env(variable) {
            Some(value) => Ok(Some(value)),
            None => match self.config().string(&format!("{}.{what}", role.to_lowercase()))? {
                None => self.config().string(&format!("user.{what}")),
                value => Ok(value),
            },
        };
        let plain = |text: &str| {
            let is_odd = |c: char| c.is_control() || c == '<' || c == '>';
            !text.is_empty() && !text.contains(is_odd) && !text.starts_with(CRUD) && !text.ends_with(CRUD)
        };
        let name = part("name", "NAME")?.filter(|name| plain(name));
        let email = part("email", "EMAIL")?.filter(|email| plain(email));
        let date = env("DATE").filter(|date| !date.is_empty());
        let known = name.zip(email);
        let time = |name: &str, email: &str| match &date {
            None => git2::Signature::now(name, email).ok().map(|now| now.when()),
            Some(date) => seconds_and_zone(date),
        };
        match known.as_ref().and_then(|(name, email)| Some((name, email, time(name, email)?))) {
            Some((name, email, time)) => {
                let minutes = time.offset_minutes();
                let zone = minutes / 60 * 100 + minutes % 60;
                Ok(format!("{name} <{email}> {} {zone:+05}", time.seconds()))
            }
            None => self.ask_git(role, known.is_some(), overrides),
        }
    }

    /// Asks git for an identity. If `known`, name and address are valid, and only the date is in question.
    fn ask_git(&self, role: &str, known: bool, overrides: &Overrides) -> Result<String> {
        let mut command = std::process::Command::new("git");
        command.envs(overrides.iter().map(|(what, given)| (format!("GIT_{role}_{what}"), given)));
        command.arg("--git-dir").arg(self.git_dir()).args(["var", &format!("GIT_{role}_IDENT")]);
        let line = process::output(&mut command).map_err(|e| match e {
            Error::Command { message, .. } => Error::Ident { message, known },
            other => other,
        })?;
        if time_of(&line).is_none() || !line.contains(" <") {
            let message = format!("git knows the {} only as '{line}'", role.to_lowercase());
            return Err(Error::Ident { message, known });
        }
        Ok(line)
    }
}

/// The characters that git strips from both ends of a name. If a name has one there, git is asked.
const CRUD: [char; 8] = ['.', ',', ':', ';', '"', '\\', '\'', ' '];

/// The time at the end of `Name <email> seconds zone`.
fn time_of(line: &str) -> Option<git2::Time> {
    let (_, date) = line.rsplit_once("> ")?;
    seconds_and_zone(&format!("@{date}"))
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
    fn only_the_internal_date_format_is_read() {
        let time = seconds_and_zone("1700000000 -0330").unwrap();
        assert_eq!((time.seconds(), time.offset_minutes()), (1_700_000_000, -210));
        assert_eq!(seconds_and_zone("@5 +0000").unwrap().seconds(), 5);
        for other in ["20231114 +0000", "yesterday", "2023-11-14 12:00", "1700000000", "1700000000 UTC"] {
            assert!(seconds_and_zone(other).is_none(), "{other}");
        }
    }
}
