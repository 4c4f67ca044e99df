//! What to look at before the data are used.
#![allow(clippy::float_cmp, reason = "numbers of a file are equal or not")]

use dido_data::{Column, Table, Values};

/// Names that programs give to the number of a row.
const INDEX_NAMES: [&str; 6] = ["__index_level_0__", "unnamed: 0", "id", "index", "row", "rownames"];

/// With fewer rows, numbers in order say nothing.
const FEWEST: usize = 3;

/// With fewer rows, texts that are all different say nothing.
const FEWEST_TEXTS: usize = 20;

/// The warnings about each column.
pub(super) fn of_columns(table: &Table, target: Option<usize>) -> Vec<String> {
    let mut warnings = vec![];
    for (position, column) in table.columns.iter().enumerate() {
        let name = format!("column {} ({})", column.number, column.name.escape_debug());
        if counts_rows(&column.values) {
            warnings.push(format!("{name} counts the rows: as a feature it means nothing; leave it out with --drop"));
        } else if is_index_name(&column.name) {
            warnings.push(format!("{name} has the name of a row index; leave it out with --drop if it is one"));
        }
        if Some(position) == target {
            continue;
        }
        if is_constant(&column.values) {
            warnings.push(format!("{name} is constant: it carries no information"));
        } else if is_free_text(column) {
            warnings
                .push(format!("{name} has a text of its own in most rows: an identifier or free text, not a category"));
        }
    }
    warnings
}

fn is_index_name(name: &str) -> bool {
    name.is_empty() || INDEX_NAMES.contains(&name.to_lowercase().as_str())
}

/// Whether these are 0, 1, 2, ... or 1, 2, 3, ...
fn counts_rows(values: &Values) -> bool {
    let Values::Numbers(values) = values else { return false };
    let counts = |from: usize| values.iter().zip(from..).all(|(v, k)| *v == k as f64);
    values.len() >= FEWEST && (counts(0) || counts(1))
}

fn is_constant(values: &Values) -> bool {
    match values {
        Values::Numbers(values) => values.windows(2).all(|pair| pair[0] == pair[1]),
        Values::Booleans(values) => values.windows(2).all(|pair| pair[0] == pair[1]),
        Values::Text(texts) => texts.iter().all(|text| Some(text) == texts.get(0)),
    }
}

fn is_free_text(column: &Column) -> bool {
    let rows = column.values.len();
    rows >= FEWEST_TEXTS && 2 * super::encoded::levels(&column.values).len() > rows
}
