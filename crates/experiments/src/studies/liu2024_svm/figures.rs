//! The figures: accuracy against epsilon, and noise against the share of parties awake.

use super::super::Table;
use super::super::wording::number;
use super::methods::BASELINES;
use super::{Problem, curve, part};
use crate::report::plot::{Drawn, Figure, Quantity, Series};

/// Both figures of a data set.
pub(super) fn figures(table: &Table, problem: &Problem) -> Vec<Figure> {
    let of = |method: &str, regulariser: &str| part(table, problem, method, regulariser);
    let (visible, hidden) = (of("visible", "l2"), of("hidden", "l2"));
    let mut shares = visible.numbers("iota");
    shares.sort_by(|a, b| b.total_cmp(a));
    shares.dedup();
    let mut accuracy = vec![];
    for &iota in &shares {
        accuracy.push(Series::new(
            format!("visible, iota = {}", number(iota)),
            Drawn::Joined,
            curve(&visible, "accuracy", Some(iota)),
        ));
    }
    let least = shares.last().copied();
    accuracy.push(Series::new(
        format!("hidden, iota = {}", least.map_or(String::new(), number)),
        Drawn::Joined,
        curve(&hidden, "accuracy", least),
    ));
    for method in BASELINES {
        accuracy.push(Series::new(method, Drawn::Joined, curve(&of(method, "none"), "accuracy", None)));
    }
    let mut noise = vec![];
    let epsilons: Vec<f64> = curve(&visible, "noise", Some(1.0)).iter().map(|p| p.0).collect();
    for epsilon in epsilons {
        let at = |part: &Table| {
            let rows = part.numbers("iota").into_iter().zip(part.numbers("epsilon")).zip(part.numbers("noise"));
            rows.filter(|row| (row.0.1 - epsilon).abs() < 1e-12).map(|row| (row.0.0, row.1)).collect::<Vec<_>>()
        };
        noise.push(Series::new(format!("visible, epsilon = {epsilon}"), Drawn::Joined, at(&visible)));
        noise.push(Series::new(format!("hidden, epsilon = {epsilon}"), Drawn::Dashed, at(&hidden)));
    }
    let (accuracy_name, noise_name) =
        if problem.name == "a9a" { ("a9a-accuracy", "a9a-noise") } else { ("spambase-accuracy", "spambase-noise") };
    vec![
        Figure {
            name: accuracy_name,
            title: format!("{}: accuracy against epsilon, hinge loss and l2", problem.name),
            note: "higher is better; the party that fares worst".to_owned(),
            x: Quantity::log("epsilon, at delta = 1e-5"),
            y: Quantity::linear("accuracy on held-out records"),
            series: accuracy,
        },
        Figure {
            name: noise_name,
            title: format!("{}: noise of a message against the share of parties awake", problem.name),
            note: "at the same epsilon".to_owned(),
            x: Quantity::log("iota"),
            y: Quantity::log("sigma"),
            series: noise,
        },
    ]
}
