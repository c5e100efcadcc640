//! Commands of a shell that change a file in a way that they say themselves: by a text, as `cat > f <<EOF` does, or by what
//! is to become of it, as in `sed -i` and `git mv`.
//!
//! No command is run. But such a one is an edit to whoever wrote it. What `rm` and `mv` name is more often something that
//! no repository has, such as what a build has made: there the tree says whether they are edits. `cp` and `touch` are as often
//! how to set something up.

use super::scan::trim_start;

/// Languages of what is run or was put out.
const LANGUAGES: &[&str] =
    &["bash", "cmd", "console", "log", "output", "powershell", "sh", "shell", "text", "txt", "zsh"];

/// Commands that put out what they are given.
const COPIERS: &[&str] = &["cat", "echo", "printf", "tee"];

/// What may stand before a command: a prompt, or the tags of a call.
const LEADS: &[&str] = &["$ ", "<command>", "<parameter name=\"command\">"];

/// Commands that need no mark of the shell.
const ALONE: &[&str] = &["cp", "find", "for", "git", "mv", "perl", "rm", "sed", "sudo", "tee", "touch"];

/// How many lines a command has at most.
const LONGEST: usize = 50;

/// PowerShell's commands that put a text into a file.
const CMDLETS: &[&str] = &["Set-Content", "Add-Content", "Out-File"];

/// Whether what a fence is of may be run in a shell, or was put out by one.
pub(super) fn is_language(info: &str) -> bool {
    LANGUAGES.iter().any(|shell| info.eq_ignore_ascii_case(shell))
}

/// The command that a text begins with: its first line, and those on which that goes on.
pub(super) fn command(text: &str) -> &str {
    let goes_on = |line: &&str| line.trim_end().ends_with('\\');
    let mut lines = text.split_inclusive('\n').take(LONGEST);
    let above: usize = lines.by_ref().map_while(|line| goes_on(&line).then_some(line.len())).sum();
    let last = text[above..].split('\n').next().map_or(0, str::len);
    &text[..above + last]
}

/// A command that changes a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Writing<'t> {
    /// The file, where it is plain.
    pub(super) path: Option<&'t str>,
    /// The line at which the text ends, if it stands on the lines below.
    pub(super) end: Option<&'t str>,
    /// One of these files has to be there already. Without any it changes a file wherever it is run.
    pub(super) there: Vec<String>,
    /// Whether it may still be none.
    pub(super) perhaps: bool,
    /// Whether all that it does is to remove or to move.
    pub(super) takes_away: bool,
}

impl<'t> Writing<'t> {
    /// The first one in a line.
    pub(super) fn of(line: &'t str) -> Option<Self> {
        let line = trim_start(line);
        let line = without_lead(line);
        let first_word = || line.bytes().position(|byte| byte == b' ').map_or("", |end| &line[..end]);
        match line.as_bytes().first()? {
            // Most lines are prose.
            b'a'..=b'z'
                if ALONE.contains(&first_word())
                    || memchr::memchr3(b'>', b'|', b'&', line.as_bytes()).is_some() =>
            {
                Self::by_words(Words(line))
            }
            b'\'' | b'"' | b'@' | b'$' | b'(' | b'[' | b'A'..=b'Z' => {
                // PowerShell's own, which may be given what stands in the lines above.
                let has = |name: &&str| line.contains(*name);
                (line.contains('-') && CMDLETS.iter().any(has)).then_some(Self {
                    path: None,
                    end: None,
                    there: Vec::new(),
                    perhaps: false,
                    takes_away: false,
                })
            }
            _ => None,
        }
    }

    /// Whether a file is told.
    pub(super) fn is_plain(&self) -> bool {
        self.path.is_some() || !self.there.is_empty()
    }

    fn by_words(mut words: Words<'t>) -> Option<Self> {
        let (mut command, mut path, mut end, mut says) = ("", None, None, false);
        let (mut there, mut moved, mut directory): (Vec<(&str, &str)>, Option<&str>, &str) =
            (Vec::new(), None, "");
        let (mut perhaps, mut is_given) = (None, false);
        while let Some(word) = words.next() {
            match word {
                // The command goes on in the next line.
                "\\" => {}
                // The next command may be given what this one says.
                "|" => command = "",
                "&&" | "||" | ";" | "&" if path.is_some() => break,
                "&&" | "||" | ";" | "&" => (command, end, says, moved) = ("", None, false, None),
                "<<" => end = words.next().and_then(end_of).filter(|_| COPIERS.contains(&command)),
                ">" | ">>" => {
                    let target = words.next();
                    if COPIERS.contains(&command) && command != "tee" {
                        path = path.or(target);
                    }
                }
                "sudo" | "do" if command.is_empty() => {}
                "sed" | "perl" if matches!(command, "find" | "xargs") => (command, is_given) = (word, true),
                "git" if command.is_empty() => {
                    (command, says) =
                        words.next().map_or(("", false), |verb| (verb, matches!(verb, "mv" | "rm")));
                }
                _ if command.is_empty() => {
                    command = word;
                    says = COPIERS.contains(&word) && (says || matches!(word, "echo" | "printf"));
                }
                _ if matches!(command, "sed" | "perl") && is_in_place(word) => says = true,
                _ if word.starts_with('-') => {}
                _ if command == "tee" => path = path.or(Some(word)),
                // The last of the words, since a program stands before them.
                _ if matches!(command, "sed" | "perl") && says => path = Some(word),
                _ if matches!(command, "mv" | "rm") && says => path = path.or(Some(word)),
                _ if command == "cd" => directory = word,
                _ if command == "rm" => there.push((directory, word)),
                // The last of the words is where it goes.
                _ if command == "mv" => there.extend(moved.replace(word).map(|from| (directory, from))),
                // What is copied has to be there, or where a file is made.
                _ if command == "cp" => {
                    perhaps = moved.replace(word).map(|from| (directory, from, word)).or(perhaps);
                }
                _ if command == "touch" => {
                    let folder = word.rsplit_once('/').map(|(folder, _)| (directory, folder, word));
                    perhaps = perhaps.or(folder);
                }
                _ => {}
            }
        }
        // What is changed in its place may be many files, or those that another command says.
        let is_here = is_given || path.is_some_and(|path| !is_elsewhere(without_quotes(path)));
        let in_place = says && is_here && matches!(command, "sed" | "perl");
        let path = path.map(without_quotes).filter(|path| may_be_tracked(path) && !is_given);
        if in_place || path.is_some() && (end.is_some() || says) {
            let takes_away = matches!(command, "mv" | "rm");
            return Some(Self { path, end, there: Vec::new(), perhaps: false, takes_away });
        }
        let may_be_none = there.is_empty();
        let (path, there) = match perhaps.filter(|_| may_be_none) {
            Some((directory, from, to)) => (Some(without_quotes(to)), vec![(directory, from)]),
            None => (None, there),
        };
        let plain = |word| Some(without_quotes(word)).filter(|path| may_be_tracked(path));
        let there = there.into_iter().filter_map(|(directory, path)| match (directory, plain(path)?) {
            ("", path) => Some(path.to_owned()),
            (directory, path) => Some(format!("{}/{path}", plain(directory)?)),
        });
        let there: Vec<String> = there.collect();
        let (perhaps, takes_away) = (path.is_some(), path.is_none());
        (!there.is_empty()).then_some(Self { path, end: None, there, perhaps, takes_away })
    }
}

/// A line without what may stand before a command.
fn without_lead(line: &str) -> &str {
    match line.as_bytes().first() {
        Some(b'$' | b'<') => LEADS.iter().find_map(|lead| line.strip_prefix(lead)).unwrap_or(line),
        _ => line,
    }
}

/// Whether an option has a file changed where it is: `-i`, `-i.bak`, `-pi`.
fn is_in_place(word: &str) -> bool {
    word == "--in-place" || word.starts_with('-') && !word.starts_with("--") && word.contains('i')
}

/// The folder that a line goes to and the lines below it are about.
pub(super) fn folder_of(line: &str) -> Option<&str> {
    let line = without_lead(line);
    let folder = without_quotes(line.strip_prefix("cd ")?).trim_end_matches('/');
    (may_be_tracked(folder) && !folder.contains(char::is_whitespace)).then_some(folder)
}

/// Whether a repository may have a file of that path, as far as anyone but the shell can tell.
fn may_be_tracked(path: &str) -> bool {
    !path.is_empty() && !is_elsewhere(path) && !path.contains(['$', '`', '*'])
}

fn is_elsewhere(path: &str) -> bool {
    path.starts_with(['~', '&', '(']) || path.starts_with("/dev/") || path.starts_with("$HOME")
}

/// The line that ends a text, from the word behind `<<`.
fn end_of(word: &str) -> Option<&str> {
    let word = without_quotes(word.strip_prefix('-').unwrap_or(word).trim_start_matches('\\'));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'!');
    (!word.is_empty() && word.bytes().all(is_name)).then_some(word)
}

fn without_quotes(word: &str) -> &str {
    let inner = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(word)
}

/// The words of a command line, and the marks between its parts.
struct Words<'t>(&'t str);

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.0.trim_ascii_start();
        let first = *text.as_bytes().first()?;
        let is_mark = |byte: u8| matches!(byte, b'<' | b'>' | b'|' | b'&' | b';');
        let mut quote = None;
        let ends = |byte: u8| match quote {
            _ if is_mark(first) => byte != first,
            Some(open) => {
                quote = quote.filter(|_| byte != open);
                false
            }
            None => {
                quote = Some(byte).filter(|byte| matches!(byte, b'"' | b'\''));
                byte.is_ascii_whitespace() || is_mark(byte)
            }
        };
        let end = text.bytes().position(ends).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_into_which_file_is_read() {
        for (line, path, end) in [
            ("cat > a.py <<EOF", "a.py", Some("EOF")),
            ("cat <<'EOF' > src/a.py", "src/a.py", Some("EOF")),
            ("$ cat >>'my file' <<-\"END_1\"", "my file", Some("END_1")),
            ("  cat << \\EOF >a", "a", Some("EOF")),
            ("mkdir -p b && cat > b/a <<E && ls", "b/a", Some("E")),
            ("sudo tee -a conf <<EOF > /dev/null", "conf", Some("EOF")),
            ("cat <<EOF | sudo tee conf >/dev/null", "conf", Some("EOF")),
            ("echo 'x > y' >> .gitignore", ".gitignore", None),
            ("cd a; printf '%s\\n' b > c", "c", None),
            ("echo b | tee c", "c", None),
            ("sed -i 's/a > b/c/' src/a.rs && make", "src/a.rs", None),
            ("sed -Ei.bak s/a/b/ src/a.rs", "src/a.rs", None),
            ("sed --in-place '' s/a/b/ src/a.rs", "src/a.rs", None),
            ("git mv -f a b/a", "a", None),
            ("<parameter name=\"command\">cat > a <<EOF", "a", Some("EOF")),
            ("cd x && git rm a", "a", None),
        ] {
            let takes_away = line.contains("git ");
            let written = Writing { path: Some(path), end, there: Vec::new(), perhaps: false, takes_away };
            assert_eq!(Writing::of(line), Some(written), "{line}");
        }
        for line in ["'@ | Set-Content a.txt", "$text | Out-File -Encoding utf8 a", "Add-Content a 'x'"] {
            assert_eq!(
                Writing::of(line).map(|writing| (writing.path, writing.end)),
                Some((None, None)),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_changed_in_its_place_may_be_many_files() {
        for line in [
            "sed -i 's/a/b/' src/*.rs",
            "perl -pi -e 's/a/b/' \"$file\"",
            "find src -name '*.rs' -exec sed -i 's/a/b/' {} +",
            "grep -rl a src | xargs -n 1 sed -i 's/a/b/'",
            "for f in src/*.rs; do sed -i 's/a/b/' \"$f\"; done",
        ] {
            let written = Writing::of(line).unwrap();
            assert_eq!((written.path, written.perhaps), (None, false), "{line}");
        }
    }

    #[test]
    fn a_command_goes_on_behind_a_backslash() {
        let text = "rm -f \\\n  a.py \\\r\n  'b c'\nls\n";
        assert_eq!(command(text), "rm -f \\\n  a.py \\\r\n  'b c'");
        assert_eq!(Writing::of(command(text)).unwrap().there, ["a.py", "b c"]);
        assert_eq!(["", "a", "a\nb", "a\\", "a\\\n"].map(command), ["", "a", "a", "a\\", "a\\\n"]);
    }

    #[test]
    fn what_is_removed_or_moved_has_to_be_there() {
        for (line, there) in [
            ("rm -rf target", &["target"][..]),
            ("$ rm a.py 'b c'", &["a.py", "b c"]),
            ("cd x && mv -f a b", &["x/a"]),
            ("mv a b src/ && rm c; ls", &["a", "b", "c"]),
            ("sudo rm a > log", &["a"]),
        ] {
            let found = Writing::of(line).map(|writing| writing.there);
            assert_eq!(found, Some(there.iter().map(|path| (*path).to_owned()).collect()), "{line}");
        }
        let written = Writing::of("rm a && echo b > c").map(|writing| (writing.path, writing.there));
        assert_eq!(written, Some((Some("c"), vec![])));
    }

    #[test]
    fn what_is_copied_and_made_may_be_meant() {
        for (line, there, path) in
            [("cp a src/b", "a", "src/b"), ("cd x && cp -r a b", "x/a", "b"), ("touch a/b.py", "a", "a/b.py")]
        {
            let written = Writing::of(line).unwrap();
            assert!(written.perhaps && !written.takes_away, "{line}");
            assert_eq!((written.there, written.path), (vec![there.to_owned()], Some(path)), "{line}");
        }
        assert!(!Writing::of("cp a b && rm c").unwrap().perhaps);
        assert_eq!(
            ["cd a/", "$ cd 'a b'", "cd ~", "cd a && b"].map(folder_of),
            [Some("a"), None, None, None]
        );
    }

    #[test]
    fn other_commands_and_prose_are_none() {
        for line in [
            "npm install",
            "cat a",
            "cat a > b",
            "make > log",
            "psql <<EOF",
            "psql <<EOF > out",
            "echo 1 | bc | tee out",
            "python - <<'EOF' | tee out && echo done",
            "cat <<EOF",
            "cat <<EOF | psql",
            "cat <<< a > b",
            "cat > ~/.npmrc <<EOF",
            "cat > \"$HOME/a\" <<EOF",
            "echo b > /dev/null",
            "echo b >&2",
            "echo 'a > b'",
            "Use cat > a <<EOF here",
            "use cat > a <<EOF here",
            "| echo a > b | c |",
            "x = 1 << 3 > y",
            "",
            "cat >",
            "git commit -m 'x > y'",
            "git rm \"$file\"",
            "sed 's/a/b/' c",
            "sed -n -i",
            "sed -i 's/a/b/' ~/.profile",
            "find . -name '*.pyc' -delete",
            "grep -rl a src | xargs sed -n 1p",
            "rm -rf ~/.cache \"$TMP/a\" *.o",
            "rm",
            "mv a",
            "rmdir a",
            "cp a",
            "touch a",
            "sed --silent p a",
            "Set the Content",
            "cat <<",
        ] {
            assert_eq!(Writing::of(line), None, "{line}");
        }
    }
}
