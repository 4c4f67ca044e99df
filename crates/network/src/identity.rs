//! Who talks, and about which run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A party: its place in the list of the consortium, from 0. It is the node of that number in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PartyId(pub u32);

impl PartyId {
    /// The number of its node.
    pub fn node(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for PartyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "party {}", self.0)
    }
}

/// One run of one consortium: 16 bytes that no other run has, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(pub [u8; 16]);

/// 256 bits of BLAKE3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

/// Text of hexadecimal digits, and back.
macro_rules! hexadecimal {
    ($name:ident, $bytes:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let digits: Option<Vec<u8>> =
                    text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
                let pairs: Option<[[u8; 2]; $bytes]> = digits.and_then(|digits| {
                    digits.as_chunks::<2>().0.try_into().ok().filter(|_| digits.len() == 2 * $bytes)
                });
                let pairs =
                    pairs.ok_or_else(|| format!("{} hexadecimal digits are needed, got {text:?}", 2 * $bytes))?;
                Ok(Self(pairs.map(|[high, low]| high << 4 | low)))
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    };
}

hexadecimal!(RunId, 16);
hexadecimal!(Hash, 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_read_as_they_are_written() {
        let run = RunId([0x0f, 0xa0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xff]);
        assert_eq!(run.to_string(), "0fa00102030405060708090a0b0c0dff");
        assert_eq!(run.to_string().parse(), Ok(run));
        for wrong in ["", "0", "0fa00102030405060708090a0b0c0df", "0fa00102030405060708090a0b0c0dfff", "xx"] {
            assert!(wrong.parse::<RunId>().unwrap_err().contains("32 hexadecimal digits"));
        }
        assert!("äfa00102030405060708090a0b0c0df".parse::<RunId>().is_err());
    }
}
