//! What a run found, in numbers.

use dido_geometry::Rows;
use ndarray::ArrayView1;

use crate::data::Prepared;
use crate::epsilons::epsilons;
use crate::error::ExperimentError;
use crate::metrics::{self, References, Scoring};
use crate::planning::Planned;
use crate::records::{Coefficient, Plan, Score, Summary};
use crate::results::ResultFolder;
use crate::rounds::Outcome;
use crate::spec::Spec;
use crate::theory::bound;

/// The summary of a run whose rounds are over.
///
/// # Errors
/// If a model cannot be scored, or an accountant does not understand an event.
pub fn summarise(
    spec: &Spec,
    planned: &Planned,
    data: &Prepared,
    references: &References,
    folder: &ResultFolder,
    outcome: &Outcome,
) -> Result<Summary, ExperimentError> {
    let models = &outcome.models;
    let lane_scores = lane_scores(models, data, Scoring::of(spec))?;
    let plan = &planned.plan;
    // Of all planned rounds, also where a rule stopped the run: how long it ran depends on the noise, see `stopping`.
    let ledger = &planned.ledger;
    let epsilon = epsilons(spec, ledger, &planned.noise, 1)?;
    let lanes = plan.lanes;
    let epsilon_all_lanes = if lanes > 1 { epsilons(spec, ledger, &planned.noise, lanes)? } else { epsilon.clone() };
    let objective = metrics::objective(spec, data, references, models);
    let bound = bound(spec, &planned.noise, data, references, &outcome.trace);
    let not_covered = not_covered(plan).iter().copied().chain(bound.is_some().then_some("bound"));
    Ok(Summary {
        name: plan.name.clone(),
        digest: plan.digest.clone(),
        results: folder.path().display().to_string(),
        nodes: plan.nodes,
        graph: plan.graph.clone(),
        rounds: plan.rounds,
        rounds_run: spec.config.stop.map(|_| outcome.rounds),
        lanes: plan.lanes,
        seed: spec.config.seed,
        adjacency: plan.adjacency.clone(),
        adversary: plan.adversary.clone(),
        delta: plan.delta,
        epsilon,
        epsilon_all_lanes,
        metrics: references.beside(metrics::mean_score(&lane_scores), objective),
        not_covered: not_covered.map(str::to_owned).collect(),
        bound,
        lane_scores,
        consensus_error: metrics::consensus_error(models),
        coefficients: coefficients(spec, models.row(0, 0), &references.optimum.to_vec())?,
        records: spec.declaration.records().to_vec(),
        held_out: spec.counts_are_public().then(|| data.held_out.y.len()),
        clipped: data.clipped.clone(),
        seconds: outcome.seconds,
    })
}

/// Each lane is scored by the party that fares worst with it.
fn lane_scores(models: &Rows, data: &Prepared, scoring: Scoring) -> Result<Vec<Score>, ExperimentError> {
    let shape = models.shape();
    (0..shape.lanes)
        .map(|lane| {
            let scores = (0..shape.nodes)
                .map(|node| metrics::score(&ArrayView1::from(models.row(node, lane)), &data.held_out, scoring))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(scores.into_iter().min_by(|a, b| a.merit().total_cmp(&b.merit())).expect("a run has nodes"))
        })
        .collect()
}

fn coefficients(spec: &Spec, private: &[f64], optimum: &[f64]) -> Result<Vec<Coefficient>, ExperimentError> {
    let [private, optimum] = [private, optimum].map(|encoded| spec.schema.original_units(encoded));
    let pairs = private?.into_iter().zip(optimum?);
    Ok(pairs.map(|((name, private), (_, optimum))| Coefficient { name, private, optimum }).collect())
}

/// The keys of a summary that the guarantee does not cover. Where no noise was added, the models are among them.
fn not_covered(plan: &Plan) -> &'static [&'static str] {
    if plan.mechanism == "none" {
        &["metrics", "lane_scores", "consensus_error", "coefficients", "clipped", "seconds"]
    } else {
        &["metrics", "lane_scores", "coefficients[].optimum", "clipped", "seconds"]
    }
}
