//! The best constant edge weight.

use crate::{Graph, MixingMatrix, TopologyError};

/// `I - alpha L` with the `alpha` that averages fastest, `2 / (mu_2 + mu_n)`, `mu` being the eigenvalues of the
/// Laplacian: its second largest singular value is `(mu_n - mu_2) / (mu_n + mu_2)` (Xiao and Boyd, *Fast linear
/// iterations for distributed averaging*, 2004, section 4.1).
///
/// Diagonal weights may be negative; [`is_nonnegative`](MixingMatrix::is_nonnegative) says so.
///
/// ```
/// use dido_topology::{families, weights};
///
/// // Star of 6: 2/7 on each edge, and the centre keeps 1 - 5 * 2/7 = -3/7.
/// let w = weights::best_constant(&families::star(6)?)?;
/// assert!((w.row(0).1[0] + 3.0 / 7.0).abs() < 1e-14 && !w.is_nonnegative());
/// assert!((w.second_largest_singular_value()? - 5.0 / 7.0).abs() < 1e-14);
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
///
/// # Errors
/// If the spectrum of the Laplacian cannot be computed; see
/// [`laplacian_extremes`](Graph::laplacian_extremes).
///
/// # Complexity
/// That of two spectra: `O(n^3)` up to 512 nodes, Lanczos iterations beyond.
pub fn best_constant(graph: &Graph) -> Result<MixingMatrix, TopologyError> {
    let alpha = best_constant_weight(graph)?;
    MixingMatrix::from_edge_weights(graph, |_, _| alpha)
}

/// The weight `2 / (mu_2 + mu_n)` of [`best_constant`]; a single node, without edges, has 1.
///
/// # Errors
/// As for [`best_constant`].
pub fn best_constant_weight(graph: &Graph) -> Result<f64, TopologyError> {
    let mu = graph.laplacian_extremes()?;
    Ok(if graph.nodes() == 1 { 1.0 } else { 2.0 / (mu.smallest + mu.largest) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use crate::spectra::ClosedForm;

    #[test]
    fn the_weight_and_its_singular_value_are_the_known_ones() {
        let square = families::ring(4).unwrap();
        assert!((best_constant_weight(&square).unwrap() - 1.0 / 3.0).abs() < 1e-14);
        assert!((best_constant(&square).unwrap().second_largest_singular_value().unwrap() - 1.0 / 3.0).abs() < 1e-14);
        for n in 2..=40 {
            for (graph, form) in [
                (families::ring(n), ClosedForm::ring(n)),
                (families::path(n), ClosedForm::path(n)),
                (families::star(n), ClosedForm::star(n)),
            ] {
                let form = form.unwrap();
                let (small, large) = (form.laplacian()[1], form.laplacian()[n - 1]);
                let lambda = best_constant(&graph.unwrap()).unwrap().second_largest_singular_value().unwrap();
                assert!((lambda - (large - small) / (large + small)).abs() < 1e-13, "{n}");
                assert!(lambda <= form.lambda() + 1e-14);
            }
        }
    }

    /// Beyond dense sizes both spectra come from Lanczos iterations.
    #[test]
    fn large_graphs_have_it_too() {
        let n = 2000;
        let w = best_constant(&families::star(n).unwrap()).unwrap();
        let expected = (n as f64 - 1.0) / (n as f64 + 1.0);
        assert!((w.second_largest_singular_value().unwrap() - expected).abs() < 1e-6 && !w.is_nonnegative());
    }
}
