//! Graphs from and to the DOT language of Graphviz.
//!
//! ```text
//! graph sites {
//!     node [shape = circle]      // attributes are passed over
//!     oslo -- rome -- "new york" # so are comments
//!     rome -- 4
//! }
//! ```
//!
//! The subset read here: one undirected graph whose statements are nodes, chains of edges and attributes. Nodes are
//! numbered in the order in which they first appear, whatever they are called: above, oslo is 0 and `4` is node 3.
//! In a `strict graph` an edge may be repeated, as Graphviz has it. Directed graphs and edges, subgraphs, ports and
//! HTML labels are refused.

use std::fmt::Write;
use std::iter::Peekable;
use std::path::Path;
use std::vec::IntoIter;

use super::dot_tokens::{Token, tokens};
use super::edge_list::read_text;
use super::named::{Collector, NamedGraph};
use crate::{Graph, TopologyError};

impl Graph {
    /// The graph in the DOT language: all nodes ascending, then all edges, so that [`parse`] gives each node the number
    /// that it has here.
    ///
    /// ```
    /// # use dido_topology::families;
    /// assert_eq!(families::path(3)?.to_dot(), "graph {\n  0;\n  1;\n  2;\n  0 -- 1;\n  1 -- 2;\n}\n");
    /// # Ok::<(), dido_topology::TopologyError>(())
    /// ```
    pub fn to_dot(&self) -> String {
        let mut text = String::from("graph {\n");
        for i in 0..self.nodes() {
            // Writing into a string does not fail.
            let _ = writeln!(text, "  {i};");
        }
        for (i, j) in self.edges() {
            let _ = writeln!(text, "  {i} -- {j};");
        }
        text.push_str("}\n");
        text
    }
}

/// Reads a graph from a file; see [`parse`].
///
/// # Errors
/// If the file cannot be read or [`parse`] refuses it. Each error names the file.
pub fn read(path: impl AsRef<Path>) -> Result<NamedGraph, TopologyError> {
    let path = path.as_ref();
    parse(&read_text(path)?, &path.display().to_string())
}

/// The graph written in `text`; `name` says in errors where the text came from.
///
/// # Errors
/// Naming the line: if the text is not within the subset above, joins a node to itself, or repeats an edge in a graph
/// that is not strict. Without a line: if there is no node or the graph is not connected.
///
/// # Complexity
/// Linear in the text.
pub fn parse(text: &str, name: &str) -> Result<NamedGraph, TopologyError> {
    let tokens = tokens(text).map_err(|(line, problem)| Collector::new(name, false).wrong(line, problem))?;
    let mut parser = Parser { line: 1, tokens: tokens.into_iter().peekable(), graph: Collector::new(name, false) };
    if parser.keyword("strict") {
        parser.graph = Collector::new(name, true);
    }
    if parser.keyword("digraph") {
        return Err(parser.wrong("the graph is directed; only undirected ones are read"));
    }
    if !parser.keyword("graph") {
        return Err(parser.wrong("a DOT file begins with 'graph'"));
    }
    if !parser.next_is(&Token::Sign('{')) {
        parser.id("a name or '{'")?;
        parser.expect('{')?;
    }
    while !parser.next_is(&Token::Sign('}')) {
        parser.statement()?;
        parser.next_is(&Token::Sign(';'));
    }
    if parser.tokens.peek().is_some() {
        parser.advance();
        return Err(parser.wrong("there is something after the graph's closing '}'"));
    }
    parser.graph.finish()
}

struct Parser<'a> {
    tokens: Peekable<IntoIter<(usize, Token)>>,
    /// Of the token read last.
    line: usize,
    graph: Collector<'a>,
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<(), TopologyError> {
        if self.keyword("subgraph") || self.next_is(&Token::Sign('{')) {
            return Err(self.wrong("subgraphs are not read"));
        }
        if ["graph", "node", "edge"].into_iter().any(|word| self.keyword(word)) {
            return self.attributes();
        }
        let first = self.id("a node, an edge, an attribute or '}'")?;
        if self.next_is(&Token::Sign('=')) {
            self.id("a value")?;
            return Ok(());
        }
        let mut i = self.node(&first)?;
        while self.next_is(&Token::Edge) {
            if self.keyword("subgraph") || self.next_is(&Token::Sign('{')) {
                return Err(self.wrong("subgraphs are not read"));
            }
            let next = self.id("a node after '--'")?;
            let j = self.node(&next)?;
            self.graph.edge(i, j, self.line)?;
            i = j;
        }
        if self.next_is(&Token::Arrow) {
            return Err(self.wrong("'->' is a directed edge; only undirected ones, '--', are read"));
        }
        self.attributes()
    }

    fn node(&mut self, name: &str) -> Result<usize, TopologyError> {
        if self.next_is(&Token::Sign(':')) {
            return Err(self.wrong(format!("node {name} has a port; ports are not read")));
        }
        Ok(self.graph.node(name))
    }

    /// Any number of lists `[name = value, ...]`.
    fn attributes(&mut self) -> Result<(), TopologyError> {
        while self.next_is(&Token::Sign('[')) {
            while !self.next_is(&Token::Sign(']')) {
                self.id("an attribute or ']'")?;
                self.expect('=')?;
                self.id("a value")?;
                let _ = self.next_is(&Token::Sign(',')) || self.next_is(&Token::Sign(';'));
            }
        }
        Ok(())
    }

    fn id(&mut self, wanted: &str) -> Result<String, TopologyError> {
        match self.advance() {
            Some(Token::Word(id) | Token::Quoted(id)) => Ok(id),
            Some(other) => Err(self.wrong(format!("{other} instead of {wanted}"))),
            None => Err(self.wrong(format!("the file ends before {wanted}"))),
        }
    }

    fn expect(&mut self, sign: char) -> Result<(), TopologyError> {
        match self.advance() {
            Some(token) if token == Token::Sign(sign) => Ok(()),
            Some(other) => Err(self.wrong(format!("{other} instead of '{sign}'"))),
            None => Err(self.wrong(format!("the file ends before '{sign}'"))),
        }
    }

    /// Steps over a keyword, which may be in any case but not in quotes.
    fn keyword(&mut self, keyword: &str) -> bool {
        let found = matches!(self.tokens.peek(), Some((_, Token::Word(word))) if word.eq_ignore_ascii_case(keyword));
        found && self.advance().is_some()
    }

    fn next_is(&mut self, token: &Token) -> bool {
        self.tokens.peek().is_some_and(|(_, next)| next == token) && self.advance().is_some()
    }

    fn advance(&mut self) -> Option<Token> {
        let (line, token) = self.tokens.next()?;
        self.line = line;
        Some(token)
    }

    fn wrong(&self, problem: impl Into<String>) -> TopologyError {
        self.graph.wrong(self.line, problem)
    }
}
