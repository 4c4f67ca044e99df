//! The divergences `E_q (p/q - 1)^j` of Pearson and Vajda for even orders `j`, of the two outputs that are hardest to tell
//! apart. All are integrals of what is not negative, so nothing cancels.

use super::poisson::log_expm1;
use crate::accountants::facts::Loss;

/// An upper bound on `ln E_q (p/q - 1)^j`, exact to rounding, or infinity where Theorem 9 is known to be sharper.
pub(super) fn log_chi(loss: Loss, j: u32) -> f64 {
    match loss {
        Loss::Gaussian { mu } => gaussian(mu, f64::from(j)),
        Loss::Laplace { l1, .. } => laplace(l1, f64::from(j)),
        Loss::Approximate { epsilon, .. } => response(epsilon, f64::from(j)),
        Loss::Nothing => f64::NEG_INFINITY,
        // Whatever is private is dominated by randomised response.
        Loss::DiscreteLaplace(noise) => response(noise.l1_scales(), f64::from(j)),
        Loss::DiscreteGaussian(_) | Loss::Zcdp { .. } | Loss::Everything => f64::INFINITY,
    }
}

/// `N(mu, 1)` against `N(0, 1)`, by the trapezoidal rule for `E (e^(mu (x - mu/2)) - 1)^j`, `x ~ N(0, 1)`.
///
/// The integrand has two peaks, near `-sqrt(j)` and at most at `j mu + sqrt(j)`, each narrower than `N(0, 1)` and wider than
/// half of it, so that steps of 0.2 leave an error of `e^-100`. Expanded, the last term of the sum is `e^(j (j-1) mu^2/2)`; where the
/// one before is below `e^-3` of it, half of that last term, which Theorem 9 has, is less than this.
fn gaussian(mu: f64, j: f64) -> f64 {
    const STEP: f64 = 0.2;
    if (j - 1.0) * mu * mu > j.ln() + 3.0 {
        return f64::INFINITY;
    }
    let (first, last) = (-j.sqrt() - 9.0, j * mu + j.sqrt() + mu + 9.0);
    let points = ((last - first) / STEP).ceil() as u32;
    let log = |x: f64| -0.5 * x * x + j * (mu * (x - 0.5 * mu)).exp_m1().abs().ln();
    let logs: Vec<f64> = (0..=points).map(|k| log(first + f64::from(k) * STEP)).collect();
    log_sum(&logs) + STEP.ln() - 0.5 * (2.0 * std::f64::consts::PI).ln()
}

/// Laplace noise moved by `x` scales. The loss `s` has atoms at `x` and `-x`, of `e^-x / 2` and `1/2` under `q`, and between
/// them a density of `e^(-(s+x)/2) / 4`.
fn laplace(x: f64, j: f64) -> f64 {
    // Losses s > 0 and s < 0, with v = |s|; both integrands grow with v, with these logarithmic slopes.
    let above = from_the_top(x, |v| j * log_expm1(v) - 0.5 * (v + x), |v| j / -(-v).exp_m1() - 0.5);
    let below = from_the_top(x, |v| j * (-(-v).exp_m1()).ln() + 0.5 * (v - x), |v| j / v.exp_m1() + 0.5);
    let half = 2.0_f64.ln();
    let atoms = [j * log_expm1(x) - x - half, j * (-(-x).exp_m1()).ln() - half];
    log_sum(&[atoms[0], atoms[1], above - 2.0 * half, below - 2.0 * half])
}

/// Randomised response, the worst mechanism that is `epsilon`-private: `p/q` is `e^epsilon` with probability
/// `1 / (1 + e^epsilon)` and `e^-epsilon` otherwise.
fn response(epsilon: f64, j: f64) -> f64 {
    j * log_expm1(epsilon) - epsilon + ((1.0 - j) * epsilon).exp().ln_1p() - (-epsilon).exp().ln_1p()
}

/// `ln` of the integral over `(0, x)` of `e^log(v)`, whose logarithmic slope falls with `v`: panels from the top, each so
/// wide that the integrand falls by a factor of about 2, until what is left is 1e-16 of it; that is bounded by a rectangle.
fn from_the_top(x: f64, log: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> f64 {
    const RULE: [(f64, f64); 3] = [
        (0.0, 0.568_888_888_888_888_9),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.906_179_845_938_664, 0.236_926_885_056_189_08),
    ];
    let mut logs = vec![];
    let (mut top, peak) = (x, log(x));
    while top > 0.0 && log(top) > peak - 37.0 {
        let bottom = (top - 0.7 / slope(top)).max(0.0);
        if bottom >= top {
            // The panel is lost in rounding, at the ends of the range of numbers.
            break;
        }
        let (middle, half) = (0.5 * (top + bottom), 0.5 * (top - bottom));
        for (node, weight) in RULE {
            let share = (weight * half).ln();
            logs.push(share + log(middle + half * node));
            if node > 0.0 {
                logs.push(share + log(middle - half * node));
            }
        }
        top = bottom;
    }
    if top > 0.0 {
        logs.push(log(top) + top.ln());
    }
    log_sum(&logs)
}

/// `ln sum e^logs`.
fn log_sum(logs: &[f64]) -> f64 {
    let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if peak.is_finite() { peak + logs.iter().map(|log| (log - peak).exp()).sum::<f64>().ln() } else { peak }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alternating binomial sums, formed with 200 to 1500 digits.
    #[test]
    fn both_noises_agree_with_high_precision() {
        let gaussian = [
            (1.0, 2, 0.541_324_854_612_918_1),
            (1.0, 4, 5.818_290_038_535_158),
            (0.5, 16, 29.637_133_046_393_455),
            (0.25, 64, 124.787_445_292_155_12),
            (0.125, 256, 505.364_197_390_976_6),
            (0.01, 4, -17.321_435_186_655_58),
            (0.001, 256, -1_184.884_016_809_553),
        ];
        for (mu, j, expected) in gaussian {
            let found = log_chi(Loss::Gaussian { mu }, j);
            assert!((found - expected).abs() < 2e-12 * expected.abs().max(1.0), "{mu} {j}: {found} {expected}");
        }
        let laplace = [
            (0.1, 2, -4.636_571_788_271_268),
            (0.5, 2, -1.506_096_459_855_453_1),
            (1.0, 4, 0.596_472_810_543_316_1),
            (3.0, 10, 25.844_550_060_333_143),
            (0.01, 40, -184.192_625_720_472_42),
            (20.0, 6, 99.393_864_183_833_75),
            (1.0, 256, 136.887_249_193_193_5),
            (50.0, 2, 49.594_534_891_891_83),
        ];
        for (x, j, expected) in laplace {
            let found = log_chi(Loss::Laplace { l1: x, l2: x }, j);
            assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{x} {j}: {found} {expected}");
        }
        // At the ends of the range: `j ln x` of small moves (both atoms of 1/2), `(j - 1) x` of large ones.
        for (x, expected) in [(1e-310, 256.0 * 1e-310_f64.ln()), (1e100, 255e100)] {
            let found = log_chi(Loss::Laplace { l1: x, l2: x }, 256);
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{x}: {found} {expected}");
        }
    }

    /// Two points, written out.
    #[test]
    fn randomised_response_is_two_points() {
        for (epsilon, j) in [(0.3_f64, 2), (1.0, 6), (4.0, 10)] {
            let rare = 1.0 / (1.0 + epsilon.exp());
            let sum = rare * epsilon.exp_m1().powi(j) + (1.0 - rare) * (-epsilon).exp_m1().powi(j);
            let found = log_chi(Loss::Approximate { epsilon, delta: 0.0 }, j as u32);
            assert!((found - sum.ln()).abs() < 1e-12 * sum.ln().abs().max(1.0), "{epsilon} {j}: {found}");
        }
    }

    /// Where Theorem 9 is taken to be sharper, the sum (whose terms fall there) is above half of its last term.
    #[test]
    fn the_sharper_bound_is_left_out_only_where_it_is_not() {
        let mut left_out = 0;
        for j in (2..=64).step_by(2) {
            for step in 1..=60 {
                let mu = 0.05 * f64::from(step);
                if gaussian(mu, f64::from(j)).is_finite() {
                    continue;
                }
                left_out += 1;
                let (mut sum, mut term) = (0.0, 1.0);
                for i in (0..=j).rev() {
                    sum += term;
                    // C(j, i-1) / C(j, i), and from i (i-1) to (i-1)(i-2).
                    term *= -f64::from(i) / f64::from(j - i + 1) * (-f64::from(i - 1) * mu * mu).exp();
                }
                assert!(sum > 0.5, "{mu} {j}: {sum}");
            }
        }
        assert!(left_out > 1000, "{left_out}");
    }
}
