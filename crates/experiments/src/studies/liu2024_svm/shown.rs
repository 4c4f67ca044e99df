//! The cells as a reader compares them: a table for each data set and regulariser, a column for each epsilon.

use super::super::wording::number;
use super::super::{Cell, Options, Table};
use super::methods::{BASELINES, Regulariser};
use super::{EPSILONS, Problem, activations, part, regularisers};

const COLUMNS: [&str; 5] = ["method", "epsilon = 0.1", "epsilon = 0.5", "epsilon = 1", "epsilon = 5"];

/// Accuracy with each regulariser, then the noise, of each data set.
pub(super) fn tables(cells: &Table, problems: &[Problem], options: &Options) -> Vec<Table> {
    let mut found = vec![];
    for problem in problems {
        for &regulariser in regularisers(options) {
            let caption = format!("`{}`, {}: accuracy on held-out records.", problem.name, regulariser.name());
            found.push(table(cells, problem, options, regulariser, caption, |row| match (&row[9], &row[10]) {
                (Cell::Number(accuracy), Cell::Number(error)) => Cell::Estimate(*accuracy, *error),
                (accuracy, _) => accuracy.clone(),
            }));
        }
        let caption = format!(
            "`{}`: sigma in a coordinate of a message, and in brackets that of the mean relative to the gradients that arrive: \
             `sqrt(sigma^2 / (n iota))` for visible, `sqrt(sigma^2 / n) / iota` for hidden activation. It does not depend on the regulariser.",
            problem.name
        );
        found.push(table(cells, problem, options, Regulariser::L2, caption, |row| match (&row[7], &row[8]) {
            (Cell::Number(sigma), Cell::Number(mean)) => format!("{} ({})", number(*sigma), number(*mean)).into(),
            (sigma, _) => sigma.clone(),
        }));
    }
    found
}

fn table(
    cells: &Table,
    problem: &Problem,
    options: &Options,
    regulariser: Regulariser,
    caption: String,
    of: impl Fn(&[Cell]) -> Cell,
) -> Table {
    let mut table = Table::new("shown", caption, COLUMNS);
    let mut push = |name: String, rows: &[&Vec<Cell>]| {
        let at = |epsilon: f64| rows.iter().find(|row| row[4] == epsilon.into()).map_or(Cell::Absent, |row| of(row));
        table.rows.push([vec![name.into()], EPSILONS.map(at).to_vec()].concat());
    };
    for hidden in [false, true] {
        for activation in activations(problem, options).into_iter().filter(|activation| activation.hidden == hidden) {
            let part = part(cells, problem, activation.name(), regulariser.name());
            let rows: Vec<&Vec<Cell>> = part.rows.iter().filter(|row| row[3] == activation.iota.into()).collect();
            push(format!("{}, iota = {}", activation.name(), number(activation.iota)), &rows);
        }
    }
    for method in BASELINES {
        push(method.to_owned(), &part(cells, problem, method, "none").rows.iter().collect::<Vec<_>>());
    }
    table
}
