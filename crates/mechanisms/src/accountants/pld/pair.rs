//! The two distributions that are hardest to tell apart, by the tails of their privacy loss.

use super::cells::Cells;
use super::lattice;
use crate::accountants::facts::{Chance, Facts, Loss};
use crate::normal::both_tails;

/// One event, as a pair `P` (the record is there) and `Q` (it is not, or another one is), with loss `ln(P/Q)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    loss: Loss,
    chance: Chance,
}

/// Which data set is called `P`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// The one with the record.
    Remove,
    /// The one without it.
    Add,
}

/// Probabilities of an event under `P` and under `Q`.
pub(super) type Both = (f64, f64);

/// Probabilities of a loss above a place, and of one up to it.
#[derive(Clone, Copy, Debug)]
struct Tails {
    above: Both,
    below: Both,
}

/// Atoms of a loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// One of them: the largest, if there is one.
    pub(super) anchor: f64,
    /// The distance of neighbouring ones.
    pub(super) spacing: f64,
    /// The distance of the largest and the smallest, or one that matters.
    pub(super) span: f64,
}

impl Pair {
    /// `None` for losses without a worst pair.
    pub(super) fn of(facts: Facts) -> Option<Self> {
        match facts.loss {
            Loss::Zcdp { .. } => None,
            loss => Some(Self { loss, chance: facts.chance }),
        }
    }

    /// Whether the directions differ.
    pub(super) fn is_directed(self) -> bool {
        matches!(self.chance, Chance::Poisson { .. })
    }

    /// The loss splits into cells at the ascending `nodes` (for a subset they must be symmetric around a 0 among them).
    ///
    /// A record that is added or removed on a Poisson sample: `P = (1-q) Q0 + q P0` and `Q = Q0`, or the other way round
    /// (Zhu, Dong, Wang, *Optimal accounting of differential privacy via characteristic function*, 2022). A record that is
    /// replaced in a subset of fixed size: outputs without the record, with it and with the other one are pairwise within
    /// the sensitivity, so by advanced joint convexity the curve for `epsilon >= 0` is that of 'remove'. It is symmetric,
    /// which makes the curve for `epsilon < 0` its mirror image, with what is left as an atom at loss 0. (The larger of
    /// 'remove' and 'add', each composed alone, is no bound: Lebeda, Regehr, Kamath, Steinke 2024.) If it takes place by
    /// a coin that everybody sees, the loss is 0 where it does not.
    pub(super) fn cells(self, nodes: &[f64], direction: Direction) -> Cells {
        match (self.chance, direction) {
            (Chance::Subset { active, .. }, _) => self.remove(nodes).symmetric().with_probability(active),
            (_, Direction::Remove) => self.remove(nodes),
            (_, Direction::Add) => {
                let mirrored: Vec<f64> = nodes.iter().rev().map(|node| -node).collect();
                self.remove(&mirrored).mirrored()
            }
        }
    }

    fn remove(self, nodes: &[f64]) -> Cells {
        if let Loss::DiscreteGaussian(noise) = self.loss {
            let rate = self.chance.rate();
            let both = |(p, q): Both| ((1.0 - rate) * q + rate * p, q);
            return lattice::cells(noise, nodes, |loss| mixed(loss, rate), both);
        }
        let tails: Vec<Tails> = nodes.iter().map(|&node| self.tails(node)).collect();
        // Differences of whichever tail is the smaller one.
        let cell = |ends: &[Tails], part: fn(&Both) -> f64| {
            let [left, right] = ends else { return 0.0 };
            let (up, down) = (part(&left.above) - part(&right.above), part(&right.below) - part(&left.below));
            if part(&left.above) < part(&right.below) { up } else { down }.max(0.0)
        };
        let inner = tails.windows(2).map(|ends| (cell(ends, |b| b.0), cell(ends, |b| b.1))).collect();
        let (certain, impossible) = match self.loss {
            Loss::Everything => (self.chance.rate(), 1.0),
            Loss::Approximate { delta, .. } => (self.chance.rate() * delta, delta),
            _ => (0.0, 0.0),
        };
        let impossible = if self.chance.rate() < 1.0 { 0.0 } else { impossible };
        Cells {
            nodes: nodes.to_vec(),
            bottom: tails[0].below,
            inner,
            top: tails[nodes.len() - 1].above,
            certain,
            impossible,
            zero: 0.0,
        }
    }

    /// `P` and `Q` of a loss above `e`, with the record on one side, and of one of at most `e`.
    fn tails(self, e: f64) -> Tails {
        let rate = self.chance.rate();
        // No loss is smaller than that of what cannot happen with the record: where the base mechanism has one of minus
        // infinity there is an atom, and nothing below.
        let is_below = rate < 1.0 && e < (-rate).ln_1p();
        let Tails { above, below } = if is_below { Tails::ABOVE } else { tails(self.loss, unmixed(e, rate)) };
        let mix = |(p, q): Both| ((1.0 - rate) * q + rate * p, q);
        Tails { above: mix(above), below: mix(below) }
    }

    /// Where losses have atoms, if a grid should meet them.
    pub(super) fn marks(self, direction: Direction) -> Option<Marks> {
        let rate = self.chance.rate();
        let (high, spacing) = match self.loss {
            Loss::Laplace { l1, .. } => (l1, 2.0 * l1),
            Loss::DiscreteLaplace(noise) => (noise.l1_scales(), 2.0 / noise.scale as f64),
            Loss::DiscreteGaussian(noise) => {
                let (d, s) = (noise.l1 as f64, noise.scale as f64);
                (0.5 * (d / s).powi(2), d / (s * s))
            }
            Loss::Approximate { epsilon, delta } if delta < 1.0 => (epsilon, 2.0 * epsilon),
            _ => return None,
        };
        let (top, bottom) = (mixed(high, rate), mixed(-high, rate));
        Some(match (self.chance, direction) {
            (Chance::Certain, _) => Marks { anchor: high, spacing, span: 2.0 * high },
            (Chance::Subset { .. }, _) => Marks { anchor: 0.0, spacing: top, span: top },
            (_, Direction::Remove) => Marks { anchor: top, spacing: top - bottom, span: top - bottom },
            (_, Direction::Add) => Marks { anchor: -bottom, spacing: top - bottom, span: top - bottom },
        })
    }

    /// The range of losses that matter in a direction: beyond it `P` has no more than `end` on each side.
    pub(super) fn range(self, direction: Direction, end: f64) -> (f64, f64) {
        let above = |e: f64| match direction {
            Direction::Remove => self.tails(e).above.0,
            Direction::Add => self.tails(-e).below.1,
        };
        let below = |e: f64| match direction {
            Direction::Remove => self.tails(e).below.0,
            Direction::Add => self.tails(-e).above.1,
        };
        let certain = match (self.loss, direction) {
            (Loss::Approximate { delta, .. }, Direction::Remove) => self.chance.rate() * delta,
            (Loss::Approximate { delta, .. }, Direction::Add) if self.chance.rate() >= 1.0 => delta,
            _ => 0.0,
        };
        let high = smallest(|e| above(e) <= certain * (1.0 + 1e-9) + end);
        if matches!(self.chance, Chance::Subset { .. }) {
            return (-high, high);
        }
        (-smallest(|e| below(-e) <= end), high)
    }

    /// Nodes for a first look: equally spaced in the loss of the mechanism without sampling, which is where its tails are
    /// even, and mapped to that of the sampled one.
    pub(super) fn pilot(self, direction: Direction, end: f64, count: usize) -> Vec<f64> {
        let (low, high) = self.range(direction, end);
        let rate = self.chance.rate();
        let signs: &[f64] = match (self.chance, direction) {
            (Chance::Subset { .. }, _) => &[1.0, -1.0],
            (_, Direction::Remove) => &[1.0],
            (_, Direction::Add) => &[-1.0],
        };
        let mut nodes = vec![low, 0.0, high];
        for sign in signs {
            let ends = (unmixed(sign * low, rate), unmixed(sign * high, rate));
            let far = match self.loss {
                Loss::Gaussian { mu } => 0.5 * mu * mu + 40.0 * mu,
                Loss::DiscreteGaussian(noise) => {
                    let mu = noise.l1 as f64 / noise.scale as f64;
                    0.5 * mu * mu + 40.0 * mu
                }
                Loss::Laplace { l1, .. } => l1,
                Loss::DiscreteLaplace(noise) => noise.l1_scales(),
                Loss::Approximate { epsilon, .. } => epsilon,
                _ => 0.0,
            };
            let (from, to) = (ends.0.min(ends.1).max(-far), ends.0.max(ends.1).min(far));
            nodes.extend((0..=count).map(|i| sign * mixed(from + (to - from) * i as f64 / count as f64, rate)));
        }
        nodes.retain(|node| (low..=high).contains(node));
        if matches!(self.chance, Chance::Subset { .. }) {
            // Exactly symmetric: subset cells are mirrored.
            nodes.retain(|node| *node >= 0.0);
            nodes.extend(nodes.clone().iter().map(|node| -node));
        }
        nodes.sort_by(f64::total_cmp);
        nodes.dedup_by(|a, b| *a - *b <= 1e-12 * (high - low));
        nodes
    }
}

/// The loss without sampling at which that of the sampled mechanism is `e`: `ln((e^e - 1 + q) / q)`.
fn unmixed(e: f64, rate: f64) -> f64 {
    if rate >= 1.0 {
        e
    } else if e < 30.0 {
        let x = e.exp_m1() / rate;
        if x <= -1.0 { f64::NEG_INFINITY } else { x.ln_1p() }
    } else {
        e - rate.ln() + (-(1.0 - rate) * (-e).exp()).ln_1p()
    }
}

/// The loss of the sampled mechanism where that without sampling is `e`: `ln(1 - q + q e^e)`.
fn mixed(e: f64, rate: f64) -> f64 {
    if rate >= 1.0 {
        e
    } else if e < 30.0 {
        (rate * e.exp_m1()).ln_1p()
    } else {
        e + rate.ln() + ((1.0 - rate) / rate * (-e).exp()).ln_1p()
    }
}

/// The smallest number (to a relative 1e-3, rounded up) with the property, which larger ones have.
fn smallest(holds: impl Fn(f64) -> bool) -> f64 {
    if holds(0.0) {
        return 0.0;
    }
    let (mut no, mut yes) = (0.0, 1.0);
    while !holds(yes) && yes < 1e300 {
        (no, yes) = (yes, 2.0 * yes);
    }
    while no <= 0.0 && yes > 1e-300 {
        if holds(0.5 * yes) { yes *= 0.5 } else { no = 0.5 * yes }
    }
    while yes - no > 1e-3 * yes {
        let middle = 0.5 * (no + yes);
        if holds(middle) { yes = middle } else { no = middle }
    }
    yes
}

/// Tails at `e` of the mechanism without sampling.
fn tails(loss: Loss, e: f64) -> Tails {
    match loss {
        Loss::Gaussian { mu } => {
            let (p, q) = (both_tails(e / mu - 0.5 * mu), both_tails(e / mu + 0.5 * mu));
            Tails { above: (p.0, q.0), below: (p.1, q.1) }
        }
        Loss::Laplace { l1, .. } if e >= l1 => Tails::BELOW,
        Loss::Laplace { l1, .. } if e < -l1 => Tails::ABOVE,
        Loss::Laplace { l1, .. } => {
            let (p, q) = (0.5 * (0.5 * (e - l1)).exp(), 0.5 * (-0.5 * (e + l1)).exp());
            Tails { above: (1.0 - p, q), below: (p, 1.0 - q) }
        }
        Loss::DiscreteLaplace(noise) => {
            Tails { above: lattice::laplace_above(noise, e), below: lattice::laplace_below(noise, e) }
        }
        Loss::DiscreteGaussian(noise) => {
            // By symmetry.
            let (p, q) = lattice::gaussian_above(noise, -e);
            Tails { above: lattice::gaussian_above(noise, e), below: (q, p) }
        }
        Loss::Approximate { epsilon, delta } => {
            let truth = 1.0 / (1.0 + (-epsilon).exp());
            let (likely, unlikely) = ((1.0 - delta) * truth, (1.0 - delta) * truth * (-epsilon).exp());
            match e {
                e if e >= epsilon => Tails { above: (delta, 0.0), below: (1.0 - delta, 1.0) },
                e if e < -epsilon => Tails { above: (1.0, 1.0 - delta), below: (0.0, delta) },
                _ => Tails { above: (delta + likely, unlikely), below: (unlikely, delta + likely) },
            }
        }
        Loss::Everything => Tails { above: (1.0, 0.0), below: (0.0, 1.0) },
        Loss::Nothing | Loss::Zcdp { .. } if e < 0.0 => Tails::ABOVE,
        Loss::Nothing | Loss::Zcdp { .. } => Tails::BELOW,
    }
}

impl Tails {
    /// Where everything is above.
    const ABOVE: Self = Self { above: (1.0, 1.0), below: (0.0, 0.0) };
    /// Where nothing is.
    const BELOW: Self = Self { above: (0.0, 0.0), below: (1.0, 1.0) };
}
