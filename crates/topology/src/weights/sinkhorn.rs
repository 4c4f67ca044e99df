//! Sinkhorn scaling of a pattern.

use crate::{Graph, MixingMatrix, TopologyError};

/// How far the worst row sum may be off when the scaling stops; the last repair takes the rest.
const SCALED: f64 = 1e-13;
/// Scaling steps before the rule gives up.
const MAX_STEPS: u32 = 10_000;

/// The doubly stochastic matrix `s_i a_ij s_j` with the positive numbers `s` that make it so, for a pattern `a` that is
/// not negative: `pattern(i, j)` is asked once per edge, `i < j`, and once per node, `i = j`.
///
/// Of all doubly stochastic matrices on the pattern it is the one closest to it in relative entropy (Sinkhorn, *A
/// relationship between arbitrary positive matrices and doubly stochastic matrices*, 1964). Where every diagonal entry
/// is positive the scaling exists. Steps are the symmetric ones `s_i <- sqrt(s_i / sum_j a_ij s_j)` (Knight, Ruiz and
/// Uçar, *A symmetry preserving algorithm for matrix scaling*, 2014), whose error shrinks by `(1 - lambda_min) / 2` each;
/// they stop when every row sums to 1 within `1e-13`, and what is then left goes to the positive diagonal entries.
///
/// ```
/// use dido_topology::{families, weights};
///
/// // Trust in proportion to the size of the parties.
/// let sizes = [3.0, 1.0, 2.0];
/// let w = weights::sinkhorn(&families::complete(3)?, |i, j| if i == j { 1.0 } else { sizes[i] * sizes[j] })?;
/// assert!(w.is_nonnegative() && (w.row(1).1.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If an entry is negative or not finite, no scaling was found in 10 000 steps (for example a star whose diagonal is
/// zero has none), or the result does not average, because its non-zero entries do not connect the graph.
///
/// # Complexity
/// `O(n + edges)` per step.
pub fn sinkhorn(graph: &Graph, mut pattern: impl FnMut(usize, usize) -> f64) -> Result<MixingMatrix, TopologyError> {
    let mut ask = |row, column| match pattern(row, column) {
        value if value >= 0.0 && value.is_finite() => Ok(value),
        value => Err(TopologyError::Pattern { row, column, value }),
    };
    let diagonal: Vec<f64> = (0..graph.nodes()).map(|i| ask(i, i)).collect::<Result<_, _>>()?;
    let edges: Vec<(usize, usize, f64)> =
        graph.edges().map(|(i, j)| ask(i, j).map(|a| (i, j, a))).collect::<Result<_, _>>()?;
    let s = scaling(&diagonal, &edges)?;
    let mut scaled = edges.iter().map(|&(i, j, a)| s[i] * s[j] * a);
    MixingMatrix::from_weights(
        graph,
        |i, rest| if diagonal[i] > 0.0 { rest.max(0.0) } else { 0.0 },
        |_, _| scaled.next().unwrap_or(0.0),
    )
}

fn scaling(diagonal: &[f64], edges: &[(usize, usize, f64)]) -> Result<Vec<f64>, TopologyError> {
    // The largest entry becomes 1, so that no sum overflows.
    let largest = diagonal.iter().copied().chain(edges.iter().map(|e| e.2)).fold(0.0, f64::max);
    let unit = if largest > 0.0 { 1.0 / largest } else { 1.0 };
    let mut s = vec![1.0_f64; diagonal.len()];
    let mut sums = vec![0.0; s.len()];
    let mut worst = (0, 0.0);
    let mut steps = 0;
    while steps < MAX_STEPS {
        for ((sum, a), s) in sums.iter_mut().zip(diagonal).zip(&s) {
            *sum = a * unit * s;
        }
        for &(i, j, a) in edges {
            sums[i] += a * unit * s[j];
            sums[j] += a * unit * s[i];
        }
        let off = |i: usize| (s[i] * sums[i] - 1.0).abs();
        let row = (0..s.len()).max_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap_or(0);
        worst = (row, s[row] * sums[row]);
        if off(row) <= SCALED {
            let root = unit.sqrt();
            return Ok(s.into_iter().map(|s| s * root).collect());
        }
        if sums.contains(&0.0) {
            break;
        }
        for (s, sum) in s.iter_mut().zip(&sums) {
            *s = (*s / sum).sqrt();
        }
        steps += 1;
    }
    Err(TopologyError::NotScaled { row: worst.0, sum: worst.1, steps })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{complete, path, ring, star};

    /// For the pattern (a, b; b, c) of two nodes the scaling keeps a c / b^2: w^2 / (1 - w)^2 = a c / b^2.
    #[test]
    fn two_nodes_have_their_closed_form() {
        let w = sinkhorn(&path(2).unwrap(), |i, j| [[4.0, 3.0], [3.0, 9.0]][i][j]).unwrap();
        let own: f64 = 6.0 / 9.0;
        assert!((w.row(0).1[0] - own).abs() < 1e-13 && (w.row(1).1[1] - own).abs() < 1e-13);
    }

    /// A scaled pattern is its own scaling, whatever units it came in.
    #[test]
    fn scaling_undoes_itself_in_any_unit() {
        let graph = star(9).unwrap();
        let rule = crate::weights::metropolis(&graph).to_dense();
        for unit in [1e-200, 1.0, 1e200] {
            let d: Vec<f64> = (1..10).map(f64::from).collect();
            let w = sinkhorn(&graph, |i, j| unit * rule[[i, j]] * d[i] * d[j]).unwrap().to_dense();
            assert!(w.iter().zip(&rule).all(|(a, b)| (a - b).abs() < 1e-12), "{unit}: {w}");
        }
    }

    #[test]
    fn patterns_without_a_scaling_are_refused() {
        let off_diagonal = |i: usize, j: usize| f64::from(u8::from(i != j));
        let refused = sinkhorn(&star(4).unwrap(), off_diagonal).unwrap_err();
        assert!(matches!(refused, TopologyError::NotScaled { .. }), "{refused}");
        // A ring of even length swaps sides; a triangle has a scaling without diagonal: 1/2 everywhere.
        assert!(matches!(sinkhorn(&ring(4).unwrap(), off_diagonal), Err(TopologyError::NoContraction { .. })));
        let triangle = sinkhorn(&complete(3).unwrap(), off_diagonal).unwrap();
        assert!((triangle.row(0).1[1] - 0.5).abs() < 1e-13);
        assert!(matches!(sinkhorn(&path(2).unwrap(), |_, _| 0.0), Err(TopologyError::NotScaled { .. })));
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = sinkhorn(&path(3).unwrap(), |i, j| if (i, j) == (1, 2) { wrong } else { 1.0 }).unwrap_err();
            assert!(matches!(refused, TopologyError::Pattern { row: 1, column: 2, .. }), "{refused}");
        }
    }

    #[test]
    fn a_large_pattern_is_scaled() {
        let w = sinkhorn(&star(5000).unwrap(), |i, j| 1.0 + ((i * 31 + j * 17) % 7) as f64).unwrap();
        assert!(w.is_nonnegative());
    }
}
