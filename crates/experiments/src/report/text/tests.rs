use super::*;
use crate::report::fixture;

fn has(text: &str, parts: &[&str]) {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "a line is too long in\n{text}");
}

#[test]
fn a_plan_states_every_number_with_its_label() {
    let text = plan(&fixture::plan());
    has(
        &text,
        &[
            "Plan of quickstart (3f9ac2d17be04c55)",
            "released the model after a gradient step, 12 coefficients",
            "how often 299 releases per node in 300 rounds, by 16 parties",
            "to whom neighbours on the graph",
            "adjacency replace-record: one record",
            "assignment each value of `county` is a party; a replaced record keeps its `county`",
            "adversary all-messages: sees every message",
            "sensitivity 0.002346 in L2 (0.008126 in L1), the largest over rounds and nodes step(t) * s * D*, with s =",
            "noise laplace on every coordinate, scale: first 0.5, middle 0.1118, last 0.02502; each is 0.99 times",
            "pure, delta = 0 12.35 exact sum of the losses of all releases",
            "zCDP, delta = 1e-6 0.9877 concentrated privacy, optimal conversion <- budget",
            "tightest, delta = 1e-6 0.9124 the least of all accountings: pld",
            "published constant 451.3 pure, paper A (record: n_M = 1), to compare",
            "Epsilon of all 4 lanes, which model.json holds",
            "pure, delta = 0 49.39",
            "budget epsilon 1.25 at delta 1e-6",
            "graph torus (rows = 4, cols = 4), 32 edges weights metropolis sequence the same weights in every round",
            "lambda 0.600000, gap 0.4: the second largest singular value of the weights",
            "step size 0.25, constant",
            "* The scale was calibrated to 80 % of the budget.",
        ],
    );
    assert!(text.find("released").unwrap() < text.find("Epsilon").unwrap());
}

#[test]
fn the_budget_marks_the_accounting_that_keeps_it() {
    let mut plain = fixture::plan();
    plain.budget = Some(PlannedBudget { epsilon: 20.0, delta: 0.0 });
    has(&plan(&plain), &["exact sum of the losses of all releases <- budget", "epsilon 20 at delta 0"]);
    plain.budget = None;
    assert!(!plan(&plain).contains("<-"));
}

#[test]
fn absent_epsilons_are_named() {
    let mut none = fixture::plan();
    none.epsilon = Epsilons { published: None, pure: None, zcdp: None, rdp: None, best: None };
    none.mechanism = "none".into();
    none.sensitivity.value = None;
    has(
        &plan(&none),
        &[
            "pure, delta = 0 infinite (not private)",
            "zCDP, delta = 1e-6 infinite (not private)",
            "published constant does not apply",
            "none is added: the run is not private",
            "no bound exists",
        ],
    );
    let text = summary(&fixture::summary(), &none);
    has(
        &text,
        &[
            "the model (no privacy) reaches R^2 = 0.3812",
            "model (no privacy) 0.3812 403.2",
            "NON-PRIVATE: no noise was added, so nothing in these files is private.",
        ],
    );
    assert!(!text.contains("private model"), "{text}");
}

#[test]
fn a_summary_states_every_number_with_its_label() {
    let text = summary(&fixture::summary(), &fixture::plan());
    has(
        &text,
        &[
            "the private model reaches R^2 = 0.3812, more than the best party alone (0.3345)",
            "Scores: computed from held-out records, not covered by the guarantee",
            "private model 0.3812 403.2",
            "optimum, no privacy 0.4123",
            "best party alone 0.3345",
            "median party alone 0.2156",
            "constant -0.0011",
            "The score of the private model is that of the party that fares worst, the mean over lanes.",
            "The private model over 4 lanes",
            "min 0.3790",
            "max 0.3835",
            "Epsilon of all 4 lanes, which model.json holds",
            "49.39",
            "2.112",
            "intercept 1203 1188",
            "sex = female -0.004567 0",
            "local, not private",
            "income 37",
            "consensus 0.001234",
            "records 18400 for training, 4608 held out",
            "rounds 300 of 300 in 1.835 s (3.2 s of CPU)",
            "graph torus (rows = 4, cols = 4), 32 edges",
            "execution a simulation: all parties ran in one process",
            "report results/quickstart/3f9ac2d17be04c55/report.html",
            "The guarantee is that of the mechanism, not of these files: the noise follows from seed 20240229.",
            "floating-point sampler",
        ],
    );
    let mut secret = fixture::summary();
    secret.seeds.noise = crate::config::Seed::Os;
    secret.lanes = 1;
    let one = Plan { lanes: 1, ..fixture::plan() };
    let text = summary(&secret, &one);
    has(
        &text,
        &[
            "came from the operating system and was not stored",
            "draws fresh noise and spends its epsilon anew on the same data",
            "is that of the party that fares worst. Guarantee",
        ],
    );
    assert!(!text.contains("follows from seed") && !text.contains("lanes"));
}

#[test]
fn names_cannot_command_the_terminal_or_break_the_table() {
    let mut odd = fixture::summary();
    odd.name = "a\u{1b}[2Jb\nc".into();
    odd.coefficients[0].name = "long ".repeat(40);
    let text = summary(&odd, &fixture::plan());
    has(&text, &["Result of a?[2Jb c", "long long ..."]);
    assert!(!text.contains('\u{1b}'));
}
