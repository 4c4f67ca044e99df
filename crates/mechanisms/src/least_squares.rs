//! How far one change of the data moves the gradient of least squares, `G(X, y; b) = X^T (X b - y)`, exactly.
//!
//! Public declarations bound the data: `||X||_2 <= dX` (the spectral norm of a node's matrix; for one record the length
//! of its row), `||y||_2 <= dy` (for one record `|y|`), and the point is in a ball, `||b||_2 <= B`. With
//! `P = dX^2 B` and `Q = dX dy`, the largest distance of two gradients at the same point is
//!
//! | change | `dim >= 2` | `dim = 1` |
//! |---|---|---|
//! | replace a node, or a record | `2 sqrt(1 - s^2) (P s + Q)`, `s = (sqrt(Q^2 + 8 P^2) - Q) / 4P` | `P + Q + Q^2/4P` if `Q <= 2P`, else `2Q` |
//! | add or remove a record | `P + Q` | `P + Q` |
//!
//! in the Euclidean norm. Each is attained, and in the L1 norm `sqrt(dim)` times each is attained too
//! ([`worst_case_pair`] does both), so [`Sensitivity::l1`] loses nothing here.
//!
//! # References
//! The setting, and the constant of [`published_epsilon`], are those of Liu, Zhang, Qin, Lei (arXiv 2004.07425), paper A
//! for short; the exact widths are ours. Proof: `{A v : 0 <= A <= dX^2 I}` is the ball with diameter `[0, dX^2 v]`, which gives the support function of all
//! gradients in a direction at angle `t` to `b`; the width is largest for `t = pi/2` and is then
//! `2 max_psi cos(psi) (P sin(psi) + Q)`.

use crate::sensitivity::bound;
use crate::{Adjacency, MechanismError, Norm, Sensitivity};

/// The exact L2 width of the gradients under replacement, from `P = dX^2 B` and `Q = dX dy` (see the module).
///
/// Between `max(P + sqrt(2) Q, 2 Q)` and `P + 2 Q` for `dim >= 2`.
///
/// # Errors
/// If `p` or `q` is negative or not finite, if `dim` is 0, or if the width overflows.
pub fn replaced(p: f64, q: f64, dim: usize) -> Result<f64, MechanismError> {
    let (p, q) = (bound("P", p)?, bound("Q", q)?);
    let width = match dim {
        0 => return Err(MechanismError::NoCoordinates),
        1 if q <= 2.0 * p => p + q + 0.25 * q * ratio(q, p),
        1 => 2.0 * q,
        _ => {
            let s = optimal_sine(p, q);
            2.0 * (1.0 - s * s).sqrt() * (p * s + q)
        }
    };
    bound("D*(P, Q)", width)
}

/// The L2 sensitivity of the gradient of a node, or of its records, for data and points within the bounds.
///
/// `x_bound` and `y_bound` bound what the relation changes: the spectral norm of the matrix and the length of the
/// targets of a node for [`Adjacency::ReplaceNode`], the length of a row and the size of a target otherwise. `radius`
/// bounds the length of the point, whose dimension is `dim`. Its [`l1`](Sensitivity::l1) is exact as well.
///
/// # Errors
/// If a bound is negative or not finite, if `dim` is 0, or if the result overflows.
pub fn l2_sensitivity(
    adjacency: Adjacency,
    x_bound: f64,
    y_bound: f64,
    radius: f64,
    dim: usize,
) -> Result<Sensitivity, MechanismError> {
    let (p, q) = p_and_q(x_bound, y_bound, radius)?;
    let width = match adjacency {
        Adjacency::ReplaceNode | Adjacency::ReplaceRecord => replaced(p, q, dim)?,
        Adjacency::AddRemoveRecord if dim == 0 => return Err(MechanismError::NoCoordinates),
        Adjacency::AddRemoveRecord => p + q,
    };
    Sensitivity::new(width, Norm::L2, adjacency)
}

/// Two records and a point at which their gradients are as far apart as any two can be, in both norms.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstCase {
    /// The row and the target of the one record.
    pub record: (Vec<f64>, f64),
    /// The row and the target that replace it.
    pub other: (Vec<f64>, f64),
    /// The point where the gradients are taken.
    pub point: Vec<f64>,
}

/// The pair that attains [`replaced`], for audits and tests: two nodes with one record each.
///
/// Rows, targets and point stay some units in the last place inside their bounds, so that code which refuses or clips
/// what exceeds them leaves the pair alone.
///
/// # Errors
/// If a bound is negative or not finite, or if `dim` is 0.
pub fn worst_case_pair(x_bound: f64, y_bound: f64, radius: f64, dim: usize) -> Result<WorstCase, MechanismError> {
    let (p, q) = p_and_q(x_bound, y_bound, radius)?;
    let inside = 1.0 - (dim as f64 + 4.0) * f64::EPSILON;
    let (x_bound, y_bound, radius) = (x_bound * inside, y_bound * inside, radius * inside);
    match dim {
        0 => Err(MechanismError::NoCoordinates),
        1 => {
            // x (x b - y) over |x| <= dX, y = dy, b = B is least at x = dy/2B.
            let x = if q <= 2.0 * p { ratio(0.5 * y_bound, radius) } else { x_bound };
            Ok(WorstCase {
                record: (vec![x_bound], -y_bound),
                other: (vec![x.min(x_bound)], y_bound),
                point: vec![radius],
            })
        }
        _ => {
            let sine = optimal_sine(p, q);
            let cosine = (1.0 - sine * sine).sqrt();
            let flat = 1.0 / (dim as f64).sqrt();
            let half = std::f64::consts::FRAC_1_SQRT_2;
            // `flat` in every coordinate is v, (half, -half, 0, ...) is u: orthogonal unit vectors.
            let across = |k: usize| [half, -half].get(k).copied().unwrap_or(0.0);
            let row = |sign: f64| (0..dim).map(|k| x_bound * (cosine * flat + sign * sine * across(k))).collect();
            Ok(WorstCase {
                record: (row(1.0), -y_bound),
                other: (row(-1.0), y_bound),
                point: (0..dim).map(|k| radius * across(k)).collect(),
            })
        }
    }
}

/// The sizes that enter the published bound of paper A (privacy theorem, part ii), for steps `c_a / (t + d_a)^e_a` and
/// noise scales `c_v / (t + d_v)^e_v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedTheorem {
    /// `dX`, a bound on the spectral norm of each node's matrix.
    pub x_bound: f64,
    /// `dy`, a bound on the length of each node's targets.
    pub y_bound: f64,
    /// `B`, the radius of the set of points.
    pub radius: f64,
    /// `m`, the coordinates of a point.
    pub dim: usize,
    /// `k`, the number of nodes.
    pub nodes: usize,
    /// `n_M`, the most rows any node has.
    pub rows: usize,
    /// `c_a / c_v`, the ratio of the constants of step and noise.
    pub step_over_noise: f64,
    /// `T`, the number of rounds.
    pub rounds: usize,
}

/// The epsilon paper A publishes: `4 dX (c_a/c_v) T sqrt(m n_M) (dX B sqrt(k m) + dy)`. **For comparison only.**
///
/// It is known to be an upper bound only if `e_v <= e_a` and `1 < d_v + 1 <= d_a`, which the paper does not say: then every ratio
/// `alpha(t) / v(t+1)` is at most `c_a/c_v`. With `e_v > e_a` it falls below the truth for large `T`. Where it
/// is a bound, it is some tens of times the sum of the exact sensitivities over the `T - 1` releases that leak.
pub fn published_epsilon(theorem: &PublishedTheorem) -> f64 {
    let PublishedTheorem { x_bound, y_bound, radius, dim, nodes, rows, step_over_noise, rounds } = *theorem;
    let (dim, nodes, rows, rounds) = (dim as f64, nodes as f64, rows as f64, rounds as f64);
    4.0 * x_bound * step_over_noise * rounds * (dim * rows).sqrt() * (x_bound * radius * (nodes * dim).sqrt() + y_bound)
}

/// `s* = (sqrt(Q^2 + 8 P^2) - Q) / 4P`, the sine of the angle at which the width is largest, as a function of `Q/P` that
/// neither cancels nor overflows.
fn optimal_sine(p: f64, q: f64) -> f64 {
    if p > 0.0 {
        let r = q / p;
        2.0 / (r + (r * r + 8.0).sqrt())
    } else {
        0.0
    }
}

/// `a / b` for `0 <= a`, and 0 for `0 / 0`.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 { a / b } else { 0.0 }
}

fn p_and_q(x_bound: f64, y_bound: f64, radius: f64) -> Result<(f64, f64), MechanismError> {
    let (x, y, radius) = (bound("x", x_bound)?, bound("y", y_bound)?, bound("radius", radius)?);
    Ok((bound("P = x^2 radius", x * x * radius)?, bound("Q = x y", x * y)?))
}
