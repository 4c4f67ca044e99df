//! A lower bound on what any weights reach.
//!
//! For a symmetric `Y` with `Y 1 = 0` and nuclear norm at most 1, `||M||_2 >= <Y, M> = tr Y - sum_l w_l c_l` with
//! `c_l = a_l' Y a_l`. If every `c_l` is 0 this bounds all weights from below by `tr Y`. If weights are not negative and
//! those at a node sum to at most 1, numbers `z >= 0` with `z_i + z_j >= c_l` on every edge give `tr Y - sum_i z_i`
//! (Xiao and Boyd, 2004; Boyd, Diaconis and Xiao, 2004). A point of the central path gives `Y` and `z` that nearly
//! satisfy this; here they are moved so that they do.

use ndarray::{Array1, Array2, Axis};

use super::barrier::{Point, Problem};
use crate::TopologyError;

/// Sweeps that lower the prices `z`.
const LOWERINGS: u32 = 4;

/// The bound from a point near the central path; at least 0, which bounds every norm.
pub(super) fn lower_bound(problem: &Problem, point: &Point) -> Result<f64, TopologyError> {
    let scale = point.upper.diag().sum() + point.lower.diag().sum();
    let mut y = (&point.upper - &point.lower) / scale;
    centre(&mut y);
    let cost = if problem.nonnegative {
        prices(problem, &y, point.own.iter().map(|r| 1.0 / (r * scale)).collect())
    } else {
        remove_edges(problem, &mut y)?;
        0.0
    };
    let nuclear: f64 = dido_linalg::symmetric_eigenvalues(y.view())?.iter().map(|v| v.abs()).sum();
    let bound = (y.diag().sum() - cost) / nuclear;
    Ok(if bound > 0.0 { bound } else { 0.0 })
}

/// `J` taken out on both sides.
fn centre(y: &mut Array2<f64>) {
    for axis in [Axis(0), Axis(1)] {
        let mean = y.sum_axis(axis) / y.nrows() as f64;
        *y -= &mean.insert_axis(axis);
    }
    *y = (&*y + &y.t()) * 0.5;
}

fn quadratic(y: &Array2<f64>, (i, j): (usize, usize)) -> f64 {
    y[[i, i]] + y[[j, j]] - 2.0 * y[[i, j]]
}

/// `sum_i z_i` after each `z` was raised where an edge asks for more, then lowered where none needs it: the barrier's own
/// `z` carries the rounding of self weights that are almost 0.
fn prices(problem: &Problem, y: &Array2<f64>, mut z: Vec<f64>) -> f64 {
    let mut incident = vec![Vec::new(); z.len()];
    for &(i, j) in &problem.edges {
        let c = quadratic(y, (i, j));
        incident[i].push((j, c));
        incident[j].push((i, c));
        let missing = c - z[i] - z[j];
        if missing > 0.0 {
            z[i] += missing / 2.0;
            z[j] += missing / 2.0;
        }
    }
    for _ in 0..LOWERINGS {
        for (i, incident) in incident.iter().enumerate() {
            z[i] = incident.iter().fold(0.0, |needed, &(j, c)| f64::max(needed, c - z[j]));
        }
    }
    z.iter().sum()
}

/// Projects `y` on the matrices with `a_l' Y a_l = 0` for every edge. Their normals `a_l a_l'` have the inner products
/// `(a_l' a_k)^2`: 4 for an edge with itself, 1 for edges that share a node.
fn remove_edges(problem: &Problem, y: &mut Array2<f64>) -> Result<(), TopologyError> {
    let edges = &problem.edges;
    let gram = Array2::from_shape_fn((edges.len(), edges.len()), |(l, k)| {
        let ((i, j), (p, q)) = (edges[l], edges[k]);
        if l == k { 4.0 } else { f64::from(u8::from(i == p || i == q || j == p || j == q)) }
    });
    let off: Array1<f64> = edges.iter().map(|&edge| quadratic(y, edge)).collect();
    let multipliers = dido_linalg::solve_positive_definite(gram.view(), off.view())?;
    for (&(i, j), m) in edges.iter().zip(multipliers) {
        y[[i, i]] -= m;
        y[[j, j]] -= m;
        y[[i, j]] += m;
        y[[j, i]] += m;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::erdos_renyi;
    use crate::{MixingMatrix, weights};

    /// Far from the optimum too the bound is below every matrix of the kind.
    #[test]
    fn the_bound_holds_from_the_first_centre_on() {
        let graph = erdos_renyi(10, 0.35, 2).unwrap().graph;
        let of = |w: MixingMatrix| w.second_largest_singular_value().unwrap();
        let (any, chain) = (of(weights::best_constant(&graph).unwrap()), of(weights::metropolis(&graph)));
        for (nonnegative, best) in [(false, any.min(chain)), (true, chain)] {
            let problem = Problem::new(&graph, nonnegative);
            let mut path = problem.start().unwrap();
            let mut bounds = Vec::new();
            while let Some(point) = path.advance(&problem) {
                bounds.push(lower_bound(&problem, point).unwrap());
            }
            assert!(bounds.len() >= 6 && bounds.iter().all(|b| *b <= best), "{bounds:?} {best}");
            assert!(bounds[0] < bounds[bounds.len() - 1] && bounds[0] >= 0.0);
        }
    }
}
