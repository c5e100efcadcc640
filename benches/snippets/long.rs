//! What it costs to merge a snippet of one function into a file of 10,000 lines, and to check the syntax of such a
//! file.

use std::time::Instant;

const UNITS: &[(&str, &str)] = &[
    (
        "a.py",
        "def f_N(x, y):\n    # Why.\n    if x > y:\n        return [x, y, 'a']\n    z = {\"a\": x}\n    return z\n\n\n",
    ),
    (
        "a.rs",
        "/// F.\npub fn f_N(x: u8, y: u8) -> u8 {\n    // Why.\n    if x > y {\n        return x + y;\n    }\n    y * 2\n}\n\n",
    ),
    (
        "a.ts",
        "/** F. */\nexport function f_N(x: number, y: number) {\n  // Why.\n  if (x > y) {\n    return [x, y];\n  }\n  return { x, y };\n}\n\n",
    ),
    (
        "a.c",
        "/* F. */\nint f_N(int x, int y)\n{\n  // Why.\n  if (x > y) {\n    return x + y;\n  }\n  return x * y;\n}\n\n",
    ),
];

/// Prints the shortest of five times in milliseconds: of a merge, and of checking the syntax of a sound file and of one
/// full of errors.
pub(crate) fn print() {
    for (path, unit) in UNITS {
        let count = 10_000 / unit.lines().count();
        let file: String = (0..count).map(|at| unit.replace('N', &at.to_string())).collect();
        let snippet = unit.replace('N', "500").replace("> y", "< y");
        let (changed, broken) = (file.replace("> y", "< y"), file.replace(')', ""));
        let shortest = |run: &dyn Fn()| {
            let once = |_| {
                let start = Instant::now();
                run();
                start.elapsed().as_millis()
            };
            (0..5).map(once).min().unwrap_or_default()
        };
        let merge = shortest(&|| {
            let after = git_llm_apply::syntax::merge(path, &file, &snippet, false);
            assert!(after.is_ok_and(|after| after != file), "{path}");
        });
        let look = shortest(&|| assert_eq!(git_llm_apply::syntax::worse(path, &file, &changed), None));
        let errors = shortest(&|| _ = git_llm_apply::syntax::worse(path, &file, &broken));
        println!("{path}, 10,000 lines: {merge} ms a merge, {look} ms a look, {errors} ms at errors");
    }
}
