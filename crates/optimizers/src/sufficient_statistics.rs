//! Sufficient statistics, released once: least squares without an iteration.
//!
//! # Update
//! In round 0 node `i` releases its part of the normal equations, packed and stacked into one vector; every round, 0 among
//! them, averages it:
//!
//! ```text
//! v_i(0)   = sum_j w_ij (s_j (svec X_j'X_j, k X_j'y_j) + noise)
//! v_i(t)   = sum_j w_ij v_j(t-1)
//! (G, c)   = unpacked v_i(t)
//! answer_i = P((G + lambda I)^-1 c),   lambda = max(0, tau - lambda_min(G)),   P the projection on the set
//! ```
//!
//! `tau` is the size that the noise in `G` has at most with probability 0.95, so the matrix that is inverted is no closer to
//! singular than the noise is large. With standard deviation `sigma` in each coordinate of `v`, averaged over `n` parties, that
//! noise is a Gaussian orthogonal matrix, since the packing is an isometry, and `tau = sigma / sqrt(n) (sqrt(2 d) + sqrt(2 ln
//! 20))` (Slepian's inequality and concentration). A node that has not mixed long enough has more noise than that.
//!
//! The `AdaSSP` of Wang spends a third of its budget on another release, of the least eigenvalue, and adds the same noise to all
//! entries. Here the eigenvalue is that of the released matrix, which is within `tau` of the true one: post-processing.
//!
//! # Privacy
//! One release in all, in round 0, which every node has to be awake for. The adversary sees every message; all of them are
//! post-processing of the `v_i(0)`. L2 sensitivity: `s_i` times the exact one of the stack, whose balance `k` follows from
//! public bounds ([`dido_mechanisms::sufficient_statistics`]); with a replaced node `n_i` times as much. In L1 `sqrt` of its
//! length times that, so Gaussian noise is the better one.
//!
//! # Guarantee
//! Without noise the answers converge to the least-squares solution of all records, at the speed of the averaging (tested).
//! With noise `N` in the matrix, of size at most `tau`, and `e` in the vector, `(G + lambda I)(answer - b*) = e - (N + lambda I)
//! b*` for the solution `b*` without noise. So the answer is off by at most `(||e|| + (tau + lambda) ||b*||) / max(tau,
//! lambda_min(G))`, the ridge is at most `2 tau`, and there is none where the true matrix has no eigenvalue below `2 tau`;
//! a projection on a set that holds `b*` brings it nearer.
//!
//! # References
//! Wang, UAI 2018, arXiv 1803.02596; Vu, Slavkovic, ICDM Workshops 2009.

use dido_geometry::{Rows, Set, Shape};
use dido_mechanisms::{Public, sufficient_statistics};
use dido_problems::Loss;
use ndarray::{Array1, Array2};

use crate::{Algorithm, Declaration, Node, OptimizerError, Stop};

/// Least squares from statistics that are released once.
///
/// | parameter | meaning |
/// |---|---|
/// | `set` | on which the solution is projected, public; its radius sets the balance of matrix and vector |
/// | `averaged` | parties whose statistics are averaged: all that are connected; 1 for a party that is alone |
#[derive(Clone, Debug)]
pub struct SufficientStatistics {
    set: Set,
    averaged: usize,
    balance: f64,
    v: Public,
    answer: Public,
}

impl SufficientStatistics {
    /// For the parties of `declaration`, whose answer is `zero`, projected on the set, before the first round.
    /// [`Parties::start`](crate::Parties::start) makes zeros.
    ///
    /// # Errors
    /// If the loss is not the squared one, or `averaged` is 0.
    pub fn new(declaration: &Declaration, set: Set, averaged: usize, zero: Public) -> Result<Self, OptimizerError> {
        if declaration.loss() != Loss::Squared {
            let (algorithm, needs) = ("a release of sufficient statistics", "squared loss");
            return Err(OptimizerError::Loss { algorithm, needs, found: declaration.loss() });
        }
        if averaged == 0 {
            return Err(OptimizerError::Count { what: "averaged parties", found: 0, declared: declaration.nodes() });
        }
        let (x, y) = (declaration.bounds().row_norm(), declaration.bounds().target());
        let balance = sufficient_statistics::best_balance(x, y, set.radius())?;
        let shape = zero.rows().shape();
        let v = Public::declared(Rows::zeros(Shape { dim: sufficient_statistics::len(shape.dim), ..shape }));
        let mut answer = zero;
        answer.project(&set);
        Ok(Self { set, averaged, balance, v, answer })
    }

    /// The balance `k` of the vector against the matrix.
    pub fn balance(&self) -> f64 {
        self.balance
    }

    /// The averaged statistics of every node, packed.
    pub fn statistics(&self) -> &Public {
        &self.v
    }

    /// Solves the normal equations of every node and lane, for noise of standard deviation `sigma`.
    fn solve(&mut self, sigma: f64) -> Result<(), Stop> {
        let dim = self.answer.rows().shape().dim;
        let tau = sigma / (self.averaged as f64).sqrt() * ((2.0 * dim as f64).sqrt() + (2.0 * 20_f64.ln()).sqrt());
        let statistics = self.v.rows().as_slice().chunks_exact(sufficient_statistics::len(dim));
        for (row, out) in statistics.zip(self.answer.rows_mut().as_mut_slice().chunks_exact_mut(dim)) {
            let (mut matrix, mut vector) = (Array2::zeros((dim, dim)), Array1::zeros(dim));
            let symmetric = |j, k, value| {
                matrix[[j, k]] = value;
                matrix[[k, j]] = value;
            };
            sufficient_statistics::unpack(dim, self.balance, row, symmetric, |k, value| vector[k] = value);
            let ridge = (tau - dido_linalg::symmetric_eigenvalues(matrix.view())?[0]).max(0.0);
            matrix.diag_mut().mapv_inplace(|g| g + ridge);
            // Without noise the matrix may be singular: then the shortest solution is as good as any.
            let solution = dido_linalg::solve_positive_definite(matrix.view(), vector.view())
                .or_else(|_| dido_linalg::least_squares(matrix.view(), vector.view()))?;
            out.iter_mut().zip(&solution).for_each(|(out, value)| *out = *value);
        }
        self.answer.project(&self.set);
        Ok(())
    }
}

impl Algorithm for SufficientStatistics {
    fn round(&mut self, node: &mut Node<'_>) -> Result<(), Stop> {
        if node.round() == 0 {
            node.needs_everyone()?;
            let statistics = node.statistics(self.balance)?;
            self.v = node.release(statistics)?;
        }
        node.average(&mut [&mut self.v])?;
        self.solve(node.noise_deviation(0))
    }

    fn estimate(&self) -> &Public {
        &self.answer
    }

    fn state(&mut self) -> Vec<&mut Public> {
        vec![&mut self.v, &mut self.answer]
    }
}
