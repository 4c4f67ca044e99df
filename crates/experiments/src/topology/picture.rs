//! A graph as SVG.

use std::f64::consts::TAU;
use std::fmt::Write;

use dido_topology::families::{Options, geometric_points};

use super::Topology;
use crate::error::ExperimentError;

/// More nodes than this cannot be told apart.
pub const MOST_DRAWN: usize = 1000;
/// More edges than this are one black disc.
pub const MOST_EDGES: usize = 50_000;
/// So many nodes get their numbers.
const NUMBERED: usize = 60;
/// Side of the drawing, and its margin, in pixels.
const SIDE: f64 = 640.0;
const MARGIN: f64 = 24.0;
/// The shortest side of a drawing.
const LEAST: f64 = 160.0;

/// The colour of an edge, and of a node.
pub(crate) const EDGE: [u8; 3] = [0x33, 0x52, 0x7a];
pub(crate) const NODE: &str = "#c8553d";

/// The graph: nodes where the family has places for them (grid, torus, star, tree, geometric), else on a circle.
///
/// # Errors
/// If there are more than [`MOST_DRAWN`] nodes or [`MOST_EDGES`] edges.
pub fn svg(topology: &Topology) -> Result<String, ExperimentError> {
    Drawing::of(topology).map(|drawing| drawing.svg()).ok_or_else(|| {
        let (nodes, edges) = (topology.graph.nodes(), topology.graph.edges().count());
        ExperimentError::Usage(format!(
            "--svg: {nodes} nodes and {edges} edges are too many to see; at most {MOST_DRAWN} and {MOST_EDGES} are drawn"
        ))
    })
}

/// A picture of a graph, in pixels.
pub(crate) struct Drawing {
    title: String,
    /// Width and height.
    pub(crate) size: Point,
    /// Both ends, and between them where the edge is pulled to if it is bent.
    pub(crate) edges: Vec<(Point, Option<Point>, Point)>,
    pub(crate) opacity: f64,
    pub(crate) nodes: Vec<Point>,
    pub(crate) radius: f64,
}

impl Drawing {
    /// Nothing if there are more than [`MOST_DRAWN`] nodes or [`MOST_EDGES`] edges.
    pub(crate) fn of(topology: &Topology) -> Option<Self> {
        let (graph, edges) = (&topology.graph, topology.graph.edges().count());
        let nodes = graph.nodes();
        if nodes > MOST_DRAWN || edges > MOST_EDGES {
            return None;
        }
        let layout = Layout::of(topology);
        let (places, size) = layout.fitted();
        let edge = |(i, j): (usize, usize)| (places[i], layout.bend(i, j, places[i], places[j]), places[j]);
        Some(Self {
            title: format!("{}, {nodes} nodes, {edges} edges", topology.family),
            size,
            edges: graph.edges().map(edge).collect(),
            opacity: (12.0 / (edges.max(1) as f64).sqrt()).clamp(0.06, 0.8),
            radius: (70.0 / (nodes.max(10) as f64).sqrt()).clamp(2.5, 12.0),
            nodes: places,
        })
    }

    pub(crate) fn is_numbered(&self) -> bool {
        self.nodes.len() <= NUMBERED
    }

    /// Of the numbers in the nodes.
    pub(crate) fn font_size(&self) -> f64 {
        self.radius * 1.1
    }

    pub(crate) fn svg(&self) -> String {
        let Self { title, size: [width, height], edges, opacity, nodes, radius } = self;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
             <title>{title}</title>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n\
             <path fill=\"none\" stroke=\"#33527a\" stroke-opacity=\"{opacity:.2}\" stroke-width=\"1.5\" d=\"",
        );
        // Writing into a string does not fail.
        for (a, control, b) in edges {
            let _ = write!(text, "M{:.1} {:.1}", a[0], a[1]);
            let _ = match control {
                Some(control) => write!(text, "Q{:.1} {:.1} {:.1} {:.1}", control[0], control[1], b[0], b[1]),
                None => write!(text, "L{:.1} {:.1}", b[0], b[1]),
            };
        }
        let _ = writeln!(text, "\"/>\n<g fill=\"{NODE}\" stroke=\"#ffffff\">");
        for [x, y] in nodes {
            let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>");
        }
        text += "</g>\n";
        if self.is_numbered() {
            let size = self.font_size();
            let _ = writeln!(
                text,
                "<g fill=\"#ffffff\" font-family=\"sans-serif\" font-size=\"{size:.1}\" text-anchor=\"middle\">"
            );
            for (i, [x, y]) in nodes.iter().enumerate() {
                let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{:.1}\">{i}</text>", y + size * 0.36);
            }
            text += "</g>\n";
        }
        text += "</svg>\n";
        text
    }
}

type Point = [f64; 2];

/// Places of the nodes, in units of their own.
struct Layout {
    places: Vec<Point>,
    /// Whether an edge between places more than one unit apart lies on others and has to be bent.
    lattice: bool,
}

impl Layout {
    fn of(topology: &Topology) -> Self {
        let nodes = topology.graph.nodes();
        let plain = |places| Self { places, lattice: false };
        match topology.family.as_str() {
            "grid" | "torus" => match columns(topology) {
                Some(columns) => Self {
                    places: (0..nodes).map(|i| [(i % columns) as f64, (i / columns) as f64]).collect(),
                    lattice: true,
                },
                None => plain(circle(nodes, nodes)),
            },
            "geometric" => {
                let Options { seed, .. } = topology.options;
                plain(geometric_points(nodes, seed.unwrap_or(0), topology.attempts))
            }
            "binary-tree" => plain((0..nodes).map(in_tree).collect()),
            "star" => plain(std::iter::once([0.0, 0.0]).chain(circle(nodes - 1, nodes - 1)).collect()),
            _ => plain(circle(nodes, nodes)),
        }
    }

    /// The places in pixels, in one scale for both axes, and width and height of the drawing.
    fn fitted(&self) -> (Vec<Point>, Point) {
        let ends = [0, 1].map(|axis| {
            let values = || self.places.iter().map(|place| place[axis]);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        });
        let extent = ends.map(|(low, high)| high - low);
        // Edges that go round a torus bulge beyond its nodes.
        let margin = if self.lattice { 3.0 * MARGIN } else { MARGIN };
        let scale = (SIDE - 2.0 * margin) / extent[0].max(extent[1]).max(1e-9);
        // Nodes in one line, as two are, still make a picture and no stroke.
        let size = extent.map(|extent| (2.0 * margin + extent * scale).max(LEAST));
        let start = [0, 1].map(|axis| (size[axis] - extent[axis] * scale) / 2.0);
        let fit = |place: &Point| [0, 1].map(|axis| start[axis] + (place[axis] - ends[axis].0) * scale);
        (self.places.iter().map(fit).collect(), size)
    }

    /// Where the edge from `a` to `b` is pulled to, if a straight line would lie on other nodes.
    fn bend(&self, i: usize, j: usize, a: Point, b: Point) -> Option<Point> {
        let apart = [0, 1].map(|axis| (self.places[i][axis] - self.places[j][axis]).abs());
        if !self.lattice || apart[0] + apart[1] < 1.5 {
            return None;
        }
        let bulge = 0.12 * (b[0] - a[0]).hypot(b[1] - a[1]).min(400.0);
        // Rows are bent upwards, columns to the left.
        let aside = if apart[0] > apart[1] { [0.0, -bulge] } else { [-bulge, 0.0] };
        Some([0, 1].map(|axis| f64::midpoint(a[axis], b[axis]) + aside[axis]))
    }
}

/// The columns of a grid or torus of two dimensions.
fn columns(topology: &Topology) -> Option<usize> {
    let (nodes, Options { rows, cols, dims, .. }) = (topology.graph.nodes(), &topology.options);
    match (rows, cols, dims) {
        (_, _, Some(dims)) => (dims.len() <= 2).then(|| dims.last().copied()).flatten(),
        (_, Some(cols), _) => Some(*cols),
        (Some(rows), None, _) => Some(nodes / rows),
        // The rectangle nearest to a square, as the family has it.
        (None, None, None) => {
            (1..=nodes.isqrt()).rev().find(|rows| nodes.is_multiple_of(*rows)).map(|rows| nodes / rows)
        }
    }
}

/// `count` places of `all` on a circle, the first at the top, clockwise.
fn circle(count: usize, all: usize) -> Vec<Point> {
    // Two nodes stand side by side.
    let first = if all == 2 { -TAU / 4.0 } else { 0.0 };
    let angle = |k: usize| first + TAU * k as f64 / all as f64;
    (0..count).map(|k| [angle(k).sin(), -angle(k).cos()]).collect()
}

/// Node `i` of a binary tree: its level from the top, and its place in the level.
fn in_tree(i: usize) -> Point {
    let level = (i + 1).ilog2();
    let width = 1_usize << level;
    [((i + 1 - width) as f64 + 0.5) / width as f64 * 2.0, f64::from(level) * 0.25]
}
