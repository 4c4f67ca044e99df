use super::*;
use crate::report::fixture::{plan, summary, trace};

fn pictures(trace: &[TracePoint], plan: &Plan, summary: &Summary) -> [String; 3] {
    [
        error(trace, &[], plan, summary).unwrap().svg(),
        spending(trace, plan).unwrap().svg(),
        distance(trace, &[], summary.bound.as_ref()).unwrap().svg(),
    ]
}

/// Parses the picture; no number in it may be unusable for a renderer, or far outside the canvas.
fn check(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    assert!(root.attribute("viewBox").is_some() && root.attribute("role") == Some("img"));
    assert!(!svg.contains("NaN") && !svg.contains("inf,") && !svg.contains("\"inf"));
    for node in document.descendants() {
        for name in ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy"] {
            if let Some(v) = node.attribute(name).and_then(|v| v.parse::<f64>().ok()) {
                assert!((-20.0..900.0).contains(&v), "{name} = {v}");
            }
        }
        for number in node.attribute("d").unwrap_or("").split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c))) {
            let v = number.parse::<f64>().unwrap_or(0.0);
            assert!((-20.0..900.0).contains(&v), "{v} in a path");
        }
    }
}

fn text(svg: &str) -> String {
    let document = roxmltree::Document::parse(svg).unwrap();
    document.descendants().filter_map(|n| n.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn pictures_are_well_formed_and_name_every_line() {
    let (plan, summary) = (plan(), summary());
    let [error, spending, distance] = pictures(&trace(), &plan, &summary);
    for svg in [&error, &spending, &distance] {
        check(svg);
    }
    let words = text(&error);
    for label in ["lanes: 0.3812", "optimum, no privacy: 0.4123", "0.3345", "0.2156", "constant prediction: -0.0011"] {
        assert!(words.contains(label), "{label} in {words}");
    }
    assert!(text(&spending).contains("spent: 0.9877") && text(&spending).contains("budget: 1.25 at delta = 1e-6"));
    assert!(text(&distance).contains("1 value of zero is not shown"));
}

#[test]
fn a_bound_is_a_line_beside_the_measured_one() {
    let points: Vec<(u32, f64)> = trace().iter().map(|point| (point.round, 2.5)).collect();
    let allowed = ErrorBound { theorem: "a theorem".into(), measured: 0.5, points };
    let svg = distance(&trace(), &[], Some(&allowed)).unwrap().svg();
    check(&svg);
    assert!(text(&svg).contains("bound on the first (knows the data): 2.5"), "{}", text(&svg));
    let broken = ErrorBound { points: vec![(3, f64::NAN)], ..allowed };
    assert!(matches!(distance(&trace(), &[], Some(&broken)), Err(ReportError::NotFinite { round: 3, .. })));
}

#[test]
fn a_cut_curve_says_so() {
    let words = text(&error(&trace(), &[], &plan(), &summary()).unwrap().svg());
    assert!(words.contains("of 61 observed rounds lie outside the picture (lowest R\u{b2} -8.619)"), "{words}");
    let calm: Vec<_> = trace().into_iter().filter(|p| p.round > 200).collect();
    assert!(!text(&error(&calm, &[], &plan(), &summary()).unwrap().svg()).contains("outside"));
}

#[test]
fn the_same_trace_gives_the_same_bytes() {
    let (first, second) = (pictures(&trace(), &plan(), &summary()), pictures(&trace(), &plan(), &summary()));
    assert!(first == second);
    for svg in first {
        let clip = svg.split("url(#").nth(1).and_then(|s| s.split(')').next()).unwrap();
        assert!(svg.contains(&format!("<clipPath id=\"{clip}\"")), "{clip} is not defined");
    }
}

#[test]
fn identifiers_differ_between_pictures() {
    let all = pictures(&trace(), &plan(), &summary()).concat();
    let mut ids: Vec<&str> = all.split(" id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert!(count >= 9 && ids.len() == count, "{ids:?}");
}

#[test]
fn degenerate_traces_are_drawn() {
    let (plan, mut summary) = (plan(), summary());
    let point = TracePoint { round: 0, epsilon: Some(0.0), merit: 0.3, distance: 1.0, consensus_error: 0.0 };
    let traces = [
        vec![point],
        (0..9).map(|round| TracePoint { round, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, merit: -1e300, distance: 1e300, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, merit: if round % 2 == 0 { -1e300 } else { 0.2 }, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, merit: f64::MIN, distance: f64::MAX, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, merit: if round % 2 == 0 { f64::MIN } else { 0.2 }, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, epsilon: None, distance: 0.0, ..point }).collect(),
        (0..9).map(|round| TracePoint { round, epsilon: (round < 4).then_some(f64::from(round)), ..point }).collect(),
        (0..9).map(|round| TracePoint { round: round * 400_000_000, distance: 1e-300, ..point }).collect(),
    ];
    for trace in &traces {
        for svg in pictures(trace, &plan, &summary) {
            check(&svg);
        }
    }
    for (k, rounds) in [(6, "9 observed rounds"), (7, "5 observed rounds")] {
        let words = text(&spending(&traces[k], &plan).unwrap().svg());
        assert!(words.contains("infinite at the end: not private") && words.contains(rounds), "{words}");
    }
    summary.metrics.private = summary.metrics.private.with(f64::MIN, 1.0);
    summary.metrics.best_alone = summary.metrics.best_alone.with(-1e12, 1.0);
    summary.metrics.median_alone = summary.metrics.median_alone.with(-1e15, 1.0);
    let words = text(&error(&trace(), &[], &plan, &summary).unwrap().svg());
    assert!(words.contains("-1.000e15 (not in the picture)"), "{words}");
}

#[test]
fn what_cannot_be_plotted_is_an_error() {
    assert_eq!(error(&[], &[], &plan(), &summary()).err(), Some(ReportError::EmptyTrace));
    assert_eq!(spending(&[], &plan()).err(), Some(ReportError::EmptyTrace));
    assert_eq!(distance(&[], &[], None).err(), Some(ReportError::EmptyTrace));
    let mut broken = trace();
    broken[3].distance = f64::INFINITY;
    let refused = distance(&broken, &[], None).err().unwrap();
    assert_eq!(refused.to_string(), "round 15 of the trace: distance is inf, which cannot be plotted");
    let mut summary = summary();
    summary.metrics.optimum = summary.metrics.optimum.with(f64::NEG_INFINITY, 1.0);
    assert!(matches!(error(&trace(), &[], &plan(), &summary), Err(ReportError::NotFinite { .. })));
}
