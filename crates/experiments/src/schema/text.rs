//! The schema for people: every table with its keys, their types, defaults and meaning.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::{OVERRIDES, alternatives, json_schema, kind_of, name_of, resolved};

/// All keys by table, each with type, default and meaning. A table that has been shown is referred to by its first place.
pub fn text() -> String {
    let root = json_schema();
    let mut book = Book { root: &root, shown: HashMap::new(), waiting: vec![], text: String::new() };
    book.table("", &root, 0);
    let mut next = 0;
    while let Some((path, schema)) = book.waiting.get(next).cloned() {
        next += 1;
        let _ = writeln!(book.text, "\n[{path}]");
        match alternatives(schema) {
            None => book.table(&path, schema, 0),
            Some(all) => all.iter().for_each(|one| book.kind(&path, one)),
        }
    }
    let _ = writeln!(book.text, "\n{OVERRIDES}");
    book.text
}

struct Book<'a> {
    root: &'a Value,
    /// Where each shared table was first met.
    shown: HashMap<&'a str, String>,
    waiting: Vec<(String, &'a Value)>,
    text: String,
}

impl<'a> Book<'a> {
    fn kind(&mut self, path: &str, one: &'a Value) {
        // Writing into a string does not fail.
        let _ = writeln!(self.text, "kind = \"{}\"{}", kind_of(one).unwrap_or_default(), meaning(one));
        self.table(path, one, 2);
    }

    fn table(&mut self, path: &str, table: &'a Value, indent: usize) {
        let Some(properties) = table["properties"].as_object() else { return };
        let required = table["required"].as_array();
        for (key, schema) in properties {
            if schema.get("const").is_some() {
                continue;
            }
            let needed = required.is_some_and(|all| all.iter().any(|name| name == key));
            let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let default = match schema.get("default") {
                Some(value) => format!(" = {}", in_toml(value)),
                None if needed => String::new(),
                None => ", optional".to_owned(),
            };
            let kind = self.kind_of_value(&place, schema);
            let _ = writeln!(self.text, "{:indent$}{key}: {kind}{default}{}", "", meaning(schema));
        }
    }

    /// The type of a value in words; a table is shown later, or was shown before.
    fn kind_of_value(&mut self, path: &str, schema: &'a Value) -> String {
        let (name, found) = (name_of(schema), resolved(self.root, schema));
        let is_table =
            found["properties"].is_object() || alternatives(found).is_some_and(|all| kind_of(&all[0]).is_some());
        if is_table {
            if let Some(first) = name.and_then(|name| self.shown.get(name)) {
                return format!("table as [{first}]");
            }
            if let Some(name) = name {
                self.shown.insert(name, path.to_owned());
            }
            self.waiting.push((path.to_owned(), found));
            return format!("table [{path}]");
        }
        if let Some(all) = alternatives(found) {
            return all.iter().map(|one| self.alternative(path, one)).collect::<Vec<_>>().join(" | ");
        }
        if let Some(names) = found["enum"].as_array() {
            return names.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
        }
        match found["type"].as_str() {
            Some("array") => match found.get("items") {
                Some(items) => format!("list of {}", self.kind_of_value(&format!("{path}[]"), items)),
                None => format!("list of {}", found["minItems"]),
            },
            Some("object") => "table".to_owned(),
            Some("integer") => "whole number".to_owned(),
            Some("string") => "text".to_owned(),
            other => other.unwrap_or("value").to_owned(),
        }
    }

    /// A word, a table of one key, or a type.
    fn alternative(&mut self, path: &str, one: &'a Value) -> String {
        match (one.get("const"), one["properties"].as_object().and_then(|keys| keys.iter().next())) {
            (Some(word), _) => word.to_string(),
            (None, Some((key, value))) => format!("{{ {key} = {} }}", self.kind_of_value(path, value)),
            (None, None) => self.kind_of_value(path, one),
        }
    }
}

fn meaning(schema: &Value) -> String {
    schema["description"].as_str().map_or_else(String::new, |text| format!("  # {text}"))
}

/// A default as the file would have it.
fn in_toml(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let pairs = table.iter().map(|(key, value)| format!("{key} = {}", in_toml(value)));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
