//! Recordings as text.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::fs;
use std::path::Path;
use std::str::FromStr;

use super::Recorded;
use crate::TopologyError;
use crate::families::edge_list::read_text;
use crate::sequence::SequenceError;

impl Recorded {
    /// Reads a file; see [`Recorded`] for its format.
    ///
    /// # Errors
    /// If the file cannot be read or [`parse`](Self::parse) refuses it. Each error names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TopologyError> {
        let path = path.as_ref();
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    /// Writes a file that [`read`](Self::read) reads back as the same recording.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), TopologyError> {
        let path = path.as_ref();
        fs::write(path, self.to_string()).map_err(|source| TopologyError::Write { path: path.to_path_buf(), source })
    }

    /// The sequence written in `text`; `name` says in errors where the text came from.
    ///
    /// # Errors
    /// Naming the line, if it cannot be understood, repeats an edge, or names a node, round or weight that cannot be.
    /// Without a line, if `nodes` or `rounds` is missing or a row cannot sum to 1.
    pub fn parse(text: &str, name: &str) -> Result<Self, TopologyError> {
        let mut lines = Lines::default();
        for (text, line) in text.lines().zip(1..) {
            let words: Vec<&str> = text.split('#').next().unwrap_or_default().split_whitespace().collect();
            lines.take(&words, line).map_err(|problem| TopologyError::FileLine {
                name: name.to_owned(),
                line,
                problem,
            })?;
        }
        lines.finish().map_err(|problem| match problem {
            Problem::Line(line, problem) => TopologyError::FileLine { name: name.to_owned(), line, problem },
            Problem::Whole(source) => TopologyError::File { name: name.to_owned(), source: Box::new(source) },
        })
    }
}

/// The text that [`Recorded::parse`] reads back as the same recording.
impl Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nodes {}\nrounds {}", self.nodes, self.rounds)?;
        for nodes in self.asleep.chunk_by(|a, b| a.0 == b.0) {
            write!(f, "{} asleep", nodes[0].0)?;
            nodes.iter().try_for_each(|(_, node)| write!(f, " {node}"))?;
            writeln!(f)?;
        }
        self.edges.iter().try_for_each(|(t, i, j, weight)| writeln!(f, "{t} {i} {j} {weight}"))
    }
}

/// What the lines so far have said.
#[derive(Default)]
struct Lines {
    nodes: Option<usize>,
    rounds: Option<u32>,
    edges: Vec<(u32, usize, usize, f64)>,
    /// Where each edge of a round was given.
    edge_line: HashMap<(u32, usize, usize), usize>,
    /// Where each sleeping node of a round was given.
    asleep_line: HashMap<(u32, usize), usize>,
}

enum Problem {
    Line(usize, String),
    Whole(TopologyError),
}

impl Lines {
    fn take(&mut self, words: &[&str], line: usize) -> Result<(), String> {
        match *words {
            [] => Ok(()),
            ["nodes", count] => once(&mut self.nodes, "nodes", number(count, "number of nodes")?),
            ["rounds", count] => once(&mut self.rounds, "rounds", number(count, "number of rounds")?),
            [round, "asleep", ref nodes @ ..] => {
                let round = self.round(round)?;
                for node in nodes {
                    let node = self.node(node)?;
                    if self.asleep_line.insert((round, node), line).is_some() {
                        return Err(format!("node {node} is said twice to sleep in round {round}"));
                    }
                }
                Ok(())
            }
            [round, i, j, weight] => {
                let (round, i, j) = (self.round(round)?, self.node(i)?, self.node(j)?);
                let weight: f64 = number(weight, "weight")?;
                if i == j {
                    return Err(format!("node {i} is joined to itself; own weights are what rows leave over"));
                }
                if !weight.is_finite() {
                    return Err(format!("the weight is {weight}; it must be finite"));
                }
                if let Some(before) = self.edge_line.insert((round, i.min(j), i.max(j)), line) {
                    return Err(format!("edge {i} {j} of round {round} is already on line {before}"));
                }
                self.edges.push((round, i, j, weight));
                Ok(())
            }
            _ => Err(format!("'{}' is neither 'round node node weight' nor 'round asleep nodes'", words.join(" "))),
        }
    }

    fn round(&self, word: &str) -> Result<u32, String> {
        let (round, rounds) = (number(word, "round")?, self.rounds.ok_or("'rounds' must come first")?);
        if round < rounds { Ok(round) } else { Err(format!("there is no round {round}: there are {rounds}, from 0")) }
    }

    fn node(&self, word: &str) -> Result<usize, String> {
        let (node, nodes) = (number(word, "node")?, self.nodes.ok_or("'nodes' must come first")?);
        if node < nodes { Ok(node) } else { Err(format!("there is no node {node}: there are {nodes}, from 0")) }
    }

    fn finish(self) -> Result<Recorded, Problem> {
        let missing = |what| Problem::Whole(SequenceError::Header { what }.into());
        let (nodes, rounds) = (self.nodes.ok_or(missing("nodes"))?, self.rounds.ok_or(missing("rounds"))?);
        for &(round, i, j, _) in &self.edges {
            if let Some((node, asleep)) =
                [i, j].iter().find_map(|&node| Some((node, self.asleep_line.get(&(round, node))?)))
            {
                let line = self.edge_line[&(round, i.min(j), i.max(j))];
                return Err(Problem::Line(line, format!("node {node} sleeps in round {round}, says line {asleep}")));
            }
        }
        let asleep = self.asleep_line.into_keys().collect();
        Recorded::assemble(nodes, rounds, self.edges, asleep).map_err(Problem::Whole)
    }
}

fn once<T>(place: &mut Option<T>, what: &str, value: T) -> Result<(), String> {
    if place.replace(value).is_some() { Err(format!("'{what}' is given twice")) } else { Ok(()) }
}

fn number<T: FromStr>(word: &str, what: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("'{word}' is not a {what}"))
}
