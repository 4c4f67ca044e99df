//! Noise that neighbours share: between local and central privacy.

use super::fit::Estimate;
use super::specs::{cell, merits, records};
use super::wording::number;
use super::{Cell, Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "correlated-noise",
    title: "Correlated noise: between local and central privacy",
    question: "Neighbours add noise that cancels in the mean (DECOR). How much less noise of its own does a party need then, does the \
               model get as good as that of a trusted server, and what remains when one of the parties is curious?",
    set_up: "The `quickstart` regression with 16 parties, clipped DGD (each record's gradient to length 1), 120 rounds with the step 0.12, Gaussian noise \
             calibrated to epsilon = 0.2 and delta = 1e-5 for the replacement of a record. Each pair of neighbours shares noise `ratio` times as wide \
             as a party's own; one adds what the other subtracts. The adversary sees all messages, or is besides one of the parties and \
             knows the noise it shares. Local: nothing is shared. Central: one party holds all records.",
    paper: "Allouah, Koloskova, El Firdoussi, Jaggi, Guerraoui (2024, arXiv 2405.01031): the covariance `sigma^2 (I + ratio^2 L)`, `L` the \
            Laplacian, costs `[Sigma^-1]_ii`, which falls to `1/(n sigma^2)` as the shared noise grows, so the own noise may be smaller \
            by `sqrt(n)`: the central rate. A curious party knows its shared noise; the others are left with the graph without it.",
    run: study,
};

const PARTIES: usize = 16;
const RECORDS: usize = 22_524;
const GRAPHS: [(&str, &str); 3] = [
    ("ring", "{ kind = 'ring' }"),
    ("torus", "{ kind = 'torus', rows = 4, cols = 4 }"),
    ("complete", "{ kind = 'complete' }"),
];
const VIEWS: [(&str, &str); 2] = [("all messages", "'all-messages'"), ("a party", "{ colluders = 1 }")];

/// Scores and the own noise of a party.
struct Cost {
    merit: Estimate,
    noise: f64,
}

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let graphs = options.choose(GRAPHS.as_slice(), &GRAPHS[..1]);
    let ratios = options.choose([1.0, 3.0, 10.0, 30.0, 100.0].as_slice(), &[3.0, 100.0]);
    progress("local and central");
    let local = cost(options, &[format!("graph={}", GRAPHS[0].1)], None)?;
    let central = cost(options, &[format!("graph={}", GRAPHS[0].1), "baseline=centralised".to_owned()], None)?;
    let columns = ["graph", "adversary", "ratio", "own noise", "R^2", "+-"];
    let caption = "`own noise`: the standard deviation of a party's own noise over that of local privacy. R^2 on held-out records, with \
                   its standard error over lanes.";
    let mut table = Table::new("cells", caption, columns);
    let mut push = |graph: &str, view: &str, ratio: Cell, cost: &Cost| {
        table.push([
            graph.into(),
            view.into(),
            ratio,
            (cost.noise / local.noise).into(),
            cost.merit.value.into(),
            cost.merit.error.into(),
        ]);
    };
    push("any", "local", Cell::Absent, &local);
    push("none", "central", Cell::Absent, &central);
    for (graph, graph_keys) in graphs {
        for (view, adversary) in VIEWS {
            progress(&format!("{graph}, seen by {view}"));
            for &ratio in ratios {
                let keys = [format!("graph={graph_keys}"), format!("privacy.adversary={adversary}")];
                push(graph, view, ratio.into(), &cost(options, &keys, Some(ratio))?);
            }
        }
    }
    Ok(Findings {
        sentences: sentences(&table, graphs, &local, &central),
        figures: vec![scores(&table, graphs, &local, &central), noise(&table, graphs)],
        tables: vec![table],
        ..Findings::default()
    })
}

fn cost(options: &Options, keys: &[String], ratio: Option<f64>) -> Result<Cost, ExperimentError> {
    let shared = ratio.map_or_else(String::new, |ratio| format!(", shared_noise = {ratio:?}"));
    let set = [
        format!("seed={}", options.seed),
        format!("lanes={}", options.choose(8, 2)),
        "rounds=120".to_owned(),
        "observe_every=120".to_owned(),
        records(RECORDS, PARTIES),
        format!(
            "algorithm={{ kind = 'clipped-dgd', step = {{ kind = 'constant', c = 0.12 }}, clip = {{ record = 1.0 }}{shared} }}"
        ),
        "privacy.noise={ kind = 'calibrated', mechanism = 'gaussian' }".to_owned(),
        "privacy.budget.epsilon=0.2".to_owned(),
        "averaging_rounds=200".to_owned(),
    ];
    let (planned, summary) = cell("quickstart", &[&set, keys].concat())?;
    Ok(Cost { merit: Estimate::mean(&merits(&summary)), noise: planned.plan.noise[0] })
}

/// Ratios and a column of the cells of a graph and a view.
fn curve(table: &Table, graph: &str, view: &str, column: &str) -> Vec<(f64, f64)> {
    let rows = table.rows.iter().filter(|row| row[0] == graph.into() && row[1] == view.into()).cloned().collect();
    let part = Table { rows, ..table.clone() };
    part.numbers("ratio").into_iter().zip(part.numbers(column)).collect()
}

fn sentences(table: &Table, graphs: &[(&str, &str)], local: &Cost, central: &Cost) -> Vec<String> {
    let last =
        |graph: &str, view: &str, column: &str| curve(table, graph, view, column).last().map_or(f64::NAN, |p| p.1);
    let list = |view: &str, column: &str| {
        let of = |(graph, _): &(&str, &str)| format!("{} ({graph})", number(last(graph, view, column)));
        graphs.iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let best = |view: &str| {
        let of = |(graph, _): &(&str, &str)| {
            let top = curve(table, graph, view, "R^2").into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            top.map_or(String::new(), |(ratio, merit)| format!("{} at ratio {ratio} ({graph})", number(merit)))
        };
        graphs.iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let top = |graph: &str, view: &str| {
        curve(table, graph, view, "R^2").iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max)
    };
    // By more than three standard errors of the worse.
    let loses = |graph: &str| {
        let view = VIEWS[0].0;
        top(graph, view) - last(graph, view, "R^2") > 3.0 * last(graph, view, "+-")
    };
    let least = |(graph, _): &(&str, &str)| {
        let first = curve(table, graph, VIEWS[0].0, "own noise").first().map_or(f64::NAN, |p| p.1);
        format!("{} ({graph})", number(first))
    };
    let root = |n: usize| number(1.0 / (n as f64).sqrt());
    vec![
        format!("Local privacy has R^2 {}, a trusted server {}.", local.merit.text(), central.merit.text()),
        format!(
            "With much shared noise a party's own noise falls to {} of that of local privacy; the limit is 1/sqrt(16) = {}.",
            list("all messages", "own noise"),
            root(PARTIES)
        ),
        format!(
            "The best R^2 over the ratios is {}; with the most shared noise it is {}.{}",
            best("all messages"),
            list("all messages", "R^2"),
            if graphs.iter().any(|(graph, _)| loses(graph)) {
                " Less noise of its own does not make up for shared noise without end: it cancels in the mean, but gradients are taken at the \
                 points that it has moved, and they are clipped there."
            } else {
                ""
            }
        ),
        format!(
            "Against one of the parties the own noise falls to {} (limit {} where the others stay connected without it), and the best R^2 \
             is {}: of the best R^2, one curious party costs {} at most. `dido` accounts for one, not for several who pool what they know.",
            list("a party", "own noise"),
            root(PARTIES - 1),
            best("a party"),
            number(graphs.iter().map(|(graph, _)| top(graph, VIEWS[0].0) - top(graph, VIEWS[1].0)).fold(0.0, f64::max))
        ),
        format!(
            "What counts is the ratio times the connectivity of the graph: with the least shared noise the own noise is {}.",
            graphs.iter().map(least).collect::<Vec<_>>().join(", ")
        ),
    ]
}

fn scores(table: &Table, graphs: &[(&str, &str)], local: &Cost, central: &Cost) -> Figure {
    let mut series = vec![];
    for (graph, _) in graphs {
        series.extend(VIEWS.map(|(view, _)| {
            Series::new(format!("{graph}, seen by {view}"), Drawn::Joined, curve(table, graph, view, "R^2"))
        }));
    }
    let ends = curve(table, graphs[0].0, VIEWS[0].0, "R^2");
    let flat = |value: f64| ends.iter().map(|p| (p.0, value)).collect::<Vec<_>>();
    series.push(Series::new(
        format!("central: {}", number(central.merit.value)),
        Drawn::Dotted,
        flat(central.merit.value),
    ));
    series.push(Series::new(format!("local: {}", number(local.merit.value)), Drawn::Dotted, flat(local.merit.value)));
    Figure {
        name: "scores",
        title: "R\u{b2} against the noise that neighbours share, epsilon 0.2".to_owned(),
        note: "higher is better".to_owned(),
        x: Quantity::log("shared noise, in multiples of a party's own"),
        y: Quantity::linear("R\u{b2} on held-out records"),
        series,
    }
}

fn noise(table: &Table, graphs: &[(&str, &str)]) -> Figure {
    let mut series = vec![];
    for (graph, _) in graphs {
        series.extend(VIEWS.map(|(view, _)| {
            Series::new(format!("{graph}, seen by {view}"), Drawn::Joined, curve(table, graph, view, "own noise"))
        }));
    }
    let ends = curve(table, graphs[0].0, VIEWS[0].0, "own noise");
    let limit = 1.0 / (PARTIES as f64).sqrt();
    series.push(Series::new("1/sqrt(n)", Drawn::Dotted, ends.iter().map(|p| (p.0, limit)).collect()));
    Figure {
        name: "noise",
        title: "A party's own noise against the noise it shares".to_owned(),
        note: "1 is local privacy".to_owned(),
        x: Quantity::log("shared noise, in multiples of a party's own"),
        y: Quantity::log("own noise over that of local privacy"),
        series,
    }
}
