//! The exact samplers: their laws, the grid, and what a broken generator gives. Seeds are fixed, so a test that passes
//! once passes always; the tolerances are about five standard errors, so that another seed would pass as well.

use std::convert::Infallible;

use chacha20::ChaCha20Rng;
use dido_geometry::{Rows, Shape};
use dido_mechanisms::{DiscreteGaussian, DiscreteLaplace, ExactNoise, Grid, Key, MechanismError, Purpose, Stream};
use rand::{Rng, SeedableRng, TryCryptoRng, TryRng};
use serde_json::Value;
use statrs::distribution::{ChiSquared, ContinuousCDF, Laplace, Normal};

fn integers() -> Grid {
    Grid::new(0).unwrap()
}

fn laplace(steps: f64) -> DiscreteLaplace {
    DiscreteLaplace::new(steps, integers()).unwrap()
}

fn gaussian(steps: f64) -> DiscreteGaussian {
    DiscreteGaussian::new(steps, integers()).unwrap()
}

fn draws(noise: &impl ExactNoise, seed: u64, count: usize) -> Vec<i64> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| noise.draw(&mut rng).unwrap()).collect()
}

/// The probabilities of -reach to reach: `weight` over its sum.
struct Law {
    reach: i64,
    p: Vec<f64>,
}

impl Law {
    fn new(reach: i64, weight: impl Fn(f64) -> f64) -> Self {
        let weights: Vec<f64> = (-reach..=reach).map(|k| weight(k as f64)).collect();
        let total: f64 = weights.iter().sum();
        Self { reach, p: weights.into_iter().map(|w| w / total).collect() }
    }

    fn laplace(t: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a small test scale")]
        let reach = (45.0 * t) as i64;
        Self::new(reach, |k| (-k.abs() / t).exp())
    }

    fn gaussian(sigma: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a small test scale")]
        let reach = (10.0 * sigma) as i64;
        Self::new(reach, |k| (-k * k / (2.0 * sigma * sigma)).exp())
    }

    fn at(&self, k: i64) -> f64 {
        usize::try_from(k + self.reach).map_or(0.0, |i| self.p.get(i).copied().unwrap_or(0.0))
    }

    fn moment(&self, power: i32) -> f64 {
        (-self.reach..=self.reach).map(|k| self.at(k) * (k as f64).powi(power)).sum()
    }
}

fn rows(name: &str) -> Vec<Value> {
    let table: Value = serde_json::from_str(include_str!("fixtures/discrete_noise.json")).unwrap();
    table[name].as_array().unwrap().clone()
}

/// Draws against a law: n = 1e6; the variance within five standard errors, and a chi-square test of level 1e-6 on the
/// cells with at least ten expected draws and the two tails.
fn assert_follows(noise: &impl ExactNoise, law: &Law, seed: u64) {
    let count = 1_000_000;
    let x = draws(noise, seed, count);
    let n = count as f64;

    let square = x.iter().map(|&x| (x as f64).powi(2)).sum::<f64>() / n;
    let error = ((law.moment(4) - law.moment(2).powi(2)) / n).sqrt();
    assert!((square - law.moment(2)).abs() < 5.0 * error, "variance {square}, expected {}", law.moment(2));

    let last = (0..law.reach).take_while(|&k| n * law.at(k) >= 10.0).last().unwrap();
    let mut cells: Vec<(f64, f64)> = (-last..=last).map(|k| (0.0, n * law.at(k))).collect();
    let tail = n * (last + 1..=law.reach).map(|k| law.at(k)).sum::<f64>();
    let mut tails = [(0.0, tail); 2];
    for &x in &x {
        match usize::try_from(x + last) {
            Ok(i) if x <= last => cells[i].0 += 1.0,
            Ok(_) => tails[1].0 += 1.0,
            Err(_) => tails[0].0 += 1.0,
        }
    }
    cells.extend(tails);
    let statistic: f64 = cells.iter().map(|(found, expected)| (found - expected).powi(2) / expected).sum();
    let limit = ChiSquared::new(cells.len() as f64 - 1.0).unwrap().inverse_cdf(1.0 - 1e-6);
    assert!(statistic < limit, "chi-square {statistic} over {limit} in {} cells", cells.len());
}

fn assert_tabulated(law: &Law, row: &Value) {
    for (found, name) in [(law.at(0), "pmf0"), (law.at(1), "pmf1"), (law.moment(2), "variance")] {
        let expected = row[name].as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-12, "{name} {found}, expected {expected}");
    }
}

#[test]
fn laplace_draws_follow_their_law() {
    for (seed, row) in (0..).zip(rows("laplace")) {
        let t = row["t"].as_f64().unwrap();
        let law = Law::laplace(t);
        assert_tabulated(&law, &row);
        assert_follows(&laplace(t), &law, seed);
    }
}

#[test]
fn gaussian_draws_follow_their_law() {
    for (seed, row) in (0..).zip(rows("gaussian")) {
        let sigma = row["sigma"].as_f64().unwrap();
        let law = Law::gaussian(sigma);
        assert!(law.moment(2) <= sigma * sigma * (1.0 + 1e-14));
        assert_tabulated(&law, &row);
        assert_follows(&gaussian(sigma), &law, seed);
    }
}

/// At 2^52 steps the laws are the continuous ones to 2^-52: n = 3e5 in 100 cells of equal probability, level 1e-6.
#[test]
fn the_widest_noise_is_that_of_the_continuous_law() {
    let widest = Grid::WIDEST as f64;
    equally_full(&laplace(widest), &Laplace::new(0.0, 1.0).unwrap());
    equally_full(&gaussian(widest), &Normal::new(0.0, 1.0).unwrap());
}

fn equally_full(noise: &impl ExactNoise, reference: &impl ContinuousCDF<f64, f64>) {
    let mut counts = [0.0; 100];
    for x in draws(noise, 7, 300_000) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in 0..=100")]
        let cell = (100.0 * reference.cdf(x as f64 / Grid::WIDEST as f64)) as usize;
        counts[cell.min(99)] += 1.0;
    }
    let statistic: f64 = counts.iter().map(|c| (c - 3000.0_f64).powi(2) / 3000.0).sum();
    let limit = ChiSquared::new(99.0).unwrap().inverse_cdf(1.0 - 1e-6);
    assert!(statistic < limit, "chi-square {statistic} over {limit}");
}

/// A generator whose words are those of a function of their number.
struct Rigged<F> {
    words: u64,
    word: F,
}

fn rigged<F: Fn(u64) -> u64>(word: F) -> Rigged<F> {
    Rigged { words: 0, word }
}

impl<F: Fn(u64) -> u64> TryRng for Rigged<F> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unimplemented!("the samplers take 64 bits at a time")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.words += 1;
        Ok((self.word)(self.words - 1))
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unimplemented!("the samplers take 64 bits at a time")
    }
}

impl<F: Fn(u64) -> u64> TryCryptoRng for Rigged<F> {}

const SCALES: [f64; 5] = [1.0, 3.0, 4096.0, 1e12, 4_503_599_627_370_496.0];

/// With ones alone each uniform is the largest, each coin fails and each sign is negative; with zeros alone no coin
/// ever fails, so that no draw ends, which is noticed.
#[test]
fn a_generator_of_one_word_gives_a_finite_draw_or_is_found_broken() {
    for scale in SCALES {
        let zeros = [laplace(scale).draw(&mut rigged(|_| 0)), gaussian(scale).draw(&mut rigged(|_| 0))];
        assert_eq!(zeros, [const { Err(MechanismError::BrokenGenerator) }; 2]);

        let ones = [laplace(scale).draw(&mut rigged(|_| u64::MAX)), gaussian(scale).draw(&mut rigged(|_| u64::MAX))];
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^52")]
        let largest = scale as i64 - 1;
        // A negative zero is drawn again, and with ones alone always.
        let expected = if largest == 0 { Err(MechanismError::BrokenGenerator) } else { Ok(-largest) };
        assert_eq!(ones, [expected.clone(), expected]);
    }
    let periodic = |n: u64| if n.is_multiple_of(2) { 0 } else { u64::MAX };
    let mut rng = rigged(periodic);
    assert!(laplace(3.0).draw(&mut rng).is_ok_and(|x| x.abs() < 1 << 20) || rng.words >= 1 << 15);
}

#[test]
fn a_vector_is_not_noised_with_a_broken_generator() {
    let mut vector = [1.0, 2.0];
    assert_eq!(laplace(3.0).add(&mut rigged(|_| 0), &mut vector), Err(MechanismError::BrokenGenerator));
}

/// What the bound on the number of words relies on: n = 2e5, where the mean of exp(words/20) is 1.5 to 3.
#[test]
fn draws_take_few_words() {
    fn mean(noise: &impl ExactNoise) -> f64 {
        let mut source = ChaCha20Rng::seed_from_u64(5);
        let words: Vec<u64> = (0..1 << 20).map(|_| source.next_u64()).collect();
        let mut rng = rigged(|n| words[(n % (1 << 20)) as usize]);
        let count = 200_000;
        let mut sum = 0.0;
        for _ in 0..count {
            let before = rng.words;
            noise.draw(&mut rng).unwrap();
            sum += ((rng.words - before) as f64 / 20.0).exp();
        }
        sum / f64::from(count)
    }
    for scale in SCALES {
        let means = [mean(&laplace(scale)), mean(&gaussian(scale))];
        assert!(means.iter().all(|m| *m < 10.0), "scale {scale}: {means:?}");
    }
}

fn stream(round: u32) -> Stream {
    Stream::new(round, Purpose::Noise, 0).unwrap()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Of any input, also -0 and the largest numbers, on coarse and fine grids and for the widest noise.
#[test]
fn outputs_are_finite_multiples_of_the_step_and_zero_has_no_sign() {
    let inputs = [-0.0, 0.0, 0.1, -1.0 / 3.0, 12345.678, 1e300, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324];
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let mut zeros = 0;
    for exponent in [-1022, -1000, -40, -3, 0, 7, 960] {
        let grid = Grid::new(exponent).unwrap();
        for steps in [1.0, 2.5, Grid::WIDEST as f64] {
            let scale = steps * grid.step();
            for _ in 0..50 {
                let mut outputs = [inputs, inputs];
                DiscreteLaplace::new(scale, grid).unwrap().add(&mut rng, &mut outputs[0]).unwrap();
                DiscreteGaussian::new(scale, grid).unwrap().add(&mut rng, &mut outputs[1]).unwrap();
                for x in outputs.concat() {
                    assert!(x.is_finite());
                    assert!((x / grid.step()).fract().abs() <= 0.0, "{x} on 2^{exponent}");
                    assert!(x != 0.0 || x.is_sign_positive());
                    zeros += u32::from(x == 0.0);
                }
            }
        }
    }
    assert!(zeros > 500, "{zeros}"); // most inputs are near 0 on coarse grids: the sign of zero was looked at
    for x in [f64::NAN, f64::INFINITY] {
        assert_eq!(laplace(1.0).add(&mut rng, &mut [0.0, x]), Err(MechanismError::NotFinite { position: 1 }));
    }
}

#[test]
fn sums_saturate() {
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let widest = laplace(Grid::WIDEST as f64);
    for extreme in [i64::MAX, i64::MIN] {
        let mut steps = [extreme; 100];
        widest.add_to_steps(&mut rng, &mut steps).unwrap();
        assert!(steps.iter().all(|x| x.signum() == extreme.signum()));
        assert!(steps.contains(&extreme) && steps.iter().any(|x| *x != extreme));
    }
}

/// Noise depends on the key and the stream alone, so values that differ by whole steps give outputs that do.
#[test]
fn the_noise_does_not_depend_on_the_value() {
    let grid = Grid::new(-20).unwrap();
    let noise = DiscreteGaussian::new(1.5, grid).unwrap();
    let key = [Key::derive(1, 2, 0)];
    let release = |x: f64| {
        let mut row = vec![x; 1000];
        noise.add_keyed_range(&key, stream(1), &mut row, 1000).unwrap();
        row
    };
    let shift = 3.0 * grid.step();
    let shifted: Vec<f64> = release(0.5).iter().map(|x| x + shift).collect();
    assert_eq!(bits(&shifted), bits(&release(0.5 + shift)));
    // A third is between two points of the grid, and counts as the nearer one.
    assert_eq!(bits(&release(1.0 / 3.0)), bits(&release(grid.value(grid.nearest(1.0 / 3.0)))));
}

/// A party with one node draws what a simulator with all of them draws for it; so do ranges.
#[test]
fn the_noise_of_a_row_depends_on_its_key_and_stream_only() {
    let keys: Vec<Key> = (0..6).map(|node| Key::derive(1, node, 0)).collect();
    let noise = DiscreteLaplace::new(2.0, Grid::new(-30).unwrap()).unwrap();
    let mut bundle = Rows::zeros(Shape { nodes: 3, lanes: 2, dim: 50 });
    noise.add_keyed(&keys, stream(3), &mut bundle).unwrap();
    let mut alone = [0.0; 50];
    noise.add_keyed_range(&keys[5..], stream(3), &mut alone, 50).unwrap();
    assert_eq!(bits(&alone), bits(bundle.row(2, 1)));
    noise.add_keyed_range(&keys[5..], stream(4), &mut alone, 50).unwrap();
    assert_ne!(bits(&alone), bits(bundle.row(2, 1)));
    assert_ne!(bundle.row(0, 0), bundle.row(0, 1));
    let refused = noise.add_keyed_range(&keys[..2], stream(3), &mut alone, 50);
    assert_eq!(refused, Err(MechanismError::Keys { keys: 2, numbers: 50, dim: 50 }));
    assert_eq!(noise.add_keyed_range(&keys, stream(3), &mut [], 0), Ok(()));
}

/// n = 1e5: the standard error of a correlation is 0.0032, the limit 0.02 is six of them.
#[test]
fn nodes_rounds_and_coordinates_are_independent() {
    fn correlation(x: &[f64], y: &[f64]) -> f64 {
        let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        product(x, y) / (product(x, x) * product(y, y)).sqrt()
    }
    fn sizes(x: &[f64]) -> Vec<f64> {
        let centre = x.iter().map(|x| x.abs()).sum::<f64>() / x.len() as f64;
        x.iter().map(|x| x.abs() - centre).collect()
    }
    fn check(noise: &impl ExactNoise) {
        let n = 100_000;
        let row = |node: u32, round: u32| {
            let mut row = vec![0.0; n + 1];
            noise.add_keyed_range(&[Key::derive(6, node, 0)], stream(round), &mut row, n + 1).unwrap();
            row
        };
        let x = row(0, 0);
        let others =
            [("node", row(1, 0)[1..].to_vec()), ("round", row(0, 1)[1..].to_vec()), ("coordinate", x[1..].to_vec())];
        for (what, other) in others {
            let found = [correlation(&x[..n], &other), correlation(&sizes(&x[..n]), &sizes(&other))];
            assert!(found.iter().all(|c| c.abs() < 0.02), "another {what}: {found:?}");
        }
    }
    check(&laplace(20.0));
    check(&gaussian(20.0));
}

/// A change here changes what parties draw from a stored key: say so in the release notes.
#[test]
fn values_are_stable() {
    let mut rng = Key::derive(42, 7, 3).strong_rng(stream(5));
    let mut ten = |noise: &dyn Fn(&mut ChaCha20Rng) -> i64| -> Vec<i64> { (0..10).map(|_| noise(&mut rng)).collect() };
    assert_eq!(
        ten(&|rng| laplace(1000.0).draw(rng).unwrap()),
        [-1853, -676, -509, 349, 112, -1391, 1617, 96, -648, -1666]
    );
    assert_eq!(
        ten(&|rng| gaussian(1000.0).draw(rng).unwrap()),
        [-767, -419, 520, -827, -64, 234, 478, -1238, 56, 1319]
    );
}
