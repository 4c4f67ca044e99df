//! One case of a theorem: what is drawn for it, and what is measured on it.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::TheoremError;
use crate::tally::Tally;

/// Rounding that an exact bound may be passed by, relative.
pub const ROUNDING: f64 = 1e-12;
/// Standard errors that a mean may be off by. Seeds are fixed: what has passed once passes for ever.
pub const ERRORS: f64 = 5.0;

/// One case.
pub struct Case {
    theorem: &'static str,
    index: u32,
    runner: TestRunner,
    tally: Tally,
}

impl Case {
    /// Case number `index` of a theorem: everything drawn for it follows from the two.
    pub(crate) fn new(theorem: &'static str, index: u32) -> Self {
        let mut seed = [0; 32];
        seed.iter_mut().zip(theorem.bytes().take(24)).for_each(|(seed, byte)| *seed = byte);
        seed[24..28].copy_from_slice(&index.to_le_bytes());
        let config = Config { failure_persistence: None, ..Config::default() };
        let runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        Self { theorem, index, runner, tally: Tally::default() }
    }

    pub(crate) fn into_tally(self) -> Tally {
        self.tally
    }

    /// The number of the case. Number 0 may be the example of a paper.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Draws a value.
    ///
    /// # Errors
    /// If too much of what is drawn is rejected.
    pub fn draw<S: Strategy>(&mut self, strategy: S) -> Result<S::Value, TheoremError> {
        let tree = strategy.new_tree(&mut self.runner);
        let (theorem, case) = (self.theorem, self.index);
        tree.map(|tree| tree.current()).map_err(|reason| TheoremError::Draw {
            theorem,
            case,
            reason: reason.to_string(),
        })
    }

    /// `measured <= bound`, up to rounding.
    pub fn below(&mut self, measured: f64, bound: f64) {
        self.below_to(ROUNDING, measured, bound);
    }

    /// `measured <= bound`, up to a relative rounding.
    pub fn below_to(&mut self, rounding: f64, measured: f64, bound: f64) {
        let holds = measured <= bound * (1.0 + rounding);
        let ratio = if measured <= 0.0 { 0.0 } else { measured / bound };
        self.record(ratio, holds, || format!("{measured} exceeds {bound}"));
    }

    /// The expectation of which these are repeats is at most `bound`. The ratio is that of what is certain, the mean less five
    /// standard errors, and bound.
    pub fn mean_below(&mut self, repeats: &[f64], bound: f64) {
        let (mean, error) = mean_and_error(repeats);
        let certain = mean - ERRORS * error;
        self.record((certain / bound).max(0.0), certain <= bound, || format!("{mean} +- {error} exceeds {bound}"));
    }

    /// `found = expected`, up to `tolerance max(1, |expected|)`. The ratio is that of error and tolerance.
    pub fn equal(&mut self, found: f64, expected: f64, tolerance: f64) {
        let ratio = (found - expected).abs() / (tolerance * expected.abs().max(1.0));
        self.record(ratio, ratio <= 1.0, || format!("{found}, not {expected}"));
    }

    /// The mean of repeats is `expected`, up to five standard errors. The ratio is that of error and five standard errors.
    pub fn mean_equal(&mut self, repeats: &[f64], expected: f64) {
        let (mean, error) = mean_and_error(repeats);
        let ratio = (mean - expected).abs() / (ERRORS * error);
        self.record(ratio, ratio <= 1.0, || format!("{mean} +- {error}, not {expected}"));
    }

    /// What holds or does not.
    pub fn require(&mut self, what: &'static str, holds: bool) {
        self.record(if holds { 0.0 } else { f64::INFINITY }, holds, || format!("not so: {what}"));
    }

    /// A number worked out beforehand, to be met whatever is claimed, up to `tolerance`.
    pub fn number(&mut self, found: f64, expected: f64, tolerance: f64) {
        let right = (found - expected).abs() <= tolerance;
        self.tally.add_number(right, || format!("{}: {found}, not {expected}", self.theorem));
    }

    fn record(&mut self, ratio: f64, holds: bool, words: impl FnOnce() -> String) {
        let index = self.index;
        self.tally.add(ratio, holds, || format!("case {index}: {}", words()));
    }
}

/// The mean and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}
