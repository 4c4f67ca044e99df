use super::*;
use crate::report::{fixture, plot};

fn ledger(rows: u32) -> Vec<LedgerRow> {
    (0..rows)
        .map(|k| LedgerRow {
            nodes: "all".into(),
            rounds: (k, k + k % 2),
            releases: u64::from(1 + k % 2),
            mechanism: "laplace".into(),
            scale: Some(0.5 * 0.99_f64.powi(k.cast_signed())),
            sensitivity: Some(0.002_345_6),
            norm: "L2".into(),
        })
        .collect()
}

fn full(plan: &Plan, summary: &Summary, rows: u32) -> String {
    let trace = fixture::trace();
    let plots = [
        Plot::new("R\u{b2} & rounds: not covered by the guarantee.", &plot::error(&trace, &[], plan, summary).unwrap()),
        Plot::new("Epsilon spent.", &plot::spending(&trace, plan).unwrap()),
        Plot::new("Distances: not covered by the guarantee.", &plot::distance(&trace, &[], None).unwrap()),
    ];
    shown(plan, summary, &ledger(rows), &plots, LISTING)
}

const LISTING: &str = "name = \"quickstart\"\n";

fn shown(plan: &Plan, summary: &Summary, ledger: &[LedgerRow], plots: &[Plot<'_>], words: &str) -> String {
    let parties: Vec<Party> =
        summary.records.iter().map(|&records| Party { records: Some(records), degree: 4, releases: 299 }).collect();
    let graph = Some("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>torus</title></svg>");
    page(&Page { plan, summary, question: words, ledger, plots, graph, parties: &parties, listing: words })
}

fn parse(page: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(page, options).unwrap()
}

fn text(document: &roxmltree::Document<'_>) -> String {
    let all: Vec<&str> = document.descendants().filter(roxmltree::Node::is_text).filter_map(|n| n.text()).collect();
    all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_is_well_formed_and_complete() {
    let page = full(&fixture::plan(), &fixture::summary(), 299);
    let document = parse(&page);
    let words = text(&document);
    for part in [
        "On held-out records the private model reaches R\u{b2} = 0.3812",
        "the optimum without privacy reaches 0.4123",
        "299 releases per node in 300 rounds, by 16 parties",
        "replace-record: one record",
        "Assignment each value of county is a party; a replaced record keeps its county , and",
        "all-messages: sees every message",
        "0.002346 in L2 (0.008126 in L1)",
        "Derivation: step(t) * s * D*",
        "each is 0.99 times the one before",
        "12.35",
        "0.9877",
        "the budget is kept by this one",
        "0.9124 the least of all accountings: pld",
        "451.3",
        "Epsilon of all 4 lanes, which model.json holds",
        "49.39",
        "Clip counts",
        "intercept 1203 1188",
        "18400; per party at least 1000, median 1160, at most 1300",
        "noise follows from seed 20240229",
        "is that of the party that fares worst, the mean over lanes. Not covered by the guarantee.",
        "Execution a simulation: all parties ran in one process",
        "on the same data it gives the same model, ledger and trace again",
        "299 rows",
        "3 to 4 2 laplace 0.4851 0.002346 (L2)",
        "income 37",
        "error.svg: the curve of the scores",
        "local.json: the SHA-256 of the data",
        "local.json The SHA-256 of the data, to notice other data. Not private",
        "The first picture of this page",
        "trace.csv",
    ] {
        assert!(words.contains(part), "{part:?} is not in\n{words}");
    }
    let headings: Vec<_> = document
        .descendants()
        .filter(|n| ["h1", "h2", "h3"].contains(&n.tag_name().name()))
        .map(|n| n.tag_name().name().as_bytes()[1] - b'0')
        .collect();
    assert_eq!(headings[0], 1);
    assert!(headings.windows(2).all(|w| w[1] > 1 && w[1] <= w[0] + 1), "{headings:?}");
    assert!(document.descendants().filter(|n| n.has_tag_name("th")).all(|n| n.attribute("scope").is_some()));
    assert_eq!(document.descendants().filter(|n| n.has_tag_name("figcaption")).count(), 4);
}

#[test]
fn a_short_ledger_is_not_folded() {
    assert!(!full(&fixture::plan(), &fixture::summary(), 3).contains("<details>"));
}

#[test]
fn a_run_without_noise_claims_nothing() {
    let mut plan = fixture::plan();
    plan.mechanism = "none".into();
    let page = full(&plan, &fixture::summary(), 3);
    assert!(page.contains("NON-PRIVATE: no noise was added, so nothing in these files is private."));
    assert!(!page.contains("What the guarantee covers") && !page.contains("follows from seed"));
    assert!(page.contains("model (no privacy)") && !page.contains("private model"));
}

#[test]
fn a_key_of_the_operating_system_is_said_to_spend_anew() {
    let mut summary = fixture::summary();
    summary.seeds.noise = Seed::Os;
    let page = full(&fixture::plan(), &summary, 3);
    assert!(page.contains("another --out, after an interruption) draws fresh noise and spends its epsilon anew"));
    assert!(page.contains("running it again draws fresh noise") && !page.contains("model, ledger and trace again"));
}

#[test]
fn nothing_is_fetched() {
    let page = full(&fixture::plan(), &fixture::summary(), 3);
    let inert = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for outside in ["http:", "https:", "//", "url(http", "@import", "<script", "<link", "src=", "href="] {
        assert!(!inert.contains(outside), "{outside}");
    }
    let document = parse(&page);
    let mut ids: Vec<_> = document.descendants().filter_map(|n| n.attribute("id")).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "identifiers are not unique");
}

#[test]
fn names_from_files_stay_text() {
    let evil = "<script>alert('x')</script> & \"quoted\" \u{1} ]]>";
    let (mut plan, mut summary) = (fixture::plan(), fixture::summary());
    for text in [
        &mut plan.name,
        &mut plan.algorithm,
        &mut plan.released,
        &mut plan.recipients,
        &mut plan.adjacency_in_words,
        &mut plan.assignment,
        &mut plan.adversary_in_words,
        &mut plan.sensitivity.derivation,
        &mut plan.sensitivity.norm,
        &mut plan.mechanism,
        &mut plan.remarks[0],
        &mut summary.name,
        &mut summary.digest,
        &mut summary.adjacency,
        &mut summary.adversary,
        &mut summary.coefficients[0].name,
        &mut summary.clipped[0].column,
    ] {
        evil.clone_into(text);
    }
    let row = LedgerRow { nodes: evil.into(), mechanism: evil.into(), norm: evil.into(), ..ledger(1)[0].clone() };
    let page = shown(
        &plan,
        &summary,
        &[row],
        &[Plot::new(evil, &plot::distance(&fixture::trace(), &[], None).unwrap())],
        evil,
    );
    let document = parse(&page);
    assert!(!page.contains("<script"));
    assert!(text(&document).matches("<script>alert('x')</script> & \"quoted\" \u{fffd} ]]>").count() >= 21);
}

#[test]
fn the_same_run_gives_the_same_page() {
    let page = || full(&fixture::plan(), &fixture::summary(), 40);
    assert!(page() == page());
}
