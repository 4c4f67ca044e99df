//! All keys of an experiment file: a JSON Schema that is derived from [`crate::config`].
//!
//! Editors take it ([`json_schema`]), people read it ([`text`]), and [`crate::load`] holds every file against it before serde
//! does, since serde knows neither the place of a wrong key in a table with a `kind` nor which key was meant.

mod check;
mod text;

use std::sync::LazyLock;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::config::Config;

pub(crate) use check::{Fault, fault};
pub use text::text;

/// How a key of the schema is set on a command line.
pub const OVERRIDES: &str = "On the command line a key is set by its path from the top of the file, --set \
    algorithm.step.c=0.1, an element of a list by its place from 0, --set data.features.1.max=20. The value is read as \
    TOML, and as text where it is none.";

/// The JSON Schema (draft 2020-12) of an experiment file.
pub fn json_schema() -> Value {
    let mut schema = config().clone();
    // What the loader takes out of a file before it reads the rest.
    if let Some(keys) = schema["properties"].as_object_mut() {
        let sweep = "Keys that are crossed: for each path the list of its values.";
        keys.insert("sweep".to_owned(), json!({ "type": "object", "description": sweep }));
        let repeat = "Another name of `lanes`.";
        keys.insert("repeat".to_owned(), json!({ "type": "integer", "minimum": 0, "description": repeat }));
    }
    if let Some(table) = schema.as_object_mut() {
        table.insert("title".to_owned(), "An experiment of dido".into());
        table.insert("$comment".to_owned(), OVERRIDES.into());
    }
    schema
}

/// The schema of an experiment file, which is made once.
pub(crate) fn config() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(of::<Config>);
    &SCHEMA
}

/// The schema of a file that is read into a `T`.
pub(crate) fn of<T: JsonSchema>() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    schema
}

/// What Rust says in other words than a file: TOML has no null, numbers have a range in place of a type, and the docs of an
/// item are cut to their first paragraph, without links.
fn simplify(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(simplify),
        Value::Object(schema) => {
            without_null(schema);
            in_range(schema);
            if let Some(Value::String(text)) = schema.get_mut("description") {
                *text = first_paragraph(text);
            }
            schema.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

fn without_null(schema: &mut Map<String, Value>) {
    let mut only = None;
    match schema.get_mut("type") {
        Some(Value::Array(types)) => {
            types.retain(|name| name != "null");
            if let [one] = &types[..] {
                schema["type"] = one.clone();
            }
        }
        _ => {
            if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
                any.retain(|one| one.get("type").is_none_or(|name| name != "null"));
                only = if any.len() == 1 { any.pop() } else { None };
            }
        }
    }
    if let Some(Value::Object(only)) = only {
        schema.remove("anyOf");
        for (key, value) in only {
            schema.entry(key).or_insert(value);
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

fn in_range(schema: &mut Map<String, Value>) {
    let Some(Value::String(format)) = schema.get("format") else { return };
    let range: (Option<i64>, Option<i64>) = match format.as_str() {
        "uint32" => (Some(0), Some(u32::MAX.into())),
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "uint" | "uint64" => (Some(0), None),
        _ => (None, None),
    };
    schema.remove("format");
    for (key, end) in [("minimum", range.0), ("maximum", range.1)] {
        if let Some(end) = end {
            schema.entry(key).or_insert(end.into());
        }
    }
}

fn first_paragraph(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    // [`word`](target) becomes `word`.
    let mut plain = String::new();
    let mut rest = paragraph.as_str();
    while let Some((before, link)) = rest.split_once("[`") {
        plain.push_str(before);
        plain.push('`');
        let Some((word, after)) = link.split_once("`]") else {
            rest = link;
            break;
        };
        plain.push_str(word);
        plain.push('`');
        rest = after.strip_prefix('(').and_then(|target| target.split_once(')')).map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// The schema that a reference leads to, or itself.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match name_of(schema) {
        Some(name) => &root["$defs"][name],
        None => schema,
    }
}

/// The name of the shared schema that is referred to.
fn name_of(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The `kind` of an alternative that is a table with a kind.
fn kind_of(alternative: &Value) -> Option<&str> {
    alternative.get("properties")?.get("kind")?.get("const")?.as_str()
}

/// The alternatives of a schema, if there are some.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()
}
