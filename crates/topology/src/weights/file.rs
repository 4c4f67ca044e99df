//! Weights of one's own, from a file.

use std::path::Path;

use ndarray::Array2;

use crate::families::edge_list::read_text;
use crate::{Graph, MixingMatrix, TopologyError};

/// More rows than this are not read: the file has a number for every pair of nodes.
pub const MOST_ROWS: usize = 1000;

/// Reads a mixing matrix and the graph it is on; see [`parse`].
///
/// # Errors
/// If the file cannot be read or [`parse`] refuses it. Each error names the file.
pub fn read(path: impl AsRef<Path>, graph: Option<Graph>) -> Result<(Graph, MixingMatrix), TopologyError> {
    let path = path.as_ref();
    parse(&read_text(path)?, &path.display().to_string(), graph)
}

/// The mixing matrix written in `text`: a row a line, all its numbers, separated by commas or white space. Empty lines
/// and what follows `#` are skipped. `name` says in errors where the text came from.
///
/// The graph is the one given, outside of whose edges there must be no weight; or else the support of the matrix, that
/// is, who has a weight for whom.
///
/// ```
/// use dido_topology::weights;
///
/// let (graph, w) = weights::parse("0.5, 0.5, 0\n0.5, 0, 0.5\n0, 0.5, 0.5\n", "w.csv", None)?;
/// assert_eq!(graph.neighbours(1), [0, 2]);
/// assert!((w.second_largest_singular_value()? - 0.5).abs() < 1e-15);
///
/// let refused = weights::parse("0.5 0.5\n0.5 0.4\n", "w.csv", None).unwrap_err();
/// assert_eq!(refused.to_string(), "w.csv, line 2: row 1 of the mixing matrix sums to 0.9, not to 1 within 0.000000000001");
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// Naming the line, if it has no numbers, too few or too many, or its row is refused by [`MixingMatrix::from_dense`].
/// Without a line, if there are no rows or more than [`MOST_ROWS`], the support is not connected, or the matrix is
/// refused as a whole.
pub fn parse(text: &str, name: &str, graph: Option<Graph>) -> Result<(Graph, MixingMatrix), TopologyError> {
    let (numbers, lines) = rows(text, name)?;
    let nodes = lines.len();
    let entries = Array2::from_shape_fn((nodes, nodes), |(i, j)| numbers[i * nodes + j]);
    let checked = graph.map_or_else(|| support(&entries), Ok).and_then(|graph| {
        let matrix = MixingMatrix::from_dense(&graph, entries.view())?;
        Ok((graph, matrix))
    });
    checked.map_err(|error| match row_of(&error) {
        Some(row) => wrong(name, lines[row], error.to_string()),
        None => TopologyError::File { name: name.to_owned(), source: Box::new(error) },
    })
}

/// All numbers, row after row, and the line of each row.
fn rows(text: &str, name: &str) -> Result<(Vec<f64>, Vec<usize>), TopologyError> {
    let (mut numbers, mut lines, mut columns) = (Vec::new(), Vec::new(), 0);
    for (content, line) in text.lines().map(|line| line.split('#').next().unwrap_or_default()).zip(1..) {
        let before = numbers.len();
        for word in content.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            numbers.push(word.parse().map_err(|_| wrong(name, line, format!("'{word}' is not a number")))?);
        }
        let found = numbers.len() - before;
        if found == 0 {
            continue;
        }
        if lines.is_empty() {
            columns = found;
        }
        lines.push(line);
        if found != columns {
            return Err(wrong(name, line, format!("{found} numbers, where the first row has {columns}")));
        }
        if columns > MOST_ROWS {
            return Err(wrong(name, line, format!("{columns} numbers; matrices of up to {MOST_ROWS} rows are read")));
        }
        if lines.len() > columns {
            return Err(wrong(name, line, format!("there are more rows than the {columns} numbers of a row")));
        }
    }
    match lines.last() {
        Some(&line) if lines.len() < columns => {
            Err(wrong(name, line, format!("the last row is number {} and has {columns} numbers", lines.len())))
        }
        _ => Ok((numbers, lines)),
    }
}

/// Who has a weight for whom, in either direction.
fn support(entries: &Array2<f64>) -> Result<Graph, TopologyError> {
    let nodes = entries.nrows();
    let pairs = (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j)));
    Graph::from_edges(nodes, pairs.filter(|&(i, j)| entries[[i, j]] != 0.0 || entries[[j, i]] != 0.0))
}

/// The row that an error is about.
fn row_of(error: &TopologyError) -> Option<usize> {
    match *error {
        TopologyError::NonFiniteWeight { row, .. }
        | TopologyError::OutsideGraph { row, .. }
        | TopologyError::AsymmetricWeights { row, .. }
        | TopologyError::RowSum { row, .. } => Some(row),
        _ => None,
    }
}

fn wrong(name: &str, line: usize, problem: String) -> TopologyError {
    TopologyError::FileLine { name: name.to_owned(), line, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{families, weights};

    #[test]
    fn a_matrix_that_is_written_down_is_read_back() {
        let graph = families::torus(&[3, 4]).unwrap();
        let w = weights::lazy_metropolis(&graph);
        let mut text = String::from("# three by four\n\n");
        for row in w.to_dense().rows() {
            text += &(row.iter().map(f64::to_string).collect::<Vec<_>>().join(", ") + "  # a row\n");
        }
        for given in [None, Some(graph.clone())] {
            assert_eq!(parse(&text, "w.csv", given).unwrap(), (graph.clone(), w.clone()));
        }
        let single = parse("1\n", "w.csv", None).unwrap();
        assert_eq!((single.0.nodes(), single.1.row(0)), (1, (&[0][..], &[1.0][..])));
    }

    #[test]
    fn what_is_no_matrix_is_refused_with_its_line() {
        let long = "0.5 ".repeat(MOST_ROWS + 1);
        for (text, expected) in [
            ("", "w: a graph needs at least one node"),
            ("1 0\n", "line 1: the last row is number 1 and has 2 numbers"),
            ("1\n\n1\n", "line 3: there are more rows"),
            ("0.5 0.5\n# x\n0.5\n", "line 3: 1 numbers, where the first row has 2"),
            ("0.5 half\n", "line 1: 'half' is not a number"),
            ("0.5 nan\nnan 0.5", "line 1: row 0, column 1"),
            ("\n0.5 0.5\n0.4 0.6", "line 2: row 0, column 1 of the mixing matrix is 0.5 but its mirror is 0.4"),
            ("0.5 0.5\n0.5 0.4", "line 2: row 1 of the mixing matrix sums to 0.9"),
            ("1 0\n0 1", "w: the graph is not connected"),
            ("0 1\n1 0", "w: the mixing matrix does not average"),
            (&long, "line 1: 1001 numbers"),
        ] {
            let refused = parse(text, "w", None).unwrap_err().to_string();
            assert!(refused.contains(expected), "{text:?}: {refused}");
        }
        let path = families::path(3).unwrap();
        let off = "0.5 0.25 0.25\n0.25 0.5 0.25\n0.25 0.25 0.5";
        let refused = parse(off, "w", Some(path.clone())).unwrap_err().to_string();
        assert!(refused.starts_with("w, line 1: row 0") && refused.contains("not neighbours"), "{refused}");
        let small = parse("1", "w", Some(path)).unwrap_err().to_string();
        assert_eq!(small, "w: the matrix is 1 x 1 for a graph of 3 nodes");
    }
}
