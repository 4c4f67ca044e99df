//! The trace as a tidy table: one line for each lane and observed round, one column for each quantity.

use std::fmt::Write;

use crate::records::{Observation, Trace};

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its cells, from top to bottom.
    pub cells: Cells,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Whole numbers.
    Whole(Vec<u64>),
    /// Numbers. An epsilon may be infinite; a metric that is undefined is absent.
    Numbers(Vec<Option<f64>>),
}

/// The columns of a trace, all of one length. What writes a file, of whatever format, needs nothing else.
pub fn columns(trace: &Trace) -> Vec<Column> {
    let lanes = trace.observed.first().and_then(|seen| seen.metrics.first()).map_or(0, Vec::len);
    let lines = || trace.observed.iter().flat_map(move |seen| (0..lanes).map(move |lane| (seen, lane)));
    let whole = |name: &str, of: fn(&Observation, usize) -> u64| Column {
        name: name.to_owned(),
        cells: Cells::Whole(lines().map(|(seen, lane)| of(seen, lane)).collect()),
    };
    let epsilon = |(k, name): (usize, &String)| Column {
        name: format!("epsilon_{name}"),
        cells: Cells::Numbers(lines().map(|(seen, _)| seen.epsilon[k].or(Some(f64::INFINITY))).collect()),
    };
    let metric = |(k, name): (usize, &String)| Column {
        name: name.clone(),
        cells: Cells::Numbers(lines().map(|(seen, lane)| seen.metrics[k][lane]).collect()),
    };
    let mut all = vec![whole("round", |seen, _| u64::from(seen.round)), whole("lane", |_, lane| lane as u64)];
    all.extend(trace.accountants.iter().enumerate().map(epsilon));
    all.push(whole("messages", |seen, _| seen.messages));
    all.push(whole("bytes", |seen, _| seen.bytes));
    all.extend(trace.metrics.iter().enumerate().map(metric));
    all
}

/// Columns as CSV. Numbers have as many digits as it takes to read the same number again; an absent one is an empty cell, an
/// infinite one `inf`.
pub fn csv(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    let lines = columns.first().map_or(0, |column| column.cells.len());
    for line in 0..lines {
        for (k, column) in columns.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            match &column.cells {
                Cells::Whole(cells) => write!(text, "{comma}{}", cells[line]),
                Cells::Numbers(cells) => match cells[line] {
                    Some(number) => write!(text, "{comma}{number:?}"),
                    None => write!(text, "{comma}"),
                },
            }
            .expect("a string takes all that is written");
        }
        text.push('\n');
    }
    text
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Whole(cells) => cells.len(),
            Self::Numbers(cells) => cells.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_a_line_for_each_lane_and_round() {
        let seen = |round: u32, epsilon, metrics: [[Option<f64>; 2]; 2]| Observation {
            round,
            epsilon: vec![epsilon],
            messages: 8 * u64::from(round),
            bytes: 64 * u64::from(round),
            metrics: metrics.map(|lanes| lanes.to_vec()).to_vec(),
        };
        let trace = Trace {
            accountants: vec!["zcdp".to_owned()],
            metrics: vec!["a".to_owned(), "b".to_owned()],
            observed: vec![
                seen(5, Some(0.1), [[Some(1.0), Some(0.25)], [None, Some(f64::MAX)]]),
                seen(10, None, [[Some(1e-300), Some(-2.5)], [Some(0.0), None]]),
            ],
        };
        let expected = "round,lane,epsilon_zcdp,messages,bytes,a,b\n\
                        5,0,0.1,40,320,1.0,\n\
                        5,1,0.1,40,320,0.25,1.7976931348623157e308\n\
                        10,0,inf,80,640,1e-300,0.0\n\
                        10,1,inf,80,640,-2.5,\n";
        assert_eq!(csv(&columns(&trace)), expected);
        assert_eq!(csv(&columns(&Trace::default())), "round,lane,messages,bytes\n");
    }
}
