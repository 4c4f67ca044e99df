//! The natural logarithm in plain arithmetic: no branch, no table, no fused operation, so that a loop over it
//! vectorises and gives the same bits on every instruction set.

const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// The minimax coefficients of fdlibm's `log`: `(log(1+s) - log(1-s))/s - 2 = s^2 L[0] + s^4 L[1] + ...`.
const L: [f64; 7] = [
    f64::from_bits(0x3fe5_5555_5555_5593),
    f64::from_bits(0x3fd9_9999_9997_fa04),
    f64::from_bits(0x3fd2_4924_9422_9359),
    f64::from_bits(0x3fcc_71c5_1d8e_78af),
    f64::from_bits(0x3fc7_4664_96cb_03de),
    f64::from_bits(0x3fc3_9a09_d078_c69f),
    f64::from_bits(0x3fc2_f112_df3e_5244),
];

const ONE: u64 = 1023 << 52;
/// The upper half of `sqrt(1/2)`: mantissas are taken from there up to `sqrt(2)`.
const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
const MANTISSA: u64 = (1 << 52) - 1;
/// `2^52`; the integers below it, put into its mantissa, become floats by one subtraction.
const TWO_52: u64 = 0x4330 << 48;

/// `ln(x)` for a normal `x > 0`, within one unit in the last place or so.
///
/// `x = 2^k (1 + f)` with `1 + f` in `[sqrt(1/2), sqrt(2))`; the series in `s = f/(2 + f)` gives `ln(1 + f)`.
#[allow(clippy::inline_always, reason = "inlined into a loop compiled per instruction set")]
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits() + (ONE - SQRT_HALF);
    let k = f64::from_bits(bits >> 52 | TWO_52) - (f64::from_bits(TWO_52) + 1023.0);
    let f = f64::from_bits((bits & MANTISSA) + SQRT_HALF) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    let even = w * (L[1] + w * (L[3] + w * L[5]));
    let half = 0.5 * f * f;
    s * (half + (odd + even)) + k * LN2_LOW - half + f + k * LN2_HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Deterministic: a fixed million of points, uniform, near 1 and log-uniform down to 2^-52.
    #[test]
    fn it_agrees_with_the_standard_library_to_two_units_in_the_last_place() {
        let mut rng = chacha20::ChaCha8Rng::seed_from_u64(1);
        let mut worst = 0.0_f64;
        for i in 0..1_000_000 {
            let u: f64 = rng.random();
            let x = match i % 3 {
                0 => 1.0 - u,
                1 => 1.0 - u / 1024.0,
                _ => (-52.0 * u).exp2(),
            };
            let exact = x.ln();
            worst = worst.max((ln(x) - exact).abs() / (exact.abs() * f64::EPSILON).max(f64::MIN_POSITIVE));
        }
        assert!(worst < 2.0, "{worst} units in the last place");
    }

    #[test]
    fn powers_of_two_and_one_are_right() {
        assert!(ln(1.0).abs() <= 0.0);
        for k in 1..=52 {
            let exact = -f64::from(k) * std::f64::consts::LN_2;
            assert!((ln((-f64::from(k)).exp2()) - exact).abs() <= 2.0 * f64::EPSILON * exact.abs());
        }
    }
}
