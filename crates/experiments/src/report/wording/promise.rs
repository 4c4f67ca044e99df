//! What is promised, in words and in numbers that need no epsilon, and what is not.

use crate::config::Seed;
use crate::records::{Epsilons, Plan, Summary};
use crate::report::number::{bound, significant};
use crate::report::planned;

/// What a reader must not take for protected.
pub(in crate::report) const NOT_COVERED: [(&str, &str); 7] = [
    ("Scores on held-out records", "computed from records of people, without noise"),
    ("The optimum", "that of all training records together, without privacy"),
    ("The parties alone", "each party's own records, without privacy"),
    ("Clip counts", "how many values of each column lay outside the public bounds"),
    (
        "trace.csv and the curves drawn from it",
        "scores and distances are computed from records in every observed round",
    ),
    ("error.svg", "the curve of the scores, and those of the optimum and the parties alone"),
    ("local.json", "the SHA-256 of the data tells whether a guess of all records is right: keep it to yourself"),
];

/// The same without the reasons.
pub(crate) fn not_covered() -> impl Iterator<Item = &'static str> {
    NOT_COVERED.iter().map(|(what, _)| *what)
}

/// An epsilon with its delta, and who found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Promise<'a> {
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
    pub(crate) accountant: &'a str,
}

impl<'a> Promise<'a> {
    /// The least one there is; at delta 0 if the budget asks for that.
    pub(crate) fn of(found: &'a Epsilons, plan: &Plan) -> Option<Self> {
        let at = |epsilon: Option<f64>, delta, accountant| Some(Self { epsilon: epsilon?, delta, accountant });
        let pure = at(found.pure, 0.0, "pure");
        if plan.budget.is_some_and(|budget| budget.delta <= 0.0) {
            return pure;
        }
        let best = found.best.as_ref().and_then(|best| {
            let delta = if best.method == "pure" { 0.0 } else { plan.delta };
            at(Some(best.epsilon), delta, &best.method)
        });
        let quick = [at(found.zcdp, plan.delta, "zcdp"), at(found.rdp, plan.delta, "rdp"), pure];
        best.or_else(|| quick.into_iter().flatten().min_by(|a, b| a.epsilon.total_cmp(&b.epsilon)))
    }

    /// What is promised of all lanes together; nothing where nothing is.
    pub(crate) fn of_all_lanes(plan: &Plan, summary: &'a Summary) -> Option<Self> {
        Self::of(&summary.epsilon_all_lanes, plan).filter(|_| plan.not_private().is_none())
    }
}

/// What the guarantee speaks of, given where the noise came from.
pub(crate) fn caveats(summary: &Summary, plan: &Plan) -> Vec<String> {
    if let Some(reason) = plan.not_private() {
        return vec![reason.to_owned()];
    }
    let origin = if summary.seeds.noise == Seed::Os {
        "The key of the noise came from the operating system and was not stored. Every run of this specification \
         (with --force, with another --out, after an interruption) draws fresh noise and spends its epsilon anew on \
         the same data: the sum of all such runs counts."
            .to_owned()
    } else {
        format!(
            "The guarantee is that of the mechanism, not of these files: the noise follows from seed {}.",
            summary.seeds.noise
        )
    };
    let sampler = if plan.grid.is_some() {
        "The noise is drawn exactly, in whole steps of a grid, and what rounding adds to a sensitivity is accounted for."
    } else {
        "The noise is drawn by a floating-point sampler, made for simulation; the guarantee is that of the ideal mechanism \
         it stands for."
    };
    [Some(origin), Some(sampler.to_owned()), planned::stopped(summary)].into_iter().flatten().collect()
}

/// The most that a test with this share of false alarms can detect under `(epsilon, delta)`: both forms of the definition.
fn detected(false_alarms: f64, epsilon: f64, delta: f64) -> f64 {
    let direct = epsilon.exp() * false_alarms + delta;
    let other_way = 1.0 - (-epsilon).exp() * (1.0 - delta - false_alarms);
    direct.min(other_way).clamp(0.0, 1.0)
}

/// What is right most often: somebody who holds both data sets for equally likely, and then sees an outcome.
fn right(epsilon: f64, delta: f64) -> f64 {
    ((1.0 + delta * (-epsilon).exp()) / (1.0 + (-epsilon).exp())).min(1.0)
}

/// The promise for those who do not know what epsilon is, and its limits.
pub(in crate::report) fn plain_words(plan: &Plan, summary: &Summary) -> Vec<String> {
    let reason = match (plan.not_private(), Promise::of_all_lanes(plan, summary)) {
        (None, Some(promise)) => return promised(plan, summary, &promise),
        (Some(reason), _) => reason,
        (None, None) => "NON-PRIVATE: no accountant bounds what this run tells about a record.",
    };
    vec![format!("{reason} Treat everything in this folder as you treat the data.")]
}

fn promised(plan: &Plan, summary: &Summary, promise: &Promise) -> Vec<String> {
    let Promise { epsilon, delta, accountant } = *promise;
    let lanes = if summary.lanes > 1 { format!(" of all {} lanes", summary.lanes) } else { String::new() };
    let besides = if delta > 0.0 { format!(", plus a probability of {}", significant(delta)) } else { String::new() };
    let mut words = vec![
        format!(
            "Two data sets are compared: {}. Somebody who {} tries to tell from all releases{lanes} which of the two was used.",
            plan.adjacency_in_words, plan.adversary_in_words,
        ),
        format!(
            "Whatever their method and whatever else they know, anything that they may see is at most {} times as likely with \
             one data set as with the other{besides}: that is what epsilon = {} at delta = {} means (all releases added up by \
             {accountant}). A test that raises a false alarm in 5 of 100 cases is right about a record in at most {} of 100; \
             somebody who held both data sets for equally likely is right afterwards in at most {} of 100 cases.",
            factor(epsilon),
            bound(epsilon),
            significant(delta),
            at_most(100.0 * detected(0.05, epsilon, delta)),
            at_most(100.0 * right(epsilon, delta)),
        ),
    ];
    if let (true, Some(one)) = (summary.lanes > 1, Promise::of(&summary.epsilon, plan)) {
        words.push(format!(
            "Whoever sees one lane only, and no other, is bound by less: {} times, {} of 100 and {} of 100 (epsilon = {}).",
            factor(one.epsilon),
            at_most(100.0 * detected(0.05, one.epsilon, one.delta)),
            at_most(100.0 * right(one.epsilon, one.delta)),
            bound(one.epsilon),
        ));
    }
    words.push(
        "What is not promised: that nothing can be learnt about people at large, which is what the model is for; that a person \
         with several records is protected as well as one with a single record (epsilon grows with their number); that several \
         runs on the same data cost no more than one (their epsilons add up); or anything about the figures listed below as not \
         covered, which are for the owner of the data."
            .to_owned(),
    );
    words
}

/// The number that epsilon is the logarithm of, not rounded down.
fn factor(epsilon: f64) -> String {
    let factor = epsilon.exp();
    if factor.is_finite() { bound(factor) } else { format!("exp({})", bound(epsilon)) }
}

/// A percentage that is not rounded down: with one decimal, or as many as tell it from 100.
fn at_most(percent: f64) -> String {
    let up = |decimals: i32| (percent * 10_f64.powi(decimals)).ceil() / 10_f64.powi(decimals);
    match (1..=6).find(|&decimals| up(decimals) < 100.0) {
        Some(decimals) => format!("{:.*}", usize::try_from(decimals).unwrap_or(1), up(decimals)),
        None => "100".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    /// The best test is a line and its mirror image: where it is right about both data sets equally often, a false alarm is as
    /// frequent as an oversight.
    #[test]
    fn both_figures_are_those_of_the_best_test() {
        for (epsilon, delta) in [(0.0, 0.0), (0.1, 0.0), (1.0, 1e-5), (3.0, 1e-2), (10.0, 1e-6)] {
            let equal = 1.0 - right(epsilon, delta);
            assert!((detected(equal, epsilon, delta) - right(epsilon, delta)).abs() < 1e-12, "{epsilon}, {delta}");
        }
        assert!((right(0.0, 0.0) - 0.5).abs() < 1e-15 && (detected(0.05, 0.0, 0.0) - 0.05).abs() < 1e-15);
        // 0.05 e + 1e-5, and e / (1 + e).
        assert!((detected(0.05, 1.0, 1e-5) - 0.135_924_09).abs() < 1e-8);
        assert!((right(1.0, 0.0) - 0.731_058_578_6).abs() < 1e-9);
    }

    #[test]
    fn percentages_are_not_rounded_down() {
        assert_eq!(
            [13.592_4, 50.0, 99.91, 99.999_97, 100.0].map(at_most),
            ["13.6", "50.0", "99.91", "99.99997", "100"]
        );
    }

    #[test]
    fn the_statement_has_the_numbers_of_all_lanes_and_no_verdict() {
        let (plan, mut summary) = (fixture::plan(), fixture::summary());
        let words = plain_words(&plan, &summary).concat();
        // exp(1.956) = 7.0710, 0.05 * 7.071 = 0.3536, 7.071 / 8.071 = 0.8761.
        for part in ["of all 4 lanes", "7.071 times", "probability of 1e-6", "epsilon = 1.956 at", "35.4 of", "87.7 of"]
        {
            assert!(words.contains(part), "{part} is not in {words}");
        }
        for verdict in ["strong", "moderate", "weak"] {
            assert!(!words.contains(verdict), "{words}");
        }
        summary.epsilon_all_lanes = Epsilons { published: None, pure: Some(1e4), zcdp: None, rdp: None, best: None };
        let words = plain_words(&plan, &summary).concat();
        assert!(
            words.contains("exp(10000) times as likely with one data set as with the other: that")
                && words.contains("at most 100 of 100"),
            "{words}"
        );
    }

    #[test]
    fn what_promises_nothing_says_so_first() {
        let (mut plan, mut summary) = (fixture::plan(), fixture::summary());
        let first = |plan: &Plan, summary: &Summary| {
            let words = plain_words(plan, summary);
            assert!(words.len() == 1 && words[0].starts_with("NON-PRIVATE: "), "{words:?}");
        };
        plan.mechanism = "none".into();
        first(&plan, &summary);
        (plan.mechanism, plan.bounds) = ("laplace".into(), crate::config::BoundsConfig::FromData);
        first(&plan, &summary);
        plan.bounds = crate::config::BoundsConfig::Declared;
        summary.epsilon_all_lanes = Epsilons { published: None, pure: None, zcdp: None, rdp: None, best: None };
        first(&plan, &summary);
    }
}
