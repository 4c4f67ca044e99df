//! The node as an algorithm sees it: the verbs of one round.

use std::sync::Arc;

use dido_mechanisms::{Batch, Gaussian, Laplace, Mechanism, Private, Public};

use crate::{Network, Parties, Schedule, Stop};

/// Which records take part in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// All records of all nodes that are awake.
    All,
    /// One uniformly random record of each node that is awake, drawn in secret and afresh in each round: the gradient of
    /// its loss, multiplied with the number of records, is an unbiased estimate of the full gradient.
    OneRecord,
}

/// The noise of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// None: nothing is private, and the ledger says so.
    None,
    /// Laplace noise whose scale in what leaves in round `t` is `scale.at(t + 1)`: the release of round `t` is the
    /// message `f(t + 1)`, and paper A indexes the noise by the message.
    Laplace(Schedule),
    /// Gaussian noise of standard deviation `sigma.at(t + 1)` in what leaves in round `t`, in the units of what leaves.
    Gaussian(Schedule),
}

impl Noise {
    /// The mechanism of the release in round `t`.
    pub(crate) fn mechanism(&self, t: u32) -> Result<Mechanism, Stop> {
        Ok(match self {
            Self::None => Mechanism::None,
            Self::Laplace(scale) => Mechanism::Laplace(Laplace::new(scale.at(t + 1))?),
            Self::Gaussian(sigma) => Mechanism::Gaussian(Gaussian::new(sigma.at(t + 1))?),
        })
    }

    /// The standard deviation of the noise in round `t`.
    fn deviation(&self, t: u32) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Laplace(scale) => std::f64::consts::SQRT_2 * scale.at(t + 1),
            Self::Gaussian(sigma) => sigma.at(t + 1),
        }
    }
}

/// The verbs of one round `'r`, for all nodes of this process at once.
pub struct Node<'r> {
    pub(crate) round: u32,
    pub(crate) parties: &'r mut Parties,
    pub(crate) network: &'r mut dyn Network,
    pub(crate) noise: &'r Noise,
}

impl<'r> Node<'r> {
    /// The number of the round, from 0.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Which nodes take part in this round; nothing if all do. Everybody knows.
    ///
    /// # Errors
    /// If the network does not say.
    pub fn awake(&mut self) -> Result<Option<Arc<[bool]>>, Stop> {
        let round = self.round;
        self.network.awake(round).map_err(|source| Stop::Network { round, source })
    }

    /// Decides which records take part: of the nodes that are awake in this round. The batch can be used for one look at
    /// the data.
    ///
    /// # Errors
    /// If the network does not say who is awake; if one record is to hide that a record is added or removed.
    pub fn sample(&mut self, sampling: Sampling) -> Result<Batch<'r>, Stop> {
        let awake = self.awake()?;
        Ok(match sampling {
            Sampling::All => Batch::all().of_nodes(awake),
            Sampling::OneRecord => self.parties.one_record(awake)?,
        })
    }

    /// The gradient of every node's own objective at its own point, or an estimate of it from the records of the batch:
    /// the one verb that looks at data. It is zero for nodes that are asleep.
    ///
    /// Its sensitivity is that of the declared bounds at points no longer than `x.radius()`.
    ///
    /// # Errors
    /// If a number of the gradient is not finite, or its sensitivity is not although noise is to hide the data.
    pub fn gradient(&mut self, x: &Public, batch: Batch<'r>) -> Result<Private<'r>, Stop> {
        if !matches!(self.noise, Noise::None) && !self.parties.is_bounded(x.radius()) {
            return Err(Stop::Unbounded { round: self.round });
        }
        self.parties.gradient(self.round, x, batch)
    }

    /// As [`gradient`](Self::gradient), with every gradient longer than `norm` scaled down to it. That bounds the sensitivity by
    /// `2 norm` at any point, and changes the problem where it bites.
    ///
    /// # Errors
    /// If a number of the gradient is not finite, or `norm` is not positive.
    pub fn clipped_gradient(&mut self, x: &Public, batch: Batch<'r>, norm: f64) -> Result<Private<'r>, Stop> {
        Ok(self.parties.gradient(self.round, x, batch)?.clip(norm)?)
    }

    /// Lets a value out: charges the budget, writes the ledger, draws the noise. What a node that sleeps holds is the public
    /// part of the value, and stays as it is.
    ///
    /// # Errors
    /// If the budget would be overspent: then nothing has left. If a number of the value is not finite.
    pub fn release(&mut self, value: Private<'r>) -> Result<Public, Stop> {
        let mechanism = self.noise.mechanism(self.round)?;
        Ok(self.parties.gate.release(self.round, mechanism, value)?)
    }

    /// The gradient of all records at `x`, let out at once: `zeta = g + noise`. What an algorithm does with it afterwards is
    /// post-processing. Longer gradients than `clip`, if that is given, are scaled down to it first.
    ///
    /// # Errors
    /// As [`gradient`](Self::gradient) or [`clipped_gradient`](Self::clipped_gradient), and [`release`](Self::release).
    pub fn noisy_gradient(&mut self, x: &Public, clip: Option<f64>) -> Result<Public, Stop> {
        let all = self.sample(Sampling::All)?;
        let g = match clip {
            None => self.gradient(x, all)?,
            Some(norm) => self.clipped_gradient(x, all, norm)?,
        };
        self.release(g)
    }

    /// Refuses networks whose mixing weights change, or whose nodes sleep: for algorithms that are wrong on them.
    ///
    /// # Errors
    /// If the network is one of those.
    pub fn needs_fixed_weights(&self, algorithm: &'static str) -> Result<(), Stop> {
        if self.network.varies() { Err(Stop::Varying { algorithm }) } else { Ok(()) }
    }

    /// Refuses a round in which a node sleeps: for algorithms that look at data in that round only.
    ///
    /// # Errors
    /// If a node sleeps.
    pub fn needs_everyone(&mut self) -> Result<(), Stop> {
        let asleep = self.awake()?.and_then(|awake| awake.iter().position(|awake| !awake));
        asleep.map_or(Ok(()), |node| Err(Stop::Asleep { round: self.round, node }))
    }

    /// The standard deviation of the noise in each coordinate of what leaves in round `t`; 0 if there is none. It is public.
    pub fn noise_deviation(&self, t: u32) -> f64 {
        self.noise.deviation(t)
    }

    /// Replaces each value by the weighted sum over its node and neighbours: the only verb that talks.
    ///
    /// # Errors
    /// If the network fails.
    pub fn average(&mut self, values: &mut [&mut Public]) -> Result<(), Stop> {
        for value in values {
            self.network
                .average(self.round, value.rows_mut())
                .map_err(|source| Stop::Network { round: self.round, source })?;
        }
        Ok(())
    }
}
