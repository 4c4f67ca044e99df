//! Graphs from text: one edge `i j` per line.
//!
//! ```text
//! # Three parties in a row.
//! 0 1
//! 1 2     # the rest of a line after '#' is a comment
//! ```
//!
//! Nodes are numbered from 0 without gaps, separated by white space; each edge is given once, in either direction. A
//! line with a single number names a node without an edge: it is how the graph of one node is written.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::{Graph, TopologyError};

impl Graph {
    /// The graph as [`parse`] reads it: one edge `i j` per line, ascending. The graph of one node is the line `0`.
    ///
    /// ```
    /// # use dido_topology::families;
    /// assert_eq!(families::path(3)?.to_edge_list(), "0 1\n1 2\n");
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    pub fn to_edge_list(&self) -> String {
        // In a connected graph only a single node is on no edge.
        let mut text = if self.nodes() == 1 { String::from("0\n") } else { String::new() };
        for (i, j) in self.edges() {
            // Writing into a string does not fail.
            let _ = writeln!(text, "{i} {j}");
        }
        text
    }
}

/// Reads a graph from a file; see [`parse`].
///
/// # Errors
/// If the file cannot be read or [`parse`] refuses it. Each error names the file.
pub fn read(path: impl AsRef<Path>) -> Result<Graph, TopologyError> {
    let path = path.as_ref();
    parse(&read_text(path)?, &path.display().to_string())
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, TopologyError> {
    fs::read_to_string(path).map_err(|source| TopologyError::Read { path: path.to_path_buf(), source })
}

/// The graph written in `text`; `name` says in errors where the text came from.
///
/// # Errors
/// Naming the line: if it is not one or two numbers, joins a node to itself, or repeats an edge, or if a number below
/// the largest one is missing. Without a line: if the text names no node or the graph is not connected.
pub fn parse(text: &str, name: &str) -> Result<Graph, TopologyError> {
    let wrong = |line: usize, problem: String| TopologyError::FileLine { name: name.to_owned(), line, problem };
    let mut first_line: HashMap<(usize, usize), usize> = HashMap::new();
    let mut named: HashMap<usize, usize> = HashMap::new();
    for (text, line) in text.lines().zip(1..) {
        let numbers = numbers(text).map_err(|problem| wrong(line, problem))?;
        for &node in &numbers {
            named.entry(node).or_insert(line);
        }
        if let [i, j] = numbers[..] {
            if i == j {
                return Err(wrong(line, format!("node {i} is joined to itself")));
            }
            if let Some(before) = first_line.insert((i.min(j), i.max(j)), line) {
                return Err(wrong(line, format!("edge {i} {j} is already on line {before}; edges have no direction")));
            }
        }
    }
    // Checked before anything is allocated per node, so that a mistyped huge number costs nothing.
    if let (Some((&largest, &line)), Some(gap)) =
        (named.iter().max(), (0..named.len()).find(|k| !named.contains_key(k)))
    {
        return Err(wrong(line, format!("node {largest} is named, but node {gap} nowhere; nodes are 0, 1, 2, ...")));
    }
    Graph::from_edges(named.len(), first_line.into_keys())
        .map_err(|source| TopologyError::File { name: name.to_owned(), source: Box::new(source) })
}

/// The none, one or two numbers of a line.
fn numbers(line: &str) -> Result<Vec<usize>, String> {
    let content = line.split('#').next().unwrap_or_default();
    let numbers = content
        .split_whitespace()
        .map(|word| word.parse().map_err(|_| format!("'{word}' is not a node number (0, 1, 2, ...)")))
        .collect::<Result<Vec<usize>, _>>()?;
    if numbers.len() > 2 {
        return Err(format!("{} numbers; an edge is two", numbers.len()));
    }
    Ok(numbers)
}
