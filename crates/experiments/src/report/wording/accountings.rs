//! Epsilon by every accounting.

use crate::records::{Epsilons, PlannedBudget};
use crate::report::number::{bound, significant};

/// One accounting of epsilon.
pub(in crate::report) struct Accounting {
    /// Name and delta.
    pub(in crate::report) name: String,
    /// The value in print.
    pub(in crate::report) value: String,
    /// What it is.
    pub(in crate::report) meaning: String,
    /// Whether the budget is kept by this one.
    pub(in crate::report) budgeted: bool,
}

/// Epsilon by every accounting there is, those of the paper's algorithm first.
pub(in crate::report) fn accountings(epsilon: &Epsilons, delta: f64, budget: Option<PlannedBudget>) -> Vec<Accounting> {
    let Epsilons { published, pure, zcdp, rdp, best } = epsilon;
    // Where another accounting has an answer, this one just does not cover the noise.
    let or = |found: Option<f64>, elsewhere: bool| match found {
        Some(epsilon) => bound(epsilon),
        None if elsewhere => DOES_NOT_APPLY.to_owned(),
        None => "infinite (not private)".to_owned(),
    };
    let row = |name: &str, at: f64, value: String, meaning: &str, budgeted: bool| Accounting {
        name: format!("{name}, delta = {}", significant(at)),
        value,
        meaning: meaning.to_owned(),
        budgeted,
    };
    let with_delta = budget.filter(|b| b.delta > 0.0);
    // The filter of a budget adds up rho in another order than the accountant.
    let by_zcdp = with_delta.is_some_and(|b| zcdp.is_some_and(|zcdp| zcdp <= b.epsilon * (1.0 + 1e-9)));
    let by_rdp = with_delta.is_some() && best.is_none() && rdp.is_some();
    let by_pure = budget.is_some_and(|b| b.delta <= 0.0);
    let mut rows = vec![
        row(
            "pure",
            0.0,
            or(*pure, zcdp.or(*rdp).is_some() || best.is_some()),
            "exact sum of the losses of all releases",
            by_pure,
        ),
        row(
            "zCDP",
            delta,
            or(*zcdp, rdp.is_some() || best.is_some()),
            "concentrated privacy, optimal conversion",
            by_zcdp,
        ),
    ];
    if let Some(rdp) = rdp {
        rows.push(row("R\u{e9}nyi", delta, bound(*rdp), "R\u{e9}nyi divergences, the best order", by_rdp));
    }
    if let Some(best) = best {
        let meaning = format!("the least of all accountings: {}", best.method);
        rows.push(row("tightest", delta, bound(best.epsilon), &meaning, with_delta.is_some() && !by_zcdp));
    }
    rows.push(Accounting {
        name: "published constant".to_owned(),
        value: published.map_or_else(|| DOES_NOT_APPLY.to_owned(), bound),
        meaning: "pure, paper A (record: n_M = 1), to compare".to_owned(),
        budgeted: false,
    });
    rows
}

const DOES_NOT_APPLY: &str = "does not apply";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn the_budget_is_marked_where_it_is_kept() {
        let best = fixture::plan().epsilon.best;
        let marked = |epsilon: &Epsilons, budget: f64, delta: f64| -> Vec<(String, String)> {
            let rows = accountings(epsilon, 1e-6, Some(PlannedBudget { epsilon: budget, delta }));
            rows.into_iter().filter(|row| row.budgeted).map(|row| (row.name, row.value)).collect()
        };
        let row = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let plain = fixture::plan().epsilon;
        assert_eq!(marked(&plain, 1.25, 1e-6), row("zCDP, delta = 1e-6", "0.9877"));
        assert_eq!(marked(&plain, 0.95, 1e-6), row("tightest, delta = 1e-6", "0.9124"));
        assert_eq!(marked(&plain, 20.0, 0.0), row("pure, delta = 0", "12.35"));
        let sampled = Epsilons { published: None, pure: None, zcdp: None, rdp: Some(2.5), best };
        assert_eq!(marked(&sampled, 1.0, 1e-6), row("tightest, delta = 1e-6", "0.9124"));
        let many = Epsilons { best: None, ..sampled.clone() };
        assert_eq!(marked(&many, 3.0, 1e-6), row("R\u{e9}nyi, delta = 1e-6", "2.5"));
        let values: Vec<String> = accountings(&sampled, 1e-6, None).into_iter().map(|row| row.value).collect();
        assert_eq!(values, [DOES_NOT_APPLY, DOES_NOT_APPLY, "2.5", "0.9124", DOES_NOT_APPLY]);
    }
}
