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

    /// Checks it. The same number of cases gives the same cases, and the first ones of a larger number. A case that cannot be
    /// drawn or measured ends it: it fails then.
    pub fn examine(&self, cases: u32) -> Finding {
        let count = self.cases(cases);
        let mut tally = Tally::default();
        let mut error = None;
        for index in 0..count {
            let mut case = Case::new(self.name, index);
            error = (self.check)(&mut case).err();
            tally.join(case.into_tally());
            if error.is_some() {
                break;
            }
        }
        let (verdict, detail) = match error {
            Some(error) => (Verdict::Fails, Some(error.to_string())),
            None => self.judge(&tally),
        };
        Finding {
            name: self.name.to_owned(),
            statement: self.statement.to_owned(),
            source: self.source.to_owned(),
            assumptions: self.assumptions.to_owned(),
            cases: count,
            worst: tally.worst(),
            verdict,
            detail,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    type Check = fn(&mut Case) -> Result<(), TheoremError>;
    type Means = fn(&mut Case, &[f64]);

    const TRUE: Theorem = Theorem {
        name: "T",
        statement: "a square of a number in [0, 1] is at most the number",
        source: "school",
        assumptions: "uniform numbers",
        expected: Expected::Holds,
        cost: 10,
        reaches: 0.5,
        check: |case| {
            let x = case.draw(0.0..1.0)?;
            case.below(x * x, x);
            Ok(())
        },
    };

    fn verdict(theorem: Theorem) -> Verdict {
        theorem.examine(1000).verdict
    }

    /// Each way in which a theorem can be wrong changes the verdict.
    #[test]
    fn verdicts_follow_from_what_is_measured() {
        assert_eq!(verdict(TRUE), Verdict::Holds);
        assert_eq!(verdict(Theorem { expected: Expected::Fails, ..TRUE }), Verdict::DoesNotFail);
        let check: Check = |case| {
            let x = case.draw(0.0..1.0)?;
            case.below(x, x * x);
            Ok(())
        };
        assert_eq!(verdict(Theorem { check, ..TRUE }), Verdict::Fails);
        assert_eq!(verdict(Theorem { check, expected: Expected::Fails, ..TRUE }), Verdict::FailsAsItShould);
        // Not near the bound, nothing measured, a wrong number, no number.
        let checks: [Check; 4] = [
            |case| {
                case.below(0.1, 1.0);
                Ok(())
            },
            |_| Ok(()),
            |case| {
                case.below(1.0, 1.0);
                case.number(1.0, 2.0, 0.5);
                Ok(())
            },
            |case| {
                case.below(f64::NAN, 1.0);
                Ok(())
            },
        ];
        for check in checks {
            assert_eq!(verdict(Theorem { check, ..TRUE }), Verdict::Fails);
        }
        // What is not a number, or another number than is known, refutes nothing.
        for check in &checks[2..] {
            assert_eq!(verdict(Theorem { check: *check, expected: Expected::Fails, ..TRUE }), Verdict::Fails);
        }
    }

    /// Means: what is certain at five standard errors is compared. Of 1000 numbers in [0, 1) it is 0.45 and not below 0.4, nor equal
    /// to 0.6; the seed is fixed.
    #[test]
    fn means_are_compared_up_to_five_standard_errors() {
        let checks: [(Means, Verdict); 4] = [
            (|case, x| case.mean_below(x, 0.47), Verdict::Holds),
            (|case, x| case.mean_below(x, 0.4), Verdict::Fails),
            (|case, x| case.mean_equal(x, 0.5), Verdict::Holds),
            (|case, x| case.mean_equal(x, 0.6), Verdict::Fails),
        ];
        for (check, expected) in checks {
            let mut case = Case::new("means", 0);
            let numbers = case.draw(proptest::collection::vec(0.0..1.0, 1000)).unwrap();
            check(&mut case, &numbers);
            assert_eq!(Theorem { reaches: 0.0, ..TRUE }.judge(&case.into_tally()).0, expected);
        }
    }

    /// More cases are the same ones and others besides; the same call finds the same.
    #[test]
    fn cases_are_reproducible_and_those_of_a_longer_run() {
        let first = |index: u32| Case::new("T", index).draw(0.0..1.0_f64).unwrap().to_bits();
        assert!(first(3) == first(3) && first(3) != first(4));
        assert_ne!(first(3), Case::new("U", 3).draw(0.0..1.0_f64).unwrap().to_bits());
        assert_eq!(TRUE.examine(500), TRUE.examine(500));
        assert!(TRUE.examine(50).worst <= TRUE.examine(5000).worst);
        assert_eq!([0, 9, 10, 99].map(|cases| TRUE.cases(cases)), [1, 1, 1, 9]);
        assert_eq!(Theorem { cost: 0, ..TRUE }.cases(1000), 1);
    }

    #[test]
    fn what_cannot_be_drawn_fails_and_names_the_case() {
        let check: Check = |case| {
            let _: u32 = case.draw(proptest::strategy::Strategy::prop_filter(0_u32..1, "never", |_| false))?;
            Ok(())
        };
        for expected in [Expected::Holds, Expected::Fails] {
            let finding = Theorem { check, expected, ..TRUE }.examine(1);
            assert_eq!(finding.verdict, Verdict::Fails);
            let detail = finding.detail.unwrap();
            assert!(detail.starts_with("T, case 0: nothing can be drawn that meets the assumptions"), "{detail}");
        }
    }
}
