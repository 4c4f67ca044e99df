//! What a kind of algorithm says of itself, before and after its keys were checked.

use std::fmt::Debug;
use std::sync::Arc;

use dido_geometry::Set;
use dido_mechanisms::{Adjacency, Budget, MechanismError, Public};
use dido_optimizers::{Algorithm, Declaration, Noise, Sampling, Schedule};

use super::Checks;
use crate::error::ExperimentError;
use crate::spec::Spec;
use crate::theory::Facts;

/// What kinds of experiments an algorithm takes. The others are refused: see [`Takes::LEAST`].
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// Whether it has a step for a regulariser.
    pub regulariser: bool,
    /// On which sequences of weights it is right.
    pub sequences: Sequences,
    /// The adjacencies for which its sensitivity is known.
    pub adjacencies: &'static [Adjacency],
}

impl Takes {
    /// No regulariser, the same weights in every round with everyone awake, replaced records and nodes.
    pub const LEAST: Self = Self {
        regulariser: false,
        sequences: Sequences::None,
        adjacencies: &[Adjacency::ReplaceRecord, Adjacency::ReplaceNode],
    };
}

/// Weights that change from round to round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sequences {
    /// None of them.
    None,
    /// Those in which everyone is awake in every round.
    Awake,
    /// All of them.
    Any,
}

/// The keys of an algorithm in a file.
pub trait Kind {
    /// What kinds of experiments it takes.
    const TAKES: Takes;

    /// Checks every value.
    ///
    /// # Errors
    /// Names the first key at fault.
    fn check(&self, checks: &Checks<'_>) -> Result<Arc<dyn Method>, ExperimentError>;
}

/// How the mean of all points moves: `x(t+1) = x(t) - step(t) g(t) + noise`.
#[derive(Clone, Copy, Debug)]
pub struct Descent<'a> {
    /// `step(t)`.
    pub step: &'a Schedule,
    /// What becomes of the noise of a release.
    pub enters: Enters<'a>,
    /// The round whose point is the first to enter the answer; the answer is the last point if nothing is said.
    pub average_from: Option<u32>,
}

/// What the noise of a release is multiplied with before it enters the mean of all points.
#[derive(Clone, Copy, Debug)]
pub enum Enters<'a> {
    /// 1: it is added to the point.
    Point,
    /// The step: it is added to the gradient.
    Gradient,
    /// How much a party listens.
    Coupled(&'a Schedule),
}

impl Enters<'_> {
    /// The factor in round `t`.
    pub fn factor(self, step: &Schedule, t: u32) -> f64 {
        match self {
            Self::Point => 1.0,
            Self::Gradient => step.at(t),
            Self::Coupled(coupling) => coupling.at(t),
        }
    }
}

/// An algorithm whose values were checked.
pub trait Method: Debug + Send + Sync {
    /// The algorithm at its starting point; `zeros` is the origin for every node and lane.
    fn build(&self, spec: &Spec, zeros: Public) -> Box<dyn Algorithm>;

    /// What is released, in one line.
    fn released(&self) -> String;

    /// The step sizes: what a gradient is multiplied with when it moves a point.
    fn step(&self) -> Option<&Schedule> {
        None
    }

    /// What a gradient is multiplied with before it is released: the step, if it is not released as it is.
    fn step_of_release(&self) -> Option<&Schedule> {
        self.step()
    }

    /// What takes the place of step sizes, in words.
    fn in_place_of_step(&self) -> Option<String> {
        None
    }

    /// The set of the points: the whole space where there is none.
    fn set(&self) -> &Set {
        &Set::Whole
    }

    /// The norm to which gradients of nodes are clipped, if they are.
    fn clip(&self) -> Option<f64> {
        None
    }

    /// The norm to which the gradient of each record is clipped, if it is.
    fn record_clip(&self) -> Option<f64> {
        None
    }

    /// The noise that neighbours share, in multiples of a node's own.
    fn shared_noise(&self) -> Option<f64> {
        None
    }

    /// Which records a node looks at.
    fn sampling(&self) -> Sampling {
        Sampling::All
    }

    /// Whether the nodes release something in this round.
    fn releases_in(&self, _round: u32) -> bool {
        true
    }

    /// Coordinates of what is released, for points of `dim`.
    fn released_coordinates(&self, dim: usize) -> usize {
        dim
    }

    /// What the sensitivity of the release of a round is proportional to: how optimal noise is spread follows from it.
    fn relative_sensitivity(&self, round: u32) -> f64 {
        self.step_of_release().map_or(1.0, |step| step.at(round))
    }

    /// The least Gaussian noise that keeps a budget, where that does not follow from a sensitivity.
    fn least_noise(&self, _spec: &Spec, _budget: Budget) -> Option<Result<f64, MechanismError>> {
        None
    }

    /// How the sensitivity follows from what is declared, where it is not that of a gradient.
    fn sensitivity_in_words(&self, _spec: &Spec) -> Option<String> {
        None
    }

    /// Where the noise goes, where it is not added to what is released: its scale is that of the plan.
    fn noise_in_words(&self) -> Option<&'static str> {
        None
    }

    /// Whether what is released has a finite sensitivity, so that noise can hide it.
    fn is_bounded(&self, declaration: &Declaration, adjacency: Adjacency) -> bool {
        let widths = || declaration.l2_by_class(adjacency, self.set().radius());
        self.clip().or(self.record_clip()).is_some() || widths().iter().all(|width| width.is_finite())
    }

    /// What is wrong where it has not: a key, and the advice.
    fn unbounded(&self) -> (&'static str, &'static str) {
        (
            "algorithm.set",
            "the set is not bounded, so gradients of squared loss have no finite sensitivity on it: use a bounded set, a \
             loss of bounded slope, or noise.kind = \"none\"",
        )
    }

    /// The epsilon that a paper claims for a run with this noise, where its premises hold.
    fn published_epsilon(&self, _spec: &Spec, _noise: &Noise) -> Option<f64> {
        None
    }

    /// The theorem that bounds how far its estimate is from the optimum, if there is one.
    fn theorem(&self) -> Option<&'static str> {
        None
    }

    /// Its bounds, on the root mean square distance of the mean of all parties' estimates in the observed rounds, where its premises
    /// hold.
    fn error_bound(&self, _facts: &Facts<'_>) -> Option<Vec<f64>> {
        None
    }

    /// A bound on how far the objective is from its minimum after all rounds, in expectation, where its premises hold. With
    /// `agreed` what it would be if the parties always agreed, which is an estimate.
    fn gap_bound(&self, _facts: &Facts<'_>, _agreed: bool) -> Option<f64> {
        None
    }

    /// How the mean of the parties' points moves, if as in gradient descent on the mean of their objectives.
    fn descent(&self) -> Option<Descent<'_>> {
        None
    }

    /// Averages in a round, each of which takes a message along every edge in both directions.
    fn exchanges(&self) -> u32 {
        1
    }

    /// Whether a node looks at a secret sample of its records in place of all.
    fn is_sampled(&self) -> bool {
        self.sampling() != Sampling::All
    }
}
