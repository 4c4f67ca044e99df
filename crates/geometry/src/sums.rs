//! Sums over a row. Eight sums, of the entries with equal index modulo 8, keep eight additions going at once; they are
//! added pairwise at the end, always in this order.

#![expect(clippy::inline_always, reason = "the parts of a kernel are inlined into each instruction set")]

/// The Euclidean norm of `x`, without overflow or underflow on the way; NaN if an entry is.
///
/// A plain loop that may be part of a [`kernel!`](crate::kernel).
#[inline(always)]
pub fn norm(x: &[f64]) -> f64 {
    let squares = sum(x, |x| x * x);
    if squares.is_normal() { squares.sqrt() } else { scaled_norm(x) }
}

/// The norm of a row whose squares leave the range of a double, or which is zero or not finite.
#[cold]
fn scaled_norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest > 0.0 && largest.is_finite() {
        largest * sum(x, |x| (x / largest) * (x / largest)).sqrt()
    } else {
        sum(x, f64::abs)
    }
}

/// `sum_k f(x_k)`.
#[inline(always)]
pub(crate) fn sum(x: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += f(*x);
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += f(*x);
    }
    pairwise(sums)
}

/// `sum_k x_k y_k` of rows of equal length.
#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let ((x_chunks, x_rest), (y_chunks, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in x_chunks.iter().zip(y_chunks) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    for ((sum, x), y) in sums.iter_mut().zip(x_rest).zip(y_rest) {
        *sum += x * y;
    }
    pairwise(sums)
}

#[inline(always)]
fn pairwise(sums: [f64; 8]) -> f64 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_whole_numbers() {
        for len in [0, 1, 7, 8, 9, 31] {
            let x: Vec<f64> = (1..=len).map(f64::from).collect();
            let n = f64::from(len);
            assert!((sum(&x, |x| 2.0 * x) - n * (n + 1.0)).abs() < 1e-12);
            let squares = n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
            assert!((dot(&x, &x) - squares).abs() < 1e-12);
            assert!((norm(&x) - squares.sqrt()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_norm_neither_overflows_nor_underflows() {
        for scale in [1e300, 1e-300, 1e-310] {
            assert!((norm(&[3.0 * scale, -4.0 * scale]) / scale - 5.0).abs() < 1e-12, "{scale}");
        }
        assert!(norm(&[0.0; 3]) < f64::MIN_POSITIVE);
        assert!(norm(&[1.0, f64::NAN]).is_nan());
        assert!(norm(&[f64::NAN, 0.0]).is_nan());
        assert!(norm(&[1.0, f64::NEG_INFINITY]).is_infinite());
    }
}
