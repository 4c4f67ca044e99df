//! One run, in which a secret coin decides for each of many records which of two extreme versions it has.
//!
//! The two versions have the same row, of full length along one coordinate, and opposite targets: the gradients then differ
//! by the same vector wherever they are taken. A party gets at most one such record for each coordinate, since further ones
//! would hide each other. A coin is guessed by the likelihood ratio of the messages for its record with either target,
//! while all other coins' records have the target 0; every coin is guessed.

use dido_mechanisms::audit::{OneRun, Verdict};
use dido_mechanisms::{Adjacency, Key, Purpose, Stream};
use dido_optimizers::audit::with_records;
use dido_problems::Shard;
use rand::RngExt;

use super::{Audit, AuditReport};
use crate::error::ExperimentError;

/// A record, or all records of a party, that a coin decides about.
struct Canary {
    node: usize,
    rows: std::ops::Range<usize>,
    /// The row of features of full length.
    features: Vec<f64>,
    /// Whether the target is the largest one, rather than the least one.
    high: bool,
}

pub(super) fn audit(audit: &Audit<'_>, report: AuditReport) -> Result<AuditReport, ExperimentError> {
    let canaries = canaries(audit)?;
    let target = inside(audit) * audit.spec.declaration.bounds().target();
    let side = |canary: &Canary| if canary.high { target } else { -target };
    let actual = shards(&audit.data.shards, &canaries, side)?;
    let neutral = shards(&audit.data.shards, &canaries, |_| 0.0)?;
    let keys = (0..actual.len()).map(|node| audit.key(0, node, 0)).collect();
    let transcript = audit.with(|audited| audited.record(&actual, 1, keys))?.transcript;
    let mut scores = vec![];
    for canary in &canaries {
        let with = |target: f64| shards(&neutral, std::slice::from_ref(canary), |_| target);
        let (high, low) = (with(target)?, with(-target)?);
        let found = audit.with(|audited| audited.compare(&transcript, &high, &low))?;
        scores.push((found.losses[0], canary.high));
    }
    let correct = scores.iter().filter(|(score, high)| (*score > 0.0) == *high).count();
    let found = OneRun::new(scores.len() as u64, scores.len() as u64, correct as u64)?;
    conclude(audit, report, found)
}

fn conclude(audit: &Audit<'_>, report: AuditReport, found: OneRun) -> Result<AuditReport, ExperimentError> {
    let (claimed, confidence) = (report.claimed, report.confidence);
    let epsilon_lower = found.epsilon_lower(claimed.delta, confidence)?;
    let ceiling = found.ceiling(claimed.delta, confidence)?;
    let verdict = found.verdict(claimed.epsilon, claimed.delta, confidence)?;
    let reasons = match verdict {
        Verdict::Violation => vec![format!("epsilon is above {epsilon_lower}, {} is claimed", claimed.epsilon)],
        Verdict::Inconclusive => {
            vec![format!("so many coins cannot show more than {ceiling}, {} is claimed", claimed.epsilon)]
        }
        Verdict::Pass => vec![],
    };
    let (epsilon_lower, ceiling, guesses) = (Some(epsilon_lower), Some(ceiling), Some(found));
    let runs = usize::try_from(found.canaries()).unwrap_or(usize::MAX);
    Ok(AuditReport { victim: audit.options.victim, runs, epsilon_lower, ceiling, guesses, verdict, reasons, ..report })
}

/// As many coins as were asked for and there is room for, party by party in turn; of the victim only, if one is named.
fn canaries(audit: &Audit<'_>) -> Result<Vec<Canary>, ExperimentError> {
    let declaration = &audit.spec.declaration;
    let (dim, records) = (declaration.dim(), declaration.records());
    let nodes: Vec<usize> = audit.options.victim.map_or((0..declaration.nodes()).collect(), |victim| vec![victim]);
    let whole = audit.adjacency() == Adjacency::ReplaceNode;
    let mut coins = Key::derive(audit.options.seed, 0, u32::MAX).rng(Stream::new(0, Purpose::Sampling, 0)?);
    let length = inside(audit) * declaration.bounds().row_norm();
    let mut canaries = vec![];
    for axis in 0..if whole { 1 } else { dim } {
        for &node in nodes.iter().filter(|&&node| axis < records[node]) {
            let features = (0..dim).map(|k| if k == axis { length } else { 0.0 }).collect();
            let rows = if whole { 0..records[node] } else { axis..axis + 1 };
            canaries.push(Canary { node, rows, features, high: coins.random() });
        }
    }
    canaries.truncate(audit.options.runs);
    Ok(canaries)
}

/// What keeps a record within its bounds after rounding.
fn inside(audit: &Audit<'_>) -> f64 {
    1.0 - (audit.spec.declaration.dim() as f64 + 4.0) * f64::EPSILON
}

/// `shards` with the records of the canaries, at these targets.
fn shards(
    shards: &[Shard],
    canaries: &[Canary],
    target: impl Fn(&Canary) -> f64,
) -> Result<Vec<Shard>, ExperimentError> {
    let mut all = shards.to_vec();
    for (node, shard) in all.iter_mut().enumerate() {
        let own: Vec<&Canary> = canaries.iter().filter(|canary| canary.node == node).collect();
        if own.is_empty() {
            continue;
        }
        let records = own
            .iter()
            .flat_map(|canary| canary.rows.clone().map(|row| (row, (canary.features.clone(), target(canary)))));
        *shard = with_records(shard, records)?;
    }
    Ok(all)
}
