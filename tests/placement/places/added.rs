//! Added lines look like the file: indentation, tabs or blanks, line ends, quotes.

use crate::answer::{diffs, each, every, texts};
use crate::check::{lands, lands_or_refused, refused, reports};

const CLASS: &str = "\
class A:
    def f(self):
        a = open_it()
        b = read_it(a)
        return b
";

#[test]
fn they_take_the_shift_of_the_kept_lines() {
    let find = "a = open_it()\nb = read_it(a)";
    let expected = CLASS.replace("        b = read", "        c = check(a)\n        b = read");
    lands("a.py", CLASS, each("a.py", find, "a = open_it()\nc = check(a)\nb = read_it(a)"), &expected);
}

#[test]
fn a_dedented_block_may_be_wrapped() {
    let find = "a = open_it()\nb = read_it(a)";
    let put = "try:\n    a = open_it()\n    b = read_it(a)\nexcept OSError:\n    b = None";
    let expected = "\
class A:
    def f(self):
        try:
            a = open_it()
            b = read_it(a)
        except OSError:
            b = None
        return b
";
    lands("a.py", CLASS, each("a.py", find, put), expected);
}

#[test]
fn below_a_statement_none_is_deeper() {
    let find = "a = open_it()";
    refused("a.py", CLASS, each("a.py", find, "a = open_it()\n    b = 3"));
    let yaml = "a:\n  b:\n    c: 1\nd: 2\n";
    refused("a.yaml", yaml, each("a.yaml", "c: 1", "c: 1\n  e: 3"));
    let expected = CLASS.replace("        b =", "        if a:\n            c()\n        b =");
    lands("a.py", CLASS, each("a.py", find, "a = open_it()\nif a:\n    c()"), &expected);
}

#[test]
fn lines_that_the_file_has_deeper_may_change() {
    let file = "a:\n  - run: |\n      if x; then\n        y\n      fi\n  - b\n";
    let expected = file.replace("        y\n", "        z\n");
    lands("a.yml", file, each("a.yml", "if x; then\n  y\nfi", "if x; then\n  z\nfi"), &expected);
    let file = "class A:\n    def f(self):\n        \"\"\"Do it.\n\n        x: the thing\n            that goes on\n        \"\"\"\n";
    let expected = file.replace("that goes", "which goes");
    let [find, put] = ["that", "which"].map(|word| format!("x: the thing\n    {word} goes on"));
    lands("a.py", file, each("a.py", &find, &put), &expected);
}

#[test]
fn strings_of_several_lines_are_not_shifted() {
    let file = "f() {\n\tone\n\ttwo\n}\n";
    for (path, string) in [
        ("a.sh", "s=\"\n  text\n\""),
        ("a.sh", "s='\n  text\n'"),
        ("a.rs", "let s = \"\n  text\n\";"),
        ("a.php", "$s = '\n  text\n';"),
        ("a.cpp", "auto s = R\"x(\n  text\n)x\";"),
        ("a.sql", "$$\n  text\n$$;"),
    ] {
        refused(path, file, each(path, "f() {\n  one", &format!("f() {{\n  {string}\n  one")));
    }
}

#[test]
fn they_take_the_line_ends() {
    let file = CLASS.replace('\n', "\r\n");
    let find = "        a = open_it()\n        b = read_it(a)";
    let put = "        a = open_it()\n        c = check(a)\n        b = read_it(a)";
    let expected = file.replace("        b = read", "        c = check(a)\r\n        b = read");
    lands("a.py", &file, each("a.py", find, put), &expected);
}

#[test]
fn they_take_tabs_or_blanks() {
    let file = "func f() {\n\tif x {\n\t\ty()\n\t}\n}\n";
    let find = "    if x {\n        y()\n    }";
    let put = "    if x {\n        y()\n        if z {\n            w()\n        }\n    }";
    let expected = "func f() {\n\tif x {\n\t\ty()\n\t\tif z {\n\t\t\tw()\n\t\t}\n\t}\n}\n";
    lands("a.go", file, each("a.go", find, put), expected);
    let spaces = |text: &str| text.replace("    ", "\t");
    let file = file.replace('\t', "    ");
    lands("a.js", &file, each("a.js", &spaces(find), &spaces(put)), &expected.replace('\t', "    "));
}

#[test]
fn curly_quotes_that_match_straight_ones_become_straight() {
    let file = "name = 'a'\nsize = \"b\"\nlast = 1\n";
    let find = "name = ‘a’\nsize = “b”\nlast = 1";
    let put = "name = ‘b’\nsize = “b”\nmore = “c”\nlast = 1";
    lands("a.py", file, each("a.py", find, put), "name = 'b'\nsize = \"b\"\nmore = \"c\"\nlast = 1\n");
}

#[test]
fn quotes_of_both_kinds_in_a_new_line_are_not_taken_for_one() {
    let file = "name = 'a'\nlast = 1\n";
    let find = "name = ‘a’\nlast = 1";
    let answers = each("a.py", find, &find.replace("last", "more = '‘b’'\nlast"));
    refused("a.py", file, answers).says("which look-alikes to replace in the new lines");
    let put = find.replace("last", "more = ‘b’ + “c”\nlast");
    lands("a.py", file, each("a.py", find, &put), "name = 'a'\nmore = 'b' + \"c\"\nlast = 1\n");
}

#[test]
fn quotes_that_are_meant_in_one_place_and_not_in_another_are_not_guessed() {
    // The file itself has a typographic quote.
    let file = "open = '“'\nname = \"a\"\nlast = 1\n";
    let find = "open = ‘“‘\nname = “a”\nlast = 1";
    refused("a.py", file, each("a.py", find, &find.replace("last", "more = “c”\nlast")));
    // It is clear which quotes the added lines should have.
    let put = find.replace("last", "more = ‘c‘\nlast");
    lands("a.py", file, each("a.py", find, &put), "open = '“'\nname = \"a\"\nmore = 'c'\nlast = 1\n");
}

#[test]
fn a_line_that_only_replaces_shows_it_too() {
    let file = "first = 1\nname = 'a'\nlast = 1\n";
    lands("a.py", file, each("a.py", "name = ‘a’", "name = ‘b’"), "first = 1\nname = 'b'\nlast = 1\n");
}

#[test]
fn no_break_spaces_become_blanks() {
    let file = "name = 1\nsize = 2\n";
    let find = "name\u{a0}= 1\nsize\u{a0}= 2";
    let put = "name\u{a0}= 1\nmore\u{a0}=\u{a0}3\nsize\u{a0}= 2";
    lands("a.py", file, each("a.py", find, put), "name = 1\nmore = 3\nsize = 2\n");
}

#[test]
fn quotes_that_the_file_has_stay_and_those_that_are_meant_land() {
    // Nothing in the quoted lines says that the answer's quotes are not meant.
    let file = "title = x\nlast = 1\n";
    let put = "title = “x”\nlast = 1";
    lands("a.md", file, each("a.md", "title = x\nlast = 1", put), "title = “x”\nlast = 1\n");
}

const SPACES: &str = "\
fn one() {
    if a {
        b();
    }
}

fn two() {
}

fn last() {
}
";

#[test]
fn other_hunks_of_the_answer_show_the_width() {
    // The second hunk quotes no indented line; the first one shows that a tab is four blanks.
    let pairs = [
        ("\tif a {\n\t\tb();\n\t}", "\tif a {\n\t\tb();\n\t\tc();\n\t}"),
        ("fn two() {\n}", "fn two() {\n\tif d {\n\t\te();\n\t}\n}"),
    ];
    let expected = SPACES
        .replace("        b();\n", "        b();\n        c();\n")
        .replace("fn two() {\n", "fn two() {\n    if d {\n        e();\n    }\n");
    lands("a.rs", SPACES, every("a.rs", &pairs), &expected);
    // In either order; a patch allows only one.
    let back = [pairs[1], pairs[0]];
    lands("a.rs", SPACES, every("a.rs", &back).but("apply-patch"), &expected);
}

const TABS: &str = "func one() {\n\ta()\n\tif b {\n\t\tc()\n\t}\n}\n\nfunc two() {\n}\n";

#[test]
fn in_a_file_of_tabs_one_step_is_one_tab() {
    let find = "func two() {\n}";
    let expected = TABS.replace("func two() {\n", "func two() {\n\tif d {\n\t\te()\n\t}\n");
    for step in ["  ", "    ", "        "] {
        let put = format!("func two() {{\n{step}if d {{\n{step}{step}e()\n{step}}}\n}}");
        lands("a.go", TABS, each("a.go", find, &put), &expected);
    }
}

#[test]
fn that_blanks_became_tabs_is_reported() {
    let put = "func two() {\n    if d {\n        e()\n    }\n}";
    reports("a.go", TABS, each("a.go", "func two() {\n}", put));
}

#[test]
fn in_a_makefile_too() {
    let file = "all: a.o\n\tcc -o all a.o\n\nclean:\n\trm -f all\n";
    let put = "all: a.o\n\ninstall: all\n    cp all /usr/bin";
    let expected = "all: a.o\n\ninstall: all\n\tcp all /usr/bin\n\tcc -o all a.o\n\nclean:\n\trm -f all\n";
    lands("Makefile", file, each("Makefile", "all: a.o", put), expected);
    let expected = "all: a.o\n\tcc -o all a.o\n\nclean:\n\techo clean\n\trm -f all\n";
    lands("Makefile", file, each("Makefile", "clean:", "clean:\n    echo clean"), expected);
    // A line that matches exactly shows that the other lines are as they should be.
    let put = "clean:\n\trm -f all \\\n        a.o";
    let expected = file.replace("\trm -f all", "\trm -f all \\\n        a.o");
    lands("Makefile", file, each("Makefile", "clean:\n\trm -f all", put), &expected);
    // No line shows the indentation, and the answer has both kinds.
    let put = "clean:\n\techo clean\n        echo all";
    refused("Makefile", file, each("Makefile", "clean:", put));
}

#[test]
fn in_python_with_tabs_too() {
    let file = "def f():\n\treturn 1\n\ndef g():\n\treturn 2\n";
    let put = "def g():\n    x = 1";
    lands(
        "a.py",
        file,
        each("a.py", "def g():", put),
        "def f():\n\treturn 1\n\ndef g():\n\tx = 1\n\treturn 2\n",
    );
}

#[test]
fn blanks_that_are_no_multiple_of_a_step_are_refused() {
    let put = "func two() {\n    if d {\n       e()\n    }\n}";
    refused("a.go", TABS, each("a.go", "func two() {\n}", put));
}

#[test]
fn steps_of_another_width_are_the_files_steps() {
    let file = "def f(a):\n    x = a\n    return x\n";
    let find = "def f(a):\n  x = a\n  return x";
    let new = "def h():\n    return 1\n";
    lands(
        "a.py",
        file,
        each("a.py", find, &format!("{find}\n\ndef h():\n  return 1")),
        &format!("{file}\n{new}"),
    );
    lands(
        "a.py",
        file,
        each("a.py", find, &format!("def h():\n  return 1\n\n{find}")),
        &format!("{new}\n{file}"),
    );
    // Half a step is not a step.
    refused("a.py", file, each("a.py", find, &format!("{find}\n\ndef h():\n return 1")));
    // The search text shows its lines in two blocks.
    refused("a.py", file, each("a.py", "def f(a):\n  x = a\nreturn x", "def f(a):\n  x = a\nreturn a"));
}

#[test]
fn a_first_line_that_lost_its_indentation_gets_it_back() {
    let find = "def f(self):\n        a = open_it()\n        b = read_it(a)";
    let put = "def f(self, more):\n        a = open_it(more)\n        b = read_it(a)";
    let expected = CLASS.replace("f(self)", "f(self, more)").replace("open_it()", "open_it(more)");
    lands("a.py", CLASS, each("a.py", find, put), &expected);
    // A first line that is kept stays as it is, and a method below it is indented like the other methods.
    let put = format!("{find}\n        return b\n\n    def g(self):\n        a = 1");
    let expected = CLASS.replace(
        "        return b\n",
        "        return b\n\n    def g(self):\n        a = 1\n        return b\n",
    );
    lands("a.py", CLASS, texts("a.py", &[(find, &put)]), &expected);
}

#[test]
fn only_where_the_first_line_really_lacks_it() {
    let file = "def f(self):\n        a = open_it()\n        b = read_it(a)\n";
    let find = "def f(self):\n    a = open_it()\n    b = read_it(a)";
    let expected = file.replace("read_it", "write_it");
    lands("a.py", file, each("a.py", find, &find.replace("read_it", "write_it")), &expected);
}

#[test]
fn one_trimmed_line_does_not_leave_the_next_in_the_first_column() {
    let file = "class C {\n  private a: A;\n\n  go() {}\n}\n";
    let expected = "class C {\n  private a: A;\n  private b: B;\n\n  go() {}\n}\n";
    lands("a.ts", file, each("a.ts", "private a: A;", "private a: A;\nprivate b: B;"), expected);
}

#[test]
fn a_second_function_behind_a_trimmed_one_is_not_left_in_the_first_column() {
    let find = "def f(self):\n        a = open_it()\n        b = read_it(a)\n        return b";
    let put = format!("{find}\n\ndef g(self):\n        return 1");
    let expected = format!("{CLASS}\n    def g(self):\n        return 1\n");
    lands_or_refused("a.py", CLASS, each("a.py", find, &put), &expected);
}

#[test]
fn a_definition_in_the_first_column_behind_a_trimmed_last_line_may_be_no_part_of_its_block() {
    let file = "def a():\n    return 1\n\n\ndef z():\n    return 2\n";
    let put = "return 1\n\n\ndef b():\n    return 3";
    refused("a.py", file, texts("a.py", &[("return 1", put)]));
    refused("a.py", file, texts("a.py", &[("return 2", &put.replace('1', "2"))]));
    refused("a.py", file, diffs("a.py", "@@\n return 1\n+\n+\n+def b():\n+    return 3\n"));
    let put = "return 1\n\n\n@dec\n# It is next.\ndef b():\n    return 3";
    refused("a.py", file, texts("a.py", &[("return 1", put)]));
    // It comes back to the first column, so it is one block.
    let put = "x = 1\n\nfor i in range(3):\n    x += i\n\nreturn x";
    let expected = file.replace("return 1", &put.replace("\n", "\n    ").replace("\n    \n", "\n\n"));
    lands("a.py", file, texts("a.py", &[("return 1", put)]), &expected);
    let file = "func a() int {\n\treturn 1\n}\n";
    refused("a.go", file, texts("a.go", &[("return 1", "return 1\n}\n\nfunc b() int {\n\treturn 2")]));
    // All lines inside the block are shifted.
    let file = "def a():\n    x = 1\n    return x\n";
    let expected = file.replace("    return", "\n    if x:\n        y()\n    return");
    lands("a.py", file, texts("a.py", &[("x = 1", "x = 1\n\nif x:\n    y()")]), &expected);
}

#[test]
fn a_continued_line_is_no_step_for_the_lines_beside_it() {
    let file = "class C:\n    def a(self):\n        raise E('no %s'\n                  % self.x)\n\n\nclass D:\n    n = 1\n";
    let find = "          % self.x)\n\n\nclass D:\n  n = 1";
    let put =
        find.replace("class D", "class N:\n  def go(self):\n    if self.x:\n      return 5\n\n\nclass D");
    let new = "class N:\n    def go(self):\n        if self.x:\n            return 5\n\n\nclass D";
    lands("a.py", file, texts("a.py", &[(find, &put)]), &file.replace("class D", new));
}

#[test]
fn look_alikes_of_a_kind_become_plain_together() {
    let file = "x = \"it's\";\ny = 2;\n";
    let answers = each("a.js", "x = “it’s”;", "x = “it’s”;\nz = ‘q’;");
    lands("a.js", file, answers, "x = \"it's\";\nz = 'q';\ny = 2;\n");
    let file = "a - b\n";
    lands("a.txt", file, each("a.txt", "a – b", "a – b\nc – d – e"), "a - b\nc - d - e\n");
    // A dash of another length may be a dash or a minus.
    refused("a.py", file, each("a.py", "a – b", "a – b\nc — d – e"));
    // The indentation of a line does not tell which blanks are meant inside of lines.
    let find = "\u{a0}\u{a0}a = 1";
    refused("a.js", "{\n  a = 1\n}\n", each("a.js", find, &format!("{find}\n\u{a0}\u{a0}b(\"\u{a0}\")")));
    // The blanks of an indentation become plain too.
    let nbsp = "\u{a0}\u{a0}\u{a0}\u{a0}";
    let (find, put) = (format!("{nbsp}a = 1"), format!("{nbsp}a = 1\n{nbsp}b = 2"));
    let file = "def f():\n    a = 1\n";
    lands("a.py", file, each("a.py", &find, &put), &format!("{file}    b = 2\n"));
}

#[test]
fn a_line_that_a_diff_has_on_both_sides_stays_as_it_is() {
    let file = "a = 1   \nb = 2\nc = 3\nd = 4\n";
    let body = "@@\n-a = 1\n-b = 2\n-c = 3\n+a = 1\n+b = 22\n+c = 3\n d = 4\n";
    lands("a.py", file, diffs("a.py", body), &file.replace("b = 2", "b = 22"));
    let file = "s = ‘x’\nb = 2\nd = 4\n";
    let body = "@@\n-s = 'x'\n-b = 2\n+s = 'x'\n+b = 22\n d = 4\n";
    lands("a.py", file, diffs("a.py", body), &file.replace("b = 2", "b = 22"));
}

#[test]
fn a_dash_of_another_length_than_those_that_stand_for_hyphens_stays() {
    let put = "– one\n– more—and so on\n– last";
    lands("a.md", "- one\n- last\n", each("a.md", "– one\n– last", put), "- one\n- more—and so on\n- last\n");
}

#[test]
fn a_dash_stays_where_the_hunk_quotes_one_of_the_file_whatever_other_hunks_show() {
    let file = "- one\n- two\n\nFree \u{2014} and open.\n";
    let new = "Free \u{2014} and open.\n\nNew \u{2014} too.";
    let pairs = [("\u{2013} one", "\u{2013} first"), ("Free \u{2014} and open.", new)];
    lands("a.md", file, texts("a.md", &pairs), &format!("- first\n- two\n\n{new}\n"));
}

#[test]
fn a_step_that_the_file_does_not_have_is_not_added_to_one_line_of_another_depth() {
    // Two levels of four blanks could be three levels of two, or one level is missing.
    let file = "class A {\n  f() {\n    if (a) {\n      go();\n    }\n  }\n}\n";
    refused("a.js", file, each("a.js", "        go();", "        if (b)\n            go2();\n        go();"));
    refused("a.js", file, each("a.js", "        go();", "        go();\n            .then();"));
    let put = "        go();\n        stop();";
    lands(
        "a.js",
        file,
        each("a.js", "        go();", put),
        &file.replace("go();\n", "go();\n      stop();\n"),
    );
    // Two blanks without the level around them, in a file of four blanks.
    let file = "class A {\n    f() {\n        go();\n    }\n}\n";
    refused("a.js", file, each("a.js", "f() {\n  go", "f() {\n  if (a)\n    b();\n  go"));
    refused("a.js", file, each("a.js", "go();", "if (b) {\n  go();\n}\ngo();"));
}

#[test]
fn a_hunk_whose_every_line_lacks_a_blank_is_not_mended_halfway() {
    let file = "void f() {\n    go();\n    stop();\n}\n";
    let expected = file.replace("go();\n", "go();\n    run();\n");
    // The mark replaces the first blank, or it is missing before the context lines.
    refused("a.c", file, diffs("a.c", "@@\n    go();\n+   run();\n    stop();\n"));
    lands("a.c", file, diffs("a.c", "@@\n    go();\n+    run();\n    stop();\n"), &expected);
    refused("a.c", file, diffs("a.c", "@@\n    go();\n+   if (a)\n+       run();\n    stop();\n"));
}

#[test]
fn where_indentation_is_syntax_it_goes_on_as_the_block_does() {
    for path in ["a.py", "a.nim"] {
        let file = "main = do\n    one\n    two\n";
        refused(path, file, each(path, "    one", "    one\n  three"));
        lands(
            path,
            file,
            each(path, "    one", "    one\n    three"),
            "main = do\n    one\n    three\n    two\n",
        );
    }
}

#[test]
fn an_item_may_be_put_between_the_first_key_of_an_item_and_the_others() {
    let file = "php:\n  - php: 7.2\n  - php: 7.3\n    env: A\n";
    let put = "  - php: 7.3\n  - php: 7.4\n    env: A";
    lands(
        "a.yml",
        file,
        each("a.yml", "  - php: 7.3\n    env: A", put),
        &file.replace("    env", "  - php: 7.4\n    env"),
    );
    refused("a.yml", file, each("a.yml", "  - php: 7.3\n    env: A", "  - php: 7.3\n  b: 1\n    env: A"));
}

#[test]
fn a_where_of_haskell_may_be_indented_by_half() {
    let file = "f x =\n    case x of\n        b -> y\n\ng = 3\n";
    let put = "        b -> y\n  where\n    y = 2";
    lands(
        "a.hs",
        file,
        each("a.hs", "        b -> y", put),
        &file.replace("\n\n", "\n  where\n    y = 2\n\n"),
    );
}

#[test]
fn a_trimmed_line_above_its_block_may_be_as_the_answer_has_it_behind_its_first_line() {
    // Either only the first line of both texts lost its indentation, or all lines did.
    for (path, file, find, put) in [
        ("a.py", "class A:\n    def g(self):\n        return 2\n", "def g(self):", "@prop\n    def g(self):"),
        (
            "a.py",
            "class A:\n    def g(self):\n        return 2\n",
            "def g(self):",
            "def g(\n        self,\n    ):",
        ),
        ("a.js", "f() {\n    if (x) {\n        g();\n    }\n}\n", "if (x) {", "log();\n    if (x) {"),
        ("a.js", "f() {\n    if (x) {\n        g();\n    }\n}\n", "if (x) {", "    log();\n    if (x) {"),
        ("a.go", "func f() {\n\tif x {\n\t\tg()\n\t}\n}\n", "if x {", "log()\n\tif x {"),
    ] {
        refused(path, file, each(path, find, put));
    }
    let file = "class A:\n    def g(self):\n        return 2\n";
    refused("a.py", file, diffs("a.py", "@@\n+    @prop\n def g(self):\n"));
    // The added lines are above the block, or at its beginning.
    let expected = file.replace("    def", "    if a:\n        b()\n    def");
    lands("a.py", file, diffs("a.py", "@@\n+if a:\n+    b()\n def g(self):\n"), &expected);
    let expected = file.replace("):\n", "):\n        b()\n");
    lands("a.py", file, diffs("a.py", "@@\n def g(self):\n+    b()\n"), &expected);
    let file = "f() {\n    if (x) {\n        b();\n    }\n}\n";
    let put = "    if (x) {\n        b();\n        d();\n    }";
    refused("a.js", file, texts("a.js", &[("if (x) {\n    b();\n}", put)]));
}

#[test]
fn what_comes_for_a_trimmed_first_line_does_not_take_the_depth_of_another() {
    let file = "def f():\n    if a:\n        x()\n        b()\n    c()\n";
    refused("a.py", file, texts("a.py", &[("b()\n    c()", "c()")]));
    refused("a.py", file, texts("a.py", &[("b()\n    c()", "c(1)")]));
    let expected = file.replace("b()", "b(1)");
    lands("a.py", file, texts("a.py", &[("b()\n    c()", "b(1)\n    c()")]), &expected);
}

#[test]
fn tabs_that_would_be_two_steps_at_once_are_refused() {
    let file = "func f() {\n\tfor x {\n\t\tc()\n\t}\n}\n";
    let put = "        c()\n        if y {\n                h()\n        }";
    refused("a.go", file, texts("a.go", &[("        c()", put)]));
}
