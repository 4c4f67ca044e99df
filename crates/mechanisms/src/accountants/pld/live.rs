//! The few frequencies of a total that are left, once many different losses have been added up.

use std::f64::consts::TAU;

use dido_geometry::kernel;
use realfft::num_complex::Complex;

/// Values of spectra of one length at chosen frequencies, by summing over the points where a vector is not 0: for short
/// vectors and few frequencies that is faster than a transform.
///
/// Point `CHUNK a + b` after the first has a root of unity which is the product of one for `a` and one for `b`, both from
/// tables: so the sums are as accurate as those of a transform.
pub(super) struct Live {
    points: usize,
    /// The frequencies: indices of a spectrum.
    pub(super) indices: Vec<usize>,
    near: Vec<Roots>,
    far: Vec<Roots>,
}

/// Points between two entries of the table of far roots.
const CHUNK: usize = 16;

/// A root of unity for each frequency, or sums of such.
#[derive(Clone)]
struct Roots {
    re: Vec<f64>,
    im: Vec<f64>,
}

impl Live {
    pub(super) fn new(points: usize, indices: Vec<usize>) -> Self {
        let near = (0..CHUNK).map(|b| Roots::at(b, points, &indices)).collect();
        Self { points, indices, near, far: vec![] }
    }

    /// Whether this is faster than a transform, for so many frequencies of a vector of this length.
    pub(super) fn is_faster(points: usize, frequencies: usize, length: usize) -> bool {
        // As measured: a root takes about as long as a hundred products, a point of a transform as long as sixteen.
        frequencies.saturating_mul(length + 128) < 8 * points
    }

    /// The spectrum at the frequencies of a vector that is `values` from point `first` on, around the end of the grid.
    pub(super) fn spectrum(&mut self, first: usize, values: &[f64]) -> Vec<Complex<f64>> {
        for a in self.far.len()..values.len().div_ceil(CHUNK) {
            self.far.push(Roots::at(a * CHUNK, self.points, &self.indices));
        }
        let mut total = Roots::zeros(self.indices.len());
        let mut part = total.clone();
        for (values, far) in values.chunks(CHUNK).zip(&self.far) {
            part.re.fill(0.0);
            part.im.fill(0.0);
            for (&value, near) in values.iter().zip(&self.near) {
                add(value, &near.re, &mut part.re);
                add(value, &near.im, &mut part.im);
            }
            add_product(&part, far, &mut total);
        }
        let shift = Roots::at(first, self.points, &self.indices);
        let values = total.re.iter().zip(&total.im).zip(shift.re.iter().zip(&shift.im));
        values.map(|((&re, &im), (&c, &s))| Complex::new(re, im) * Complex::new(c, s)).collect()
    }
}

impl Roots {
    fn zeros(count: usize) -> Self {
        Self { re: vec![0.0; count], im: vec![0.0; count] }
    }

    /// `e^(-2 pi i point k / points)` for each frequency `k`.
    fn at(point: usize, points: usize, indices: &[usize]) -> Self {
        let angle = |&k: &usize| -TAU * ((point * k) % points) as f64 / points as f64;
        let (im, re) = indices.iter().map(|k| angle(k).sin_cos()).unzip();
        Self { re, im }
    }
}

#[allow(clippy::inline_always, reason = "compiled per instruction set")]
#[inline(always)]
fn add_loop(value: f64, roots: &[f64], sums: &mut [f64]) {
    for (sum, root) in sums.iter_mut().zip(roots) {
        *sum += value * root;
    }
}

#[allow(clippy::inline_always, reason = "compiled per instruction set")]
#[inline(always)]
fn add_product_loop(a: &Roots, b: &Roots, sums: &mut Roots) {
    let sums = sums.re.iter_mut().zip(&mut sums.im);
    for (((re, im), (ar, ai)), (br, bi)) in sums.zip(a.re.iter().zip(&a.im)).zip(b.re.iter().zip(&b.im)) {
        *re += ar * br - ai * bi;
        *im += ar * bi + ai * br;
    }
}

kernel! {
    /// `sums += value roots`.
    fn add(value: f64, roots: &[f64], sums: &mut [f64]) = add_loop;
}

kernel! {
    /// `sums += a b`, complex.
    fn add_product(a: &Roots, b: &Roots, sums: &mut Roots) = add_product_loop;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountants::pld::transforms::Transforms;

    /// Around the end of the grid, for a vector that is no multiple of a chunk.
    #[test]
    fn it_agrees_with_the_transform() {
        let (points, first) = (768, 755);
        let values: Vec<f64> = (0..43).map(|i| (f64::from(i) * 0.7).sin().abs() / 43.0).collect();
        let mut cyclic = vec![0.0; points];
        for (place, value) in (0..points).cycle().skip(first).zip(&values) {
            cyclic[place] += value;
        }
        let forward = Transforms::of(points).forward;
        let mut expected = forward.make_output_vec();
        forward.process(&mut cyclic, &mut expected).unwrap();
        let mut live = Live::new(points, vec![0, 1, 17, 200, 384]);
        let found = live.spectrum(first, &values);
        for (&k, found) in live.indices.iter().zip(found) {
            assert!((found - expected[k]).norm() < 1e-14, "{k}: {found} {}", expected[k]);
        }
    }
}
