//! One column, cell by cell.

use crate::error::excerpt;
use crate::{Column, Fault, Kind, NotANumber, Place, Texts, Values, number};

/// A column in the making. Its first cell says what it holds, unless that is declared; all others have to agree.
pub(super) struct Builder {
    /// Its place in a record, from 0.
    pub(super) position: usize,
    pub(super) name: String,
    declared: Option<Kind>,
    decimal: u8,
    values: Option<Values>,
}

impl Builder {
    pub(super) fn new(position: usize, name: String, declared: Option<Kind>, decimal: u8) -> Self {
        let values = declared.map(empty);
        Self { position, name, declared, decimal, values }
    }

    pub(super) fn place(&self, line: u64) -> Place {
        Place::line(line).column(self.position + 1, self.name.as_str())
    }

    pub(super) fn push(&mut self, cell: &str) -> Result<(), Fault> {
        let values = match &mut self.values {
            Some(values) => values,
            None => self.values.insert(empty(kind(cell, self.decimal)?)),
        };
        match values {
            Values::Numbers(values) => values.push(number(cell, self.decimal).map_err(|why| not_a_number(cell, why))?),
            Values::Booleans(values) => values.push(boolean(cell).ok_or_else(|| {
                Fault::Mixed(format!("\"{}\" is neither true nor false, as the cells above are{TEXT}", excerpt(cell)))
            })?),
            Values::Text(texts) => {
                if self.declared.is_none() {
                    agrees_with_text(cell, self.decimal)?;
                }
                texts.push(cell);
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Column {
        let values = self.values.unwrap_or_else(|| empty(Kind::Text));
        Column { number: self.position + 1, name: self.name, values }
    }
}

/// What a command line has to say for a column to be text.
const TEXT: &str = "; if the column is text, pass --text with its name";

fn empty(kind: Kind) -> Values {
    match kind {
        Kind::Number => Values::Numbers(vec![]),
        Kind::Boolean => Values::Booleans(vec![]),
        Kind::Text => Values::Text(Texts::default()),
    }
}

/// What a cell looks like.
pub(super) fn kind(cell: &str, decimal: u8) -> Result<Kind, Fault> {
    match number(cell, decimal) {
        Ok(_) => Ok(Kind::Number),
        Err(NotANumber::Text) if boolean(cell).is_some() => Ok(Kind::Boolean),
        Err(NotANumber::Text) => Ok(Kind::Text),
        Err(why) => Err(not_a_number(cell, why)),
    }
}

fn agrees_with_text(cell: &str, decimal: u8) -> Result<(), Fault> {
    let found = match kind(cell, decimal)? {
        Kind::Text => return Ok(()),
        Kind::Number => "a number",
        Kind::Boolean => "a truth value",
    };
    Err(Fault::Mixed(format!("\"{}\" is {found}, the cells above are text{TEXT}", excerpt(cell))))
}

fn not_a_number(cell: &str, why: NotANumber) -> Fault {
    let quoted = excerpt(cell);
    match why {
        NotANumber::Text => Fault::NotANumber { cell: quoted, hint: TEXT.to_owned() },
        NotANumber::Ambiguous(hint) => Fault::Ambiguous { cell: quoted, hint: format!("; {hint}{TEXT}") },
        NotANumber::NotFinite => Fault::NotFinite(quoted),
    }
}

/// A truth value, as Python, JSON and R write it.
pub(super) fn boolean(cell: &str) -> Option<bool> {
    match cell {
        "True" | "true" | "TRUE" => Some(true),
        "False" | "false" | "FALSE" => Some(false),
        _ => None,
    }
}
