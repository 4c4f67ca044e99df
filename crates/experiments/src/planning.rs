//! The plan of an experiment: the dry run, the calibrated noise, and what they cost.

use dido_mechanisms::least_squares::{PublishedTheorem, published_epsilon};
use dido_mechanisms::{
    Accountant, Adjacency, Bound, Budget, ClassLedger, Event, Filter, Gate, Ledger, MechanismError, Pure, Zcdp,
    calibrate,
};
use dido_optimizers::{Noise, Schedule, Stop, plan_on as dry_run};

use crate::algorithm;
use crate::assignment::assignment;
use crate::config::{AllocationConfig, NoiseConfig};
use crate::error::ExperimentError;
use crate::records::{Epsilons, Plan, PlannedBudget};
use crate::sensitivity::sensitivity;
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
    let unplanned = |reason: String| ExperimentError::NoPlan { file: spec.file.clone(), reason };
    planned(spec).map_err(|error| match error {
        ExperimentError::Stop(reason) => unplanned(reason.to_string()),
        ExperimentError::Mechanism(reason) => unplanned(reason.to_string()),
        other => other,
    })
}

fn planned(spec: &Spec) -> Result<Planned, ExperimentError> {
    let noise = noise(spec)?;
    let ledger = match ledger_of(spec, &noise, spec.budget, spec.config.rounds) {
        Err(Stop::Mechanism(MechanismError::Overspent { .. })) => return Err(refusal(spec, &noise)?),
        ledger => ledger?,
    };
    let [epsilon, all_lanes] = [1, spec.config.lanes].map(|copies| epsilons(spec, &ledger, &noise, copies));
    Ok(Planned { plan: describe(spec, &ledger, &noise, epsilon?, all_lanes?), ledger, noise })
}

/// The ledger of the first rounds of a run.
fn ledger_of(spec: &Spec, noise: &Noise, budget: Option<Budget>, rounds: u32) -> Result<Ledger, Stop> {
    let privacy = &spec.config.privacy;
    let gate = Gate::plan(privacy.adjacency, privacy.adversary, spec.declaration.class_of(), budget);
    dry_run(spec.network().as_mut(), &spec.declaration, gate, noise, rounds, |parties| algorithm::build(spec, parties))
}

impl Planned {
    /// What the first `rounds` rounds will release.
    ///
    /// # Errors
    /// If the budget does not allow them.
    pub fn ledger_after(&self, spec: &Spec, rounds: u32) -> Result<Ledger, ExperimentError> {
        Ok(ledger_of(spec, &self.noise, spec.budget, rounds)?)
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

/// The noise of the run. Calibrated noise starts from relative scales; their dry run yields the sensitivities.
fn noise(spec: &Spec) -> Result<Noise, ExperimentError> {
    match &spec.config.privacy.noise {
        NoiseConfig::None(_) => Ok(Noise::None),
        NoiseConfig::Laplace(laplace) => Ok(Noise::Laplace(laplace.scale.clone())),
        NoiseConfig::Calibrated(calibrated) => {
            let budget = spec.budget.expect("calibrated noise was checked to have a budget");
            let exponent = match calibrated.allocation {
                AllocationConfig::Constant => 0.0,
                AllocationConfig::Optimal if budget.delta() > 0.0 => 1.0 / 2.0,
                AllocationConfig::Optimal => 1.0 / 3.0,
            };
            let relative = relative_scales(spec, exponent);
            let ledger = ledger_of(spec, &Noise::Laplace(relative.clone()), None, spec.config.rounds)?;
            Ok(Noise::Laplace(relative.scaled(multiplier(&ledger, budget)?)))
        }
    }
}

/// What the relative scales of a dry run are to be multiplied with, for the worst class of nodes to keep the budget.
fn multiplier(relative: &Ledger, budget: Budget) -> Result<f64, ExperimentError> {
    let ratios = |class: &ClassLedger| -> (Vec<f64>, usize) {
        let laplace = class.entries.iter().filter_map(|entry| match entry.event {
            Event::Laplace { sensitivity, dim, scale } => Some((sensitivity.l2() / scale, dim, entry.releases)),
            _ => None,
        });
        laplace.fold((vec![], 1), |(mut ratios, _), (ratio, dim, releases)| {
            ratios.extend((0..releases).map(|_| ratio));
            (ratios, dim)
        })
    };
    let mut largest: f64 = 0.0;
    for (ratios, dim) in relative.classes.iter().map(ratios) {
        largest = largest.max(calibrate::laplace_multiplier(&ratios, dim, budget)?);
    }
    Ok(largest)
}

/// Scales proportional to `step^exponent`, message by message. Message 0 is the starting point and needs none.
fn relative_scales(spec: &Spec, exponent: f64) -> Schedule {
    let scale = |t: u32| if exponent > 0.0 { spec.step.at(t).powf(exponent) } else { 1.0 };
    let rounds = 0..spec.config.rounds;
    Schedule::table(std::iter::once(scale(0)).chain(rounds.map(scale)).collect())
}

/// Epsilon of `copies` independent runs with this ledger, by three accountings.
///
/// # Errors
/// If an accountant does not understand an event.
pub fn epsilons(spec: &Spec, ledger: &Ledger, noise: &Noise, copies: usize) -> Result<Epsilons, ExperimentError> {
    let finite = |bound: Bound| Some(bound.epsilon).filter(|e| e.is_finite());
    let ledger = repeated(ledger, copies);
    Ok(Epsilons {
        published: published(spec, noise).map(|epsilon| epsilon * copies as f64),
        pure: finite(Pure.bound(&ledger, 0.0)?),
        zcdp: finite(Zcdp::default().bound(&ledger, spec.delta)?),
    })
}

fn repeated(ledger: &Ledger, copies: usize) -> Ledger {
    let mut all = ledger.clone();
    for entry in all.classes.iter_mut().flat_map(|class| &mut class.entries) {
        entry.releases *= copies as u64;
    }
    all
}

/// What rounding may add to a ratio that meets its bound exactly.
const ROUNDING: f64 = 1e-12;

/// Paper A's published constant, where its premises hold: power schedules `c/(t+d)^e` with `e_v <= e_a`, and in every
/// round a ratio of step and noise of at most `c_a/c_v`, with which the paper bounds it. The offsets `d` decide that.
fn published(spec: &Spec, noise: &Noise) -> Option<f64> {
    let Noise::Laplace(scale) = noise else { return None };
    let (c_a, e_a) = power(&spec.step)?;
    let (c_v, e_v) = power(scale)?;
    let step_over_noise = c_a / c_v;
    let bounded = |t: u32| spec.step.at(t) <= step_over_noise * scale.at(t + 1) * (1.0 + ROUNDING);
    if e_v > e_a || !spec.set.radius().is_finite() || !(0..spec.config.rounds).all(bounded) {
        return None;
    }
    let declaration = &spec.declaration;
    let bounds = declaration.bounds();
    declaration
        .records()
        .iter()
        .map(|&records| {
            let rows = match spec.config.privacy.adjacency {
                Adjacency::ReplaceNode => records,
                Adjacency::ReplaceRecord | Adjacency::AddRemoveRecord => 1,
            };
            published_epsilon(&PublishedTheorem {
                x_bound: bounds.row_norm() * (rows as f64).sqrt(),
                y_bound: bounds.target() * (rows as f64).sqrt(),
                radius: spec.set.radius(),
                dim: declaration.dim(),
                nodes: declaration.nodes(),
                rows,
                step_over_noise: step_over_noise * declaration.scale(records),
                rounds: spec.config.rounds as usize + 1,
            })
        })
        .fold(None, |worst: Option<f64>, epsilon| Some(worst.map_or(epsilon, |w| w.max(epsilon))))
}

/// `(c, e)` of a schedule of the form `c/(t+d)^e`; a constant has `e = 0`.
#[expect(clippy::float_cmp, reason = "a table that repeats one number is a constant")]
fn power(schedule: &Schedule) -> Option<(f64, f64)> {
    match schedule {
        Schedule::Constant(constant) => Some((constant.c, 0.0)),
        Schedule::Power(power) => Some((power.c, power.e)),
        Schedule::Table(table) if table.values.windows(2).all(|w| w[0] == w[1]) => Some((*table.values.first()?, 0.0)),
        Schedule::Geometric(_) | Schedule::Table(_) => None,
    }
}

fn describe(spec: &Spec, ledger: &Ledger, noise: &Noise, epsilon: Epsilons, epsilon_all_lanes: Epsilons) -> Plan {
    let config = &spec.config;
    let privacy = &config.privacy;
    let (name, released) = algorithm::in_words(&config.algorithm);
    let scales = |schedule: &Schedule| (0..config.rounds).map(|t| schedule.at(t + 1)).collect();
    Plan {
        name: config.name.clone(),
        digest: spec.digest.clone(),
        algorithm: name.to_owned(),
        nodes: spec.declaration.nodes(),
        graph: spec.graph.clone(),
        rounds: config.rounds,
        lanes: config.lanes,
        averaging_rounds: config.averaging_rounds,
        releases_per_node: ledger.releases_per_node(),
        released: released.to_owned(),
        recipients: "the neighbours on the graph; the guarantee assumes that everybody sees all of it".to_owned(),
        adjacency: kebab(&privacy.adjacency),
        adjacency_in_words: privacy.adjacency.to_string(),
        assignment: assignment(spec),
        adversary: kebab(&privacy.adversary),
        adversary_in_words: privacy.adversary.to_string(),
        sensitivity: sensitivity(spec, ledger),
        mechanism: match noise {
            Noise::None => "none",
            Noise::Laplace(_) => "laplace",
            Noise::Gaussian(_) => "gaussian",
        }
        .to_owned(),
        noise: match noise {
            Noise::None => vec![],
            Noise::Laplace(schedule) | Noise::Gaussian(schedule) => scales(schedule),
        },
        step: (0..config.rounds).map(|t| spec.step.at(t)).collect(),
        delta: spec.delta,
        epsilon,
        epsilon_all_lanes,
        budget: spec.budget.map(|b| PlannedBudget { epsilon: b.epsilon(), delta: b.delta() }),
        remarks: config.remarks.clone(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn the_published_constant_is_given_only_where_it_bounds_every_round() {
        let step = |d: f64, e: f64| format!("algorithm.step={{ kind = 'power', c = 0.1, d = {d}, e = {e} }}");
        let constant = "{ kind = 'constant', c = 100 }";
        let power = "{ kind = 'power', c = 100, d = 1, e = 1 }";
        for (step, scale, applies) in [
            // The first step is 100, a thousand times what c_a stands for.
            (step(0.001, 1.0), constant, false),
            (step(1.0, 1.0), constant, true),
            // Equal in every round: step number t meets scale number t + 1.
            (step(2.0, 1.0), power, true),
            (step(1.999, 1.0), power, false),
            (step(2.0, 0.5), power, false),
        ] {
            let noise = format!("privacy.noise={{ kind = 'laplace', scale = {scale} }}");
            let fixed = ["rounds=3".to_owned(), "privacy.budget.epsilon=1000".to_owned()];
            let overrides = [&fixed[..], &[step.clone(), noise]].concat();
            let spec = Spec::new(load("quickstart", &overrides).unwrap()).unwrap();
            let epsilon = plan(&spec).unwrap().plan.epsilon;
            assert_eq!(epsilon.published.is_some(), applies, "{step}, {scale}");
            assert!(epsilon.published.is_none_or(|published| published >= epsilon.pure.unwrap()));
        }
    }
}
