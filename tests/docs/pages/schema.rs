//! The schema of `--json`, and whether the output is valid by it.

use super::*;

fn schema() -> Value {
    serde_json::from_str(&read("man/report.schema.json")).unwrap()
}

/// Returns where a value does not fit the schema. It knows only the part of JSON Schema 2020-12 that the file uses.
fn complaints(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (keyword, wanted) in schema.as_object().unwrap() {
        let fine = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let of = match wanted.as_str().unwrap() {
                    "#" => root,
                    other => &root["$defs"][other.strip_prefix("#/$defs/").unwrap()],
                };
                all.extend(complaints(root, of, value, at));
                true
            }
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "type" => match wanted {
                Value::Array(names) => names.iter().any(|name| is(value, name.as_str().unwrap())),
                name => is(value, name.as_str().unwrap()),
            },
            "minimum" => value.as_i64().is_none_or(|n| n >= wanted.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|n| n <= wanted.as_i64().unwrap()),
            "pattern" => {
                assert_eq!(wanted, "^([0-9a-f]{40}|[0-9a-f]{64})$", "the only one that is understood here");
                let hex = |text: &str| {
                    [40, 64].contains(&text.len())
                        && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                };
                value.as_str().is_some_and(hex)
            }
            "oneOf" => {
                let fitting = wanted.as_array().unwrap().iter();
                fitting.filter(|one| complaints(root, one, value, at).is_empty()).count() == 1
            }
            "required" => {
                let names = wanted.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                names.into_iter().all(|name| value.get(name).is_some())
            }
            "additionalProperties" => {
                assert_eq!(wanted, false);
                let known = schema["properties"].as_object().unwrap();
                value.as_object().is_none_or(|value| value.keys().all(|key| known.contains_key(key)))
            }
            "properties" => {
                for (name, one) in wanted.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        all.extend(complaints(root, one, value, &format!("{at}.{name}")));
                    }
                }
                true
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    all.extend(complaints(root, wanted, value, &format!("{at}[{index}]")));
                }
                true
            }
            other => panic!("{other} is not understood here"),
        };
        if !fine {
            all.push(format!("{at}: {keyword} {wanted} does not hold for {value}"));
        }
    }
    all
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// Checks the JSON output of a run against the schema, and returns it.
#[track_caller]
fn reported(run: Run, code: i32, status: &str) -> Value {
    let run = run.exits(code);
    assert_eq!(run.stdout.lines().count(), 1, "one object on one line");
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    let schema = schema();
    let complaints = complaints(&schema, &schema, &value, "$");
    assert!(complaints.is_empty(), "{complaints:#?}\n{value:#}");
    assert_eq!((&value["status"], &value["exit_code"]), (&status.into(), &code.into()));
    value
}

#[test]
fn holds_for_what_is_printed() {
    let sandbox = Sandbox::new();
    let json = ["--json"];
    reported(sandbox.apply(["--json", "-n"], &five()), 0, "checked");
    let landed = reported(sandbox.apply(json, &five()), 0, "landed");
    assert_eq!(landed["edits"].as_array().unwrap().len(), 5);
    assert_eq!(landed["edits"][0]["matches"][0]["tier"], "exact");
    assert_eq!(landed["branch"]["new"], sandbox.head());
    reported(sandbox.apply(json, &five()), 0, "nothing");
    reported(sandbox.apply(json, "nothing here"), 5, "no-edits");
    let other = reported(sandbox.apply(["--json", "-b", "side/way"], &create("z", "w", "z\n")), 0, "landed");
    assert_eq!(other["branch"]["old"], Value::Null);

    sandbox.file("twice", "a\nx\nb\nx\n");
    sandbox.commit("twice");
    let bad = [
        patch("twice", "w", "x\n", "y\n"),
        patch("README", "w", "not there\n", "y\n"),
        rename("nowhere", "else", "w"),
        create("../out", "w", "x\n"),
        create("fine", "w", "x\n"),
    ];
    let refused = reported(sandbox.apply(json, &bad.concat()), 1, "refused");
    assert_eq!(refused["diagnostics"][0]["candidates"], serde_json::json!([2, 4]));
    let first = &refused["diagnostics"][0];
    assert_eq!(first["places"][1]["lines"]["first"], 4);
    assert_eq!(first["places"][0]["excerpt"]["lines"], serde_json::json!(["a", "x", "b"]));
    assert_eq!(first["context_lines"], 1);
    assert_eq!(refused["diagnostics"][1]["beginning"]["lines"], serde_json::json!(["hello world"]));

    sandbox.file("near", "one\n\ttwo\nthree\nfour\n");
    sandbox.commit("near");
    let near = patch("near", "w", "one\n  two\nfive\nthree\n", "y\n");
    let refused = reported(sandbox.apply(json, &near), 1, "refused");
    let nearest = &refused["diagnostics"][0]["nearest"];
    let kinds: Vec<_> = nearest["rows"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["same", "alike", "missing", "same"]);
    assert_eq!(nearest["rows"][1]["wanted"], serde_json::json!({"line": 6, "text": "  two"}));
    assert_eq!(nearest["rows"][1]["real"], serde_json::json!({"line": 2, "text": "\ttwo"}));
    assert_eq!(nearest["first_difference"]["row"], 2);
    let id = |report: &Value| report["attempt"].as_str().unwrap().to_owned();
    let broken = "<edit file=\"a\" op=\"patch\">\n<find>\n<<<\nx\n";
    reported(sandbox.apply(json, broken), 1, "refused");

    sandbox.file("README", "my own\n");
    let there = reported(sandbox.apply(json, &replace("README", "w", "x\n")), 4, "in-the-way");
    assert_eq!(there["obstacles"][0]["kind"], "modified");
    reported(sandbox.apply(["--json", "-n"], &replace("README", "w", "x\n")), 4, "in-the-way");
    let forgotten = reported(sandbox.run([&format!("--abort={}", id(&refused)), "--json"]), 0, "forgotten");
    assert_eq!(id(&forgotten), id(&refused));
    reported(sandbox.apply(["--json", "--base", "nothing"], &create("y", "w", "y\n")), 128, "failed");
    reported(sandbox.apply(["--json", "-C", "/nowhere/at/all"], ""), 128, "failed");
    reported(sandbox.run(["-C", "/nowhere/at/all", "list", "--json"]), 128, "failed");
    let ask = |with: &str| sandbox.run(["ask", "--json", "--no-keep", "-r", "x", "--with", with]);
    reported(ask("false"), 1, "refused");
    reported(ask("echo no"), 5, "no-edits");
    sandbox.response(&create("asked", "w", "x\n"));
    reported(ask("cat ../response.txt"), 0, "landed");
    reported(sandbox.apply(["--json", "--diff"], &create("y", "w", "y\n")), 129, "failed");
    reported(sandbox.apply(["--json", "--feedback"], &create("y", "w", "y\n")), 129, "failed");
    // The same if it is configured, and whatever goes wrong.
    sandbox.git(["config", "llmapply.json", "true"]);
    reported(sandbox.run(["no-such-file"]), 128, "failed");
    reported(sandbox.run(["--abort=nothing"]), 128, "failed");
    let prompt = sandbox.run(["prompt", "no-such-file"]).exits(128);
    assert_eq!(prompt.stdout, "", "it is for a model");
    let outside = Sandbox::bare_ground();
    let failed = reported(outside.apply(json, &create("y", "w", "y\n")), 128, "failed");
    assert!(failed["error"]["help"].is_string());
}

#[test]
fn holds_for_suggestions() {
    let sandbox = Sandbox::new();
    let good = create("z", "w", "z\n");
    let bad = patch("README", "w", "not there\n", "y\n");
    let file = |name: &str, text: &str| std::fs::write(sandbox.root().join(name), text).unwrap();
    file("good", &good);
    file("bad", &bad);
    let run = sandbox.run(["--json", "-x", "true", "-b", "try/{n}", "../good", "../bad"]);
    let report = reported(run, 1, "refused");
    assert_eq!(report["suggestions"].as_array().unwrap().len(), 2);
    let run = sandbox.run(["--json", "-x", "false", "-b", "more/{n}", "../good"]);
    let report = reported(run, 2, "failed");
    assert_eq!(report["suggestions"][0]["checks"], false);
    reported(sandbox.run(["--json", "-b", "main{n}", "-n", "../good"]), 0, "checked");
    reported(sandbox.run(["accept", "--json", "more/1"]), 128, "failed");
    let open = reported(sandbox.run(["list", "--open", "--json"]), 0, "shown");
    assert_eq!((&open["open"][0]["branch"], &open["open"][0]["onto"]), (&"try/1".into(), &"as-it-is".into()));
    let accepted = reported(sandbox.run(["accept", "--json", "try/1"]), 0, "landed");
    assert_eq!(accepted["accepted"][0]["commits"][0]["new"], sandbox.head());
    reported(sandbox.run(["accept", "--json", "try/1"]), 0, "nothing");
    let dropped = reported(sandbox.run(["drop", "--json", "try/1"]), 0, "dropped");
    assert_eq!(dropped["dropped"][0]["tip"], sandbox.head());
    reported(sandbox.run(["drop", "--json", "main"]), 4, "in-the-way");
    reported(sandbox.run(["--json", "-b", "{slug}", "-n", "../good", "../good"]), 129, "failed");
}

#[test]
fn holds_for_what_recover_prints() {
    let clean = reported(Sandbox::new().run(["recover", "--json"]), 0, "nothing");
    assert_eq!(clean["recovered"], serde_json::json!([]));
    let mut ends = BTreeSet::new();
    for fault in ["committed", "index-prepared", "ref-moved"] {
        let mut sandbox = Sandbox::new();
        sandbox.set("GIT_LLM_APPLY_FAULT", &format!("{fault}:kill"));
        assert_eq!(sandbox.apply(["-q"], &five()).signal, Some(9));
        sandbox.set("GIT_LLM_APPLY_FAULT", "-");
        let report = reported(sandbox.run(["recover", "--json"]), 0, "nothing");
        ends.insert(report["recovered"][0]["end"].as_str().unwrap().to_owned());
    }
    assert_eq!(ends, ["discarded", "finished", "taken-back"].map(str::to_owned).into());
    // The user has changed a file that the killed run had placed.
    let mut sandbox = Sandbox::new();
    sandbox.set("GIT_LLM_APPLY_FAULT", "index-prepared:kill");
    assert_eq!(sandbox.apply(["-q"], &five()).signal, Some(9));
    sandbox.set("GIT_LLM_APPLY_FAULT", "-");
    sandbox.file("README", "my own since\n");
    let report = reported(sandbox.run(["recover", "--json"]), 4, "in-the-way");
    assert_eq!(report["recovered"][0]["left"], serde_json::json!(["README"]));
}

#[test]
fn holds_for_what_is_on_record() {
    let sandbox = Sandbox::new();
    reported(sandbox.run(["list", "--json"]), 0, "shown");
    let landed = reported(sandbox.apply(["--json"], &five()), 0, "landed");
    let shown = reported(sandbox.run(["show", "--json"]), 0, "shown");
    assert_eq!(shown["landings"][0]["id"], landed["landing"]);
    assert_eq!(shown["edits"][0]["commit"], landed["edits"][0]["commit"]);
    let id = landed["landing"].as_str().unwrap();
    let undone = reported(sandbox.run(["undo", "--json"]), 0, "landed");
    assert_eq!((&undone["undone"], &undone["edits"][0]["state"]), (&id.into(), &"taken-back".into()));
    let redone = reported(sandbox.run(["redo", "--json"]), 0, "landed");
    assert_eq!((&redone["undone"], &redone["edits"][0]["state"]), (&id.into(), &"landed".into()));
    reported(sandbox.run(["forget", id, "--json"]), 0, "forgotten");
    reported(sandbox.run(["show", id, "--json"]), 128, "failed");
}

#[test]
fn what_is_not_so_does_not_hold() {
    let sandbox = Sandbox::new();
    let good = reported(sandbox.apply(["--json", "-n"], &five()), 0, "checked");
    let schema = schema();
    type Spoil = fn(&mut Value);
    let spoils: &[Spoil] = &[
        |v| v["schema_version"] = 2.into(),
        |v| v["status"] = "done".into(),
        |v| v["more"] = 1.into(),
        |v| drop(v.as_object_mut().unwrap().remove("error")),
        |v| v["branch"] = "main".into(),
        |v| v["branch"]["old"] = "1234".into(),
        |v| v["edits"][0]["number"] = 0.into(),
        |v| v["edits"][0]["path"] = Value::Null,
        |v| v["edits"][0]["lines"]["more"] = 1.into(),
        |v| v["edits"][4]["matches"] = serde_json::json!([{"tier": "exact"}]),
        |v| v["responses"] = serde_json::json!([1]),
        |v| v["paths"][0] = 1.into(),
        |v| v["warnings"] = serde_json::json!([{"code": "no-change", "count": 0}]),
    ];
    for (index, spoil) in spoils.iter().enumerate() {
        let mut value = good.clone();
        spoil(&mut value);
        assert_ne!(value, good);
        assert!(!complaints(&schema, &schema, &value, "$").is_empty(), "spoil {index} passes");
    }
}

#[test]
fn names_all_names_and_explains_every_field() {
    let schema = schema();
    let names = |of: &Value| -> Vec<String> {
        of["enum"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let defs = &schema["$defs"];
    assert_eq!(schema["properties"]["schema_version"]["const"], SCHEMA_VERSION);
    assert!(Status::ALL.iter().map(|s| s.as_str()).eq(names(&schema["properties"]["status"])));
    assert!(RowKind::ALL.iter().map(|k| k.as_str()).eq(names(&defs["row"]["properties"]["kind"])));
    assert!(EditState::ALL.iter().map(|s| s.as_str()).eq(names(&defs["edit"]["properties"]["state"])));
    assert!(FormatId::ALL.iter().map(|f| f.as_str()).eq(names(&defs["edit"]["properties"]["format"])));
    assert!(Tier::ALL.iter().map(|t| t.as_str()).eq(names(&defs["match"]["properties"]["tier"])));
    assert!(Code::ALL.iter().map(|c| c.as_str()).eq(names(&defs["diagnostic"]["properties"]["code"])));
    assert!(End::ALL.iter().map(|e| e.as_str()).eq(names(&defs["recovered"]["properties"]["end"])));
    assert!(
        RecordKind::ALL.iter().map(|kind| kind.as_str()).eq(names(&defs["landing"]["properties"]["kind"]))
    );
    assert!(ObstacleKind::NAMES.iter().copied().eq(names(&defs["obstacle"]["properties"]["kind"])));

    let mut fields = 0;
    for object in defs.as_object().unwrap().values().chain([&schema]) {
        assert!(object["description"].is_string(), "{object}");
        let Some(properties) = object.get("properties") else { continue };
        let required: BTreeSet<_> =
            object["required"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
        assert_eq!(object["additionalProperties"], false);
        for (name, field) in properties.as_object().unwrap() {
            assert!(field["description"].as_str().is_some_and(|text| text.len() > 5), "{name}");
            assert!(required.contains(name.as_str()), "{name} is always there");
            fields += 1;
        }
        assert_eq!(required.len(), properties.as_object().unwrap().len());
    }
    assert!(fields > 40);
    let page = read("man/git-llm-apply-output.7");
    for name in schema["properties"].as_object().unwrap().keys().filter(|name| *name != "schema_version") {
        assert!(page.contains(&format!("\n.TP\n\\fB{name}\\fR\n")), "the man page does not explain {name}");
    }
}
