//! Which formats of a response are read, and for which file.

use super::FormatId;

/// Which formats of a response are read, and for which file; by default all formats that are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reading {
    /// The formats that the user asked for. Whole files and snippets are read in addition to the detected formats. If
    /// any other format is in the list, only the formats in the list are read.
    pub formats: Vec<FormatId>,
    /// The file of blocks without a path.
    pub path: Option<String>,
}

impl Reading {
    /// Reads a single format.
    pub fn only(format: FormatId) -> Self {
        Self { formats: vec![format], path: None }
    }

    /// Whether a format was asked for by name.
    pub(super) fn asks_for(&self, id: FormatId) -> bool {
        self.formats.contains(&id)
    }

    /// Whether a format is read.
    pub fn reads(&self, id: FormatId) -> bool {
        self.asks_for(id) || id.is_detected() && !self.is_restricted()
    }

    /// Removes the restriction to some of the detected formats.
    pub fn widen(&mut self) {
        self.formats.retain(|id| !id.is_detected());
    }

    /// Whether only some of the detected formats are read.
    pub fn is_restricted(&self) -> bool {
        self.formats.iter().any(|id| id.is_detected())
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
