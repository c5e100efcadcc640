//! What an `<edit>` does, and the parts that it has for that.

/// The operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    New,
    Patch,
    Replace,
    Remove,
    Move,
}

impl Operation {
    /// All of them, with their names.
    pub(super) const ALL: [(&'static str, Operation); 5] = [
        ("new", Operation::New),
        ("patch", Operation::Patch),
        ("replace", Operation::Replace),
        ("remove", Operation::Remove),
        ("move", Operation::Move),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The parts that it needs; it may have no others.
    pub(super) fn parts(self) -> &'static [Part] {
        match self {
            Operation::New | Operation::Replace => &[Part::Put],
            Operation::Patch => &[Part::Find, Part::Put],
            Operation::Remove => &[],
            Operation::Move => &[Part::To],
        }
    }
}

/// The parts that an edit may have beside `<why>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Find,
    Put,
    To,
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Find, Part::Put, Part::To];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Find => "find",
            Part::Put => "put",
            Part::To => "to",
        }
    }
}
