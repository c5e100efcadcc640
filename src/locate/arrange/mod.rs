//! The strategies by which hunks are located: one by itself, all in order with line numbers, all in order with
//! headings.

pub(super) mod addition;
pub(super) mod anchored;
mod equal;
mod line_numbers;
pub(super) mod numbered;
mod series;
pub(super) mod single;
