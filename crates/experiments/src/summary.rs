//! What a run found, in numbers.

use dido_geometry::Rows;
use ndarray::Axis;

use crate::data::Prepared;
use crate::epsilons::accountings;
use crate::error::ExperimentError;
use crate::metrics::observer::Observer;
use crate::metrics::{self, References, Scoring};
use crate::planning::Planned;
use crate::records::{Coefficient, Plan, Score, Summary, Timing, Versions};
use crate::rounds::Outcome;
use crate::spec::Spec;
use crate::theory::bound;

/// Whose model is released: the parties agree on one, up to the consensus error.
pub const PARTY: usize = 0;

/// The summary of a run whose rounds are over. It has no folder yet, and no time.
///
/// # Errors
/// If a model cannot be scored, or an accountant does not understand an event.
pub fn summarise(
    spec: &Spec,
    planned: &Planned,
    data: &Prepared,
    references: &References,
    outcome: &Outcome,
) -> Result<Summary, ExperimentError> {
    let models = &outcome.models;
    let lane_scores = lane_scores(models, data, Scoring::of(spec))?;
    let plan = &planned.plan;
    let objective = metrics::objective(spec, data, references, models);
    let bound = bound(spec, &planned.noise, data, references, &outcome.trace.curve());
    let not_covered = not_covered(plan).iter().copied().chain(bound.is_some().then_some("bound"));
    Ok(Summary {
        name: plan.name.clone(),
        digest: plan.digest.clone(),
        versions: Versions::here(),
        results: String::new(),
        non_private: plan.not_private().map(str::to_owned),
        nodes: plan.nodes,
        graph: plan.graph.clone(),
        rounds: outcome.rounds,
        planned_rounds: plan.rounds,
        averaging_rounds: plan.averaging_rounds,
        messages: outcome.traffic.messages,
        bytes: outcome.traffic.bytes,
        lanes: plan.lanes,
        seeds: spec.config.seeds(),
        adjacency: plan.adjacency.clone(),
        adversary: plan.adversary.clone(),
        delta: plan.delta,
        // Of all planned rounds, also where a rule stopped the run: how long it ran depends on the noise, see `stopping`.
        epsilon: plan.epsilon.clone(),
        epsilon_all_lanes: plan.epsilon_all_lanes.clone(),
        accountings: accountings(spec, &outcome.ledger)?,
        metrics: references.beside(metrics::mean_score(&lane_scores), objective),
        measured: Observer::new(spec, data, references).measured(&models.view().index_axis(Axis(0), PARTY), models),
        not_covered: not_covered.map(str::to_owned).collect(),
        bound,
        lane_scores,
        consensus_error: metrics::consensus_error(models),
        coefficients: coefficients(spec, models.row(PARTY, 0), &references.optimum.to_vec())?,
        records: spec.declaration.records().to_vec(),
        held_out: spec.counts_are_public().then_some(data.held_out_records),
        clipped: data.clipped.clone(),
        timing: Timing::default(),
    })
}

/// Each lane is scored by the party that fares worst with it.
fn lane_scores(models: &Rows, data: &Prepared, scoring: Scoring) -> Result<Vec<Score>, ExperimentError> {
    let mut worst: Vec<Score> = vec![];
    for node in models.view().outer_iter() {
        let scores = metrics::scores(&node, &data.held_out, scoring)?;
        if worst.is_empty() {
            worst = scores;
        } else {
            let lower = |(worst, score): (&mut Score, Score)| {
                if score.merit() < worst.merit() {
                    *worst = score;
                }
            };
            worst.iter_mut().zip(scores).for_each(lower);
        }
    }
    Ok(worst)
}

fn coefficients(spec: &Spec, private: &[f64], optimum: &[f64]) -> Result<Vec<Coefficient>, ExperimentError> {
    let [private, optimum] = [private, optimum].map(|encoded| spec.schema.original_units(encoded));
    let pairs = private?.into_iter().zip(optimum?);
    Ok(pairs.map(|((name, private), (_, optimum))| Coefficient { name, private, optimum }).collect())
}

/// The keys of a summary that the guarantee does not cover. Where no noise was added, the models are among them.
fn not_covered(plan: &Plan) -> &'static [&'static str] {
    if plan.not_private().is_some() {
        &["metrics", "measured", "lane_scores", "consensus_error", "coefficients", "clipped", "timing"]
    } else {
        &["metrics", "measured", "lane_scores", "coefficients[].optimum", "clipped", "timing"]
    }
}
