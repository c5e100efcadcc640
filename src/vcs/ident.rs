//! Who the author and the committer are, by git's own rules (git-commit-tree(1), "Commit information").

use super::config::Config;
use super::repo::Repo;
use super::{Error, Result, process};

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

/// Both, as a landing's commits have them.
pub struct Identities {
    /// Who wrote the changes.
    pub author: git2::Signature<'static>,
    /// Who makes the commits.
    pub committer: git2::Signature<'static>,
}

impl Identities {
    /// Tells a hook who the author is, as `git commit` does.
    pub fn tell_author(&self, command: &mut super::supervise::Supervised) {
        use std::os::unix::ffi::OsStrExt;
        let text = std::ffi::OsStr::from_bytes;
        let line = Repo::signature_line(&self.author);
        let date = line.rsplit_once("> ").map_or("", |(_, date)| date);
        command
            .env("GIT_AUTHOR_NAME", text(self.author.name_bytes()))
            .env("GIT_AUTHOR_EMAIL", text(self.author.email_bytes()))
            .env("GIT_AUTHOR_DATE", format!("@{date}"));
    }
}

impl Repo {
    /// Author and committer of commits made now.
    ///
    /// # Errors
    /// As [`Repo::identity`].
    pub fn identities(&self) -> Result<Identities> {
        Ok(Identities { author: self.identity(Role::Author)?, committer: self.identity(Role::Committer)? })
    }

    /// The name, address and date that git would put into a commit made now.
    ///
    /// The plain case (a name and an address set, a date that is none or plain seconds) is settled here;
    /// everything else, such as an address made from the host's name or a date in words, is asked of git itself.
    ///
    /// # Errors
    /// Git does not know who the user is.
    pub fn identity(&self, role: Role) -> Result<git2::Signature<'static>> {
        let (upper, lower) = role.words();
        let env = |what: &str| std::env::var(format!("GIT_{upper}_{what}")).ok();
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
            None => self.ask_git(upper, known.is_some()),
        }
    }

    /// With `known` name and address are fine, and it is the date that git is asked about.
    fn ask_git(&self, upper: &str, known: bool) -> Result<git2::Signature<'static>> {
        let mut command = std::process::Command::new("git");
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

/// What git takes off both ends of a name: where one is there, git is asked.
const CRUD: [char; 8] = ['.', ',', ':', ';', '"', '\\', '\'', ' '];

fn configured(config: &Config, lower: &str, what: &str) -> Result<Option<String>> {
    match config.string(&format!("{lower}.{what}"))? {
        Some(value) => Ok(Some(value)),
        None => config.string(&format!("user.{what}")),
    }
}

/// Git's internal date format, `<seconds> <zone>`, also with `@` before it.
fn seconds_and_zone(text: &str) -> Option<git2::Time> {
    let (seconds, zone) = text.strip_prefix('@').unwrap_or(text).split_once(' ')?;
    // Fewer digits may be something else to git (a year, a day): let it decide.
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
