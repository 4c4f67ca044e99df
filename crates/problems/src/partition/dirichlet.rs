//! Label skew: each class is shared out to the parties in random proportions, as the literature on federated learning does.
//!
//! For every class, in ascending order, proportions `p ~ Dirichlet(alpha, ..., alpha)` over `n` parties are drawn, the records
//! of the class are shuffled, and party `i` gets those from `floor(c m)` to `floor(c' m)`, where `c` and `c'` are the sums
//! of the proportions before and with its own, and `m` is the size of the class. A party that is left without a record then takes the
//! last one of the largest party (of several, the first). Small `alpha` makes parties of one class, large `alpha` makes them alike.
//!
//! # Draws
//! `p_i = G_i / sum G`, with `G_i` of the gamma distribution of shape `alpha`: by Marsaglia and Tsang (2000), with shape `alpha + 1` and a
//! power of a uniform number where `alpha < 1`, in logarithms, so that no proportion underflows before it is compared with the
//! others. Normal numbers come by the polar method; logarithms, exponentials and roots are those of `libm`, which are the same on
//! every machine. The words are those of `ChaCha8` as for [`shuffled`](super::shuffled), of stream 2. The result is part of the interface.
//!
//! # References
//! T.-M. H. Hsu, H. Qi and M. Brown, "Measuring the effects of non-identical data distribution for federated visual
//! classification", 2019; Q. Li et al., "Federated learning on non-IID data silos: an experimental study", ICDE 2022.

use std::collections::BTreeMap;

use chacha20::ChaCha8Rng;
use rand::Rng;

use super::{generator, shuffle_with};
use crate::ProblemError;

/// The stream of the draws.
const STREAM: u64 = 2;

/// Gives the records of each class to the parties in proportions of a Dirichlet distribution with parameter `alpha`; `classes` has
/// the class of every record. Each party gets at least one record; the records of a party ascend.
///
/// # Errors
/// If `alpha` is not finite and positive, there is no party, or there are fewer records than parties.
pub fn dirichlet(classes: &[usize], parties: usize, alpha: f64, seed: u64) -> Result<Vec<Vec<usize>>, ProblemError> {
    if !(alpha.is_finite() && alpha > 0.0) {
        return Err(ProblemError::Alpha(alpha));
    }
    let records = classes.len();
    if parties == 0 || records < parties {
        return Err(ProblemError::TooFewRecords { records, parties });
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (record, &class) in classes.iter().enumerate() {
        members.entry(class).or_default().push(record);
    }
    let mut rng = generator(seed, STREAM);
    let mut parts = vec![vec![]; parties];
    for mut class in members.into_values() {
        let shares = proportions(&mut rng, parties, alpha);
        shuffle_with(&mut rng, &mut class);
        let (mut sum, mut start) = (0.0, 0);
        for (party, share) in shares.into_iter().enumerate() {
            sum += share;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and the size of the class"
            )]
            let end = if party + 1 == parties { class.len() } else { (sum * class.len() as f64) as usize };
            let end = end.clamp(start, class.len());
            parts[party].extend_from_slice(&class[start..end]);
            start = end;
        }
    }
    while let Some(empty) = parts.iter().position(Vec::is_empty) {
        let largest = (0..parties).rev().max_by_key(|&party| parts[party].len()).unwrap_or(0);
        let record = parts[largest].pop();
        parts[empty].extend(record);
    }
    for part in &mut parts {
        part.sort_unstable();
    }
    Ok(parts)
}

/// The number of the bin of every key when the records, by ascending key, are cut into `bins` nearly equal parts (as
/// [`contiguous`](super::contiguous); equal keys in the order of the records). This looks at the keys.
///
/// # Errors
/// If a key is not finite, or there are fewer records than bins.
pub fn quantile_bins(keys: &[f64], bins: usize) -> Result<Vec<usize>, ProblemError> {
    let mut bin = vec![0; keys.len()];
    for (number, part) in super::sorted(keys, bins)?.into_iter().enumerate() {
        for record in part {
            bin[record] = number;
        }
    }
    Ok(bin)
}

/// A draw of the symmetric Dirichlet distribution.
fn proportions(rng: &mut ChaCha8Rng, parties: usize, alpha: f64) -> Vec<f64> {
    let logs: Vec<f64> = (0..parties).map(|_| log_gamma_variate(rng, alpha)).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.into_iter().map(|log| libm::exp(log - largest)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// The logarithm of a number of the gamma distribution with this shape and scale 1.
fn log_gamma_variate(rng: &mut ChaCha8Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        let log = log_gamma_variate(rng, shape + 1.0);
        return log + libm::log(uniform(rng)) / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(rng);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let log_v = 3.0 * libm::log(root);
        let v = root * root * root;
        if libm::log(uniform(rng)) < 0.5 * x * x + d * (1.0 - v + log_v) {
            return libm::log(d) + log_v;
        }
    }
}

/// A standard normal number: Marsaglia's polar method, the first of the pair.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * libm::sqrt(-2.0 * libm::log(s) / s);
        }
    }
}

/// Uniform on `(0, 1]`, in steps of `2^-53`.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 * 2.0_f64.powi(-53)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean `1/n` and variance `(1/n)(1 - 1/n) / (n alpha + 1)` of a proportion. 20 000 draws for each alpha: the mean has a
    /// deviation of at most 0.0031, and the variance, of numbers within `[0, 1]`, of at most 0.0035 (a bound by its fourth
    /// moment); five and more of these are allowed. The seed is fixed, so the outcome is too.
    #[test]
    fn proportions_have_the_moments_of_a_dirichlet_distribution() {
        const DRAWS: usize = 20_000;
        let parties = 4;
        for alpha in [0.05, 0.5, 1.0, 3.0, 50.0] {
            let mut rng = generator(11, 5);
            let draws: Vec<Vec<f64>> = (0..DRAWS).map(|_| proportions(&mut rng, parties, alpha)).collect();
            let share = 1.0 / parties as f64;
            let expected = share * (1.0 - share) / (parties as f64 * alpha + 1.0);
            for party in 0..parties {
                let mean = draws.iter().map(|p| p[party]).sum::<f64>() / DRAWS as f64;
                let variance = draws.iter().map(|p| (p[party] - share).powi(2)).sum::<f64>() / DRAWS as f64;
                let deviation = (expected / DRAWS as f64).sqrt();
                assert!((mean - share).abs() < 5.0 * deviation, "alpha {alpha}: mean {mean}");
                assert!((variance / expected - 1.0).abs() < 0.06, "alpha {alpha}: variance {variance}, not {expected}");
            }
            assert!(draws.iter().all(|p| (p.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        }
    }

    /// The logarithm of a gamma variate has mean `digamma(shape)`: known constants, 40 000 draws, deviations `sqrt(trigamma / n)`.
    #[test]
    fn logarithms_of_gamma_variates_have_the_right_mean() {
        for (shape, digamma, trigamma) in [
            (0.5, -1.963_510_026_021_423_5, 4.934_802_200_544_679),
            (1.0, -0.577_215_664_901_532_9, 1.644_934_066_848_226_4),
            (4.0, 1.256_117_668_431_800_5, 0.283_822_955_737_115_3),
        ] {
            let mut rng = generator(3, 5);
            let mean = (0..40_000).map(|_| log_gamma_variate(&mut rng, shape)).sum::<f64>() / 40_000.0;
            let deviation = f64::sqrt(trigamma / 40_000.0);
            assert!((mean - digamma).abs() < 5.0 * deviation, "shape {shape}: {mean}");
        }
    }

    /// The same seed gives the same parties in every version and on every machine.
    #[test]
    fn the_parts_are_those_of_every_version() {
        let classes: Vec<usize> = (0..12).map(|record| record % 2).collect();
        let parts = dirichlet(&classes, 3, 0.5, 7).unwrap();
        assert_eq!(parts, STABLE);
    }

    const STABLE: [&[usize]; 3] = [&[3], &[0, 2, 4, 8, 11], &[1, 5, 6, 7, 9, 10]];

    #[test]
    fn every_record_has_one_party_and_every_party_a_record() {
        let classes: Vec<usize> = (0..40).map(|record| record % 3).collect();
        for (alpha, seed) in [(1e-3, 1), (1e-3, 2), (0.1, 3), (1.0, 4), (1e6, 5), (1e-300, 6)] {
            for parties in [1, 2, 7, 40] {
                let parts = dirichlet(&classes, parties, alpha, seed).unwrap();
                assert!(parts.len() == parties && parts.iter().all(|part| !part.is_empty() && part.is_sorted()));
                let mut all = parts.concat();
                all.sort_unstable();
                assert_eq!(all, (0..40).collect::<Vec<_>>());
            }
        }
        // Large alpha: parties alike. Small alpha: each class is with one party, but for what fills empty ones.
        let alike = dirichlet(&classes, 2, 1e6, 5).unwrap();
        assert!(alike.iter().all(|part| part.len().abs_diff(20) <= 2), "{alike:?}");
        let apart = dirichlet(&classes, 2, 1e-3, 8).unwrap();
        let split = |class: usize| apart.iter().filter(|part| part.iter().any(|&r| classes[r] == class)).count();
        assert!((0..3).filter(|&class| split(class) == 1).count() >= 2, "{apart:?}");
    }

    #[test]
    fn bins_are_runs_of_the_sorted_keys() {
        assert_eq!(quantile_bins(&[3.0, -1.0, 2.0, 2.0, 9.0], 2).unwrap(), [1, 0, 0, 0, 1]);
        assert!(quantile_bins(&[1.0], 2).is_err() && quantile_bins(&[f64::NAN, 1.0], 1).is_err());
    }

    #[test]
    fn impossible_requests_are_refused() {
        for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(dirichlet(&[0, 1], 1, alpha, 0), Err(ProblemError::Alpha(_))));
        }
        for (records, parties) in [(2, 3), (0, 1), (5, 0)] {
            let classes = vec![0; records];
            assert!(matches!(dirichlet(&classes, parties, 1.0, 0), Err(ProblemError::TooFewRecords { .. })));
        }
    }
}
