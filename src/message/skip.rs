//! Changes words in a commit message that tell continuous integration to skip the commit: a response must not decide
//! that. The words are those that GitHub, GitLab, Azure Pipelines and others document.

/// The names that can come after `skip`. A name of several words is written without separators: `cfpages`.
const SKIPPABLE: &str = "ci actions appveyor azp azpipelines azurepipelines bitrise build buildkite cd cfpages checks circleci \
    cirrus deploy drone eas netlify pipeline render run semaphore tkn travis travisci vela vercel";

/// Changes such words: `[skip ci]` becomes `(skip ci)`. The length of the text stays the same.
pub(super) fn defused(text: &str) -> std::borrow::Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let mut marks: Vec<(usize, u8)> = Vec::new();
    for (open, _) in lower.match_indices('[') {
        // All such words are shorter. The limit keeps the search linear.
        let near = lower.as_bytes()[open + 1..].iter().take(32);
        let close = near.take_while(|byte| !matches!(byte, b'[' | b'\n')).position(|&byte| byte == b']');
        let Some(close) = close.map(|length| open + 1 + length) else { continue };
        if lower.get(open + 1..close).is_some_and(is_request) {
            marks.extend([(open, b'('), (close, b')')]);
        }
    }
    marks.extend(lower.match_indices("***no_ci***").map(|(at, _)| (at + 5, b'-')));
    marks.extend(lower.match_indices("skip-checks:").map(|(at, _)| (at + 4, b' ')));
    if marks.is_empty() {
        return text.into();
    }
    let mut bytes = text.as_bytes().to_vec();
    for (at, byte) in marks {
        bytes[at] = byte;
    }
    // ASCII characters were replaced by others, so the text is still UTF-8.
    String::from_utf8(bytes).map_or_else(|_| text.into(), Into::into)
}

/// Whether a text in brackets asks to skip something: `skip` before or after a name, or `no` before it. Some services
/// also accept it as one word (`skipci`).
fn is_request(inside: &str) -> bool {
    let word: String = inside.split([' ', '\t', '-', '_']).collect();
    let name = ["skip", "no"].iter().find_map(|before| word.strip_prefix(before));
    name.or_else(|| word.strip_suffix("skip"))
        .is_some_and(|name| SKIPPABLE.split(' ').any(|known| known == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_skip_are_changed() {
        for (text, plain) in [
            ("Fix [skip ci]", "Fix (skip ci)"),
            ("[CI skip] x [no ci]", "(CI skip) x (no ci)"),
            ("[skip actions][Actions-Skip]", "(skip actions)(Actions-Skip)"),
            ("[[skip  ci]]", "[(skip  ci)]"),
            ("[CF-Pages-Skip] [skip travis-ci]", "(CF-Pages-Skip) (skip travis-ci)"),
            ("[skip tkn] [eas skip] [no eas] [vela skip]", "(skip tkn) (eas skip) (no eas) (vela skip)"),
            ("[skipci] [CISkip] [skipRun]", "(skipci) (CISkip) (skipRun)"),
            ("é ***NO_CI*** é", "é ***NO-CI*** é"),
            ("Skip-Checks: true", "Skip Checks: true"),
            ("skip-checks:true", "skip checks:true"),
        ] {
            assert_eq!(defused(text), plain);
            assert_eq!(defused(plain), plain, "twice is once");
        }
        for text in [
            "[skip]",
            "[skip link]",
            "[skip the ci]",
            "[skip\nci]",
            "[ci",
            "NO_CI",
            "[é]",
            "a[0] skip ci]",
            "[no]",
            "[no news]",
        ] {
            assert_eq!(defused(text), text);
        }
    }

    #[test]
    fn many_brackets_take_linear_time() {
        let text = "[skip ".repeat(100_000);
        assert_eq!(defused(&text), text);
    }
}
