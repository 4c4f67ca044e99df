//! Each method in one cell of the grid: its parameters from public quantities, then its run.

use super::super::fit::Estimate;
use super::super::specs::{cell, merits};
use super::super::{Cell, Options};
use super::Problem;
use crate::error::ExperimentError;
use crate::file::load;
use crate::planning::plan;
use crate::spec::Spec;

/// What dual averaging is compared with.
pub(super) const BASELINES: [&str; 3] = ["DP-DGD", "DP-SGD, one server", "alone"];

/// The regulariser.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Regulariser {
    L1,
    L2,
}

impl Regulariser {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L2 => "l2",
        }
    }
}

/// Who is awake, and who sees it.
#[derive(Clone, Copy)]
pub(super) struct Activation {
    pub(super) iota: f64,
    pub(super) hidden: bool,
}

impl Activation {
    pub(super) fn name(self) -> &'static str {
        if self.hidden { "hidden" } else { "visible" }
    }

    /// The probability that a party sends something in a round.
    fn senders(self) -> f64 {
        if self.hidden { 1.0 } else { self.iota }
    }
}

fn shared(problem: &Problem, epsilon: f64, rounds: u32, options: &Options) -> Vec<String> {
    vec![
        format!("seed={}", options.seed),
        format!("lanes={}", options.choose(problem.lanes, 2)),
        format!("rounds={rounds}"),
        format!("observe_every={rounds}"),
        format!("privacy.budget.epsilon={epsilon:?}"),
    ]
}

/// The largest noise that the plan of these keys asks for.
fn sigma(problem: &Problem, keys: &[String]) -> Result<f64, ExperimentError> {
    let planned = plan(&Spec::new(load(problem.preset, keys)?)?)?;
    Ok(planned.plan.noise.iter().copied().fold(0.0, f64::max))
}

/// A row of the table of cells.
pub(super) fn dual_averaging(
    problem: &Problem,
    regulariser: Regulariser,
    activation: Activation,
    epsilon: f64,
    options: &Options,
) -> Result<Vec<Cell>, ExperimentError> {
    let Problem { dim, parties, lipschitz, .. } = *problem;
    let (iota, radius, rounds) = (activation.iota, problem.radius(), problem.rounds(options));
    let mut keys = shared(problem, epsilon, rounds, options);
    keys.extend(graph(problem, activation));
    let any = algorithm(activation, "{ kind = 'growing-distance', gamma = 1.0 }");
    // The noise depends on neither weights nor regulariser.
    let sigma = sigma(problem, &[keys.as_slice(), &[any]].concat())?;
    let spread = 2.0 * (iota * lipschitz).powi(2) + activation.senders() * dim * sigma * sigma / parties;
    let mu = (8.0 * spread / f64::from(rounds)).sqrt() / (iota * radius);
    let (objective, weights) = match regulariser {
        Regulariser::L2 => (
            format!("{{ kind = 'squared-l2', mu = {mu:?} }}"),
            format!("{{ kind = 'growing-gradients', gamma = {:?} }}", iota * mu),
        ),
        Regulariser::L1 => (
            "{ kind = 'l1', lambda = 0.001 }".to_owned(),
            format!("{{ kind = 'growing-distance', gamma = {:?} }}", 2.0 * spread.sqrt() / radius),
        ),
    };
    keys.extend([algorithm(activation, &weights), format!("objective.regulariser={objective}")]);
    let (_, summary) = cell(problem.preset, &keys)?;
    let accuracy = Estimate::mean(&merits(&summary));
    Ok(vec![
        problem.name.into(),
        activation.name().into(),
        regulariser.name().into(),
        iota.into(),
        epsilon.into(),
        rounds.into(),
        (regulariser == Regulariser::L2).then_some(mu).into(),
        sigma.into(),
        (sigma / iota * (activation.senders() / parties).sqrt()).into(),
        accuracy.value.into(),
        accuracy.error.into(),
        summary.metrics.optimum.merit().into(),
    ])
}

/// The keys that say who is awake, and who sees it.
fn graph(problem: &Problem, activation: Activation) -> Vec<String> {
    let Activation { iota, hidden } = activation;
    let seen = !hidden && iota < 1.0;
    let sequence =
        if seen { format!(", sequence = {{ kind = 'activation', p = {iota:?}, seed = 0 }}") } else { String::new() };
    let mut keys = vec![format!("graph={}{sequence} }}", problem.graph)];
    if hidden {
        keys.push("privacy.adversary=hidden-activation".to_owned());
    }
    keys
}

fn algorithm(activation: Activation, weights: &str) -> String {
    let Activation { iota, hidden } = activation;
    let secret = if hidden { ", activation = 'hidden'" } else { "" };
    format!(
        "algorithm={{ kind = 'dual-averaging', sampling = 'one-record', participation = {iota:?}{secret}, weights = {weights} }}"
    )
}

/// A row of the table of cells.
pub(super) fn baseline(
    problem: &Problem,
    method: &'static str,
    epsilon: f64,
    options: &Options,
) -> Result<Vec<Cell>, ExperimentError> {
    let Problem { dim, lipschitz, records, .. } = *problem;
    let radius = problem.radius();
    let rounds: u32 = options.choose(1000, 100);
    let mut keys = shared(problem, epsilon, rounds, options);
    keys.extend([format!("graph={} }}", problem.graph), "objective={ loss = { kind = 'hinge' } }".to_owned()]);
    let (server, parties) = (method == "DP-SGD, one server", if method == "DP-DGD" { problem.parties } else { 1.0 });
    match method {
        "DP-DGD" => {}
        "alone" => keys.push("baseline=alone".to_owned()),
        _ => keys.push("baseline=centralised".to_owned()),
    }
    let algorithm = |step: f64| {
        let common =
            format!("set = {{ kind = 'l2-ball', radius = {radius:?} }}, step = {{ kind = 'constant', c = {step:?} }}");
        if server {
            let sampled = records / 20;
            format!(
                "algorithm={{ kind = 'dp-sgd', {common}, clip = {lipschitz:?}, sampling = {{ records = {sampled} }} }}"
            )
        } else {
            format!("algorithm={{ kind = 'projected-dgd', {common}, average_from = 0.5 }}")
        }
    };
    // What is released is the point: its noise is that of a gradient, times the step.
    let sigma = sigma(problem, &[keys.as_slice(), &[algorithm(1.0)]].concat())?;
    let step = radius / (f64::from(rounds) * (lipschitz * lipschitz + dim * sigma * sigma / parties)).sqrt();
    keys.push(algorithm(step));
    let (_, summary) = cell(problem.preset, &keys)?;
    let accuracy = Estimate::mean(&merits(&summary));
    Ok(vec![
        problem.name.into(),
        method.into(),
        "none".into(),
        Cell::Absent,
        epsilon.into(),
        rounds.into(),
        Cell::Absent,
        sigma.into(),
        (sigma / parties.sqrt()).into(),
        accuracy.value.into(),
        accuracy.error.into(),
        summary.metrics.optimum.merit().into(),
    ])
}

/// A row of the table of references.
pub(super) fn without_privacy(problem: &Problem) -> Result<Vec<Cell>, ExperimentError> {
    let noise = "privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }".to_owned();
    let keys = ["rounds=1".to_owned(), "objective={ loss = { kind = 'hinge' } }".to_owned(), noise];
    let (_, summary) = cell(problem.preset, &keys)?;
    let metrics = &summary.metrics;
    let scores =
        [metrics.optimum, metrics.best_alone, metrics.median_alone, metrics.constant].map(|score| score.merit().into());
    Ok([vec![problem.name.into()], scores.to_vec()].concat())
}
