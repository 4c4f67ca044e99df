//! The schema that `dido schema` prints is what the loader accepts: key by key, in both directions.

mod common;

use common::Bench;
use dido_experiments::{load, schema};
use serde_json::{Map, Value};

/// A table of the schema, and a file in which it occurs.
struct Place {
    shape: String,
    file: Value,
}

/// Follows references.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => root.pointer(name.strip_prefix('#').unwrap()).expect("a reference leads somewhere"),
        None => schema,
    }
}

/// A value that fits a schema: the first of all alternatives, `pick` times the next one.
fn sample(root: &Value, schema: &Value, pick: usize) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    let schema = resolved(root, schema);
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(all) = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array) {
        return sample(root, &all[pick % all.len()], 0);
    }
    if let Some(names) = schema["enum"].as_array() {
        return names[pick % names.len()].clone();
    }
    match schema["type"].as_str().expect("a schema has a type") {
        "object" => {
            let required = schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap());
            let pairs = required.map(|name| (name.to_owned(), sample(root, &schema["properties"][name], 0)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        "array" => {
            let items = |k: usize| schema.get("prefixItems").map_or(&schema["items"], |all| &all[k]);
            let length = usize::try_from(schema["minItems"].as_u64().unwrap_or(1)).unwrap();
            Value::Array((0..length).map(|k| sample(root, items(k), 0)).collect())
        }
        "integer" => 1.into(),
        "number" => 0.5.into(),
        "string" => "x".into(),
        "boolean" => true.into(),
        other => panic!("no sample of {other}"),
    }
}

/// All tables below a schema: one for each alternative, each with a value in which it occurs.
fn tables(root: &Value, schema: &Value, depth: usize, place: &dyn Fn(Value) -> Value, into: &mut Vec<Place>) {
    let schema = resolved(root, schema);
    if let Some(all) = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array) {
        return all.iter().for_each(|one| tables(root, one, depth, place, into));
    }
    if let Some(items) = schema.get("items") {
        return tables(root, items, depth, &|value| place(Value::Array(vec![value])), into);
    }
    let Some(properties) = schema["properties"].as_object() else { return };
    // Schedules and sets are everywhere: at three places each.
    let shape = schema.to_string();
    if into.iter().filter(|place| place.shape == shape).count() >= 3 {
        return;
    }
    let whole = sample(root, schema, 0);
    into.push(Place { shape, file: place(whole.clone()) });
    // An intersection of sets has sets below it, and so on.
    if depth == 0 {
        return;
    }
    for (key, below) in properties {
        let with = |value: Value| {
            let mut table = whole.as_object().unwrap().clone();
            table.insert(key.clone(), value);
            place(Value::Object(table))
        };
        tables(root, below, depth - 1, &with, into);
    }
}

/// Whether the loader takes a file.
fn loads(folder: &tempfile::TempDir, file: &Value) -> Result<(), String> {
    let path = folder.path().join("file.toml");
    std::fs::write(&path, toml::to_string(file).unwrap()).unwrap();
    load(path.to_str().unwrap(), &[]).map(drop).map_err(|error| error.to_string())
}

/// All objects inside a value, by the pointers to them.
fn objects(value: &Value, pointer: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            into.push(pointer.to_owned());
            table.iter().for_each(|(key, value)| objects(value, &format!("{pointer}/{key}"), into));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, value)| objects(value, &format!("{pointer}/{k}"), into));
        }
        _ => {}
    }
}

#[test]
fn every_table_of_the_schema_is_accepted_with_every_key_and_with_no_other() {
    let root = schema::json_schema();
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec![];
    tables(&root, &root, 4, &|file| file, &mut all);
    assert!(all.len() > 80, "{} tables", all.len());
    let mut keys = 0;
    for Place { file: table, .. } in &all {
        assert_eq!(loads(&folder, table), Ok(()), "{table}");
        let mut pointers = vec![];
        objects(table, "", &mut pointers);
        for pointer in pointers {
            let mut wrong = table.clone();
            wrong.pointer_mut(&pointer).unwrap().as_object_mut().unwrap().insert("zzzzzz".to_owned(), 1.into());
            let refused = loads(&folder, &wrong).expect_err("a key that the schema does not know");
            assert!(refused.contains("zzzzzz"), "{refused}");
            keys += 1;
        }
    }
    assert!(keys > 500, "{keys} tables within tables");
}

/// Each key that may be left out, alone and with every value it can have.
#[test]
fn every_key_is_accepted_with_its_default() {
    let root = schema::json_schema();
    let folder = tempfile::tempdir().unwrap();
    let mut checked = 0;
    let mut with_default = |schema: &Value, place: &dyn Fn(Value) -> Value| {
        let schema = resolved(&root, schema);
        let whole = sample(&root, schema, 0);
        for (key, below) in schema["properties"].as_object().unwrap() {
            for pick in 0..resolved(&root, below).get("oneOf").and_then(Value::as_array).map_or(1, Vec::len) {
                let mut below = below.clone();
                if pick > 0 {
                    below.as_object_mut().unwrap().remove("default");
                }
                let mut table = whole.as_object().unwrap().clone();
                table.insert(key.clone(), sample(&root, &below, pick));
                let file = place(Value::Object(table));
                assert_eq!(loads(&folder, &file), Ok(()), "{key}: {file}");
                checked += 1;
            }
        }
    };
    let file = sample(&root, &root, 0);
    with_default(&root, &|whole| whole);
    for name in ["data", "graph", "objective", "privacy"] {
        let put = |table: Value| {
            let mut file = file.clone();
            file[name] = table;
            file
        };
        with_default(&root["properties"][name], &put);
    }
    for kind in resolved(&root, &root["properties"]["algorithm"])["oneOf"].as_array().unwrap() {
        let put = |table: Value| {
            let mut file = file.clone();
            file["algorithm"] = table;
            file
        };
        with_default(kind, &put);
    }
    assert!(checked > 150, "{checked} keys");
}

/// An independent look at a file: whether a schema takes it, by the rules of JSON Schema that the schema uses.
fn takes(root: &Value, schema: &Value, value: &Value) -> bool {
    let known = [
        "$ref",
        "$schema",
        "$defs",
        "$comment",
        "title",
        "description",
        "default",
        "type",
        "enum",
        "const",
        "oneOf",
        "anyOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
    ];
    let words = schema.as_object().unwrap();
    assert!(words.keys().all(|word| known.contains(&word.as_str())), "a word of another kind in {schema}");
    let number = |word: &str| schema[word].as_f64();
    let count = |all: &Value| all.as_array().unwrap().iter().filter(|one| takes(root, one, value)).count();
    let typed = match schema["type"].as_str() {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{other}"),
    };
    typed
        && (schema.get("$ref").is_none() || takes(root, resolved(root, schema), value))
        && schema.get("const").is_none_or(|only| only == value)
        && schema.get("enum").is_none_or(|all| all.as_array().unwrap().contains(value))
        && schema.get("oneOf").is_none_or(|all| count(all) == 1)
        && schema.get("anyOf").is_none_or(|all| count(all) > 0)
        && value.as_f64().is_none_or(|x| {
            number("minimum").is_none_or(|least| x >= least) && number("maximum").is_none_or(|most| x <= most)
        })
        && value.as_array().is_none_or(|list| {
            let length = list.len() as f64;
            let of = |k: usize| schema.get("prefixItems").and_then(|all| all.get(k)).or(schema.get("items"));
            number("minItems").is_none_or(|least| length >= least)
                && number("maxItems").is_none_or(|most| length <= most)
                && list.iter().enumerate().all(|(k, value)| of(k).is_none_or(|items| takes(root, items, value)))
        })
        && value.as_object().is_none_or(|table| {
            let required = schema["required"].as_array().into_iter().flatten();
            let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            required.map(|name| name.as_str().unwrap()).all(|name| table.contains_key(name))
                && table.iter().all(|(key, value)| match schema["properties"].get(key) {
                    Some(below) => takes(root, below, value),
                    None => !closed,
                })
        })
}

fn json_of(text: &str) -> Value {
    serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()
}

#[test]
fn presets_and_the_files_of_the_docs_are_valid() {
    let root = schema::json_schema();
    let manifest = env!("CARGO_MANIFEST_DIR");
    let mut files: Vec<(String, String)> = std::fs::read_dir(format!("{manifest}/presets"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    for page in ["README.md", "../../README.md", "../../docs"] {
        let path = std::path::Path::new(manifest).join(page);
        let pages = if path.is_dir() {
            std::fs::read_dir(&path)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|e| e == "md"))
                .collect()
        } else {
            vec![path]
        };
        for page in pages {
            let text = std::fs::read_to_string(&page).unwrap();
            for block in text.split("```toml\n").skip(1) {
                files.push((page.display().to_string(), block.split("```").next().unwrap().to_owned()));
            }
        }
    }
    let mut experiments = 0;
    for (name, text) in files {
        let file = json_of(&text);
        // Comparisons, and parts of a file, are no experiments.
        if file.get("algorithm").is_some() && file.get("privacy").is_some() && file.get("data").is_some() {
            assert!(takes(&root, &root, &file), "{name} is not valid");
            experiments += 1;
            let mut wrong = file.clone();
            wrong["privacy"]["noise"]["mechanism"] = "dice".into();
            assert!(!takes(&root, &root, &wrong), "{name} is valid with a wrong mechanism");
        }
    }
    assert!(experiments >= 4, "{experiments} experiments");
}

/// The keys of all tables below.
fn keys(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(table) => {
            let properties = table.get("properties").and_then(Value::as_object);
            into.extend(
                properties
                    .into_iter()
                    .flatten()
                    .filter(|(_, of)| of.get("const").is_none())
                    .map(|(key, _)| key.clone()),
            );
            table.values().for_each(|value| keys(value, into));
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, into)),
        _ => {}
    }
}

#[test]
fn the_command_prints_both() {
    let bench = Bench::new();
    let json: Value = bench.json(&["schema"]);
    assert_eq!(json, schema::json_schema());
    assert_eq!(json["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(json["$comment"].as_str().unwrap().contains("--set algorithm.step.c=0.1"));
    let text = String::from_utf8(bench.dido(&["schema"]).stdout).unwrap();
    for line in [
        "lanes: whole number = 1  # Independent repetitions on the same data.",
        "[privacy.budget]",
        "kind = \"l2-ball\"  # A Euclidean ball around the origin.",
        "  step: table as [algorithm.step]  # The step size of each round.",
        "weights: \"metropolis\"",
    ] {
        assert!(text.contains(line), "`{line}` is not in:\n{text}");
    }
    assert!(text.contains("--set data.features.1.max=20"));
    // Every key of the JSON has its line.
    let mut all = vec![];
    keys(&json, &mut all);
    for key in all {
        assert!(text.contains(&format!("{key}: ")) || text.contains(&format!("{{ {key} = ")), "{key} has no line");
    }
}

/// The README's table of keys is prose, not a copy of the schema: it has to name every key all the same. Options of graph families
/// are told by `dido topology --help`.
#[test]
fn the_readme_names_every_key() {
    let readme = include_str!("../README.md");
    let keys = readme.split("## Keys").nth(1).expect("the README has a section of keys");
    let root = schema::json_schema();
    let mut missing = vec![];
    let mut waiting = vec![(String::new(), &root)];
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    while let Some((path, schema)) = waiting.pop() {
        let schema = resolved(&root, schema);
        let all = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
        waiting.extend(all.into_iter().flatten().chain(schema.get("items")).map(|one| (path.clone(), one)));
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            if !seen.insert((schema.to_string(), key)) {
                continue;
            }
            let of_a_family = path == "graph" && !["kind", "weights", "matrix", "sequence"].contains(&key.as_str());
            let named = keys.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == key);
            if !named && !of_a_family {
                missing.push(format!("{path}.{key}"));
            }
            count += 1;
            waiting.push((key.clone(), below));
        }
    }
    assert!(count > 100, "{count} keys");
    assert!(missing.is_empty(), "the README does not name {missing:?}");
}
