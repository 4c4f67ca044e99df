//! Losses of discrete noise: one coordinate that moves by the L1 length `d` of the vector.
//!
//! That is the worst vector, and for an L1 bound one that may occur: the trade-off function of two moves one after the
//! other is at least that of both in one coordinate, where, the noise being log-concave, all best tests are
//! thresholds, so that it is exactly the one of the sum of the moves.

use super::cells::Cells;
use super::pair::Both;
use crate::accountants::facts::Lattice;

/// `P` and `Q` of a loss above `e`, discrete Laplace noise: the loss at `x` is `(|x - d| - |x|)/t`, so `x < (d - e
/// t)/2`.
pub(super) fn laplace_above(noise: Lattice, e: f64) -> Both {
    match laplace_count(noise, e) {
        Ends::All => (1.0, 1.0),
        Ends::None => (0.0, 0.0),
        Ends::Below { p, q } => (1.0 - p, q),
    }
}

/// The same for a loss of at most `e`.
pub(super) fn laplace_below(noise: Lattice, e: f64) -> Both {
    match laplace_count(noise, e) {
        Ends::All => (0.0, 0.0),
        Ends::None => (1.0, 1.0),
        Ends::Below { p, q } => (p, 1.0 - q),
    }
}

enum Ends {
    All,
    None,
    /// The tails beyond the last `x` with a larger loss: `P` above it, `Q` up to it.
    Below {
        p: f64,
        q: f64,
    },
}

fn laplace_count(noise: Lattice, e: f64) -> Ends {
    let (d, t, most) = (noise.l1 as f64, noise.scale as f64, noise.l1_scales());
    if e >= most {
        return Ends::None;
    }
    if e < -most {
        return Ends::All;
    }
    let last = ((0.5 * (d - e * t)).ceil() - 1.0).clamp(0.0, d - 1.0);
    let ratio = (-1.0 / t).exp();
    Ends::Below { p: (-(last + 1.0) / t).exp() / (1.0 + ratio), q: (-(d - last) / t).exp() / (1.0 + ratio) }
}

/// Upper bounds, discrete Gaussian noise: the loss at `x` is `d (d - 2x) / 2s^2`, so `x < d/2 - e s^2/d`, and the
/// noise is sub-Gaussian (Canonne, Kamath, Steinke 2020).
pub(super) fn gaussian_above(noise: Lattice, e: f64) -> Both {
    let (d, s) = (noise.l1 as f64, noise.scale as f64);
    let limit = (0.5 * d - e * s * s / d) / s;
    let tail = |z: f64| if z < 0.0 { (-0.5 * z * z).exp() } else { 1.0 };
    (tail(limit), tail(limit - d / s))
}

/// Beyond this many scales nothing is a number.
const REACH: f64 = 39.0;

/// Cells of discrete Gaussian noise, atom by atom: `loss` and `both` turn what the whole mechanism does into what it
/// does on a sample.
pub(super) fn cells(noise: Lattice, nodes: &[f64], loss: impl Fn(f64) -> f64, both: impl Fn(Both) -> Both) -> Cells {
    let (d, s) = (noise.l1 as f64, noise.scale as f64);
    let weight = |x: f64| (-0.5 * (x / s) * (x / s)).exp();
    let reach = (REACH * s).ceil();
    let mut total = 1.0;
    let mut x = reach;
    // The smallest first.
    let mut sum = 0.0;
    while x >= 1.0 {
        sum += weight(x);
        x -= 1.0;
    }
    total += 2.0 * sum;
    let mut cells = Cells {
        nodes: nodes.to_vec(),
        bottom: (0.0, 0.0),
        inner: vec![(0.0, 0.0); nodes.len() - 1],
        top: (0.0, 0.0),
        certain: 0.0,
        impossible: 0.0,
        zero: 0.0,
    };
    let mut add = |x: f64| {
        let (p, q) = both((weight(x) / total, weight(x - d) / total));
        let loss = loss(d * (d - 2.0 * x) / (2.0 * s * s));
        let place = match nodes.partition_point(|node| *node < loss) {
            0 => &mut cells.bottom,
            i if i < nodes.len() => &mut cells.inner[i - 1],
            _ => &mut cells.top,
        };
        place.0 += p;
        place.1 += q;
    };
    let mut x = -reach;
    while x <= d + reach {
        add(x);
        // Nothing is between the two, if they are far from each other.
        x = if x >= reach && x < d - reach { d - reach } else { x + 1.0 };
    }
    cells
}
