//! The fastest mixing weights of a graph, with a certificate.
//!
//! `minimise ||W - J||_2` over the symmetric weights `w_l` of the edges `l = (i, j)`, `W = I - sum_l w_l a_l a_l'` with
//! `a_l = e_i - e_j`: *fastest distributed linear averaging* when the weights may have any sign, *fastest mixing Markov
//! chain* when no entry of `W` may be negative. Both are convex. They are usually handed to a solver of semidefinite
//! programs; here a barrier method of our own follows the central path ([`barrier`]), and a feasible point of the dual
//! ([`dual`]) bounds from below what any weights can reach, whatever the accuracy of the method.

mod barrier;
mod dual;

use self::barrier::Problem;
use crate::weights::{best_constant, max_degree, metropolis};
use crate::{Graph, MixingMatrix, TopologyError};

/// The optimality gap the search aims at.
const AIM: f64 = 1e-9;
/// The gap above which the weights found are not returned.
const WANTED: f64 = 1e-6;
/// How many edges the search supports: its linear systems are dense and of that order.
pub const MAX_EDGES: usize = 1000;

/// Weights that average fastest, and the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    /// The weights.
    pub weights: MixingMatrix,
    /// Their second largest singular value.
    pub lambda: f64,
    /// No weights of the kind have a smaller one, up to rounding: the value of a dual feasible point.
    pub lower_bound: f64,
}

impl Fastest {
    /// `lambda - lower_bound`: what these weights lose at most to the fastest ones, `1e-6` or less, usually `1e-8`.
    pub fn gap(&self) -> f64 {
        (self.lambda - self.lower_bound).max(0.0)
    }
}

/// Fastest distributed linear averaging: of all symmetric weights on the graph those with the smallest second largest
/// singular value (Xiao and Boyd, *Fast linear iterations for distributed averaging*, 2004). Some weights, on edges or on
/// the diagonal, may be negative. Never worse than [`best_constant`].
///
/// ```
/// use dido_topology::{Graph, weights};
///
/// // Two triangles and a bridge, which deserves a weight of its own.
/// let graph = Graph::from_edges(6, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)])?;
/// let fastest = weights::fdla(&graph)?;
/// assert!(fastest.gap() <= 1e-6);
/// assert!((fastest.lambda - (2.0_f64 / 3.0).sqrt()).abs() < 1e-6);
/// assert!((fastest.weights.row(2).1[3] - 0.5).abs() < 1e-4);
/// assert!(fastest.lambda < weights::best_constant(&graph)?.second_largest_singular_value()? - 0.008);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If the graph has more than [`MAX_EDGES`] edges, the gap stays above `1e-6`, or a factorisation fails.
///
/// # Complexity
/// `O(n^3 + edges^3)` for each of some sixty steps, `8 edges^2` bytes.
pub fn fdla(graph: &Graph) -> Result<Fastest, TopologyError> {
    search(graph, false, &[best_constant(graph)?])
}

/// Fastest mixing Markov chain: of all symmetric weights on the graph without a negative entry, diagonal included,
/// those with the smallest second largest singular value (Boyd, Diaconis and Xiao, *Fastest mixing Markov chain on a
/// graph*, 2004). Never worse than [`metropolis`] and [`max_degree`], nor than [`best_constant`] where that one has no
/// negative weight.
///
/// # Errors
/// As for [`fdla`].
///
/// # Complexity
/// As for [`fdla`].
pub fn fmmc(graph: &Graph) -> Result<Fastest, TopologyError> {
    search(graph, true, &[metropolis(graph), max_degree(graph), best_constant(graph)?])
}

/// The best of what the central path leads to and of the given matrices.
fn search(graph: &Graph, nonnegative: bool, known: &[MixingMatrix]) -> Result<Fastest, TopologyError> {
    let edges = graph.edges().count();
    if edges > MAX_EDGES {
        return Err(TopologyError::TooManyEdges { edges, limit: MAX_EDGES });
    }
    let mut best: Option<(MixingMatrix, f64)> = None;
    let mut offer = |w: MixingMatrix| -> Result<f64, TopologyError> {
        let lambda = w.second_largest_singular_value()?;
        if best.as_ref().is_none_or(|best| lambda < best.1) {
            best = Some((w, lambda));
        }
        Ok(best.as_ref().map_or(lambda, |best| best.1))
    };
    let mut lambda = f64::INFINITY;
    for w in known.iter().filter(|w| !nonnegative || w.is_nonnegative()) {
        lambda = offer(w.clone())?;
    }
    let mut lower_bound = 0.0_f64;
    if lambda > AIM {
        let problem = Problem::new(graph, nonnegative);
        let mut path = problem.start();
        while let Some(point) = path.as_mut().and_then(|path| path.advance(&problem)) {
            lower_bound = lower_bound.max(dual::lower_bound(&problem, point)?);
            let mut edge = point.weights.iter();
            match MixingMatrix::from_edge_weights(graph, |_, _| edge.next().copied().unwrap_or(0.0)) {
                Ok(w) => lambda = offer(w)?,
                // Early centres are far from the optimum and need not average at all.
                Err(TopologyError::NoContraction { .. }) => {}
                Err(other) => return Err(other),
            }
            if lambda - lower_bound <= AIM {
                break;
            }
        }
    }
    match best {
        Some((weights, lambda)) if lambda - lower_bound <= WANTED => Ok(Fastest { weights, lambda, lower_bound }),
        _ => Err(TopologyError::NotOptimal { gap: lambda - lower_bound, wanted: WANTED }),
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::families::{complete, erdos_renyi, path, ring, star};

    fn check(found: &Fastest, expected: f64) {
        assert!((found.lambda - expected).abs() < 1e-7, "{} instead of {expected}", found.lambda);
        assert!(found.lower_bound <= expected + 1e-12 && found.gap() <= 1e-6, "{found:?}");
    }

    /// Where all edges look alike the best constant is the fastest.
    #[test]
    fn edge_transitive_graphs_have_their_best_constant() {
        check(&fdla(&ring(4).unwrap()).unwrap(), 1.0 / 3.0);
        let star = fdla(&star(6).unwrap()).unwrap();
        check(&star, 5.0 / 7.0);
        assert!((star.weights.row(0).1[0] + 3.0 / 7.0).abs() < 1e-5);
        for n in [3, 7, 12] {
            let mu = crate::spectra::ClosedForm::ring(n).unwrap();
            let (small, large) = (mu.laplacian()[1], mu.laplacian()[n - 1]);
            check(&fdla(&ring(n).unwrap()).unwrap(), (large - small) / (large + small));
            check(&fdla(&complete(n).unwrap()).unwrap(), 0.0);
            check(&fmmc(&complete(n).unwrap()).unwrap(), 0.0);
        }
    }

    /// The fastest chain on a path moves with probability 1/2 either way and has cos(pi / n) (Boyd, Diaconis, Sun and
    /// Xiao, *Fastest mixing Markov chain on a path*, 2006); a star of 6 has 1/5 on every edge, and 4/5.
    #[test]
    fn fastest_chains_have_their_closed_forms() {
        for n in [2, 3, 4, 9, 16] {
            let found = fmmc(&path(n).unwrap()).unwrap();
            check(&found, if n == 2 { 0.0 } else { (PI / n as f64).cos() });
            assert!(found.weights.is_nonnegative());
        }
        let found = fmmc(&star(6).unwrap()).unwrap();
        check(&found, 0.8);
        assert!(
            found.weights.row(0).1.iter().skip(1).all(|w| (w - 0.2).abs() < 1e-6) && found.weights.is_nonnegative()
        );
    }

    /// A path of 4 has two weights, by symmetry: a fine grid of them finds nothing better, and nothing worse either.
    #[test]
    fn a_grid_search_agrees() {
        let graph = path(4).unwrap();
        let lambda = |outer: f64, inner: f64| {
            let w = MixingMatrix::from_edge_weights(&graph, |i, _| if i == 1 { inner } else { outer });
            w.map_or(1.0, |w| w.second_largest_singular_value().unwrap())
        };
        let grid = (0..=100).flat_map(|a| (0..=100).map(move |b| (f64::from(a) / 100.0, f64::from(b) / 100.0)));
        let best = grid.map(|(outer, inner)| lambda(outer, inner)).fold(1.0, f64::min);
        let found = fdla(&graph).unwrap();
        assert!(
            found.lower_bound <= best && found.lambda <= best + 1e-9 && best < found.lambda + 0.01,
            "{best} {found:?}"
        );
    }

    #[test]
    fn random_graphs_are_certified_and_never_worse_than_simpler_rules() {
        for seed in 0..6 {
            let graph = erdos_renyi(14, 0.25, seed).unwrap().graph;
            let (linear, chain) = (fdla(&graph).unwrap(), fmmc(&graph).unwrap());
            for found in [&linear, &chain] {
                assert!(found.gap() <= 1e-6, "{found:?}");
                assert!((found.weights.second_largest_singular_value().unwrap() - found.lambda).abs() < 1e-15);
            }
            let of = |w: MixingMatrix| w.second_largest_singular_value().unwrap();
            assert!(linear.lambda <= of(best_constant(&graph).unwrap()) && linear.lambda <= chain.lambda + 1e-8);
            assert!(chain.lambda <= of(metropolis(&graph)) && chain.lambda <= of(max_degree(&graph)));
            assert!(chain.weights.is_nonnegative());
        }
    }

    /// Early centres of a long path are no mixing matrices yet; a path has cos(pi / n) either way, the best constant too.
    #[test]
    fn slow_graphs_are_served() {
        let long = path(120).unwrap();
        check(&fdla(&long).unwrap(), (PI / 120.0).cos());
        check(&fmmc(&long).unwrap(), (PI / 120.0).cos());
    }

    #[test]
    fn single_nodes_are_served_and_large_graphs_refused() {
        let one = fmmc(&path(1).unwrap()).unwrap();
        assert!(one.lambda < 1e-15 && fdla(&path(1).unwrap()).unwrap() == one);
        let refused = fdla(&complete(46).unwrap()).unwrap_err();
        assert!(matches!(refused, TopologyError::TooManyEdges { edges: 1035, limit: MAX_EDGES }), "{refused}");
    }
}
