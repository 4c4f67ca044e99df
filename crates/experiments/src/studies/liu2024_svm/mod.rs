//! Paper B: support vector machines with few parties awake, by what the adversary sees of it.

mod figures;

use super::fit::Estimate;
use super::specs::{cell, merits};
use super::wording::number;
use super::{Cell, Findings, Options, Study, Table};
use crate::error::ExperimentError;
use crate::file::load;
use crate::planning::plan;
use crate::spec::Spec;

pub(super) const STUDY: Study = Study {
    name: "liu2024-svm",
    title: "Support vector machines with few parties awake (paper B)",
    question: "Only a share iota of the parties is awake in a round. Does that amplify privacy? What does it do to the model, against an \
               adversary who sees who is awake and against one who does not, and how do DP-DGD, a trusted server with DP-SGD and a party \
               alone compare at the same epsilon?",
    set_up: "Dual averaging with one secret record in a round and Gaussian noise calibrated to epsilon at delta = 1e-5 for the replacement \
             of a record. `spambase`: nine parties, 409 messages each, 15 features, 1227 rounds; `a9a`: twenty parties, about 1465 \
             records each, 123 features, 500 rounds, on a smaller grid; both on a torus, as in the presets `svm` and `a9a`. Hinge loss with `(mu/2)||x||^2` or \
             `lambda ||x||_1`, `lambda = 0.001` (at epsilon = 1). `mu` and the weights follow from public quantities: with `V = 2 iota^2 L^2 + iota m \
             sigma^2 / n`, `mu = sqrt(8 V / T) / (iota B)` and `a_t = t`, or `gamma_t = 2 sqrt(V (t + 1)) / B`. Visible: a party that is away is silent, \
             and everybody sees that. Hidden: each party has a secret coin of probability iota and sends noise when it says no. DP-DGD \
             is projected DGD with all records, DP-SGD one party with all data and a twentieth of it in a round; their step is \
             `B / sqrt(T (L^2 + m sigma^2 / n))`. Alone: DP-DGD of parties that never talk. Scores are those of the party that fares worst.",
    paper: "Liu, Johansson, Shi (Automatica 2024, arXiv 2302.10520) claim `sigma^2 ~ iota^2 T / (q^2 epsilon^2)`: two powers of iota. \
            That needs an adversary who cannot tell who is awake, which silence gives away, and then the sleeping parties \
            must send noise. Data sets, graphs and numbers of their experiments could not be recovered. See \
            [the corrected theory](../theory/liu2024.md).",
    run: study,
};

/// A data set, and what is public about it.
struct Problem {
    name: &'static str,
    preset: &'static str,
    /// The keys of the graph, without the end of its table.
    graph: &'static str,
    /// `m`, `n`, `N`, `L`, `B`, `T`.
    dim: f64,
    parties: f64,
    records: usize,
    lipschitz: f64,
    radius: f64,
    rounds: u32,
    lanes: u32,
    /// The grid: iota and epsilon.
    shares: &'static [f64],
    epsilons: &'static [f64],
}

const SPAMBASE: Problem = Problem {
    name: "spambase",
    preset: "svm",
    graph: "{ kind = 'torus', rows = 3, cols = 3",
    dim: 15.0,
    parties: 9.0,
    records: 3681,
    lipschitz: 2.0,
    radius: 3.87,
    rounds: 1227,
    lanes: 4,
    shares: &[1.0, 0.5, 0.2, 1.0 / 9.0],
    epsilons: &[0.1, 0.5, 1.0, 5.0],
};
const A9A: Problem = Problem {
    name: "a9a",
    preset: "a9a",
    graph: "{ kind = 'torus', rows = 4, cols = 5",
    dim: 123.0,
    parties: 20.0,
    records: 29_305,
    lipschitz: 1.0,
    radius: 7.0,
    rounds: 500,
    lanes: 2,
    shares: &[1.0, 0.2],
    epsilons: &[0.5, 5.0],
};

/// The regulariser.
#[derive(Clone, Copy, PartialEq)]
enum Regulariser {
    L1,
    L2,
}

/// Who is awake, and who sees it.
#[derive(Clone, Copy)]
struct Activation {
    iota: f64,
    hidden: bool,
}

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let columns = ["data", "method", "regulariser", "iota", "epsilon", "noise", "noise of the mean", "accuracy", "+-"];
    let caption = "`noise`: sigma in a coordinate of a message. `noise of the mean`: `sqrt(sigma^2 / (n iota))` for visible, \
                   `sqrt(sigma^2 / n) / iota` for hidden activation: what it is relative to the gradients that arrive.";
    let mut table = Table::new("cells", caption, columns);
    let mut references = Table::new(
        "references",
        "Accuracy without privacy.",
        ["data", "optimum", "best alone", "median alone", "most frequent class"],
    );
    let problems = options.choose([SPAMBASE, A9A].into_iter().collect::<Vec<_>>(), vec![SPAMBASE]);
    for problem in &problems {
        for &epsilon in options.choose(problem.epsilons, &[0.5]) {
            progress(&format!("{}, epsilon {epsilon}", problem.name));
            for regulariser in regularisers(problem, epsilon, options) {
                for activation in activations(problem, options) {
                    table.rows.push(dual_averaging(problem, regulariser, activation, epsilon, options)?);
                }
            }
            for method in ["DP-DGD", "DP-SGD, one server", "alone"] {
                table.rows.push(baseline(problem, method, epsilon, options)?);
            }
        }
        references.rows.push(without_privacy(problem)?);
    }
    let figures = problems.iter().flat_map(|problem| figures::figures(&table, problem)).collect();
    Ok(Findings {
        sentences: sentences(&table, &references, &problems),
        figures,
        tables: vec![table, references],
        ..Findings::default()
    })
}

fn activations(problem: &Problem, options: &Options) -> Vec<Activation> {
    let shares = options.choose(problem.shares, &[1.0, 0.2]);
    let of = |iota: f64| {
        let views = if iota < 1.0 { vec![false, true] } else { vec![false] };
        views.into_iter().map(move |hidden| Activation { iota, hidden })
    };
    shares.iter().copied().flat_map(of).collect()
}

/// The squared norm everywhere, the 1-norm at one epsilon of the data set with few features.
fn regularisers(problem: &Problem, epsilon: f64, options: &Options) -> Vec<Regulariser> {
    let both = !options.quick && problem.name == SPAMBASE.name && epsilon.to_bits() == 1.0_f64.to_bits();
    if both { vec![Regulariser::L2, Regulariser::L1] } else { vec![Regulariser::L2] }
}

fn shared(problem: &Problem, epsilon: f64, options: &Options) -> Vec<String> {
    let rounds = options.choose(problem.rounds, problem.rounds / 4);
    vec![
        format!("seed={}", options.seed),
        format!("lanes={}", options.choose(problem.lanes, 2)),
        format!("rounds={rounds}"),
        format!("observe_every={rounds}"),
        format!("privacy.budget.epsilon={epsilon:?}"),
    ]
}

/// The largest noise that the plan of these keys asks for.
fn sigma(problem: &Problem, keys: &[String]) -> Result<f64, ExperimentError> {
    let planned = plan(&Spec::new(load(problem.preset, keys)?)?)?;
    Ok(planned.plan.noise.iter().copied().fold(0.0, f64::max))
}

fn dual_averaging(
    problem: &Problem,
    regulariser: Regulariser,
    activation: Activation,
    epsilon: f64,
    options: &Options,
) -> Result<Vec<Cell>, ExperimentError> {
    let Problem { dim, parties, lipschitz, radius, .. } = *problem;
    let Activation { iota, hidden } = activation;
    let mut keys = shared(problem, epsilon, options);
    let sequence = if hidden || iota >= 1.0 {
        String::new()
    } else {
        format!(", sequence = {{ kind = 'activation', p = {iota:?}, seed = 0 }}")
    };
    keys.push(format!("graph={}{sequence} }}", problem.graph));
    if hidden {
        keys.push("privacy.adversary=hidden-activation".to_owned());
    }
    let secret = if hidden { ", activation = 'hidden'" } else { "" };
    let algorithm = |weights: &str| {
        format!(
            "algorithm={{ kind = 'dual-averaging', sampling = 'one-record', participation = {iota:?}{secret}, weights = {weights} }}"
        )
    };
    // The noise depends on neither weights nor regulariser.
    let any = [keys.as_slice(), &[algorithm("{ kind = 'growing-distance', gamma = 1.0 }")]].concat();
    let sigma = sigma(problem, &any)?;
    let spread = 2.0 * (iota * lipschitz).powi(2) + iota * dim * sigma * sigma / parties;
    let rounds = f64::from(options.choose(problem.rounds, problem.rounds / 4));
    let (objective, weights, name) = match regulariser {
        Regulariser::L2 => {
            let mu = (8.0 * spread / rounds).sqrt() / (iota * radius);
            let weights = format!("{{ kind = 'growing-gradients', gamma = {:?} }}", iota * mu);
            (format!("{{ kind = 'squared-l2', mu = {mu:?} }}"), weights, "l2")
        }
        Regulariser::L1 => {
            let weights = format!("{{ kind = 'growing-distance', gamma = {:?} }}", 2.0 * spread.sqrt() / radius);
            ("{ kind = 'l1', lambda = 0.001 }".to_owned(), weights, "l1")
        }
    };
    keys.extend([algorithm(&weights), format!("objective.regulariser={objective}")]);
    let (_, summary) = cell(problem.preset, &keys)?;
    let accuracy = Estimate::mean(&merits(&summary));
    let of_the_mean = sigma / if hidden { parties.sqrt() * iota } else { (parties * iota).sqrt() };
    let method = if hidden { "hidden" } else { "visible" };
    Ok(vec![
        problem.name.into(),
        method.into(),
        name.into(),
        iota.into(),
        epsilon.into(),
        sigma.into(),
        of_the_mean.into(),
        accuracy.value.into(),
        accuracy.error.into(),
    ])
}

fn baseline(
    problem: &Problem,
    method: &'static str,
    epsilon: f64,
    options: &Options,
) -> Result<Vec<Cell>, ExperimentError> {
    let Problem { dim, lipschitz, radius, records, .. } = *problem;
    let rounds: u32 = options.choose(300, 100);
    let mut keys = shared(problem, epsilon, options);
    keys.extend([
        format!("rounds={rounds}"),
        format!("observe_every={rounds}"),
        format!("graph={} }}", problem.graph),
        "objective={ loss = { kind = 'hinge' } }".to_owned(),
    ]);
    let parties = match method {
        "DP-DGD" => problem.parties,
        "alone" => {
            keys.push("baseline=alone".to_owned());
            1.0
        }
        _ => {
            keys.push("baseline=centralised".to_owned());
            1.0
        }
    };
    let algorithm = |step: f64| {
        let common =
            format!("set = {{ kind = 'l2-ball', radius = {radius:?} }}, step = {{ kind = 'constant', c = {step:?} }}");
        match method {
            "DP-SGD, one server" => {
                format!(
                    "algorithm={{ kind = 'dp-sgd', {common}, clip = {lipschitz:?}, sampling = {{ records = {} }} }}",
                    records / 20
                )
            }
            _ => format!("algorithm={{ kind = 'projected-dgd', {common}, average_from = 0.5 }}"),
        }
    };
    // What is released is the point: its noise is that of a gradient, times the step.
    let of_a_step = |step: f64| -> Result<f64, ExperimentError> {
        Ok(sigma(problem, &[keys.as_slice(), &[algorithm(step)]].concat())? / step)
    };
    let sigma = of_a_step(1.0)?;
    let step = radius / (f64::from(rounds) * (lipschitz * lipschitz + dim * sigma * sigma / parties)).sqrt();
    keys.push(algorithm(step));
    let (_, summary) = cell(problem.preset, &keys)?;
    let accuracy = Estimate::mean(&merits(&summary));
    Ok(vec![
        problem.name.into(),
        method.into(),
        "none".into(),
        Cell::Absent,
        epsilon.into(),
        sigma.into(),
        (sigma / parties.sqrt()).into(),
        accuracy.value.into(),
        accuracy.error.into(),
    ])
}

fn without_privacy(problem: &Problem) -> Result<Vec<Cell>, ExperimentError> {
    let noise = "privacy={ adjacency = 'replace-record', noise = { kind = 'none' } }".to_owned();
    let keys = [
        "rounds=1".to_owned(),
        "objective={ loss = { kind = 'hinge' }, regulariser = { kind = 'squared-l2', mu = 0.01 } }".to_owned(),
        noise,
    ];
    let (_, summary) = cell(problem.preset, &keys)?;
    let metrics = &summary.metrics;
    let scores =
        [metrics.optimum, metrics.best_alone, metrics.median_alone, metrics.constant].map(|score| score.merit().into());
    Ok([vec![problem.name.into()], scores.to_vec()].concat())
}

/// The rows of a data set, a method and a regulariser.
fn part(table: &Table, problem: &Problem, method: &str, regulariser: &str) -> Table {
    let belongs =
        |row: &&Vec<Cell>| row[0] == problem.name.into() && row[1] == method.into() && row[2] == regulariser.into();
    Table { rows: table.rows.iter().filter(belongs).cloned().collect(), ..table.clone() }
}

/// Epsilon and a column, of one iota where the rows have one.
fn curve(part: &Table, column: &str, iota: Option<f64>) -> Vec<(f64, f64)> {
    let belongs = |row: &&Vec<Cell>| match (&row[3], iota) {
        (Cell::Number(found), Some(iota)) => (found - iota).abs() < 1e-9,
        _ => true,
    };
    let part = Table { rows: part.rows.iter().filter(belongs).cloned().collect(), ..part.clone() };
    part.numbers("epsilon").into_iter().zip(part.numbers(column)).collect()
}

fn sentences(table: &Table, references: &Table, problems: &[Problem]) -> Vec<String> {
    let mut found = vec![];
    for problem in problems {
        let [visible, hidden, dgd, server, alone] = [
            ("visible", "l2"),
            ("hidden", "l2"),
            ("DP-DGD", "none"),
            ("DP-SGD, one server", "none"),
            ("alone", "none"),
        ]
        .map(|(method, regulariser)| part(table, problem, method, regulariser));
        let ratios: Vec<f64> = pairs(&visible, &hidden, "noise");
        let of_mean: Vec<f64> = pairs(&visible, &hidden, "noise of the mean");
        let gains: Vec<f64> = accuracy_gains(&visible, &hidden);
        let range = |values: &[f64]| {
            let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
            format!("{} to {}", number(low), number(high))
        };
        found.push(format!(
            "{}: hidden activation needs {} times less noise in a message than visible, but sleeping parties send noise too: relative to the \
             gradients the noise of the mean is {} times that of visible activation, and the accuracy is higher by {}.",
            problem.name,
            range(&ratios),
            range(&of_mean),
            range(&gains)
        ));
        let best = |part: &Table| part.numbers("accuracy").into_iter().fold(0.0, f64::max);
        let all: Vec<String> = [("visible", &visible), ("DP-DGD", &dgd), ("one server", &server), ("alone", &alone)]
            .iter()
            .map(|(name, part)| format!("{name} {}", listed(part)))
            .collect();
        let optimum = references.number(problem.name, "optimum").unwrap_or(f64::NAN);
        let constant = references.number(problem.name, "most frequent class").unwrap_or(f64::NAN);
        found.push(format!(
            "{}: best accuracy over iota by ascending epsilon: {}. The optimum without privacy has {}, the most frequent class {}; the best of dual averaging is {}.",
            problem.name,
            all.join("; "),
            number(optimum),
            number(constant),
            number(best(&visible).max(best(&hidden)))
        ));
    }
    let of = |problem: &Problem| {
        pairs(&part(table, problem, "visible", "l2"), &part(table, problem, "hidden", "l2"), "noise of the mean")
    };
    let of_mean: Vec<f64> = problems.iter().flat_map(of).collect();
    found.push(format!(
        "Letting few parties be awake saves messages. Who sees who is awake sees in which rounds a party pays, and it pays for each of them in \
         full; hiding it needs less noise in a message, but left more noise in the mean in {} of {} cases.",
        of_mean.iter().filter(|ratio| **ratio > 1.0).count(),
        of_mean.len()
    ));
    found
}

/// The best accuracy at each epsilon, ascending.
fn listed(part: &Table) -> String {
    let points = curve(part, "accuracy", None);
    let mut epsilons: Vec<f64> = points.iter().map(|p| p.0).collect();
    epsilons.dedup();
    let best = |epsilon: f64| points.iter().filter(|p| (p.0 - epsilon).abs() < 1e-12).map(|p| p.1).fold(0.0, f64::max);
    epsilons.into_iter().map(|epsilon| number(best(epsilon))).collect::<Vec<_>>().join(", ")
}

/// Of each hidden row the visible value over its own, for `noise`; its own over the visible one otherwise.
fn pairs(visible: &Table, hidden: &Table, column: &str) -> Vec<f64> {
    let both = matched(visible, hidden, column);
    both.into_iter().map(|(seen, unseen)| if column == "noise" { seen / unseen } else { unseen / seen }).collect()
}

fn accuracy_gains(visible: &Table, hidden: &Table) -> Vec<f64> {
    matched(visible, hidden, "accuracy").into_iter().map(|(seen, unseen)| unseen - seen).collect()
}

/// A column of the rows with the same iota and epsilon.
fn matched(visible: &Table, hidden: &Table, column: &str) -> Vec<(f64, f64)> {
    let key = |table: &Table| {
        table.numbers("iota").into_iter().zip(table.numbers("epsilon")).zip(table.numbers(column)).collect::<Vec<_>>()
    };
    let seen = key(visible);
    let other =
        |at: (f64, f64)| seen.iter().find(|row| (row.0.0 - at.0).abs() < 1e-12 && (row.0.1 - at.1).abs() < 1e-12);
    key(hidden).into_iter().filter_map(|(at, unseen)| Some((other(at)?.1, unseen))).collect()
}
