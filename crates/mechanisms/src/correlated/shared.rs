//! Noise that the nodes of a gate share with their neighbours.

use std::sync::OnceLock;

use dido_geometry::{Rows, Shape, parallel};

use super::PairwiseNoise;
use crate::{Adversary, ClassLedger, Gaussian, Key, Ledger, MechanismError, Stream};

/// Draws below which threads do not pay.
const WORTH_THREADS: usize = 30_000;

/// Correlated noise for the nodes of a [`Gate`](crate::Gate), in units of their own noise: a release through
/// [`Gaussian`](crate::Gaussian) noise of standard deviation `sigma` adds `u_i + sum_j v_ij`, with `sigma` for `u_i` and `ratio sigma`
/// for each `v_ij`.
#[derive(Clone, Debug)]
pub struct SharedNoise {
    /// For an own standard deviation of 1.
    unit: PairwiseNoise,
    /// Of each node the keys that it shares, by neighbour and lane; none in a plan.
    keys: Vec<Vec<Key>>,
    lanes: usize,
}

impl SharedNoise {
    /// Noise on the `edges` of a graph of `nodes` nodes, `ratio` times as wide as a node's own, without keys: for plans.
    ///
    /// # Errors
    /// If `ratio` is not positive, an edge ends at a node that there is not, or at the one where it starts.
    pub fn new(
        nodes: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
        ratio: f64,
    ) -> Result<Self, MechanismError> {
        Ok(Self { unit: PairwiseNoise::new(nodes, edges, 1.0, ratio)?, keys: vec![], lanes: 0 })
    }

    /// The same with the key `key(i, j, lane)` of every edge, `i < j`, and lane: [`Key::derive_pair`] for simulations.
    #[must_use]
    pub fn with_keys(self, lanes: usize, key: impl Fn(usize, usize, usize) -> Key) -> Self {
        let of = |(node, neighbours): (usize, &Vec<usize>)| {
            let pairs = neighbours.iter().flat_map(|&j| (0..lanes).map(move |lane| (j, lane)));
            pairs.map(|(j, lane)| key(node.min(j), node.max(j), lane)).collect()
        };
        let keys = self.unit.neighbours.iter().enumerate().map(of).collect();
        Self { keys, lanes, ..self }
    }

    /// What the noise is worth to `adversary`, for the worst node of each class of `ledger`: the standard deviation of an
    /// independent noise that hides as much, for an own noise of 1.
    ///
    /// * [`AllMessages`](Adversary::AllMessages), and who does not know who is active: nobody's keys.
    /// * [`Neighbour`](Adversary::Neighbour): the keys of that node. Nothing is promised of its own data, which are not hidden from
    ///   it: there it counts as it does to somebody outside.
    /// * [`Colluders(1)`](Adversary::Colluders): those of any one node, whichever is worst for the class.
    ///
    /// # Errors
    /// If there are other nodes, or more than one colluder: which ones is not said.
    pub(crate) fn worth(&self, adversary: Adversary, ledger: &Ledger) -> Result<Vec<f64>, MechanismError> {
        let nodes = self.unit.nodes();
        let found = ledger.classes.iter().map(|class| class.nodes.len()).sum();
        if found != nodes {
            return Err(MechanismError::SharedNodes { shared: nodes, gate: found });
        }
        let viewers: Vec<Vec<usize>> = match adversary {
            Adversary::AllMessages | Adversary::HiddenActivation => vec![vec![]],
            Adversary::Neighbour(viewer) => vec![vec![viewer]],
            Adversary::Colluders(1) => (0..nodes).map(|viewer| vec![viewer]).collect(),
            Adversary::Colluders(_) => return Err(MechanismError::SharedColluders(adversary)),
        };
        let mut worth = vec![f64::INFINITY; nodes];
        for viewers in viewers.iter().filter(|viewers| viewers.len() < nodes) {
            for (node, sigma) in self.unit.exposure(viewers)?.sigmas {
                worth[node] = worth[node].min(sigma);
            }
        }
        if worth.contains(&f64::INFINITY) {
            for (node, sigma) in self.unit.exposure(&[])?.sigmas {
                if worth[node].is_infinite() {
                    worth[node] = sigma;
                }
            }
        }
        let least = |class: &ClassLedger| class.nodes.iter().map(|&node| worth[node]).fold(f64::INFINITY, f64::min);
        Ok(ledger.classes.iter().map(least).collect())
    }

    /// Adds the noise of all nodes, `sigma` being that of their own, to their rows; `own` has a key for each row.
    pub(crate) fn add(&self, sigma: f64, own: &[Key], stream: Stream, rows: &mut Rows) -> Result<(), MechanismError> {
        let Shape { nodes, lanes, dim } = rows.shape();
        if lanes != self.lanes || own.len() != nodes * lanes {
            return Err(MechanismError::SharedKeys { lanes: self.lanes, found: lanes });
        }
        let noise = self.scaled(sigma)?;
        let draws = rows.as_slice().len() + dim * self.keys.iter().map(Vec::len).sum::<usize>();
        let failure = OnceLock::new();
        parallel::for_each_range(own.len(), rows.as_mut_slice(), draws, WORTH_THREADS, |range, rows| {
            for (row, vector) in range.zip(rows.chunks_exact_mut(dim)) {
                let (node, lane) = (row / lanes, row % lanes);
                let pairs: Vec<Key> = self.keys[node].iter().skip(lane).step_by(lanes).cloned().collect();
                if let Err(error) = noise.add_simulated(node, &own[row], &pairs, stream, vector) {
                    failure.get_or_init(|| error);
                }
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }

    /// The noise for an own standard deviation of `sigma`.
    fn scaled(&self, sigma: f64) -> Result<PairwiseNoise, MechanismError> {
        let PairwiseNoise { pair, neighbours, .. } = &self.unit;
        let pair = Gaussian::new(sigma * pair.sigma())?;
        Ok(PairwiseNoise { own: Gaussian::new(sigma)?, pair, neighbours: neighbours.clone() })
    }
}
