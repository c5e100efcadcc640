//! Recognizes files that may contain secrets, by their names. A model gets such a file only if the user names it.

use super::RepoPath;

/// Whole names.
const NAMES: &[&str] = &[
    ".env",
    ".netrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];

/// Prefixes and suffixes of names.
const PREFIXES: &[&str] = &[".env."];
const SUFFIXES: &[&str] = &[".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"];

/// Whether a file may contain keys or passwords, by its name. Ignores case.
pub fn may_hold_secrets(path: &RepoPath) -> bool {
    let name = path.file_name().to_lowercase();
    NAMES.contains(&name.as_str())
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_secrets_are_recognized_by_their_names() {
        let is = |path: &str| RepoPath::parse(path).is_ok_and(|path| may_hold_secrets(&path));
        for path in [".env", "a/.ENV.local", "prod.env", "tls/server.key", "home/id_rsa", ".netrc"] {
            assert!(is(path), "{path}");
        }
        for path in ["env", "environment.rs", "key.rs", "id_rsa.pub", "keys/mod.rs", ".envrc"] {
            assert!(!is(path), "{path}");
        }
    }
}
