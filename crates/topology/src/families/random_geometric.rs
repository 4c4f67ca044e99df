//! Random geometric graphs, given that they are connected.

use rand::Rng;

use super::sampling::{ConnectedSample, check_nodes, connected, stream};
use crate::TopologyError;

/// `n` uniform points of the unit square, joined when their distance is at most `radius`, drawn again until the graph
/// is connected: the usual model of radio nodes.
///
/// | parameter | range | meaning |
/// |---|---|---|
/// | `n` | at least 1 | nodes |
/// | `radius` | above 0, finite | reach, in sides of the square; from sqrt(2) the graph is complete |
/// | `seed` | any | equal seeds give equal graphs, on every platform and in every version |
///
/// Connected graphs become likely at `radius = sqrt(ln n / (pi n))` (Gupta and Kumar, *Critical power for asymptotic
/// connectivity*, 1998).
///
/// # Algorithm
/// Attempt `a` reads stream `a` of `ChaCha8` keyed with the seed (64 bits, little endian) and
/// `dido/topology/geo/000001`. Each node in turn takes one 64-bit word: the lower half is its first coordinate, the
/// upper half the second, in units of `2^-32`. Squared distances are integers and compared with `(2^32 radius)^2`,
/// which is rounded once.
///
/// # Errors
/// If `n` is 0, `radius` is not positive and finite, or none of [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) graphs is
/// connected.
///
/// # Complexity
/// `O(n + edges)` expected per attempt: the square is cut into cells no smaller than the radius and no more than the
/// nodes, and a point is compared with those of its own and the adjacent cells.
pub fn random_geometric(n: usize, radius: f64, seed: u64) -> Result<ConnectedSample, TopologyError> {
    check_nodes(n)?;
    if !(radius > 0.0 && radius.is_finite()) {
        return Err(TopologyError::parameter("geometric", "radius", "positive and finite", radius));
    }
    let law = format!("radius {radius}");
    connected(n, &law, "radius", |attempt| Some(near_pairs(&points(n, seed, attempt), radius)))
}

/// Where the `n` nodes of the [`random_geometric`] graph of this seed lie in the unit square, `attempts` being those of
/// its sample (from 1).
///
/// ```
/// use dido_topology::families;
///
/// let sample = families::random_geometric(40, 0.4, 7)?;
/// let points = families::geometric_points(40, 7, sample.attempts);
/// let distance = |i: usize, j: usize| (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
/// assert!(sample.graph.edges().all(|(i, j)| distance(i, j) <= 0.4));
/// # Ok::<(), dido_topology::TopologyError>(())
/// ```
pub fn geometric_points(n: usize, seed: u64, attempts: u32) -> Vec<[f64; 2]> {
    let points = points(n, seed, attempts.saturating_sub(1));
    points.into_iter().map(|point| point.map(|x| x as f64 / SIDE as f64)).collect()
}

/// The points of one attempt.
fn points(n: usize, seed: u64, attempt: u32) -> Vec<Point> {
    let mut rng = stream(seed, *b"geo", attempt);
    (0..n).map(|_| rng.next_u64()).map(|word| [word & u64::from(u32::MAX), word >> 32]).collect()
}

/// Coordinates in units of `2^-32`, below `2^32`.
type Point = [u64; 2];

/// The side of the square.
const SIDE: u64 = 1 << 32;

/// All pairs of points at most `radius` apart.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "truncated on purpose, and positive")]
fn near_pairs(points: &[Point], radius: f64) -> Vec<(usize, usize)> {
    // No two points are two sides apart.
    let scaled = radius.min(2.0) * SIDE as f64;
    let near = Near { limit: (scaled * scaled) as u128, points };
    let per_side = (SIDE / (scaled as u64 + 1)).clamp(1, (points.len() as u64).isqrt().max(1));
    let cells = Cells::new(points, per_side);
    let mut edges = Vec::new();
    for (row, column) in (0..cells.per_side).flat_map(|row| (0..cells.per_side).map(move |column| (row, column))) {
        let own = cells.points(row, column);
        for (k, &i) in own.iter().enumerate() {
            near.collect(i, &own[k + 1..], &mut edges);
        }
        // Of each two adjacent cells one looks at the other: the next in the row and the three of the next row.
        let below = (column.saturating_sub(1)..=column + 1).map(|column| (row + 1, column));
        for (row, column) in std::iter::once((row, column + 1)).chain(below) {
            if row < cells.per_side && column < cells.per_side {
                for &i in own {
                    near.collect(i, cells.points(row, column), &mut edges);
                }
            }
        }
    }
    edges
}

struct Near<'a> {
    /// Squared distance.
    limit: u128,
    points: &'a [Point],
}

impl Near<'_> {
    /// The edges between `i` and those of `others` that are near.
    fn collect(&self, i: usize, others: &[usize], edges: &mut Vec<(usize, usize)>) {
        let [x, y] = self.points[i];
        let squared = |[u, v]: Point| u128::from(x.abs_diff(u)).pow(2) + u128::from(y.abs_diff(v)).pow(2);
        edges.extend(others.iter().filter(|&&j| squared(self.points[j]) <= self.limit).map(|&j| (i, j)));
    }
}

/// The square in `per_side * per_side` equal cells.
struct Cells {
    per_side: usize,
    /// Cell `c` (row-major) holds the nodes `[offsets[c]..offsets[c + 1]]` of `nodes`.
    offsets: Vec<usize>,
    nodes: Vec<usize>,
}

impl Cells {
    #[allow(clippy::cast_possible_truncation, reason = "there are no more cells than points")]
    fn new(points: &[Point], per_side: u64) -> Self {
        let cell = |[x, y]: Point| (((x * per_side) >> 32) * per_side + ((y * per_side) >> 32)) as usize;
        let mut offsets = vec![0; (per_side * per_side) as usize + 1];
        for &point in points {
            offsets[cell(point) + 1] += 1;
        }
        for c in 1..offsets.len() {
            offsets[c] += offsets[c - 1];
        }
        let mut next = offsets.clone();
        let mut nodes = vec![0; points.len()];
        for (i, &point) in points.iter().enumerate() {
            nodes[next[cell(point)]] = i;
            next[cell(point)] += 1;
        }
        Self { per_side: per_side as usize, offsets, nodes }
    }

    fn points(&self, row: usize, column: usize) -> &[usize] {
        let c = row * self.per_side + column;
        &self.nodes[self.offsets[c]..self.offsets[c + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all pairs, for radii from below one unit to more than the diagonal, some at the edge of a cell.
    #[test]
    fn cells_find_the_pairs_that_a_look_at_all_pairs_finds() {
        let mut rng = stream(9, *b"geo", 0);
        let mut points: Vec<Point> = (0..300).map(|_| [rng.next_u64() >> 32, rng.next_u64() >> 32]).collect();
        // Corners, exact quarters and a repeated point.
        points.extend([
            [0, 0],
            [SIDE - 1, SIDE - 1],
            [0, SIDE - 1],
            [SIDE / 4, SIDE / 2],
            [SIDE / 2, SIDE / 2],
            [0, 0],
        ]);
        for radius in [1e-12, 0.01, 0.1, 0.25, 1.0 / 3.0, 0.5, 0.99, 1.0, 1.4, 1.5, 1e300] {
            let mut found: Vec<_> =
                near_pairs(&points, radius).into_iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
            found.sort_unstable();
            let squared =
                |a: Point, b: Point| (0..2).map(|k| (a[k].abs_diff(b[k]) as f64 / SIDE as f64).powi(2)).sum::<f64>();
            let all = (0..points.len()).flat_map(|i| (i + 1..points.len()).map(move |j| (i, j)));
            let expected: Vec<_> = all.filter(|&(i, j)| squared(points[i], points[j]) <= radius * radius).collect();
            assert!(found == expected, "radius {radius}: {} pairs instead of {}", found.len(), expected.len());
        }
    }
}
