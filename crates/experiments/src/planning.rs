//! The plan of an experiment: the dry run, the calibrated noise, and what they cost.

use dido_mechanisms::{Budget, Filter, Gate, Ledger, MechanismError};
use dido_optimizers::{Noise, Parties, Schedule, Stop, plan_on as dry_run};
use dido_problems::Regulariser;

use crate::algorithms;
use crate::assignment::assignment;
use crate::calibration::noise;
use crate::divergence;
use crate::epsilons::{dominating, epsilons};
use crate::error::ExperimentError;
use crate::records::{Epsilons, Plan, PlannedBudget};
use crate::resources::resources;
use crate::sensitivity::sensitivity;
use crate::shared_noise::shared;
use crate::spec::Spec;

/// A plan with what it was computed from.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What is printed.
    pub plan: Plan,
    /// The ledger that the run will write, entry by entry.
    pub ledger: Ledger,
    /// The noise of the run.
    pub noise: Noise,
}

/// Plans an experiment without touching data.
///
/// # Errors
/// If the budget does not allow the run.
pub fn plan(spec: &Spec) -> Result<Planned, ExperimentError> {
    planned(spec).map_err(|error| unplanned(spec, error))
}

/// What stops a plan, with the place in the file.
fn unplanned(spec: &Spec, error: ExperimentError) -> ExperimentError {
    let (file, chosen) = (spec.file.clone(), spec.config.privacy.accountant.is_some());
    match error {
        ExperimentError::Mechanism(reason @ MechanismError::Unsupported { .. }) if chosen => {
            ExperimentError::Key { file, path: "privacy.accountant".to_owned(), message: reason.to_string() }
        }
        ExperimentError::Stop(reason) => ExperimentError::NoPlan { file, reason: reason.to_string() },
        ExperimentError::Mechanism(reason) => ExperimentError::NoPlan { file, reason: reason.to_string() },
        other => other,
    }
}

/// The same experiment with the largest number of rounds, up to its own, that keep the budget with the noise that is given.
///
/// Doubled until the budget is exceeded, then halved: each candidate is planned as it would be run. The rounds found keep the
/// budget, and one more does not.
///
/// # Errors
/// If not even one round keeps the budget, or something else stops the plan.
///
/// # Panics
/// Never: it is asked of experiments with a budget.
pub(crate) fn largest(spec: &Spec) -> Result<Spec, ExperimentError> {
    let budget = spec.budget.expect("the rounds that a budget pays for have a budget");
    let asked = spec.config.rounds;
    let with = |rounds: u32| spec.with_rounds(rounds);
    let keeps = |rounds: u32| {
        let spec = with(rounds)?;
        noise(&spec).and_then(|noise| keeps_budget(&spec, &noise, budget)).map_err(|error| unplanned(&spec, error))
    };
    if !keeps(1)? {
        // Says what one round costs.
        plan(&with(1)?)?;
    }
    let (mut kept, mut exceeds) = (1, 2);
    while kept < asked && keeps(exceeds.min(asked))? {
        kept = exceeds.min(asked);
        exceeds = exceeds.saturating_mul(2);
    }
    exceeds = exceeds.min(asked);
    while exceeds > kept + 1 {
        let middle = kept + (exceeds - kept) / 2;
        *(if keeps(middle)? { &mut kept } else { &mut exceeds }) = middle;
    }
    with(kept)
}

fn planned(spec: &Spec) -> Result<Planned, ExperimentError> {
    let noise = noise(spec)?;
    let ledger = match ledger_of(spec, &noise, spec.charged_budget(), spec.config.rounds) {
        Err(ExperimentError::Stop(Stop::Mechanism(MechanismError::Overspent { .. }))) => {
            return Err(refusal(spec, &noise)?);
        }
        ledger => ledger?,
    };
    let epsilon = epsilons(spec, &ledger, &noise, 1)?;
    if let Some(budget) = spec.budget.filter(|_| spec.is_accounted_as_a_whole()) {
        keeps(spec, &ledger, &epsilon, budget)?;
    }
    let lanes = spec.config.lanes;
    let all_lanes = if lanes > 1 { epsilons(spec, &ledger, &noise, lanes)? } else { epsilon.clone() };
    let mut plan = describe(spec, &ledger, &noise, epsilon, all_lanes);
    plan.resources = Some(resources(spec, &ledger)?);
    Ok(Planned { plan, ledger, noise })
}

/// Refuses a run that is accounted as a whole and costs more than the budget.
fn keeps(spec: &Spec, ledger: &Ledger, found: &Epsilons, budget: Budget) -> Result<(), ExperimentError> {
    let (found, method) = cost(spec, ledger, found, budget)?;
    let (epsilon, delta) = (budget.epsilon(), budget.delta());
    if found <= epsilon {
        return Ok(());
    }
    let (file, rounds) = (spec.file.clone(), spec.config.rounds);
    Err(ExperimentError::PlanOverBudget { file, epsilon, delta, rounds, found, method })
}

/// What is compared with a budget, and the name of the accounting.
///
/// # Errors
/// If the accountant of the file does not cover a release.
fn cost(spec: &Spec, ledger: &Ledger, found: &Epsilons, budget: Budget) -> Result<(f64, String), ExperimentError> {
    if let Some(accountant) = spec.config.privacy.accountant {
        let bound = accountant.accountant().bound(&dominating(ledger), budget.delta())?;
        return Ok((bound.epsilon, bound.method));
    }
    let tightest = found.best.as_ref().map(|best| (best.epsilon, best.method.as_str()));
    let (found, method) = match tightest {
        _ if budget.delta() <= 0.0 => (found.pure, "pure"),
        Some((epsilon, method)) => (Some(epsilon), method),
        None => (found.zcdp.or(found.rdp), if found.zcdp.is_some() { "zcdp" } else { "rdp" }),
    };
    Ok((found.unwrap_or(f64::INFINITY), method.to_owned()))
}

/// Whether a run with this noise keeps the budget, by the accounting that decides it.
///
/// # Errors
/// What would stop the run otherwise.
pub(crate) fn keeps_budget(spec: &Spec, noise: &Noise, budget: Budget) -> Result<bool, ExperimentError> {
    match ledger_of(spec, noise, spec.charged_budget(), spec.config.rounds) {
        Err(ExperimentError::Stop(Stop::Mechanism(MechanismError::Overspent { .. }))) => Ok(false),
        ledger if spec.is_accounted_as_a_whole() => {
            let ledger = ledger?;
            Ok(cost(spec, &ledger, &epsilons(spec, &ledger, noise, 1)?, budget)?.0 <= budget.epsilon())
        }
        ledger => Ok(ledger.map(|_| true)?),
    }
}

/// The ledger of the first rounds of a run.
///
/// # Errors
/// What would stop the run.
pub(crate) fn ledger_of(
    spec: &Spec,
    noise: &Noise,
    budget: Option<Budget>,
    rounds: u32,
) -> Result<Ledger, ExperimentError> {
    let privacy = &spec.config.privacy;
    let gate = Gate::plan(privacy.adjacency, privacy.adversary, spec.declaration.class_of(), budget);
    let build = |parties: &Parties| algorithms::build(spec, parties);
    Ok(dry_run(spec.network().as_mut(), &spec.declaration, shared(spec, gate)?, noise, rounds, build)?)
}

impl Planned {
    /// What the first `rounds` rounds will release.
    ///
    /// # Errors
    /// If the budget does not allow them.
    pub fn ledger_after(&self, spec: &Spec, rounds: u32) -> Result<Ledger, ExperimentError> {
        ledger_of(spec, &self.noise, spec.charged_budget(), rounds)
    }
}

/// Which release the budget refuses first, and why: the ledger without a budget is charged entry by entry.
fn refusal(spec: &Spec, noise: &Noise) -> Result<ExperimentError, ExperimentError> {
    let budget = spec.budget.expect("only a budget refuses");
    let mut first = None::<(u32, MechanismError)>;
    for class in ledger_of(spec, noise, None, spec.config.rounds)?.classes {
        let mut filter = Filter::new(budget);
        let refused = class.entries.iter().find_map(|entry| {
            (entry.first..=entry.last).find_map(|round| filter.charge(&entry.event).err().map(|e| (round, e)))
        });
        first = match (first, refused) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        };
    }
    let (round, reason) = first.expect("the dry run with this budget was refused");
    let (epsilon, delta, rounds) = (budget.epsilon(), budget.delta(), spec.config.rounds);
    let file = spec.file.clone();
    Ok(ExperimentError::OverBudget { file, epsilon, delta, round, rounds, reason })
}

fn describe(spec: &Spec, ledger: &Ledger, noise: &Noise, epsilon: Epsilons, epsilon_all_lanes: Epsilons) -> Plan {
    let config = &spec.config;
    let privacy = &config.privacy;
    let method = &spec.method;
    let releases = (0..config.rounds).filter(|&t| method.releases_in(t));
    let scales = |schedule: &Schedule| releases.map(|t| schedule.at(t + 1)).collect();
    Plan {
        name: config.name.clone(),
        digest: spec.digest.clone(),
        algorithm: config.algorithm.name().to_owned(),
        nodes: spec.declaration.nodes(),
        graph: spec.graph.clone(),
        rounds: config.rounds,
        rounds_asked: spec.rounds_asked,
        stop: config.stop.as_ref().map(kinds),
        lanes: config.lanes,
        averaging_rounds: config.averaging_rounds,
        releases_per_node: ledger.releases_per_node(),
        released: method.released(),
        recipients: match config.baseline {
            None => "the neighbours on the graph; the guarantee assumes that everybody sees all of it",
            Some(_) => "nobody: the guarantee is for who sees all of it all the same",
        }
        .to_owned(),
        adjacency: kebab(&privacy.adjacency),
        adjacency_in_words: privacy.adjacency.to_string(),
        assignment: assignment(spec),
        adversary: kebab(&privacy.adversary),
        adversary_in_words: privacy.adversary.to_string(),
        sensitivity: sensitivity(spec, ledger),
        mechanism: noise.name().to_owned(),
        grid: noise.grid(),
        noise_in_words: method.noise_in_words().map(str::to_owned),
        noise: noise.schedule().map_or(vec![], scales),
        step: method.step().map_or(vec![], |step| (0..config.rounds).map(|t| step.at(t)).collect()),
        dual_weights: method.in_place_of_step(),
        objective: objective(spec),
        delta: spec.delta,
        epsilon,
        epsilon_all_lanes,
        accountant: privacy.accountant.as_ref().map(kebab),
        budget: spec.budget.map(|b| PlannedBudget { epsilon: b.epsilon(), delta: b.delta() }),
        resources: None,
        warnings: divergence::warning(spec).into_iter().collect(),
        remarks: config.remarks.clone(),
        bounds: config.data.bounds,
    }
}

/// What is minimised, where it is not plain squared error.
fn objective(spec: &Spec) -> Option<String> {
    let objective = &spec.config.objective;
    let plain = objective.loss.is_squared() && objective.regulariser == Regulariser::none();
    if plain {
        None
    } else {
        Some(format!("{} loss; regulariser {}", kinds(&objective.loss), kinds(&objective.regulariser)))
    }
}

/// A table with a kind as one phrase: the kind, and its values in brackets.
fn kinds(value: &impl serde::Serialize) -> String {
    let Ok(serde_json::Value::Object(mut table)) = serde_json::to_value(value) else { return String::new() };
    let kind = table.remove("kind").and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default();
    let values: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if values.is_empty() { kind } else { format!("{kind} ({})", values.join(", ")) }
}

/// The TOML spelling of a value: a word, or a word with its value.
pub(crate) fn kebab(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(serde_json::Value::Object(table)) => {
            table.iter().map(|(word, value)| format!("{word} = {value}")).collect::<Vec<_>>().join(", ")
        }
        Ok(other) => other.to_string(),
        Err(e) => e.to_string(),
    }
}
