//! The distribution of a privacy loss on a grid, rounded to the safe side or to the other one.
//!
//! Losses are cut into cells between neighbouring nodes. A cell with probability `p` under `P` and `q` under `Q` is
//! replaced by atoms at its two ends with the same `p` and `q` (*connect the dots*, Doroshenko, Ghazi, Kamath, Kumar,
//! Manurangsi 2022): `a = (q e^right - p) / (e^(right - left) - 1)` at the left, `p - a` at the right. The privacy
//! curve is then exact at the nodes and above the true one between them.
//!
//! For a lower bound cells are merged instead, which is what a careless observer would do and so gives away less: from
//! below, each cell with as much of what is above it as makes the merged loss the node between them, so that `P` and
//! `Q` both keep their mass. What nothing near is heavy enough to balance is rounded down.

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
pub(super) struct Atoms<'a> {
    pub(super) nodes: &'a [f64],
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

    /// How much of each inner cell goes to its left end; nothing of a cell whose `q` is too small to be a number.
    fn lefts(&self) -> impl Iterator<Item = f64> {
        // Widths differ by rounding only, mostly: `e^width - 1` of the last one, and its slope.
        let (mut known, mut rise) = (0.0, 0.0);
        self.nodes.windows(2).zip(&self.inner).map(move |(ends, &(p, q))| {
            let (scaled, width) = (q * ends[1].exp(), ends[1] - ends[0]);
            if (width - known).abs() > 1e-9 * known {
                (known, rise) = (width, width.exp_m1());
            }
            if q > f64::MIN_POSITIVE && scaled.is_finite() {
                ((scaled - p) / (rise + (width - known) * (1.0 + rise))).clamp(0.0, p)
            } else {
                0.0
            }
        })
    }

    fn index_of_zero(&self) -> usize {
        self.nodes.partition_point(|&node| node < 0.0).min(self.nodes.len() - 1)
    }

    /// Rounded so that nothing is understated.
    pub(super) fn pessimistic(&self) -> Atoms<'_> {
        let mut masses = vec![0.0; self.nodes.len()];
        masses[0] += self.bottom.0;
        for (i, (left, &(p, _))) in self.lefts().zip(&self.inner).enumerate() {
            masses[i] += left;
            masses[i + 1] += p - left;
        }
        let last = self.nodes.len() - 1;
        let reached = self.top.1 * self.nodes[last].exp();
        let finite = if self.top.1 > 0.0 && reached.is_finite() { reached.min(self.top.0) } else { 0.0 };
        masses[last] += finite;
        masses[self.index_of_zero()] += self.zero;
        Atoms { nodes: &self.nodes, masses, infinite: self.top.0 - finite }
    }

    /// Rounded so that nothing is overstated, and so that little is lost of `E e^(slope loss)`.
    pub(super) fn optimistic(&self, slope: f64) -> Atoms<'_> {
        let mut masses = vec![0.0; self.nodes.len()];
        let count = self.inner.len();
        // What is left of cell `at`, after its lower neighbours have taken a part.
        let (mut at, mut part) = (0, 1.0);
        while at < count {
            let mass = part * self.inner[at].0;
            let merged = if mass > 0.0 { self.merged(at, part, slope) } else { Merged::nothing(at) };
            masses[at] += (1.0 - merged.up) * mass;
            masses[at + 1] += merged.up * mass + merged.above;
            (at, part) = (merged.next, merged.left);
        }
        masses[count] += (self.top.0 - self.certain).max(0.0);
        if self.zero > 0.0 {
            masses[self.index_of_zero()] += self.zero;
        }
        Atoms { nodes: &self.nodes, masses, infinite: self.certain }
    }

    /// Merges a part of cell `at` with cells above it until the loss of all of it is the right end of the cell.
    ///
    /// With what lies `far` above the end, a mass `low` below it loses `low (e^(slope far) - 1)/far - low slope` of its
    /// moment, and `slope` times its distance to the left end if it is rounded down instead: the lesser evil is taken.
    fn merged(&self, at: usize, part: f64, slope: f64) -> Merged {
        let (right, width) = (self.nodes[at + 1], self.nodes[at + 1] - self.nodes[at]);
        // How far losses are below the right end, in `e^right q - p`.
        let lack = |(p, q): (f64, f64)| right.exp() * q - p;
        let (p, q) = self.inner[at];
        let low = right - (p / q).ln();
        let whole = part * lack((p, q));
        let balanced = BALANCED * part * p;
        let mut merged = Merged::nothing(at);
        let excess = p - self.nodes[at].exp() * q;
        // An atom at the left end stays there.
        if excess <= balanced / part || whole.is_nan() || whole >= f64::INFINITY || q < f64::MIN_POSITIVE {
            return merged;
        }
        let mut rest = whole;
        while rest > balanced && merged.next < self.inner.len() {
            let (p, q) = self.inner[merged.next];
            let far = slope * ((p / q).ln() - right);
            if p > 0.0 && (far.is_nan() || far.exp_m1() * low > far * width) {
                break;
            }
            let excess = -lack((p, q));
            if excess > rest {
                merged.left = 1.0 - rest / excess;
                merged.above += p * (rest / excess);
                rest = 0.0;
            } else {
                merged.above += p;
                merged.next += 1;
                rest -= excess.max(0.0);
            }
        }
        merged.up = if rest > balanced { 1.0 - rest / whole } else { 1.0 };
        merged
    }
}

/// A node, what it gets, and what remains.
struct Merged {
    /// How much of the part goes up to the node; the rest goes down.
    up: f64,
    /// Mass from above that comes down to it.
    above: f64,
    /// The first cell of which something remains.
    next: usize,
    /// How much of it.
    left: f64,
}

impl Merged {
    fn nothing(at: usize) -> Self {
        Self { up: 0.0, above: 0.0, next: at + 1, left: 1.0 }
    }
}

/// A relative lack that is taken for rounding. It moves a loss by as much, which [`Total`](super::compose::Total)
/// allows for.
pub(super) const BALANCED: f64 = 1e-13;
