//! Points of the unit circle in plain arithmetic: no branch, no table, no fused operation, so that a loop over it
//! vectorises and gives the same bits on every instruction set.

use std::f64::consts::FRAC_PI_4;

/// The minimax coefficients of fdlibm's `sin` on `|x| <= pi/4`: `sin x = x + x^3 (S[0] + S[1] x^2 + ...)`.
const S: [f64; 6] = [
    f64::from_bits(0xbfc5_5555_5555_5549),
    f64::from_bits(0x3f81_1111_1110_f8a6),
    f64::from_bits(0xbf2a_01a0_19c1_61d5),
    f64::from_bits(0x3ec7_1de3_57b1_fe7d),
    f64::from_bits(0xbe5a_e5e6_8a2b_9ceb),
    f64::from_bits(0x3de5_d93a_5acf_d57c),
];

/// Those of its `cos`: `cos x = 1 - x^2/2 + x^4 (C[0] + C[1] x^2 + ...)`.
const C: [f64; 6] = [
    f64::from_bits(0x3fa5_5555_5555_554c),
    f64::from_bits(0xbf56_c16c_16c1_5177),
    f64::from_bits(0x3efa_01a0_19cb_1590),
    f64::from_bits(0xbe92_7e4f_809c_52ad),
    f64::from_bits(0x3e21_ee9e_bdb4_b1c4),
    f64::from_bits(0xbda8_fae9_be88_38d4),
];

const SIGN: u64 = 1 << 63;
const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1023 << 52;

/// A point `(x, y)` of the unit circle, uniform if the bits of `word` are.
///
/// The lowest 52 bits choose an angle in `[0, pi/4)`, bit 61 reflects it at the diagonal, and bits 63 and 62 are the
/// signs of `x` and `y`: the eight reflections of an eighth of the circle cover it.
#[allow(clippy::inline_always, reason = "inlined into a loop compiled per instruction set")]
#[inline(always)]
pub fn point(word: u64) -> (f64, f64) {
    let angle = FRAC_PI_4 * (f64::from_bits(word & MANTISSA | ONE) - 1.0);
    let z = angle * angle;
    let sin = angle + angle * z * (S[0] + z * (S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])))));
    let cos = 1.0 - (0.5 * z - z * z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5]))))));
    let (sin, cos) = (sin.to_bits(), cos.to_bits());
    let swapped = (sin ^ cos) & 0_u64.wrapping_sub(word >> 61 & 1);
    (f64::from_bits(cos ^ swapped ^ word & SIGN), f64::from_bits(sin ^ swapped ^ word << 1 & SIGN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// Deterministic: a fixed million of words, and both ends of the eighth.
    #[test]
    fn it_agrees_with_the_standard_library() {
        let mut rng = chacha20::ChaCha8Rng::seed_from_u64(2);
        let mut words: Vec<u64> = (0..1_000_000).map(|_| rng.random()).collect();
        words.extend([0, MANTISSA, SIGN | MANTISSA, u64::MAX]);
        for word in words {
            let (sin, cos) = (FRAC_PI_4 * ((word & MANTISSA) as f64 / 52_f64.exp2())).sin_cos();
            let (first, second) = if word >> 61 & 1 == 0 { (cos, sin) } else { (sin, cos) };
            let (x, y) = point(word);
            assert!((x.abs() - first).abs() <= 2.0 * f64::EPSILON * first, "{word:#x}: {x}, {first}");
            assert!((y.abs() - second).abs() <= 2.0 * f64::EPSILON * second, "{word:#x}: {y}, {second}");
            assert_eq!((x.is_sign_negative(), y.is_sign_negative()), (word >> 63 == 1, word >> 62 & 1 == 1));
        }
    }
}
