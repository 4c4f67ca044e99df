//! Sentences that the printed text and the page share, so that they cannot disagree.

use super::number::{bound, count, schedule, score, significant};
use crate::config::Seed;
use crate::records::{Band, Epsilons, Plan, PlannedBudget, PlannedGraph, Score, Summary};

/// What a reader must not take for protected.
pub(super) const NOT_COVERED: [(&str, &str); 7] = [
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

/// Why the counts of a file are left out.
pub(super) const HIDDEN_COUNTS: &str = "the true counts are protected and not shown";

/// One accounting of epsilon.
pub(super) struct Accounting {
    /// Name and delta.
    pub(super) name: String,
    /// The value in print.
    pub(super) value: String,
    /// What it is.
    pub(super) meaning: String,
    /// Whether the budget is kept by this one.
    pub(super) budgeted: bool,
}

/// Epsilon by every accounting there is, those of the paper's algorithm first.
pub(super) fn accountings(epsilon: &Epsilons, delta: f64, budget: Option<PlannedBudget>) -> Vec<Accounting> {
    let Epsilons { published, pure, zcdp, rdp, best } = epsilon;
    // Where another accounting has an answer, this one just does not cover the noise.
    let or = |found: Option<f64>, elsewhere: bool| match found {
        Some(epsilon) => bound(epsilon),
        None if elsewhere => DOES_NOT_APPLY.to_owned(),
        None => "infinite (not private)".to_owned(),
    };
    let row = |name: &str, at: f64, value: String, meaning: &str, budgeted: bool| Accounting {
        name: format!("{name}, delta = {}", significant(at)),
        value,
        meaning: meaning.to_owned(),
        budgeted,
    };
    let with_delta = budget.filter(|b| b.delta > 0.0);
    // The filter of a budget adds up rho in another order than the accountant.
    let by_zcdp = with_delta.is_some_and(|b| zcdp.is_some_and(|zcdp| zcdp <= b.epsilon * (1.0 + 1e-9)));
    let by_rdp = with_delta.is_some() && best.is_none() && rdp.is_some();
    let by_pure = budget.is_some_and(|b| b.delta <= 0.0);
    let mut rows = vec![
        row(
            "pure",
            0.0,
            or(*pure, zcdp.or(*rdp).is_some() || best.is_some()),
            "exact sum of the losses of all releases",
            by_pure,
        ),
        row(
            "zCDP",
            delta,
            or(*zcdp, rdp.is_some() || best.is_some()),
            "concentrated privacy, optimal conversion",
            by_zcdp,
        ),
    ];
    if let Some(rdp) = rdp {
        rows.push(row("R\u{e9}nyi", delta, bound(*rdp), "R\u{e9}nyi divergences, the best order", by_rdp));
    }
    if let Some(best) = best {
        let meaning = format!("the least of all accountings: {}", best.method);
        rows.push(row("tightest", delta, bound(best.epsilon), &meaning, with_delta.is_some() && !by_zcdp));
    }
    rows.push(Accounting {
        name: "published constant".to_owned(),
        value: published.map_or_else(|| DOES_NOT_APPLY.to_owned(), bound),
        meaning: "pure, paper A (record: n_M = 1), to compare".to_owned(),
        budgeted: false,
    });
    rows
}

const DOES_NOT_APPLY: &str = "does not apply";

/// The records that scores are computed from.
pub(super) fn held_out(summary: &Summary) -> String {
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
pub(super) fn lanes(scores: &[Score]) -> [Score; 2] {
    let fold = |start: f64, pick: fn(f64, f64) -> f64| {
        let merit = scores.iter().fold(start, |a, s| pick(a, s.merit()));
        let error = scores.iter().fold(start, |a, s| pick(a, s.error()));
        scores.first().map_or(Score::Regression { r2: merit, rmse: error }, |s| s.with(merit, error))
    };
    [fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
}

/// What the second figure of a score is measured in.
pub(super) fn units(score: Score) -> &'static str {
    match score {
        Score::Regression { .. } => "RMSE in the units of the target",
        Score::Classes { .. } => "loss as in the objective",
    }
}

/// The same with a capital letter, for the beginning of a sentence.
pub(crate) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The objective at the model of the run and at the optimum.
pub(super) fn objective(summary: &Summary, plan: &Plan) -> Option<String> {
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

/// The step sizes, or what takes their place.
pub(super) fn steps(plan: &Plan) -> String {
    plan.dual_weights.clone().unwrap_or_else(|| schedule(&plan.step))
}

/// What a theorem allows beside what was measured.
pub(super) fn allowed(summary: &Summary) -> Option<String> {
    let found = summary.bound.as_ref()?;
    Some(format!(
        "Distance of the mean estimate from the optimum, relative to the optimum: {} at the end; {} bounds it by {}, as root mean \
         square over the noise. The bound knows the data: not covered by the guarantee.",
        significant(found.measured),
        found.theorem,
        significant(found.points.last()?.1)
    ))
}

/// What the step sizes are called, or what takes their place: that belongs to the algorithm.
pub(super) fn steps_name(plan: &Plan) -> String {
    if plan.dual_weights.is_some() { plan.algorithm.replace('-', " ") } else { "step size".to_owned() }
}

/// The heading of the epsilon that covers all lanes.
pub(super) fn all_lanes(lanes: usize) -> String {
    format!("Epsilon of all {lanes} lanes, which model.json holds: it covers them together")
}

/// What the model of a run is called: without noise it is not private.
pub(super) fn model(plan: &Plan) -> &'static str {
    if plan.not_private().is_some() { "model (no privacy)" } else { "private model" }
}

/// Which of the parties' models is scored.
pub(super) fn scored(plan: &Plan) -> String {
    let lanes = if plan.lanes > 1 { ", the mean over lanes" } else { "" };
    format!("The score of the {} is that of the party that fares worst{lanes}.", model(plan))
}

/// Where the rounds took place.
pub(super) const EXECUTION: &str = "a simulation: all parties ran in one process";

/// How often a node releases something.
pub(super) fn releases(plan: &Plan) -> String {
    format!(
        "{} per node in {}, by {}",
        count(plan.releases_per_node, "release", "releases"),
        count(u64::from(plan.rounds), "round", "rounds"),
        count(plan.nodes as u64, "party", "parties")
    )
}

/// Who talks to whom.
pub(super) fn graph(graph: &PlannedGraph) -> String {
    let options = if graph.options.is_empty() { String::new() } else { format!(" ({})", graph.options) };
    let family = if graph.family == "matrix" { "where the matrix is not 0" } else { &graph.family };
    format!("{family}{options}, {}", count(graph.edges as u64, "edge", "edges"))
}

/// How the weights change from round to round.
pub(super) fn sequence(graph: &PlannedGraph) -> String {
    graph.sequence.clone().unwrap_or_else(|| "the same weights in every round".to_owned())
}

/// How fast the nodes average.
pub(super) fn lambda(graph: &PlannedGraph) -> String {
    match (graph.lambda, graph.gap) {
        (Some(lambda), Some(gap)) => format!("{lambda:.6}, gap {}: {}", significant(gap), graph.lambda_in_words),
        _ => format!("not known: {}", graph.lambda_in_words),
    }
}

/// The sensitivity of a release.
pub(super) fn sensitivity(plan: &Plan) -> String {
    let s = &plan.sensitivity;
    match (s.value, s.l1) {
        (Some(value), Some(l1)) if s.norm != "L1" => {
            format!("{} in {} ({} in L1), the largest over rounds and nodes", bound(value), s.norm, bound(l1))
        }
        (Some(value), _) => format!("{} in {}, the largest over rounds and nodes", bound(value), s.norm),
        (None, _) if plan.noise_in_words.is_some() => "that of the objective, not of what is released".to_owned(),
        (None, _) => "no bound exists".to_owned(),
    }
}

/// The noise of the releases.
pub(super) fn noise(plan: &Plan) -> String {
    if plan.mechanism == "none" {
        return "none is added: the run is not private".to_owned();
    }
    if let Some(words) = &plan.noise_in_words {
        return format!("{}, scale: {}: {words}", plan.mechanism, schedule(&plan.noise));
    }
    let grid = plan.grid.map_or(String::new(), |grid| format!(" on the grid of step 2^{}", grid.exponent()));
    format!("{} on every coordinate{grid}, scale: {}", plan.mechanism, schedule(&plan.noise))
}

/// The total budget.
pub(super) fn budget(budget: Option<PlannedBudget>) -> String {
    budget.map_or_else(
        || "none: nothing is refused".to_owned(),
        |b| format!("epsilon {} at delta {}", significant(b.epsilon), significant(b.delta)),
    )
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
    [Some(origin), Some(sampler.to_owned()), super::planned::stopped(summary)].into_iter().flatten().collect()
}

/// The result in one sentence.
pub(super) fn finding(summary: &Summary, plan: &Plan) -> String {
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
pub(super) fn uncertainty(summary: &Summary) -> String {
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

/// The most that a test with this share of false alarms can detect under `(epsilon, delta)`: both forms of the definition.
fn detected(false_alarms: f64, epsilon: f64, delta: f64) -> f64 {
    let direct = epsilon.exp() * false_alarms + delta;
    let other_way = 1.0 - (-epsilon).exp() * (1.0 - delta - false_alarms);
    direct.min(other_way).clamp(0.0, 1.0)
}

/// The promise for those who do not know what epsilon is, and its limits.
pub(super) fn plain_words(plan: &Plan, summary: &Summary) -> Vec<String> {
    let epsilon = summary.epsilon_all_lanes.least().filter(|_| plan.mechanism != "none");
    let Some(epsilon) = epsilon else {
        return vec![
            "NON-PRIVATE: no bound is known on what this run tells about a record. Treat everything in this folder as you \
             treat the data."
                .to_owned(),
        ];
    };
    let shown = detected(0.05, epsilon, summary.delta);
    let verdict = match shown {
        shown if shown < 0.2 => "That is a strong promise.",
        shown if shown < 0.6 => "That is a moderate promise: a record is blurred, not invisible.",
        _ => "That is a weak promise: do not take it for anonymity.",
    };
    vec![
        format!(
            "Two data sets are compared: {}. Somebody who {} tries to tell from all releases of all lanes which of the two was \
             used. Whatever their method and whatever else they know, if it raises a false alarm in 5 of 100 cases, it is right \
             about a record in at most {} of 100. {verdict}",
            plan.adjacency_in_words,
            plan.adversary_in_words,
            at_most(100.0 * shown),
        ),
        "What is not promised: that nothing can be learnt about people at large, which is what the model is for; that a person \
         with several records is protected as well as one with a single record (epsilon grows with their number); that several \
         runs on the same data cost no more than one (their epsilons add up); or anything about the figures listed below as not \
         covered, which are for the owner of the data."
            .to_owned(),
    ]
}

/// A percentage that is not rounded down.
fn at_most(percent: f64) -> String {
    let tenths = (percent * 10.0).ceil() / 10.0;
    if tenths > 99.9 && percent < 100.0 { "99.99".to_owned() } else { format!("{tenths:.1}") }
}

/// One round of an algorithm at node `i`, in a line: see `docs/algorithms.md`.
pub(super) fn update(algorithm: &str) -> Option<&'static str> {
    Some(match algorithm {
        "dgd" => "x_i := \u{2211}_j w_ij x_j \u{2212} \u{3b1} \u{2207}f_i(x_i), with noise in x_i or in the gradient",
        "dp-sgd" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} (g_i + noise)), g_i the sum of clipped gradients of a batch"
        }
        "projected-dgd" => {
            "p_i := P(f_i), f_i := \u{2211}_j w_ij p_j \u{2212} \u{3b1} \u{2207}f_i(p_i) + noise; f_i is released"
        }
        "pdop" => {
            "p_i := P(\u{2211}_j a_ij y_j), x_i := P(p_i \u{2212} \u{3b3} \u{2207}f_i(p_i)), y_i := x_i + noise; y_i is released"
        }
        "dual-averaging" => {
            "z_i := \u{2211}_j w_ij (z_j + a (g_j + noise)), x_i := argmin \u{27e8}z_i, x\u{27e9} + \u{3b9} A h(x) + \u{3b3} d(x)"
        }
        "diging" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} y_i), y_i tracks the mean of the released gradients g_j + noise"
        }
        "extra" => {
            "x_i := P(\u{2211}_j w_ij x_j \u{2212} \u{3b1} (g_i + noise) \u{2212} q_i), q_i sums up what the nodes differ by"
        }
        "linearised-admm" => "a step along g_i + noise, a penalty on disagreement and its dual \u{3c6}_i",
        "sufficient-statistics" => {
            "once: release s_i (X_i\u{2032}X_i, k X_i\u{2032}y_i) + noise, average, solve with a ridge"
        }
        "output-perturbation" => {
            "once: release the minimiser of f_i + (\u{3bc}/2) \u{2016}b\u{2016}\u{b2}, plus noise, and average"
        }
        "objective-perturbation" => {
            "once: release the minimiser of f_i + (\u{3bc}/2) \u{2016}b\u{2016}\u{b2} + \u{27e8}\u{3bd}_i, b\u{27e9}, \u{3bd}_i secret, and average"
        }
        "wang-nedic" => {
            "x_i := x_i + \u{3b3} \u{2211}_j w_ij (m_j \u{2212} x_i) \u{2212} \u{3bb} \u{2207}f_i(P(p_i)), m_i := x_i + noise; m_i is released"
        }
        "clipped-dgd" => {
            "y_i := x_i \u{2212} \u{3b1} g_i + noise, g_i clipped, x_i := \u{2211}_j w_ij y_j; y_i is released"
        }
        "muffliato" => {
            "y_i := P(x_i) \u{2212} \u{3b1} \u{2207}f_i(P(x_i)) + noise, x := K averages of y; y_i is released"
        }
        _ => return None,
    })
}

/// Text for HTML and SVG, also inside quoted attributes: names come from users' files. Characters that XML
/// forbids become U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{super::fixture, *};
    use crate::records::ObjectiveValues;

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

    /// Gaussian noise on samples: zCDP has no answer, and the budget is kept by the tightest accounting.
    #[test]
    fn the_budget_is_marked_where_it_is_kept() {
        let best = fixture::plan().epsilon.best;
        let marked = |epsilon: &Epsilons, budget: f64, delta: f64| -> Vec<(String, String)> {
            let rows = accountings(epsilon, 1e-6, Some(PlannedBudget { epsilon: budget, delta }));
            rows.into_iter().filter(|row| row.budgeted).map(|row| (row.name, row.value)).collect()
        };
        let row = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let plain = fixture::plan().epsilon;
        assert_eq!(marked(&plain, 1.25, 1e-6), row("zCDP, delta = 1e-6", "0.9877"));
        assert_eq!(marked(&plain, 0.95, 1e-6), row("tightest, delta = 1e-6", "0.9124"));
        assert_eq!(marked(&plain, 20.0, 0.0), row("pure, delta = 0", "12.35"));
        let sampled = Epsilons { published: None, pure: None, zcdp: None, rdp: Some(2.5), best };
        assert_eq!(marked(&sampled, 1.0, 1e-6), row("tightest, delta = 1e-6", "0.9124"));
        let many = Epsilons { best: None, ..sampled.clone() };
        assert_eq!(marked(&many, 3.0, 1e-6), row("R\u{e9}nyi, delta = 1e-6", "2.5"));
        let values: Vec<String> = accountings(&sampled, 1e-6, None).into_iter().map(|row| row.value).collect();
        assert_eq!(values, [DOES_NOT_APPLY, DOES_NOT_APPLY, "2.5", "0.9124", DOES_NOT_APPLY]);
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

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a<b> & \"c\" 'd'\u{7}"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd}");
    }
}
