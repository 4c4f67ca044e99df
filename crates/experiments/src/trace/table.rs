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

impl Trace {
    /// The trace that a `trace.csv` holds.
    ///
    /// # Errors
    /// Says in which line, from 1, the text is not what [`csv`] writes.
    pub fn from_csv(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().zip(1..);
        let header: Vec<&str> = lines.next().map(|(header, _)| header.split(',').collect()).unwrap_or_default();
        let (before, metrics) = match header.iter().position(|name| *name == "messages") {
            Some(place) if header.get(place + 1) == Some(&"bytes") => (&header[..place], &header[place + 2..]),
            _ => return Err("line 1: no columns `messages` and `bytes`".to_owned()),
        };
        let [round, lane, epsilons @ ..] = before else {
            return Err("line 1: no columns `round` and `lane`".to_owned());
        };
        let accountants = epsilons.iter().map(|name| name.strip_prefix("epsilon_").map(str::to_owned));
        let accountants: Option<Vec<String>> = accountants.collect();
        let (Some(accountants), ["round", "lane"]) = (accountants, [*round, *lane]) else {
            return Err("line 1: other columns than a trace has".to_owned());
        };
        let metrics: Vec<String> = metrics.iter().map(|&name| name.to_owned()).collect();
        let mut trace = Self { accountants, metrics, observed: vec![] };
        for (line, number) in lines {
            let cells: Vec<&str> = line.split(',').collect();
            trace.add(&cells).ok_or_else(|| format!("line {number}: `{line}` is no line of this trace"))?;
        }
        Ok(trace)
    }

    /// Takes in a line.
    fn add(&mut self, cells: &[&str]) -> Option<()> {
        let number = |cell: &&str| if cell.is_empty() { Some(None) } else { cell.parse::<f64>().ok().map(Some) };
        let (&[round, lane], rest) = cells.split_first_chunk()?;
        let (epsilon, rest) = rest.split_at_checked(self.accountants.len())?;
        let (&[messages, bytes], values) = rest.split_first_chunk()?;
        if values.len() != self.metrics.len() {
            return None;
        }
        let (round, lane): (u32, usize) = (round.parse().ok()?, lane.parse().ok()?);
        if lane == 0 {
            let epsilon: Option<Vec<Option<f64>>> = epsilon.iter().map(number).collect();
            let epsilon = epsilon?.into_iter().map(|epsilon| epsilon.filter(|e| e.is_finite())).collect();
            let (messages, bytes) = (messages.parse().ok()?, bytes.parse().ok()?);
            self.observed.push(Observation { round, epsilon, messages, bytes, metrics: vec![vec![]; values.len()] });
        }
        let seen = self.observed.last_mut().filter(|seen| seen.round == round)?;
        for (lanes, value) in seen.metrics.iter_mut().zip(values) {
            if lanes.len() != lane {
                return None;
            }
            lanes.push(number(value)?);
        }
        Some(())
    }
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
        assert_eq!(Trace::from_csv(expected).unwrap(), trace);
        for (broken, line) in [
            (expected.replace("messages,bytes", "messages"), "line 1"),
            (expected.replace("epsilon_zcdp", "zcdp"), "line 1"),
            (expected.replace("5,1,0.1", "5,2,0.1"), "line 3"),
            (expected.replace("10,1,inf", "9,1,inf"), "line 5"),
            (expected.replace("-2.5,", "-2.5"), "line 5"),
            (expected.replace("1e-300", "x"), "line 4"),
        ] {
            assert!(Trace::from_csv(&broken).unwrap_err().starts_with(line), "{broken}");
        }
        assert_eq!(csv(&columns(&Trace::default())), "round,lane,messages,bytes\n");
    }
}
