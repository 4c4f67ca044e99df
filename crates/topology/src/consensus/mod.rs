//! Averaging to a tolerance: plain, and accelerated by Chebyshev polynomials.
//!
//! The *disagreement* is the root mean square deviation of the values from their mean over the nodes.
//!
//! ```
//! use dido_topology::{consensus::{Averaging, Method}, families, weights};
//!
//! let w = weights::metropolis(&families::ring(16)?);
//! let x: Vec<f64> = (0..16).map(f64::from).collect();
//! for (method, predicted) in [(Method::Plain, 266), (Method::Chebyshev, 45)] {
//!     // So many rounds shrink any disagreement by a million ...
//!     assert_eq!(method.rounds(&w, 1e-6)?, predicted);
//!     // ... and this one no later.
//!     let mut averaging = Averaging::new(&w, method, 1, x.clone())?;
//!     let start = averaging.disagreement();
//!     assert!(averaging.run_to(1e-6 * start, 1000)? <= 266);
//!     assert!(averaging.values().iter().all(|v| (v - 7.5).abs() < 1e-4));
//! }
//! # Ok::<(), dido_topology::TopologyError>(())
//! ```

mod averaging;
mod factors;
mod method;

pub use averaging::Averaging;
pub use factors::ChebyshevFactors;
pub use method::Method;
