//! Extreme eigenvalues of a symmetric tridiagonal matrix.

/// A symmetric tridiagonal matrix of order `diagonal.len()`.
pub(super) struct Tridiagonal {
    /// Its diagonal.
    pub(super) diagonal: Vec<f64>,
    /// Beside it; a last entry beyond the matrix is ignored.
    pub(super) off_diagonal: Vec<f64>,
}

impl Tridiagonal {
    /// The smallest and the largest eigenvalue, by bisection on the number of eigenvalues below a point.
    pub(super) fn extremes(&self) -> (f64, f64) {
        let order = self.diagonal.len();
        let off = |k: usize| self.off_diagonal.get(k).copied().unwrap_or(0.0);
        let radius = (0..order)
            .map(|k| self.diagonal[k].abs() + if k == 0 { 0.0 } else { off(k - 1) } + off(k))
            .fold(0.0, f64::max);
        let (mut smallest, mut largest) = ((-radius, radius), (-radius, radius));
        for _ in 0..64 {
            halve(&mut smallest, |x| self.below(x) >= 1);
            halve(&mut largest, |x| self.below(x) >= order);
        }
        (midpoint(smallest), midpoint(largest))
    }

    /// How many eigenvalues are below `x`: the negative pivots of `T - x` (Sylvester's law of inertia).
    fn below(&self, x: f64) -> usize {
        self.pivots(x).into_iter().filter(|&d| d < 0.0).count()
    }

    /// The pivots of the factorisation of `T - x` from the top.
    fn pivots(&self, x: f64) -> Vec<f64> {
        let mut pivots: Vec<f64> = Vec::with_capacity(self.diagonal.len());
        for (k, a) in self.diagonal.iter().enumerate() {
            let coupling = pivots.last().map_or(0.0, |d| self.off_diagonal[k - 1].powi(2) / d);
            pivots.push(nonzero(a - x - coupling));
        }
        pivots
    }

    /// The last component of the unit eigenvector of `theta`, in absolute value, by a twisted factorisation: the
    /// pivots from both ends meet where the vector is largest, and it is unrolled from there.
    pub(super) fn last_component(&self, theta: f64) -> f64 {
        let order = self.diagonal.len();
        let down = self.pivots(theta);
        let mut up = vec![0.0; order];
        for k in (0..order).rev() {
            let coupling = if k + 1 == order { 0.0 } else { self.off_diagonal[k].powi(2) / up[k + 1] };
            up[k] = nonzero(self.diagonal[k] - theta - coupling);
        }
        let gamma = |k: usize| (down[k] + up[k] - (self.diagonal[k] - theta)).abs();
        let twist = (0..order).min_by(|&a, &b| gamma(a).total_cmp(&gamma(b))).unwrap_or(0);
        let (mut z, mut square) = (1.0_f64, 1.0);
        for (off, pivot) in self.off_diagonal.iter().zip(&down).take(twist).rev() {
            z *= off / pivot;
            square += z * z;
        }
        z = 1.0;
        for (off, pivot) in self.off_diagonal.iter().zip(&up[1..]).skip(twist) {
            z *= off / pivot;
            square += z * z;
        }
        z.abs() / square.sqrt()
    }
}

/// A pivot that may be divided by.
fn nonzero(pivot: f64) -> f64 {
    if pivot.abs() < f64::MIN_POSITIVE.sqrt() { f64::MIN_POSITIVE.sqrt() } else { pivot }
}

fn midpoint((low, high): (f64, f64)) -> f64 {
    low + (high - low) / 2.0
}

/// Halves the interval around the point from which on `reached` is true.
fn halve(interval: &mut (f64, f64), reached: impl Fn(f64) -> bool) {
    let middle = midpoint(*interval);
    if reached(middle) { interval.1 = middle } else { interval.0 = middle }
}
