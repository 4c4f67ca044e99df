//! The distribution of the total loss: tilt, transform, multiply, transform back.

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::sync::Arc;

use super::cells::{Atoms, BALANCED};
use super::pair::{Direction, Pair};
use super::plan::{Plan, nodes};

/// Which way losses are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rounding {
    /// Delta is not understated.
    Up,
    /// Delta is not overstated, and little is lost of `E e^(slope loss)`.
    Down {
        /// How much larger losses matter more.
        slope: f64,
    },
}

/// A tilted distribution of the total loss on a window of the grid.
///
/// What lies outside the window has been wrapped around into it. Above: its probability is
/// taken off delta as a whole; below: it came up, which is safe.
pub(super) struct Total {
    plan: Plan,
    rounding: Rounding,
    /// Of point `first + i` of the grid; times `e^(log_scale - tilt loss)` it is the probability.
    tilted: Vec<f64>,
    log_scale: f64,
    /// Probability of an infinite loss, and a bound on that of a finite one above the window.
    infinite: f64,
    beyond: f64,
    /// Relative error that rounding can make.
    slack: f64,
    /// How much too large the total loss may be, when it is rounded down.
    overstated: f64,
}

impl Total {
    pub(super) fn of(
        events: &[(Pair, f64)],
        direction: Direction,
        plan: &Plan,
        rounding: Rounding,
        planner: &mut RealFftPlanner<f64>,
    ) -> Self {
        let forward = planner.plan_fft_forward(plan.points);
        let inverse = planner.plan_fft_inverse(plan.points);
        let mut product = vec![Complex::new(1.0, 0.0); plan.points / 2 + 1];
        let (mut log_scale, mut log_steep, mut log_finite, mut releases) = (0.0, 0.0, 0.0, 0.0);
        let mut cyclic = vec![0.0; plan.points];
        for ((&(pair, count), &range), &offset) in events.iter().zip(&plan.ranges).zip(&plan.offsets) {
            let cells = pair.cells(&nodes(plan.step, offset, range), direction);
            let atoms = match rounding {
                Rounding::Up => cells.pessimistic(),
                Rounding::Down { slope } => cells.optimistic(slope),
            };
            let log = spread(&atoms, range.0, plan, &mut cyclic);
            log_scale += count * log;
            log_steep += count * log_moment(&atoms, plan.steep);
            log_finite += count * (-atoms.infinite).ln_1p();
            releases += count;
            multiply(&mut product, &transformed(&forward, &mut cyclic), count);
        }
        // The inverse takes the ends of a real transform as real.
        let last = product.len() - 1;
        product[0].im = 0.0;
        if plan.points.is_multiple_of(2) {
            product[last].im = 0.0;
        }
        inverse.process(&mut product, &mut cyclic).expect("lengths as planned, ends are real");
        let points = plan.points as i64;
        let tilted = (0..points)
            .map(|i| cyclic[(plan.first + i).rem_euclid(points) as usize] / points as f64)
            .map(|mass| if rounding == Rounding::Up { mass.max(0.0) } else { mass })
            .collect();
        let end = (plan.first + points - 1) as f64 * plan.step + plan.shift;
        let most = plan.shift
            + events.iter().zip(&plan.ranges).map(|(event, range)| event.1 * range.1 as f64 * plan.step).sum::<f64>();
        Self {
            plan: plan.clone(),
            rounding,
            tilted,
            log_scale,
            infinite: -log_finite.exp_m1(),
            beyond: if end < most { (log_steep - plan.steep * end).exp() } else { 0.0 },
            slack: 1e-6 + 1e-14 * releases,
            overstated: if rounding == Rounding::Up { 0.0 } else { 2.0 * BALANCED * releases },
        }
    }

    /// The epsilon at `delta`, to the side of the rounding; infinite if there is none.
    pub(super) fn epsilon(&self, delta: f64) -> f64 {
        let up = self.rounding == Rounding::Up;
        let left = if up {
            (delta - self.infinite - self.beyond) * (1.0 - self.slack)
        } else {
            (delta - self.infinite) * (1.0 + self.slack)
        };
        if left <= 0.0 {
            return if up || delta < self.infinite { f64::INFINITY } else { 0.0 };
        }
        let Plan { step, first, tilt, shift, .. } = self.plan;
        let (fade, fade_more) = ((-tilt * step).exp(), (-(tilt + 1.0) * step).exp());
        // Sums over the losses y above the current point x of e^(-tilt (y - x)), and with tilt + 1.
        let (mut sum, mut more) = (0.0, 0.0);
        let mut above = 0.0;
        for i in (0..self.tilted.len()).rev() {
            let point = (first + i as i64) as f64 * step + shift - self.overstated;
            let here = (self.log_scale - tilt * (point + self.overstated)).exp() * (sum - more);
            // Also if it is NaN: then the result is, and is no bound.
            if here.is_nan() || here > left {
                // Between grid points delta is linear in e^epsilon.
                let part = ((here - left) / (here - above)).clamp(0.0, 1.0);
                return (point + (part * step.exp_m1()).ln_1p()).max(0.0);
            }
            if point <= 0.0 {
                return 0.0;
            }
            above = here;
            sum = fade * (sum + self.tilted[i]);
            more = fade_more * (more + self.tilted[i]);
        }
        0.0
    }
}

/// Puts the tilted masses of one release on the cyclic grid, scaled so that they sum to 1, and returns `ln` of the scale.
fn spread(atoms: &Atoms, first: i64, plan: &Plan, cyclic: &mut [f64]) -> f64 {
    let log = log_moment(atoms, plan.tilt);
    cyclic.fill(0.0);
    for ((i, node), mass) in (first..).zip(&atoms.nodes).zip(&atoms.masses) {
        if *mass > 0.0 {
            cyclic[i.rem_euclid(plan.points as i64) as usize] += mass * (plan.tilt * node - log).exp();
        }
    }
    log
}

fn transformed(forward: &Arc<dyn RealToComplex<f64>>, cyclic: &mut [f64]) -> Vec<Complex<f64>> {
    let mut spectrum = forward.make_output_vec();
    forward.process(cyclic, &mut spectrum).expect("lengths as planned");
    spectrum
}

/// Multiplies by the power `count` of `spectrum`.
fn multiply(product: &mut [Complex<f64>], spectrum: &[Complex<f64>], count: f64) {
    // The masses sum to 1, so no frequency is larger than that; most vanish in a high power.
    let vanishing = (-200.0 / count).exp();
    for (product, factor) in product.iter_mut().zip(spectrum) {
        let square = factor.norm_sqr();
        *product *= if square < vanishing {
            Complex::new(0.0, 0.0)
        } else if count <= 1.0 {
            *factor
        } else {
            Complex::from_polar((0.5 * count * square.ln()).exp(), count * factor.arg())
        };
    }
}

/// `ln E e^(slope loss)` over finite losses.
fn log_moment(atoms: &Atoms, slope: f64) -> f64 {
    let positive = || atoms.nodes.iter().zip(&atoms.masses).filter(|(_, mass)| **mass > 0.0);
    let peak = positive().map(|(node, mass)| slope * node + mass.ln()).fold(f64::NEG_INFINITY, f64::max);
    peak + positive().map(|(node, mass)| mass * (slope * node - peak).exp()).sum::<f64>().ln()
}
