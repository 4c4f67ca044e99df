//! Fourier transforms by their length.

use std::cell::RefCell;
use std::sync::Arc;

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

/// The transforms of real vectors of one length, to their spectra and back.
#[derive(Clone)]
pub(super) struct Transforms {
    pub(super) forward: Arc<dyn RealToComplex<f64>>,
    pub(super) inverse: Arc<dyn ComplexToReal<f64>>,
}

/// Lengths that are remembered: those of the two directions, for two precisions. The longest takes some 10 MB.
const REMEMBERED: usize = 4;

thread_local! {
    /// The newest last. Tables of roots of unity take longer to compute than a transform does, and a search for noise
    /// asks for the same lengths again.
    static KNOWN: RefCell<Vec<Transforms>> = const { RefCell::new(vec![]) };
}

impl Transforms {
    pub(super) fn of(length: usize) -> Self {
        KNOWN.with_borrow_mut(|known| {
            let place = known.iter().position(|known| known.forward.len() == length);
            let transforms = place.map_or_else(|| Self::planned(length), |i| known.remove(i));
            if known.len() == REMEMBERED {
                known.remove(0);
            }
            known.push(transforms.clone());
            transforms
        })
    }

    fn planned(length: usize) -> Self {
        let mut planner = RealFftPlanner::new();
        Self { forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
    }
}
