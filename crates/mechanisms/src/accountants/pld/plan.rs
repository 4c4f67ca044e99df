//! Where the total loss lies, and on which grid to compute it: from a coarse look at each event.
//!
//! For a slope `s > 0` the probability that the total `Y` exceeds `y` is at most `e^(K(s) - s y)` with `K(s) = ln E
//! e^(s Y)` (Chernoff). The slope at which that is about `delta` is used to *tilt* the distribution before it is
//! transformed: mass in the tail of interest then is of order 1, and the rounding errors of the transform, which are
//! relative to the largest mass, are relative to delta, however small.

use std::cmp::Ordering;

use super::cells::Atoms;
use super::pair::{Direction, Marks, Pair};

/// A part of delta that may be lost to the ends of the grid.
pub(super) const SPARE: f64 = 1e-7;

/// Most points of a grid.
const POINTS: usize = 1 << 18;

/// Most cells of the loss of one release.
const CELLS: f64 = 65_536.0;

/// The best accuracy that is aimed at, relative to epsilon.
pub(super) const PRECISION: f64 = 4e-5;

/// How to compute a composition.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Distance of grid points.
    pub(super) step: f64,
    /// The window of total losses, in steps: its first point, and how many.
    pub(super) first: i64,
    pub(super) points: usize,
    /// The slope of the tilt.
    pub(super) tilt: f64,
    /// A slope that shows how little lies above the window.
    pub(super) steep: f64,
    /// The epsilon that the step was chosen for.
    pub(super) aim: f64,
    /// Single losses, in steps: first and last for each event.
    pub(super) ranges: Vec<(i64, i64)>,
    /// The loss at step 0 for each event: grids of single losses are moved so that they meet an atom.
    pub(super) offsets: Vec<f64>,
    /// The same for the total.
    pub(super) shift: f64,
}

/// `ln` of moments of the total, from a coarse look.
struct Look {
    events: Vec<(Vec<(f64, f64)>, f64)>,
}

impl Look {
    /// (`K(s)`, `K'(s)`).
    fn moment(&self, slope: f64) -> (f64, f64) {
        let (mut value, mut mean) = (0.0, 0.0);
        for (atoms, releases) in &self.events {
            let peak = atoms.iter().map(|(node, log)| slope * node + log).fold(f64::NEG_INFINITY, f64::max);
            let (mut sum, mut first) = (0.0, 0.0);
            for (node, log) in atoms {
                let weight = (slope * node + log - peak).exp();
                sum += weight;
                first += weight * node;
            }
            value += releases * (peak + sum.ln());
            mean += releases * first / sum;
        }
        (value, mean)
    }
}

fn logs(atoms: &Atoms) -> Vec<(f64, f64)> {
    let positive = atoms.nodes.iter().zip(&atoms.masses).filter(|(_, mass)| **mass > 0.0);
    positive.map(|(node, mass)| (*node, mass.ln())).collect()
}

impl Plan {
    /// For at least one release, and a `delta` that is more than what is infinite. `aim`: an upper bound of epsilon,
    /// if one is known, which sets the accuracy, `precision` relative to it.
    pub(super) fn of(events: &[(Pair, f64)], direction: Direction, delta: f64, aim: f64, precision: f64) -> Self {
        let releases: f64 = events.iter().map(|event| event.1).sum();
        // What a single release may leave out: above it counts against delta, below it is rounded up, which in all
        // makes delta larger by no more than that.
        let end = SPARE * delta / releases;
        let nodes = (16_384 / events.len()).clamp(48, if precision > PRECISION { 100 } else { 400 });
        let look = Look {
            events: events
                .iter()
                .map(|&(pair, n)| {
                    let nodes = pair.pilot(direction, end, nodes);
                    (logs(&pair.cells(&nodes, direction).pessimistic()), n)
                })
                .collect(),
        };
        let ranges: Vec<(f64, f64)> = events.iter().map(|(pair, _)| pair.range(direction, end)).collect();
        let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let log_delta = delta.ln();
        let scale = scale(&look, log_delta);
        // The slope and the epsilon of the best bound by moments, to choose the step.
        let slope = saddle(&look, log_delta, scale, true);
        let epsilon = ((look.moment(slope).0 - log_delta + peak(slope)) / slope).max(0.0);
        // Rounding makes errors of about 1e-16 for each release; this much of the tilted mass shall be beyond epsilon.
        let part = (1e-9 * releases).clamp(1e-5, 0.1);
        let tilt = saddle(&look, (log_delta - part.ln()).min(-1e-3), scale, true);
        let value = look.moment(tilt).0;
        let steep = saddle(&look, log_delta + SPARE.ln(), scale, false);
        let high = (look.moment(steep).0 - log_delta - SPARE.ln()) / steep;
        let (low, high) = (below(&look, value, tilt, scale), high.max(above(&look, value, tilt, scale)));
        // No more than what is possible.
        let possible = |end: fn(&(f64, f64)) -> f64| ranges.iter().zip(events).map(|(r, e)| e.1 * end(r)).sum::<f64>();
        let width = (high.min(possible(|r| r.1)).max(0.0) - low.max(possible(|r| r.0)).min(0.0)).max(1e-300);
        // Rounding adds a variance of about step^2/6 to each loss: at constant delta, step^2 (1 + slope)/12 to epsilon.
        let aim = epsilon.min(aim);
        let allowed = precision * aim.max(1e-3 * epsilon);
        let wanted = (12.0 * allowed / (releases * (1.0 + slope))).sqrt();
        let count = (width / wanted).clamp(256.0, POINTS as f64 - 64.0);
        let marks: Vec<Option<Marks>> = events.iter().map(|(pair, _)| pair.marks(direction)).collect();
        let step = aligned((width / count).max(widest / CELLS).max(1e-290), events, &marks);
        // Of a loss that is hardly wider than a step all is best merged at 0.
        let offset = |m: &Marks| if m.span > 2.0 * step { m.anchor.rem_euclid(step) } else { 0.0 };
        let offsets: Vec<f64> = marks.iter().map(|m| m.as_ref().map_or(0.0, offset)).collect();
        let shift = offsets.iter().zip(events).map(|(offset, event)| event.1 * offset).sum::<f64>();
        let in_steps = |(&(low, high), offset): (&(f64, f64), &f64)| {
            (((low - offset) / step).floor() as i64, ((high - offset) / step).ceil() as i64)
        };
        let ranges: Vec<(i64, i64)> = ranges.iter().zip(&offsets).map(in_steps).collect();
        // Rounded losses reach further; what is possible must not be wrapped around.
        let possible =
            |end: fn(&(i64, i64)) -> i64| ranges.iter().zip(events).map(|(r, e)| e.1 * end(r) as f64).sum::<f64>();
        let at = |loss: f64| (loss - shift) / step;
        let first = at(low).floor().max(possible(|r| r.0)).min(at(0.0).floor()) as i64 - 2;
        let last = at(high).ceil().min(possible(|r| r.1)).max(at(0.0).ceil()) as i64 + 2;
        let points = smooth((last - first + 1) as usize);
        Self { step, first, points, tilt, steep, aim, ranges, offsets, shift }
    }
}

/// The nodes of a grid, moved towards their middle by more than rounding can make of them: so atoms at the ends, which
/// are the heaviest, are beyond the nodes that are meant for them, not before.
pub(super) fn nodes(step: f64, offset: f64, (first, last): (i64, i64)) -> Vec<f64> {
    let nodes = |i: i64| i as f64 * step + offset;
    let margin = 4.0 * f64::EPSILON * nodes(first).abs().max(nodes(last).abs());
    let moved = |i: i64| match (2 * i).cmp(&(first + last)) {
        Ordering::Less => nodes(i) + margin,
        Ordering::Equal => nodes(i),
        Ordering::Greater => nodes(i) - margin,
    };
    (first..=last).map(moved).collect()
}

/// A step, no larger, of which the atoms of the event with the widest total are multiples apart.
fn aligned(step: f64, events: &[(Pair, f64)], marks: &[Option<Marks>]) -> f64 {
    let wide = marks.iter().zip(events).filter_map(|(marks, event)| Some((marks.as_ref()?, event.1)));
    let spread = |&(marks, releases): &(&Marks, f64)| releases * marks.span * marks.span;
    let Some((marks, _)) = wide.max_by(|a, b| spread(a).total_cmp(&spread(b))) else { return step };
    let distance = if marks.spacing >= step { marks.spacing } else { marks.span };
    if distance >= step { distance / (distance / step).ceil() } else { step }
}

/// The least length of the form `2^k`, `3 2^k`, `5 2^k` or `9 2^k`, for which transforms are fast.
fn smooth(least: usize) -> usize {
    let of = |odd: usize| odd * least.div_ceil(odd).next_power_of_two();
    [1, 3, 5, 9].into_iter().map(of).min().expect("four lengths")
}

/// The slope that delta would ask for if the total were Gaussian.
fn scale(look: &Look, log_delta: f64) -> f64 {
    let variance: f64 = look
        .events
        .iter()
        .map(|(atoms, releases)| {
            let mass: f64 = atoms.iter().map(|(_, log)| log.exp()).sum();
            let mean = atoms.iter().map(|(node, log)| log.exp() * node).sum::<f64>() / mass;
            releases * atoms.iter().map(|(node, log)| log.exp() * (node - mean).powi(2)).sum::<f64>() / mass
        })
        .sum();
    ((1.0 - 2.0 * log_delta) / variance.max(1e-280)).sqrt()
}

/// The slope `s` of the best bound `delta <= e^(K(s) - s epsilon + peak(s))`, where `K(s) - s K'(s) - ln(1 + s) = ln
/// delta`: the left side falls from 0. Or, without the peak, of the best bound on the probability of exceeding
/// epsilon. Any slope is correct, this one is accurate.
fn saddle(look: &Look, log_delta: f64, scale: f64, with_peak: bool) -> f64 {
    let (mut low, mut high) = (1e-4_f64.ln(), 1e3_f64.ln());
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        let slope = scale * middle.exp();
        let (value, mean) = look.moment(slope);
        if value - slope * mean - if with_peak { slope.ln_1p() } else { 0.0 } > log_delta {
            low = middle;
        } else {
            high = middle;
        }
    }
    scale * (0.5 * (low + high)).exp()
}

/// The largest value of `ln(1 - e^-u) - s u` over `u > 0`.
fn peak(s: f64) -> f64 {
    s * s.ln() - (s + 1.0) * s.ln_1p()
}

/// How much of the tilted distribution may be wrapped around.
const WRAPPED: f64 = 1e-14;

/// A loss above which the tilted distribution has next to nothing.
fn above(look: &Look, value: f64, tilt: f64, scale: f64) -> f64 {
    FACTORS
        .into_iter()
        .map(|factor| (look.moment(tilt + factor * scale).0 - value - WRAPPED.ln()) / (factor * scale))
        .fold(f64::INFINITY, f64::min)
}

/// A loss below which the tilted distribution has next to nothing.
fn below(look: &Look, value: f64, tilt: f64, scale: f64) -> f64 {
    FACTORS
        .into_iter()
        .map(|factor| (WRAPPED.ln() - look.moment(tilt - factor * scale).0 + value) / (factor * scale))
        .fold(f64::NEG_INFINITY, f64::max)
}

const FACTORS: [f64; 12] = [0.01, 0.03, 0.06, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 4.0, 10.0];
