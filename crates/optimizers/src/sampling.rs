//! Which records a node looks at in a round, and how much each of them can say.

use std::sync::Arc;

use dido_mechanisms::{Adjacency, MechanismError, Private, Public, Sampling as Scheme};

use crate::{Declaration, Node, Stop};

/// Which records take part in a round. Whatever is drawn is drawn in secret, by every node, lane and round afresh.
///
/// | sampling | what a node computes | records are | event |
/// |---|---|---|---|
/// | [`All`](Self::All) | its gradient | any | of the noise |
/// | [`OneRecord`](Self::OneRecord) | `n` times the gradient of one | replaced | one of `n` |
/// | [`Records`](Self::Records) | `n / k` times the sum over `k` | replaced | `k` of `n`, without replacement |
/// | [`Poisson`](Self::Poisson) | `1 / rate` times the sum over those drawn | added or removed | Poisson sampling |
/// | [`HiddenOneRecord`](Self::HiddenOneRecord) | that of one record, or zero | replaced | one of `n` at a rate `iota / n` |
///
/// All but the last are unbiased estimates of the gradient; the last has `iota` times the gradient as its mean. Other relations
/// are refused, but for one: where a whole node is replaced, so are all records of a sample of fixed size, and the event is that
/// of the noise, without amplification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampling {
    /// All records of all nodes that are awake.
    All,
    /// One uniformly random record of each node that is awake: the gradient of its loss, multiplied with the number of
    /// records, is an unbiased estimate of the full gradient.
    OneRecord,
    /// So many different records of each node that is awake, every set of them as likely as any other.
    Records(usize),
    /// Each record of each node that is awake by a coin of its own, with this probability in `(0, 1]`. How many there are
    /// differs from round to round, and is a secret.
    Poisson(f64),
    /// One uniformly random record of a node whose secret coin, of this probability `iota` in `(0, 1]`, says so; of the others
    /// none, and what they release is noise around zero. Every node sends in every round, so nobody sees the coin: the release
    /// is accounted at a rate of `iota / n`, against
    /// [`Adversary::HiddenActivation`](dido_mechanisms::Adversary::HiddenActivation) only. The network must not depend on the
    /// coin; it cannot, as it is not told.
    HiddenOneRecord(f64),
}

/// What is scaled down to a length, so that a gradient has a finite sensitivity wherever it is taken. It changes the problem
/// where it bites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clip {
    /// The gradient of every record for itself, before the weighting: what DP-SGD does. A record that is replaced moves the
    /// sum by `2 C s`, one that is added or removed by `C s`.
    Record(f64),
    /// The gradient of a node as a whole, which moves by `2 C` then, whatever becomes of its records.
    Gradient(f64),
}

impl Clip {
    /// The gradient at `x`, clipped if there is a clip.
    ///
    /// # Errors
    /// As [`Node::gradient`] and [`Node::clipped_gradient`].
    pub fn gradient<'r>(
        clip: Option<Self>,
        node: &mut Node<'r>,
        x: &Public,
        batch: dido_mechanisms::Batch<'r>,
    ) -> Result<Private<'r>, Stop> {
        match clip {
            None => node.gradient(x, batch),
            Some(Self::Record(norm)) => node.record_clipped_gradient(x, batch, norm),
            Some(Self::Gradient(norm)) => node.clipped_gradient(x, batch, norm),
        }
    }
}

impl Sampling {
    /// The expected share of the gradient that a node sees in a round: that of a coin which says whether it looks at all.
    pub fn activation(self) -> f64 {
        if let Self::HiddenOneRecord(activation) = self { activation } else { 1.0 }
    }

    /// What the sum over the sample is multiplied with, of a node that declares `records` records.
    pub fn weight(self, records: usize) -> f64 {
        match self {
            Self::All => 1.0,
            Self::OneRecord | Self::HiddenOneRecord(_) => records as f64,
            Self::Records(count) => records as f64 / count as f64,
            Self::Poisson(rate) => 1.0 / rate,
        }
    }

    /// The most records of a sample of `records`.
    pub fn most(self, records: usize) -> usize {
        match self {
            Self::All | Self::Poisson(_) => records,
            Self::OneRecord | Self::HiddenOneRecord(_) => 1,
            Self::Records(count) => count.min(records),
        }
    }

    /// What a batch says. How records were chosen is decided by the parties, and so a batch of another make is read as the
    /// order to choose them in this way.
    pub(crate) fn of(batch: Option<&Arc<[Scheme]>>) -> Self {
        match batch.and_then(|schemes| schemes.first()) {
            None => Self::All,
            Some(&Scheme::Poisson { rate }) => Self::Poisson(rate),
            Some(&Scheme::WithoutReplacement { batch, .. }) => {
                Self::Records(usize::try_from(batch).unwrap_or(usize::MAX))
            }
            Some(&Scheme::HiddenOneOf { activation, .. }) => Self::HiddenOneRecord(activation),
            Some(Scheme::OneOf { .. } | Scheme::VisibleOneOf { .. }) => Self::OneRecord,
        }
    }

    /// How it is accounted for, by class of nodes.
    ///
    /// # Errors
    /// If it hides nothing under this relation, a probability is out of range, or a node has fewer records than are drawn.
    pub(crate) fn schemes(self, declaration: &Declaration, adjacency: Adjacency) -> Result<Arc<[Scheme]>, Stop> {
        self.check(declaration, adjacency)?;
        // Where all records of a node are replaced, so are those that are looked at, whichever they are.
        let population = |records: usize, looked_at: usize| {
            if adjacency == Adjacency::ReplaceNode { looked_at as u64 } else { records as u64 }
        };
        let scheme = |&records: &usize| match self {
            Self::All => Scheme::WithoutReplacement { batch: records as u64, population: records as u64 },
            Self::OneRecord => Scheme::OneOf { population: population(records, 1) },
            Self::Records(count) => {
                Scheme::WithoutReplacement { batch: count as u64, population: population(records, count) }
            }
            Self::Poisson(rate) => Scheme::Poisson { rate },
            Self::HiddenOneRecord(activation) => Scheme::HiddenOneOf { activation, population: records as u64 },
        };
        Ok(declaration.class_records().iter().map(scheme).collect())
    }

    /// Whether it can be accounted for.
    ///
    /// # Errors
    /// If it hides nothing under this relation, a probability is out of range, or a node has fewer records than are drawn.
    pub fn check(self, declaration: &Declaration, found: Adjacency) -> Result<(), Stop> {
        let (sampling, expected) = match self {
            Self::All => return Ok(()),
            Self::OneRecord | Self::Records(_) => ("sampling of a fixed size", Adjacency::ReplaceRecord),
            Self::HiddenOneRecord(_) => ("hidden activation", Adjacency::ReplaceRecord),
            Self::Poisson(_) => ("Poisson sampling", Adjacency::AddRemoveRecord),
        };
        let whole_node = found == Adjacency::ReplaceNode && matches!(self, Self::OneRecord | Self::Records(_));
        if found != expected && !whole_node {
            return Err(MechanismError::Sampling { sampling, expected, found }.into());
        }
        match self {
            Self::Poisson(rate) if !(rate > 0.0 && rate <= 1.0) => Err(Stop::Rate(rate)),
            Self::HiddenOneRecord(iota) if !(iota > 0.0 && iota <= 1.0) => Err(MechanismError::Activation(iota).into()),
            Self::Records(count) => {
                let short = declaration.records().iter().position(|&records| count == 0 || records < count);
                short.map_or(Ok(()), |node| Err(Stop::Sample { node, count, records: declaration.records()[node] }))
            }
            _ => Ok(()),
        }
    }
}
