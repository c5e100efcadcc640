//! How a response is to be read: in which formats, and for which file.

use super::{Format, FormatId};

/// How a response is to be read. By default all formats are that are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reading {
    /// The formats that are asked for. One that is never detected is read beside those that are; any other restricts
    /// reading to those that are given.
    pub formats: Vec<FormatId>,
    /// The file of blocks that name none.
    pub path: Option<String>,
}

impl Reading {
    /// As this format.
    pub fn only(format: FormatId) -> Self {
        Self { formats: vec![format], path: None }
    }

    /// Whether a format is read.
    pub fn reads(&self, id: FormatId) -> bool {
        self.formats.contains(&id) || Format::is_detected_by(id) && !self.is_restricted()
    }

    /// Reads all that is detected again, beside what is read only if it is asked for.
    pub fn widen(&mut self) {
        self.formats.retain(|id| !Format::is_detected_by(*id));
    }

    /// Whether it was asked for other formats than those that are read beside what is detected.
    pub fn is_restricted(&self) -> bool {
        self.formats.iter().any(|id| Format::is_detected_by(*id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_files_are_read_beside_what_is_detected_and_others_alone() {
        let reads = |formats: &[FormatId]| {
            let reading = Reading { formats: formats.to_vec(), path: None };
            [FormatId::Opx, FormatId::Diff, FormatId::WholeFile].map(|id| reading.reads(id))
        };
        assert_eq!(reads(&[]), [true, true, false]);
        assert_eq!(reads(&[FormatId::WholeFile]), [true, true, true]);
        assert_eq!(reads(&[FormatId::Opx]), [true, false, false]);
        assert_eq!(reads(&[FormatId::WholeFile, FormatId::Diff]), [false, true, true]);
    }
}
