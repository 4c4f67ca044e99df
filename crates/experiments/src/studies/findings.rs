//! What a study found: tables, figures and sentences, all filled in from the data.

use serde::{Serialize, Serializer};

use super::wording::{estimate, number};
use crate::report::plot::Figure;

/// What a study found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The numbers.
    pub tables: Vec<Table>,
    /// What the page shows in place of the tables, where they are long; the same numbers.
    pub shown: Vec<Table>,
    /// The pictures; the first is the key figure.
    pub figures: Vec<Figure>,
    /// One paragraph each; their numbers come from the tables.
    pub sentences: Vec<String>,
    /// What a clock said: it is written beside the page, since no two runs agree on it.
    pub timing: Vec<Table>,
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// By which it is found again.
    pub name: &'static str,
    /// What it shows, in one line.
    pub caption: String,
    /// The names of its columns; the first names the rows. One that begins with `+-` has the standard errors of the column before it.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A finite number.
    Number(f64),
    /// A number and its standard error, in one cell.
    Estimate(f64, f64),
    /// Words.
    Text(String),
    /// There is no value.
    Absent,
}

impl Findings {
    /// The table of this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

impl Table {
    /// A table without rows.
    pub fn new<const N: usize>(name: &'static str, caption: impl Into<String>, columns: [&'static str; N]) -> Self {
        Self { name, caption: caption.into(), columns: columns.to_vec(), rows: vec![] }
    }

    /// Adds a row.
    pub fn push<const N: usize>(&mut self, row: [Cell; N]) {
        self.rows.push(row.into());
    }

    /// The numbers of a column, from above; cells that hold none are left out.
    pub fn numbers(&self, column: &str) -> Vec<f64> {
        let place = self.columns.iter().position(|name| *name == column);
        let number = |row: &Vec<Cell>| match row.get(place?) {
            Some(Cell::Number(x)) => Some(*x),
            _ => None,
        };
        self.rows.iter().filter_map(number).collect()
    }

    /// The number in the row that begins with these words.
    pub fn number(&self, row: &str, column: &str) -> Option<f64> {
        let place = self.columns.iter().position(|name| *name == column)?;
        let found = self.rows.iter().find(|cells| cells.first() == Some(&Cell::Text(row.to_owned())))?;
        if let Cell::Number(x) = found.get(place)? { Some(*x) } else { None }
    }

    /// The same for Markdown, for readers: standard errors stand beside their numbers.
    pub fn markdown(&self) -> String {
        self.with_errors_beside().lines()
    }

    /// The columns of standard errors merged into those before them.
    fn with_errors_beside(&self) -> Self {
        let is_error: Vec<bool> = self.columns.iter().map(|name| name.starts_with("+-")).collect();
        let kept = |k: &usize| !is_error[*k];
        let cell = |row: &Vec<Cell>, k: usize| match (&row[k], row.get(k + 1)) {
            (Cell::Number(x), Some(Cell::Number(error))) if is_error[k + 1] => Cell::Estimate(*x, *error),
            (alone, _) => alone.clone(),
        };
        let places: Vec<usize> = (0..self.columns.len()).filter(kept).collect();
        Self {
            columns: places.iter().map(|&k| self.columns[k]).collect(),
            rows: self.rows.iter().map(|row| places.iter().map(|&k| cell(row, k)).collect()).collect(),
            ..self.clone()
        }
    }

    fn lines(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let head = line(self.columns.iter().map(|name| (*name).to_owned()).collect());
        let numeric = |k: usize| self.rows.iter().all(|row| !matches!(row[k], Cell::Text(_)));
        let rule = line((0..self.columns.len()).map(|k| if numeric(k) { "--:" } else { "---" }.to_owned()).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(Cell::text).collect()));
        let lines: Vec<String> = [head, rule].into_iter().chain(rows).collect();
        format!("{}\n\n{}\n", self.caption, lines.join("\n"))
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Number(x) => number(*x),
            Self::Estimate(x, error) => estimate(*x, *error),
            Self::Text(words) => words.clone(),
            Self::Absent => "-".to_owned(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(x) => serializer.serialize_f64(*x),
            Self::Estimate(x, error) => (x, error).serialize(serializer),
            Self::Text(words) => serializer.serialize_str(words),
            Self::Absent => serializer.serialize_none(),
        }
    }
}

impl From<f64> for Cell {
    fn from(x: f64) -> Self {
        if x.is_finite() { Self::Number(x) } else { Self::Text(x.to_string()) }
    }
}

impl From<usize> for Cell {
    fn from(n: usize) -> Self {
        Self::Number(n as f64)
    }
}

impl From<u32> for Cell {
    fn from(n: u32) -> Self {
        Self::Number(n.into())
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Text(words.to_owned())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Text(words)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stand_beside_their_numbers() {
        let mut table = Table::new("t", "Caption.", ["graph", "R^2", "+-", "loss", "+- of it", "rounds"]);
        table.push(["ring".into(), 0.8702.into(), 0.012.into(), 1.5.into(), Cell::Absent, 16_000_usize.into()]);
        let lines = "| graph | R^2 | loss | rounds |\n| --- | --: | --: | --: |\n| ring | 0.870 \u{b1} 0.012 | 1.5 | 16\u{202f}000 |";
        assert_eq!(table.markdown(), format!("Caption.\n\n{lines}\n"));
    }
}
