//! A barrier method along the central path of the fastest weights.
//!
//! `minimise t s - log det(s I - M) - log det(s I + M) [- sum_l log w_l - sum_i log r_i]` over `s` and the weights, with
//! `M = W - J` and the self weights `r_i = 1 - sum_(l at i) w_l`; the bracket belongs to the fastest Markov chain. As `t`
//! grows the minimisers tend to the fastest weights (Boyd and Vandenberghe, *Convex Optimization*, 2004, chapter 11).

use ndarray::{Array1, Array2, ArrayView1};

use crate::Graph;

/// By what `t` grows from one centre to the next, at most.
const GROWTH: f64 = 10.0;
/// And at least; where less is asked for, rounding rules and the path ends.
const LEAST_GROWTH: f64 = 1.1;
/// The terms of the barrier, divided by `t`, below which double precision has nothing to add.
const FINEST: f64 = 1e-11;
/// The slope along Newton's direction at which a centre is reached.
const CENTRED: f64 = -1e-9;
/// Newton steps to a centre before the path ends.
const STEPS: u32 = 40;

/// The graph as the method sees it.
pub(super) struct Problem {
    pub(super) nodes: usize,
    pub(super) edges: Vec<(usize, usize)>,
    /// No negative weights.
    pub(super) nonnegative: bool,
    /// Max-degree weights, strictly feasible.
    first: f64,
}

/// A point near the central path, with what its derivatives are made of.
pub(super) struct Point {
    pub(super) weights: Vec<f64>,
    s: f64,
    /// `(s I - M)^-1`.
    pub(super) upper: Array2<f64>,
    /// `(s I + M)^-1`.
    pub(super) lower: Array2<f64>,
    /// The self weights `r`.
    pub(super) own: Vec<f64>,
}

/// The path so far.
pub(super) struct Path {
    point: Point,
    t: f64,
    growth: f64,
}

impl Problem {
    pub(super) fn new(graph: &Graph, nonnegative: bool) -> Self {
        let largest = (0..graph.nodes()).map(|i| graph.degree(i)).max().unwrap_or(0);
        Self { nodes: graph.nodes(), edges: graph.edges().collect(), nonnegative, first: 1.0 / (1 + largest) as f64 }
    }

    /// The order of the barrier: the gap at the centre of `t` is this over `t`.
    fn order(&self) -> f64 {
        (2 * self.nodes + if self.nonnegative { self.edges.len() + self.nodes } else { 0 }) as f64
    }

    /// Max-degree weights, inside all constraints for every `s >= 1`.
    pub(super) fn start(&self) -> Option<Path> {
        let point = self.point(1.1, vec![self.first; self.edges.len()])?;
        let (_, point) = centre(self, self.order(), point)?;
        Some(Path { point, t: self.order(), growth: GROWTH })
    }

    /// The point with these coordinates, if it is strictly feasible.
    fn point(&self, s: f64, weights: Vec<f64>) -> Option<Point> {
        let mut own = vec![1.0; self.nodes];
        let mut m = Array2::from_elem((self.nodes, self.nodes), -1.0 / self.nodes as f64);
        for (&(i, j), w) in self.edges.iter().zip(&weights) {
            own[i] -= w;
            own[j] -= w;
            m[[i, j]] += w;
            m[[j, i]] += w;
        }
        if self.nonnegative && !(weights.iter().all(|w| *w > 0.0) && own.iter().all(|r| *r > 0.0)) {
            return None;
        }
        m.diag_mut().scaled_add(1.0, &ArrayView1::from(&own));
        let mut lower = m.clone();
        lower.diag_mut().mapv_inplace(|v| v + s);
        let mut upper = -m;
        upper.diag_mut().mapv_inplace(|v| v + s);
        Some(Point { weights, s, upper: inverse(upper)?, lower: inverse(lower)?, own })
    }

    /// The derivatives by `s` (first) and by the weights.
    fn gradient(&self, t: f64, p: &Point) -> Array1<f64> {
        let mut gradient = Array1::zeros(self.edges.len() + 1);
        gradient[0] = t - p.upper.diag().sum() - p.lower.diag().sum();
        for (l, &(i, j)) in self.edges.iter().enumerate() {
            let quadratic = |a: &Array2<f64>| a[[i, i]] + a[[j, j]] - 2.0 * a[[i, j]];
            gradient[l + 1] = quadratic(&p.lower) - quadratic(&p.upper);
            if self.nonnegative {
                gradient[l + 1] += 1.0 / p.own[i] + 1.0 / p.own[j] - 1.0 / p.weights[l];
            }
        }
        gradient
    }

    fn hessian(&self, p: &Point) -> Array2<f64> {
        let mut hessian = Array2::zeros((self.edges.len() + 1, self.edges.len() + 1));
        for (inverse, sign) in [(&p.upper, 1.0), (&p.lower, -1.0)] {
            hessian[[0, 0]] += inverse.iter().map(|v| v * v).sum::<f64>();
            for (l, &(i, j)) in self.edges.iter().enumerate() {
                let image = &inverse.row(i) - &inverse.row(j);
                hessian[[l + 1, 0]] += sign * image.dot(&image);
                for (k, &(p, q)) in self.edges.iter().enumerate().take(l + 1) {
                    hessian[[l + 1, k + 1]] += (image[p] - image[q]).powi(2);
                }
            }
        }
        if self.nonnegative {
            for (l, &(i, j)) in self.edges.iter().enumerate() {
                hessian[[l + 1, l + 1]] += p.weights[l].powi(-2);
                for (k, &(u, v)) in self.edges.iter().enumerate().take(l + 1) {
                    let shared = [i, j].into_iter().filter(|node| *node == u || *node == v);
                    hessian[[l + 1, k + 1]] += shared.map(|node| p.own[node].powi(-2)).sum::<f64>();
                }
            }
        }
        for l in 0..hessian.nrows() {
            for k in 0..l {
                hessian[[k, l]] = hessian[[l, k]];
            }
        }
        hessian
    }
}

impl Path {
    /// Goes to the next centre; nothing when double precision ends the path.
    ///
    /// Near its end the path is almost a straight line in `1 / t`, so its tangent leads close to the next centre.
    pub(super) fn advance(&mut self, problem: &Problem) -> Option<&Point> {
        if problem.order() / self.t < FINEST {
            return None;
        }
        let mut unit = Array1::zeros(problem.edges.len() + 1);
        unit[0] = self.t;
        let tangent = newton(problem.hessian(&self.point), &unit)?;
        while self.growth > LEAST_GROWTH {
            if let Some((steps, next)) = self.leap(problem, &tangent) {
                self.point = next;
                self.t *= self.growth;
                match steps {
                    0..=10 => self.growth = (self.growth * self.growth).min(GROWTH),
                    11..=18 => {}
                    _ => self.growth = self.growth.sqrt(),
                }
                return Some(&self.point);
            }
            self.growth = self.growth.sqrt();
        }
        None
    }

    /// Along the tangent and to the centre there, if both succeed.
    fn leap(&self, problem: &Problem, tangent: &Array1<f64>) -> Option<(u32, Point)> {
        let start = self.point.moved(problem, tangent, 1.0 - 1.0 / self.growth)?;
        centre(problem, self.t * self.growth, start)
    }
}

/// Newton's method from `point` to the centre of `t`, and how many steps it took.
fn centre(problem: &Problem, t: f64, mut point: Point) -> Option<(u32, Point)> {
    let mut before = f64::NEG_INFINITY;
    for step in 1..=STEPS {
        let gradient = problem.gradient(t, &point);
        let direction = newton(problem.hessian(&point), &gradient)?;
        let slope = gradient.dot(&direction);
        point = line_search(problem, t, &point, &direction, slope)?;
        // Full steps square the slope, until rounding halts it. The dual point is off by its square root.
        if slope > CENTRED || (slope > -1e-3 && slope < 0.5 * before) {
            return Some((step, point));
        }
        before = slope;
    }
    None
}

/// Halves the step until it is feasible and not far beyond the minimum along the direction. The barrier is
/// self-concordant, so the step `1 / (1 + sqrt(-slope))` always is.
fn line_search(problem: &Problem, t: f64, from: &Point, direction: &Array1<f64>, slope: f64) -> Option<Point> {
    let safe = 1.0 / (1.0 + (-slope).max(0.0).sqrt());
    let mut step = 1.0;
    while step >= safe / 16.0 {
        if let Some(point) = from.moved(problem, direction, step)
            && (step <= safe || problem.gradient(t, &point).dot(direction) <= -0.5 * slope)
        {
            return Some(point);
        }
        step *= 0.5;
    }
    None
}

impl Point {
    fn moved(&self, problem: &Problem, direction: &Array1<f64>, step: f64) -> Option<Self> {
        let weights = self.weights.iter().zip(direction.iter().skip(1)).map(|(w, d)| w + step * d).collect();
        problem.point(self.s + step * direction[0], weights)
    }
}

/// `-H^-1 g`, the system scaled to a unit diagonal.
fn newton(mut hessian: Array2<f64>, gradient: &Array1<f64>) -> Option<Array1<f64>> {
    let scale = hessian.diag().mapv(|v| 1.0 / v.sqrt());
    for ((l, k), v) in hessian.indexed_iter_mut() {
        *v *= scale[l] * scale[k];
    }
    let right = -(gradient * &scale);
    dido_linalg::solve_positive_definite(hessian.view(), right.view()).ok().map(|d| d * scale)
}

/// The inverse of a positive definite matrix by Gauss and Jordan's elimination, which needs no pivoting there; nothing
/// if a pivot is not positive. (A factorisation that solves for one right-hand side at a time would take `n` times as long.)
fn inverse(mut a: Array2<f64>) -> Option<Array2<f64>> {
    let n = a.nrows();
    for k in 0..n {
        let pivot = a[[k, k]];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        a[[k, k]] = 1.0;
        a.row_mut(k).mapv_inplace(|v| v / pivot);
        let row = a.row(k).to_owned();
        for i in (0..n).filter(|&i| i != k) {
            let factor = std::mem::replace(&mut a[[i, k]], 0.0);
            a.row_mut(i).scaled_add(-factor, &row);
        }
    }
    // Rounding leaves the two halves apart.
    Some((&a + &a.t()) * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::erdos_renyi;

    #[test]
    fn inverses_are_inverse_and_exist_for_positive_definite_matrices_only() {
        let a = Array2::from_shape_fn((9, 9), |(i, j)| 1.0 / (1 + i.abs_diff(j)) as f64);
        let product = inverse(a.clone()).unwrap().dot(&a) - Array2::<f64>::eye(9);
        assert!(product.iter().all(|v| v.abs() < 1e-14));
        assert!(inverse(a - Array2::<f64>::eye(9)).is_none());
    }

    /// Central differences of the gradient, which is itself tested by where it leads.
    #[test]
    fn the_hessian_is_the_derivative_of_the_gradient() {
        for nonnegative in [false, true] {
            let problem = Problem::new(&erdos_renyi(7, 0.4, 5).unwrap().graph, nonnegative);
            let edges = problem.edges.len();
            let coordinates: Vec<f64> =
                (0..=edges).map(|k| if k == 0 { 1.2 } else { 0.1 + 0.01 * (k % 3) as f64 }).collect();
            let at = |x: &[f64]| problem.point(x[0], x[1..].to_vec()).unwrap();
            let hessian = problem.hessian(&at(&coordinates));
            for k in 0..=edges {
                let moved = |by: f64| {
                    let mut x = coordinates.clone();
                    x[k] += by;
                    problem.gradient(3.0, &at(&x))
                };
                let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                let off = (&difference - &hessian.column(k)).mapv(f64::abs).iter().copied().fold(0.0, f64::max);
                assert!(off < 1e-5 * (1.0 + hessian[[k, k]]), "{k}: {off}");
            }
        }
    }
}
