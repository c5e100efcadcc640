//! New.

pub fn new() {}
