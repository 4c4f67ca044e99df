//! What there is, for people.

use std::fmt::Write;

use super::{Inspection, Summary};

/// Longer names are cut.
const LONGEST: usize = 32;

/// Columns that are listed.
const MOST: usize = 50;

impl Inspection {
    /// A few lines, and a table of the columns.
    pub fn text(&self) -> String {
        let mut text = format!("{} ({}): {}\n", printable(&self.file), self.format, self.shape());
        let mut line = |line: String| text.extend([line.as_str(), "\n"]);
        line(format!("  {}", super::NOT_PRIVATE));
        for file in &self.files {
            line(format!("  {}: {} rows", plain(&file.file), file.rows));
        }
        if let Some(target) = &self.target {
            line(format!("  target {}", plain(target)));
        }
        if let Some(classes) = &self.classes {
            let sizes = classes.iter().take(MOST).map(|class| format!("{} ({})", plain(&class.class), class.count));
            line(format!("  classes {}", sizes.collect::<Vec<_>>().join(", ")));
        }
        if !self.missing_by_column.is_empty() {
            let counts = self.missing_by_column.iter().map(|(column, count)| format!("{} {count}", plain(column)));
            line(format!("  missing {}", counts.collect::<Vec<_>>().join(", ")));
            line(format!("  dropped {} rows", self.dropped_rows.len()));
        }
        line(format!("  {:<5} {:<LONGEST$} {:<8} {}", "", "column", "kind", "range or levels"));
        for summary in self.summaries.iter().take(MOST) {
            let name = plain(&summary.name);
            line(format!("  {:<5} {name:<LONGEST$} {:<8} {}", summary.number, summary.kind, extent(summary)));
        }
        if self.summaries.len() > MOST {
            line(format!("  and {} columns more; --json lists all", self.summaries.len() - MOST));
        }
        if let Some(values) = &self.values {
            text += &values.text();
        }
        text
    }

    fn shape(&self) -> String {
        let nnz = self.nnz.map_or_else(String::new, |nnz| format!(", {nnz} entries that are not 0"));
        format!("{} rows, {} features{nnz}", self.rows, self.n_features)
    }
}

impl super::Encoded {
    /// A row a line, the target last. Numbers have as many digits as they need to be read back as the same.
    fn text(&self) -> String {
        let mut text = String::new();
        for (k, row) in self.x.iter().enumerate() {
            let y = self.y.iter().map(|y| y[k]);
            let cells: Vec<String> = row.iter().copied().chain(y).map(|v| v.to_string()).collect();
            // Writing into a string does not fail.
            let _ = writeln!(text, "{}", cells.join(" "));
        }
        text
    }
}

fn extent(summary: &Summary) -> String {
    match (summary.min, summary.max, summary.trues, summary.levels) {
        (Some(min), Some(max), ..) => format!("{min:?} to {max:?}"),
        (.., Some(trues), _) => format!("{trues} true"),
        (.., Some(levels)) => format!("{levels} levels"),
        _ => String::new(),
    }
}

/// A name, shortened.
fn plain(text: &str) -> String {
    let mut short: String = printable(text).chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// Names come from users' files: a control character could command the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}
