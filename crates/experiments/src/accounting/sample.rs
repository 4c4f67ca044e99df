//! `--rate`, `--sampling`, `--batch`, `--population`: how the records of a step are drawn.

use clap::{Args, ValueEnum};
use dido_mechanisms::{Adjacency, Sampling};
use serde::Serialize;

use super::number;
use crate::error::ExperimentError;

/// The schemes, by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Each record by a coin of its own: add-remove-record.
    Poisson,
    /// A subset of fixed size: replace-record.
    WithoutReplacement,
    /// One record of q: replace-record.
    OneOfQ,
}

/// How the records of a step are drawn, in secret; none given: each step looks at all of them.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct SampleOptions {
    /// The probability that a record is in the sample of a step: poisson; batch / population, rounded up by at most 2^-63
    /// (without-replacement); 1/q (one-of-q).
    #[arg(long, value_name = "Q", value_parser = number::rate)]
    pub rate: Option<f64>,
    /// How the records of a step are drawn; with --rate alone: poisson.
    #[arg(long, value_enum, value_name = "SCHEME")]
    pub sampling: Option<Scheme>,
    /// Records in the sample of a step (without-replacement, with --population instead of --rate).
    #[arg(long, value_name = "B", value_parser = number::count)]
    pub batch: Option<u64>,
    /// Records there are (without-replacement, one-of-q; instead of --rate).
    #[arg(long, value_name = "N", value_parser = number::positive_count)]
    pub population: Option<u64>,
}

/// How the records of a step are drawn: checked options, which answers repeat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// The scheme.
    pub kind: Scheme,
    /// The probability that a record is in the sample.
    pub rate: f64,
    /// Records in the sample, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Records there are, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<u64>,
}

impl SampleOptions {
    /// The sample that is meant, if not all records are looked at.
    ///
    /// # Errors
    /// If options are missing or contradict each other, or a rate is not 1/q.
    pub fn checked(&self) -> Result<Option<Sample>, ExperimentError> {
        let Self { rate, sampling, batch, population } = *self;
        let of_rate = |kind, rate| Ok(Some(Sample { kind, rate, batch: None, population: None }));
        match (sampling, rate, batch, population) {
            (None, None, None, None) => Ok(None),
            (None | Some(Scheme::Poisson), Some(rate), None, None) => of_rate(Scheme::Poisson, rate),
            (Some(Scheme::WithoutReplacement), Some(rate), None, None) => of_rate(Scheme::WithoutReplacement, rate),
            (Some(Scheme::WithoutReplacement), None, Some(batch), Some(population)) if batch <= population => {
                Ok(Some(Sample::counted(Scheme::WithoutReplacement, batch, population)))
            }
            (Some(Scheme::WithoutReplacement), None, Some(batch), Some(population)) => {
                Err(usage(format!("--batch {batch}: there are {population} records only (--population)")))
            }
            (Some(Scheme::OneOfQ), Some(rate), None, None) => {
                Ok(Some(Sample::counted(Scheme::OneOfQ, 1, whole(rate)?)))
            }
            (Some(Scheme::OneOfQ), None, None, Some(population)) => {
                Ok(Some(Sample::counted(Scheme::OneOfQ, 1, population)))
            }
            (None, ..) => Err(usage("--batch and --population need --sampling, and go without --rate")),
            (Some(Scheme::Poisson), ..) => Err(usage("--sampling poisson needs --rate, and nothing else")),
            (Some(Scheme::WithoutReplacement), ..) => {
                Err(usage("--sampling without-replacement needs --rate, or --batch and --population"))
            }
            (Some(Scheme::OneOfQ), ..) => Err(usage("--sampling one-of-q needs --rate 1/q, or --population q")),
        }
    }
}

impl Sample {
    fn counted(kind: Scheme, batch: u64, population: u64) -> Self {
        Self { kind, rate: batch as f64 / population as f64, batch: Some(batch), population: Some(population) }
    }

    /// The same for a ledger. A rate without replacement becomes a batch of a population of 2^63: only the quotient
    /// matters. A rate is a binary fraction: times 2^63 it is exact, and whole but for rates below 2^-10, which are rounded up.
    pub fn sampling(self) -> Sampling {
        let Self { kind, rate, batch, population } = self;
        match (kind, batch.zip(population)) {
            (Scheme::Poisson, _) => Sampling::Poisson { rate },
            (Scheme::OneOfQ, Some((_, population))) => Sampling::OneOf { population },
            (_, Some((batch, population))) => Sampling::WithoutReplacement { batch, population },
            (_, None) => {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 2^63")]
                let batch = (rate * MOST as f64).ceil() as u64;
                Sampling::WithoutReplacement { batch, population: MOST }
            }
        }
    }

    fn in_words(self) -> String {
        let Self { kind, rate, batch, population } = self;
        match (kind, batch.zip(population)) {
            (Scheme::Poisson, _) => format!("on a Poisson sample of rate {rate}"),
            (_, None) => format!("on a subset of fixed size, a share of {rate} of the records"),
            (_, Some((batch, population))) => format!("on a subset of {batch} of {population} records"),
        }
    }
}

/// What is released each time, in words.
pub fn mechanism(noise: &str, sample: Option<Sample>) -> String {
    sample.map_or_else(|| noise.to_owned(), |sample| format!("{noise}, {}", sample.in_words()))
}

/// The relation a question is about: the one that is named, or the one that the sampling speaks of.
///
/// # Errors
/// If the two contradict each other.
pub fn adjacency(named: Option<Adjacency>, sample: Option<Sample>) -> Result<Adjacency, ExperimentError> {
    let own = match sample.map(|sample| sample.kind) {
        None => return Ok(named.unwrap_or(Adjacency::AddRemoveRecord)),
        Some(Scheme::Poisson) => Adjacency::AddRemoveRecord,
        Some(Scheme::WithoutReplacement | Scheme::OneOfQ) => Adjacency::ReplaceRecord,
    };
    match named {
        Some(other) if other != own => Err(usage(format!("--adjacency: this --sampling is accounted for {own} only"))),
        _ => Ok(own),
    }
}

/// The largest population.
const MOST: u64 = 1 << 63;

/// `q` of a rate `1/q`.
fn whole(rate: f64) -> Result<u64, ExperimentError> {
    let q = (1.0 / rate).round();
    if !(q <= MOST as f64 && (q * rate - 1.0).abs() <= 1e-9) {
        return Err(usage(format!("--rate {rate}: one-of-q needs 1/q for a whole q; --population q says it exactly")));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 2^63")]
    Ok(q as u64)
}

pub fn usage(message: impl Into<String>) -> ExperimentError {
    ExperimentError::Usage(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(scheme: Scheme, rate: f64) -> SampleOptions {
        SampleOptions { rate: Some(rate), sampling: Some(scheme), ..SampleOptions::default() }
    }

    /// A smaller rate would be a smaller epsilon.
    #[test]
    fn no_rate_becomes_smaller() {
        for rate in [0.0, 1e-300, 1e-12, 1.0 / 3.0, 0.1, 0.7, 1.0 - f64::EPSILON, 1.0] {
            let found = options(Scheme::WithoutReplacement, rate).checked().unwrap().unwrap().sampling().rate();
            assert!(found >= rate && found <= rate + 1.1e-19 && found <= 1.0, "{rate}: {found}");
        }
    }

    #[test]
    fn one_of_q_takes_whole_numbers_only() {
        for (rate, q) in [(1.0, 1), (0.5, 2), (1.0 / 3.0, 3), (0.1, 10), (1e-6, 1_000_000)] {
            let found = options(Scheme::OneOfQ, rate).checked().unwrap().unwrap();
            assert_eq!(found.sampling(), Sampling::OneOf { population: q });
        }
        for rate in [0.0, 0.3, 0.333, 0.99, 1e-300] {
            let error = options(Scheme::OneOfQ, rate).checked().unwrap_err().to_string();
            assert!(error.starts_with("--rate") && error.contains("--population"), "{error}");
        }
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        let none = SampleOptions::default();
        assert_eq!(none.checked().unwrap(), None);
        let (poisson, subset, one) = (Some(Scheme::Poisson), Some(Scheme::WithoutReplacement), Some(Scheme::OneOfQ));
        for (bad, part) in [
            (SampleOptions { sampling: poisson, ..none }, "--rate"),
            (SampleOptions { rate: Some(0.1), batch: Some(1), ..none }, "--batch"),
            (SampleOptions { population: Some(10), ..none }, "--sampling"),
            (SampleOptions { sampling: subset, ..none }, "--population"),
            (SampleOptions { sampling: subset, batch: Some(1), ..none }, "--population"),
            (SampleOptions { sampling: subset, batch: Some(3), population: Some(2), ..none }, "--batch 3"),
            (SampleOptions { sampling: subset, rate: Some(0.5), batch: Some(1), population: Some(2) }, "--rate"),
            (SampleOptions { sampling: one, batch: Some(1), population: Some(2), ..none }, "--population q"),
        ] {
            let error = bad.checked().unwrap_err().to_string();
            assert!(error.contains(part), "{bad:?}: {error}");
        }
    }

    #[test]
    fn the_relation_is_that_of_the_sampling() {
        let of = |scheme| options(scheme, 0.1).checked().unwrap();
        let (poisson, one) = (of(Scheme::Poisson), of(Scheme::OneOfQ));
        assert_eq!(adjacency(None, None).unwrap(), Adjacency::AddRemoveRecord);
        assert_eq!(adjacency(Some(Adjacency::ReplaceNode), None).unwrap(), Adjacency::ReplaceNode);
        assert_eq!(adjacency(None, poisson).unwrap(), Adjacency::AddRemoveRecord);
        assert_eq!(adjacency(None, one).unwrap(), Adjacency::ReplaceRecord);
        assert!(adjacency(Some(Adjacency::ReplaceRecord), poisson).is_err());
        assert!(adjacency(Some(Adjacency::AddRemoveRecord), one).is_err());
    }
}
