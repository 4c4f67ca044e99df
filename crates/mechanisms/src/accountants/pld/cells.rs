//! The distribution of a privacy loss on a grid, rounded to the safe side or to the other one.
//!
//! Losses are cut into cells between neighbouring nodes. A cell with probability `p` under `P` and `q` under `Q` is
//! replaced by atoms at its two ends with the same `p` and `q` (*connect the dots*, Doroshenko, Ghazi, Kamath, Kumar,
//! Manurangsi 2022): `a = (q e^right - p) / (e^(right - left) - 1)` at the left, `p - a` at the right. The privacy curve
//! is then exact at the nodes and above the true one between them.
//!
//! For a lower bound cells are merged instead, which is what a careless observer would do and so gives away less: each
//! cell as a whole, then a part of it with a part of the cell before, so that the merged loss is the node between them. What
//! cannot be matched is rounded down.

/// Probabilities of cells of losses, under `P` and `Q`.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Ascending.
    pub(super) nodes: Vec<f64>,
    /// Losses up to the first node.
    pub(super) bottom: (f64, f64),
    /// Losses above node `i` up to node `i + 1`.
    pub(super) inner: Vec<(f64, f64)>,
    /// Losses above the last node.
    pub(super) top: (f64, f64),
    /// Part of `top` under `P` whose loss is infinite.
    pub(super) certain: f64,
    /// Part of `bottom` under `Q` whose loss is minus infinity.
    pub(super) impossible: f64,
    /// An atom of both at loss 0.
    pub(super) zero: f64,
}

/// Probabilities under `P` of the nodes and of an infinite loss. They sum to 1, or less if a loss was rounded to minus
/// infinity.
#[derive(Clone, Debug)]
pub(super) struct Atoms {
    pub(super) nodes: Vec<f64>,
    pub(super) masses: Vec<f64>,
    pub(super) infinite: f64,
}

impl Cells {
    /// `P` and `Q` exchanged.
    pub(super) fn mirrored(self) -> Self {
        let swap = |(p, q): (f64, f64)| (q, p);
        Self {
            nodes: self.nodes.iter().rev().map(|node| -node).collect(),
            bottom: swap(self.top),
            inner: self.inner.into_iter().rev().map(swap).collect(),
            top: swap(self.bottom),
            certain: self.impossible,
            impossible: self.certain,
            zero: self.zero,
        }
    }

    /// The symmetric pair with the same losses above 0. The nodes are symmetric.
    pub(super) fn symmetric(mut self) -> Self {
        let count = self.inner.len();
        let half = count / 2;
        let mut positive = self.top.0 + self.top.1;
        for i in half..count {
            let (p, q) = self.inner[i];
            positive += p + q;
            self.inner[count - 1 - i] = (q, p);
        }
        self.bottom = (self.top.1, self.top.0);
        self.impossible = self.certain;
        self.zero = (1.0 - positive).max(0.0);
        self
    }

    /// The pair that takes place with probability `active`, and otherwise has a loss of 0.
    pub(super) fn with_probability(mut self, active: f64) -> Self {
        let scale = |(p, q): &mut (f64, f64)| (*p, *q) = (*p * active, *q * active);
        self.inner.iter_mut().for_each(scale);
        scale(&mut self.bottom);
        scale(&mut self.top);
        self.certain *= active;
        self.impossible *= active;
        self.zero = self.zero * active + (1.0 - active);
        self
    }

    /// How much of each inner cell goes to its left end; all or nothing of a cell whose `q` is too small to be a number.
    fn lefts(&self, of_unknown: f64) -> Vec<f64> {
        let split = |(ends, &(p, q)): (&[f64], &(f64, f64))| {
            let scaled = q * ends[1].exp();
            if q > f64::MIN_POSITIVE && scaled.is_finite() {
                ((scaled - p) / (ends[1] - ends[0]).exp_m1()).clamp(0.0, p)
            } else {
                of_unknown * p
            }
        };
        self.nodes.windows(2).zip(&self.inner).map(split).collect()
    }

    fn index_of_zero(&self) -> usize {
        self.nodes.partition_point(|&node| node < 0.0).min(self.nodes.len() - 1)
    }

    /// Rounded so that nothing is understated.
    pub(super) fn pessimistic(&self) -> Atoms {
        let mut masses = vec![0.0; self.nodes.len()];
        masses[0] += self.bottom.0;
        for (i, (left, &(p, _))) in self.lefts(0.0).into_iter().zip(&self.inner).enumerate() {
            masses[i] += left;
            masses[i + 1] += p - left;
        }
        let last = self.nodes.len() - 1;
        let reached = self.top.1 * self.nodes[last].exp();
        let finite = if self.top.1 > 0.0 && reached.is_finite() { reached.min(self.top.0) } else { 0.0 };
        masses[last] += finite;
        masses[self.index_of_zero()] += self.zero;
        Atoms { nodes: self.nodes.clone(), masses, infinite: self.top.0 - finite }
    }

    /// Rounded so that nothing is overstated.
    pub(super) fn optimistic(&self) -> Atoms {
        let mut masses = vec![0.0; self.nodes.len()];
        let lefts = self.lefts(1.0);
        let width = |i: usize| self.nodes[i + 1] - self.nodes[i];
        // How far the loss of a whole cell is below its right node, and above its left node: e^node q - p.
        let lacks = |i: usize| lefts[i] * width(i).exp_m1();
        let exceeds = |i: usize| -(self.inner[i].0 - lefts[i]) * (-width(i)).exp_m1();
        // Where all cells are split at `part`, what is left of one and right of the next balance for part/(1 - part) = ratio.
        // With the mean ratio of both ends the rest is of higher order; it is rounded down.
        let count = self.inner.len();
        let ratio = |i: usize| lacks(i) / exceeds(i + 1);
        let part = |i: usize| {
            let mean = (ratio(i.saturating_sub(1)) * ratio(i.min(count - 2))).sqrt();
            if mean.is_finite() { mean / (1.0 + mean) } else { 0.5 }
        };
        let parts: Vec<f64> = if count < 2 { vec![1.0; count] } else { (0..count).map(part).collect() };
        for (i, &(p, _)) in self.inner.iter().enumerate() {
            masses[i] += parts[i] * p;
            let rest = 1.0 - parts[i];
            let (lack, excess) = (rest * lacks(i), if i + 1 < count { parts[i + 1] * exceeds(i + 1) } else { 0.0 });
            let up = if lack <= excess { 1.0 } else { excess / lack };
            masses[i + 1] += rest * p * up;
            masses[i] += rest * p * (1.0 - up);
        }
        let last = self.nodes.len() - 1;
        masses[last] += (self.top.0 - self.certain).max(0.0);
        if self.zero > 0.0 {
            masses[self.index_of_zero()] += self.zero;
        }
        Atoms { nodes: self.nodes.clone(), masses, infinite: self.certain }
    }
}
