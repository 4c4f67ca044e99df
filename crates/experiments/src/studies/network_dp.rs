//! What a party learns of the others when all average once-noised values, by their distance.

use dido_topology::families;

use super::wording::number;
use super::{Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::network_privacy::{Question, network_privacy};
use crate::report::plot::{Drawn, Figure, Quantity, Series};
use crate::topology::Topology;

pub(super) const STUDY: Study = Study {
    name: "network-dp",
    title: "Network privacy: what a neighbour sees, by distance",
    question: "Each party adds Gaussian noise to its value once, and all average. A party sees the messages of its neighbours only. Does it \
               learn less of those who are further away, and how much less?",
    set_up: "Parties with Metropolis weights, noise of sigma = 2 for a sensitivity of 1, drawn once, delta = 1e-5; every party looks, and \
             the loss is measured as `mu^2` of Gaussian differential privacy, as a share of that of somebody who sees the noisy value itself \
             (1 is: as if all messages were seen). The loss is that of the whole view, by the projector on what the messages span; it is an \
             estimate, since rounding decides whether a message says something new. The guarantee counts a value that can have arrived in full.",
    paper: "Cyffers, Even, Bellet, Massoulie (2022) add up the losses of single messages, `sum_t sum_w (W^t)_wu^2 / ||(W^t)_w||^2`, and find \
            that the loss falls with the distance. Messages share their noise, so the sum bounds nothing: see \
            [network privacy](../theory/network-privacy.md).",
    run: study,
};

const SIGMA: f64 = 2.0;

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let rounds = options.choose(8, 4);
    let columns = [
        "graph",
        "distance",
        "largest",
        "mean",
        "epsilon of the largest",
        "epsilon guaranteed",
        "sum of marginals (no bound)",
    ];
    let caption =
        format!("{rounds} rounds; shares of `mu^2`, the largest and the mean over all pairs of a viewer and a party.");
    let mut table = Table::new("distances", caption, columns);
    for (name, family, graph) in graphs(options) {
        progress(name);
        let topology = Topology::new(family, graph, "metropolis")?;
        let question = Question { rounds, sigma: SIGMA, sensitivity: 1.0, delta: 1e-5, viewer: None };
        let whole = 1.0 / (SIGMA * SIGMA);
        for at in network_privacy(&topology, question)?.distances {
            // A viewer knows its own value.
            let Some(distance) = at.distance.filter(|distance| *distance > 0) else { continue };
            table.push([
                name.into(),
                distance.into(),
                (at.estimate.mu_squared / whole).into(),
                (at.mean_estimate / whole).into(),
                at.estimate.epsilon.into(),
                at.guarantee.epsilon.into(),
                (at.sum_of_marginals_no_bound / whole).into(),
            ]);
        }
    }
    let names: Vec<&str> = graphs(options).iter().map(|graph| graph.0).collect();
    let figures = vec![
        figure(&table, &names, "mean", "views", "What a view gives away, in the mean over the parties"),
        figure(
            &table,
            &names,
            "sum of marginals (no bound)",
            "marginals",
            "The sum over single messages, which bounds nothing",
        ),
    ];
    Ok(Findings { sentences: sentences(&table, &names), figures, tables: vec![table], ..Findings::default() })
}

/// Names, families and options.
fn graphs(options: &Options) -> Vec<(&'static str, &'static str, families::Options)> {
    let nodes = options.choose(48, 16);
    let of = |nodes| families::Options { nodes: Some(nodes), ..families::Options::default() };
    let (rows, cols) = options.choose((6, 8), (4, 4));
    let torus = families::Options { rows: Some(rows), cols: Some(cols), ..families::Options::default() };
    let regular = families::Options { degree: Some(4), seed: Some(0), ..of(nodes) };
    vec![
        ("ring", "ring", of(nodes)),
        ("binary tree", "binary-tree", of(nodes)),
        ("torus", "torus", torus),
        ("hypercube", "hypercube", of(options.choose(32, 16))),
        ("random 4-regular", "random-regular", regular),
        ("star", "star", of(nodes)),
    ]
}

/// Distances of a graph and a column there.
fn of_graph(table: &Table, name: &str, column: &str) -> Vec<(f64, f64)> {
    let rows: Vec<_> = table.rows.iter().filter(|row| row[0] == name.into()).cloned().collect();
    let part = Table { rows, ..table.clone() };
    part.numbers("distance").into_iter().zip(part.numbers(column)).collect()
}

fn sentences(table: &Table, names: &[&str]) -> Vec<String> {
    let at = |name: &str, column: &str| of_graph(table, name, column);
    let listed: Vec<String> = names
        .iter()
        .filter_map(|name| {
            let curve = at(name, "mean");
            let (first, last) = (curve.first()?, curve.last()?);
            Some(format!("{name}: {} at distance {}, {} at {}", number(first.1), first.0, number(last.1), last.0))
        })
        .collect();
    let ring = at("ring", "largest");
    let sums = at("ring", "sum of marginals (no bound)");
    let below = ring.iter().zip(&sums).filter(|(view, sum)| sum.1 < view.1 - 1e-6).count();
    let full = ring.iter().filter(|(_, share)| *share > 0.999).count();
    let all = |column: &str| table.numbers(column);
    let worst = all("largest").into_iter().zip(all("sum of marginals (no bound)"));
    let wrong = worst.filter(|(view, sum)| *sum < view - 1e-6).count();
    vec![
        format!(
            "On a ring the view of a party gives away {full} of {} distances in full: the noise was drawn once, and the messages of several \
             rounds can be solved for the noisy value of every party whose value has arrived.",
            ring.len()
        ),
        format!(
            "The mean over all pairs, as a share of what the noisy value itself gives away: {}. Where parties outnumber the independent \
             messages of a view, they cannot all be told apart, and that protects; distance by itself does not.",
            listed.join("; ")
        ),
        format!(
            "The sum of the losses of single messages falls with the distance, as published, and is below the loss of the view at {below} \
             distances of the ring and in {wrong} of all {} rows: it is no bound. Next to the viewer it is far above.",
            table.rows.len()
        ),
        "So only parties whose value has not arrived are protected beyond the noise itself: `dido` guarantees that and no more.".to_owned(),
    ]
}

fn figure(table: &Table, names: &[&str], column: &'static str, name: &'static str, title: &str) -> Figure {
    let series = names.iter().map(|graph| Series::new(*graph, Drawn::Joined, of_graph(table, graph, column)));
    Figure {
        name,
        title: title.to_owned(),
        note: "1 is what the noisy value of the party itself gives away".to_owned(),
        x: Quantity::linear("distance"),
        y: Quantity::log("share of mu\u{b2}"),
        series: series.collect(),
    }
}
