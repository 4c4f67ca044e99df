//! One transcript in two worlds.

use std::sync::Arc;

use dido_geometry::{Rows, Shape};
use serde::{Deserialize, Serialize};

use super::NoiseCheck;
use super::granularity::on_grid;
use super::noise::Law;
use super::transcript::Release;
use crate::{Event, ExactNoise, Gate, Grid, Ledger, Mechanism, MechanismError, Norm, Sensitivity};

/// What one transcript says about the data set that it came from and a neighbouring one.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// For each lane the log-likelihood ratio of everything that was sent by anyone: that of the one data set minus that of
    /// the other.
    pub losses: Vec<f64>,
    /// The release that came closest to its declared sensitivity, or passed it; none if no event declares one.
    pub moved: Option<Moved>,
    /// Messages of discrete mechanisms that are not on their grid.
    pub off_grid: u64,
    /// The noise in the transcript.
    pub noise: NoiseCheck,
}

/// How far the value of a release moves between the two data sets, before noise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The distance divided by the declared sensitivity, both in the norm of the declaration: more than 1 is a violation.
    pub share: f64,
    /// The node.
    pub node: usize,
    /// The round.
    pub round: u32,
}

/// Compares two runs of the same algorithm that were [replayed](Gate::replaying) with the same transcript: the one on the
/// data set that the transcript came from, the other on a neighbouring one.
///
/// Given the messages before it, a message has a known density around a value that only its own node's data decide, so the
/// ratio of a whole adaptive transcript is a product of known terms. No noise at all gives infinite losses.
///
/// The result depends on records and is not private.
///
/// # Errors
/// If the gates did not both replay the whole of one and the same transcript.
pub fn compare(one: &Gate, other: &Gate) -> Result<Comparison, MechanismError> {
    let (Some(a), Some(b)) = (one.replay(), other.replay()) else { return Err(MechanismError::NoReplay) };
    let releases = a.transcript().releases();
    let whole = [a.values().len(), b.values().len()].iter().all(|&seen| seen == releases.len());
    if !Arc::ptr_eq(a.transcript(), b.transcript()) || !whole {
        return Err(MechanismError::NoReplay);
    }
    let lanes = releases.first().map_or(0, |release| release.rows.shape().lanes);
    let mut found = Comparison { losses: vec![0.0; lanes], moved: None, off_grid: 0, noise: NoiseCheck::default() };
    let mut sensitivities = Declared::new(one.ledger());
    for (release, values) in releases.iter().zip(a.values().iter().zip(b.values())) {
        found.take(release, values, |node| sensitivities.of(node));
        sensitivities.next(release.awake.as_deref());
    }
    Ok(found)
}

impl Comparison {
    fn take(
        &mut self,
        release: &Release,
        (one, other): (&Rows, &Rows),
        declared: impl Fn(usize) -> Option<Sensitivity>,
    ) {
        let Shape { nodes, lanes, .. } = release.rows.shape();
        let density = Density::new(release.mechanism);
        for node in 0..nodes {
            if release.awake.as_ref().is_some_and(|awake| !awake[node]) {
                // Whoever sleeps sends what everybody knows; anything else would leave without noise.
                for lane in 0..lanes {
                    let (message, a, b) = (release.rows.row(node, lane), one.row(node, lane), other.row(node, lane));
                    self.losses[lane] += Density::new(Mechanism::None).ratio(message, a, b);
                }
                continue;
            }
            let sensitivity = declared(node);
            for lane in 0..lanes {
                let (message, a, b) = (release.rows.row(node, lane), one.row(node, lane), other.row(node, lane));
                self.losses[lane] += density.ratio(message, a, b);
                if let Some(share) = sensitivity.map(|s| distance(a, b, s.norm) / s.value.max(f64::MIN_POSITIVE))
                    && self.moved.is_none_or(|largest| share > largest.share)
                {
                    self.moved = Some(Moved { share, node, round: release.round });
                }
                match density {
                    Density { law: Some(law), grid: None, scale } => {
                        self.noise.add(law, message.iter().zip(a).map(|(m, a)| (m - a) / scale));
                    }
                    Density { grid: Some(grid), .. } => {
                        self.off_grid += message.iter().filter(|&&x| !on_grid(grid, x)).count() as u64;
                    }
                    Density { law: None, .. } => {}
                }
            }
        }
    }
}

/// The density of a message around a value.
#[derive(Clone, Copy)]
struct Density {
    /// None is no noise at all.
    law: Option<Law>,
    scale: f64,
    /// What the value is rounded to first.
    grid: Option<Grid>,
}

impl Density {
    fn new(mechanism: Mechanism) -> Self {
        let (law, scale, grid) = match mechanism {
            Mechanism::None => (None, 0.0, None),
            Mechanism::Laplace(noise) => (Some(Law::Laplace), noise.scale(), None),
            Mechanism::Gaussian(noise) => (Some(Law::Gaussian), noise.sigma(), None),
            Mechanism::DiscreteLaplace { noise, .. } => (Some(Law::Laplace), noise.scale(), Some(noise.grid())),
            Mechanism::DiscreteGaussian { noise, .. } => (Some(Law::Gaussian), noise.sigma(), Some(noise.grid())),
        };
        Self { law, scale, grid }
    }

    /// `ln p(message | a) - ln p(message | b)`. Discrete laws are the continuous ones at the points of their grid, up to a
    /// factor that cancels.
    fn ratio(self, message: &[f64], a: &[f64], b: &[f64]) -> f64 {
        let rounded = |x: f64| self.grid.map_or(x, |grid| grid.value(grid.nearest(x)));
        let terms = message.iter().zip(a.iter().zip(b)).map(|(&m, (&a, &b))| {
            let (a, b) = (rounded(a), rounded(b));
            match self.law {
                Some(Law::Laplace) => ((m - b).abs() - (m - a).abs()) / self.scale,
                Some(Law::Gaussian) => (a - b) / self.scale * ((m - a) + (m - b)) / (2.0 * self.scale),
                None if a.to_bits() == b.to_bits() => 0.0,
                None => f64::INFINITY,
            }
        });
        terms.sum()
    }
}

/// The distance of two values, less what the last roundings of their coordinates may have added to it.
fn distance(a: &[f64], b: &[f64], norm: Norm) -> f64 {
    let rounding = |a: f64, b: f64| 2.0 * f64::EPSILON * (a.abs() + b.abs());
    let differences = a.iter().zip(b).map(|(&a, &b)| ((a - b).abs() - rounding(a, b)).max(0.0));
    match norm {
        Norm::L1 => differences.sum(),
        Norm::L2 => differences.map(|d| d * d).sum::<f64>().sqrt(),
    }
}

/// The sensitivities that a ledger declares, release by release.
struct Declared {
    /// The class of each node.
    class_of: Vec<usize>,
    by_class: Vec<Vec<Option<Sensitivity>>>,
    /// How many releases of each class have passed.
    passed: Vec<usize>,
}

impl Declared {
    fn new(ledger: &Ledger) -> Self {
        let nodes = ledger.classes.iter().map(|class| class.nodes.len()).sum();
        let mut class_of = vec![0; nodes];
        for (index, class) in ledger.classes.iter().enumerate() {
            class.nodes.iter().for_each(|&node| class_of[node] = index);
        }
        let declared = |event: &Event| match *event {
            Event::Laplace { sensitivity, .. } | Event::Gaussian { sensitivity, .. } => Some(sensitivity),
            Event::DiscreteLaplace(noise) | Event::DiscreteGaussian(noise) => Some(noise.in_units()),
            _ => None,
        };
        let expand = |entries: &[crate::Entry]| {
            let times = entries.iter().map(|entry| usize::try_from(entry.releases).unwrap_or(usize::MAX));
            entries.iter().zip(times).flat_map(|(e, n)| std::iter::repeat_n(declared(&e.event), n)).collect()
        };
        let by_class: Vec<_> = ledger.classes.iter().map(|class| expand(&class.entries)).collect();
        Self { class_of, passed: vec![0; by_class.len()], by_class }
    }

    /// That of the next release of a node.
    fn of(&self, node: usize) -> Option<Sensitivity> {
        let class = self.class_of[node];
        self.by_class[class].get(self.passed[class]).copied().flatten()
    }

    /// Goes on to the release after one of the nodes that were awake.
    fn next(&mut self, awake: Option<&[bool]>) {
        let mut released = vec![awake.is_none(); self.passed.len()];
        for (node, _) in awake.iter().flat_map(|awake| awake.iter().enumerate()).filter(|(_, awake)| **awake) {
            released[self.class_of[node]] = true;
        }
        self.passed.iter_mut().zip(released).for_each(|(passed, released)| *passed += usize::from(released));
    }
}
