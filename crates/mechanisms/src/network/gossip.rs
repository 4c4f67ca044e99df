//! The weights of averaging, and who can have heard of whom.

use ndarray::{Array1, ArrayView1, ArrayView2, ArrayViewMut1};

use crate::MechanismError;

/// Larger weights, whose squares may overflow, average nothing.
const LARGEST: f64 = 1e100;

/// Repeated averaging `m <- W m` with one matrix. `W` need not be symmetric or stochastic.
///
/// Node `i` sees the messages of the nodes for which row `i` has an entry, be it zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Gossip {
    /// Row `i` is `[offsets[i]..offsets[i + 1]]` of the two arrays below.
    offsets: Vec<usize>,
    columns: Vec<usize>,
    weights: Vec<f64>,
}

impl Gossip {
    /// From sparse rows, the first that of node 0: the columns of the entries and their values.
    ///
    /// # Errors
    /// If a row has not one value for each column, a column is no node, or a value is not finite or above 1e100 in size.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a [usize], &'a [f64])>) -> Result<Self, MechanismError> {
        let mut gossip = Self { offsets: vec![0], columns: vec![], weights: vec![] };
        for (row, (columns, weights)) in rows.into_iter().enumerate() {
            if columns.len() != weights.len() {
                return Err(MechanismError::Row { row, columns: columns.len(), values: weights.len() });
            }
            if let Some((&column, &value)) = columns.iter().zip(weights).find(|(_, w)| w.is_nan() || w.abs() > LARGEST)
            {
                return Err(MechanismError::Weight { row, column, value });
            }
            gossip.columns.extend(columns);
            gossip.weights.extend(weights);
            gossip.offsets.push(gossip.columns.len());
        }
        let nodes = gossip.nodes();
        match gossip.columns.iter().find(|&&node| node >= nodes) {
            Some(&node) => Err(MechanismError::NoSuchNode { node, nodes }),
            None => Ok(gossip),
        }
    }

    /// From all entries, `nodes x nodes`; zeros are no entries.
    ///
    /// # Errors
    /// If the matrix is not square, or an entry is not finite or above 1e100 in size.
    pub fn from_dense(w: ArrayView2<'_, f64>) -> Result<Self, MechanismError> {
        let (rows, columns) = w.dim();
        if rows != columns {
            return Err(MechanismError::Shape { rows, columns });
        }
        let sparse: Vec<(Vec<usize>, Vec<f64>)> = w
            .rows()
            .into_iter()
            .map(|row| row.iter().enumerate().filter(|&(_, &w)| w != 0.0).map(|(j, &w)| (j, w)).unzip())
            .collect();
        Self::from_rows(sparse.iter().map(|(columns, weights)| (columns.as_slice(), weights.as_slice())))
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The entries of row `i`.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[i]..self.offsets[i + 1];
        self.columns[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Whose messages node `i` sees.
    pub(super) fn senders(&self, i: usize) -> impl Iterator<Item = usize> {
        self.row(i).map(|(j, _)| j).filter(move |&j| j != i)
    }

    /// `out = x W` for a row `x`: what a combination `x` of messages is, in terms of the messages one round before.
    pub(super) fn one_round_back(&self, x: ArrayView1<'_, f64>, mut out: ArrayViewMut1<'_, f64>) {
        out.fill(0.0);
        for (i, &x) in x.iter().enumerate() {
            if x != 0.0 {
                self.row(i).for_each(|(j, w)| out[j] += x * w);
            }
        }
    }

    /// In how many rounds the value of each node can have come to `viewers`, if in `rounds` at most; 0 for themselves.
    pub(super) fn distances(&self, viewers: &[usize], rounds: usize) -> Vec<Option<usize>> {
        let mut distances = vec![None; self.nodes()];
        for &viewer in viewers {
            distances[viewer] = Some(0);
        }
        let mut last: Vec<usize> = viewers.to_vec();
        for distance in 1..=rounds {
            let mut next = Vec::new();
            for j in last.iter().flat_map(|&i| self.senders(i)) {
                if distances[j].is_none() {
                    distances[j] = Some(distance);
                    next.push(j);
                }
            }
            if next.is_empty() {
                break;
            }
            last = next;
        }
        distances
    }

    /// **No bound**, for comparison only: the losses of the single messages that reach `viewer`, added up,
    ///
    /// ```text
    /// sum over t < T and senders w of (W^t)_wu^2 / ||(W^t)_w||^2,
    /// ```
    ///
    /// for each node `u`, in units of `D^2 / sigma^2`. It is what has been published for such a view, and can be smaller
    /// than what the view gives away, since the messages share their noise; see `docs/theory/network-privacy.md`.
    ///
    /// # Errors
    /// If there is no such viewer.
    ///
    /// # Complexity
    /// One product with `W` for each message.
    pub fn sum_of_marginals(&self, viewer: usize, rounds: usize) -> Result<Vec<f64>, MechanismError> {
        let nodes = self.nodes();
        if viewer >= nodes {
            return Err(MechanismError::NoSuchNode { node: viewer, nodes });
        }
        let mut sums = vec![0.0; nodes];
        for sender in self.senders(viewer) {
            let (mut message, mut back) = (Array1::zeros(nodes), Array1::zeros(nodes));
            message[sender] = 1.0;
            for round in 0..rounds {
                if round > 0 {
                    self.one_round_back(message.view(), back.view_mut());
                    std::mem::swap(&mut message, &mut back);
                }
                let squared = message.dot(&message);
                if squared > 0.0 {
                    sums.iter_mut().zip(&message).for_each(|(sum, x)| *sum += x * x / squared);
                }
            }
        }
        Ok(sums)
    }
}
