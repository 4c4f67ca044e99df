//! Is the noise the one that the ledger says? A ratio of densities does not tell: it takes them as declared.

use crate::normal;

/// What was added to values in a transcript, divided by the declared scale.
///
/// Two things are looked at: the distribution, against the declared one, and whether any row of noise came twice.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NoiseCheck {
    /// Draws by the bin of their declared distribution function.
    bins: Vec<u64>,
    /// The first coordinates of rows of noise.
    rows: Vec<Vec<f64>>,
}

/// Bins of equal probability.
const BINS: usize = 256;

/// Noise that is closer than this in all coordinates, in units of its scale, is the same noise.
const SAME: f64 = 1e-12;

/// Coordinates of a row that are compared: two suffice to tell rows apart.
const COMPARED: usize = 2;

/// Rows kept, the first of all. With one coordinate fewer: two of `n` rows are that close by chance with probability `n^2/2 * 1e-12`.
const MOST_ROWS: usize = 1 << 18;
const MOST_ROWS_OF_ONE: usize = 1 << 9;

/// The law that noise is declared to have, at scale 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law {
    Laplace,
    Gaussian,
}

impl Law {
    /// `P(X <= x)`.
    fn distribution(self, x: f64) -> f64 {
        match self {
            Self::Laplace if x < 0.0 => 0.5 * x.exp(),
            Self::Laplace => 1.0 - 0.5 * (-x).exp(),
            Self::Gaussian => normal::tail(-x),
        }
    }
}

impl NoiseCheck {
    /// Takes in a row of noise, in units of its scale.
    pub(super) fn add(&mut self, law: Law, row: impl Iterator<Item = f64> + Clone) {
        self.bins.resize(BINS, 0);
        for x in row.clone() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the number of bins")]
            let bin = (law.distribution(x) * BINS as f64) as usize;
            self.bins[bin.min(BINS - 1)] += 1;
        }
        let kept: Vec<f64> = row.take(COMPARED).collect();
        let most = if kept.len() < COMPARED { MOST_ROWS_OF_ONE } else { MOST_ROWS };
        if self.rows.len() < most {
            self.rows.push(kept);
        }
    }

    /// Takes in what another check has seen.
    pub(super) fn merge(&mut self, other: Self) {
        self.bins.resize(BINS, 0);
        self.bins.iter_mut().zip(other.bins).for_each(|(a, b)| *a += b);
        let most =
            if other.rows.first().is_some_and(|row| row.len() < COMPARED) { MOST_ROWS_OF_ONE } else { MOST_ROWS };
        let room = most.saturating_sub(self.rows.len());
        self.rows.extend(other.rows.into_iter().take(room));
    }

    /// Numbers looked at.
    pub fn draws(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// The largest distance of the distribution function of the draws from the declared one, at the ends of the bins.
    pub fn distance(&self) -> f64 {
        let n = self.draws() as f64;
        let mut below = 0;
        let distances = self.bins.iter().enumerate().map(|(bin, &count)| {
            below += count;
            (below as f64 / n - (bin + 1) as f64 / BINS as f64).abs()
        });
        if n > 0.0 { distances.fold(0.0, f64::max) } else { 0.0 }
    }

    /// The distance that the declared noise exceeds with probability at most `alpha`, for any number of draws (Dvoretzky,
    /// Kiefer, Wolfowitz, with Massart's constant).
    pub fn allowed(&self, alpha: f64) -> f64 {
        ((2.0 / alpha).ln() / (2.0 * self.draws().max(1) as f64)).sqrt()
    }

    /// Pairs of rows with the same noise. By chance there is one with probability below 1e-6.
    pub fn repeated(&self) -> u64 {
        let mut rows: Vec<&[f64]> = self.rows.iter().map(Vec::as_slice).collect();
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * a.abs().max(1.0));
        rows.windows(2).filter(|pair| same(pair[0], pair[1])).count() as u64
    }
}
