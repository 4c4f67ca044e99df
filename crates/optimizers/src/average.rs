//! The mean of released iterates: free of charge, and far less noisy than the last one.

use dido_mechanisms::Public;

/// The running mean of the values of rounds `from, from + 1, ...`; before that, the latest value.
///
/// It is computed from released values only, so it is as public as they are (Polyak-Ruppert averaging as
/// post-processing).
#[derive(Clone, Debug)]
pub struct TailAverage {
    from: u32,
    mean: Public,
}

impl TailAverage {
    /// Averages from round `from` on; until then the estimate is `start`, then the latest value.
    pub fn new(from: u32, start: Public) -> Self {
        Self { from, mean: start }
    }

    /// Takes in the value of `round`. Rounds come in order.
    pub fn add(&mut self, round: u32, value: &Public) {
        if round <= self.from {
            self.mean.rows_mut().as_mut_slice().copy_from_slice(value.rows().as_slice());
            return;
        }
        let weight = 1.0 / (f64::from(round - self.from) + 1.0);
        move_towards(weight, value.rows().as_slice(), self.mean.rows_mut().as_mut_slice());
    }

    /// The mean so far.
    pub fn estimate(&self) -> &Public {
        &self.mean
    }

    /// The mean, to be restored from a checkpoint.
    pub fn state(&mut self) -> &mut Public {
        &mut self.mean
    }
}

/// The mean of points with given weights, also of released values only.
#[derive(Clone, Debug)]
pub struct WeightedMean {
    mean: Public,
}

impl WeightedMean {
    /// The mean before anything is added: `start`.
    pub fn new(start: Public) -> Self {
        Self { mean: start }
    }

    /// Takes in `value` with `weight`, which brings the sum of all weights to `total`.
    pub fn add(&mut self, weight: f64, total: f64, value: &Public) {
        move_towards(weight / total, value.rows().as_slice(), self.mean.rows_mut().as_mut_slice());
    }

    /// The mean so far.
    pub fn estimate(&self) -> &Public {
        &self.mean
    }

    /// The mean, to be restored from a checkpoint.
    pub fn state(&mut self) -> &mut Public {
        &mut self.mean
    }
}

dido_geometry::kernel! {
    /// `mean <- mean + weight (x - mean)`.
    fn move_towards(weight: f64, x: &[f64], mean: &mut [f64]) = move_towards_loop;
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "the body of a kernel is inlined into each instruction set")]
fn move_towards_loop(weight: f64, x: &[f64], mean: &mut [f64]) {
    for (mean, x) in mean.iter_mut().zip(x) {
        *mean += weight * (x - *mean);
    }
}

#[cfg(test)]
mod tests {
    use dido_geometry::{Rows, Shape};

    use super::*;

    #[test]
    fn it_is_the_latest_value_first_and_the_mean_of_the_tail_then() {
        let value = |x: f64| Public::declared(Rows::from_vec(Shape { nodes: 1, lanes: 1, dim: 1 }, vec![x]));
        let mut tail = TailAverage::new(2, value(9.0));
        let seen: Vec<f64> = [1.0, 2.0, 4.0, 8.0, 0.0]
            .into_iter()
            .zip(0..)
            .map(|(x, round)| {
                tail.add(round, &value(x));
                tail.estimate().rows().as_slice()[0]
            })
            .collect();
        assert_eq!(seen, [1.0, 2.0, 4.0, 6.0, 4.0]);
    }
}
