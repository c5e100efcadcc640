//! The text above an edit: it may name the file, and say why the edit is made.
//!
//! While a response is read, [`Above`] holds the last paragraphs and headings since the last edit or code block, the
//! nearest heading with a path, and the file of the last edit.

use super::file::{self, NamedPath};
use super::scan::{Line, trim, trim_start};
use super::why;
use crate::edit::{Candidate, Clue, Target};
use crate::text::Language;

/// At most this number of texts are kept.
const MAX_TEXTS: usize = 6;
/// At most this number of lines of a text are kept.
const MAX_LINES: usize = 40;
/// At most this number of words of a paragraph are kept because they may be paths.
const MAX_MENTIONS: usize = 12;

/// The ends of sentences.
const SENTENCE_ENDS: [char; 9] = ['.', '!', '?', ':', '…', '。', '！', '？', '：'];

/// A paragraph, heading or list item.
#[derive(Clone, Debug)]
struct Text<'r> {
    is_heading: bool,
    /// Whether it begins with `Why:`.
    is_reason: bool,
    /// Whether it is in a fence of code. Then it may be a command, and is not a reason.
    is_code: bool,
    lines: Vec<Line<'r>>,
    /// The path, if the last line is only a path.
    path: Option<NamedPath<'r>>,
}

/// The text above the current line.
#[derive(Clone, Debug, Default)]
pub(super) struct Above<'r> {
    response: u32,
    texts: Vec<Text<'r>>,
    /// Whether the next line may continue the last text. A blank line ends it.
    pub(super) is_open: bool,
    /// The path in the nearest heading since the last block, and whether the heading is only `File:` and the path.
    heading: Option<(Target, bool)>,
    /// The file of the previous block. It is uncertain if that block has several candidates.
    previous: Option<Candidate>,
    /// The path in the nearest heading above the previous block.
    far_heading: Option<Target>,
    /// The path on the line right above the current fence, until the first block in the fence was read.
    outside: Option<Target>,
    /// The path in the info string of the current fence, and whether the info string names only a part of the file.
    info: Option<(Target, bool)>,
    /// Whether the info string of that fence names a language of code.
    is_code: bool,
}

impl<'r> Above<'r> {
    pub(super) fn new(response: u32) -> Self {
        Self { response, ..Self::default() }
    }

    /// Reads a line of text; returns whether it only names a file or a reason. `begins_item`: it begins a list item.
    pub(super) fn read_line(&mut self, line: Line<'r>, begins_item: bool) -> bool {
        let text = trim(line.text);
        let is_bold = text.len() > 4 && text.starts_with("**") && text.trim_end_matches(':').ends_with("**");
        let (path, has_label) = file::path_and_label(line.text);
        let is_heading = text.starts_with('#') || is_bold || has_label;
        let is_reason = why::labelled(text).is_some();
        if is_heading {
            let only = path.filter(NamedPath::is_sure).or_else(|| {
                let mut words = file::path_words(text).filter(NamedPath::is_sure);
                words.next().filter(|first| words.all(|other| other.path == first.path))
            });
            let is_label = has_label && path.is_some();
            self.heading = only.map(|found| (self.target(found, line), is_label)).or(self.heading.take());
        }
        let continues = self.is_open && !begins_item && !is_heading && !is_reason;
        match self.texts.last_mut().filter(|_| continues) {
            Some(last) => {
                if last.lines.len() == MAX_LINES {
                    last.lines.remove(0);
                }
                last.lines.push(line);
                last.path = path;
            }
            None => {
                if self.texts.len() == MAX_TEXTS {
                    self.texts.remove(0);
                }
                let is_code = self.is_code;
                self.texts.push(Text { is_heading, is_reason, is_code, lines: vec![line], path });
            }
        }
        self.is_open = !is_heading;
        is_reason || path.is_some_and(|path| path.is_sure())
    }

    /// Reads the only line of a fence, which is a path.
    pub(super) fn read_path_in_fence(&mut self, line: Line<'r>) {
        let outer = std::mem::replace(&mut self.is_code, true);
        self.read_line(line, true);
        self.is_code = outer;
    }

    /// Whether the last text is in a fence of code.
    pub(super) fn is_in_fence(&self) -> bool {
        self.texts.last().is_some_and(|text| text.is_code)
    }

    /// Forgets the texts, because they belong to the edit or code block below them.
    pub(super) fn clear(&mut self) {
        self.texts.clear();
        (self.is_open, self.outside) = (false, None);
    }

    /// Returns the state to restore after a fence or quote without edits. It keeps only the last text.
    pub(super) fn saved(&self) -> Self {
        let texts = self.texts.last().cloned().into_iter().collect();
        Self { texts, is_open: false, ..self.clone() }
    }

    /// Enters a fence with an info string.
    pub(super) fn enter(&mut self, line: Line<'_>, info: &str, is_code: bool) {
        self.is_code = is_code;
        let outside = self.path_line().filter(|(found, _)| found.is_sure());
        self.outside = outside.map(|(found, line)| self.target(found, line));
        let offset = info.as_ptr() as usize - line.text.as_ptr() as usize;
        self.info = file::path_info(info)
            .map(|found| (found.target(line.skip(offset), self.response), found.is_part));
        self.is_open = false;
    }

    /// Leaves the fence.
    pub(super) fn leave(&mut self) {
        (self.info, self.outside, self.is_code) = (None, None, false);
        self.is_open = false;
    }

    /// Sets the file of the block that was read. `is_sure`: the block has no other candidates. The heading above that
    /// block becomes the far heading. If there is none, an earlier far heading stays until the file of a block is sure.
    pub(super) fn set_previous(&mut self, file: Option<Target>, is_sure: bool) {
        self.previous = file.map(|path| Candidate { path, by: Clue::Previous, quoted: is_sure });
        let heading = self.heading.take().map(|(path, _)| path);
        self.far_heading = heading.or(self.far_heading.take().filter(|_| !is_sure));
    }

    fn target(&self, found: NamedPath<'_>, line: Line<'_>) -> Target {
        found.target(line, self.response)
    }

    /// The path on the line right above.
    fn path_line(&self) -> Option<(NamedPath<'r>, Line<'r>)> {
        let text = self.texts.iter().rev().find(|text| !text.is_reason)?;
        let line = *text.lines.last()?;
        // The first line of a fence may name the file in a comment.
        Some((text.path.or_else(|| file::path_comment(line.text))?, line))
    }

    /// Returns the files that an edit without a path may belong to, the clearest and nearest first.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let named = |path, by| Candidate { path, by, quoted: true };
        let line = self.path_line();
        let of_line = |by| line.map(|(found, line)| named(self.target(found, line), by));
        let is_sure = line.is_some_and(|(found, _)| found.is_sure());
        let mut all: Vec<Candidate> = of_line(Clue::Line).filter(|_| is_sure).into_iter().collect();
        // The line above the fence and the line in it are both right above the edit, so both are candidates.
        let is_other = |path: &&Target| {
            all.first().is_some_and(|inside| !file::may_be_same(&path.raw, &inside.path.raw))
        };
        let outside = self.outside.as_ref().filter(is_other).cloned();
        all.extend(outside.map(|path| named(path, Clue::Line)));
        all.extend(self.info.clone().map(|(path, _)| named(path, Clue::Info)));
        let is_named = !all.is_empty();
        let heading = |is_label| if is_label { Clue::FileHeading } else { Clue::Heading };
        all.extend(self.heading.clone().map(|(path, is_label)| named(path, heading(is_label))));
        // The path line may be above the prose with the reason.
        let further = self.texts.iter().rev().filter_map(|text| Some((text.path?, *text.lines.last()?)));
        let further = further.filter(|(found, _)| !is_named && found.is_sure()).take(1);
        all.extend(further.map(|(found, line)| named(self.target(found, line), Clue::Heading)));
        if !is_named {
            all.extend(self.previous.clone());
            all.extend(self.far_heading.clone().map(|path| named(path, Clue::Previous)));
            // A single word or a line with blanks may be the name of a file.
            all.extend(of_line(Clue::Line).map(|line| Candidate { quoted: false, ..line }));
            let mentions = self.mentions().into_iter();
            all.extend(mentions.map(|mention| Candidate { by: Clue::Mention, ..mention }));
        }
        // The list is short because every edit stores it. The file of the previous block may be in it again as a
        // mention.
        let mut unique: Vec<Candidate> = Vec::with_capacity(all.len().min(2 * MAX_MENTIONS));
        for file in all {
            let is_same = |other: &Candidate| {
                let is_near = file.by == other.by || other.by != Clue::Previous;
                is_near
                    && !file.is_uncertain_previous()
                    && !other.is_uncertain_previous()
                    && other.path.is_like(&file.path)
            };
            if unique.len() < 2 * MAX_MENTIONS && !unique.iter().any(is_same) {
                unique.push(file);
            }
        }
        unique
    }

    /// Returns the files that a code block may belong to: from its path line, from its info string if `info` is true,
    /// and from the words right above.
    pub(super) fn files_of_block(&self, info: bool) -> Vec<Candidate> {
        let line = self.path_line().map(|(found, line)| {
            let path = self.target(found, line);
            let by = if file::path_and_label(line.text).1 { Clue::Label } else { Clue::Line };
            Candidate { path, by, quoted: found.quoted }
        });
        let info = self.info.clone().filter(|_| info);
        let info = info.map(|(path, _)| Candidate { path, by: Clue::Info, quoted: false });
        line.into_iter().chain(info).chain(self.mentions()).collect()
    }

    /// Whether the path line or the info string of a code block names a part of the file.
    pub(super) fn is_part(&self) -> bool {
        let of_info = self.info.as_ref().is_some_and(|(_, is_part)| *is_part);
        of_info || self.path_line().is_some_and(|(found, _)| found.is_part)
    }

    /// Returns the words of the paragraph or heading right above that may be paths, the most likely ones first.
    fn mentions(&self) -> Vec<Candidate> {
        let Some(text) = self.texts.last() else { return Vec::new() };
        let by = if text.is_heading { Clue::Heading } else { Clue::Mention };
        let words =
            text.lines.iter().flat_map(|line| file::path_words(line.text).map(move |found| (found, *line)));
        let mut words: Vec<_> = words.collect();
        words.sort_by_key(|(found, _)| !found.is_sure());
        let all = words.into_iter().take(MAX_MENTIONS);
        let quoted = |found: NamedPath<'_>| found.quoted || text.is_heading && found.path.contains('/');
        all.map(|(found, line)| Candidate { path: self.target(found, line), by, quoted: quoted(found) })
            .collect()
    }

    /// Returns the reason for the edit below: the last paragraph or heading above its path. A paragraph that ends with
    /// a colon only announces the edit, so the heading above it is the reason instead.
    pub(super) fn why(&self) -> Option<String> {
        if let Some(text) = self.texts.iter().rfind(|text| text.is_reason) {
            let mut lines = text.lines.iter().map(|line| line.text);
            let first = lines.next().and_then(why::labelled);
            return why::of_prose(first.into_iter().chain(lines));
        }
        let mut is_announced = false;
        // Right above an edit may be a command, or a label that was copied with a chat page, such as `Copy code`. These
        // are one line that is not a sentence, or lines of one or two words.
        let is_sentence = |line: &Line<'_>| trim(line.text).ends_with(SENTENCE_ENDS);
        let is_short = |line: &Line<'_>| line.text.split_whitespace().count() <= 2;
        let is_label = |text: &Text<'_>| {
            let lines = &text.lines;
            !lines.iter().any(is_sentence) && (lines.len() == 1 || lines.iter().all(is_short))
        };
        let labels = usize::from(self.is_open && self.texts.last().is_some_and(is_label));
        let texts = self.texts.iter().rev().skip(labels).filter(|text| !text.is_code);
        for text in texts {
            if is_announced && !text.is_heading {
                continue;
            }
            let mut lines: Vec<&str> = text.lines.iter().map(|line| line.text).collect();
            if text.path.is_some_and(|path| path.is_sure() || Language::is_well_known(path.path)) {
                lines.pop();
            }
            lines.retain(|line| !is_markup(line));
            let Some(last) = lines.last() else { continue };
            if !text.is_heading && trim(last).ends_with([':', '：']) {
                is_announced = true;
                continue;
            }
            let why = why::of_prose(lines.into_iter()).filter(|why| !file::only_names(why));
            if why.is_some() {
                return why.map(|why| why.trim_end_matches(':').to_owned());
            }
        }
        None
    }

    /// Returns the path line at the end of the response, which nothing follows.
    pub(super) fn open_heading(&self) -> Option<Line<'r>> {
        let (found, line) = self.path_line()?;
        found.is_sure().then_some(line)
    }
}

/// Whether a line is a rule, a tag, a table row or a comment of Markdown.
fn is_markup(line: &str) -> bool {
    let text = trim(line);
    let is_rule = text.bytes().all(|byte| matches!(byte, b'-' | b'*' | b'_' | b'=' | b' '));
    let is_tag = text.starts_with('<') && text.ends_with('>') && !trim_start(&text[1..]).is_empty();
    is_rule || is_tag || text.starts_with('|') || text.starts_with("[//]: ")
}
