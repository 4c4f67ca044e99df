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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditOptions, Method, View};
    use crate::{Spec, data, load, plan};
    use dido_optimizers::audit::Pair;

    const TOML: &str = r#"
        name = "incomplete"
        rounds = 4
        lanes = 1
        data = { source = "one.csv", row_norm = 1.5, records = [3, 3], missing = "drop", held_out = { fraction = 0.4, by = "party" },
            partition = { kind = "by-column", column = "site" }, target = { column = "y", min = -1, max = 1 },
            features = [{ kind = "intercept" }, { kind = "numeric", column = "x", min = -1, max = 1 }] }
        graph = { kind = "complete" }
        algorithm = { kind = "projected-dgd", set = { kind = "l2-ball", radius = 1 }, step = { kind = "constant", c = 0.3 } }
        [privacy]
        adjacency = "replace-record"
        budget = { epsilon = 2, delta = 0 }
        noise = { kind = "calibrated", mechanism = "laplace" }
    "#;

    const ROWS: [&str; 10] =
        ["0.5,0.1", "-1,1", "1,-1", "0.3,0.9", "-0.2,0.4", "0,1", "1,1", "0.7,-0.3", "-1,0.2", "0.4,0.4"];

    fn file(record: usize, cells: &str) -> String {
        let row =
            |(k, row): (usize, &&str)| format!("{},{}\n", ["a", "b"][k / 5], if k == record { cells } else { row });
        "site,x,y\n".to_owned() + &ROWS.iter().enumerate().map(row).collect::<String>()
    }

    /// A complete record against an incomplete one in its place, for every place, with the extreme records of the declared
    /// bounds: the likelihood ratio of every transcript of 20 runs in each direction is exact, and within the pure epsilon of the
    /// plan. That holds for every run, whatever the seed. It would not if an incomplete record changed a count, a divisor or the
    /// share of another record; that the largest ratio is above a tenth of the bound shows that there is something to see.
    #[test]
    fn whether_a_record_is_complete_is_protected_like_the_rest_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("incomplete.toml"), TOML).unwrap();
        let logistic = ["data.target={ column = 'y', levels = ['-1', '1'] }", "objective.loss={ kind = 'logistic' }"];
        let sums = "algorithm={ kind = 'sufficient-statistics' }";
        let output = "algorithm={ kind = 'output-perturbation', set = { kind = 'l2-ball', radius = 1 } }";
        let mu = "objective.regulariser={ kind = 'squared-l2', mu = 0.5 }";
        for keys in [&[][..], &[sums], &[output, mu], &["objective.weighting=node-mean"], &logistic] {
            let binary = keys.contains(&logistic[0]);
            let mut largest: f64 = 0.0;
            let mut bound = 0.0;
            for record in 0..5 {
                for complete in ["1,1", "-1,1", "1,-1"] {
                    let shards = |cells: &str| {
                        let text = file(record, cells);
                        let class = |cell: &str| if cell.starts_with('-') { "-1" } else { "1" };
                        let classes = |line: &str| match line.rsplit_once(',') {
                            Some((start, y)) if y != "y" && !y.is_empty() => format!("{start},{}\n", class(y)),
                            _ => format!("{line}\n"),
                        };
                        let text = if binary { text.lines().map(classes).collect::<Vec<_>>().concat() } else { text };
                        std::fs::write(path("one.csv"), text).unwrap();
                        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
                        let spec = Spec::new(load(&path("incomplete.toml"), &keys).unwrap()).unwrap();
                        let data = data::prepare(&spec).unwrap();
                        (spec, data)
                    };
                    let (spec, one) = shards(complete);
                    for incomplete in ["NA,1", "-1,"] {
                        let other = shards(incomplete).1;
                        assert_eq!(one.held_out_records, other.held_out_records);
                        let pair = Pair { name: "incomplete", one: one.shards.clone(), other: other.shards };
                        let planned = plan(&spec).unwrap();
                        let options = AuditOptions {
                            method: Method::Transcript,
                            runs: 20,
                            confidence: 0.95,
                            victim: Some(0),
                            view: View::All,
                            seed: 5,
                        };
                        let audit = Audit { spec: &spec, planned: &planned, options: &options, data: &one, victim: 0 };
                        let claim = audit.claim().unwrap();
                        let found = evidence(&audit, 0, &pair).unwrap();
                        let found = found.audit(claim.epsilon, claim.delta, claim.pure, 0.95).unwrap();
                        largest = largest.max(found.largest_loss);
                        bound = claim.pure;
                        assert!(found.largest_loss <= claim.pure * (1.0 + 1e-9), "{keys:?}: {found:?}");
                    }
                }
            }
            assert!(bound > 0.0 && bound <= 2.0 && largest > 0.1 * bound, "{keys:?}: {largest} of {bound}");
        }
    }
}
