//! Graphs whose nodes have names in the file they come from.

use std::collections::HashMap;

use crate::{Graph, TopologyError};

/// A graph and what its file calls its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGraph {
    /// The graph.
    pub graph: Graph,
    /// The name of each node, in the order of their numbers.
    pub names: Vec<String>,
}

/// Collects nodes and edges; nodes are numbered in the order in which they are first named.
pub(super) struct Collector<'a> {
    /// Where the text comes from, for errors.
    source: &'a str,
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    /// The line of each edge.
    first_line: HashMap<(usize, usize), usize>,
    /// Whether an edge may be given again.
    merge: bool,
}

impl<'a> Collector<'a> {
    pub(super) fn new(source: &'a str, merge: bool) -> Self {
        Self { source, numbers: HashMap::new(), names: Vec::new(), first_line: HashMap::new(), merge }
    }

    /// The number of a node that has been named.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of a node, a new one if it has not been named yet.
    pub(super) fn node(&mut self, name: &str) -> usize {
        self.number(name).unwrap_or_else(|| {
            self.numbers.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Joins two nodes by their numbers.
    pub(super) fn edge(&mut self, i: usize, j: usize, line: usize) -> Result<(), TopologyError> {
        if i == j {
            return Err(self.wrong(line, format!("node {} is joined to itself", self.names[i])));
        }
        if let Some(&before) = self.first_line.get(&(i.min(j), i.max(j))) {
            if self.merge {
                return Ok(());
            }
            let (i, j) = (&self.names[i], &self.names[j]);
            return Err(self.wrong(line, format!("edge {i} -- {j} is already on line {before}")));
        }
        self.first_line.insert((i.min(j), i.max(j)), line);
        Ok(())
    }

    /// An error on a line.
    pub(super) fn wrong(&self, line: usize, problem: impl Into<String>) -> TopologyError {
        TopologyError::FileLine { name: self.source.to_owned(), line, problem: problem.into() }
    }

    pub(super) fn finish(self) -> Result<NamedGraph, TopologyError> {
        let graph = Graph::from_edges(self.names.len(), self.first_line.into_keys())
            .map_err(|source| TopologyError::File { name: self.source.to_owned(), source: Box::new(source) })?;
        Ok(NamedGraph { graph, names: self.names })
    }
}
