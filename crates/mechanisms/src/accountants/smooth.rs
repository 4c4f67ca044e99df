//! Discrete Gaussian noise between two continuous ones, in any dimension.
//!
//! Let `N` be continuous noise of variance `s^2 - r^2`, and `K` the randomised rounding that puts discrete Gaussian
//! noise of parameter `r` around it: `K(y)` has weights `exp(-(x-y)^2 / 2r^2)` over the integers `x`. Completing the
//! square, `K(N)` has at `x` the probability `exp(-x^2 / 2s^2)` times a mean of the reciprocal of `sum_x exp(-(x-y)^2
//! / 2r^2)`, which by Poisson's summation formula depends on `y` by a factor within `1 +- e_r`, `e_r = 2 exp(-2 pi^2
//! r^2) + ...`, only. So the law of `K(N)` is that of discrete Gaussian noise of parameter `s` up to factors within
//! `exp(+- 3 e_r)` per coordinate. Moving both by whole steps commutes with `K`: what is known for continuous noise of
//! variance `s^2 - r^2` and any shift holds for the discrete noise, since rounding is post-processing.
//!
//! The other way round, continuous noise of variance `r^2` added to discrete noise gives, by the same square,
//! continuous noise of variance `s^2 + r^2` up to `1 +- e_t` with `t = rs / sqrt(r^2 + s^2)`: the discrete noise is no
//! better than that.
//!
//! With `r = 3` the factors are within `1 +- 1e-76`. They change `delta(epsilon)` of a shift of at least `1/s >=
//! 2^-52` by less than a change of the shift by a relative 1e-12, by which both bounds are widened.

use super::facts::Lattice;

/// The variance `r^2` of the rounding, in squared steps.
const ROUNDING: f64 = 9.0;

/// The relative widening for the factors and for rounding.
const SLACK: f64 = 1e-12;

/// Noise of more steps is taken for continuous noise, from above and from below.
const WIDE: u64 = 1024;

/// Whether the two bounds differ by less than 1e-5.
pub(super) fn is_wide(noise: Lattice) -> bool {
    noise.scale > WIDE
}

/// The largest Gaussian distance, for a move by the whole Euclidean length; infinite if the noise is too narrow.
pub(super) fn mu_above(noise: Lattice) -> f64 {
    let variance = (noise.scale as f64).powi(2) - ROUNDING;
    if variance > 0.0 { noise.l2 as f64 / variance.sqrt() * (1.0 + SLACK) } else { f64::INFINITY }
}

/// A Gaussian distance that some move attains.
pub(super) fn mu_below(noise: Lattice) -> f64 {
    noise.l2 as f64 / ((noise.scale as f64).powi(2) + ROUNDING).sqrt() * (1.0 - SLACK)
}
