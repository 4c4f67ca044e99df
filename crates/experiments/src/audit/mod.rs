//! Audits of an experiment: the claim of its plan, held against runs on worst-case neighbouring data sets.
//!
//! An audit looks at the data without noise: its report is for the owner of the data only.

mod black_box;
mod one_run;
mod transcript;

use dido_mechanisms::audit::{DeltaEstimate, OneRun, ThresholdAudit, TranscriptAudit, Verdict};
use dido_mechanisms::{Accountant, Adjacency, Key, Ledger, MechanismError, Pure, Rdp};
use dido_optimizers::Noise;
use dido_optimizers::audit::{Audited, Pair, worst_case_pairs};
use serde::{Deserialize, Serialize};

use crate::algorithms;
use crate::data::{self, Prepared};
use crate::error::ExperimentError;
use crate::planning::Planned;
use crate::spec::Spec;

/// How to audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The likelihood ratio of everything that was sent.
    Transcript,
    /// A threshold on a score of each run.
    BlackBox,
    /// Guesses at many coins in one run.
    OneRun,
}

/// What the adversary sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// All releases of all parties.
    All,
    /// The releases of one party and its neighbours.
    Neighbour,
    /// The models at the end.
    Final,
}

/// What to audit, and with what effort.
#[derive(Clone, Copy, Debug)]
pub struct AuditOptions {
    /// The method.
    pub method: Method,
    /// Runs on each data set; of a one-run audit, coins.
    pub runs: usize,
    /// The probability that a true claim is not called violated.
    pub confidence: f64,
    /// The party whose data differ; by default one with the largest epsilon.
    pub victim: Option<usize>,
    /// What the adversary sees.
    pub view: View,
    /// Of the noise of the audit. It is never that of a run.
    pub seed: u64,
}

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Epsilon of the budget; without one, that of the plan by zCDP, or Rényi divergences where that does not apply.
    pub epsilon: f64,
    /// Its delta; 0 for pure differential privacy.
    pub delta: f64,
    /// The pure epsilon of the releases of the victim, which no single run may exceed; the largest number there is if a
    /// single run has no bound, as with Gaussian noise.
    pub pure: f64,
}

/// The transcript audit of one pair of data sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairTranscripts {
    /// The pair.
    pub pair: String,
    /// What was found.
    #[serde(flatten)]
    pub audit: TranscriptAudit,
}

/// The threshold test of one pair of data sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairThreshold {
    /// The pair.
    pub pair: String,
    /// What was found.
    #[serde(flatten)]
    pub audit: ThresholdAudit,
}

/// The report of an audit. Computed from records without noise: not private.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditReport {
    /// Name of the experiment.
    pub name: String,
    /// Digest of its specification.
    pub digest: String,
    /// The method.
    pub method: Method,
    /// What the adversary was shown.
    pub view: View,
    /// The party whose data differ; null where coins are tossed for all.
    pub victim: Option<usize>,
    /// The neighbouring relation, in words.
    pub adjacency: String,
    /// What is claimed.
    pub claimed: Claim,
    /// The confidence of the whole audit.
    pub confidence: f64,
    /// Runs on each data set, or coins.
    pub runs: usize,
    /// The largest absolute log-likelihood ratio of a run (transcript).
    pub largest_loss: Option<f64>,
    /// The largest mean of the ratios over the runs on a data set, an estimate of a KL divergence (transcript).
    pub mean_loss: Option<f64>,
    /// The largest estimate of delta at the claimed epsilon (transcript).
    pub delta: Option<DeltaEstimate>,
    /// The largest epsilon that is refuted (black-box, one-run).
    pub epsilon_lower: Option<f64>,
    /// The most that so many runs or coins can show (black-box, one-run).
    pub ceiling: Option<f64>,
    /// Each pair of data sets (transcript).
    pub transcripts: Vec<PairTranscripts>,
    /// Each pair of data sets (black-box).
    pub thresholds: Vec<PairThreshold>,
    /// The guesses (one-run).
    pub guesses: Option<OneRun>,
    /// The outcome.
    pub verdict: Verdict,
    /// What is violated, or why nothing can be said.
    pub reasons: Vec<String>,
}

/// More runs than this are a slip of the keyboard.
const MOST_RUNS: usize = 1_000_000;

/// Numbers of a transcript that are held at a time.
const BATCH: usize = 1 << 20;

/// Audits `spec` as planned.
///
/// # Errors
/// If the run has no noise, an option is out of range or does not go with the method, or the data cannot be used.
pub fn audit(spec: &Spec, planned: &Planned, options: &AuditOptions) -> Result<AuditReport, ExperimentError> {
    check(spec, planned, options)?;
    let data = data::prepare(spec)?;
    let victim = match options.victim {
        Some(victim) => victim,
        None => most_exposed(&planned.ledger)?,
    };
    let audit = Audit { spec, planned, options, data: &data, victim };
    let claimed = audit.claim()?;
    let report = AuditReport {
        name: spec.config.name.clone(),
        digest: spec.digest.clone(),
        method: options.method,
        view: options.view,
        victim: Some(victim),
        adjacency: spec.config.privacy.adjacency.to_string(),
        claimed,
        confidence: options.confidence,
        runs: options.runs,
        largest_loss: None,
        mean_loss: None,
        delta: None,
        epsilon_lower: None,
        ceiling: None,
        transcripts: vec![],
        thresholds: vec![],
        guesses: None,
        verdict: Verdict::Pass,
        reasons: vec![],
    };
    match options.method {
        Method::Transcript => transcript::audit(&audit, report),
        Method::BlackBox => black_box::audit(&audit, report),
        Method::OneRun => one_run::audit(&audit, report),
    }
}

/// A party with the largest pure epsilon; of the largest Rényi divergences where that is not defined.
fn most_exposed(ledger: &Ledger) -> Result<usize, ExperimentError> {
    match Pure.bound(ledger, 0.0) {
        Err(MechanismError::Unsupported { .. }) => Ok(Rdp::default().bound(ledger, DELTA)?.node),
        bound => Ok(bound?.node),
    }
}

/// Any delta orders parties by their Rényi divergences.
const DELTA: f64 = 1e-5;

fn check(spec: &Spec, planned: &Planned, options: &AuditOptions) -> Result<(), ExperimentError> {
    let usage = |message: &str| Err(ExperimentError::Usage(message.to_owned()));
    if spec.config.baseline.is_some() {
        return usage("a baseline sends no messages: audit the experiment without it");
    }
    if matches!(planned.noise, Noise::None) {
        return usage("a run without noise claims nothing: there is nothing to audit");
    }
    if spec.method.shared_noise().is_some() {
        return usage("noise that parties share is not part of an audit: its messages are not independent");
    }
    let argument = |argument, value: String, range: String| Err(ExperimentError::Argument { argument, value, range });
    if !(2..=MOST_RUNS).contains(&options.runs) {
        return argument("--runs", options.runs.to_string(), format!("2 to {MOST_RUNS}"));
    }
    if !(options.confidence >= 0.5 && options.confidence < 1.0) {
        return argument("--confidence", options.confidence.to_string(), "0.5 to 1, without 1".to_owned());
    }
    if let Some(victim) = options.victim.filter(|&victim| victim >= spec.declaration.nodes()) {
        return argument("--victim", victim.to_string(), format!("0 to {}, the parties", spec.declaration.nodes() - 1));
    }
    let by_likelihood = options.method != Method::BlackBox || options.view == View::All;
    if by_likelihood && spec.method.is_sampled() {
        return usage(
            "which records a party looks at is its secret, so the likelihood of messages is not known: use --method \
             black-box --view final or neighbour",
        );
    }
    match (options.method, options.view) {
        (Method::Transcript | Method::OneRun, View::Neighbour | View::Final) => {
            usage("the likelihood of a part of the messages is not known: use --view all, or --method black-box")
        }
        _ => Ok(()),
    }
}

/// An audit under way.
struct Audit<'a> {
    spec: &'a Spec,
    planned: &'a Planned,
    options: &'a AuditOptions,
    data: &'a Prepared,
    victim: usize,
}

impl Audit<'_> {
    fn claim(&self) -> Result<Claim, ExperimentError> {
        let pure = self.pure()?;
        let (epsilon, delta) = match self.spec.budget {
            Some(budget) => (budget.epsilon(), budget.delta()),
            None => (self.claimed_by_plan().unwrap_or(f64::MAX), self.spec.delta),
        };
        Ok(Claim { epsilon, delta, pure })
    }

    fn claimed_by_plan(&self) -> Option<f64> {
        let epsilon = &self.planned.plan.epsilon;
        epsilon.zcdp.or(epsilon.rdp)
    }

    /// The pure epsilon of the victim's own class of parties; the largest number if there is none.
    fn pure(&self) -> Result<f64, ExperimentError> {
        let mut ledger: Ledger = self.planned.ledger.clone();
        ledger.classes.retain(|class| class.nodes.contains(&self.victim));
        match Pure.bound(&ledger, 0.0) {
            Err(MechanismError::Unsupported { .. }) => Ok(f64::MAX),
            bound => Ok(bound?.epsilon),
        }
    }

    fn pairs(&self) -> Result<Vec<Pair>, ExperimentError> {
        let Spec { declaration, method, .. } = self.spec;
        Ok(worst_case_pairs(declaration, self.adjacency(), method.set().radius(), &self.data.shards, self.victim)?)
    }

    fn adjacency(&self) -> Adjacency {
        self.spec.config.privacy.adjacency
    }

    fn with<T>(&self, use_it: impl FnOnce(&Audited<'_>) -> T) -> T {
        use_it(&Audited {
            declaration: &self.spec.declaration,
            adjacency: self.adjacency(),
            noise: &self.planned.noise,
            rounds: self.spec.config.rounds,
            algorithm: &|parties| algorithms::build(self.spec, parties),
            network: &|| self.spec.network(),
        })
    }

    /// First lane and number of lanes of each batch of runs: as many as fit into memory well.
    fn batches(&self) -> impl Iterator<Item = (usize, usize)> {
        let declaration = &self.spec.declaration;
        let numbers = self.spec.config.rounds as usize * declaration.nodes() * declaration.dim();
        let (runs, lanes) = (self.options.runs, (BATCH / numbers.max(1)).max(1));
        (0..runs).step_by(lanes).map(move |first| (first, lanes.min(runs - first)))
    }

    /// The noise of a run of the audit. Lanes are counted from the end, where no run of an experiment has any, and each
    /// `world` (a data set of a pair) has its own.
    fn key(&self, world: usize, node: usize, run: usize) -> Key {
        let lane = u32::try_from(world * self.options.runs + run).expect("fewer than 2^32 runs in all");
        let node = u32::try_from(node).expect("fewer than 2^32 parties");
        Key::derive(self.options.seed, node, u32::MAX - lane)
    }

    /// The confidence of each of `parts` tests that together have the confidence asked for (Bonferroni).
    fn confidence_of_each(&self, parts: usize) -> f64 {
        1.0 - (1.0 - self.options.confidence) / parts.max(1) as f64
    }
}

/// One violation is a violation, and only what passes everywhere passes.
fn overall(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    verdicts.fold(Verdict::Pass, |all, one| match (all, one) {
        (Verdict::Violation, _) | (_, Verdict::Violation) => Verdict::Violation,
        (Verdict::Inconclusive, _) | (_, Verdict::Inconclusive) => Verdict::Inconclusive,
        (Verdict::Pass, Verdict::Pass) => Verdict::Pass,
    })
}

/// The largest of some numbers.
fn largest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}
