//! Every theorem on a few cases, the recorded verdicts, and the command.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Output};

use dido_theorems::{Report, TheoremError, Verdict, all, named};

const CASES: u32 = 300;

fn recorded() -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory/verdicts.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The cases are the first of those in the full run, and every verdict is the one that is recorded.
#[test]
fn every_theorem_has_its_verdict() {
    let findings = all().map(|theorem| theorem.examine(CASES)).collect();
    let report = Report { cases: CASES, findings };
    for finding in &report.findings {
        assert!(finding.verdict.is_expected(), "{}: {} {:?}", finding.name, finding.verdict, finding.detail);
    }
    assert_eq!(report.differences(&recorded()), Vec::<String>::new(), "run `cargo xtask theorems`");
}

#[test]
fn the_page_is_that_of_the_recorded_verdicts() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/theory/verdicts.md");
    assert_eq!(std::fs::read_to_string(page).unwrap(), recorded().markdown());
}

#[test]
fn names_are_short_different_and_found() {
    let names: Vec<&str> = all().map(|theorem| theorem.name).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    assert!(names.iter().all(|name| name.len() <= 24));
    let found = |name| named(name).unwrap().iter().map(|theorem| theorem.name).collect::<Vec<_>>();
    assert_eq!(found("A4"), ["A4", "A4-published"]);
    assert_eq!(found("B10-noise"), ["B10-noise"]);
    assert_eq!(found("A1"), ["A1", "A1-record"]);
    assert_eq!(found("A").len() + found("B").len() + found("C").len() + found("P").len(), names.len());
    for nothing in ["", "A44", "D", "4"] {
        assert!(matches!(named(nothing), Err(TheoremError::Unknown { .. })), "{nothing}");
    }
}

#[test]
fn differences_are_those_of_verdicts_and_words_and_not_of_ratios() {
    let mut now = recorded();
    now.findings[0].worst = 0.5;
    now.cases = 7;
    assert_eq!(now.differences(&recorded()), Vec::<String>::new());
    let names: Vec<String> = now.findings.iter().map(|f| f.name.clone()).collect();
    now.findings[0].verdict = Verdict::Fails;
    now.findings[1].assumptions = "something else".to_owned();
    now.findings[2].name = "new".to_owned();
    let expected = [
        format!("{}: FAILS, recorded is: holds", names[0]),
        format!("{} is recorded in other words", names[1]),
        "new is not recorded".to_owned(),
        format!("{} is recorded and is no theorem", names[2]),
    ];
    assert_eq!(now.differences(&recorded()), expected);
}

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dido-theorems")).args(arguments).output().unwrap()
}

#[test]
fn the_command_says_by_its_code_whether_all_is_as_it_should_be() {
    let good = command(&["--cases", "20", "--only", "A4", "--json"]);
    assert!(good.status.success());
    let report: Report = serde_json::from_slice(&good.stdout).unwrap();
    let verdicts: Vec<Verdict> = report.findings.iter().map(|f| f.verdict).collect();
    assert_eq!((report.cases, verdicts), (20, vec![Verdict::Holds, Verdict::FailsAsItShould]));

    let unknown = command(&["--only", "A44"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&unknown.stderr).starts_with("theorems: no theorem is called A44; the names are A1,")
    );
    assert_eq!(command(&["--fast"]).status.code(), Some(2));
    let nowhere = command(&["--cases", "1", "--check", "--only", "A2", "--out", "/nonexistent"]);
    assert!(nowhere.status.success(), "one theorem is not compared");
}
