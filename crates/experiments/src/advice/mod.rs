//! What can be told of a run before any data are read: from the budget to the sensitivity, the noise and the error to expect.
//!
//! Every number is computed from what is declared, so telling it costs no privacy. [`Kind`] says which are proved. With
//! [`measured`] the data are looked at, and what comes out is not private.

mod descent;
mod prediction;

use serde::Serialize;

use crate::data;
use crate::error::ExperimentError;
use crate::planning::Planned;
use crate::records::{Epsilons, PlannedBudget, PlannedSensitivity};
use crate::report::significant;
use crate::spec::Spec;
use crate::theory::{mean_curvature, measured_strong_convexity};

pub use prediction::{CONSENSUS, Kind, NOISE, Prediction, START, STEP, Term};

/// From epsilon to the predicted error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The experiment.
    pub name: String,
    /// Its digest.
    pub digest: String,
    /// The algorithm.
    pub algorithm: String,
    /// The budget, if there is one.
    pub budget: Option<PlannedBudget>,
    /// Epsilon of the plan.
    pub epsilon: Epsilons,
    /// The delta of that.
    pub delta: f64,
    /// The sensitivity of the plan.
    pub sensitivity: PlannedSensitivity,
    /// The distribution of the noise.
    pub mechanism: String,
    /// The scale of the noise in each release, as in the plan.
    pub noise: Vec<f64>,
    /// Rounds with a release.
    pub rounds: u32,
    /// The constants that bounds take.
    pub constants: Vec<Constant>,
    /// What the noise does to a release, and to the answer.
    pub noise_in_answer: NoiseInAnswer,
    /// The errors to expect.
    pub predictions: Vec<Prediction>,
    /// What would be needed for more.
    pub missing: Vec<String>,
    /// What may go wrong.
    pub warnings: Vec<String>,
    /// What the data say; not private.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
}

/// A public number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constant {
    /// Its name in the theorems.
    pub name: &'static str,
    /// Its value; absent if there is none.
    pub value: Option<f64>,
    /// What it is, and the key it comes from.
    pub from: String,
}

/// Standard deviations of what noise adds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoiseInAnswer {
    /// In a coordinate of the mean of all parties' releases of one round, the largest: in the units of what is released.
    pub released: f64,
    /// In a coefficient of the mean answer, in the direction where it is worst; absent where no recursion says it.
    pub coefficient: Option<f64>,
    /// In the prediction for a record of the declared norm, at most.
    pub prediction: Option<f64>,
}

/// Constants of the data and what follows: for the owner of the data only.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Says that this is no public number.
    pub note: &'static str,
    /// The strong convexity of the mean of the objectives.
    pub strong_convexity: f64,
    /// The bounds with it.
    pub predictions: Vec<Prediction>,
}

/// Explains a plan.
pub fn explain(spec: &Spec, planned: &Planned) -> Explained {
    let plan = &planned.plan;
    let assumed = spec.config.objective.strong_convexity;
    let (predictions, missing) = prediction::predictions(spec, &planned.noise, assumed);
    let worst = descent::worst(spec, &planned.noise);
    let coefficient = worst.map(|worst| worst.variance.sqrt());
    let noise_in_answer = NoiseInAnswer {
        released: prediction::released_deviation(spec, &planned.noise),
        coefficient,
        prediction: coefficient.map(|deviation| deviation * spec.declaration.bounds().row_norm()),
    };
    let mut warnings = plan.warnings.clone();
    warnings.extend(drowned(spec, coefficient));
    Explained {
        name: plan.name.clone(),
        digest: plan.digest.clone(),
        algorithm: plan.algorithm.clone(),
        budget: plan.budget,
        epsilon: plan.epsilon.clone(),
        delta: plan.delta,
        sensitivity: plan.sensitivity.clone(),
        mechanism: plan.mechanism.clone(),
        noise: plan.noise.clone(),
        rounds: plan.rounds,
        constants: constants(spec),
        noise_in_answer,
        predictions,
        missing,
        warnings,
        measured: None,
    }
}

/// Looks at the data, for the strong convexity that they have: what comes out is not private.
///
/// # Errors
/// If the data cannot be used, the loss is not squared, or there are more than 512 coordinates.
pub fn measured(spec: &Spec, planned: &Planned) -> Result<Measured, ExperimentError> {
    let shards = data::prepare(spec)?.shards;
    let Some(mu) = measured_strong_convexity(spec, &shards) else {
        let message =
            "only least squares in at most 512 coordinates has a strong convexity that is measured".to_owned();
        return Err(ExperimentError::Usage(format!("{}: --measured: {message}", spec.file)));
    };
    let (predictions, _) = prediction::predictions(spec, &planned.noise, (mu > 0.0).then_some(mu));
    let note = "NON-PRIVATE: computed from the records, not covered by the guarantee";
    Ok(Measured { note, strong_convexity: mu, predictions })
}

/// A warning where the noise in the answer is larger than any answer.
fn drowned(spec: &Spec, coefficient: Option<f64>) -> Option<String> {
    let radius = spec.method.set().radius();
    let norm = coefficient? * (spec.declaration.dim() as f64).sqrt();
    (norm > radius).then(|| {
        format!(
            "noise exceeds the signal: in directions of little curvature it has a norm of {}, no solution has more than {} \
             (algorithm.set): use fewer rounds or shorter steps, or a larger budget",
            significant(norm),
            significant(radius)
        )
    })
}

fn constants(spec: &Spec) -> Vec<Constant> {
    let declaration = &spec.declaration;
    let finite = |value: f64| value.is_finite().then_some(value);
    let constant = |name, value, from: &str| Constant { name, value, from: from.to_owned() };
    let (distance, from) = prediction::distance(spec);
    let records: usize = declaration.records().iter().sum();
    vec![
        constant("n", Some(declaration.nodes() as f64), "parties: data.records"),
        constant("N", Some(records as f64), "records in all: data.records"),
        constant("m", Some(declaration.dim() as f64), "coordinates: data.features"),
        constant("R_x", Some(declaration.bounds().row_norm()), "bound on the norm of a row: data.row_norm"),
        constant("R_y", Some(declaration.bounds().target()), "bound on a target: data.target"),
        constant("B", finite(distance), &format!("bound on the norm of the optimum: {from}")),
        constant("L", finite(mean_curvature(declaration)), "largest curvature of the mean objective: s n_i R_x^2 c"),
        constant("mu", spec.config.objective.strong_convexity, "assumed in public by objective.strong_convexity"),
        constant("lambda", spec.graph.lambda, &spec.graph.lambda_in_words),
    ]
}

/// The errors to expect of a plan, and what is missing for more.
pub(crate) fn predict(spec: &Spec, planned: &Planned) -> (Vec<Prediction>, Vec<String>) {
    prediction::predictions(spec, &planned.noise, spec.config.objective.strong_convexity)
}
