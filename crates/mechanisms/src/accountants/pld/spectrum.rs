//! The spectrum of a total loss: a product with one factor for each event.

use realfft::num_complex::Complex;

use super::live::Live;
use super::transforms::Transforms;

/// The product, and what its factors are computed with.
///
/// The total of many different losses is smooth: all but a few hundred frequencies vanish on the way, and from then on
/// only the others are computed.
pub(super) struct Spectrum {
    points: usize,
    product: Vec<Complex<f64>>,
    transforms: Transforms,
    cyclic: Vec<f64>,
    factor: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
    live: Option<Live>,
    factors: usize,
}

/// The square of what has vanished: ever so many frequencies of that size are nothing beside the rounding of one.
const VANISHED: f64 = 1e-80;

/// How many factors there are between two counts of what has vanished.
const COUNTED: usize = 16;

impl Spectrum {
    /// Of the loss 0, on a cyclic grid.
    pub(super) fn one(points: usize) -> Self {
        let transforms = Transforms::of(points);
        let scratch = transforms.forward.get_scratch_len().max(transforms.inverse.get_scratch_len());
        Self {
            points,
            product: vec![Complex::new(1.0, 0.0); points / 2 + 1],
            cyclic: vec![0.0; points],
            factor: transforms.forward.make_output_vec(),
            scratch: vec![Complex::default(); scratch],
            transforms,
            live: None,
            factors: 0,
        }
    }

    /// Adds `count` independent losses with these masses, which sum to 1, from point `first` of the grid on.
    pub(super) fn multiply(&mut self, first: usize, masses: &[f64], count: f64) {
        let power = power(count);
        if let Some(live) = &mut self.live {
            let factors = live.spectrum(first, masses);
            for (&k, factor) in live.indices.iter().zip(factors) {
                self.product[k] *= power(factor);
            }
        } else {
            self.cyclic.fill(0.0);
            for (place, mass) in (0..self.points).cycle().skip(first).zip(masses) {
                self.cyclic[place] += mass;
            }
            let Transforms { forward, .. } = &self.transforms;
            forward
                .process_with_scratch(&mut self.cyclic, &mut self.factor, &mut self.scratch)
                .expect("lengths as planned");
            for (product, factor) in self.product.iter_mut().zip(&self.factor) {
                *product *= power(*factor);
            }
        }
        self.factors += 1;
        if self.factors.is_multiple_of(COUNTED) {
            self.look_what_lives(masses.len());
        }
    }

    /// Leaves the transforms when few frequencies are left, and those that vanish later when they are many.
    fn look_what_lives(&mut self, length: usize) {
        let lives = |k: &usize| self.product[*k].norm_sqr() > VANISHED;
        let indices: Vec<usize> = match &self.live {
            Some(live) => live.indices.iter().copied().filter(lives).collect(),
            None => (0..self.product.len()).filter(lives).collect(),
        };
        let is_less_work = match &self.live {
            Some(live) => 4 * indices.len() < 3 * live.indices.len(),
            None => Live::is_faster(self.points, indices.len(), length),
        };
        if is_less_work {
            let mut product = vec![Complex::default(); self.product.len()];
            for &k in &indices {
                product[k] = self.product[k];
            }
            self.product = product;
            self.live = Some(Live::new(self.points, indices));
        }
    }

    /// The masses of the total, that of loss 0 first.
    pub(super) fn into_masses(mut self) -> Vec<f64> {
        // The inverse takes the ends of a real transform as real.
        let last = self.product.len() - 1;
        self.product[0].im = 0.0;
        if self.points.is_multiple_of(2) {
            self.product[last].im = 0.0;
        }
        let Transforms { inverse, .. } = &self.transforms;
        inverse
            .process_with_scratch(&mut self.product, &mut self.cyclic, &mut self.scratch)
            .expect("lengths as planned, ends are real");
        for mass in &mut self.cyclic {
            *mass /= self.points as f64;
        }
        self.cyclic
    }
}

/// The power `count`. The masses sum to 1, so no frequency is larger than that; most vanish in a high power.
fn power(count: f64) -> impl Fn(Complex<f64>) -> Complex<f64> {
    let vanishing = (-200.0 / count).exp();
    move |factor| {
        let square = factor.norm_sqr();
        if square < vanishing {
            Complex::default()
        } else if count <= 1.0 {
            factor
        } else {
            Complex::from_polar((0.5 * count * square.ln()).exp(), count * factor.arg())
        }
    }
}
