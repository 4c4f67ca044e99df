//! `dido network-privacy`: what the parties of one private averaging learn about each other, by their distance.

use std::collections::BTreeMap;

use dido_mechanisms::accountants::epsilon_of_mu;
use dido_mechanisms::network::{Gossip, TOLERANCE};
use dido_mechanisms::{Adjacency, Adversary, MechanismError, Norm, Sensitivity};
use rayon::prelude::*;
use serde::Serialize;

use crate::error::ExperimentError;
use crate::report::{bound, significant};
use crate::topology::Topology;

/// Views stop growing after as many rounds as there are nodes; more are a slip of the keyboard.
const MOST_ROUNDS: usize = 10_000;

/// More nodes than this do not all look: each of them is a factorisation.
pub const MOST_VIEWERS: usize = 4096;
/// More nodes than this are not looked at by one: its basis may have the square of them in numbers.
pub const MOST_NODES: usize = 20_000;

/// What is asked of a graph and its weights.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Rounds of averaging.
    pub rounds: usize,
    /// Standard deviation of the noise that each party adds to its value once.
    pub sigma: f64,
    /// How far the value of one party can be moved, in L2.
    pub sensitivity: f64,
    /// At which epsilon is told.
    pub delta: f64,
    /// Who looks; nothing for each party by itself.
    pub viewer: Option<usize>,
}

/// The answer: the keys of `dido network-privacy --json`.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkPrivacy {
    /// The family.
    pub family: String,
    /// Number of nodes.
    pub nodes: usize,
    /// The weight rule.
    pub weights: String,
    /// Rounds of averaging.
    pub rounds: usize,
    /// Standard deviation of the noise.
    pub sigma: f64,
    /// L2 sensitivity of one party's value.
    pub sensitivity: f64,
    /// At which epsilon is told.
    pub delta: f64,
    /// Who looks; null for each party by itself.
    pub viewer: Option<usize>,
    /// The same in words.
    pub adversary: String,
    /// What decided in the estimates whether a message says something new.
    pub tolerance: f64,
    /// The least new part of a message that counted, over all viewers.
    pub kept: f64,
    /// The largest that did not.
    pub dropped: f64,
    /// One for each distance that occurs, ascending; last those out of reach.
    pub distances: Vec<AtDistance>,
}

/// What is learnt over one distance.
#[derive(Clone, Debug, Serialize)]
pub struct AtDistance {
    /// Rounds that a value takes to the viewer; null if it cannot have come there.
    pub distance: Option<usize>,
    /// Pairs of a viewer and a node that is seen, or not, over this distance.
    pub pairs: u64,
    /// What is learnt at most: the guarantee.
    pub guarantee: Privacy,
    /// What is learnt, of the pair where it is most, if the tolerance decided well: no guarantee.
    pub estimate: Privacy,
    /// The mean of the estimated `mu_squared` over the pairs.
    pub mean_estimate: f64,
    /// The largest sum of the losses of single messages, as `mu_squared`: for comparison, no bound on a view.
    pub sum_of_marginals_no_bound: f64,
}

/// The loss between two parties.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Privacy {
    /// The square of the `mu` of Gaussian differential privacy.
    pub mu_squared: f64,
    /// At the delta of the question.
    pub epsilon: f64,
}

/// Largest and total values of the pairs of one distance.
#[derive(Clone, Copy, Default)]
struct Pairs {
    count: u64,
    upper: f64,
    largest: f64,
    total: f64,
    marginals: f64,
}

/// The pairs of some viewers by distance, those out of reach last; and what decided, as in [`NetworkPrivacy`].
struct Pile {
    distances: BTreeMap<usize, Pairs>,
    kept: f64,
    dropped: f64,
}

/// Works out the views of all parties, or of one.
///
/// # Errors
/// If there are too many nodes, no such viewer, or a number is out of range.
pub fn network_privacy(topology: &Topology, question: Question) -> Result<NetworkPrivacy, ExperimentError> {
    let Question { rounds, sigma, sensitivity, delta, viewer } = question;
    let nodes = topology.weights.nodes();
    let most = if viewer.is_some() { MOST_NODES } else { MOST_VIEWERS };
    if nodes > most {
        let hint = if nodes > MOST_NODES { "" } else { "; --viewer asks for one" };
        return Err(ExperimentError::Usage(format!("{nodes} nodes: at most {most} can be looked at{hint}")));
    }
    if rounds > MOST_ROUNDS {
        return Err(ExperimentError::Usage(format!("--rounds {rounds}: at most {MOST_ROUNDS} can be looked at")));
    }
    let gossip = Gossip::from_rows((0..nodes).map(|i| topology.weights.row(i)))?;
    let viewers = viewer.map_or_else(|| (0..nodes).collect(), |viewer| vec![viewer]);
    let piles: Vec<Pile> =
        viewers.into_par_iter().map(|viewer| pile(&gossip, viewer, question)).collect::<Result<_, _>>()?;
    let pile = piles.into_iter().reduce(Pile::and).unwrap_or_else(Pile::empty);
    let privacy = |mu_squared: f64| -> Result<Privacy, ExperimentError> {
        Ok(Privacy { mu_squared, epsilon: epsilon_of_mu(mu_squared.sqrt(), delta)? })
    };
    let distances = pile.distances.into_iter().map(|(distance, pairs)| {
        Ok(AtDistance {
            distance: (distance < usize::MAX).then_some(distance),
            pairs: pairs.count,
            guarantee: privacy(pairs.upper)?,
            estimate: privacy(pairs.largest)?,
            mean_estimate: pairs.total / pairs.count as f64,
            sum_of_marginals_no_bound: pairs.marginals,
        })
    });
    Ok(NetworkPrivacy {
        family: topology.family.clone(),
        nodes,
        weights: topology.rule.clone(),
        rounds,
        sigma,
        sensitivity,
        delta,
        viewer,
        adversary: viewer.map_or_else(
            || "is any one party and sees the messages of its neighbours".to_owned(),
            |viewer| Adversary::Neighbour(viewer).to_string(),
        ),
        tolerance: TOLERANCE,
        kept: pile.kept,
        dropped: pile.dropped,
        distances: distances.collect::<Result<_, ExperimentError>>()?,
    })
}

/// What one viewer learns about all others.
fn pile(gossip: &Gossip, viewer: usize, question: Question) -> Result<Pile, MechanismError> {
    let Question { rounds, sigma, sensitivity, .. } = question;
    let view = gossip.view(&[viewer], rounds)?;
    let losses = view.losses(Sensitivity::new(sensitivity, Norm::L2, Adjacency::ReplaceNode)?, sigma)?;
    let marginals = gossip.sum_of_marginals(viewer, rounds)?;
    let mut pile = Pile { kept: view.kept, dropped: view.dropped, ..Pile::empty() };
    for loss in losses {
        let pairs = pile.distances.entry(loss.distance.unwrap_or(usize::MAX)).or_default();
        let marginals = marginals[loss.node] * (sensitivity / sigma).powi(2);
        *pairs =
            pairs.and(Pairs { count: 1, upper: loss.upper, largest: loss.estimate, total: loss.estimate, marginals });
    }
    Ok(pile)
}

impl Pile {
    fn empty() -> Self {
        Self { distances: BTreeMap::new(), kept: 1.0, dropped: 0.0 }
    }

    fn and(mut self, other: Self) -> Self {
        for (distance, pairs) in other.distances {
            let here = self.distances.entry(distance).or_default();
            *here = here.and(pairs);
        }
        Self { kept: self.kept.min(other.kept), dropped: self.dropped.max(other.dropped), ..self }
    }
}

impl Pairs {
    fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            upper: self.upper.max(other.upper),
            largest: self.largest.max(other.largest),
            total: self.total + other.total,
            marginals: self.marginals.max(other.marginals),
        }
    }
}

impl NetworkPrivacy {
    /// A few lines and a table.
    pub fn text(&self) -> String {
        let Self { rounds, sigma, sensitivity, delta, .. } = self;
        let mut rows = vec![
            ["distance", "pairs", "epsilon", "mu^2", "estimate:", "mu^2", "mean mu^2", "marginals"].map(str::to_owned),
            ["", "", "at most", "at most", "epsilon", "", "", "(no bound)"].map(str::to_owned),
        ];
        rows.extend(self.distances.iter().map(|row| {
            [
                row.distance.map_or_else(|| "out of reach".to_owned(), |distance| distance.to_string()),
                row.pairs.to_string(),
                bound(row.guarantee.epsilon),
                bound(row.guarantee.mu_squared),
                significant(row.estimate.epsilon),
                significant(row.estimate.mu_squared),
                significant(row.mean_estimate),
                significant(row.sum_of_marginals_no_bound),
            ]
        }));
        let width = |k: usize| rows.iter().map(|row| row[k].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..8).map(width).collect();
        let table = rows.iter().map(|row| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        });
        let lines = [
            format!("{}, {} nodes, {} weights, {rounds} rounds of averaging", self.family, self.nodes, self.weights),
            format!("noise: Gaussian, sigma {sigma}, drawn once; sensitivity {sensitivity} (L2); delta {delta:e}"),
            format!("adversary: {}", self.adversary),
            String::new(),
        ];
        let remarks = [
            String::new(),
            "epsilon at most: the guarantee; a value that can have reached the viewer counts in full.".to_owned(),
            format!(
                "estimate: of the exact loss, the largest of the pairs; a message says something new if a part above {:e} of \
                 it does (here {} at least, {} at most where it did not).",
                self.tolerance,
                significant(self.kept),
                significant(self.dropped)
            ),
            "marginals: the losses of single messages added up, which bounds nothing; for comparison.".to_owned(),
        ];
        lines.into_iter().chain(table).chain(remarks).collect::<Vec<_>>().join("\n")
    }
}
