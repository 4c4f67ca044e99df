//! What the graph costs: rounds of averaging, and the error of a private model.

use super::fit::{Estimate, slope};
use super::specs::{cell, merits, records, without_noise};
use super::wording::number;
use super::{Cell, Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::records::Summary;
use crate::report::plot::{Drawn, Figure, Quantity, Series};
use crate::topology::SHRINK;

pub(super) const STUDY: Study = Study {
    name: "topologies",
    title: "What the graph costs: rounds and private error against the spectral gap",
    question: "The gap of the mixing weights says how fast averaging works. What does a small gap cost, in rounds and in the error of a \
               private model? Does noise hurt more on a bad graph?",
    set_up: "The `quickstart` regression (wages of 1988, epsilon = 1 and delta = 1e-5 for the replacement of a record, calibrated Laplace \
             noise, the adversary sees all messages), its records given to 64 parties in the order of experience, so that the parties \
             differ; 120 rounds of projected DGD with the step 0.11516, Metropolis weights. The loss of R^2 is against the optimum on all records, \
             at the party that fares worst. `agreed`: after the last round the parties average, which costs no privacy, until any \
             disagreement has shrunk by a million.",
    paper: "The bounds of papers A and C have a factor `(1 + lambda^2)/(1 - lambda^2)`, that of paper B `1/(1 - lambda)`, in the term of the \
            steps; none of them has lambda in the variance of the mean. See [topologies](../topologies.md).",
    run: study,
};

const PARTIES: usize = 64;
/// Training records of the preset.
const RECORDS: usize = 22_524;

/// Names and keys of the graphs.
const GRAPHS: [(&str, &str); 10] = [
    ("path", "{ kind = 'path' }"),
    ("barbell", "{ kind = 'barbell' }"),
    ("binary tree", "{ kind = 'binary-tree' }"),
    ("ring", "{ kind = 'ring' }"),
    ("star", "{ kind = 'star' }"),
    ("torus 8 x 8", "{ kind = 'torus', rows = 8, cols = 8 }"),
    ("random 4-regular", "{ kind = 'random-regular', degree = 4, seed = 0 }"),
    ("hypercube", "{ kind = 'hypercube' }"),
    ("exponential", "{ kind = 'exponential' }"),
    ("complete", "{ kind = 'complete' }"),
];

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let graphs = options.choose(GRAPHS.as_slice(), &[GRAPHS[3], GRAPHS[7], GRAPHS[9]]);
    let columns = [
        "graph",
        "gap",
        "edges",
        "rounds to agree",
        "loss without noise",
        "the same, agreed",
        "private loss",
        "+-",
        "private loss, agreed",
        "+- agreed",
        "consensus error",
    ];
    let caption = "64 parties. Losses of R^2 at the party that fares worst, with standard errors over lanes.";
    let mut table = Table::new("graphs", caption, columns);
    for (name, graph) in graphs {
        progress(name);
        table.rows.push(row(name, graph, options)?);
    }
    Ok(Findings {
        sentences: sentences(&table),
        figures: vec![error_figure(&table), rounds_figure(&table)],
        tables: vec![table],
        ..Findings::default()
    })
}

fn row(name: &str, graph: &str, options: &Options) -> Result<Vec<Cell>, ExperimentError> {
    let Options { seed, .. } = options;
    let lanes = options.choose(32, 4);
    let shared = [
        format!("seed={seed}"),
        "rounds=120".to_owned(),
        "observe_every=120".to_owned(),
        records(RECORDS, PARTIES),
        format!("graph={graph}"),
    ];
    let keys = |more: &[String]| [shared.as_slice(), more].concat();
    let apart = ["averaging_rounds=0".to_owned(), format!("lanes={lanes}")];
    let (planned, private) = cell("quickstart", &keys(&apart))?;
    let (_, quiet) =
        cell("quickstart", &keys(&[&["averaging_rounds=0".to_owned()], without_noise().as_slice()].concat()))?;
    let lambda = planned.plan.graph.lambda.unwrap_or(f64::NAN);
    // Weights with lambda = 0 agree at once.
    let rounds = if lambda < SHRINK { 1.0 } else { (SHRINK.ln() / lambda.ln()).ceil() };
    let (_, calm) =
        cell("quickstart", &keys(&[&[format!("averaging_rounds={rounds}")], without_noise().as_slice()].concat()))?;
    let (_, agreed) = cell("quickstart", &keys(&[format!("averaging_rounds={rounds}"), format!("lanes={lanes}")]))?;
    let (apart, agreed) = (loss(&private), loss(&agreed));
    Ok(vec![
        name.into(),
        (1.0 - lambda).into(),
        planned.plan.graph.edges.into(),
        rounds.into(),
        loss(&quiet).value.into(),
        loss(&calm).value.into(),
        apart.value.into(),
        apart.error.into(),
        agreed.value.into(),
        agreed.error.into(),
        private.consensus_error.into(),
    ])
}

/// What a model loses of the R^2 of the optimum.
fn loss(summary: &Summary) -> Estimate {
    let best = summary.metrics.optimum.merit();
    Estimate::mean(&merits(summary).iter().map(|merit| best - merit).collect::<Vec<_>>())
}

fn column(table: &Table, name: &str) -> Vec<(f64, f64)> {
    table.numbers("gap").into_iter().zip(table.numbers(name)).collect()
}

fn sentences(table: &Table) -> Vec<String> {
    let ends = |name: &str| {
        let values = table.numbers(name);
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let losses = table.numbers("private loss").into_iter().zip(&table.rows).zip(table.numbers("gap"));
    let worst = losses.max_by(|a, b| a.0.0.total_cmp(&b.0.0)).and_then(|((_, row), gap)| match &row[0] {
        Cell::Text(name) if gap > ends("gap").0 => Some(format!(
            "The gap does not decide alone: the largest private loss is that of the graph {name} with a gap of {}, where the least gap is {}.",
            number(gap),
            number(ends("gap").0)
        )),
        Cell::Text(name) => Some(format!("The largest private loss is that of the graph {name}, which has the least gap.")),
        _ => None,
    });
    let (quiet, private, agreed) = (ends("loss without noise"), ends("private loss"), ends("private loss, agreed"));
    let small: Vec<(f64, f64)> = column(table, "rounds to agree").into_iter().filter(|(gap, _)| *gap < 0.5).collect();
    let added: Vec<f64> = table
        .numbers("private loss, agreed")
        .iter()
        .zip(table.numbers("the same, agreed"))
        .map(|(a, b)| a - b)
        .collect();
    let added = added.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    let error = table.numbers("+- agreed").into_iter().fold(0.0, f64::max);
    vec![
        format!(
            "Rounds to agree grow as gap^({}), as `ln(10^6)/gap` says, where the gap is below 1/2.",
            slope(&small).text()
        ),
        format!(
            "Without noise the worst party loses {} of R^2 on the best graph and {} on the worst: there the parties do not agree.",
            number(quiet.0),
            number(quiet.1)
        ),
        worst.unwrap_or_default(),
        format!(
            "With noise the worst party loses between {} and {}: every party sends its own noisy point last, and that noise has not been averaged.",
            number(private.0),
            number(private.1)
        ),
        format!(
            "Once the parties have agreed, which costs no privacy, the loss is between {} and {} on all graphs; noise adds {} to {} of it, with \
             standard errors of up to {}. Doubly stochastic weights keep the mean, so the noise that enters it in a round is the same on all \
             graphs; what differs are the points at which the parties take their gradients, and what the set cuts off.",
            number(agreed.0),
            number(agreed.1),
            number(added.0),
            number(added.1),
            number(error)
        ),
    ]
}

fn error_figure(table: &Table) -> Figure {
    Figure {
        name: "error",
        title: "Loss of R\u{b2} against the spectral gap, 64 parties".to_owned(),
        note: "lower is better; from left to right: ".to_owned() + &names(table),
        x: Quantity::log("spectral gap"),
        y: Quantity::log("loss of R\u{b2}, worst party"),
        series: vec![
            Series::new("private, after the last round", Drawn::Markers, column(table, "private loss")),
            Series::new("private, agreed", Drawn::Markers, column(table, "private loss, agreed")),
            Series::new("without noise, after the last round", Drawn::Markers, column(table, "loss without noise")),
        ],
    }
}

/// The graphs by their gaps, ascending.
fn names(table: &Table) -> String {
    let mut graphs: Vec<(f64, &Cell)> =
        table.numbers("gap").into_iter().zip(table.rows.iter().map(|row| &row[0])).collect();
    graphs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let words =
        graphs.into_iter().filter_map(|(_, cell)| if let Cell::Text(name) = cell { Some(name.clone()) } else { None });
    words.collect::<Vec<_>>().join(", ")
}

fn rounds_figure(table: &Table) -> Figure {
    let mut gaps = table.numbers("gap");
    gaps.sort_by(f64::total_cmp);
    let theory = gaps.iter().map(|gap| (*gap, -SHRINK.ln() / gap)).collect();
    Figure {
        name: "rounds",
        title: "Rounds of averaging that shrink disagreement by a million".to_owned(),
        note: String::new(),
        x: Quantity::log("spectral gap"),
        y: Quantity::log("rounds"),
        series: vec![
            Series::new("graphs", Drawn::Markers, column(table, "rounds to agree")),
            Series::new("ln(10^6) / gap", Drawn::Dashed, theory),
        ],
    }
}
