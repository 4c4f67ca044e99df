//! How the nearest point of an intersection is found.
//!
//! Dykstra's iteration projects on the sets in turn; before each projection, the correction that the last one on the
//! same set made is given back. It is quick for points near sets that meet at wide angles. Far from a small set it
//! stalls: the corrections have to grow to the distance by steps of the size of the set. So after [`FIRST`] sweeps the
//! corrections are taken on by the alternating direction method of multipliers, whose step `rho` follows the distance,
//! and Dykstra's iteration ends from there. It may: it is coordinate ascent on the dual problem, whose variables are
//! the corrections, and may start anywhere.
//!
//! # References
//! Boyle, Dykstra, "A method for finding projections onto the intersection of convex sets in Hilbert spaces" (1986);
//! Han, "A successive projection method" (1988) for the dual; Boyd, Parikh, Chu, Peleato, Eckstein, "Distributed
//! optimization and statistical learning via the alternating direction method of multipliers" (2011), section 3.4.

use super::Set;

/// Sweeps after which Dykstra's iteration is interrupted.
const FIRST: usize = 200;
/// The most sweeps of the method of multipliers.
const MULTIPLIERS: usize = 1000;
/// The most sweeps of Dykstra's iteration after that.
const LAST: usize = 5000;
/// Dykstra's iteration has converged when no correction moves by more than this share of the size of the points.
const MOVED: f64 = 1e-13;
/// The same for the residuals of the method of multipliers.
const RESIDUAL: f64 = 1e-12;

/// Memory for one row: the point to be projected and another; and for each set a correction and a point of it.
pub(super) struct Scratch<'a> {
    start: &'a mut [f64],
    pub(super) probe: &'a mut [f64],
    corrections: &'a mut [f64],
    parts: &'a mut [f64],
}

impl<'a> Scratch<'a> {
    /// How many numbers it takes.
    pub(super) fn len(sets: usize, dim: usize) -> usize {
        2 * (sets + 1) * dim
    }

    pub(super) fn new(memory: &'a mut [f64], dim: usize) -> Self {
        let (start, rest) = memory.split_at_mut(dim);
        let (probe, rest) = rest.split_at_mut(dim);
        let (corrections, parts) = rest.split_at_mut(rest.len() / 2);
        Self { start, probe, corrections, parts }
    }
}

/// Replaces `x` by the nearest point of all sets, as near as the iterations come.
pub(super) fn nearest(sets: &[Set], x: &mut [f64], scratch: &mut Scratch<'_>) {
    scratch.start.copy_from_slice(x);
    scratch.corrections.fill(0.0);
    if dykstra(sets, x, scratch, FIRST) {
        return;
    }
    multipliers(sets, x, scratch);
    x.copy_from_slice(scratch.start);
    for correction in scratch.corrections.chunks_exact(x.len()) {
        x.iter_mut().zip(correction).for_each(|(x, c)| *x -= c);
    }
    dykstra(sets, x, scratch, LAST);
}

/// Sweeps of Dykstra's iteration from `x = start - sum of the corrections`. Whether it has converged: the corrections
/// are looked at and not the point, which stands still while they grow.
fn dykstra(sets: &[Set], x: &mut [f64], scratch: &mut Scratch<'_>, sweeps: usize) -> bool {
    let Scratch { start, probe, corrections, .. } = scratch;
    let size = largest(start);
    for _ in 0..sweeps {
        let mut moved = 0.0_f64;
        for (set, correction) in sets.iter().zip(corrections.chunks_exact_mut(x.len())) {
            for ((x, before), correction) in x.iter_mut().zip(&mut **probe).zip(&*correction) {
                *x += correction;
                *before = *x;
            }
            set.project_row(x);
            for ((x, before), correction) in x.iter().zip(&**probe).zip(correction) {
                let new = before - x;
                moved = moved.max((new - *correction).abs());
                *correction = new;
            }
        }
        if moved <= MOVED * size.max(largest(x)) {
            return true;
        }
    }
    false
}

/// Improves the corrections: minimises `||x - start||^2 / 2` where each set has a copy of `x`, its part, and the
/// correction of the set is the multiplier of their difference.
fn multipliers(sets: &[Set], x: &mut [f64], scratch: &mut Scratch<'_>) {
    let Scratch { start, probe, corrections, parts } = scratch;
    let dim = x.len();
    for (set, part) in sets.iter().zip(parts.chunks_exact_mut(dim)) {
        part.copy_from_slice(x);
        set.project_row(part);
    }
    let mut rho = (largest(corrections) / largest(x)).clamp(1.0, 1e12);
    for sweep in 1..=MULTIPLIERS {
        x.copy_from_slice(start);
        for (part, correction) in parts.chunks_exact(dim).zip(corrections.chunks_exact(dim)) {
            x.iter_mut().zip(part).zip(correction).for_each(|((x, p), c)| *x += rho * p - c);
        }
        let weight = 1.0 + rho * sets.len() as f64;
        for x in &mut *x {
            *x /= weight;
        }
        let (mut apart, mut moved) = (0.0_f64, 0.0_f64);
        let pairs = parts.chunks_exact_mut(dim).zip(corrections.chunks_exact_mut(dim));
        for (set, (part, correction)) in sets.iter().zip(pairs) {
            for (((probe, x), part), correction) in probe.iter_mut().zip(&*x).zip(&*part).zip(&mut *correction) {
                // A step beyond x, by the usual 0.6.
                *probe = 1.6 * x - 0.6 * part + *correction / rho;
                *correction = *probe;
            }
            set.project_row(probe);
            for (((probe, x), part), correction) in probe.iter().zip(&*x).zip(part).zip(correction) {
                apart = apart.max((x - probe).abs());
                moved = moved.max((probe - *part).abs());
                *correction = rho * (*correction - probe);
                *part = *probe;
            }
        }
        apart /= largest(x);
        moved *= rho / x.iter().zip(&**start).fold(0.0, |far: f64, (x, s)| far.max((x - s).abs()));
        if apart <= RESIDUAL && moved <= RESIDUAL {
            return;
        }
        // Both residuals are to fall at the same rate; in the end rho stays, so that they do fall.
        let unequal = (apart / moved).sqrt().clamp(0.1, 10.0);
        if sweep % 10 == 0 && sweep <= MULTIPLIERS / 2 && !(0.4..2.5).contains(&unequal) {
            rho = (rho * unequal).clamp(1e-6, 1e12);
        }
    }
}

/// The largest size of an entry.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| x.abs().max(largest))
}
