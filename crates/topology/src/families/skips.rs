//! Walking over pairs of nodes from one edge to the next, without a look at the pairs between.

use rand::Rng;

use crate::randomness::heads;

/// A geometric number of failures before the first success, digit by digit.
///
/// The binary digits of a geometric variable are independent coins, digit `k` being 1 with probability `q / (1 + q)`,
/// `q = (1-p)^(2^k)`.
pub(super) struct Skips {
    /// Digit `k` is 1 with this probability.
    digits: Vec<f64>,
    /// The skip reaches `2^digits.len()`, beyond the last pair, with this probability.
    beyond: f64,
}

impl Skips {
    /// Successes have probability `p`; there are enough digits for so many pairs.
    pub(super) fn new(p: f64, pairs: f64) -> Self {
        let mut digits = Vec::new();
        let (mut failure, mut reach) = (1.0 - p, 1.0);
        // A digit whose coin never falls on 1 (53 bits) is not drawn.
        while reach <= pairs && failure >= f64::EPSILON / 2.0 {
            digits.push(failure / (1.0 + failure));
            failure *= failure;
            reach *= 2.0;
        }
        Self { digits, beyond: failure }
    }

    /// The skip, or nothing when it leads beyond the last pair.
    fn draw(&self, rng: &mut impl Rng) -> Option<usize> {
        let skip = self.digits.iter().enumerate().fold(0, |skip, (k, &c)| skip | usize::from(heads(c, rng)) << k);
        (!heads(self.beyond, rng)).then_some(skip)
    }
}

/// Visits each pair `(i, j)`, `i < rows`, `j < len(i)`, with the probability of `skips`, in lexicographic order.
///
/// # Complexity
/// `O(rows + pairs visited * digits of a skip)`.
pub(super) fn select(
    rows: usize,
    len: impl Fn(usize) -> usize,
    skips: &Skips,
    rng: &mut impl Rng,
    mut visit: impl FnMut(usize, usize),
) {
    let (mut i, mut j) = (0, 0);
    while let Some(skip) = skips.draw(rng) {
        j += skip;
        while i < rows && j >= len(i) {
            j -= len(i);
            i += 1;
        }
        if i >= rows {
            break;
        }
        visit(i, j);
        j += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::sampling::stream;

    /// A geometric variable has mean `q/p` and variance `q/p^2`; 100 000 draws, five standard deviations.
    #[test]
    fn skips_are_geometric() {
        let (p, draws) = (0.07, 100_000);
        let skips = Skips::new(p, 5e9);
        let mut rng = stream(1, *b"gnp", 0);
        let drawn: Vec<usize> = (0..draws).filter_map(|_| skips.draw(&mut rng)).collect();
        assert_eq!(drawn.len(), draws, "a skip of 2^32 has probability 0");
        let mean = drawn.iter().sum::<usize>() as f64 / draws as f64;
        let sigma = ((1.0 - p) / (p * p) / draws as f64).sqrt();
        assert!((mean - (1.0 - p) / p).abs() < 5.0 * sigma, "mean {mean}");
        for g in 0..10 {
            let share = drawn.iter().filter(|&&d| d == g).count() as f64 / draws as f64;
            let expected = p * (1.0 - p).powf(g as f64);
            assert!((share - expected).abs() < 5.0 * (expected / draws as f64).sqrt(), "{g}: {share}");
        }
    }
}
