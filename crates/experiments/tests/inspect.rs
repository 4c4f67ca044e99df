//! `dido data inspect`: all fixture files through the library, some through the command.
#![cfg(feature = "parquet")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dido_data::{Header, Missing, Options};
use dido_experiments::inspect::{Inspection, Question, Task, inspect};
use dido_experiments::json;
use serde_json::{Value, json};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tests/fixtures")
}

fn cases() -> Vec<Value> {
    serde_json::from_str(&std::fs::read_to_string(fixtures().join("cases.json")).unwrap()).unwrap()
}

fn question(case: &Value) -> Question {
    let mut question =
        Question { path: fixtures().join(case["file"].as_str().unwrap()), values: true, ..Question::default() };
    let options = &mut question.options;
    for (key, value) in case["options"].as_object().unwrap() {
        let text = || value.as_str().unwrap();
        let texts = || value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect();
        let number = || usize::try_from(value.as_u64().unwrap()).unwrap();
        match key.as_str() {
            "separator" => options.separator = Some(text().as_bytes()[0]),
            "decimal" => options.decimal = text().as_bytes()[0],
            "comment" => options.comment = Some(text().as_bytes()[0]),
            "header" => options.header = if text() == "yes" { Header::Yes } else { Header::No },
            "missing" => options.missing = if text() == "drop" { Missing::Drop } else { Missing::Error },
            "na" => options.na = texts(),
            "drop" => options.drop = texts(),
            "format" => options.format = Some(text().parse().unwrap()),
            "features" => options.features = Some(number()),
            "index_base" => options.index_base = u8::try_from(number()).unwrap(),
            "target" => question.target = Some(text().to_owned()),
            "task" => question.task = Some(if text() == "binary" { Task::Binary } else { Task::Regression }),
            other => panic!("unknown option {other}"),
        }
    }
    question
}

/// The bits of all numbers of a JSON array of any depth.
fn bits(value: &Value) -> Vec<u64> {
    match value {
        Value::Array(values) => values.iter().flat_map(bits).collect(),
        number => vec![number.as_f64().unwrap().to_bits()],
    }
}

#[test]
fn every_valid_file_is_inspected_to_its_values() {
    let valid: Vec<Value> = cases().into_iter().filter(|case| case.get("expect").is_some()).collect();
    assert_eq!(valid.len(), 28);
    for case in valid {
        let file = case["file"].as_str().unwrap();
        let found: Value = serde_json::from_str(&json(&inspect(&question(&case)).unwrap())).unwrap();
        for (key, expected) in case["expect"].as_object().unwrap() {
            let values = &found["values"];
            match key.as_str() {
                "X" => {
                    assert_eq!(values["X"].as_array().unwrap().len(), expected.as_array().unwrap().len(), "{file}");
                    assert_eq!(bits(&values["X"]), bits(expected), "{file}: X");
                }
                "y" if expected.is_null() => assert!(values["y"].is_null(), "{file}"),
                "y" => assert_eq!(bits(&values["y"]), bits(expected), "{file}: y"),
                "encoded" => assert_eq!(&values["columns"], expected, "{file}"),
                "warns" => {
                    for part in expected.as_array().unwrap() {
                        assert!(found["warnings"].to_string().contains(part.as_str().unwrap()), "{file}: {part}");
                    }
                }
                key => assert_eq!(&found[key], expected, "{file}: {key}"),
            }
        }
        assert_eq!(found["rows"], case["expect"]["X"].as_array().unwrap().len(), "{file}");
        assert!(found["privacy"].as_str().unwrap().starts_with("not private"), "{file}");
    }
}

#[test]
fn every_invalid_file_is_refused_in_one_line_that_names_file_and_place() {
    let invalid: Vec<Value> = cases().into_iter().filter(|case| case.get("refused").is_some()).collect();
    assert_eq!(invalid.len(), 34);
    for case in invalid {
        let file = case["file"].as_str().unwrap();
        let message = inspect(&question(&case)).expect_err(file).to_string();
        assert!(message.contains(file) && !message.contains(['\n', '\r']), "{file}: {message}");
        for part in case["refused"].as_array().unwrap() {
            assert!(message.contains(part.as_str().unwrap()), "{file}: {part} is not in: {message}");
        }
    }
}

/// A file of this content, inspected.
fn of(name: &str, content: &str, change: impl Fn(&mut Question)) -> Result<Inspection, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut question = Question { path, ..Question::default() };
    change(&mut question);
    inspect(&question).map_err(|error| error.to_string())
}

fn warned(found: &Inspection, part: &str) -> bool {
    found.warnings.iter().any(|warning| warning.contains(part))
}

#[test]
fn without_options_dialect_and_header_are_found() {
    for (content, rows, columns) in [
        ("a;b;y\n1;2,5;3\n4;5,5;6\n", 2, vec!["a", "b"]),
        ("a|y\n1|2\n3|4\n", 2, vec!["a"]),
        ("a\ty\r1\t2\r3\t4", 2, vec!["a"]),
        ("1,2\n3,4\n5,6\n", 3, vec!["1"]),
        ("red,1\nblue,2\n", 2, vec!["1"]),
        (",a,y\n0,1.5,2\n1,2.5,3\n", 2, vec!["", "a"]),
        ("smoker,y\nTrue,False\nFalse,True\n", 2, vec!["smoker"]),
    ] {
        let decimal = if content.contains(",5") { b',' } else { b'.' };
        let found = of("data.csv", content, |question| question.options.decimal = decimal).unwrap();
        assert_eq!(
            (found.rows, found.columns.iter().map(String::as_str).collect::<Vec<_>>()),
            (rows, columns),
            "{content:?}"
        );
    }
    let found = of("train", "+1 1:0.5 7:1\n-1\n", |_| {}).unwrap();
    assert_eq!((found.format.as_str(), found.rows, found.n_features, found.nnz), ("libsvm", 2, 7, Some(2)));
}

#[test]
fn what_cannot_be_told_is_asked_for() {
    let ask = |content: &str| of("data.csv", content, |_| {}).unwrap_err();
    assert!(ask("a;b,c\n1;2,3\n4;5,6\n").contains("--separator"));
    assert!(ask("a b y\n1 2 3\n").contains("--separator"));
    assert!(ask("name,city\nann,rome\nbob,oslo\n").contains("--header"));
    assert!(ask("year,2019\n1,2020\n3,4\n").contains("--header"));
    assert!(ask("a,y\n\"1,5\",2\n").contains("--decimal ,"));
    assert!(ask("a,y\nx1,2\n7,3\n").contains("--text"));
    let text = of("data.csv", "a,y\nx1,2\n7,3\n", |question| {
        question.options.kinds = vec![("a".to_owned(), dido_data::Kind::Text)];
        question.values = true;
    });
    let values = text.unwrap().values.unwrap();
    assert_eq!(values.columns, ["a=7", "a=x1"]);
    assert_eq!(values.x, [[0.0, 1.0], [1.0, 0.0]]);
}

#[test]
fn columns_that_need_a_look_are_named() {
    let found = of("data.csv", "Unnamed: 0,a,c,y\n7,0,5,1\n8,1,5,2\n9,2,5,4\n", |_| {}).unwrap();
    assert!(warned(&found, "column 1 (Unnamed: 0) has the name of a row index"));
    assert!(warned(&found, "column 2 (a) counts the rows"));
    assert!(warned(&found, "column 3 (c) is constant"));
    assert_eq!(found.warnings.len(), 3, "{:?}", found.warnings);
    let from_one = of("data.csv", "a,y\n1,5\n2,6\n3,5\n", |_| {}).unwrap();
    assert!(warned(&from_one, "column 1 (a) counts the rows"));
    let people: Vec<String> = (0..30).map(|k| format!("person {k},{}", k % 2)).collect();
    assert!(warned(&of("data.csv", &format!("who,y\n{}", people.join("\n")), |_| {}).unwrap(), "a text of its own"));
    assert!(of("data.csv", "a,a,y\n1,2,3\n", |_| {}).unwrap_err().contains("two columns are called \"a\""));
    assert!(of("data.csv", "y\n1\n2\n", |_| {}).unwrap_err().contains("no column besides the target"));
}

#[test]
fn classes_are_counted_and_coded() {
    let binary = |question: &mut Question| (question.task, question.values) = (Some(Task::Binary), true);
    let plain = |question: &mut Question| question.values = true;
    let y = |found: Inspection| found.values.unwrap().y.unwrap();
    let one = of("data.csv", "a,y\n1,2\n3,2\n", plain).unwrap();
    assert!(warned(&one, "only one class: every target is 2"));
    assert_eq!(y(of("data.csv", "a,y\n1,2\n3,1\n", binary).unwrap()), [1.0, -1.0]);
    let same = of("data.csv", "a,y\n1,-1\n3,1\n", binary).unwrap();
    assert!(!warned(&same, "mapped"));
    let text = of("data.csv", "a,y\n1,sick\n3,healthy\n5,sick\n", plain).unwrap();
    assert!(warned(&text, "labels {healthy, sick} are mapped to {-1, +1}"));
    assert_eq!(text.classes.as_ref().unwrap().iter().map(|class| class.count).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(y(text), [1.0, -1.0, 1.0]);
    assert_eq!(y(of("data.csv", "a,y\n1,True\n3,False\n", plain).unwrap()), [1.0, -1.0]);
    assert!(of("data.csv", "a,y\n1,1\n3,2\n5,3\n", binary).unwrap_err().contains("3 classes"));
    assert!(of("data.csv", "a,y\n1,u\n3,v\n5,w\n", plain).unwrap_err().contains("text of 3 levels"));
    let regression = |question: &mut Question| question.task = Some(Task::Regression);
    assert!(of("data.csv", "a,y\n1,u\n3,v\n", regression).unwrap_err().contains("the target is text"));
}

#[test]
fn a_folder_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    write("b.csv", "x,c,y\n,u,1\n4,v,2\n");
    write("a.csv", "x,c,y\n1,u,3\n2,u,4\n");
    write(".hidden", "what");
    let options = Options { missing: Missing::Drop, ..Options::default() };
    let question = Question { path: folder.path().to_owned(), options, values: true, ..Question::default() };
    let found = inspect(&question).unwrap();
    let values = found.values.unwrap();
    assert_eq!(values.columns, ["x", "c=u", "c=v"]);
    assert_eq!(values.x, [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [4.0, 0.0, 1.0]]);
    assert_eq!(values.y, Some(vec![3.0, 4.0, 2.0]));
    assert_eq!((found.rows, found.dropped_rows), (3, vec![3]));
    assert_eq!(
        found.files.iter().map(|file| (file.file.as_str(), file.rows)).collect::<Vec<_>>(),
        [("a.csv", 2), ("b.csv", 1)]
    );
    write("c.csv", "x,d,y\n1,u,3\n");
    assert!(inspect(&question).unwrap_err().to_string().contains("c.csv: a column \"d\" where a.csv has \"c\""));
    write("c.csv", "x,c,y\n1,2,3\n");
    assert!(inspect(&question).unwrap_err().to_string().contains("c.csv: column \"c\" is number, in a.csv it is text"));
}

fn dido(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dido"))
        .current_dir(fixtures())
        .args(["data", "inspect"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn the_command_refuses_with_one_line_and_code_two() {
    for arguments in [
        &["invalid/i01_short_row.csv"][..],
        &["invalid/i04_text_in_number.csv", "--json"],
        &["invalid/i12_one_class.csv", "--task", "binary", "--values"],
        &["invalid/i17_no_target.csv", "--target", "y"],
        &["invalid/i20_node_width_mismatch"],
        &["invalid/i3B_zero_index.svm", "--format", "libsvm", "--index-base", "1"],
        &["invalid/i41_object.npy"],
        &["invalid/i51_nested.parquet"],
        &["no-such-file.csv"],
        &["valid/v01_no_final_newline.csv", "--separator", "\""],
    ] {
        let output = dido(arguments);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {line}");
        assert!(output.stdout.is_empty() && line.lines().count() == 1 && line.starts_with("dido: "), "{line}");
    }
}

#[test]
fn the_command_prints_json_with_exact_numbers_and_warns_on_the_standard_error() {
    let output = dido(&["valid/v06_numbers.csv", "--json", "--values"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("5e-324") && text.contains("-0.0"), "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["values"]["y"][1].as_f64().unwrap().to_bits(), (-0.0_f64).to_bits());
    let output = dido(&["valid/v35_labels_01_tabs.svm", "--task", "binary"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("dido: warning: labels {0, 1} are mapped to {-1, +1}"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("not private") && text.contains("2 rows"), "{text}");
    for separator in ["tab", "\\t", "\t"] {
        let output = dido(&["valid/v11_tabs.tsv", "--separator", separator, "--json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&found["rows"], &found["columns"]), (&json!(2), &json!(["a", "b"])), "{separator:?}");
    }
    let output = dido(&["valid/v07_missing.csv", "--missing", "drop", "--na", ",NA,?,nan,NaN,NULL", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["dropped_rows"], json!([2, 3, 4, 5]));
    assert!(found["warnings"].to_string().contains("depends on the data"));
}

#[test]
fn the_examples_of_the_documentation_print_what_they_show() {
    let page = include_str!("../../../docs/data.md");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("clinics.csv"), "site,age,days\nnorth,41,3\nsouth,38,5\nnorth,52,2\n").unwrap();
    std::fs::write(folder.path().join("ages.csv"), "name,age,days\nann,41,1\nbob,fourty,2\n").unwrap();
    let blocks: Vec<&str> = page.split("```text\n$ ").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let (call, shown) = block.split_once('\n').unwrap();
        let mut words = call.split_whitespace();
        assert_eq!(words.next(), Some("dido"));
        let output = Command::new(env!("CARGO_BIN_EXE_dido")).current_dir(folder.path()).args(words).output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(printed, shown, "{call}");
    }
}
