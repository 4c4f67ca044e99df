//! Presets with one thing wrong at a random place: a plan, or one line that names the place, and never a panic, a partial
//! folder or a long wait.

mod common;

use std::time::{Duration, Instant};

use common::{Bench, stderr};
use dido_experiments::{ExperimentError, Spec, load, plan};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use toml::{Table, Value};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    /// A letter of a key is doubled.
    MisspeltKey,
    /// A value of a type that the key does not take.
    WrongType,
    NotANumber,
    Infinite,
    Negative,
    Zero,
    Huge,
    /// A key with all below it.
    Missing,
    EmptyString,
    EmptyList,
    EmptyTable,
    /// Two values change places.
    Swapped,
    /// A value inside lists inside lists.
    DeepList,
    /// A value inside tables inside tables.
    DeepTable,
    /// The line of a key twice.
    Duplicate,
    /// Line breaks and other characters in a string.
    OddString,
}

use Mutation::*;

const ALL: [Mutation; 16] = [
    MisspeltKey,
    WrongType,
    NotANumber,
    Infinite,
    Negative,
    Zero,
    Huge,
    Missing,
    EmptyString,
    EmptyList,
    EmptyTable,
    Swapped,
    DeepList,
    DeepTable,
    Duplicate,
    OddString,
];

impl Mutation {
    /// Whether no file is right after it. A list in a list may be right only where the key is free: nowhere here.
    fn is_never_right(self) -> bool {
        matches!(self, MisspeltKey | WrongType | NotANumber | Infinite | DeepList | DeepTable | Duplicate)
    }
}

const PRESETS: [(&str, &str); 3] = [
    ("quickstart", include_str!("../presets/quickstart.toml")),
    ("svm", include_str!("../presets/svm.toml")),
    ("a9a", include_str!("../presets/a9a.toml")),
];

/// The preset with few rounds, lanes and points, so that a right file is planned at once, and few remarks, of which most values would
/// be otherwise.
fn preset(k: usize) -> Table {
    let mut table: Table = PRESETS[k].1.parse().unwrap();
    table.insert("rounds".to_owned(), 17.into());
    table.insert("remarks".to_owned(), Value::Array(vec!["remark".into()]));
    table
}

/// The paths of all values below.
fn paths(value: &Value, path: &[String], into: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(k, value)| (k.to_string(), value)).collect(),
        _ => vec![],
    };
    for (key, child) in children {
        let below = [path, &[key]].concat();
        paths(child, &below, into);
        into.push(below);
    }
}

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(value, |value, part| match value {
        Value::Table(table) => &mut table[part],
        Value::Array(list) => &mut list[part.parse::<usize>().unwrap()],
        _ => panic!("{path:?} leads nowhere"),
    })
}

/// The file after one mutation, and the path of what was changed.
fn mutated(preset: Table, mutation: Mutation, place: usize, other: usize) -> (String, Vec<String>) {
    let mut file = Value::Table(preset);
    let mut all = vec![];
    paths(&file, &[], &mut all);
    // Names and texts may be anything.
    let free = |path: &Vec<String>| path[0] == "name" || path[0] == "remarks";
    let of = |wanted: &dyn Fn(&Value) -> bool, file: &mut Value| -> Vec<Vec<String>> {
        all.iter().filter(|path| !free(path) && wanted(at(file, path))).cloned().collect()
    };
    let wanted: Vec<Vec<String>> = match mutation {
        MisspeltKey | Missing | Duplicate => {
            let keys = of(&|_| true, &mut file);
            keys.into_iter().filter(|path| path.last().unwrap().parse::<usize>().is_err()).collect()
        }
        NotANumber | Infinite | Negative | Zero | Huge => of(&|v| v.is_integer() || v.is_float(), &mut file),
        EmptyString | OddString => of(&Value::is_str, &mut file),
        EmptyList => of(&Value::is_array, &mut file),
        EmptyTable => of(&Value::is_table, &mut file),
        WrongType | Swapped | DeepList | DeepTable => of(&|_| true, &mut file),
    };
    let path = wanted[place % wanted.len()].clone();
    let (last, parents) = path.split_last().unwrap();
    let deep = |inner: Value, wrap: &dyn Fn(Value) -> Value| (0..40).fold(inner, |value, _| wrap(value));
    match mutation {
        MisspeltKey => {
            let table = at(&mut file, parents).as_table_mut().unwrap();
            let value = table.remove(last).unwrap();
            let double = &last[..=other % last.len()];
            table.insert(format!("{double}{}", &last[other % last.len()..]), value);
        }
        Missing => drop(at(&mut file, parents).as_table_mut().unwrap().remove(last)),
        Duplicate => {
            let text = toml::to_string(&file).unwrap();
            let lines: Vec<&str> = text.lines().filter(|line| line.contains(" = ")).collect();
            // The root comes first: a key that is there twice whatever table it is of.
            return (format!("{}\n{}\n{text}", lines[0], lines[0]), vec![]);
        }
        Swapped => {
            let there = wanted[other % wanted.len()].clone();
            let (one, two) = (at(&mut file, &path).clone(), at(&mut file, &there).clone());
            let nested = path.starts_with(&there) || there.starts_with(&path);
            if !nested {
                *at(&mut file, &path) = two;
                *at(&mut file, &there) = one;
            }
        }
        _ => {
            let value = at(&mut file, &path);
            *value = match mutation {
                NotANumber => f64::NAN.into(),
                Infinite => f64::NEG_INFINITY.into(),
                Negative => match *value {
                    Value::Integer(number) => (-number - 1).into(),
                    _ => (-value.as_float().unwrap() - 0.5).into(),
                },
                Zero => {
                    if value.is_integer() {
                        0.into()
                    } else {
                        0.0.into()
                    }
                }
                Huge => {
                    if value.is_integer() {
                        i64::MAX.into()
                    } else {
                        1e300.into()
                    }
                }
                EmptyString => "".into(),
                OddString => "two\nlines \u{1b}[31m \u{0} ".to_owned().into(),
                EmptyList => Value::Array(vec![]),
                EmptyTable => Value::Table(Table::new()),
                DeepList => deep(value.clone(), &|inner| Value::Array(vec![inner])),
                DeepTable => deep(value.clone(), &|inner| Value::Table(Table::from_iter([("deep".to_owned(), inner)]))),
                WrongType => match (value.is_bool(), other % 2) {
                    (false, 0) => true.into(),
                    _ => "2020-01-01".parse::<toml::value::Datetime>().unwrap().into(),
                },
                _ => unreachable!(),
            };
        }
    }
    (toml::to_string(&file).unwrap(), path)
}

/// The keys of a path as a message prints it.
fn parts(path: &str) -> Vec<String> {
    let plain = path.replace('[', ".").replace(']', "");
    plain.split('.').map(str::to_owned).filter(|part| !part.is_empty()).collect()
}

/// Whether a path is in a file, or all of it but the last key, which is missing.
fn leads_into(file: &Table, path: &str) -> bool {
    let parts = parts(path);
    let mut value = &Value::Table(file.clone());
    for (k, part) in parts.iter().enumerate() {
        let next = match value {
            Value::Table(table) => table.get(part),
            Value::Array(list) => part.parse::<usize>().ok().and_then(|k| list.get(k)),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            // Defaults are not written down.
            None => return k + 2 >= parts.len(),
        }
    }
    true
}

/// A plan, or the line that refuses it.
fn answer(folder: &tempfile::TempDir, text: &str) -> Result<(), ExperimentError> {
    let path = folder.path().join("mutated.toml");
    std::fs::write(&path, text).unwrap();
    load(path.to_str().unwrap(), &[]).and_then(Spec::new).and_then(|spec| plan(&spec)).map(drop)
}

fn check(folder: &tempfile::TempDir, k: usize, mutation: Mutation, place: usize, other: usize) -> bool {
    let (text, path) = mutated(preset(k), mutation, place, other);
    let begun = Instant::now();
    let answer = answer(folder, &text);
    let about = format!("{} {mutation:?} at {path:?}", PRESETS[k].0);
    // In practice a hundredth of that, on a busy machine too.
    assert!(begun.elapsed() < Duration::from_secs(20), "{about}: took {:?}", begun.elapsed());
    let Err(error) = answer else {
        assert!(!mutation.is_never_right(), "{about} was accepted:\n{text}");
        return false;
    };
    let line = error.line();
    assert!(error.is_bad_input(), "{about}: {line}");
    assert!(line.lines().count() == 1 && line.len() < 1000, "{about}: {line}");
    assert!(!line.chars().any(char::is_control), "{about}: {line:?}");
    assert!(line.contains("mutated.toml"), "{about}: {line}");
    match &error {
        ExperimentError::Key { path: named, message, .. } => {
            let file: Table = text.parse().unwrap();
            assert!(leads_into(&file, named), "{about}: `{named}` is no path of the file: {line}");
            assert!(!named.is_empty() || message.contains("missing field `"), "{about}: no place: {line}");
        }
        ExperimentError::Syntax { line: number, .. } => {
            assert!(*number >= 1 && mutation == Duplicate, "{about}: {line}");
        }
        // Values that are right one by one.
        ExperimentError::NoPlan { .. }
        | ExperimentError::OverBudget { .. }
        | ExperimentError::PlanOverBudget { .. } => {
            assert!(!mutation.is_never_right(), "{about}: {line}");
        }
        other => panic!("{about}: an error of another kind: {other:?}"),
    }
    true
}

/// 200 of them, and of each kind at least ten, with a fixed seed.
#[test]
fn two_hundred_mutated_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 208, failure_persistence: None, ..Config::default() },
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    );
    let (count, refused) = (std::cell::Cell::new(0_usize), std::cell::Cell::new(0_usize));
    let strategy = (0..PRESETS.len(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    runner
        .run(&strategy, |(k, place, other)| {
            // Kinds take turns.
            let mutation = ALL[count.get() % ALL.len()];
            count.set(count.get() + 1);
            let was = check(&folder, k, mutation, place.index(10_000), other.index(10_000));
            refused.set(refused.get() + usize::from(was));
            Ok(())
        })
        .unwrap();
    assert!(count.get() >= 208 && refused.get() > 150, "{} of {} refused", refused.get(), count.get());
}

/// The same through the command, of which `run` would write a folder.
#[test]
fn two_dozen_mutated_files_through_the_command() {
    let bench = Bench::new();
    let mut refused = 0;
    for k in 0..26_usize {
        let mutation = ALL[k % ALL.len()];
        let (text, path) = mutated(preset(k % PRESETS.len()), mutation, 7 * k + 3, 5 * k);
        bench.write("mutated.toml", &text);
        let right = answer_of(&bench);
        // What is right would be run for long: it is planned.
        let command = if right { "plan" } else { "run" };
        let output = bench.dido(&[command, "mutated.toml"]);
        let told = stderr(&output);
        if right {
            assert!(output.status.success() && !mutation.is_never_right(), "{mutation:?} at {path:?}: {told}");
            continue;
        }
        refused += 1;
        assert_eq!(output.status.code(), Some(2), "{mutation:?} at {path:?}: {told}");
        assert!(
            told.lines().count() == 1 && told.starts_with("dido: mutated.toml"),
            "{mutation:?} at {path:?}: {told}"
        );
        assert!(output.stdout.is_empty());
        assert!(!bench.path("results").exists(), "{mutation:?} at {path:?} left a folder");
    }
    assert!(refused > 15, "{refused}");
}

fn answer_of(bench: &Bench) -> bool {
    let path = bench.path("mutated.toml");
    load(path.to_str().unwrap(), &[]).and_then(Spec::new).and_then(|spec| plan(&spec)).is_ok()
}
