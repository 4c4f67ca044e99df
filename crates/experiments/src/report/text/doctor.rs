//! The state of program and machine.

use super::Page;
use crate::doctor::Report;

/// Facts, checks, remarks, and the verdict.
pub fn doctor(report: &Report) -> String {
    let mut page = Page::titled("Dido on this machine");
    for fact in &report.facts {
        page.item(fact.name, &fact.value);
    }
    page.heading("Checks");
    for check in &report.checks {
        page.item(check.name, &format!("{}: {}", if check.passed { "ok" } else { "FAILED" }, check.detail));
    }
    page.list("Remarks", &report.remarks);
    page.paragraph("");
    page.paragraph(if report.healthy {
        "All is well."
    } else {
        "Something is wrong: do not trust results of this program here."
    });
    page.text
}
