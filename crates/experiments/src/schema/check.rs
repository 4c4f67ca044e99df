//! A parsed file against its schema: the first key with a wrong name or a value of a wrong type, by its own path.

use serde_json::Value as Schema;
use toml::{Table, Value};

use super::{alternatives, kind_of, resolved};
use crate::spelling::{listed, suggestion};

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The path in the file; empty for the whole file.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

/// The first fault of a file.
pub(crate) fn fault(schema: &Schema, file: &Table) -> Option<Fault> {
    Check { root: schema }.table(schema, file, "")
}

/// Longer words are cut in messages.
const LONGEST: usize = 60;

struct Check<'a> {
    root: &'a Schema,
}

impl Check<'_> {
    fn value(&self, schema: &Schema, value: &Value, path: &str) -> Option<Fault> {
        let schema = resolved(self.root, schema);
        if let Some(all) = alternatives(schema) {
            return self.one_of(schema, all, value, path);
        }
        if let Some(names) = schema.get("enum").and_then(Schema::as_array) {
            return one_word(names.iter().filter_map(Schema::as_str).collect(), value, path);
        }
        match (schema.get("type").and_then(Schema::as_str), value) {
            (Some("object"), Value::Table(table)) => self.table(schema, table, path),
            (Some("array"), Value::Array(list)) => self.list(schema, list, path),
            (Some("integer"), &Value::Integer(number)) => in_range(schema, number, path),
            (Some("number"), Value::Float(_) | Value::Integer(_)) | (Some("boolean"), Value::Boolean(_)) => None,
            (Some("string"), Value::String(text)) => {
                let short = schema.get("maxLength").is_none_or(|most| most == 1 && text.chars().count() == 1);
                if short { None } else { Some(self.mismatch(schema, value, path)) }
            }
            _ => Some(self.mismatch(schema, value, path)),
        }
    }

    fn table(&self, schema: &Schema, table: &Table, path: &str) -> Option<Fault> {
        let known = schema.get("properties")?.as_object()?;
        if let Some(key) = table.keys().find(|key| !known.contains_key(*key)) {
            let names = known.keys().map(String::as_str).collect();
            return Some(unknown("field", key, names, below(path, key)));
        }
        let required = schema.get("required").and_then(Schema::as_array).into_iter().flatten();
        if let Some(missing) = required.filter_map(Schema::as_str).find(|&name| !table.contains_key(name)) {
            return Some(Fault { path: path.to_owned(), message: format!("missing field `{missing}`") });
        }
        table.iter().find_map(|(key, value)| self.value(&known[key], value, &below(path, key)))
    }

    fn list(&self, schema: &Schema, list: &[Value], path: &str) -> Option<Fault> {
        let bound = |key: &str| schema.get(key).and_then(Schema::as_u64);
        let length = list.len() as u64;
        if bound("minItems").is_some_and(|least| length < least) || bound("maxItems").is_some_and(|most| length > most)
        {
            let message = format!("a list of {length}, expected one of {}", bound("minItems").unwrap_or_default());
            return Some(Fault { path: path.to_owned(), message });
        }
        let of = |k: usize| schema.get("prefixItems").and_then(|items| items.get(k)).or_else(|| schema.get("items"));
        list.iter().enumerate().find_map(|(k, value)| self.value(of(k)?, value, &format!("{path}[{k}]")))
    }

    /// A table with a kind, a word, a table with a single key, or one of several types.
    fn one_of(&self, schema: &Schema, all: &[Schema], value: &Value, path: &str) -> Option<Fault> {
        let words = || all.iter().filter_map(|one| one.get("const")).filter_map(Schema::as_str);
        let kinds: Vec<&str> = all.iter().filter_map(kind_of).collect();
        let single = |key: &str| all.iter().find(|one| kind_of(one).is_none() && !one["properties"][key].is_null());
        let keys =
            || all.iter().filter_map(|one| one.get("properties")?.as_object()?.keys().next()).map(String::as_str);
        match value {
            Value::Table(table) if !kinds.is_empty() => match table.get("kind") {
                None => {
                    let message = format!("missing field `kind`, one of {}", listed(kinds));
                    Some(Fault { path: path.to_owned(), message })
                }
                Some(Value::String(kind)) => match all.iter().find(|one| kind_of(one) == Some(kind)) {
                    Some(one) => self.table(one, table, path),
                    None => Some(unknown("kind", kind, kinds, below(path, "kind"))),
                },
                Some(other) => one_word(kinds, other, &below(path, "kind")),
            },
            Value::Table(table) if keys().next().is_some() => {
                if let Some(key) = table.keys().find(|key| single(key).is_none()) {
                    return Some(unknown("field", key, keys().collect(), below(path, key)));
                }
                match table.keys().next().and_then(|key| single(key)) {
                    Some(one) if table.len() == 1 => self.table(one, table, path),
                    _ => Some(self.mismatch(schema, value, path)),
                }
            }
            Value::String(word) if words().any(|known| known == word) => None,
            Value::String(word) if words().next().is_some() && !all.iter().any(is_plain) => {
                // A word that needs a value is better told with the form that it has.
                let message = match keys().find(|key| key == word) {
                    Some(key) => format!("expected {{ {key} = ... }}"),
                    None => return Some(unknown("value", word, words().chain(keys()).collect(), path.to_owned())),
                };
                Some(Fault { path: path.to_owned(), message })
            }
            _ if all.iter().any(|one| is_plain(one) && self.value(one, value, path).is_none()) => None,
            _ => Some(self.mismatch(schema, value, path)),
        }
    }

    fn mismatch(&self, schema: &Schema, value: &Value, path: &str) -> Fault {
        let message = format!("invalid type: {}, expected {}", found(value), self.expected(schema));
        Fault { path: path.to_owned(), message }
    }

    /// What a value of this schema looks like.
    fn expected(&self, schema: &Schema) -> String {
        let schema = resolved(self.root, schema);
        if let Some(all) = alternatives(schema) {
            if let Some(first) = all.iter().find(|one| kind_of(one).is_some()) {
                return format!("a table such as {}", self.example(first));
            }
            let one = |one: &Schema| if is_plain(one) { self.expected(one) } else { self.form(one) };
            return all.iter().map(one).collect::<Vec<_>>().join(", or ");
        }
        let counted = schema.get("minimum").is_some_and(|least| *least == 0);
        match schema.get("type").and_then(Schema::as_str) {
            Some("number") => "a number",
            Some("integer") if counted => "a whole number, not negative",
            Some("integer") => "a whole number",
            Some("boolean") => "true or false",
            Some("string") if schema.get("maxLength").is_some() => "a single character",
            Some("string") => "a string",
            Some("array") => "a list",
            _ => return format!("a table such as {}", self.example(schema)),
        }
        .to_owned()
    }

    /// A word, or a table of a single key.
    fn form(&self, one: &Schema) -> String {
        one.get("const").map_or_else(|| self.example(one), Schema::to_string)
    }

    /// A table with all keys that it needs.
    fn example(&self, table: &Schema) -> String {
        let (properties, kind) = (&table["properties"], kind_of(table));
        let required = table["required"].as_array().into_iter().flatten().filter_map(Schema::as_str);
        let value = |key: &str| match resolved(self.root, &properties[key])["type"].as_str() {
            Some("number") => "1.0",
            Some("integer") => "1",
            Some("array") => "[...]",
            Some("string") => "\"...\"",
            _ => "...",
        };
        let pairs = required.filter(|&key| key != "kind").map(|key| format!("{key} = {}", value(key)));
        let all: Vec<String> = kind.map(|kind| format!("kind = \"{kind}\"")).into_iter().chain(pairs).collect();
        if all.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", all.join(", ")) }
    }
}

/// Whether an alternative is a number, say: neither a word nor a table.
fn is_plain(one: &Schema) -> bool {
    one.get("const").is_none() && one.get("properties").is_none()
}

fn one_word(names: Vec<&str>, value: &Value, path: &str) -> Option<Fault> {
    match value {
        Value::String(word) if names.contains(&word.as_str()) => None,
        Value::String(word) => Some(unknown("value", word, names, path.to_owned())),
        _ => {
            let message = format!("invalid type: {}, expected one of {}", found(value), listed(names));
            Some(Fault { path: path.to_owned(), message })
        }
    }
}

fn unknown(what: &str, word: &str, names: Vec<&str>, path: String) -> Fault {
    let end = match suggestion(word, names.iter().copied()) {
        meant if !meant.is_empty() => meant,
        _ if names.is_empty() => ", there are none".to_owned(),
        _ => format!(", expected one of {}", listed(names)),
    };
    Fault { path, message: format!("unknown {what} `{}`{end}", short(word)) }
}

fn in_range(schema: &Schema, number: i64, path: &str) -> Option<Fault> {
    let end = |key: &str| schema.get(key).and_then(Schema::as_i64);
    let (least, most) = (end("minimum"), end("maximum"));
    if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) {
        return None;
    }
    let message = match (least, most) {
        (Some(least), Some(most)) => format!("{number} is not a whole number from {least} to {most}"),
        _ => format!("{number} is not a whole number from {}", least.unwrap_or_default()),
    };
    Some(Fault { path: path.to_owned(), message })
}

/// A value of a file in words.
fn found(value: &Value) -> String {
    match value {
        Value::String(text) => format!("string {:?}", short(text)),
        Value::Integer(number) => format!("integer `{number}`"),
        Value::Float(number) => format!("floating point `{number:?}`"),
        Value::Boolean(value) => format!("boolean `{value}`"),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// A key below a path, quoted where it could be taken for more than one.
fn below(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let key = if bare { short(key) } else { format!("{:?}", short(key)) };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

fn short(word: &str) -> String {
    if word.chars().count() <= LONGEST {
        return word.to_owned();
    }
    word.chars().take(LONGEST).collect::<String>() + "..."
}
