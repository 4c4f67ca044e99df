//! What a theorem is, and what becomes of it.

use crate::case::Case;
use crate::report::{Finding, Verdict};
use crate::{TheoremError, tally::Tally};

/// A statement that can be checked on cases drawn at random.
#[derive(Clone, Copy, Debug)]
pub struct Theorem {
    /// Its name, at most 24 bytes: the cases are drawn from it.
    pub name: &'static str,
    /// What it says.
    pub statement: &'static str,
    /// Paper, theorem, equation.
    pub source: &'static str,
    /// What is drawn, and within which limits.
    pub assumptions: &'static str,
    /// What should come out.
    pub expected: Expected,
    /// So many cases of the cheapest kind take the time of one of these; 0 if there is one case only.
    pub cost: u32,
    /// The worst ratio of measured and bound is at least this, or the check has not come near the bound and proves little.
    pub reaches: f64,
    /// Draws a case and measures.
    pub check: fn(&mut Case) -> Result<(), TheoremError>,
}

/// What should come out of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The bound is met by every case.
    Holds,
    /// It is a published claim that is false: some case breaks it.
    Fails,
}

impl Theorem {
    /// How many cases are drawn when `cases` of the cheapest kind are: at least one.
    pub fn cases(&self, cases: u32) -> u32 {
        cases.checked_div(self.cost).unwrap_or(1).max(1)
    }

    /// Checks it. The same number of cases gives the same cases, and the first ones of a larger number.
    ///
    /// # Errors
    /// If a case cannot be drawn or measured.
    pub fn examine(&self, cases: u32) -> Result<Finding, TheoremError> {
        let count = self.cases(cases);
        let mut tally = Tally::default();
        for index in 0..count {
            let mut case = Case::new(self.name, index);
            (self.check)(&mut case)?;
            tally.join(case.into_tally());
        }
        let (verdict, detail) = self.judge(&tally);
        Ok(Finding {
            name: self.name.to_owned(),
            statement: self.statement.to_owned(),
            source: self.source.to_owned(),
            assumptions: self.assumptions.to_owned(),
            cases: count,
            worst: tally.worst(),
            verdict,
            detail,
        })
    }

    fn judge(&self, tally: &Tally) -> (Verdict, Option<String>) {
        let detail = tally.first_wrong().map(str::to_owned);
        let measured = tally.checks() > 0 && tally.worst() >= self.reaches;
        match (self.expected, tally.is_broken()) {
            _ if tally.has_wrong_number() => (Verdict::Fails, detail),
            (Expected::Holds, true) => (Verdict::Fails, detail),
            (Expected::Holds, false) if !measured => {
                (Verdict::Fails, Some(format!("no case came nearer than {} of the bound", tally.worst())))
            }
            (Expected::Holds, false) => (Verdict::Holds, None),
            (Expected::Fails, true) => (Verdict::FailsAsItShould, None),
            (Expected::Fails, false) => (Verdict::DoesNotFail, None),
        }
    }
}
