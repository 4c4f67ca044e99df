//! `dido tune`: rounds, step, noise allocation and algorithm with the least predicted error.
//!
//! Every candidate is an experiment of its own, the file with some keys changed: it is checked and planned as any other, so its
//! noise keeps the budget of the file, and [`explain`](crate::advice::explain) predicts its error from public numbers. No data
//! are read. Of candidates within a hundredth of the least error the one with fewest messages is the best: nothing is won by the
//! others but traffic.
//!
//! Steps are at most `(1 - lambda) / L`, which keeps the parties together: the estimate takes that for granted.

use rayon::prelude::*;
use serde::Serialize;

use crate::advice::{Kind, Prediction, predict};
use crate::config::{AlgorithmConfig, NoiseConfig};
use crate::error::ExperimentError;
use crate::planning::{Planned, plan};
use crate::spec::Spec;
use crate::theory::{curvatures, mean_curvature};
use crate::{Loaded, load};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The experiment.
    pub name: String,
    /// What is predicted for each candidate.
    pub quantity: String,
    /// Whether that is a bound.
    pub kind: Kind,
    /// The theorem or approximation behind it.
    pub basis: String,
    /// The file as it is.
    pub current: Candidate,
    /// The best ones, with the best first.
    pub candidates: Vec<Candidate>,
    /// How many were compared.
    pub compared: usize,
    /// The best experiment as a file.
    #[serde(skip)]
    pub toml: String,
}

/// An experiment that was considered.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The algorithm.
    pub algorithm: String,
    /// Rounds.
    pub rounds: u32,
    /// Steps, or weights of dual averaging, in words.
    pub step: String,
    /// How noise is spread over the rounds.
    pub allocation: &'static str,
    /// Messages in all rounds.
    pub messages: f64,
    /// The predicted error.
    pub prediction: Prediction,
    /// Arguments of `--set` that make the file this candidate.
    pub set: Vec<String>,
}

/// So many candidates are shown.
const SHOWN: usize = 8;
/// Errors so near to the least are as good.
const AS_GOOD: f64 = 1.01;
/// Rounds are at most so many times those of the file.
const MOST_ROUNDS: f64 = 8.0;

/// Chooses for the preset or file `name` with `overrides`.
///
/// # Errors
/// If the experiment is refused, has no calibrated noise, or no error can be predicted for it.
pub fn tune(name: &str, overrides: &[String]) -> Result<Tuned, ExperimentError> {
    let search = Search { name, overrides };
    let loaded = load(name, overrides)?;
    let spec = Spec::new(loaded.clone())?;
    let at = |message: &str| ExperimentError::Key {
        file: spec.file.clone(),
        path: "privacy.noise".to_owned(),
        message: message.to_owned(),
    };
    if !matches!(spec.config.privacy.noise, NoiseConfig::Calibrated(_)) {
        return Err(at("tune compares experiments of one budget: it needs kind = \"calibrated\""));
    }
    let Some(knob) = Knob::of(&spec) else {
        let message = format!(
            "{} has neither steps nor weights to choose; an algorithm that iterates, such as projected-dgd, has",
            spec.config.algorithm.name()
        );
        return Err(ExperimentError::Usage(format!("{}: tune: {message}", spec.file)));
    };
    let planned = plan(&spec)?;
    let current = candidate(&spec, &planned, vec![])?;
    let try_all = |points: &[Point]| match knob {
        Knob::Step { .. } => search.try_all(points),
        Knob::Gamma(_) => search.try_by_rounds(points),
    };
    let mut all = try_all(&knob.coarse(&loaded, &spec));
    for factor in [2.0_f64.sqrt(), 2.0_f64.powf(0.25), 2.0_f64.powf(0.125)] {
        let Some(best) = best(&all).cloned() else { break };
        all.extend(try_all(&knob.around(&spec, &best.point, factor)));
    }
    let Some(found) = best(&all).cloned() else {
        return Err(ExperimentError::Usage(format!("{}: tune: no candidate keeps the budget", spec.file)));
    };
    all.extend(search.try_all(&others(&loaded, &spec, &found.point)));
    let compared = all.len();
    let best = best(&all).cloned().unwrap_or(found);
    all.sort_by(|a, b| a.candidate.prediction.value.total_cmp(&b.candidate.prediction.value));
    let mut candidates = vec![best.candidate.clone()];
    let rest = all.into_iter().map(|tried| tried.candidate).filter(|other| other.set != best.candidate.set);
    for other in rest {
        if candidates.len() < SHOWN && candidates.iter().all(|shown| shown.set != other.set) {
            candidates.push(other);
        }
    }
    let toml = search.spec(&best.candidate.set)?.toml();
    let Prediction { quantity, kind, basis, .. } = current.prediction.clone();
    Ok(Tuned { name: spec.config.name.clone(), quantity, kind, basis, current, candidates, compared, toml })
}

/// What is varied beside the rounds.
#[derive(Clone, Copy)]
enum Knob {
    /// Steps, at most so long; whether they may fall.
    Step { longest: f64, schedule: bool },
    /// The `gamma` of dual averaging.
    Gamma(f64),
}

/// A place in the grid.
#[derive(Clone, Debug)]
struct Point {
    rounds: u32,
    /// A step or a gamma.
    size: f64,
    /// Whether steps fall as the root of the round.
    falls: bool,
    constant_noise: bool,
    /// The keys of another algorithm.
    other: Option<String>,
    set: Vec<String>,
}

#[derive(Clone)]
struct Tried {
    point: Point,
    candidate: Candidate,
}

/// The least rounds, messages that is, among those that are as good as the best.
fn best(all: &[Tried]) -> Option<&Tried> {
    let value = |tried: &Tried| tried.candidate.prediction.value;
    let least = all.iter().map(value).min_by(f64::total_cmp)?;
    let good = all.iter().filter(|tried| value(tried) <= AS_GOOD * least);
    // The same again by another algorithm is no reason to change it.
    good.min_by(|a, b| {
        let key = |tried: &Tried| (tried.candidate.messages, tried.point.other.is_some());
        let (a_key, b_key) = (key(a), key(b));
        a_key.0.total_cmp(&b_key.0).then(a_key.1.cmp(&b_key.1)).then(value(a).total_cmp(&value(b)))
    })
}

struct Search<'a> {
    name: &'a str,
    overrides: &'a [String],
}

impl Search<'_> {
    fn spec(&self, set: &[String]) -> Result<Spec, ExperimentError> {
        Spec::new(load(self.name, &[self.overrides, set].concat())?)
    }

    /// Those points that are valid, keep the budget and have a prediction.
    fn try_all(&self, points: &[Point]) -> Vec<Tried> {
        let one = |point: &Point| {
            let spec = self.spec(&point.set).ok()?;
            let planned = plan(&spec).ok()?;
            let candidate = candidate(&spec, &planned, point.set.clone()).ok()?;
            candidate.prediction.value.is_finite().then_some(Tried { point: point.clone(), candidate })
        };
        points.par_iter().filter_map(one).collect()
    }

    /// The same where the noise does not depend on the size, as that of dual averaging: one plan for all of as many rounds.
    fn try_by_rounds(&self, points: &[Point]) -> Vec<Tried> {
        let mut rounds: Vec<u32> = points.iter().map(|point| point.rounds).collect();
        rounds.sort_unstable();
        rounds.dedup();
        let with = |t: &u32| {
            let mut planned = None;
            let one = |point: &Point| {
                let spec = self.spec(&point.set).ok()?;
                if planned.is_none() {
                    planned = Some(plan(&spec).ok()?);
                }
                let candidate = candidate(&spec, planned.as_ref()?, point.set.clone()).ok()?;
                candidate.prediction.value.is_finite().then_some(Tried { point: point.clone(), candidate })
            };
            points.iter().filter(|point| point.rounds == *t).filter_map(one).collect::<Vec<_>>()
        };
        rounds.par_iter().flat_map_iter(with).collect()
    }
}

/// The prediction by which candidates are compared: an estimate, since bounds at the worst case of everything say little.
fn candidate(spec: &Spec, planned: &Planned, set: Vec<String>) -> Result<Candidate, ExperimentError> {
    let (predictions, missing) = predict(spec, planned);
    let Some(prediction) = predictions.into_iter().next_back() else {
        return Err(ExperimentError::Usage(format!("{}: tune: {}", spec.file, missing.join("; "))));
    };
    let config = &spec.config;
    let plan = &planned.plan;
    let step = match (spec.method.in_place_of_step(), plan.step.first(), plan.step.last()) {
        (Some(weights), ..) => weights.split(';').next().unwrap_or(&weights).to_owned(),
        (None, Some(first), Some(last)) if first.to_bits() == last.to_bits() => number(*first),
        (None, Some(first), Some(last)) => format!("{} to {}", number(*first), number(*last)),
        _ => String::new(),
    };
    let NoiseConfig::Calibrated(noise) = &config.privacy.noise else {
        return Err(ExperimentError::Usage("tune needs calibrated noise".to_owned()));
    };
    let allocation = match noise.allocation {
        crate::config::AllocationConfig::Optimal => "optimal",
        crate::config::AllocationConfig::Constant => "constant",
    };
    let messages = plan.resources.map_or(0.0, |resources| resources.messages.rounds);
    let algorithm = config.algorithm.name().to_owned();
    Ok(Candidate { algorithm, rounds: config.rounds, step, allocation, messages, prediction, set })
}

/// Digits that a file should have: a hundredth of a percent is nothing.
fn number(value: f64) -> String {
    crate::report::significant(value)
}

impl Knob {
    fn of(spec: &Spec) -> Option<Self> {
        match &spec.config.algorithm {
            AlgorithmConfig::DualAveraging(keys) => {
                use dido_optimizers::DualWeights::{GrowingDistance, GrowingGradients};
                let (GrowingDistance { gamma } | GrowingGradients { gamma }) = keys.weights;
                Some(Self::Gamma(gamma))
            }
            AlgorithmConfig::LinearisedAdmm(_) | AlgorithmConfig::WangNedic(_) => None,
            other => {
                spec.method.descent()?;
                let smoothness = curvatures(&spec.declaration).fold(mean_curvature(&spec.declaration), f64::max);
                let gap = if spec.config.baseline.is_some() { Some(1.0) } else { spec.graph.lambda.map(|l| 1.0 - l) };
                // Where nothing is known of the weights, the steps of the file are the longest.
                let file = spec.method.step().map_or(0.0, |step| step.at(0));
                let longest = gap.map_or(file, |gap| gap / smoothness);
                Some(Self::Step { longest, schedule: !matches!(other, AlgorithmConfig::Extra(_)) })
            }
        }
    }

    /// Rounds and sizes a factor of two apart.
    fn coarse(self, loaded: &Loaded, spec: &Spec) -> Vec<Point> {
        let file = f64::from(loaded.config.rounds);
        let rounds = (-6..=3).map(|k| file * 2.0_f64.powi(k)).filter(|&t| t >= 2.0);
        let sizes: Vec<(f64, bool, bool)> = match self {
            Self::Step { longest, schedule } => {
                let constant = (0..4).map(|k| (longest * 0.5_f64.powi(k), false, false));
                let falling = [(longest, true, false), (longest, true, true)];
                constant.chain(falling.into_iter().filter(|_| schedule)).collect()
            }
            Self::Gamma(gamma) => (-4..=4).map(|k| (gamma * 2.0_f64.powi(k), false, false)).collect(),
        };
        let of = |t: f64| sizes.clone().into_iter().map(move |(size, falls, flat)| (whole(t), size, falls, flat));
        rounds.flat_map(of).map(|(t, size, falls, flat)| self.point(spec, t, size, falls, flat)).collect()
    }

    /// The neighbours of a point.
    fn around(self, spec: &Spec, point: &Point, factor: f64) -> Vec<Point> {
        let most = f64::from(spec.config.rounds) * MOST_ROUNDS;
        let mut found = vec![];
        for rounds in [1.0 / factor, 1.0, factor] {
            for size in [1.0 / factor, 1.0, factor] {
                let (t, size) = (f64::from(point.rounds) * rounds, point.size * size);
                let allowed = match self {
                    Self::Step { longest, .. } => size <= longest * (1.0 + 1e-9),
                    Self::Gamma(_) => true,
                };
                if allowed && t <= most && t >= 1.0 {
                    found.push(self.point(spec, whole(t), size, point.falls, point.constant_noise));
                }
            }
        }
        found
    }

    fn point(self, spec: &Spec, rounds: u32, size: f64, falls: bool, constant_noise: bool) -> Point {
        let mut set = vec![format!("rounds={rounds}")];
        let written = number(size);
        match self {
            Self::Step { schedule: false, .. } => set.push(format!("algorithm.step={written}")),
            Self::Step { .. } => set.push(format!("algorithm.step={}", step(&written, falls))),
            Self::Gamma(_) => set.push(format!("algorithm.weights.gamma={written}")),
        }
        let NoiseConfig::Calibrated(noise) = &spec.config.privacy.noise else { unreachable!("checked by tune") };
        let is_constant = noise.allocation == crate::config::AllocationConfig::Constant;
        // Noise of equal releases is spread evenly either way.
        if falls && is_constant != constant_noise {
            let allocation = if constant_noise { "constant" } else { "optimal" };
            set.push(format!("privacy.noise.allocation={allocation}"));
        }
        Point { rounds, size, falls, constant_noise, other: None, set }
    }
}

fn step(written: &str, falls: bool) -> String {
    if falls {
        format!("{{ kind = 'power', c = {written}, d = 1, e = 0.5 }}")
    } else {
        format!("{{ kind = 'constant', c = {written} }}")
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
fn whole(rounds: f64) -> u32 {
    rounds.round().clamp(1.0, 1e7) as u32
}

/// The other algorithms that minimise the same over the same set, at a point and at half and twice its rounds.
fn others(loaded: &Loaded, spec: &Spec, point: &Point) -> Vec<Point> {
    let AlgorithmConfig::ProjectedDgd(keys) = &loaded.config.algorithm else { return vec![] };
    let Ok(set) = toml::Value::try_from(&keys.set) else { return vec![] };
    let size = number(point.size);
    let mut kinds = vec![
        ("pdop", format!("step = {}", step(&size, point.falls)), ""),
        ("diging", format!("step = {}", step(&size, point.falls)), ", average_from = 0.5"),
    ];
    if !point.falls && spec.sequence.is_none() {
        kinds.push(("extra", format!("step = {size}"), ", average_from = 0.5"));
    }
    let mut found = vec![];
    for (kind, step, more) in kinds {
        for factor in [0.5, 1.0, 2.0] {
            let rounds = whole(f64::from(point.rounds) * factor);
            let algorithm = format!("algorithm={{ kind = '{kind}', set = {set}, {step}{more} }}");
            let set = vec![format!("rounds={rounds}"), algorithm];
            found.push(Point { rounds, other: Some(kind.to_owned()), set, ..point.clone() });
        }
    }
    found
}
