//! What all parties have to agree on, field by field, without saying it.

use serde_json::Value;

use crate::Hash;

/// The fields of the files that every party has to hold in the same form, each as its path and a hash.
///
/// Two parties compare these when they meet, and name the first field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    hash: Hash,
    fields: Vec<Field>,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it stands, as `parties.2.name`.
    pub path: String,
    /// The start of the hash of its path and value.
    pub hash: [u8; 8],
}

impl Manifest {
    /// Of values, each below its own first part of the paths.
    pub fn of(values: &[(&str, &Value)]) -> Self {
        let mut fields = vec![];
        for (path, value) in values {
            collect((*path).to_owned(), value, &mut fields);
        }
        Self::from_fields(fields)
    }

    /// Of fields that another party names.
    pub fn from_fields(fields: Vec<Field>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for field in &fields {
            hasher.update(&(field.path.len() as u64).to_le_bytes()).update(field.path.as_bytes()).update(&field.hash);
        }
        Self { hash: Hash(*hasher.finalize().as_bytes()), fields }
    }

    /// Of all fields.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The fields, in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The path of the first field in which they differ, or which one of them does not have.
    pub fn differs(&self, other: &Self) -> Option<&str> {
        let missing = |a: &'_ Self, field: &Field| !a.fields.contains(field);
        let here = self.fields.iter().find(|field| missing(other, field));
        let there = other.fields.iter().find(|field| missing(self, field));
        match here.or(there) {
            Some(field) => {
                Some(self.fields.iter().find(|own| own.path == field.path).map_or("another field", |own| &own.path))
            }
            None if self.hash != other.hash => Some("the order of the fields"),
            None => None,
        }
    }
}

fn collect(path: String, value: &Value, fields: &mut Vec<Field>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                collect(format!("{path}.{key}"), value, fields);
            }
        }
        Value::Array(values) if !values.is_empty() => {
            for (k, value) in values.iter().enumerate() {
                collect(format!("{path}.{k}"), value, fields);
            }
        }
        leaf => {
            let hash = Hash::of(format!("{path}\0{leaf}").as_bytes());
            let start = *hash.0.first_chunk().expect("a hash has more than eight bytes");
            fields.push(Field { path, hash: start });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_field_that_differs_is_named() {
        let parties = json!({ "run": "a", "parties": [{ "name": "north", "address": "n:1" }, { "name": "south" }] });
        let manifest = |value: &Value| Manifest::of(&[("consortium", value), ("experiment", &json!({ "rounds": 3 }))]);
        let ours = manifest(&parties);
        assert_eq!(ours.differs(&manifest(&parties)), None);
        for (pointer, value, path) in [
            ("/run", json!("b"), "consortium.run"),
            ("/parties/0/address", json!("n:2"), "consortium.parties.0.address"),
            ("/parties/1/name", json!(1), "consortium.parties.1.name"),
            ("/parties/1/name", json!({}), "consortium.parties.1.name"),
            ("/parties/1", json!({ "name": "south", "address": "s:1" }), "another field"),
        ] {
            let mut other = parties.clone();
            *other.pointer_mut(pointer).unwrap() = value;
            assert_eq!(ours.differs(&manifest(&other)), Some(path));
            assert_ne!(ours.hash(), manifest(&other).hash());
        }
        let mut other = parties.clone();
        other.as_object_mut().unwrap().remove("run");
        assert_eq!(ours.differs(&manifest(&other)), Some("consortium.run"));
    }
}
