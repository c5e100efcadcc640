//! Properties of every snippet: nothing changes outside of the definitions that it names, merging it again changes
//! nothing, and nothing panics.
#![cfg(feature = "syntax")]

use git_llm_apply::syntax;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A language: a path; a definition with placeholders for its name and three statements; texts between definitions; an
/// elision.
type Shape = (&'static str, &'static str, &'static [&'static str], &'static str);

const SHAPES: &[Shape] = &[
    (
        "a.py",
        "def NAME(x):\n    one_A(x)\n    two_B(x)\n    return C\n",
        &["\n", "\n\n# Apart.\n\n", "\nrun( 1 )\n\n", "   \n\n\n", "\nX_N = [ 1,2 ]  # x\n\n"],
        "    # ... existing code ...\n",
    ),
    (
        "a.rs",
        "fn NAME(x: u8) -> u8 {\n    one_A(x);\n    two_B(x);\n    C\n}\n",
        &[
            "\n",
            "\n// Apart.\n\n",
            "static  X_N:u8=1 ; // x\n\n",
            "\n\n\n",
            "thread_local!( static A: u8 = 1 );\n",
        ],
        "    // ... existing code ...\n",
    ),
    (
        "a.ts",
        "const NAME = (x) => {\n  one_A(x);\n  two_B(x);\n  return C;\n};\n",
        &["\n", "\n// Apart.\n\n", "run( 1 )\n", "let  X_N = [ 1,2 ] // x\n\n", "\n\n\t\n"],
        "  // ... existing code ...\n",
    ),
    (
        "a.go",
        "func NAME(x int) int {\n\tone_A(x)\n\ttwo_B(x)\n\treturn C\n}\n",
        &["\n", "\n// Apart.\n\n", "\nvar  X_N=1 // x\n\n", "\n\n\n", "\ntype ( T_N  int )\n"],
        "\t// ... existing code ...\n",
    ),
    (
        "A.java",
        "class NAME {\n  int x = A;\n  int y = B;\n  int f() { return C; }\n}\n",
        &["\n", "\n// Apart.\n\n", "class  X_N{ }\n", "\n\n\n", "/* x */  interface Y_N { }\n"],
        "  // ... existing code ...\n",
    ),
    (
        "a.c",
        "int NAME(int x)\n{\n  one_A(x);\n  two_B(x);\n  return C;\n}\n",
        &["\n", "\n/* Apart. */\n\n", "int  x_N=1 ; // x\n", "#if  1\nint y_N;\n#endif\n", "\n\n\n"],
        "  // ... existing code ...\n",
    ),
];

fn definition(shape: &Shape, at: usize, last: usize) -> String {
    let name = format!("{}ame{at}", if shape.0 == "A.java" { "N" } else { "n" });
    let text =
        shape.1.replace("NAME", &name).replace("_A", &format!("_{at}")).replace("_B", &format!("_{at}"));
    text.replace("= A", &format!("= {at}")).replace("= B", &format!("= {at}")).replace('C', &last.to_string())
}

/// Returns a definition in which the statements between its first line and the last two are elided.
fn elided(shape: &Shape, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = lines.iter().position(|line| line.trim_end().ends_with(['{', ':'])).unwrap();
    let (head, body) = lines.split_at(first + 1);
    let rest = body.iter().position(|line| line.contains("two_") || line.contains("int y")).unwrap();
    head.concat() + shape.3 + &body[rest..].concat()
}

/// Texts of all languages that merges are tried with.
const SEEDS: &[&str] = &[
    include_str!("../formats/merges/python.txt"),
    include_str!("../formats/merges/rust.txt"),
    include_str!("../formats/merges/typescript.txt"),
    include_str!("../formats/merges/tsx.txt"),
    include_str!("../formats/merges/go.txt"),
    include_str!("../formats/merges/java.txt"),
    include_str!("../formats/merges/c.txt"),
    include_str!("../formats/merges/json.txt"),
];

const PATHS: &[&str] = &["a.py", "a.rs", "a.ts", "a.tsx", "a.js", "a.go", "A.java", "a.c", "a.json"];

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn only_the_definitions_of_the_snippet_change(
        shape in select(SHAPES),
        between in prop::collection::vec((any::<Index>(), any::<bool>(), any::<bool>()), 4..12),
        at_once in any::<bool>(),
    ) {
        let package = if shape.0 == "a.go" { "package a\n" } else { "" };
        let (mut file, mut after, mut snippet) = (package.to_owned(), package.to_owned(), String::new());
        for (at, (gap, changes, elides)) in between.iter().enumerate() {
            let gap = gap.get(shape.2).replace("_N", &format!("_{at}"));
            let (old, new) = (definition(&shape, at, 1), definition(&shape, at, 2));
            file += &(gap.clone() + &old);
            after += &(gap + if *changes { &new } else { &old });
            if *changes {
                snippet += &if *elides { elided(&shape, &new) } else { new };
                snippet += "\n";
            }
        }
        if at_once {
            (file, after) = (file.trim_end().to_owned() + "\n", after.trim_end().to_owned() + "\n");
        }
        if snippet.is_empty() {
            prop_assert!(syntax::merge(shape.0, &file, &snippet, false).is_err());
            return Ok(());
        }
        prop_assert_eq!(syntax::merge(shape.0, &file, &snippet, false), Ok(after.clone()), "{}", snippet);
        prop_assert_eq!(syntax::merge(shape.0, &after, &snippet, false), Ok(after));
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn lines_of_anything_are_merged_or_refused(
        path in select(PATHS),
        seed in select(SEEDS),
        file in prop::collection::vec((any::<Index>(), 1..12_usize), 0..5),
        snippet in prop::collection::vec((any::<Index>(), 1..8_usize), 0..5),
        may_lose in any::<bool>(),
    ) {
        let lines: Vec<&str> = seed.split_inclusive('\n').filter(|line| !line.starts_with("--- ")).collect();
        let text = |parts: &[(Index, usize)]| -> String {
            let part = |(at, count): &(Index, usize)| {
                let at = at.index(lines.len());
                lines[at..lines.len().min(at + count)].concat()
            };
            parts.iter().map(part).collect()
        };
        let (file, snippet) = (text(&file), text(&snippet));
        if let Ok(after) = syntax::merge(path, &file, &snippet, may_lose) {
            prop_assert_eq!(syntax::merge(path, &after, &snippet, may_lose), Ok(after.clone()));
            prop_assert_eq!(syntax::worse(path, "", &after), None);
            let kept = syntax::lost(path, &file, &after).is_none();
            prop_assert!(may_lose || kept);
        }
    }

    #[test]
    fn signs_of_anything_are_merged_or_refused(
        path in select(PATHS),
        file in "([a-c(){}\\[\\]<>:;,.'\"#/*\\\\ \t\n@=é]|def |class |fn |// \\.\\.\\.|# \\.\\.\\.\n){0,60}",
        snippet in "([a-c(){}\\[\\]<>:;,.'\"#/*\\\\ \t\n@=é]|def |class |fn |// \\.\\.\\.|# \\.\\.\\.\n){0,60}",
    ) {
        if let Ok(after) = syntax::merge(path, &file, &snippet, false) {
            prop_assert_eq!(syntax::merge(path, &after, &snippet, false), Ok(after));
        }
        let _ = syntax::worse(path, &file, &snippet);
        let _ = syntax::lost(path, &file, &snippet);
    }
}
