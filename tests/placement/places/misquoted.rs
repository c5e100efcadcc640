//! A line that the search text misquotes, and the replacement has as in the file.

use crate::answer::{each, texts};
use crate::check::{already, lands, refused};

const FILE: &str = "\
def load(path):
    data = read_file(path)
    rows = parse(data)
    return rows

def show(rows):
    for row in rows:
        print(row)
";

#[test]
fn it_is_a_kept_line() {
    let find = "def load(path):\n    data = read_fil(path)\n    rows = parse(data)\n    return rows";
    let put = "def load(path):\n    data = read_file(path)\n    rows = parse(data)\n    return sorted(rows)";
    lands("a.py", FILE, each("a.py", find, put), &FILE.replace("return rows", "return sorted(rows)"));
}

#[test]
fn it_is_one_in_other_languages_too() {
    let file = "int main(void)\n{\n\tint count = argc;\n\tint size = 2;\n\treturn count + size;\n}\n";
    let find = "{\n\tint cout = argc;\n\tint size = 2;\n\treturn count + size;\n}";
    let put = "{\n\tint count = argc;\n\tint size = 3;\n\treturn count + size;\n}";
    lands("a.c", file, each("a.c", find, put), &file.replace("size = 2", "size = 3"));
}

#[test]
fn a_line_that_the_after_text_has_otherwise_too_is_refused() {
    let find = "def load(path):\n    data = read_fil(path)\n    rows = parse(data)\n    return rows";
    let put = "def load(path):\n    data = read_all(path)\n    rows = parse(data)\n    return sorted(rows)";
    refused("a.py", FILE, each("a.py", find, put));
    refused("a.py", FILE, each("a.py", find, &find.replace("return rows", "return sorted(rows)")));
}

#[test]
fn not_where_another_place_is_nearly_the_before_text() {
    // The other function has six in ten of the quoted lines.
    let one = "def load(path):\n    data = read_file(path)\n    rows = parse(data)\n    check(rows)\n    return rows\n";
    let other = one.replace("def load", "def load_all").replace("read_file", "read_files");
    let find = one.replace("read_file", "read_fil");
    let put = one.replace("return rows", "return sorted(rows)");
    refused("a.py", &format!("{one}\n{other}"), each("a.py", &find, &put));
    // Without the other function it lands.
    lands("a.py", one, each("a.py", &find, &put), &put);
}

#[test]
fn where_nothing_is_left_to_do_it_is_there_already() {
    let find = "def load(path):\n    data = read_fil(path)\n    rows = parse(data)\n    return rows";
    let put = "def load(path):\n    data = read_file(path)\n    rows = parse(data)\n    return rows";
    already("a.py", FILE, each("a.py", find, put));
}

#[test]
fn make_b_like_a_with_b_misquoted_is_refused() {
    // `load_test` is quoted with a slip. `load_train` already is what `load_test` is to become.
    let file = "\
def load_train(path):
    rows = read(path)
    check(rows)
    return sorted(rows)

def load_test(path):
    rows = read(path)
    verify(rows)
    return rows
";
    let find = "    rows = read(path)\n    verfy(rows)\n    return rows";
    let put = "    rows = read(path)\n    check(rows)\n    return sorted(rows)";
    refused("a.py", file, each("a.py", find, put));
}

#[test]
fn lines_that_go_above_a_misquoted_one_are_not_there_already() {
    let file = "ci:\n  schedule: monthly\nrepos:\n  - repo: a\n    rev: 1\n";
    let find = "ci:\n  schedule: monthly\nreros:\n  - repo: a\n    rev: 1";
    let put = "repos:\n  - repo: a\n    rev: 1";
    lands("a.yaml", file, each("a.yaml", find, put), &format!("{put}\n"));
    let file = "import annotations\n\nimport typing as t\n\nfrom . import json\nfrom .app import App\n";
    let find = "import annotations\n\nimport typing as t\n\nfromm . import json\nfrom .app import App";
    let put = "from . import json\nfrom .app import App";
    lands("a.py", file, each("a.py", find, put), &format!("{put}\n"));
}

#[test]
fn a_sign_at_the_end_above_an_added_line_is_no_slip() {
    // The response is for the file as it was when this was the last line of the list. The search text does not show
    // that the list ends there.
    let file = "CREATE TABLE t (\n  id INT,\n  name TEXT,\n  x INT\n);\n";
    refused("t.sql", file, each("t.sql", "  id INT,\n  name TEXT", "  id INT,\n  name TEXT,\n  age INT"));
    let file = "fn f() -> u8 {\n    value();\n    other()\n}\n";
    refused(
        "a.rs",
        file,
        each("a.rs", "fn f() -> u8 {\n    value()", "fn f() -> u8 {\n    value();\n    g()"),
    );
    // If nothing is added below the line, both texts mean the same.
    let file = "CREATE TABLE t (\n  id INT,\n  name TEXT,\n  x INT\n);\n";
    let put = "  id BIGINT,\n  name TEXT,";
    lands("t.sql", file, each("t.sql", "  id INT,\n  name TEXT", put), &file.replace("id INT", "id BIGINT"));
}

#[test]
fn a_misquoted_line_that_moves_a_level_deeper_is_refused() {
    let file = "function f() {\n  const r = await fetchUser(id);\n  return r;\n}\n";
    let after = "  try {\n    const r = await fetchUser(id);\n  } catch (e) {\n    log(e);\n  }\n";
    refused("a.js", file, texts("a.js", &[("  const r = await fetchUsers(id);\n", after)]));
}
