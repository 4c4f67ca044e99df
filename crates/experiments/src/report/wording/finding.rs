//! What a run found, in sentences.

use super::model;
use crate::records::{Band, Plan, Score, Summary};
use crate::report::number::{score, significant};

/// The records that scores are computed from.
pub(in crate::report) fn held_out(summary: &Summary) -> String {
    summary.held_out.map_or_else(|| "held-out records".to_owned(), |count| format!("{count} held-out records"))
}

/// The names of the two figures of a score: of the one of which more is better, and of the other one.
pub(crate) fn figures(score: Score) -> (&'static str, &'static str) {
    match score {
        Score::Regression { .. } => ("R\u{b2}", "RMSE"),
        Score::Classes { .. } => ("accuracy", "mean loss"),
    }
}

/// The lowest and the highest score of any lane, each figure by itself.
pub(in crate::report) fn lanes(scores: &[Score]) -> [Score; 2] {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| {
        let merit = scores.iter().fold(start, |a, s| pick(a, s.merit()));
        let error = scores.iter().fold(start, |a, s| pick(a, s.error()));
        scores.first().map_or(Score::Regression { r2: merit, rmse: error }, |s| s.with(merit, error))
    };
    [fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
}

/// What the second figure of a score is measured in.
pub(in crate::report) fn units(score: Score) -> &'static str {
    match score {
        Score::Regression { .. } => "RMSE in the units of the target",
        Score::Classes { .. } => "loss as in the objective",
    }
}

/// The objective at the model of the run and at the optimum.
pub(in crate::report) fn objective(summary: &Summary, plan: &Plan) -> Option<String> {
    let found = summary.metrics.objective?;
    let proof = found.gap.map_or(String::new(), |gap| format!(", which is proved to {}", significant(gap.max(0.0))));
    let alone = match (found.best_alone, found.median_alone) {
        (Some(best), Some(median)) => format!(
            "; of the parties alone, {} at the model of the best and {} at that of the median one",
            significant(best),
            significant(median)
        ),
        _ => String::new(),
    };
    Some(format!(
        "Objective on the training records: {} at the {}, {} at the optimum{proof}{alone}. Not covered by the guarantee.",
        significant(found.private),
        model(plan),
        significant(found.optimum)
    ))
}

/// What a theorem allows beside what was measured.
pub(in crate::report) fn allowed(summary: &Summary) -> Option<String> {
    let found = summary.bound.as_ref()?;
    Some(format!(
        "Distance of the mean estimate from the optimum, relative to the optimum: {} at the end; {} bounds it by {}, as root mean \
         square over the noise. The bound knows the data: not covered by the guarantee.",
        significant(found.measured),
        found.theorem,
        significant(found.points.last()?.1)
    ))
}

/// Which of the parties' models is scored.
pub(in crate::report) fn scored(plan: &Plan) -> String {
    let lanes = if plan.lanes > 1 { ", the mean over lanes" } else { "" };
    format!("The score of the {} is that of the party that fares worst{lanes}.", model(plan))
}

/// The result in one sentence.
pub(in crate::report) fn finding(summary: &Summary, plan: &Plan) -> String {
    let m = &summary.metrics;
    let private = m.private.merit();
    let best = score(m.best_alone.merit());
    let verdict = if private > m.best_alone.merit() {
        format!("more than the best party alone ({best})")
    } else if private > m.median_alone.merit() {
        format!("more than the median party alone ({}) but not the best ({best})", score(m.median_alone.merit()))
    } else if private > m.constant.merit() {
        format!("no more than the median party alone ({}; best {best})", score(m.median_alone.merit()))
    } else {
        format!("no more than a constant prediction ({}; best party alone {best})", score(m.constant.merit()))
    };
    format!(
        "On held-out records the {} reaches {} = {}, {verdict}; the optimum without privacy reaches {}.",
        model(plan),
        figures(m.private).0,
        score(private),
        score(m.optimum.merit())
    )
}

/// How far the score may be off, and what that does not tell.
pub(in crate::report) fn uncertainty(summary: &Summary) -> String {
    let merits: Vec<f64> = summary.lane_scores.iter().map(|score| score.merit()).collect();
    let lanes = match Band::of(&merits) {
        Some(Band { lanes, standard_error: Some(error), q05, q95, .. }) => format!(
            "Over {lanes} lanes the standard error of the mean is {}, and the 5th to 95th percentile reach from {} to {}. That is \
             the luck of the noise alone: the records and their split are the same in all lanes.",
            significant(error),
            score(q05),
            score(q95)
        ),
        _ => "This is one lane, so how much of it is the luck of the noise is not known: set lanes to 10, say, to see."
            .to_owned(),
    };
    match (summary.metrics.private, summary.held_out) {
        (Score::Classes { accuracy, .. }, Some(n)) if n > 0 => {
            let [low, high] = wilson(accuracy.clamp(0.0, 1.0), n as f64);
            format!(
                "{lanes} From {n} held-out records an accuracy is known to {} to {} (95 % Wilson interval).",
                score(low),
                score(high)
            )
        }
        _ => lanes,
    }
}

/// Wilson's 95 % interval of a share of `n`.
fn wilson(share: f64, n: f64) -> [f64; 2] {
    const Z: f64 = 1.959_963_984_540_054;
    let (centre, scale) = (share + Z * Z / (2.0 * n), 1.0 + Z * Z / n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    [(centre - half) / scale, (centre + half) / scale]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::ObjectiveValues;
    use crate::report::fixture;

    #[test]
    fn the_finding_compares_with_the_nearest_reference() {
        for (r2, verdict) in [
            (0.3812, "more than the best party alone (0.3345);"),
            (0.3, "more than the median party alone (0.2156) but not the best (0.3345);"),
            (0.1, "no more than the median party alone (0.2156; best 0.3345);"),
            (-4.0, "no more than a constant prediction (-0.0011; best party alone 0.3345);"),
            (f64::NAN, "no more than a constant prediction"),
        ] {
            let mut summary = fixture::summary();
            summary.metrics.private = summary.metrics.private.with(r2, 0.0);
            let found = finding(&summary, &fixture::plan());
            assert!(found.contains(verdict), "{found}");
        }
    }

    #[test]
    fn classes_have_an_accuracy_and_an_objective() {
        let mut summary = fixture::summary();
        let of = |accuracy| Score::Classes { accuracy, loss: 0.5 };
        let m = &mut summary.metrics;
        (m.private, m.optimum, m.constant) = (of(0.8), of(0.9), of(0.6));
        (m.best_alone, m.median_alone) = (of(0.85), of(0.75));
        let found = finding(&summary, &fixture::plan());
        assert!(found.contains("reaches accuracy = 0.8000, more than the median party alone (0.7500)"), "{found}");
        assert_eq!(objective(&summary, &fixture::plan()), None);
        let values = ObjectiveValues {
            private: 0.45,
            optimum: 0.4,
            gap: Some(1e-9),
            best_alone: Some(0.41),
            median_alone: Some(0.42),
        };
        summary.metrics.objective = Some(values);
        let text = objective(&summary, &fixture::plan()).unwrap();
        assert!(text.contains("0.45 at the private model, 0.4 at the optimum, which is proved to 1e-9"), "{text}");
        assert!(
            text.contains("of the parties alone, 0.41 at the model of the best and 0.42 at that of the median"),
            "{text}"
        );
    }
}
