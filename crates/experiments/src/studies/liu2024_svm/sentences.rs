//! What the cells say.

use super::super::wording::number;
use super::super::{Options, Table};
use super::{Problem, curve, part};

/// The findings, data set by data set, and then what all have in common.
pub(super) fn sentences(table: &Table, references: &Table, problems: &[Problem], options: &Options) -> Vec<String> {
    let mut found: Vec<String> = problems.iter().map(|problem| accuracies(table, references, problem)).collect();
    found.extend(problems.iter().map(|problem| beside_dgd(table, problem, options)));
    found.extend(problems.iter().map(|problem| hidden_and_visible(table, problem)));
    found.extend(problems.iter().filter_map(|problem| both_regularisers(table, problem)));
    found.push(amplification(table, problems));
    found
}

fn accuracies(table: &Table, references: &Table, problem: &Problem) -> String {
    let methods = [
        ("dual averaging, visible", "visible", "l2"),
        ("hidden", "hidden", "l2"),
        ("DP-DGD", "DP-DGD", "none"),
        ("one server", "DP-SGD, one server", "none"),
        ("alone", "alone", "none"),
    ];
    let listed = methods.map(|(words, method, regulariser)| {
        let best: Vec<String> =
            best(&part(table, problem, method, regulariser)).iter().map(|p| format!("{:.3}", p.1)).collect();
        format!("{words} {}", best.join(", "))
    });
    let of = |column: &str| references.number(problem.name, column).unwrap_or(f64::NAN);
    let constant = of("most frequent class");
    let better = |method: &str| {
        let found = part(table, problem, method, "l2").numbers("accuracy");
        format!("{} of {}", found.iter().filter(|accuracy| **accuracy > constant).count(), found.len())
    };
    format!(
        "{}: best accuracy over iota with l2, by ascending epsilon: {}. The minimiser of the hinge loss without privacy has {:.3}, the most frequent \
         class {constant:.3}, which dual averaging exceeds in {} cells if activation is visible, in {} if it is hidden.",
        problem.name,
        listed.join("; "),
        of("optimum"),
        better("visible"),
        better("hidden")
    )
}

/// What one secret record in a round costs beside all records.
fn beside_dgd(table: &Table, problem: &Problem, options: &Options) -> String {
    let ours = best(&part(table, problem, "visible", "l2"));
    let theirs = part(table, problem, "DP-DGD", "none");
    let other = best(&theirs);
    let behind: Vec<String> = ours
        .iter()
        .zip(&other)
        .map(|(our, their)| format!("{} at epsilon {}", signed(our.1 - their.1), number(our.0)))
        .collect();
    format!(
        "{}: the accuracy of the best visible dual averaging differs from that of DP-DGD by {}; it takes {} rounds of one record each where DP-DGD \
         takes {} of all records.",
        problem.name,
        behind.join(", "),
        number(f64::from(problem.rounds(options))),
        number(theirs.numbers("rounds").first().copied().unwrap_or(f64::NAN))
    )
}

fn hidden_and_visible(table: &Table, problem: &Problem) -> String {
    let pairs = |column: &str| matched(table, problem, column);
    let ratio = |column: &str| range(pairs(column).into_iter().map(|(seen, unseen)| unseen / seen), number);
    format!(
        "{}: hidden activation takes {} times the noise of visible in a message, but sleeping parties send noise too: relative to the \
         gradients the noise of the mean is {} times that of visible activation. The accuracy differs by {}.",
        problem.name,
        ratio("noise"),
        ratio("noise of the mean"),
        range(pairs("accuracy").into_iter().map(|(seen, unseen)| unseen - seen), signed)
    )
}

fn both_regularisers(table: &Table, problem: &Problem) -> Option<String> {
    let of = |regulariser: &str| {
        ["visible", "hidden"].map(|method| part(table, problem, method, regulariser).numbers("accuracy")).concat()
    };
    let differences: Vec<f64> = of("l1").iter().zip(of("l2")).map(|(one, two)| one - two).collect();
    let better = differences.iter().filter(|difference| **difference > 0.0).count();
    (!differences.is_empty()).then(|| {
        format!(
            "{}: with l1 instead of l2 the accuracy differs by {}, and is higher in {better} of {} cells.",
            problem.name,
            range(differences.iter().copied(), signed),
            differences.len()
        )
    })
}

fn amplification(table: &Table, problems: &[Problem]) -> String {
    let of = |column: &str| -> Vec<(f64, f64)> {
        problems.iter().flat_map(|problem| matched(table, problem, column)).collect()
    };
    let (message, mean) = (of("noise"), of("noise of the mean"));
    format!(
        "Letting few parties be awake saves messages. Who sees who is awake sees in which rounds a party pays, and it pays for each of them in \
         full. Hiding it takes less noise in a message in {} of {} cases, and leaves more noise in the mean in {} of them.",
        message.iter().filter(|(seen, unseen)| unseen < seen).count(),
        message.len(),
        mean.iter().filter(|(seen, unseen)| unseen > seen).count()
    )
}

/// The best accuracy at each epsilon, ascending.
fn best(part: &Table) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = vec![];
    for (epsilon, accuracy) in curve(part, "accuracy", None) {
        match found.iter_mut().find(|known| known.0.to_bits() == epsilon.to_bits()) {
            Some(known) => known.1 = known.1.max(accuracy),
            None => found.push((epsilon, accuracy)),
        }
    }
    found
}

/// A column, visible and hidden, of the cells with l2 and the same iota and epsilon.
fn matched(table: &Table, problem: &Problem, column: &str) -> Vec<(f64, f64)> {
    let key = |method: &str| {
        let part = part(table, problem, method, "l2");
        let at = part.numbers("iota").into_iter().zip(part.numbers("epsilon"));
        at.zip(part.numbers(column)).collect::<Vec<_>>()
    };
    let seen = key("visible");
    let other = |at: (f64, f64)| seen.iter().find(|row| row.0 == at).map(|row| row.1);
    key("hidden").into_iter().filter_map(|(at, unseen)| Some((other(at)?, unseen))).collect()
}

/// From the least to the largest.
fn range(values: impl Iterator<Item = f64>, text: fn(f64) -> String) -> String {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let (low, high) = (text(low), text(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// A difference, to three decimals and with its sign.
fn signed(x: f64) -> String {
    format!("{x:+.3}")
}
