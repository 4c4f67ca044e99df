//! The error that is predicted, from public numbers: bounds where a theorem applies, estimates where none says enough.

use dido_geometry::Set;
use dido_optimizers::Noise;
use dido_topology::sequence::estimate_contraction;
use serde::Serialize;

use super::descent::{Worst, worst};
use crate::config::Baseline;
use crate::report::significant;
use crate::spec::Spec;
use crate::theory::{Declared, Facts, mean_curvature};

/// Rounds from which an unknown contraction is estimated.
const SAMPLED: u32 = 1000;

/// Whether a number is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A theorem, whose premises are public assumptions.
    Bound,
    /// An approximation that is named.
    Estimate,
}

/// A predicted error, which is the sum of its terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Whether it is proved.
    pub kind: Kind,
    /// What is predicted.
    pub quantity: String,
    /// Its value.
    pub value: f64,
    /// What it is made of.
    pub terms: Vec<Term>,
    /// The name of the largest term.
    pub dominant: String,
    /// The theorem, or the approximation.
    pub basis: String,
    /// What the value is to be compared with, if it says less than is known anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A part of a predicted error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// What causes it.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

/// The start, from which the rounds have to lead away.
pub const START: &str = "initial distance";
/// Steps that are not infinitely short.
pub const STEP: &str = "step size";
/// Parties that do not agree.
pub const CONSENSUS: &str = "consensus";
/// Privacy.
pub const NOISE: &str = "privacy noise";

impl Prediction {
    fn new(kind: Kind, quantity: &str, basis: String, terms: Vec<Term>) -> Self {
        let value = terms.iter().map(|term| term.value).sum();
        let largest = terms.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        let dominant = largest.map_or(String::new(), |term| term.name.to_owned());
        Self { kind, quantity: quantity.to_owned(), value, terms, dominant, basis, remark: None }
    }

    /// The part that a cause has in it.
    pub fn term(&self, name: &str) -> f64 {
        self.terms.iter().filter(|term| term.name == name).map(|term| term.value).sum()
    }
}

/// A public bound on the distance of the origin from the optimum, and where it comes from: what is assumed; the set; or, without a
/// set, that the objective at the optimum is at most that at the origin.
pub fn distance(spec: &Spec) -> (f64, String) {
    let (known, from) = known_distance(spec);
    match spec.config.objective.optimum_norm {
        Some(assumed) if assumed < known => (assumed, "assumed in public by objective.optimum_norm".to_owned()),
        _ => (known, from),
    }
}

fn known_distance(spec: &Spec) -> (f64, String) {
    let set = spec.method.set();
    let radius = set.radius();
    if radius.is_finite() || !matches!(set, Set::Whole) {
        return (radius, "the largest norm in algorithm.set".to_owned());
    }
    let regulariser = &spec.config.objective.regulariser;
    let at_origin = at_origin(spec);
    let mu = regulariser.strong_convexity() + spec.config.objective.strong_convexity.unwrap_or(0.0);
    let (curved, sharp) = ((2.0 * at_origin / mu).sqrt(), at_origin / regulariser.lambda());
    let zero = format!("the objective at 0, at most {}", significant(at_origin));
    if mu > 0.0 && curved <= sharp {
        (curved, format!("sqrt(2 F(0) / mu) with mu = {} and {zero}", significant(mu)))
    } else if regulariser.lambda() > 0.0 {
        (sharp, format!("F(0) / lambda with the regulariser's lambda and {zero}"))
    } else {
        (
            f64::INFINITY,
            "none: there is no set, no regulariser, and no objective.optimum_norm or strong_convexity".to_owned(),
        )
    }
}

/// A bound on the objective at the origin.
fn at_origin(spec: &Spec) -> f64 {
    let declaration = &spec.declaration;
    let value = declaration.loss().value(0.0, declaration.bounds().target());
    let weights: f64 = declaration.records().iter().map(|&n| declaration.scale(n) * n as f64).sum();
    weights * value / declaration.nodes() as f64
}

/// All predictions for this noise if the mean of the objectives is `strong_convexity` strongly convex, and what is missing for more.
pub fn predictions(spec: &Spec, noise: &Noise, strong_convexity: Option<f64>) -> (Vec<Prediction>, Vec<String>) {
    let (mut found, mut missing) = (vec![], vec![]);
    let mut take = |prediction: Result<Prediction, String>| match prediction {
        Ok(prediction) => found.push(prediction),
        Err(reason) if reason.is_empty() => {}
        Err(reason) => missing.push(reason),
    };
    take(bound_on_distance(spec, noise, strong_convexity));
    take(bound_on_gap(spec, noise));
    take(gap_in_agreement(spec, noise));
    take(estimate(spec, noise));
    if found.is_empty() && missing.is_empty() {
        missing.push(format!("no error is predicted: there is no theorem here for {}", spec.config.algorithm.name()));
    }
    (found, missing)
}

/// A bound with its causes taken away one by one: noise, disagreement, gradients.
fn terms(value: impl Fn(&Noise, f64, f64) -> Option<f64>, noise: &Noise, lambda: f64) -> Option<Vec<Term>> {
    let all = value(noise, lambda, 1.0)?;
    let [quiet, agreed, still] =
        [value(&Noise::None, lambda, 1.0)?, value(&Noise::None, 0.0, 1.0)?, value(&Noise::None, 0.0, 0.0)?];
    let term = |name, value: f64| Term { name, value: value.max(0.0) };
    Some(vec![
        term(START, still),
        term(STEP, agreed - still),
        term(CONSENSUS, quiet - agreed),
        term(NOISE, all - quiet),
    ])
}

/// The bounds of papers A and C.
fn bound_on_distance(spec: &Spec, noise: &Noise, mu: Option<f64>) -> Result<Prediction, String> {
    let radius = distance(spec).0;
    // Paper B's bound on the distance follows from that on the gap, which is given by itself.
    let theorem = spec.method.theorem().filter(|_| spec.method.descent().is_some()).ok_or(String::new())?;
    if spec.sequence.is_some() || spec.config.baseline.is_some() {
        return Err(format!("{theorem} needs fixed weights and a network"));
    }
    let lambda = spec.graph.lambda.ok_or_else(|| format!("{theorem} needs lambda, which was not found"))?;
    if mu.is_none() {
        return Err(format!(
            "{theorem} needs the strong convexity of the data, which is not public: assume one by \
             objective.strong_convexity, at most {}",
            significant(mean_curvature(&spec.declaration) / spec.declaration.dim() as f64)
        ));
    }
    let square = |noise: &Noise, lambda: f64, gradients: f64| {
        let declared = Declared { distance: radius, strong_convexity: mu, gradients };
        let bound = spec.method.error_bound(&Facts::declared(spec, noise, lambda, declared))?;
        bound.last().map(|value| value * value)
    };
    let terms = terms(square, noise, lambda).ok_or_else(|| format!("a premise of {theorem} fails"))?;
    let quantity = "mean square distance of a party's answer from the minimiser over the set";
    let mut bound = Prediction::new(Kind::Bound, quantity, theorem.to_owned(), terms);
    let diameter = 4.0 * radius * radius;
    if bound.value >= diameter {
        bound.remark =
            Some(format!("no less than the squared diameter of the set, {}: it says nothing", significant(diameter)));
    }
    Ok(bound)
}

/// The bound of paper B.
fn bound_on_gap(spec: &Spec, noise: &Noise) -> Result<Prediction, String> {
    let (radius, _) = distance(spec);
    let with = |noise: &Noise, lambda: f64, gradients: f64| {
        let declared = Declared { distance: radius, strong_convexity: None, gradients };
        spec.method.gap_bound(&Facts::declared(spec, noise, lambda, declared), false).filter(|value| value.is_finite())
    };
    let (lambda, sampled) = match spec.config.baseline {
        Some(Baseline::Alone) => return Err(String::new()),
        Some(Baseline::Centralised) => (0.0, false),
        None => mixing(spec)?,
    };
    let Some(terms) = terms(with, noise, lambda) else {
        let named = spec.config.algorithm.name() == "dual-averaging";
        let reason = "the bound for paper B needs no set, Euclidean distance, noise off the grid, a loss of bounded slope, and a \
                      bound on the norm of the optimum: a regulariser";
        return Err(if named { reason.to_owned() } else { String::new() });
    };
    let basis = "the bound for paper B, derived anew (Problem::gap of docs/theory/liu2024.md)";
    let (kind, basis) = if sampled {
        let estimated = format!(
            "{basis}, with sqrt(lambda~) = {} estimated from {SAMPLED} rounds of the public coins",
            significant(lambda)
        );
        (Kind::Estimate, estimated)
    } else {
        (Kind::Bound, basis.to_owned())
    };
    let quantity = "expected gap of the objective at the weighted mean of the points of the mean of all z";
    let mut bound = Prediction::new(kind, quantity, basis, terms);
    let at_origin = at_origin(spec);
    if bound.value >= at_origin {
        bound.remark =
            Some(format!("no less than the objective at 0, at most {}: it says nothing", significant(at_origin)));
    }
    Ok(bound)
}

/// The same if the parties always agreed.
fn gap_in_agreement(spec: &Spec, noise: &Noise) -> Result<Prediction, String> {
    let alone = spec.config.baseline == Some(Baseline::Alone);
    let with = |noise: &Noise, lambda: f64, gradients: f64| {
        let declared = Declared { distance: distance(spec).0, strong_convexity: None, gradients };
        let gap = spec.method.gap_bound(&Facts::declared(spec, noise, lambda, declared), true);
        gap.filter(|value| value.is_finite() && !alone)
    };
    let all = terms(with, noise, 0.0).ok_or(String::new())?;
    let terms = all.into_iter().filter(|term| term.name != CONSENSUS).collect();
    let basis = "the bound for paper B without its last term: as if the parties always agreed, which they nearly do where \
                 disagreement pulls in no one direction";
    Ok(Prediction::new(Kind::Estimate, "expected gap of the objective in agreement", basis.to_owned(), terms))
}

/// By what a round shrinks disagreement, and whether that is from a sample of rounds.
fn mixing(spec: &Spec) -> Result<(f64, bool), String> {
    match (spec.graph.lambda, &spec.sequence) {
        (Some(lambda), _) => Ok((lambda, false)),
        (None, Some(sequence)) => estimate_contraction(sequence, 0..SAMPLED)
            .map(|found| (found.upper.clamp(0.0, 1.0).sqrt(), true))
            .map_err(|error| format!("the bound for paper B needs lambda: {error}")),
        (None, None) => Err("the bound for paper B needs lambda, which was not found".to_owned()),
    }
}

/// The linear recursion.
fn estimate(spec: &Spec, noise: &Noise) -> Result<Prediction, String> {
    if spec.method.descent().is_none() {
        return Err(String::new());
    }
    let Worst { start, noise, .. } = worst(spec, noise)
        .ok_or("no error is estimated: the loss has a corner, or the parties sleep by no law, or never talk")?;
    let (radius, _) = distance(spec);
    if !radius.is_finite() {
        return Err("no error is estimated: there is no public bound on the optimum, such as a set".to_owned());
    }
    let dim = spec.declaration.dim() as f64;
    let mut terms = vec![
        Term { name: START, value: 0.5 * radius * radius * start },
        Term { name: NOISE, value: 0.5 * dim * noise },
    ];
    if let Some(lambda) = spec.graph.lambda {
        // Answers are at most a diameter apart, and averaging shrinks that; the mean of the objectives is as curved as declared.
        let apart = 2.0 * radius * lambda.powf(f64::from(spec.config.averaging_rounds));
        terms.insert(1, Term { name: CONSENSUS, value: 0.5 * mean_curvature(&spec.declaration) * apart * apart });
    }
    let basis = "exact linear recursion of the mean of the parties' points at the worst curvature that is declared; gradients at \
                 that mean, the set not met, no clips, full gradients";
    Ok(Prediction::new(Kind::Estimate, "expected excess of the mean objective", basis.to_owned(), terms))
}

/// The standard deviation of the noise of the mean of all parties' releases in the round where it is largest.
pub fn released_deviation(spec: &Spec, noise: &Noise) -> f64 {
    let rounds = (0..spec.config.rounds).filter(|&t| spec.method.releases_in(t));
    let largest = rounds.map(|t| super::descent::variance(noise, t)).fold(0.0, f64::max);
    (largest / spec.declaration.nodes() as f64).sqrt()
}
