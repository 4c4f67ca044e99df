//! Results side by side.

use super::{Page, shortened};
use crate::report::{bound, significant};
use crate::table::{Row, Table};

/// So many keys stand beside the scores; more have a table of their own.
const FEW_KEYS: usize = 4;

/// The longest value that a table shows: a list of features has no end.
const LONGEST: usize = 28;

/// One line for each result, what speaks against comparing them, and the keys in which they differ.
pub fn table(found: &Table) -> String {
    let mut page = Page::titled(&format!("{} results", found.rows.len()));
    for warning in &found.warnings {
        page.paragraph(warning);
    }
    page.paragraph("Merit and error are computed from held-out records: not covered by a guarantee.");
    let beside = if found.keys.len() <= FEW_KEYS { &found.keys[..] } else { &[] };
    let short = |key: &String| key.rmatch_indices('.').nth(1).map_or(key.clone(), |(dot, _)| key[dot + 1..].to_owned());
    let keys: Vec<String> = beside.iter().map(short).collect();
    let head: Vec<&str> = ["result"]
        .into_iter()
        .chain(keys.iter().map(String::as_str))
        .chain(["merit", "5 % to 95 %", "error", "epsilon", "pure", "delta", "rounds", "messages"])
        .collect();
    let rows: Vec<Vec<String>> = found.rows.iter().map(|row| line(row, beside)).collect();
    page.table(&head, &rows);
    if found.keys.len() > FEW_KEYS {
        differences(&mut page, found);
    }
    page.text
}

/// A line for each key, and a column for each result.
fn differences(page: &mut Page, found: &Table) {
    page.heading("Keys that differ");
    let head: Vec<&str> = ["key"].into_iter().chain(found.rows.iter().map(|row| row.digest.as_str())).collect();
    let line = |key: &String| [vec![key.clone()], found.rows.iter().map(|row| value(row, key)).collect()].concat();
    page.table(&head, &found.keys.iter().map(line).collect::<Vec<_>>());
}

fn value(row: &Row, key: &String) -> String {
    row.values.get(key).map_or_else(|| "-".to_owned(), |value| shortened(value, LONGEST))
}

fn line(row: &Row, keys: &[String]) -> Vec<String> {
    let epsilon = |epsilon: Option<f64>| match epsilon {
        _ if row.non_private => "NON-PRIVATE".to_owned(),
        Some(epsilon) => bound(epsilon),
        None => "unbounded".to_owned(),
    };
    let mut cells = vec![format!("{} {}", row.name, row.digest)];
    cells.extend(keys.iter().map(|key| value(row, key)));
    let mean = row.merit.map_or_else(|| "-".to_owned(), |band| significant(band.mean));
    let spread = row.merit.filter(|band| band.lanes > 1);
    let spread =
        spread.map_or_else(|| "-".to_owned(), |band| format!("{} to {}", significant(band.q05), significant(band.q95)));
    let (error, delta) = (significant(row.error), significant(row.delta));
    cells.extend([mean, spread, error, epsilon(row.epsilon), epsilon(row.epsilon_pure), delta]);
    cells.extend([row.rounds.to_string(), row.messages.to_string()]);
    cells
}
