//! Whatever a key is set to, the answer is a plan or one clear line.

use dido_experiments::{Spec, json, load, plan};
use toml::Value;

/// Values that are wrong, extreme or of another type somewhere. `17` rounds keep the valid plans short.
const VALUES: [&str; 15] = [
    "0",
    "1",
    "17",
    "-1",
    "-0.0",
    "0.5",
    "1e-308",
    "1e308",
    "9223372036854775807",
    "nan",
    "word",
    "\"\"",
    "[]",
    "[1, 2]",
    "{}",
];

/// The paths of all keys and elements below `value`, and of the tables and lists they are in.
fn paths(prefix: &str, value: &Value, into: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Table(table) => table.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(k, value)| (k.to_string(), value)).collect(),
        _ => vec![],
    };
    for (key, child) in children {
        let path = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        paths(&path, child, into);
        into.push(path);
    }
}

#[test]
fn every_key_survives_every_value() {
    let preset: Value = include_str!("../presets/quickstart.toml").parse::<toml::Table>().unwrap().into();
    let mut all = vec![];
    paths("", &preset, &mut all);
    assert!(all.len() > 80, "{}", all.len());
    let (mut plans, mut refusals) = (0, 0);
    for path in &all {
        for value in VALUES {
            let argument = format!("{path}={value}");
            let overrides = ["rounds=17".to_owned(), argument.clone()];
            match load("quickstart", &overrides).and_then(Spec::new).and_then(|spec| plan(&spec)) {
                Ok(planned) => {
                    plans += 1;
                    let epsilon = planned.plan.epsilon.zcdp;
                    assert!(
                        epsilon.is_some_and(|e| e <= planned.plan.budget.unwrap().epsilon),
                        "{argument}: {epsilon:?}"
                    );
                    assert!(!json(&planned.plan.noise).contains("null"), "{argument}: {:?}", planned.plan.noise);
                }
                Err(error) => {
                    refusals += 1;
                    let line = error.to_string();
                    assert!(!line.contains('\n') && line.len() < 500, "{argument}: {line}");
                    let starts = ["quickstart: ", "--set "].iter().any(|start| line.starts_with(start));
                    assert!(starts, "{argument}: the message names no place: {line}");
                }
            }
        }
    }
    // Both happen, and often.
    assert!(plans > 50 && refusals > 500, "{plans} plans, {refusals} refusals");
}
