//! The losses. One file each, and its line here.
//!
//! * [`Loss`]: the loss of one record as a function of its prediction;
//! * [`LinearModel`]: any of them, summed record by record;
//! * [`LeastSquares`]: squared error by Gram matrices, whatever the number of records.

mod least_squares;
mod linear_model;
mod pointwise;
mod records;
mod weighting;

pub use least_squares::LeastSquares;
pub use linear_model::LinearModel;
pub use pointwise::Loss;
pub use weighting::Weighting;

use crate::{ProblemError, Shard};

/// What every sum over nodes needs: a shard and a factor for each node, a lane, and one dimension.
fn nodes_of_one_dimension(shards: &[Shard], scales: &[f64], lanes: usize) -> Result<(), ProblemError> {
    let (Some(first), 1..) = (shards.first(), lanes) else {
        return Err(ProblemError::NoNodes { nodes: shards.len(), lanes });
    };
    let expected = first.dim();
    if let Some((node, shard)) = shards.iter().enumerate().find(|(_, shard)| shard.dim() != expected) {
        return Err(ProblemError::Dimension { node, dim: shard.dim(), expected });
    }
    if scales.len() != shards.len() {
        return Err(ProblemError::Coefficients { got: scales.len(), expected: shards.len() });
    }
    Ok(())
}
