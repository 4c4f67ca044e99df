//! Paper B: support vector machines with few parties awake, by what the adversary sees of it.

mod figures;
mod methods;
mod sentences;
mod shown;

use rayon::prelude::*;

use super::{Cell, Findings, Options, Study, Table};
use crate::error::ExperimentError;
use methods::{Activation, BASELINES, Regulariser, baseline, dual_averaging, without_privacy};

pub(super) const STUDY: Study = Study {
    name: "liu2024-svm",
    title: "Support vector machines with few parties awake (paper B)",
    question: "Only a share iota of the parties is awake in a round. Does that amplify privacy? What does it do to the model, against an \
               adversary who sees who is awake and against one who does not, and how do DP-DGD, a trusted server with DP-SGD and a party \
               alone compare at the same epsilon?",
    set_up: "Hinge loss on two data sets, as in the presets `svm` and `a9a`: `spambase`, nine parties with `q = 409` messages each and `m = 15` features, \
             and `a9a`, twenty parties with about `q = 1465` records each and `m = 123` features; both on a torus, delta = 1e-5 for the \
             replacement of a record. Dual averaging takes one secret record in a round and Gaussian noise, with `(mu/2)||x||^2` (l2) or \
             `lambda ||x||_1`, `lambda = 0.001` (l1). Visible: a party that is away is silent, and everybody sees that. Hidden: each party has a \
             secret coin of probability iota and sends noise when it says no. DP-DGD is projected DGD with all records, DP-SGD one party \
             with all data and a twentieth of it in a round, both on the ball of radius `B` for 1000 rounds, without regulariser. Alone: DP-DGD of \
             parties that never talk. Scores are those of the party that fares worst.\n\n\
             All choices follow from public quantities by one rule. Rounds: `T = 32 q`, so a party that is always awake looks at \
             each record 32 times in the mean; the bound falls with `V / T`, so with more rounds too, but 32 looks are what minutes allow. Size: `B = sqrt(m) / x_max` is the norm of a model in which each feature, at its largest value \
             `x_max`, moves the margin by 1: `x_max` is 1 for `spambase` and `1/sqrt(14)` for `a9a`, where 14 features make a row of norm 1. The rest minimises the \
             bound of [the corrected theory](../theory/liu2024.md) at `sigma`, which `dido plan` gives: with `V = 2 iota^2 L^2 + iota m sigma^2 / n` \
             if activation is visible and `V = 2 iota^2 L^2 + m sigma^2 / n` if it is hidden, `mu = sqrt(8 V / T) / (iota B)`, `a_t = t` and `gamma_t = iota mu` \
             for l2, and `a_t = 1`, `gamma_t = 2 sqrt(V (t + 1)) / B` for l1. Steps of the others are `B / sqrt(T (L^2 + m sigma^2 / n))`.",
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
    /// `m`, `n`, `q`, all records, `L` and the largest value of a feature.
    dim: f64,
    parties: f64,
    each: u32,
    records: usize,
    lipschitz: f64,
    largest: f64,
    lanes: u32,
    /// The shares of parties awake.
    shares: [f64; 4],
}

const SPAMBASE: Problem = Problem {
    name: "spambase",
    preset: "svm",
    graph: "{ kind = 'torus', rows = 3, cols = 3",
    dim: 15.0,
    parties: 9.0,
    each: 409,
    records: 3681,
    lipschitz: 2.0,
    largest: 1.0,
    lanes: 8,
    shares: [1.0, 0.5, 0.2, 1.0 / 9.0],
};
const A9A: Problem = Problem {
    name: "a9a",
    preset: "a9a",
    graph: "{ kind = 'torus', rows = 4, cols = 5",
    dim: 123.0,
    parties: 20.0,
    each: 1465,
    records: 29_305,
    lipschitz: 1.0,
    // 1/sqrt(14).
    largest: 0.267_261_241_912_424_4,
    lanes: 3,
    shares: [1.0, 0.5, 0.2, 0.05],
};

const EPSILONS: [f64; 4] = [0.1, 0.5, 1.0, 5.0];
/// So often a party that is always awake looks at each of its records.
const PASSES: u32 = 32;

impl Problem {
    /// `B`.
    fn radius(&self) -> f64 {
        self.dim.sqrt() / self.largest
    }

    /// `T`.
    fn rounds(&self, options: &Options) -> u32 {
        self.each * options.choose(PASSES, 1)
    }
}

/// One row of the cells.
enum Job {
    Dual(Regulariser, Activation),
    Other(&'static str),
}

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    let columns = [
        "data",
        "method",
        "regulariser",
        "iota",
        "epsilon",
        "rounds",
        "mu",
        "noise",
        "noise of the mean",
        "accuracy",
        "+-",
        "optimum",
    ];
    let caption = "`noise`: sigma in a coordinate of a message. `noise of the mean`: `sqrt(sigma^2 / (n iota))` for visible, \
                   `sqrt(sigma^2 / n) / iota` for hidden activation: what it is relative to the gradients that arrive. `optimum`: the accuracy \
                   of the minimiser of the same objective, regulariser included, without privacy.";
    let mut table = Table::new("cells", caption, columns);
    let mut references = Table::new(
        "references",
        "Accuracy without privacy, of minimisers of the hinge loss without regulariser: on all records, of parties alone, and the share of the most \
         frequent class.",
        ["data", "optimum", "best alone", "median alone", "most frequent class"],
    );
    let problems = options.choose([SPAMBASE, A9A].as_slice(), &[SPAMBASE]);
    for problem in problems {
        for &epsilon in options.choose(EPSILONS.as_slice(), &[0.5]) {
            progress(&format!("{}, epsilon {epsilon}", problem.name));
            let rows: Result<Vec<Vec<Cell>>, ExperimentError> = jobs(problem, options)
                .into_par_iter()
                .map(|job| match job {
                    Job::Dual(regulariser, activation) => {
                        dual_averaging(problem, regulariser, activation, epsilon, options)
                    }
                    Job::Other(method) => baseline(problem, method, epsilon, options),
                })
                .collect();
            table.rows.extend(rows?);
        }
        references.rows.push(without_privacy(problem)?);
    }
    let mut shown = shown::tables(&table, problems, options);
    shown.push(references.clone());
    Ok(Findings {
        sentences: sentences::sentences(&table, &references, problems, options),
        figures: problems.iter().flat_map(|problem| figures::figures(&table, problem)).collect(),
        tables: vec![table, references],
        shown,
        ..Findings::default()
    })
}

/// All rows of one epsilon.
fn jobs(problem: &Problem, options: &Options) -> Vec<Job> {
    let activations = activations(problem, options);
    let dual = |regulariser: Regulariser| activations.iter().map(move |&activation| Job::Dual(regulariser, activation));
    regularisers(options).iter().copied().flat_map(dual).chain(BASELINES.map(Job::Other)).collect()
}

fn regularisers(options: &Options) -> &'static [Regulariser] {
    options.choose(&[Regulariser::L2, Regulariser::L1], &[Regulariser::L2])
}

fn activations(problem: &Problem, options: &Options) -> Vec<Activation> {
    let shares = options.choose(problem.shares.as_slice(), &[1.0, 0.2]);
    let of = |iota: f64| {
        let views = if iota < 1.0 { vec![false, true] } else { vec![false] };
        views.into_iter().map(move |hidden| Activation { iota, hidden })
    };
    shares.iter().copied().flat_map(of).collect()
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
