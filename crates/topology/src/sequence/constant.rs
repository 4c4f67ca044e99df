//! The same weights in every round.

use super::{RoundMatrix, Sequence};
use crate::{MixingMatrix, TopologyError};

/// One matrix for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant(pub MixingMatrix);

impl Constant {
    /// `||W'W - J||_2 = ||W - J||_2^2`.
    ///
    /// # Errors
    /// As for [`MixingMatrix::second_largest_singular_value`].
    pub fn expected_contraction(&self) -> Result<f64, TopologyError> {
        Ok(self.0.second_largest_singular_value()?.powi(2))
    }
}

impl Sequence for Constant {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn fill(&self, _t: u32, round: &mut RoundMatrix) -> Result<(), TopologyError> {
        round.copy(&self.0);
        Ok(())
    }
}
