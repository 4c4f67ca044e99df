//! What the parties declare in public, and the sensitivity that follows from it.

use dido_mechanisms::{Adjacency, gradients, least_squares};
use dido_problems::{LeastSquares, LinearModel, Loss, Objective, RecordBounds, Shard, Weighting};

use crate::{Look, OptimizerError, Sampling};

/// Public declarations: the loss, how many records each node holds, and how large a record can be.
///
/// The objective of node `i` is `f_i(b) = s_i sum_r l(x_r'b, y_r)` over its records, with the scale `s_i` of the
/// [`Weighting`].
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    loss: Loss,
    dim: usize,
    bounds: RecordBounds,
    weighting: Weighting,
    records: Vec<usize>,
    /// Nodes and records of the whole network, of which these may be a part.
    network: (usize, usize),
    /// For each node the index of its class: nodes of one class have the same number of records.
    class_of: Vec<usize>,
    /// For each class its number of records.
    class_records: Vec<usize>,
}

impl Declaration {
    /// Declares `records[i]` records of dimension `dim` within `bounds` for node `i`, and the loss of a record.
    ///
    /// # Errors
    /// If there is no node, a node without records, or no coordinate; if the loss has a width that is not positive.
    pub fn new(
        loss: Loss,
        dim: usize,
        bounds: RecordBounds,
        weighting: Weighting,
        records: Vec<usize>,
    ) -> Result<Self, OptimizerError> {
        let loss = loss.checked()?;
        if dim == 0 {
            return Err(OptimizerError::Count { what: "coordinates", found: 0, declared: 1 });
        }
        if records.is_empty() {
            return Err(OptimizerError::Count { what: "nodes", found: 0, declared: 1 });
        }
        if let Some(node) = records.iter().position(|&n| n == 0) {
            return Err(OptimizerError::Records { node, found: 0, declared: 1 });
        }
        let mut class_records: Vec<usize> = vec![];
        let class_of = records
            .iter()
            .map(|&n| {
                class_records.iter().position(|&c| c == n).unwrap_or_else(|| {
                    class_records.push(n);
                    class_records.len() - 1
                })
            })
            .collect();
        let network = (records.len(), records.iter().sum());
        Ok(Self { loss, dim, bounds, weighting, records, network, class_of, class_records })
    }

    /// The declaration for squared loss, `f_i(b) = (s_i / 2) ||X_i b - y_i||^2`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn least_squares(
        dim: usize,
        bounds: RecordBounds,
        weighting: Weighting,
        records: Vec<usize>,
    ) -> Result<Self, OptimizerError> {
        Self::new(Loss::Squared, dim, bounds, weighting, records)
    }

    /// Gives every node a class, and so a ledger, of its own: for networks whose nodes are awake in different rounds, since
    /// a ledger that is shared counts the rounds of all who share it.
    #[must_use]
    pub fn by_node(self) -> Self {
        Self { class_of: (0..self.records.len()).collect(), class_records: self.records.clone(), ..self }
    }

    /// One node that holds the records of all: the centralised baseline, whose shard is
    /// [`Shard::joined`]. Pooled weighting gives it the mean of all losses, which is the mean of the nodes' objectives.
    #[must_use]
    pub fn centralised(&self) -> Self {
        let records = self.records.iter().sum();
        Self {
            records: vec![records],
            network: (1, records),
            class_of: vec![0],
            class_records: vec![records],
            ..self.clone()
        }
    }

    /// The same nodes as part of a network of `nodes` nodes with `records` records in all, which pooled weighting
    /// divides by: what one party of a deployment declares of itself and of the others.
    ///
    /// # Errors
    /// If the network is smaller than its part.
    pub fn within(self, nodes: usize, records: usize) -> Result<Self, OptimizerError> {
        let (own_nodes, own_records) = self.network;
        if nodes < own_nodes {
            return Err(OptimizerError::Count { what: "nodes of the network", found: nodes, declared: own_nodes });
        }
        if records < own_records {
            return Err(OptimizerError::Count {
                what: "records of the network",
                found: records,
                declared: own_records,
            });
        }
        Ok(Self { network: (nodes, records), ..self })
    }

    /// The loss of a record.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.records.len()
    }

    /// Number of coordinates.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The bounds of a record.
    pub fn bounds(&self) -> RecordBounds {
        self.bounds
    }

    /// Records of each node.
    pub fn records(&self) -> &[usize] {
        &self.records
    }

    /// Records of a node of each class.
    pub fn class_records(&self) -> &[usize] {
        &self.class_records
    }

    /// The class of each node; nodes of a class share one ledger.
    pub fn class_of(&self) -> &[usize] {
        &self.class_of
    }

    /// Nodes and records of the whole network, of which these may be a part.
    pub fn network(&self) -> (usize, usize) {
        self.network
    }

    /// The scale `s_i` of a node that holds `records` records.
    pub fn scale(&self, records: usize) -> f64 {
        let (nodes, total) = self.network;
        self.weighting.scale(records, nodes, total)
    }

    /// A bound on the L2 sensitivity of the gradient of one node of each class, at points of norm at most `radius`,
    /// which may be infinite.
    ///
    /// A replaced record moves it by at most `s D*(R_x^2 B, R_x R_y)` with squared loss (paper A, corrected:
    /// `docs/theory/liu2020.md`), and by `2 s R_x g` with any other, `g` being the largest slope of the loss. For a
    /// replaced node, `n_i` records within bounds have `||X_i||_2 <= sqrt(n_i) R_x` and `||y_i|| <= sqrt(n_i) R_y`, or
    /// move it `n_i` times as far as one record.
    pub fn l2_by_class(&self, adjacency: Adjacency, radius: f64) -> Vec<f64> {
        self.l2_of_look_by_class(adjacency, Look::at_all(radius))
    }

    /// The same for a gradient that is computed from one record, in place of all `n_i`, and multiplied with `n_i`: the
    /// sensitivity if the replaced record is the one.
    pub fn l2_of_one_record_by_class(&self, adjacency: Adjacency, radius: f64) -> Vec<f64> {
        self.l2_of_look_by_class(adjacency, Look { sampling: Sampling::OneRecord, ..Look::at_all(radius) })
    }

    /// How far the sum over the records moves when `changed` of them do.
    pub(crate) fn width(&self, adjacency: Adjacency, radius: f64, changed: usize) -> f64 {
        let (x, y, changed) = (self.bounds.row_norm(), self.bounds.target(), changed as f64);
        match self.loss {
            // Infinity times zero is no bound.
            Loss::Squared if !radius.is_finite() => f64::INFINITY,
            Loss::Squared => {
                let root = changed.sqrt();
                least_squares::l2_sensitivity(adjacency, root * x, root * y, radius, self.dim)
                    .map_or(f64::INFINITY, |sensitivity| sensitivity.value)
            }
            loss => {
                let one = gradients::lipschitz(adjacency, x * loss.largest_slope(x * radius, y));
                one.map_or(f64::INFINITY, |sensitivity| changed * sensitivity.value)
            }
        }
    }

    /// The objective of these parties on their data. Its factors follow from the declared numbers of records.
    ///
    /// Under replacement the numbers of records are public, and other ones are refused. Under
    /// [`AddRemoveRecord`](Adjacency::AddRemoveRecord) the true numbers are what is protected: they are not looked at.
    ///
    /// # Errors
    /// If the shards differ from the declaration in number, records, dimension or bounds.
    pub fn objective(
        &self,
        adjacency: Adjacency,
        shards: &[Shard],
        lanes: usize,
    ) -> Result<Box<dyn Objective>, OptimizerError> {
        let counts_are_public = adjacency != Adjacency::AddRemoveRecord;
        if shards.len() != self.nodes() {
            return Err(OptimizerError::Count { what: "shards", found: shards.len(), declared: self.nodes() });
        }
        for (node, (shard, &declared)) in shards.iter().zip(&self.records).enumerate() {
            if counts_are_public && shard.records() != declared {
                return Err(OptimizerError::Records { node, found: shard.records(), declared });
            }
            if shard.dim() != self.dim {
                return Err(OptimizerError::Count { what: "coordinates", found: shard.dim(), declared: self.dim });
            }
            if shard.bounds() != self.bounds {
                return Err(OptimizerError::Bounds { node, found: shard.bounds(), declared: self.bounds });
            }
        }
        let scales = self.records.iter().map(|&records| self.scale(records)).collect();
        Ok(match self.loss {
            Loss::Squared => Box::new(LeastSquares::scaled(shards, scales, lanes)?),
            loss => Box::new(LinearModel::new(loss, shards, scales, lanes)?),
        })
    }
}
