//! The distribution of the noise. Seeds are fixed, so a test that passes once passes always; the tolerances are
//! about five standard errors, so that another seed would pass as well.

use dido_mechanisms::noise::{Gaussian, Laplace};
use dido_mechanisms::{Key, Purpose, Stream};
use statrs::distribution::{ChiSquared, ContinuousCDF, Laplace as Reference, Normal};

/// Which noise, with its scale.
#[derive(Clone, Copy)]
enum Noise {
    Laplace(f64),
    Gaussian(f64),
}

fn draws(noise: Noise, seed: u64, node: u32, lane: u32, round: u32, count: usize) -> Vec<f64> {
    let mut row = vec![0.0; count];
    let stream = Stream::new(round, Purpose::Noise, 0).unwrap();
    let keys = [Key::derive(seed, node, lane)];
    match noise {
        Noise::Laplace(scale) => Laplace::new(scale).unwrap().add_simulated_range(&keys, stream, &mut row, count),
        Noise::Gaussian(sigma) => Gaussian::new(sigma).unwrap().add_simulated_range(&keys, stream, &mut row, count),
    }
    .unwrap();
    row
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// n = 1e6: standard errors of the mean of x, |x| and x^2 are 0.0014 b, 0.001 b and 0.0045 b^2.
#[test]
fn moments_are_those_of_the_scale() {
    let scale = 14.1421;
    let x = draws(Noise::Laplace(scale), 1, 0, 0, 0, 1_000_000);
    assert!(mean(x.iter().copied()).abs() < 0.007 * scale);
    assert!((mean(x.iter().map(|x| x.abs())) / scale - 1.0).abs() < 0.005);
    assert!((mean(x.iter().map(|x| x * x)) / (2.0 * scale * scale) - 1.0).abs() < 0.0115);
    assert!(x.iter().all(|x| x.is_finite()));
}

/// n = 1e6: standard errors of the mean of x, |x|, x^2 and x^4 are 0.001, 0.0006, 0.0014 and 0.01 in units of sigma.
#[test]
fn moments_are_those_of_the_standard_deviation() {
    let sigma = 3.7;
    let x = draws(Noise::Gaussian(sigma), 1, 0, 0, 0, 1_000_000);
    let moment = |power: i32| mean(x.iter().map(|x| (x.abs() / sigma).powi(power)));
    assert!(mean(x.iter().copied()).abs() < 0.005 * sigma);
    assert!((moment(1) - std::f64::consts::FRAC_2_PI.sqrt()).abs() < 0.003);
    assert!((moment(2) - 1.0).abs() < 0.007);
    assert!((moment(4) - 3.0).abs() < 0.05);
    assert!(x.iter().all(|x| x.is_finite()));
}

#[test]
fn quantile_cells_are_equally_full() {
    equally_full(Noise::Laplace(0.7), &Reference::new(0.0, 0.7).unwrap());
    equally_full(Noise::Gaussian(0.7), &Normal::new(0.0, 0.7).unwrap());
}

/// n = 1e6 in 200 cells of equal probability, by the distribution function of another library; a level of 1e-6.
fn equally_full(noise: Noise, reference: &impl ContinuousCDF<f64, f64>) {
    let cells = 200_u32;
    let x = draws(noise, 2, 0, 0, 0, 1_000_000);
    let mut counts = vec![0_u32; cells as usize];
    for x in &x {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..=200")]
        let cell = (reference.cdf(*x) * f64::from(cells)) as usize;
        counts[cell.min(cells as usize - 1)] += 1;
    }
    let expected = x.len() as f64 / f64::from(cells);
    let statistic: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
    let limit = ChiSquared::new(f64::from(cells - 1)).unwrap().inverse_cdf(1.0 - 1e-6);
    assert!(statistic < limit, "chi-square {statistic} over {limit}");
}

/// Beyond 15 scales, the tail of 3e-7 that a coarse uniform would cut: n = 2e7, 6.1 expected, P(none) = 0.002. As many
/// Gaussian draws are beyond 5.125 standard deviations: 5.95 expected.
#[test]
fn the_tail_is_there() {
    for (noise, bound) in [(Noise::Laplace(1.0), 15.0), (Noise::Gaussian(1.0), 5.125)] {
        let beyond = |round| draws(noise, 3, 0, 0, round, 1_000_000).iter().filter(|x| x.abs() > bound).count();
        let far: usize = (0..20).map(beyond).sum();
        assert!((1..=20).contains(&far), "{far} of 2e7 draws beyond {bound}");
    }
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    product(x, y) / (product(x, x) * product(y, y)).sqrt()
}

/// n = 1e5: the standard error of a correlation is 0.0032, the limit 0.02 is six of them. The Gaussian draws of
/// coordinates 4 apart come from one pair of words, which is why that distance is looked at.
#[test]
fn nodes_lanes_rounds_and_coordinates_are_independent() {
    let n = 100_000;
    for noise in [Noise::Laplace(1.0), Noise::Gaussian(1.0)] {
        let x = draws(noise, 4, 0, 0, 0, 2 * n);
        let others = [
            ("node", draws(noise, 4, 1, 0, 0, n)),
            ("lane", draws(noise, 4, 0, 1, 0, n)),
            ("round", draws(noise, 4, 0, 0, 1, n)),
            ("coordinate", x[1..=n].to_vec()),
            ("paired coordinate", x[4..][..n].to_vec()),
            ("later coordinate", x[n..].to_vec()),
        ];
        for (what, other) in others {
            let signed = correlation(&x[..n], &other);
            let sizes = |x: &[f64]| {
                let centre = mean(x.iter().map(|x| x.abs()));
                x.iter().map(|x| x.abs() - centre).collect::<Vec<_>>()
            };
            let absolute = correlation(&sizes(&x[..n]), &sizes(&other));
            assert!(signed.abs() < 0.02 && absolute.abs() < 0.02, "another {what}: {signed}, {absolute}");
        }
    }
}
