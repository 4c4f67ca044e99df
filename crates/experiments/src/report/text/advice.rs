//! What is told of a run before it.

use super::Page;
use crate::advice::{Explained, Kind, Measured, Prediction};
use crate::report::number::{bound, significant};

/// The chain from epsilon to the predicted error.
pub fn explained(found: &Explained) -> String {
    let mut page = Page::titled(&format!("Explanation of {}", found.name));
    page.paragraph("From what is declared in public alone: no data were read.");
    page.heading("From epsilon to noise");
    let budget = found.budget.map_or("none: privacy.budget".to_owned(), |budget| {
        format!("epsilon {} at delta {}: privacy.budget", significant(budget.epsilon), significant(budget.delta))
    });
    page.item("budget", &budget);
    let spent = &found.epsilon;
    let tightest = spent.best.as_ref().map(|best| (best.epsilon, best.method.as_str()));
    let spent = tightest
        .or(spent.zcdp.map(|epsilon| (epsilon, "zcdp")))
        .or(spent.rdp.map(|epsilon| (epsilon, "rdp")))
        .or(spent.pure.map(|epsilon| (epsilon, "pure")));
    let spent = spent.map_or("no finite epsilon".to_owned(), |(epsilon, method)| {
        format!(
            "epsilon {} at delta {} by {method}, over {} rounds",
            bound(epsilon),
            significant(found.delta),
            found.rounds
        )
    });
    page.item("spent", &spent);
    let sensitivity = found.sensitivity.value.map_or("none".to_owned(), significant);
    page.item("sensitivity", &format!("{sensitivity} in {}: {}", found.sensitivity.norm, found.sensitivity.derivation));
    page.item("noise", &scales(found));
    let noise = found.noise_in_answer;
    let released = significant(noise.released);
    page.item(
        "mean release",
        &format!("{released}: standard deviation of the noise in the mean of all parties' releases"),
    );
    if let (Some(coefficient), Some(prediction)) = (noise.coefficient, noise.prediction) {
        let [coefficient, prediction] = [coefficient, prediction].map(significant);
        let text = format!(
            "noise moves a coefficient (encoded) by about {coefficient} at most, the prediction of a record by at most R_x times \
             that, {prediction} (standard deviations; estimate: exact for squared loss if the set is not met, at the worst curvature)"
        );
        page.item("answer", &text);
    }
    page.heading("Public constants");
    for constant in &found.constants {
        let value = constant.value.map_or("unknown".to_owned(), significant);
        page.item(constant.name, &format!("{value}: {}", constant.from));
    }
    predictions(&mut page, "Predicted error", &found.predictions);
    page.list("What is missing for more", &found.missing);
    page.list("Warnings", &found.warnings);
    if let Some(Measured { note, strong_convexity, predictions: with }) = &found.measured {
        page.heading(note);
        page.item(
            "mu",
            &format!("{}: strong convexity of the mean objective on these data", significant(*strong_convexity)),
        );
        predictions(&mut page, "NON-PRIVATE: predicted with the measured mu", with);
    }
    page.text
}

fn scales(found: &Explained) -> String {
    let range = match (found.noise.first(), found.noise.last()) {
        (Some(first), Some(last)) if first.to_bits() == last.to_bits() => {
            format!("scale {} in each release", significant(*first))
        }
        (Some(first), Some(last)) => {
            format!("scale {} in the first release, {} in the last", significant(*first), significant(*last))
        }
        _ => "none".to_owned(),
    };
    format!("{}: {range} (privacy.noise)", found.mechanism)
}

fn predictions(page: &mut Page, heading: &str, all: &[Prediction]) {
    for prediction in all {
        let kind = match prediction.kind {
            Kind::Bound => "bound",
            Kind::Estimate => "estimate",
        };
        page.heading(&format!("{heading} ({kind}): {}", prediction.quantity));
        for term in &prediction.terms {
            let mark = if term.name == prediction.dominant { " <- dominates" } else { "" };
            page.item(term.name, &format!("{}{mark}", significant(term.value)));
        }
        page.item("sum", &significant(prediction.value));
        page.item("from", &prediction.basis);
        if let Some(remark) = &prediction.remark {
            page.item("remark", remark);
        }
    }
}
