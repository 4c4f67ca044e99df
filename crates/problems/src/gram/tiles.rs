//! One lane: the upper triangle in 4x4 tiles, read once from front to back.
//!
//! With `p = ceil(dim / 4)`, panel `i` holds the tiles `(i, i), (i, i + 1), ..., (i, p - 1)`, each row-major, the
//! diagonal ones in full, padded with zeros. A tile serves twice: as itself for the rows of panel `i`, transposed for
//! those of panel `j`. That moves about half the bytes of a full matrix, and moving them is what takes the time.
//!
//! Order of the sums, the same for every instruction set. Entry `r` of panel `i` starts at `-c`, adds the tiles above
//! the diagonal for `j = 0, ..., i - 1`, each as `(t0 x0 + t1 x1) + (t2 x2 + t3 x3)`, and last the tiles of its own
//! row as `(s0 + s1) + (s2 + s3)`, where `s_c` is the ascending sum over the columns equal to `c` modulo 4.

use dido_geometry::kernel;

const TILE: usize = 4;
type Chunk = [f64; TILE];
type Tile = [Chunk; TILE];

/// Numbers that hold one matrix.
pub(super) fn len(dim: usize) -> usize {
    let p = dim.div_ceil(TILE);
    TILE * TILE * p * (p + 1) / 2
}

/// Where entry `(j, k)`, `j <= k`, is.
pub(super) fn position(dim: usize, j: usize, k: usize) -> usize {
    let p = dim.div_ceil(TILE);
    let (row, column) = (j / TILE, k / TILE);
    let tiles_before = row * (2 * p - row + 1) / 2 + (column - row);
    tiles_before * TILE * TILE + j % TILE * TILE + k % TILE
}

/// Appends the matrix with the given entries.
pub(super) fn pack(dim: usize, entry: impl Fn(usize, usize) -> f64, packed: &mut Vec<f64>) {
    let p = dim.div_ceil(TILE);
    for row in 0..p {
        for column in row..p {
            for j in row * TILE..(row + 1) * TILE {
                packed.extend(
                    (column * TILE..(column + 1) * TILE).map(|k| if j < dim && k < dim { entry(j, k) } else { 0.0 }),
                );
            }
        }
    }
}

kernel! {
    /// `out = G x - c` for consecutive nodes.
    pub(super) fn gradient(dim: usize, tiles: &[f64], linear: &[f64], x: &[f64], out: &mut [f64]) = gradient_loop;
}

#[inline(always)]
pub(super) fn gradient_loop(dim: usize, tiles: &[f64], linear: &[f64], x: &[f64], out: &mut [f64]) {
    let nodes = tiles.chunks_exact(len(dim)).zip(linear.chunks_exact(dim));
    for (((tiles, c), x), out) in nodes.zip(x.chunks_exact(dim)).zip(out.chunks_exact_mut(dim)) {
        for (out, c) in out.iter_mut().zip(c) {
            *out = -c;
        }
        multiply_loop(tiles, x, out);
    }
}

/// `out += G x`.
#[inline(always)]
fn multiply_loop(tiles: &[f64], x: &[f64], out: &mut [f64]) {
    let (chunks, _) = tiles.as_chunks::<TILE>();
    let (mut tiles, _) = chunks.as_chunks::<TILE>();
    let (x, x_end) = x.as_chunks::<TILE>();
    let (out, out_end) = out.as_chunks_mut::<TILE>();
    let ragged = !x_end.is_empty();
    let x_last = padded(x_end);
    let mut out_last = padded(out_end);
    for i in 0..x.len() {
        let (row, rest) = tiles.split_at(x.len() - i + usize::from(ragged));
        tiles = rest;
        let (head, tail) = out.split_at_mut(i + 1);
        let mut own = Tile::default();
        forward(&row[0], &x[i], &mut own);
        for ((tile, xj), out) in row[1..].iter().zip(&x[i + 1..]).zip(tail) {
            forward(tile, xj, &mut own);
            backward(tile, &x[i], out);
        }
        if let (true, Some(tile)) = (ragged, row.last()) {
            forward(tile, &x_last, &mut own);
            backward(tile, &x[i], &mut out_last);
        }
        add_reduced(&own, &mut head[i]);
    }
    if let (true, Some(tile)) = (ragged, tiles.first()) {
        let mut own = Tile::default();
        forward(tile, &x_last, &mut own);
        add_reduced(&own, &mut out_last);
        for (out, last) in out_end.iter_mut().zip(out_last) {
            *out = last;
        }
    }
}

/// The products of the tile with its columns' chunk, summed by column; the rows are reduced once per panel.
#[inline(always)]
fn forward(tile: &Tile, x: &Chunk, own: &mut Tile) {
    for (own, tile) in own.iter_mut().zip(tile) {
        for c in 0..TILE {
            own[c] += tile[c] * x[c];
        }
    }
}

/// Adds the transposed tile times its rows' chunk.
#[inline(always)]
fn backward(tile: &Tile, x: &Chunk, out: &mut Chunk) {
    for c in 0..TILE {
        out[c] += (tile[0][c] * x[0] + tile[1][c] * x[1]) + (tile[2][c] * x[2] + tile[3][c] * x[3]);
    }
}

#[inline(always)]
fn add_reduced(own: &Tile, out: &mut Chunk) {
    for (out, s) in out.iter_mut().zip(own) {
        *out += (s[0] + s[1]) + (s[2] + s[3]);
    }
}

/// The last, shorter chunk filled up with zeros. A copy of variable length would be a call for each node.
#[inline(always)]
fn padded(end: &[f64]) -> Chunk {
    match *end {
        [a] => [a, 0.0, 0.0, 0.0],
        [a, b] => [a, b, 0.0, 0.0],
        [a, b, c] => [a, b, c, 0.0],
        _ => Chunk::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_where_position_says_and_the_rest_is_zero() {
        for dim in 1..=13 {
            let mut packed = Vec::new();
            pack(dim, |j, k| (1 + j.min(k) * dim + j.max(k)) as f64, &mut packed);
            assert_eq!(packed.len(), len(dim));
            for j in 0..dim {
                for k in j..dim {
                    assert_eq!(packed[position(dim, j, k)].to_bits(), ((1 + j * dim + k) as f64).to_bits());
                }
            }
            // Off-diagonal tiles once, diagonal tiles in full.
            let diagonal_twice: usize = (0..dim).map(|j| j % TILE).sum();
            assert_eq!(packed.iter().filter(|v| **v != 0.0).count(), dim * (dim + 1) / 2 + diagonal_twice);
        }
    }

    #[test]
    fn a_hand_computed_product() {
        // G_jk = 1 for all j, k and x = (1, ..., 5): G x - c = 15 - c.
        let (mut packed, x) = (Vec::new(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        pack(5, |_, _| 1.0, &mut packed);
        let mut out = [f64::NAN; 5];
        gradient(5, &packed, &[0.0, 1.0, 2.0, 3.0, 4.0], &x, &mut out);
        assert_eq!(out.to_vec(), [15.0, 14.0, 13.0, 12.0, 11.0]);
    }
}
