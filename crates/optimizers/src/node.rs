//! The node as an algorithm sees it: the verbs of one round.

use std::sync::Arc;

use dido_mechanisms::{
    Batch, DiscreteGaussian, DiscreteLaplace, Gaussian, Grid, Laplace, Mechanism, MechanismError, Private, Public,
};

use crate::{Network, Parties, Sampling, Schedule, Stop};

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
    /// Discrete Laplace noise on a grid, exact: what leaves is a multiple of the step of the grid, and the scale, indexed as
    /// above, is rounded up to one. Every value that leaves carries a proved bound on its rounding; where there is none, as
    /// after the projection of private values on most sets, the release is refused.
    DiscreteLaplace {
        /// In the units of what leaves.
        scale: Schedule,
        /// Of all that leaves.
        grid: Grid,
    },
    /// Discrete Gaussian noise on a grid, exact in the same way.
    DiscreteGaussian {
        /// The standard deviation, nearly, in the units of what leaves.
        sigma: Schedule,
        /// Of all that leaves.
        grid: Grid,
    },
}

impl Noise {
    /// The scale of each message, if there is noise: `b` of Laplace noise, `sigma` of Gaussian noise.
    pub fn schedule(&self) -> Option<&Schedule> {
        match self {
            Self::None => None,
            Self::Laplace(schedule)
            | Self::Gaussian(schedule)
            | Self::DiscreteLaplace { scale: schedule, .. }
            | Self::DiscreteGaussian { sigma: schedule, .. } => Some(schedule),
        }
    }

    /// The grid of all that leaves, if the noise is on one.
    pub fn grid(&self) -> Option<Grid> {
        match self {
            Self::DiscreteLaplace { grid, .. } | Self::DiscreteGaussian { grid, .. } => Some(*grid),
            Self::None | Self::Laplace(_) | Self::Gaussian(_) => None,
        }
    }

    /// The name of the mechanism, as files spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Laplace(_) => "laplace",
            Self::Gaussian(_) => "gaussian",
            Self::DiscreteLaplace { .. } => "discrete-laplace",
            Self::DiscreteGaussian { .. } => "discrete-gaussian",
        }
    }

    /// The mechanism of the release in round `t`. The value says itself how far rounding has carried it.
    pub(crate) fn mechanism(&self, t: u32) -> Result<Mechanism, Stop> {
        Ok(match self {
            Self::None => Mechanism::None,
            Self::Laplace(scale) => Mechanism::Laplace(Laplace::new(scale.at(t + 1))?),
            Self::Gaussian(sigma) => Mechanism::Gaussian(Gaussian::new(sigma.at(t + 1))?),
            Self::DiscreteLaplace { scale, grid } => {
                Mechanism::DiscreteLaplace { noise: DiscreteLaplace::new(scale.at(t + 1), *grid)?, float_error: 0.0 }
            }
            Self::DiscreteGaussian { sigma, grid } => {
                Mechanism::DiscreteGaussian { noise: DiscreteGaussian::new(sigma.at(t + 1), *grid)?, float_error: 0.0 }
            }
        })
    }

    /// What a stop may say: where a number overflowed is known from records, and noise is there to hide these.
    pub(crate) fn conceal(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Diverged { round, .. } | Stop::Mechanism(MechanismError::NonFinite { round, .. })
                if !matches!(self, Self::None) =>
            {
                Stop::Overflow { round }
            }
            stop => stop,
        }
    }

    /// The standard deviation of the noise in round `t`.
    fn deviation(&self, t: u32) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Laplace(scale) | Self::DiscreteLaplace { scale, .. } => std::f64::consts::SQRT_2 * scale.at(t + 1),
            Self::Gaussian(sigma) | Self::DiscreteGaussian { sigma, .. } => sigma.at(t + 1),
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
    /// If the network does not say who is awake; if the sample hides nothing of what the gate protects, or there are not so
    /// many records.
    pub fn sample(&mut self, sampling: Sampling) -> Result<Batch<'r>, Stop> {
        let awake = self.awake()?;
        self.parties.batch(sampling, awake)
    }

    /// The gradient of every node's own objective at its own point, or an estimate of it from the records of the batch:
    /// the one verb that looks at data. It is zero for nodes that are asleep.
    ///
    /// Its sensitivity is that of the declared bounds at points no longer than `x.radius()`.
    ///
    /// # Errors
    /// If a number of the gradient is not finite, or its sensitivity is not although noise is to hide the data.
    pub fn gradient(&mut self, x: &Public, batch: Batch<'r>) -> Result<Private<'r>, Stop> {
        if !matches!(self.noise, Noise::None) && !self.parties.is_bounded(&batch, x.radius()) {
            return Err(Stop::Unbounded { round: self.round });
        }
        self.look(x, batch, f64::INFINITY)
    }

    /// As [`gradient`](Self::gradient), with every gradient longer than `norm` scaled down to it. That bounds the sensitivity by
    /// `2 norm` at any point, and changes the problem where it bites.
    ///
    /// # Errors
    /// If a number of the gradient is not finite, or `norm` is not positive.
    pub fn clipped_gradient(&mut self, x: &Public, batch: Batch<'r>, norm: f64) -> Result<Private<'r>, Stop> {
        Ok(self.look(x, batch, f64::INFINITY)?.clip(norm)?)
    }

    /// As [`gradient`](Self::gradient), with the gradient of every record that is longer than `norm` scaled down to it, before
    /// it is weighted. At any point the sensitivity is at most `2 norm` times the weight where a record is replaced, and
    /// `norm` times the weight where one is added or removed.
    ///
    /// # Errors
    /// If a number of the gradient is not finite, or `norm` is not positive and finite.
    pub fn record_clipped_gradient(&mut self, x: &Public, batch: Batch<'r>, norm: f64) -> Result<Private<'r>, Stop> {
        if !(norm > 0.0 && norm.is_finite()) {
            return Err(MechanismError::Bound { name: "clipping norm", value: norm }.into());
        }
        self.look(x, batch, norm)
    }

    fn look(&mut self, x: &Public, batch: Batch<'r>, clip: f64) -> Result<Private<'r>, Stop> {
        let found = self.parties.gradient(self.round, x, batch, clip, self.noise.grid());
        found.map_err(|stop| self.noise.conceal(stop))
    }

    /// Lets a value out: charges the budget, writes the ledger, draws the noise. What a node that sleeps holds is the public
    /// part of the value, and stays as it is.
    ///
    /// # Errors
    /// If the budget would be overspent: then nothing has left. If a number of the value is not finite; where is said only
    /// in runs without noise.
    pub fn release(&mut self, value: Private<'r>) -> Result<Public, Stop> {
        let mechanism = self.noise.mechanism(self.round)?;
        let released = self.parties.gate.release(self.round, mechanism, value);
        released.map_err(|error| self.noise.conceal(error.into()))
    }

    /// As [`release`](Self::release), but `keep` times the noise in the latest message of each node is taken out of its value
    /// first: of a value that contains `keep` times that message nothing of its noise is left. How far earlier data moved
    /// that message counts again, `keep` times. See [`Gate::release_carrying`](dido_mechanisms::Gate::release_carrying).
    ///
    /// # Errors
    /// As [`release`](Self::release), and if `keep` is not in `[0, 1]` or records are sampled.
    pub fn release_carrying(&mut self, value: Private<'r>, keep: f64) -> Result<Public, Stop> {
        let mechanism = self.noise.mechanism(self.round)?;
        let released = self.parties.gate.release_carrying(self.round, mechanism, value, keep);
        released.map_err(|error| self.noise.conceal(error.into()))
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
            self.network.spent(self.parties.gate().ledger());
            self.network
                .average(self.round, value.rows_mut())
                .map_err(|source| Stop::Network { round: self.round, source })?;
        }
        Ok(())
    }
}
