//! The Lanczos iteration for the extreme eigenvalues on the vectors of mean zero.

use chacha20::ChaCha8Rng;
use ndarray::Array1;
use rand::{Rng, SeedableRng};

use super::Extremes;
use super::tridiagonal::Tridiagonal;
use crate::TopologyError;

/// The residual `||A v - theta v||`, relative to a bound of `||A||`, at which the iteration stops.
pub(super) const RESIDUAL: f64 = 1e-10;
/// What rounding adds, relative to that bound: no smaller error is claimed.
const ROUNDING: f64 = 1e-14;
/// Lanczos steps before the iteration gives up.
pub(super) const MAX_STEPS: usize = 20_000;

/// Which eigenvalues must have converged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The smallest and the largest.
    Both,
    /// The one of larger magnitude; the other may be anything inside the spectrum.
    Magnitude,
}

/// The extreme eigenvalues of the symmetric `n x n` matrix applied by `apply(x, out)`, on vectors of mean zero, which
/// it must map to vectors of mean zero. `norm` bounds its norm and scales the residual that is asked for.
///
/// Without reorthogonalisation, from a fixed random start: extreme eigenvalues converge all the same, copies of them
/// only cost steps (Paige, *Error analysis of the Lanczos algorithm for tridiagonalizing a symmetric matrix*, 1976). A
/// power iteration would take the square of its steps.
///
/// # Errors
/// If a residual is still larger than `RESIDUAL * norm` after `max_steps`.
pub(super) fn extremes(
    n: usize,
    norm: f64,
    wanted: Wanted,
    max_steps: usize,
    mut apply: impl FnMut(&[f64], &mut [f64]),
) -> Result<Extremes, TopologyError> {
    let bound = RESIDUAL * norm;
    let mut rng = ChaCha8Rng::from_seed(*b"dido/topology/lanczos/start/0001");
    let mut v: Array1<f64> = (0..n).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5).collect();
    centre(&mut v);
    v /= v.dot(&v).sqrt();
    let (mut before, mut image) = (Array1::zeros(n), Array1::zeros(n));
    let mut t = Tridiagonal { diagonal: Vec::new(), off_diagonal: Vec::new() };
    let (mut beta, mut next_check, mut residual) = (0.0, 8, f64::INFINITY);
    for step in 1..=max_steps {
        apply(slice(&v), slice_mut(&mut image));
        image.scaled_add(-beta, &before);
        let alpha = image.dot(&v);
        image.scaled_add(-alpha, &v);
        centre(&mut image);
        beta = image.dot(&image).sqrt();
        t.diagonal.push(alpha);
        if step == next_check || beta <= bound || step == max_steps {
            let (smallest, largest) = t.extremes();
            let error = |theta| beta * t.last_component(theta);
            residual = match wanted {
                Wanted::Both => error(smallest).max(error(largest)),
                Wanted::Magnitude => error(if smallest.abs() > largest.abs() { smallest } else { largest }),
            };
            if residual <= bound {
                return Ok(Extremes { smallest, largest, error: residual.max(ROUNDING * norm) });
            }
            next_check = step + step / 4;
        }
        t.off_diagonal.push(beta);
        std::mem::swap(&mut before, &mut v);
        std::mem::swap(&mut v, &mut image);
        v /= beta;
    }
    Err(TopologyError::SpectrumNotConverged { nodes: n, steps: max_steps, residual })
}

fn centre(v: &mut Array1<f64>) {
    *v -= v.sum() / v.len() as f64;
}

fn slice(v: &Array1<f64>) -> &[f64] {
    v.as_slice().expect("a vector is contiguous")
}

fn slice_mut(v: &mut Array1<f64>) -> &mut [f64] {
    v.as_slice_mut().expect("a vector is contiguous")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonal matrix shifted so that constants stay constants would be dull: this one is `I - P` with `P` the
    /// projection on a vector of mean zero, so its spectrum there is 0 once and 1 otherwise; three steps end it.
    #[test]
    fn an_invariant_subspace_ends_the_iteration() {
        let n = 600;
        let mut u: Array1<f64> = (0..n).map(|k| ((k * 37) % 101) as f64).collect();
        centre(&mut u);
        u /= u.dot(&u).sqrt();
        let mut calls = 0;
        let found = extremes(n, 1.0, Wanted::Both, 50, |x, out| {
            calls += 1;
            let dot: f64 = x.iter().zip(&u).map(|(x, u)| x * u).sum();
            out.iter_mut().zip(x.iter().zip(&u)).for_each(|(out, (x, u))| *out = x - dot * u);
        })
        .unwrap();
        assert!(calls <= 3 && found.smallest.abs() < 1e-10 && (found.largest - 1.0).abs() < 1e-10, "{calls} {found:?}");
    }
}
