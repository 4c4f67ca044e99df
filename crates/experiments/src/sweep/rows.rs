//! What is told of a cell.

use serde::{Deserialize, Deserializer, Serialize, de::Error};

use super::total::Total;
use super::{Assignment, Cell};
use crate::planning::Planned;
use crate::records::{Band, Epsilons, Score, Summary};

/// How a cell came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It can be run.
    Planned,
    /// Its result is there.
    Done,
    /// It does not check, cannot be planned, or stopped.
    Failed,
}

impl Status {
    /// Its name in the files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number, from 1.
    pub cell: usize,
    /// What it sets.
    pub values: Assignment,
    /// How it came out.
    pub status: Status,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of its specification, if it checks: the name of its result folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What follows from its plan.
    #[serde(flatten)]
    pub plan: Option<PlanFigures>,
    /// What its run found.
    #[serde(flatten)]
    pub result: Option<ResultFigures>,
}

/// The figures of a plan: public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanFigures {
    /// The algorithm, as the TOML names it.
    pub algorithm: String,
    /// Rounds with a release: as planned, or as run.
    pub rounds: u32,
    /// Repetitions.
    pub lanes: usize,
    /// `laplace`, `gaussian`, the same with `discrete-`, or `none`.
    pub mechanism: String,
    /// Whether nothing is promised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub non_private: bool,
    /// The largest scale of the noise.
    pub noise: Option<f64>,
    /// The delta of epsilon.
    pub delta: f64,
    /// Epsilon of one lane.
    pub epsilon: Epsilons,
    /// Epsilon of all lanes together.
    pub epsilon_all_lanes: Epsilons,
    /// What may go wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The figures of a result. Scores and gap are computed from records, and without noise all of them are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFigures {
    /// What merit and error are: `r2` and `rmse`, or `accuracy` and `loss`.
    #[serde(deserialize_with = "measure")]
    pub measure: [&'static str; 2],
    /// `R^2` or accuracy on held-out records, at the party that fares worst; the mean over lanes.
    pub merit: f64,
    /// Root mean squared error or mean loss.
    pub error: f64,
    /// The same figure over lanes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// The same figure of what a cell is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// The largest distance of a party's model from the mean of all models.
    pub consensus_error: f64,
    /// The objective above its optimum, where it is not plain squared error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective_gap: Option<f64>,
}

/// `R^2` or accuracy without privacy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Of the optimum of all records together.
    pub optimum: f64,
    /// Of the best party alone.
    pub best_alone: f64,
    /// Of a constant prediction.
    pub constant: f64,
}

/// What [`Row::done`] writes.
const MEASURES: [[&str; 2]; 2] = [["r2", "rmse"], ["accuracy", "loss"]];

fn measure<'de, D: Deserializer<'de>>(from: D) -> Result<[&'static str; 2], D::Error> {
    let found = <[String; 2]>::deserialize(from)?;
    let known = MEASURES.into_iter().find(|known| *known == found);
    known.ok_or_else(|| D::Error::custom(format!("no such measure: {}", found.join(" "))))
}

fn not_covered() -> [&'static str; 6] {
    NOT_COVERED
}

/// The keys of a row that the guarantee does not cover.
pub const NOT_COVERED: [&str; 6] = ["merit", "error", "band", "beside", "objective_gap", "reason, where a run stopped"];

/// The plan of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPlan {
    /// One for each cell.
    pub rows: Vec<Row>,
    /// What the cells that can be planned cost together.
    pub total: Total,
}

/// The result of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepSummary {
    /// Name of the experiment.
    pub name: String,
    /// Digest of the sweep; its folder is `sweep-DIGEST`.
    pub digest: String,
    /// The keys that are swept.
    pub keys: Vec<String>,
    /// Epsilon if all cells are published: they are computed from the same data.
    pub epsilon_all_cells: Total,
    /// The keys of a cell that are computed from records without noise; where the mechanism is `none`, all results are.
    #[serde(skip_deserializing, default = "not_covered")]
    pub not_covered: [&'static str; 6],
    /// One for each cell.
    pub cells: Vec<Row>,
}

impl Row {
    pub(super) fn failed(cell: &Cell, reason: String) -> Self {
        Self { status: Status::Failed, reason: Some(reason), ..Self::of(cell) }
    }

    pub(super) fn planned(cell: &Cell, planned: &Planned) -> Self {
        let plan = &planned.plan;
        let noise = plan.noise.iter().copied().reduce(f64::max);
        let figures = PlanFigures {
            algorithm: plan.algorithm.clone(),
            rounds: plan.rounds,
            lanes: plan.lanes,
            mechanism: plan.mechanism.clone(),
            non_private: plan.not_private().is_some(),
            noise,
            delta: plan.delta,
            epsilon: plan.epsilon.clone(),
            epsilon_all_lanes: plan.epsilon_all_lanes.clone(),
            warnings: plan.warnings.clone(),
        };
        Self { plan: Some(figures), ..Self::of(cell) }
    }

    pub(super) fn done(cell: &Cell, planned: &Planned, summary: &Summary) -> Self {
        let score = summary.metrics.private;
        let measure = match score {
            Score::Regression { .. } => MEASURES[0],
            Score::Classes { .. } => MEASURES[1],
        };
        let figures = ResultFigures {
            measure,
            merit: score.merit(),
            error: score.error(),
            band: Band::of(&summary.lane_scores.iter().map(|score| score.merit()).collect::<Vec<_>>()),
            beside: Some(Beside {
                optimum: summary.metrics.optimum.merit(),
                best_alone: summary.metrics.best_alone.merit(),
                constant: summary.metrics.constant.merit(),
            }),
            consensus_error: summary.consensus_error,
            objective_gap: summary.metrics.objective.map(|objective| objective.private - objective.optimum),
        };
        let mut row = Self { status: Status::Done, result: Some(figures), ..Self::planned(cell, planned) };
        if let Some(plan) = &mut row.plan {
            plan.rounds = summary.rounds;
        }
        row
    }

    fn of(cell: &Cell) -> Self {
        let (values, digest) = (cell.values.clone(), cell.digest().map(str::to_owned));
        Self { cell: cell.number, values, status: Status::Planned, reason: None, digest, plan: None, result: None }
    }

    /// What the cell sets, in one line: the last two parts of each path.
    pub fn setting(&self) -> String {
        let end = |path: &str| path.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
        let set = self.values.iter().map(|(path, value)| format!("{}={}", &path[end(path)..], plain(value)));
        set.collect::<Vec<_>>().join(", ")
    }
}

impl Epsilons {
    /// The least one there is; nothing where none is finite.
    pub(crate) fn least(&self) -> Option<f64> {
        let all = [self.best.as_ref().map(|best| best.epsilon), self.zcdp, self.rdp, self.pure];
        all.into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// A value as a cell of a table has it: a word without quotes.
pub(crate) fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The columns that follow the swept keys.
const COLUMNS: [&str; 19] = [
    "status",
    "reason",
    "digest",
    "rounds",
    "lanes",
    "measure",
    "merit",
    "error",
    "epsilon_published",
    "epsilon_pure",
    "epsilon_zcdp",
    "epsilon_rdp",
    "epsilon_best",
    "epsilon_all_lanes",
    "delta",
    "mechanism",
    "noise",
    "consensus_error",
    "objective_gap",
];

/// One line for each cell. An epsilon that is not bounded is `inf`, a figure that does not apply empty.
pub(super) fn csv<'a>(keys: &[String], rows: impl Iterator<Item = &'a Row>) -> String {
    let shown: Vec<usize> = (0..COLUMNS.len()).filter(|&k| keys.iter().all(|key| key != COLUMNS[k])).collect();
    let mut table = csv::Writer::from_writer(vec![]);
    let head = ["cell"].into_iter().chain(keys.iter().map(String::as_str)).chain(shown.iter().map(|&k| COLUMNS[k]));
    let written = table.write_record(head).and_then(|()| {
        rows.into_iter().try_for_each(|row| {
            let (values, figures) = (row.values.values().map(plain), figures(row));
            let cells = [row.cell.to_string()].into_iter().chain(values);
            table.write_record(cells.chain(shown.iter().map(|&k| figures[k].clone())))
        })
    });
    written.expect("a vector takes all that is written");
    let bytes = table.into_inner().expect("a vector takes all that is written");
    String::from_utf8(bytes).expect("text was written")
}

fn figures(row: &Row) -> [String; COLUMNS.len()] {
    let Row { status, reason, digest, plan, result, .. } = row;
    let unbounded = plan.as_ref().is_some_and(|plan| plan.non_private);
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let epsilon = |of: fn(&PlanFigures) -> Option<f64>| match plan {
        Some(_) if unbounded => "inf".to_owned(),
        plan => number(plan.as_ref().and_then(of)),
    };
    let word = |of: fn(&PlanFigures) -> String| plan.as_ref().map_or(String::new(), of);
    let found = |of: fn(&ResultFigures) -> Option<f64>| number(result.as_ref().and_then(of));
    [
        status.name().to_owned(),
        reason.clone().unwrap_or_default(),
        digest.clone().unwrap_or_default(),
        word(|plan| plan.rounds.to_string()),
        word(|plan| plan.lanes.to_string()),
        result.as_ref().map_or(String::new(), |found| found.measure.join(" ")),
        found(|found| Some(found.merit)),
        found(|found| Some(found.error)),
        epsilon(|plan| plan.epsilon.published),
        epsilon(|plan| plan.epsilon.pure),
        epsilon(|plan| plan.epsilon.zcdp),
        epsilon(|plan| plan.epsilon.rdp),
        epsilon(|plan| plan.epsilon.best.as_ref().map(|best| best.epsilon)),
        epsilon(|plan| plan.epsilon_all_lanes.least()),
        word(|plan| plan.delta.to_string()),
        word(|plan| plan.mechanism.clone()),
        number(plan.as_ref().and_then(|plan| plan.noise)),
        found(|found| Some(found.consensus_error)),
        found(|found| found.objective_gap),
    ]
}
