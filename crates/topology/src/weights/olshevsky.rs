//! The lazy Metropolis weights of Olshevsky.

use crate::{Graph, MixingMatrix};

/// `w_ij = 1 / (2 max(d_i, d_j))` (Olshevsky, *Linear time average consensus and distributed optimization on fixed
/// graphs*, 2017, where it is called lazy Metropolis): larger edge weights than [`lazy_metropolis`](super::lazy_metropolis),
/// and every node still keeps at least half. The second largest singular value is at most `1 - 1 / (71 n^2)` on every
/// connected graph.
///
/// # Panics
/// Never: the weights are doubly stochastic by construction.
///
/// # Complexity
/// `O(n + edges)`.
pub fn olshevsky(graph: &Graph) -> MixingMatrix {
    MixingMatrix::from_edge_weights(graph, |i, j| 0.5 / graph.degree(i).max(graph.degree(j)) as f64)
        .expect("the weights are doubly stochastic and positive")
}

#[cfg(test)]
mod tests {
    use crate::{families, weights};

    #[test]
    fn the_gap_has_its_bound_and_the_weights_are_the_ones_found_by_hand() {
        let star = weights::olshevsky(&families::star(5).unwrap());
        assert!(star.row(0).1.iter().zip([0.5, 0.125, 0.125, 0.125, 0.125]).all(|(w, e)| (w - e).abs() < 1e-15));
        for n in 2..40 {
            for family in [families::ring, families::path, families::star, families::complete] {
                let lambda = weights::olshevsky(&family(n).unwrap()).second_largest_singular_value().unwrap();
                assert!(lambda <= 1.0 - 1.0 / (71.0 * (n * n) as f64), "{n}: {lambda}");
            }
        }
    }
}
