//! All private methods on one problem at equal budgets.

use super::wording::number;
use super::{Findings, Options, Study, Table};
use crate::comparison::compare;
use crate::error::ExperimentError;
use crate::report::plot::{Drawn, Figure, Quantity, Series};

pub(super) const STUDY: Study = Study {
    name: "table1",
    title: "All private methods on one problem at equal epsilon (Table 1 of paper B)",
    question: "What does the same guarantee cost with each private method on the same problem, and how does the cost grow as epsilon falls?",
    set_up: "`dido compare table1`: the `quickstart` regression with the Huber loss, 200 rounds, eight lanes, delta = 1e-5 for the \
             replacement of a record, the adversary sees all messages. The gap of the objective is that of the party that fares worst; the \
             exponent is the `k` of `1/epsilon^k` in what noise adds to the gap. Steps and rounds are the same for both epsilons and were not \
             tuned for each method.",
    paper: "Table 1 of paper B compares orders of methods; its body could not be recovered but for what the text says of four rows. The \
            orders are stated for steps and rounds that follow epsilon.",
    run: study,
};

fn study(options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Findings, ExperimentError> {
    progress("all methods without noise and at two epsilons");
    let short = ["rounds=20".to_owned(), "lanes=2".to_owned(), "observe_every=20".to_owned()];
    let keys = options.choose([].as_slice(), short.as_slice());
    let found = compare("table1", &[keys, &[format!("seed={}", options.seed)]].concat())?;
    let columns =
        ["method", "without noise", "gap, smaller epsilon", "gap, larger epsilon", "exponent", "stated", "rounds"];
    let [low, high] = found.epsilons.map(number);
    let caption = format!("Gaps of the objective at epsilon = {low} and {high}.");
    let mut table = Table::new("methods", caption, columns);
    for row in &found.rows {
        table.push([
            row.name.as_str().into(),
            row.gap_without_noise.into(),
            row.gap[0].into(),
            row.gap[1].into(),
            row.exponent.into(),
            row.stated_exponent.into(),
            row.rounds.into(),
        ]);
    }
    let figures = vec![figure(&table, [&low, &high])];
    let sentences = [sentences(&table, found.epsilons), found.remarks].concat();
    Ok(Findings { sentences, figures, tables: vec![table], ..Findings::default() })
}

/// Names and gaps at the smaller epsilon, ascending.
fn ranked(table: &Table) -> Vec<(String, f64)> {
    let names =
        table.rows.iter().map(|row| if let super::Cell::Text(name) = &row[0] { name.clone() } else { String::new() });
    let mut ranked: Vec<(String, f64)> = names.zip(table.numbers("gap, smaller epsilon")).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

fn sentences(table: &Table, [low, _]: [f64; 2]) -> Vec<String> {
    let ranked = ranked(table);
    let list: Vec<String> = ranked.iter().map(|(name, gap)| format!("{name} ({})", number(*gap))).collect();
    let gap = |name: &str| ranked.iter().find(|row| row.0 == name).map_or(f64::NAN, |row| row.1);
    let central = gap("projected DGD, centralised");
    let alone = gap("projected DGD, each party alone");
    let worse = ranked.iter().filter(|row| row.1 > alone).count();
    vec![
        format!("At epsilon = {}, from the least gap to the largest: {}.", number(low), list.join(", ")),
        format!(
            "Private projected DGD of one trusted server has the gap {}, that of each party alone {}: {worse} of {} methods do worse than a \
             party that talks to nobody under the same guarantee.",
            number(central),
            number(alone),
            ranked.len()
        ),
    ]
}

fn figure(table: &Table, [low, high]: [&str; 2]) -> Figure {
    let ranked = ranked(table);
    let of = |column: &str| -> Vec<(f64, f64)> {
        let at = |k: usize, name: &str| Some((k as f64 + 1.0, table.number(name, column)?));
        ranked.iter().enumerate().filter_map(|(k, (name, _))| at(k, name)).collect()
    };
    let names: Vec<String> = ranked.iter().enumerate().map(|(k, (name, _))| format!("{}: {name}", k + 1)).collect();
    Figure {
        name: "gaps",
        title: "Gap of the objective with each method".to_owned(),
        note: names.join("; "),
        x: Quantity::linear("method, by its gap at the smaller epsilon"),
        y: Quantity::log("gap of the objective"),
        series: vec![
            Series::new(format!("epsilon = {low}"), Drawn::Markers, of("gap, smaller epsilon")),
            Series::new(format!("epsilon = {high}"), Drawn::Markers, of("gap, larger epsilon")),
            Series::new("without noise", Drawn::Markers, of("without noise")),
        ],
    }
}
