//! Runs tests again in other kinds of repository.

use super::Sandbox;
use std::cell::Cell;

/// A kind of repository: the options with which `git init` makes one.
pub type Kind = &'static [&'static str];

/// All kinds except the usual one.
pub const OTHERS: &[Kind] = &[
    &["--object-format=sha256"],
    &["--ref-format=reftable"],
    &["--object-format=sha256", "--ref-format=reftable"],
];

thread_local! {
    static KIND: Cell<Kind> = const { Cell::new(&[]) };
}

/// The kind of the repositories that this thread makes.
pub fn current() -> Kind {
    KIND.get()
}

/// Runs tests in every other kind that the installed git can make. Prints which kinds it cannot make.
pub fn in_others(tests: &[fn()]) {
    for kind in OTHERS {
        if can_make(kind) {
            println!("with {kind:?}");
            within(kind, || tests.iter().for_each(|test| test()));
        }
    }
}

/// Runs a test with repositories of this kind.
pub fn within<T>(kind: Kind, test: impl FnOnce() -> T) -> T {
    KIND.set(kind);
    let result = test();
    KIND.set(&[]);
    result
}

/// Returns whether the installed git can make such repositories.
pub fn can_make(kind: Kind) -> bool {
    let init = ["init", "-q"].iter().chain(kind);
    let made = Sandbox::bare_ground().git_command(init).output().unwrap().status.success();
    if !made {
        println!("this git has no {kind:?}: nothing is tested");
    }
    made
}
