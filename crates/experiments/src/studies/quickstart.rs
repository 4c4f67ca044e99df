//! The first example: what a model costs at several epsilons.

use super::fit::Estimate;
use super::specs::{cell, merits};
use super::wording::number;
use super::{Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "quickstart",
    title: "Quickstart: wages of five parties, R^2 against epsilon",
    question: "How good is the model of the `quickstart` at other epsilons, compared with the optimum on all records and with what a party \
               can do alone?",
    set_up: "The preset `quickstart`: wage regression on the Current Population Survey of 1988, five parties on a ring, each with one stage \
             of careers, projected DGD, Laplace noise calibrated to epsilon at delta = 1e-5 for the replacement of a record; the adversary \
             sees all messages. Step and rounds are those of the preset, which were chosen for epsilon = 1. `dido run quickstart` makes \
             the full report of one run.",
    paper: "Projected DGD is the algorithm of paper A, accounted for exactly; the paper has no experiments.",
    run: study,
};

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let epsilons = options.choose([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0].as_slice(), &[0.1, 1.0, 10.0]);
    let caption = "R^2 on held-out records, at the party that fares worst, with its standard error over lanes.";
    let mut table = Table::new("epsilons", caption, ["epsilon", "R^2", "+-", "optimum", "best alone", "median alone"]);
    for &epsilon in epsilons {
        progress(&format!("epsilon {epsilon}"));
        let keys = [
            format!("privacy.budget.epsilon={epsilon:?}"),
            format!("seed={}", options.seed),
            format!("lanes={}", options.choose(16, 4)),
            "observe_every=427".to_owned(),
        ];
        let (_, summary) = cell("quickstart", &keys)?;
        let merit = Estimate::mean(&merits(&summary));
        let metrics = &summary.metrics;
        let references = [metrics.optimum, metrics.best_alone, metrics.median_alone].map(crate::records::Score::merit);
        table.push([epsilon, merit.value, merit.error, references[0], references[1], references[2]].map(Into::into));
    }
    Ok(Findings {
        sentences: sentences(&table),
        figures: vec![figure(&table)],
        tables: vec![table],
        ..Findings::default()
    })
}

fn sentences(table: &Table) -> Vec<String> {
    let [epsilon, merit, optimum, best, median] =
        ["epsilon", "R^2", "optimum", "best alone", "median alone"].map(|name| table.numbers(name));
    // The least epsilon from which on all are better.
    let beats = |reference: f64| {
        let worse = merit.iter().rposition(|merit| *merit <= reference);
        epsilon.get(worse.map_or(0, |last| last + 1))
    };
    let first = |reference: f64| {
        beats(reference)
            .map_or("not even at the largest of these epsilons".to_owned(), |e| format!("from epsilon = {e} on"))
    };
    vec![
        format!(
            "The optimum without privacy has R^2 {}; the private model has {} at epsilon = {} and {} at epsilon = {}.",
            number(optimum[0]),
            number(merit[0]),
            number(epsilon[0]),
            number(merit[merit.len() - 1]),
            number(epsilon[epsilon.len() - 1])
        ),
        format!(
            "It beats the median party alone ({}) {}, and the best party alone ({}) {}; both keep no privacy.",
            number(median[0]),
            first(median[0]),
            number(best[0]),
            first(best[0])
        ),
    ]
}

fn figure(table: &Table) -> Figure {
    let epsilon = table.numbers("epsilon");
    let column = |name: &str| epsilon.iter().copied().zip(table.numbers(name)).collect::<Vec<_>>();
    Figure {
        name: "epsilon",
        title: "R\u{b2} of the quickstart against epsilon".to_owned(),
        note: "higher is better; the party that fares worst".to_owned(),
        x: Quantity::log("epsilon, at delta = 1e-5"),
        y: Quantity::linear("R\u{b2} on held-out records"),
        series: vec![
            Series::new("private model", Drawn::Joined, column("R^2")),
            Series::new("optimum, no privacy", Drawn::Dotted, column("optimum")),
            Series::new("best party alone, no privacy", Drawn::Joined, column("best alone")),
            Series::new("median party alone, no privacy", Drawn::Joined, column("median alone")),
        ],
    }
}
