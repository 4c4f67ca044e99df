//! What a plan, a run and its trace say: the values behind the printed text, the JSON and the report.

use dido_mechanisms::Grid;
use serde::{Deserialize, Serialize};

use crate::config::BoundsConfig;

mod facts;
mod trace;

pub use crate::resources::Resources;
pub use facts::{Accounting, Seeds, Timing, Versions};
pub use trace::{Band, Better, Measured, Observation, Trace};

/// The plan of a run, made without touching data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the experiment.
    pub name: String,
    /// Digest of its specification; also the name of its result folder.
    pub digest: String,
    /// The algorithm, as the TOML names it.
    pub algorithm: String,
    /// Number of parties.
    pub nodes: usize,
    /// Who talks to whom.
    pub graph: PlannedGraph,
    /// Rounds with a release.
    pub rounds: u32,
    /// The rounds of the file, of which the budget pays for as many as it can: those are the `rounds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds_asked: Option<u32>,
    /// The rule by which the run may end before its last round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Independent repetitions on the same data.
    pub lanes: usize,
    /// Rounds of plain averaging after the last release (no cost).
    pub averaging_rounds: u32,
    /// How often each node releases something.
    pub releases_per_node: u64,
    /// What is released, in one line.
    pub released: String,
    /// To whom it goes, in one line.
    pub recipients: String,
    /// The neighbouring relation, in the TOML's spelling.
    pub adjacency: String,
    /// The same in words.
    pub adjacency_in_words: String,
    /// How records come to their parties, and what a replaced record keeps.
    pub assignment: String,
    /// Who looks, in the TOML's spelling.
    pub adversary: String,
    /// The same in words.
    pub adversary_in_words: String,
    /// The sensitivity of a release: the largest over rounds and nodes.
    pub sensitivity: PlannedSensitivity,
    /// `laplace`, `gaussian`, the same with `discrete-`, or `none`.
    pub mechanism: String,
    /// The exponent `k` of the grid of step `2^k`, where noise is discrete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
    /// Where the noise goes, where it is not added to what is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_in_words: Option<String>,
    /// Scale of the noise in each release, in order.
    pub noise: Vec<f64>,
    /// Step size of each round; empty where there is none, as for dual averaging.
    pub step: Vec<f64>,
    /// What takes the place of step sizes: how dual averaging weighs gradients and distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dual_weights: Option<String>,
    /// Loss and regulariser, where they are not plain squared error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// The delta of the epsilon by zCDP.
    pub delta: f64,
    /// Epsilon of one lane, by several accountings.
    pub epsilon: Epsilons,
    /// Epsilon of all lanes together: they are computed from the same data.
    pub epsilon_all_lanes: Epsilons,
    /// The accountant that the file chose for the budget; absent where it chose none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accountant: Option<String>,
    /// The budget, of one lane, that refuses what would exceed it.
    pub budget: Option<PlannedBudget>,
    /// What the run takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// What may go wrong, as public numbers show before the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Remarks: how parameters were chosen, what to be aware of.
    pub remarks: Vec<String>,
    /// Where bounds, levels and counts come from.
    #[serde(default, skip_serializing_if = "BoundsConfig::is_declared")]
    pub bounds: BoundsConfig,
}

impl Plan {
    /// Why nothing is promised, if nothing is. All that speaks of privacy asks here.
    pub fn not_private(&self) -> Option<&'static str> {
        if self.bounds == BoundsConfig::FromData {
            return Some(
                "NON-PRIVATE: bounds, levels or counts were read off the records (data.bounds = \"from-data\"), so no epsilon of \
                 this experiment is a guarantee.",
            );
        }
        (self.mechanism == "none").then_some("NON-PRIVATE: no noise was added, so nothing in these files is private.")
    }
}

/// Who talks to whom, and how fast that averages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedGraph {
    /// The family, or `matrix` for the graph of a matrix.
    pub family: String,
    /// Its options, as the TOML has them; empty if there are none.
    pub options: String,
    /// Number of edges.
    pub edges: usize,
    /// The weight rule.
    pub weights: String,
    /// How the weights change from round to round, if they do.
    pub sequence: Option<String>,
    /// What a round shrinks disagreement by; absent where it is not known.
    pub lambda: Option<f64>,
    /// `1 - lambda`.
    pub gap: Option<f64>,
    /// In which sense, or why it is absent.
    pub lambda_in_words: String,
}

/// A sensitivity and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedSensitivity {
    /// The bound; absent when there is none (a run without noise on an unbounded set), or it is one of the objective.
    pub value: Option<f64>,
    /// Its norm, `L1` or `L2`.
    pub norm: String,
    /// The same in L1.
    pub l1: Option<f64>,
    /// Its derivation in one line.
    pub derivation: String,
}

/// Epsilon by several accountings; absent where an accounting does not apply or the value is infinite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epsilons {
    /// The constant of the paper, pure: loose, for comparison.
    pub published: Option<f64>,
    /// The exact sum of pure losses (delta = 0).
    pub pure: Option<f64>,
    /// By zCDP with the optimal conversion, at the plan's delta.
    pub zcdp: Option<f64>,
    /// By Rényi divergences, at the plan's delta, where zCDP does not cover the noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rdp: Option<f64>,
    /// The least of all accountings, at the plan's delta; absent where too many different releases would take too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Tightest>,
}

/// The least epsilon, and the accountant that found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tightest {
    /// Epsilon.
    pub epsilon: f64,
    /// The name of the accountant.
    pub method: String,
}

/// A total budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedBudget {
    /// Epsilon.
    pub epsilon: f64,
    /// Delta; 0 for pure differential privacy.
    pub delta: f64,
}

/// How well a model predicts people it has not seen. Computed from records: not covered by the guarantee.
///
/// A figure that overflows is the worst number there is: [`f64::MIN`] or [`f64::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Score {
    /// Of predicted numbers.
    Regression {
        /// Coefficient of determination on the held-out records.
        r2: f64,
        /// Root mean squared error in the units of the target.
        rmse: f64,
    },
    /// Of predicted classes.
    Classes {
        /// The share of the held-out records whose class is predicted; a prediction of 0 is none.
        accuracy: f64,
        /// The mean loss of the held-out records.
        loss: f64,
    },
}

impl Score {
    /// The figure of which more is better: R^2 or accuracy.
    pub fn merit(self) -> f64 {
        match self {
            Self::Regression { r2, .. } => r2,
            Self::Classes { accuracy, .. } => accuracy,
        }
    }

    /// The figure of which less is better: RMSE or the mean loss.
    pub fn error(self) -> f64 {
        match self {
            Self::Regression { rmse, .. } => rmse,
            Self::Classes { loss, .. } => loss,
        }
    }

    /// A score of the same kind with these figures.
    #[must_use]
    pub fn with(self, merit: f64, error: f64) -> Self {
        match self {
            Self::Regression { .. } => Self::Regression { r2: merit, rmse: error },
            Self::Classes { .. } => Self::Classes { accuracy: merit, loss: error },
        }
    }
}

/// The objective on the training records, the mean loss of a record plus the regulariser. Computed from records: not
/// covered by the guarantee.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveValues {
    /// At the model of the run, of the party that fares worst; the mean over lanes.
    pub private: f64,
    /// At the optimum.
    pub optimum: f64,
    /// The objective is nowhere lower than the optimum by more than this, where that is proved.
    pub gap: Option<f64>,
    /// At the minimiser of the party that does best with its own records alone: of least value here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_alone: Option<f64>,
    /// The same for the median party; of an even number, the mean of the middle two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_alone: Option<f64>,
}

/// A theorem's bound on the distance of the mean estimate from the optimum, relative to the optimum, as root mean square over the
/// noise. It knows the data: not covered by the guarantee.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBound {
    /// The theorem.
    pub theorem: String,
    /// The distance at the end of the run, in the mean over lanes.
    pub measured: f64,
    /// Completed rounds and the bound after them.
    pub points: Vec<(u32, f64)>,
}

/// The private model and what it should be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The model of the run, at the party that fares worst; the mean over lanes.
    pub private: Score,
    /// The optimum on all training records together, without privacy.
    pub optimum: Score,
    /// The best party that uses its own records alone, without privacy.
    pub best_alone: Score,
    /// The median party alone; of an even number, the mean of the middle two.
    pub median_alone: Score,
    /// The mean of the training targets for everyone, or their more frequent class.
    pub constant: Score,
    /// The objective, where it is not plain squared error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<ObjectiveValues>,
}

/// One coefficient in original units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// What it multiplies: a column, a level of a column, or the intercept.
    pub name: String,
    /// In the private model (lane 0).
    pub private: f64,
    /// In the non-private optimum: not covered by the guarantee.
    pub optimum: f64,
}

/// Values outside their public bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clipped {
    /// The column.
    pub column: String,
    /// How many values were moved to the bound: not private.
    pub count: usize,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the experiment.
    pub name: String,
    /// Digest of its specification.
    pub digest: String,
    /// What made it.
    pub versions: Versions,
    /// The folder of its results, where they lie now: known to whoever opens it, and not stored in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub results: String,
    /// Why nothing is promised, if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub non_private: Option<String>,
    /// Number of parties.
    pub nodes: usize,
    /// Who talks to whom.
    pub graph: PlannedGraph,
    /// Rounds with a release that were run.
    pub rounds: u32,
    /// Those that were planned, and that the guarantee allows for.
    pub planned_rounds: u32,
    /// Rounds of plain averaging afterwards.
    pub averaging_rounds: u32,
    /// Messages along an edge, one way, that a lane took in all rounds.
    pub messages: u64,
    /// Bytes of the numbers in them.
    pub bytes: u64,
    /// Independent repetitions on the same data.
    pub lanes: usize,
    /// Where randomness comes from.
    pub seeds: Seeds,
    /// The neighbouring relation.
    pub adjacency: String,
    /// Who looks.
    pub adversary: String,
    /// The delta of the epsilon by zCDP.
    pub delta: f64,
    /// Epsilon of one lane, by several accountings, from the ledger of the plan, which the run keeps to.
    pub epsilon: Epsilons,
    /// Epsilon if the results of all lanes are shown, as `model.json` does.
    pub epsilon_all_lanes: Epsilons,
    /// Epsilon of one lane by every accountant.
    pub accountings: Vec<Accounting>,
    /// Scores on held-out records.
    pub metrics: Metrics,
    /// Every metric of the models that `model.json` holds, with bands over lanes.
    pub measured: Vec<Measured>,
    /// What a theorem allows, where one applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<ErrorBound>,
    /// The score of each lane, at the party that fares worst.
    pub lane_scores: Vec<Score>,
    /// The largest distance of a party's model from the mean of all models.
    pub consensus_error: f64,
    /// Coefficients in original units.
    pub coefficients: Vec<Coefficient>,
    /// Number of training records of each party (declared, public).
    pub records: Vec<usize>,
    /// Number of held-out records; absent where records are added or removed, which it would give away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<usize>,
    /// Values outside their bounds, by column: not private.
    pub clipped: Vec<Clipped>,
    /// All that a clock says.
    pub timing: Timing,
    /// The keys of this summary that are computed from records without noise: the guarantee does not cover them.
    pub not_covered: Vec<String>,
}

/// One observed round in the mean over lanes, as pictures show it: see [`Trace::curve`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Completed rounds.
    pub round: u32,
    /// Epsilon spent so far, by zCDP or, where that does not cover the noise, Rényi divergences; absent where it is
    /// infinite.
    pub epsilon: Option<f64>,
    /// R^2 or accuracy of the estimate (mean over parties and lanes) on held-out records: not private.
    pub merit: f64,
    /// Distance of the mean estimate from the optimum, relative to the optimum (mean over lanes): not private. The largest
    /// number where it overflows.
    pub distance: f64,
    /// The largest distance of a party's estimate from the mean estimate (lanes: the largest).
    pub consensus_error: f64,
}
