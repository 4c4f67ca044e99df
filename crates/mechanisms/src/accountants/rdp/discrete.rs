//! Discrete Laplace noise.
//!
//! One coordinate that moves by `d` steps of noise `P(k) = (1-r)/(1+r) r^|k|`, `r = e^(-1/t)`, has losses `(d - 2k)/t`
//! for `0 <= k <= d`; those at the ends have the probabilities `1/(1+r)` and `r^d/(1+r)`. So the divergence of order
//! `alpha` is a geometric sum:
//!
//! ```text
//! ln( (e^(ax) + r^d e^(-ax))/(1+r) + (1-r)/(1+r) e^(ax) sum_(k=1)^(d-1) e^(-(2a+1)k/t) ) / a,   a = alpha - 1, x = d/t
//! ```

use super::curve;
use crate::accountants::facts::Lattice;

/// A vector. The trade-off function of two moves one after the other is at least that of both in one coordinate,
/// where, the noise being log-concave, it is exactly the one of the sum of the moves: so the worst is one coordinate
/// that moves by the whole L1 length. For vectors that are short in L2 there are two other bounds: each coordinate
/// that moves by `d` is `d/t`-private, which makes `alpha l2^2/2` scales of the whole; and it is dominated by
/// continuous noise at a move that is longer by `1/4t` steps.
///
/// The last, since at a loss of `0 <= g <= d/t` the curve is `1 - r^(j+1)/(1+r) - e^g r^(d-j)/(1+r)`, greatest over
/// integers `j`; over all real `j` it would be `1 - e^((g-x)/2)` with `x = d/t + 2 ln cosh(1/2t)`, which is the curve
/// of continuous noise at a shift of `x` scales, and `2 t ln cosh(1/2t) <= 1/4t`. The pair is symmetric, so this holds
/// for `g < 0` as well.
pub(super) fn vector_laplace(order: f64, noise: Lattice) -> f64 {
    let t = noise.scale as f64;
    let moved = (noise.l1 as f64).min(noise.dim as f64);
    let longer = 0.25 / (t * t);
    let continuous =
        curve::vector_laplace(order, noise.l1_scales() + moved * longer, noise.l2_scales() + moved.sqrt() * longer);
    let zcdp = 0.5 * order * noise.l2_scales().powi(2);
    laplace(order, noise).min(continuous).min(zcdp)
}

/// One coordinate that moves by the L1 length, rounded up by what the logarithm can lose.
fn laplace(order: f64, noise: Lattice) -> f64 {
    let (t, x) = (noise.scale as f64, noise.l1_scales());
    let a = order - 1.0;
    let ratio = (-1.0 / t).exp();
    let step = -(-1.0 / t).exp_m1();
    // In units of e^(ax).
    let ends = (1.0 + (-(a + order) * x).exp()) / (1.0 + ratio);
    let slope = (a + order) / t;
    let inner = -(-slope * (noise.l1 as f64 - 1.0)).exp_m1() / slope.exp_m1();
    let slack = 4.0 * f64::EPSILON * (x + 1.0 / a);
    x + (ends + step / (1.0 + ratio) * inner).ln() / a + slack
}
