//! The report of an audit.

use super::Page;
use crate::audit::{AuditReport, Method};
use crate::report::significant;

/// What an audit found, and what that means.
pub fn audit(report: &AuditReport) -> String {
    let mut page = Page::titled(&format!("Audit of {} ({}): {}", report.name, report.digest, report.verdict));
    page.paragraph("Computed from records without noise: not private, for the owner of the data only.");
    page.heading("Claim");
    let claimed = report.claimed;
    page.item("epsilon", &format!("{} at delta {}", significant(claimed.epsilon), significant(claimed.delta)));
    let single = if claimed.pure < f64::MAX {
        format!("a loss of at most {} (pure epsilon of the releases)", significant(claimed.pure))
    } else {
        "nothing: with this noise a loss has no bound".to_owned()
    };
    page.item("of a single run", &single);
    page.item("adjacency", &report.adjacency);
    page.heading("Audit");
    let victim = report.victim.map_or("all parties".to_owned(), |victim| format!("party {victim}"));
    page.item("whose data differ", &victim);
    page.item("confidence", &significant(report.confidence));
    match report.method {
        Method::Transcript => page.transcripts(report),
        Method::BlackBox => page.thresholds(report),
        Method::OneRun => page.guesses(report),
    }
    page.heading(&report.verdict.to_string());
    page.bullets(&report.reasons);
    page.paragraph("An audit can refute a claim, and never proves one.");
    page.text
}

impl Page {
    fn transcripts(&mut self, report: &AuditReport) {
        self.item("method", &format!("transcripts of {} runs on each data set, all messages", report.runs));
        self.heading("Log-likelihood ratios, and delta at the claimed epsilon");
        let rows: Vec<_> = report
            .transcripts
            .iter()
            .map(|pair| {
                let (audit, delta) = (&pair.audit, pair.audit.delta);
                let moved = audit.moved.map_or("-".to_owned(), |moved| significant(moved.share));
                let bounds = format!("{} to {}", significant(delta.lower), significant(delta.upper));
                let [largest, mean, delta] = [audit.largest_loss, audit.mean_loss, delta.estimate].map(significant);
                vec![pair.pair.clone(), largest, mean, delta, bounds, moved]
            })
            .collect();
        self.table(&["", "largest", "mean (KL)", "delta", "its bounds", "moved"], &rows);
        self.paragraph("moved: the largest share of its declared sensitivity by which a value differs before noise.");
    }

    fn thresholds(&mut self, report: &AuditReport) {
        let method = format!("a threshold on {} runs on each data set, chosen on the first half", report.runs);
        self.item("method", &method);
        self.item("view", &format!("{:?}", report.view).to_lowercase());
        self.heading("Lower bounds on epsilon");
        let rows: Vec<_> = report
            .thresholds
            .iter()
            .map(|pair| {
                let counts = pair.audit.counts;
                let errors = format!("{} + {}", counts.false_positives, counts.false_negatives);
                let [lower, ceiling] = [pair.audit.epsilon_lower, pair.audit.ceiling].map(significant);
                vec![pair.pair.clone(), errors, lower, ceiling]
            })
            .collect();
        self.table(&["", "errors", "epsilon above", "at most shown"], &rows);
    }

    fn guesses(&mut self, report: &AuditReport) {
        let Some(guesses) = report.guesses else { return };
        let (canaries, made, right) = (guesses.canaries(), guesses.guesses(), guesses.correct());
        self.item("method", &format!("one run with {canaries} coins, {made} of them guessed, {right} right"));
        let [lower, ceiling] = [report.epsilon_lower, report.ceiling].map(|x| x.map_or("-".to_owned(), significant));
        self.item("epsilon above", &format!("{lower} (so many coins can show at most {ceiling})"));
    }
}
