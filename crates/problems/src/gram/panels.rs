//! Several lanes: panels of 8 columns, `panel[p][k][0..8]`, padded with zeros.
//!
//! A block of 4 lanes x 8 columns stays in registers while the panel is read once, and the panel stays in the cache
//! for the other lanes. Every entry is the ascending sum `((G_0k x_0 + G_1k x_1) + G_2k x_2) + ...`, from which `c_k` is
//! subtracted last: the bits of a lane depend neither on its place nor on the number of lanes (from two on).

use std::array::from_fn;

use dido_geometry::kernel;

const WIDTH: usize = 8;
type Chunk = [f64; WIDTH];

/// Numbers that hold one matrix.
pub(super) fn len(dim: usize) -> usize {
    dim.div_ceil(WIDTH) * dim * WIDTH
}

/// Where entry `(j, k)` is.
pub(super) fn position(dim: usize, j: usize, k: usize) -> usize {
    (k / WIDTH * dim + j) * WIDTH + k % WIDTH
}

/// Appends the matrix with the given entries.
pub(super) fn pack(dim: usize, entry: impl Fn(usize, usize) -> f64, packed: &mut Vec<f64>) {
    for panel in 0..dim.div_ceil(WIDTH) {
        for j in 0..dim {
            packed.extend((panel * WIDTH..(panel + 1) * WIDTH).map(|k| if k < dim { entry(j, k) } else { 0.0 }));
        }
    }
}

kernel! {
    /// `out = x G - c` for consecutive nodes and every lane.
    pub(super) fn gradient(
        dim: usize, lanes: usize, panels: &[f64], linear: &[f64], x: &[f64], out: &mut [f64],
    ) = gradient_loop;
}

#[inline(always)]
pub(super) fn gradient_loop(dim: usize, lanes: usize, panels: &[f64], linear: &[f64], x: &[f64], out: &mut [f64]) {
    let (panels, _) = panels.as_chunks::<WIDTH>();
    let nodes = panels.chunks_exact(dim.div_ceil(WIDTH) * dim).zip(linear.chunks_exact(dim));
    let rows = x.chunks_exact(lanes * dim).zip(out.chunks_exact_mut(lanes * dim));
    for ((panels, linear), (x, out)) in nodes.zip(rows) {
        for (p, panel) in panels.chunks_exact(dim).enumerate() {
            let columns = p * WIDTH..dim.min((p + 1) * WIDTH);
            let c = &linear[columns.clone()];
            let mut lane = 0;
            while lane < lanes {
                let (x, out) = (&x[lane * dim..], &mut out[lane * dim + columns.start..]);
                lane += match lanes - lane {
                    1 => block::<1>(panel, c, x, out),
                    2 => block::<2>(panel, c, x, out),
                    3 => block::<3>(panel, c, x, out),
                    _ => block::<4>(panel, c, x, out),
                };
            }
        }
    }
}

/// One panel for `L` lanes; `out` starts at the panel's first column of the first of them. Returns `L`.
#[inline(always)]
fn block<const L: usize>(panel: &[Chunk], c: &[f64], x: &[f64], out: &mut [f64]) -> usize {
    let dim = panel.len();
    let x: [&[f64]; L] = from_fn(|l| &x[l * dim..(l + 1) * dim]);
    let mut sums = [Chunk::default(); L];
    for (k, g) in panel.iter().enumerate() {
        for l in 0..L {
            let xk = x[l][k];
            for j in 0..WIDTH {
                sums[l][j] += g[j] * xk;
            }
        }
    }
    for (l, sums) in sums.iter().enumerate() {
        for ((out, s), c) in out[l * dim..].iter_mut().zip(sums).zip(c) {
            *out = s - c;
        }
    }
    L
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_where_position_says() {
        for dim in 1..=17 {
            let mut packed = Vec::new();
            pack(dim, |j, k| (1 + j * dim + k) as f64, &mut packed);
            assert_eq!(packed.len(), len(dim));
            for j in 0..dim {
                for k in 0..dim {
                    assert_eq!(packed[position(dim, j, k)].to_bits(), ((1 + j * dim + k) as f64).to_bits());
                }
            }
            assert_eq!(packed.iter().filter(|v| **v != 0.0).count(), dim * dim);
        }
    }
}
