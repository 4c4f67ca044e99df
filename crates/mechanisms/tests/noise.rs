//! The distribution of the noise. Seeds are fixed, so a test that passes once passes always; the tolerances are
//! about five standard errors, so that another seed would pass as well.

use dido_mechanisms::noise::Laplace;
use dido_mechanisms::{Key, Purpose, Stream};
use statrs::distribution::{ChiSquared, ContinuousCDF, Laplace as Reference};

fn draws(scale: f64, seed: u64, node: u32, lane: u32, round: u32, count: usize) -> Vec<f64> {
    let mut row = vec![0.0; count];
    let stream = Stream::new(round, Purpose::Noise, 0).unwrap();
    Laplace::new(scale)
        .unwrap()
        .add_simulated_range(&[Key::derive(seed, node, lane)], stream, &mut row, count)
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
    let x = draws(scale, 1, 0, 0, 0, 1_000_000);
    assert!(mean(x.iter().copied()).abs() < 0.007 * scale);
    assert!((mean(x.iter().map(|x| x.abs())) / scale - 1.0).abs() < 0.005);
    assert!((mean(x.iter().map(|x| x * x)) / (2.0 * scale * scale) - 1.0).abs() < 0.0115);
    assert!(x.iter().all(|x| x.is_finite()));
}

/// n = 1e6 in 200 cells of equal probability, by the distribution function of another library; a level of 1e-6.
#[test]
fn quantile_cells_are_equally_full() {
    let cells = 200_u32;
    let reference = Reference::new(0.0, 0.7).unwrap();
    let x = draws(0.7, 2, 0, 0, 0, 1_000_000);
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

/// Beyond 15 scales, the tail of 3e-7 that a coarse uniform would cut: n = 2e7, 6.1 expected, P(none) = 0.002.
#[test]
fn the_tail_is_there() {
    let far = (0..20).flat_map(|round| draws(1.0, 3, 0, 0, round, 1_000_000)).filter(|x| x.abs() > 15.0).count();
    assert!((1..=20).contains(&far), "{far} of 2e7 draws beyond 15 scales");
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    product(x, y) / (product(x, x) * product(y, y)).sqrt()
}

/// n = 1e5: the standard error of a correlation is 0.0032, the limit 0.02 is six of them.
#[test]
fn nodes_lanes_rounds_and_coordinates_are_independent() {
    let n = 100_000;
    let x = draws(1.0, 4, 0, 0, 0, 2 * n);
    let others = [
        ("node", draws(1.0, 4, 1, 0, 0, n)),
        ("lane", draws(1.0, 4, 0, 1, 0, n)),
        ("round", draws(1.0, 4, 0, 0, 1, n)),
        ("coordinate", x[1..=n].to_vec()),
        ("later coordinate", x[n..].to_vec()),
    ];
    for (what, other) in others {
        let signed = correlation(&x[..n], &other);
        let sizes = |x: &[f64]| x.iter().map(|x| x.abs() - 1.0).collect::<Vec<_>>();
        let absolute = correlation(&sizes(&x[..n]), &sizes(&other));
        assert!(signed.abs() < 0.02 && absolute.abs() < 0.02, "another {what}: {signed}, {absolute}");
    }
}
