//! Where the noise comes from.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The seed of the noise: a number, or the word `os`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// The run is reproducible, and its files are not private.
    Number(u64),
    /// A key from the operating system, which is not stored.
    Os,
}

impl Default for Seed {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(seed) => write!(f, "{seed}"),
            Self::Os => f.write_str("os"),
        }
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(seed) => serializer.serialize_u64(*seed),
            Self::Os => serializer.serialize_str("os"),
        }
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Seed {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "const": "os" }] })
    }
}

/// serde's untagged enums would refuse a wrong seed without saying what a right one is.
struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = Seed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number from 0, or \"os\"")
    }

    fn visit_u64<E: de::Error>(self, seed: u64) -> Result<Seed, E> {
        Ok(Seed::Number(seed))
    }

    fn visit_i64<E: de::Error>(self, seed: i64) -> Result<Seed, E> {
        u64::try_from(seed).map(Seed::Number).map_err(|_| E::invalid_value(de::Unexpected::Signed(seed), &self))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Seed, E> {
        if word == "os" { Ok(Seed::Os) } else { Err(E::invalid_value(de::Unexpected::Str(word), &self)) }
    }
}
