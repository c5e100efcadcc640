//! Writes commit objects: directly, or by git if they are signed.

use super::ident::{Identities, split_at_first, variables};
use super::quarantine::Quarantine;
use super::repo::Repo;
use super::{Error, Oid, Result, convert, filters, process};

/// A commit to write, without its author and committer.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// Its tree.
    pub tree: Oid,
    /// Its parents.
    pub parents: &'a [Oid],
    /// The whole message.
    pub message: &'a str,
}

/// How commits are written.
#[derive(Debug, Clone)]
pub struct CommitSettings {
    /// `i18n.commitEncoding`, unless it is UTF-8.
    encoding: Option<String>,
    /// The signing key, if commits are signed; an empty one leaves the choice to git.
    key: Option<String>,
}

impl CommitSettings {
    /// Returns whether commits are signed.
    pub fn is_signed(&self) -> bool {
        self.key.is_some()
    }

    /// Encodes a text in the encoding of commits.
    ///
    /// # Errors
    /// The encoding lacks a character of the text.
    pub fn encode(&self, repo: &Repo, text: &str) -> Result<Vec<u8>> {
        match self.encoding.as_deref().filter(|_| !text.is_ascii()) {
            Some(encoding) => convert::encoded(repo, text, encoding),
            None => Ok(text.as_bytes().to_vec()),
        }
    }
}

struct Texts {
    author: Vec<u8>,
    committer: Vec<u8>,
    message: Vec<u8>,
}

impl Repo {
    /// Reads how commits are written here, from `sign` and the configuration.
    ///
    /// # Errors
    /// The configuration makes no sense.
    pub fn commit_settings(&self, sign: &Sign) -> Result<CommitSettings> {
        let key = match sign {
            Sign::Never => None,
            Sign::With(key) => Some(key.clone()),
            Sign::AsConfigured => self.config().bool("commit.gpgsign")?.unwrap_or(false).then(String::new),
        };
        Ok(CommitSettings { encoding: self.commit_encoding()?, key })
    }

    /// `i18n.commitEncoding`, unless it is UTF-8.
    fn commit_encoding(&self) -> Result<Option<String>> {
        let encoding = self.config().string("i18n.commitencoding")?;
        Ok(encoding.filter(|name| !convert::is_utf8(name)))
    }

    /// Decodes a message from the encoding of commits; `None` if the bytes are invalid there.
    ///
    /// # Errors
    /// The configuration cannot be read, or git cannot be run.
    pub fn message_of(&self, bytes: Vec<u8>) -> Result<Option<String>> {
        match self.commit_encoding()? {
            Some(encoding) => convert::decoded(self, &bytes, &encoding),
            None => Ok(String::from_utf8(bytes).ok()),
        }
    }

    /// Writes a commit to the quarantine. No reference points to it yet.
    ///
    /// # Errors
    /// The object store fails; or git cannot sign it or write it in that encoding.
    pub fn write_commit(
        &self,
        quarantine: &Quarantine,
        draft: &Draft<'_>,
        who: &Identities,
        commit_settings: &CommitSettings,
    ) -> Result<Oid> {
        let texts = Texts::of(self, who, draft.message, commit_settings)?;
        if let Some(key) = &commit_settings.key {
            return self.sign(quarantine, draft, &texts, key);
        }
        self.write_unsigned(draft, &texts, commit_settings.encoding.as_deref())
    }

    /// Writes a commit of this program's own, such as a record: unsigned, in UTF-8. `who` is `Name <email> seconds zone`.
    pub(super) fn write_plain(&self, draft: &Draft<'_>, who: &str) -> Result<Oid> {
        let [author, committer, message] = [who, who, draft.message].map(|text| text.as_bytes().to_vec());
        self.write_unsigned(draft, &Texts { author, committer, message }, None)
    }

    fn write_unsigned(&self, draft: &Draft<'_>, texts: &Texts, encoding: Option<&str>) -> Result<Oid> {
        let mut commit = format!("tree {}\n", draft.tree).into_bytes();
        for parent in draft.parents {
            commit.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        for (name, who) in [("author ", &texts.author), ("committer ", &texts.committer)] {
            commit.extend_from_slice(name.as_bytes());
            commit.extend_from_slice(who);
            commit.push(b'\n');
        }
        if let Some(encoding) = encoding {
            commit.extend_from_slice(format!("encoding {encoding}\n").as_bytes());
        }
        commit.push(b'\n');
        commit.extend_from_slice(&texts.message);
        let named = draft.parents.iter().copied().chain([draft.tree]);
        self.put_referring(git2::ObjectType::Commit, &commit, named)
    }

    /// Lets git write and sign the commit in the quarantine's directory, where git also finds the new objects.
    fn sign(&self, quarantine: &Quarantine, draft: &Draft<'_>, texts: &Texts, key: &str) -> Result<Oid> {
        quarantine.spill(self)?;
        let mut command = process::git_with_objects(self, quarantine.objects());
        for (role, who) in [("AUTHOR", &texts.author), ("COMMITTER", &texts.committer)] {
            command.envs(variables(role, who));
        }
        command.arg("commit-tree").arg(format!("-S{key}"));
        for parent in draft.parents {
            command.args(["-p", &parent.to_string()]);
        }
        command.arg(draft.tree.to_string());
        let output = filters::run_asking(self, &command, &texts.message)?;
        if !output.status.success() {
            return Err(Error::Unsigned(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let id = self.id(String::from_utf8_lossy(&output.stdout).trim())?;
        quarantine.adopt(self, id)?;
        Ok(id)
    }

    /// The tree of a commit, or of its replacement (git-replace(1)).
    ///
    /// # Errors
    /// The object store fails.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid> {
        let commit = self.replacement_or_self(commit)?;
        self.give_to_libgit2(&[commit])?;
        let found = self.git.find_commit(commit).map(|commit| commit.tree_id());
        found.map_err(|e| Error::git(format!("read {commit}"), e))
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// The object store fails.
    pub fn blob(&self, id: Oid) -> Result<Vec<u8>> {
        match self.object(id)? {
            (git2::ObjectType::Blob, data) => Ok(data.to_vec()),
            _ => Err(Error::git(format!("read the blob {id}"), git2::Error::from_str("it is none"))),
        }
    }

    /// The size of a blob in bytes.
    ///
    /// # Errors
    /// The object store fails.
    pub fn blob_size(&self, id: Oid) -> Result<u64> {
        self.ensure(&[id])?;
        let found = self.git.odb().and_then(|store| store.read_header(id));
        found.map(|(size, _)| size as u64).map_err(|e| Error::git(format!("read the blob {id}"), e))
    }
}

/// Whether commits are signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sign {
    /// As `commit.gpgSign` says.
    #[default]
    AsConfigured,
    /// Never.
    Never,
    /// With this key; an empty one leaves the choice to git (`user.signingKey`).
    With(String),
}

impl Texts {
    fn of(repo: &Repo, who: &Identities, message: &str, commit_settings: &CommitSettings) -> Result<Self> {
        let bytes = commit_settings.encode(repo, &[&who.author, &who.committer, message].join("\n"))?;
        let (author, rest) = split_at_first(&bytes, b"\n").unwrap_or((&bytes, b""));
        let (committer, message) = split_at_first(rest, b"\n").unwrap_or((rest, b""));
        Ok(Self { author: author.to_vec(), committer: committer.to_vec(), message: message.to_vec() })
    }
}
