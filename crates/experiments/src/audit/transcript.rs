//! The likelihood ratio of everything that was sent.

use dido_mechanisms::audit::Evidence;

use super::{Audit, AuditReport, PairTranscripts, largest, overall};
use crate::error::ExperimentError;

pub(super) fn audit(audit: &Audit<'_>, report: AuditReport) -> Result<AuditReport, ExperimentError> {
    let pairs = audit.pairs()?;
    let confidence = audit.confidence_of_each(pairs.len());
    let claimed = report.claimed;
    let mut transcripts = vec![];
    for (number, pair) in pairs.iter().enumerate() {
        let evidence = evidence(audit, number, pair)?;
        let found = evidence.audit(claimed.epsilon, claimed.delta, claimed.pure, confidence)?;
        transcripts.push(PairTranscripts { pair: pair.name.to_owned(), audit: found });
    }
    let audits = || transcripts.iter().map(|pair| &pair.audit);
    let with_pair = |pair: &PairTranscripts| -> Vec<String> {
        pair.audit.reasons.iter().map(|reason| format!("{}: {reason}", pair.pair)).collect()
    };
    Ok(AuditReport {
        largest_loss: largest(audits().map(|audit| audit.largest_loss)),
        mean_loss: largest(audits().map(|audit| audit.mean_loss)),
        delta: audits().map(|audit| audit.delta).max_by(|a, b| a.estimate.total_cmp(&b.estimate)),
        verdict: overall(audits().map(|audit| audit.verdict)),
        reasons: transcripts.iter().flat_map(with_pair).collect(),
        transcripts,
        ..report
    })
}

/// All runs on the two data sets of a pair; `number` is that of the pair.
pub(super) fn evidence(
    audit: &Audit<'_>,
    number: usize,
    pair: &dido_optimizers::audit::Pair,
) -> Result<Evidence, ExperimentError> {
    let mut evidence = Evidence::default();
    for (first, lanes) in audit.batches() {
        let key = |world: u32, node: usize, lane: usize| audit.key(2 * number + world as usize, node, first + lane);
        audit.with(|audited| audited.evidence(pair, lanes, key, &mut evidence))?;
    }
    Ok(evidence)
}
