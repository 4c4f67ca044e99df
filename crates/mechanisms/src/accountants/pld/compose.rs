//! The distribution of the total loss: tilt, transform, multiply, transform back.

use std::borrow::Cow;
use std::f64::consts::LN_2;

use super::cells::{Atoms, BALANCED, Cells};
use super::pair::{Direction, Pair};
use super::plan::{Plan, nodes};
use super::spectrum::Spectrum;

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

/// Events on the grid of a plan, to be rounded one way and the other.
pub(super) struct Composition<'a> {
    events: &'a [(Pair, f64)],
    pub(super) direction: Direction,
    pub(super) plan: Plan,
    /// The cells of every event, if they are few: every rounding starts from the same.
    kept: Vec<Cells>,
}

/// Most events whose cells are kept: some 50 MB.
const KEPT: usize = 16;

impl<'a> Composition<'a> {
    pub(super) fn new(events: &'a [(Pair, f64)], direction: Direction, plan: Plan) -> Self {
        let mut composition = Self { events, direction, plan, kept: vec![] };
        if events.len() <= KEPT {
            composition.kept = (0..events.len()).map(|i| composition.computed(i)).collect();
        }
        composition
    }

    fn computed(&self, i: usize) -> Cells {
        let nodes = nodes(self.plan.step, self.plan.offsets[i], self.plan.ranges[i]);
        self.events[i].0.cells(&nodes, self.direction)
    }

    fn cells(&self, i: usize) -> Cow<'_, Cells> {
        self.kept.get(i).map_or_else(|| Cow::Owned(self.computed(i)), Cow::Borrowed)
    }

    pub(super) fn total(&self, rounding: Rounding) -> Total<'_> {
        let plan = &self.plan;
        // Of a point on the cyclic grid.
        let place = |point: i64| point.rem_euclid(plan.points as i64) as usize;
        let mut spectrum = Spectrum::one(plan.points);
        let (mut log_scale, mut log_steep, mut log_finite, mut releases) = (0.0, 0.0, 0.0, 0.0);
        for i in scattered(self.events.len()) {
            let (count, cells) = (self.events[i].1, self.cells(i));
            let atoms = match rounding {
                Rounding::Up => cells.pessimistic(),
                Rounding::Down { slope } => cells.optimistic(slope),
            };
            let (masses, log) = tilted(&atoms, plan.tilt);
            log_scale += count * log;
            log_steep += count * log_moment(&atoms, plan.steep);
            log_finite += count * (-atoms.infinite).ln_1p();
            releases += count;
            spectrum.multiply(place(plan.ranges[i].0), &masses, count);
        }
        let mut tilted = spectrum.into_masses();
        tilted.rotate_left(place(plan.first));
        for mass in &mut tilted {
            // No maximum, which would lose what is not a number.
            if rounding == Rounding::Up && *mass < 0.0 {
                *mass = 0.0;
            }
        }
        let end = (plan.first + plan.points as i64 - 1) as f64 * plan.step + plan.shift;
        let largest = self.events.iter().zip(&plan.ranges).map(|(event, range)| event.1 * range.1 as f64 * plan.step);
        let most = plan.shift + largest.sum::<f64>();
        Total {
            plan,
            rounding,
            tilted,
            log_scale,
            infinite: -log_finite.exp_m1(),
            beyond: if end < most { (log_steep - plan.steep * end).exp() } else { 0.0 },
            slack: 1e-6 + 1e-14 * releases,
            overstated: if rounding == Rounding::Up { 0.0 } else { 2.0 * BALANCED * releases },
        }
    }
}

/// A tilted distribution of the total loss on a window of the grid.
///
/// What lies outside the window has been wrapped around into it. Above: its probability is
/// taken off delta as a whole; below: it came up, which is safe.
pub(super) struct Total<'a> {
    plan: &'a Plan,
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

impl Total<'_> {
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
        let &Plan { step, first, tilt, shift, .. } = self.plan;
        let (fade, fade_more) = ((-tilt * step).exp(), (-(tilt + 1.0) * step).exp());
        // Sums over the losses y above the current point x of e^(-tilt (y - x)), and with tilt + 1.
        let (mut sum, mut more) = (0.0, 0.0);
        let mut above = 0.0;
        for i in (0..self.tilted.len()).rev() {
            let point = (first + i as i64) as f64 * step + shift - self.overstated;
            let here = (self.log_scale - tilt * (point + self.overstated)).exp() * (sum - more);
            // Then there is no bound; a maximum would lose that.
            if here.is_nan() {
                return f64::NAN;
            }
            if here > left {
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

/// All numbers below `count`, neighbours far from each other: many events are mostly in the order of their sizes, and
/// more frequencies vanish after a few that differ.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    let stride = count.isqrt().max(1);
    (0..stride).flat_map(move |first| (first..count).step_by(stride))
}

/// The masses of one release, tilted and scaled so that they sum to 1, and `ln` of the scale.
fn tilted(atoms: &Atoms, tilt: f64) -> (Vec<f64>, f64) {
    let log = log_moment(atoms, tilt);
    let mass = |(node, mass): (&f64, &f64)| if *mass > 0.0 { mass * (tilt * node - log).exp() } else { 0.0 };
    (atoms.nodes.iter().zip(&atoms.masses).map(mass).collect(), log)
}

/// `ln E e^(slope loss)` over finite losses.
fn log_moment(atoms: &Atoms, slope: f64) -> f64 {
    let positive = || atoms.nodes.iter().zip(&atoms.masses).filter(|(_, mass)| **mass > 0.0);
    // The largest term to within a factor of 2, from exponents instead of logarithms.
    let log = |mass: f64| ((mass.to_bits() >> 52) as f64 - 1023.0) * LN_2;
    let peak = positive().map(|(node, mass)| slope * node + log(*mass)).fold(f64::NEG_INFINITY, f64::max);
    peak + positive().map(|(node, mass)| mass * (slope * node - peak).exp()).sum::<f64>().ln()
}
