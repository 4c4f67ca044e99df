//! What the checks of several algorithms share.

use dido_geometry::{Affine, Box as BoxSet, HalfSpace, Intersection, L1Ball, L2Ball, Set, Simplex};
use dido_optimizers::{Declaration, Sampling, Schedule, Stop};
use dido_problems::Regulariser;
use dido_topology::MixingMatrix;

use super::{Sequences, those_that};
use crate::config::algorithm::SamplingConfig;
use crate::config::{Config, SetConfig, WeightingConfig};
use crate::error::ExperimentError;
use crate::spec::At;

/// An experiment whose `[algorithm]` is being checked; everything but that and `[privacy]` is valid already.
pub struct Checks<'a> {
    /// Makes errors that name a key.
    pub at: &'a At<'a>,
    /// The whole file.
    pub config: &'a Config,
    /// What the parties declare.
    pub declaration: &'a Declaration,
    /// The mixing weights of rounds that are all alike.
    pub weights: &'a MixingMatrix,
}

impl Checks<'_> {
    /// Whether the algorithm takes the rest of the experiment.
    pub(super) fn fits(&self) -> Result<(), ExperimentError> {
        let Self { at, config, .. } = self;
        let (name, takes) = (config.algorithm.name(), config.algorithm.takes());
        let regularised = config.objective.regulariser != Regulariser::none();
        let message = format!("it is for {} only", those_that(|takes| takes.regulariser));
        at.require("objective.regulariser", takes.regulariser || !regularised, message)?;
        let weighed = config.objective.weighting != WeightingConfig::Sum;
        let message = "sum counts every record against the regulariser: use pooled or node-mean";
        at.require("objective.weighting", weighed || !regularised, message)?;
        let needs = match &config.graph.sequence {
            None => Sequences::None,
            Some(sequence) if sequence.may_put_to_sleep() => Sequences::Any,
            Some(_) => Sequences::Awake,
        };
        let message = match takes.sequences {
            Sequences::None => format!("{name} is not right where weights change from round to round: leave it out"),
            _ => format!("{name} is not right where nodes sleep: use a sequence in which everyone is awake"),
        };
        at.require("graph.sequence", needs <= takes.sequences, message)
    }

    /// The step sizes at the key `step`.
    ///
    /// # Errors
    /// If they leave the positive numbers within the rounds.
    pub fn step(&self, step: &Schedule) -> Result<Schedule, ExperimentError> {
        self.at.check("algorithm.step", step.check(self.config.rounds))?;
        Ok(step.clone())
    }

    /// The value of a key that has to be finite and positive.
    ///
    /// # Errors
    /// If it is not.
    pub fn positive(&self, path: &str, value: f64) -> Result<f64, ExperimentError> {
        self.at.require(path, value > 0.0 && value.is_finite(), format!("{value} is not finite and positive"))?;
        Ok(value)
    }

    /// The length to which gradients are scaled down, at the key `clip`.
    ///
    /// # Errors
    /// If it is not finite and positive.
    pub fn clip(&self, clip: Option<f64>) -> Result<Option<f64>, ExperimentError> {
        clip.map(|clip| self.positive("algorithm.clip", clip)).transpose()
    }

    /// `mu` of the regulariser `(mu / 2) ||b||^2`, which the algorithm cannot do without.
    ///
    /// # Errors
    /// If there is another regulariser, or none.
    pub fn squared_l2(&self) -> Result<f64, ExperimentError> {
        let regulariser = &self.config.objective.regulariser;
        let mu = regulariser.strong_convexity();
        let plain = mu > 0.0 && *regulariser == self.at.check("objective.regulariser", Regulariser::squared_l2(mu))?;
        let name = self.config.algorithm.name();
        self.at.require("objective.regulariser", plain, format!("{name} needs one of kind squared-l2, with mu > 0"))?;
        Ok(mu)
    }

    /// The round whose release is the first to enter the answer.
    ///
    /// # Errors
    /// If `fraction`, the value of the key `average_from`, is not in `[0, 1)`.
    pub fn average_from(&self, fraction: f64) -> Result<u32, ExperimentError> {
        let in_range = (0.0..1.0).contains(&fraction);
        self.at.require("algorithm.average_from", in_range, format!("{fraction} is not in [0, 1)"))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of the rounds")]
        let average_from = (fraction * f64::from(self.config.rounds)).floor() as u32;
        Ok(average_from)
    }

    /// The sample at the key `sampling`.
    ///
    /// # Errors
    /// If it hides nothing under the adjacency, or a party has fewer records.
    pub fn sampling(&self, sampling: SamplingConfig) -> Result<Sampling, ExperimentError> {
        let sampling = sampling.into();
        self.at.check("algorithm.sampling", self.accounted(sampling))?;
        Ok(sampling)
    }

    /// Whether a sample can be accounted for under the adjacency of the experiment.
    pub(super) fn accounted(&self, sampling: Sampling) -> Result<(), Stop> {
        sampling.check(self.declaration, self.config.privacy.adjacency)
    }

    /// The length at a key such as `clip`, to which gradients are clipped.
    ///
    /// # Errors
    /// If it is not positive.
    pub fn length(&self, path: &str, length: f64) -> Result<f64, ExperimentError> {
        self.at.require(path, length > 0.0, format!("{length} is not positive"))?;
        Ok(length)
    }

    /// The set at the key `set`.
    ///
    /// # Errors
    /// If it is empty, or one of vectors of another length.
    pub fn set(&self, set: &SetConfig) -> Result<Set, ExperimentError> {
        self.set_at("algorithm.set", set)
    }

    /// The same where there may be none.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_or_whole(&self, set: Option<&SetConfig>) -> Result<Set, ExperimentError> {
        set.map_or(Ok(Set::Whole), |set| self.set(set))
    }

    fn set_at(&self, path: &str, config: &SetConfig) -> Result<Set, ExperimentError> {
        let (at, dim, radius) = (self.at, self.declaration.dim(), format!("{path}.radius"));
        let set: Set = match config.clone() {
            SetConfig::L2Ball(ball) => at.check(&radius, L2Ball::new(ball.radius))?.into(),
            SetConfig::Box(b) => at.check(path, BoxSet::new(b.lower, b.upper))?.into(),
            SetConfig::Simplex(simplex) => at.check(&radius, Simplex::new(simplex.radius))?.into(),
            SetConfig::L1Ball(ball) => at.check(&radius, L1Ball::new(ball.radius))?.into(),
            SetConfig::HalfSpace(half) => at.check(path, HalfSpace::new(half.normal, half.offset))?.into(),
            SetConfig::Affine(affine) => at.check(path, Affine::new(affine.rows, affine.offsets))?.into(),
            SetConfig::Intersection(all) => {
                let members = all.sets.iter().enumerate();
                let members = members.map(|(k, member)| self.set_at(&format!("{path}.sets[{k}]"), member));
                at.check(path, Intersection::new(dim, members.collect::<Result<_, _>>()?))?.into()
            }
        };
        match set.dim() {
            Some(prescribed) if prescribed != dim => {
                Err(at.key(path, format!("it is a set of {prescribed} coordinates, a row has {dim} coordinates")))
            }
            _ => Ok(set),
        }
    }
}
