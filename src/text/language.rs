//! Guesses the language of a file from its name, to know its comments and other syntax.

mod literal;

/// The language of a file, as far as locating edits needs it. An unknown language has no comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Language {
    /// The mark of a line comment.
    line: &'static str,
    /// The marks of block comments.
    block: &'static [(&'static str, &'static str)],
    traits: &'static [Trait],
    /// What opens and what closes strings of several lines. `<<` opens a heredoc, which its own word closes.
    literals: &'static [(&'static str, &'static str)],
}

/// What is special about a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trait {
    /// Text for people, without code.
    Prose,
    /// `name:` alone on a line is a label, as in C.
    Labels,
    /// The lines of a block comment begin with a star.
    Starred,
    /// The head of a block is a selector, which may begin with `.`, `#` and other signs.
    Selectors,
    /// Nothing may follow the last bracket of a file.
    Closed,
    /// `...` may be the whole body of a function.
    DotsAreBodies,
    /// `...` may be any body.
    Stub,
    /// `...` may end a document.
    DotsEndDocuments,
    /// `...` may be the last parameter or argument.
    DotsAreArguments,
    /// `&lt;` stands for `<`.
    Markup,
    /// Indentation is syntax.
    Indented,
    /// In a string, a backslash at the end of a line removes the whitespace at the beginning of the next line.
    Joins,
}

use Trait::{
    Closed, DotsAreArguments, DotsAreBodies, DotsEndDocuments, Indented, Joins, Labels, Markup, Prose,
    Selectors, Starred, Stub,
};

const STARS: &[(&str, &str)] = &[("/*", "*/")];
const HASH: Language = language("#", &[], &[]);
const PROSE: Language = language("", &[], &[Prose]);

/// Languages by file extension.
const BY_EXTENSION: &[(&str, Language)] = &[
    (
        "c h cc cpp cxx c++ hpp hh hxx ipp m mm cu",
        language("//", STARS, &[Labels, Starred, DotsAreArguments]),
    ),
    (
        "java js mjs cjs ts mts cts go cs swift kt kts scala dart groovy gradle proto glsl hlsl v sv",
        language("//", STARS, &[Labels, Starred]),
    ),
    ("jsx tsx php", language("//", STARS, &[Labels, Starred, Markup])),
    ("jsonc json5", language("//", STARS, &[Labels, Starred, Closed])),
    ("rs zig", language("//", STARS, &[Joins])),
    ("py pyw pyx bzl bazel star", language("#", &[], &[DotsAreBodies, Indented])),
    ("pyi", language("#", &[], &[Stub, Indented])),
    ("yaml yml", language("#", &[], &[DotsEndDocuments, Indented])),
    ("nim coffee", language("#", &[], &[Indented])),
    (
        "rb sh bash zsh fish ksh pl pm toml tf hcl cmake ex exs jl ps1 gitignore dockerfile conf cfg \
         properties env nix graphql awk sed tcl elv cr gd mk make",
        HASH,
    ),
    ("r", language("#", &[], &[DotsAreArguments])),
    ("lua", language("--", &[], &[DotsAreArguments])),
    ("hs elm sql ada adb ads vhd vhdl", language("--", &[], &[])),
    ("lisp lsp el clj cljs cljc edn scm rkt asm s ini", language(";", &[], &[])),
    ("erl hrl sty cls", language("%", &[], &[])),
    (
        "html htm xhtml xml svg xsl xslt xsd vue svelte astro plist xaml resx csproj storyboard xib hbs ejs erb twig jinja \
         j2 cshtml razor jsp",
        language("", &[("<!--", "-->")], &[Markup]),
    ),
    ("css", language("", STARS, &[Selectors])),
    ("scss sass less styl", language("//", STARS, &[Selectors])),
    ("json ipynb webmanifest geojson", language("", &[], &[Closed])),
    ("md markdown mdx rst adoc asciidoc org txt tex", PROSE),
];

/// Names of prose files without an extension.
const PROSE_NAMES: &str =
    "CHANGELOG CHANGES CONTRIBUTING HISTORY NEWS NOTES README TODO AUTHORS LICENSE COPYING NOTICE";

/// Names of files whose comments begin with `#`, whatever their extension.
const HASH_NAMES: &str = "Dockerfile Containerfile Rakefile Gemfile Vagrantfile Brewfile \
                          CMakeLists.txt constraints.txt robots.txt Justfile justfile CODEOWNERS \
                          Makefile makefile GNUmakefile Procfile";

/// Names of other files without an extension.
const OTHER_NAMES: &str = "Jenkinsfile";

/// Extensions or names of files, and after a colon their languages in info strings. The last ones are usually no files.
const LABELS: &str = "py pyi pyw:python python3|rs:rust|js mjs cjs jsx:javascript node js jsx|ts mts cts \
                      tsx:typescript ts tsx|c h:c|cc cpp cxx hh hpp hxx h cu ino:c++ cpp cuda arduino|cs:csharp c#|\
                      go:golang|kt kts:kotlin|rb rakefile gemfile vagrantfile brewfile podfile gemspec podspec rake \
                      ru:ruby|groovy gradle jenkinsfile:groovy|scala sbt sc:scala|sh bash zsh bashrc zshrc profile \
                      bats:shell sh bash zsh|ps1:powershell ps pwsh|bat cmd:batch bat dos cmd|yml yaml \
                      clang-format:yaml yml|html htm vue svelte:html|md mdx rmd qmd:markdown md|erb ejs twig hbs j2 \
                      cshtml jsp:html html+erb eruby handlebars jinja jinja2 django razor|svg plist csproj fsproj \
                      vbproj props targets xaml resx xsd xsl xslt storyboard xib:xml html|scss sass less:css scss|ex \
                      exs:elixir|hs:haskell|ml mli:ocaml|m mm:objectivec objective-c objc matlab|pl pm:perl|tf \
                      tfvars:terraform hcl|json prettierrc eslintrc babelrc ipynb geojson webmanifest:json jsonc json5|\
                      pipfile:toml|lock:toml yaml json text|proto:protobuf|sol:solidity|v sv svh:verilog systemverilog|\
                      mod sum:go text|ini cfg conf service editorconfig:ini nginx|tiltfile bzl bazel:python starlark \
                      bazel|build:meson|cmakelists.txt:cmake|justfile:just|makefile gnumakefile mk:make makefile|\
                      dockerfile containerfile:docker dockerfile|txt cmakelists.txt constraints.txt robots.txt license \
                      copying notice procfile:text txt plaintext|:console terminal shell-session shellsession \
                      sh-session output stdout stderr log http curl diff patch mermaid plantuml ascii tree none";

/// A comment with one of these is a directive: a program reads it.
const DIRECTIVES: &str = "noqa|nolint|type:|mypy:|pylint|pyright|pragma|fmt:|isort:|ruff:|-*-|coding:|coding=|go:|\
                          +build|eslint|tslint|@ts-|prettier-ignore|istanbul|c8 ignore|v8 ignore|biome-ignore|webpack|\
                          sourcemappingurl|<reference|@formatter|clang-format|rubocop|frozen_string_literal|shellcheck|\
                          syntax=|swiftlint|ktlint|[if |spdx-license|language=|yaml-language-server|$schema|checkstyle|\
                          nosonar|phpcs|phpstan|cspell|coverage:|export ";

const fn language(
    line: &'static str,
    block: &'static [(&'static str, &'static str)],
    traits: &'static [Trait],
) -> Language {
    Language { line, block, traits, literals: &[] }
}

impl Language {
    /// The unknown language.
    pub const UNKNOWN: Self = language("", &[], &[]);

    /// The language of a file, by its path.
    pub fn of(path: &str) -> Self {
        Self { literals: literal::marks(&kind(path)), ..Self::by_name(path) }
    }

    /// The language of a file, without its string literals.
    fn by_name(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is = |names: &str, name: &str| {
            names.as_bytes().split(|byte| *byte == b' ').any(|other| other == name.as_bytes())
        };
        if is(HASH_NAMES, name) || name.starts_with("requirements") && name.ends_with(".txt") {
            return HASH;
        }
        let Some((_, extension)) = name.rsplit_once('.') else {
            return if is(PROSE_NAMES, name) { PROSE } else { Self::UNKNOWN };
        };
        let extension = extension.to_ascii_lowercase();
        let known = BY_EXTENSION.iter().find(|(names, _)| is(names, &extension));
        known.map_or(Self::UNKNOWN, |(_, language)| *language)
    }

    /// Whether the names of this file's language in info strings are known.
    pub(crate) fn has_name(path: &str) -> bool {
        let kind = kind(path);
        LABELS.split('|').any(|one| has_word(one.split(':').next(), &kind))
    }

    /// Whether this is a common file name without an extension, such as `Makefile`.
    pub(crate) fn is_well_known(name: &str) -> bool {
        [HASH_NAMES, PROSE_NAMES, OTHER_NAMES].iter().any(|names| has_word(Some(names), name))
    }

    /// Whether an info string is empty or names the language of this file.
    pub(crate) fn is_called(label: &str, path: &str) -> bool {
        let (label, kind) = (label.to_ascii_lowercase(), kind(path));
        let is_name = |one: &str| {
            let (kinds, names) = one.split_once(':').unzip();
            has_word(kinds, &kind) && has_word(names, &label)
        };
        label.is_empty() || label == kind || LABELS.split('|').any(is_name)
    }

    /// Whether an info string is empty, names the language of this file, or neither of them is known.
    pub(crate) fn may_be_called(label: &str, path: &str) -> bool {
        let name = label.to_ascii_lowercase();
        let mut rows = BY_EXTENSION.iter().map(|(names, _)| *names).chain([LABELS]);
        let mut is_known = || rows.any(|row| row.split([' ', ':', '|']).any(|word| word == name));
        Self::is_called(label, path) || !Self::has_name(path) && !is_known()
    }

    pub(crate) fn has(self, one: Trait) -> bool {
        self.traits.contains(&one)
    }

    /// Whether it is text for people, without code.
    pub fn is_prose(self) -> bool {
        self.has(Prose)
    }

    /// The length of the quoted text at the start of a line, with both quotes; `None` if it is not closed on the line.
    pub(crate) fn quoted(line: &[u8]) -> Option<usize> {
        let quote = *line.first()?;
        let mut at = 1;
        while let Some(&byte) = line.get(at) {
            match byte {
                b'\\' => at += 2,
                _ if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        None
    }

    /// Whether a line is a label, such as C's `error:`, `case 1:` or `public:`, which begins no block.
    pub(crate) fn is_label(self, line: &[u8]) -> bool {
        let (code, _) = self.split(line);
        let code = code.trim_ascii();
        let Some(name) = code.strip_suffix(b":") else { return false };
        let is_word = |text: &[u8]| text.iter().all(|b| b.is_ascii_alphanumeric() || b"_$".contains(b));
        self.has(Labels) && (is_word(name) || name.starts_with(b"case "))
    }

    /// Splits a line into its code, and the comment at its end with the whitespace before it. A directive is code.
    pub(crate) fn split(self, line: &[u8]) -> (&[u8], &[u8]) {
        match self.comment(line) {
            Some(at) if !is_directive(&line[at..]) => {
                let code = line[..at].trim_ascii_end().len();
                line.split_at(code)
            }
            _ => (line, &[]),
        }
    }

    /// Whether a line is only a comment.
    pub(crate) fn is_comment(self, line: &[u8]) -> bool {
        !self.has(Prose) && self.is_no_code(line)
    }

    /// Whether a line has no code: it is only a comment, or a line of text for people.
    pub(crate) fn is_no_code(self, line: &[u8]) -> bool {
        if self.has(Prose) {
            return !line.trim_ascii().is_empty();
        }
        let inside = |text: &[u8]| {
            // A middle line of a block comment.
            self.block.iter().any(|(open, _)| *open == "/*")
                && self.has(Starred)
                && (text == b"*" || text.starts_with(b"* "))
                && !text.last().is_some_and(|last| b";{,()".contains(last))
                && !is_directive(text)
        };
        let (code, comment) = self.split(line);
        code.trim_ascii().is_empty() && !comment.is_empty() || inside(line.trim_ascii())
    }

    /// Where the comment of a line begins; a mark in quotes does not count.
    fn comment(self, line: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < line.len() {
            let rest = &line[at..];
            if let b'"' | b'`' | b'\'' = rest[0] {
                match Self::quoted(rest) {
                    Some(length) => at += length,
                    // A string of several lines begins here. But a lone `'` may be an apostrophe or a lifetime.
                    None if rest[0] != b'\'' => return None,
                    None => at += 1,
                }
                continue;
            }
            let apart = at == 0 || line[at - 1].is_ascii_whitespace();
            let begins = !self.line.is_empty() && rest.starts_with(self.line.as_bytes());
            // Not in `http://`, `$#` or `a--b`.
            if begins && (apart || self.line == "//" && !b":\\".contains(&line[at - 1]) || self.line == ";") {
                return Some(at);
            }
            if let Some((open, close)) = self.block.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))
            {
                let inner = &rest[open.len()..];
                match memchr::memmem::find(inner, close.as_bytes()) {
                    // Code may follow the comment.
                    Some(end) if !inner[end + close.len()..].trim_ascii().is_empty() => {
                        at += open.len() + end + close.len();
                        continue;
                    }
                    _ => return Some(at),
                }
            }
            at += 1;
        }
        None
    }
}

/// The extension of a path, or its name if it has none or is known, in lowercase. `Dockerfile.dev` is a `Dockerfile`.
fn kind(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = [name, name.split('.').next().unwrap_or(name)];
    let known = known.into_iter().find(|name| has_word(Some(HASH_NAMES), name));
    known.or(extension(path)).unwrap_or(name).to_ascii_lowercase()
}

pub(crate) fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension).filter(|text| !text.is_empty() && text.is_ascii())
}

fn has_word(words: Option<&str>, word: &str) -> bool {
    words.is_some_and(|words| words.split(' ').any(|other| other == word))
}

/// Whether a program reads this comment.
fn is_directive(comment: &[u8]) -> bool {
    let text = String::from_utf8_lossy(comment).to_lowercase();
    text.starts_with("#!") || DIRECTIVES.split('|').any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment<'a>(path: &str, line: &'a str) -> &'a str {
        std::str::from_utf8(Language::of(path).split(line.as_bytes()).1).unwrap()
    }

    #[test]
    fn comments_are_known_by_the_name_of_the_file() {
        assert_eq!(comment("a.rs", "x(); // what"), " // what");
        assert_eq!(comment("a.py", "x = 1  # what"), "  # what");
        assert_eq!(comment("src/Makefile", "# what"), "# what");
        assert_eq!(comment("requirements-dev.txt", "x==1 # y"), " # y");
        assert_eq!(comment("a.sql", "select 1 -- what"), " -- what");
        assert_eq!(comment("a.html", "<p> <!-- what -->"), " <!-- what -->");
        assert_eq!(comment("a.c", "f(/* x */ 1); /* y */"), " /* y */");
        assert_eq!(comment("a.unknown", "x # y // z"), "");
    }

    #[test]
    fn info_strings_name_the_language_of_a_file() {
        for (label, path) in [
            ("cmake", "CMakeLists.txt"),
            ("ruby", "Gemfile.lock"),
            ("docker", "Dockerfile.dev"),
            ("make", "Makefile.am"),
            ("text", "CMakeLists.txt"),
            ("text", "robots.txt"),
            ("go", "go.mod"),
        ] {
            assert!(Language::is_called(label, path), "{path}");
        }
        assert!(Language::may_be_called("latex", "a.tex") && !Language::may_be_called("bash", "a.log"));
        assert!(!Language::is_called("python", "Build") && !Language::is_called("python", "CMakeLists.txt"));
    }

    #[test]
    fn a_mark_inside_quotes_begins_no_comment() {
        assert_eq!(comment("a.py", "x = \"# y\""), "");
        assert_eq!(comment("a.js", "x = 'a // b' // c"), " // c");
        assert_eq!(comment("a.js", "x = \"a \\\" // b\""), "");
        assert_eq!(comment("a.rs", "fn f<'a>(x: &'a str) // c"), " // c");
        assert_eq!(comment("a.js", "x = \"begins // here"), "");
        assert_eq!(comment("a.go", "u := http://x"), "");
        assert_eq!(comment("a.sh", "echo $#"), "");
    }

    #[test]
    fn directives_are_code() {
        for (path, line) in [
            ("a.py", "#!/usr/bin/python"),
            ("a.py", "import x  # noqa: F401"),
            ("a.go", "//go:build linux"),
            ("a.js", "// eslint-disable-next-line"),
        ] {
            assert_eq!(comment(path, line), "", "{line}");
            assert!(!Language::of(path).is_no_code(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn prose_is_no_code() {
        let prose = |path: &str| Language::of(path).is_prose();
        assert!(prose("a/README") && prose("b.MD") && prose("c.rst") && prose("CHANGELOG"));
        assert!(
            !prose("requirements.txt")
                && !prose("CMakeLists.txt")
                && !prose("a.rs")
                && !prose("LICENSES/x.py")
        );
        assert!(Language::of("a.js").is_no_code(b" * what it is"));
        assert!(!Language::of("a.c").is_no_code(b" *p = 3;"));
    }

    #[test]
    fn labels_are_those_of_c() {
        let label = |path: &str, line: &str| Language::of(path).is_label(line.as_bytes());
        assert!(label("a.c", "error:") && label("a.c", "  case 1: // x") && label("a.cpp", "public:"));
        assert!(!label("a.yml", "  lint:") && !label("a.py", "else:") && !label("a.c", "int f(void)"));
    }
}
