//! Results side by side.

use super::Page;
use crate::report::{bound, significant};
use crate::table::{Row, Table};

/// One line for each result, and what speaks against comparing them.
pub fn table(found: &Table) -> String {
    let mut page = Page::titled(&format!("{} results", found.rows.len()));
    for warning in &found.warnings {
        page.paragraph(warning);
    }
    page.paragraph("Merit and error are computed from held-out records: not covered by a guarantee.");
    let short = |key: &String| key.rmatch_indices('.').nth(1).map_or(key.clone(), |(dot, _)| key[dot + 1..].to_owned());
    let keys: Vec<String> = found.keys.iter().map(short).collect();
    let head: Vec<&str> = ["result"]
        .into_iter()
        .chain(keys.iter().map(String::as_str))
        .chain(["merit", "5 % to 95 %", "error", "epsilon", "pure", "delta", "rounds", "messages"])
        .collect();
    let rows: Vec<Vec<String>> = found.rows.iter().map(|row| line(row, &found.keys)).collect();
    page.table(&head, &rows);
    page.text
}

fn line(row: &Row, keys: &[String]) -> Vec<String> {
    let epsilon = |epsilon: Option<f64>| epsilon.map_or("unbounded".to_owned(), bound);
    let mut cells = vec![format!("{} {}", row.name, row.digest)];
    cells.extend(keys.iter().map(|key| row.values.get(key).cloned().unwrap_or_else(|| "-".to_owned())));
    let (mean, spread) = row.merit.map_or_else(Default::default, |band| {
        (significant(band.mean), format!("  {} to {}", significant(band.q05), significant(band.q95)))
    });
    let (error, delta) = (significant(row.error), significant(row.delta));
    cells.extend([mean, spread, error, epsilon(row.epsilon), epsilon(row.epsilon_pure), delta]);
    cells.extend([row.rounds.to_string(), row.messages.to_string()]);
    cells
}
