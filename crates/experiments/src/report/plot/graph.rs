//! A graph as PNG, from the places that its SVG has.

use kuva::render::{
    color::Color,
    render::{Primitive, Scene, TextAnchor},
};

use super::canvas::raster;
use crate::report::ReportError;
use crate::topology::picture::{Drawing, EDGE, NODE};

/// A bent edge is drawn with so many straight pieces.
const PIECES: u32 = 16;

/// The bytes of the picture.
///
/// # Errors
/// If it cannot be encoded.
pub(crate) fn png(drawing: &Drawing) -> Result<Vec<u8>, ReportError> {
    let mut scene = Scene::new(drawing.size[0], drawing.size[1]);
    let edge = blended(drawing.opacity);
    for &(from, control, to) in &drawing.edges {
        let points = match control {
            None => vec![(from[0], from[1]), (to[0], to[1])],
            Some(control) => (0..=PIECES).map(|k| bent(from, control, to, f64::from(k) / f64::from(PIECES))).collect(),
        };
        let stroke = Color::from(edge.as_str());
        scene.add(Primitive::PolyLine { points, stroke, stroke_width: 1.5, stroke_dasharray: None });
    }
    for (i, &[cx, cy]) in drawing.nodes.iter().enumerate() {
        scene.add(Primitive::Circle {
            cx,
            cy,
            r: drawing.radius,
            fill: Color::from(NODE),
            fill_opacity: None,
            stroke: Some(Color::from("#ffffff")),
            stroke_width: Some(1.0),
        });
        if drawing.is_numbered() {
            scene.add(label(drawing, i, cx, cy));
        }
    }
    raster(&scene)
}

fn label(drawing: &Drawing, i: usize, x: f64, y: f64) -> Primitive {
    // A radius is at most 12 pixels.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let size = drawing.font_size().round() as u32;
    Primitive::Text {
        x,
        y: y + 0.36 * drawing.font_size(),
        content: i.to_string(),
        size,
        anchor: TextAnchor::Middle,
        rotate: None,
        bold: false,
        color: Some(Color::from("#ffffff")),
    }
}

/// The point at `t` of the quadratic curve with this control point.
fn bent(from: [f64; 2], control: [f64; 2], to: [f64; 2], t: f64) -> (f64, f64) {
    let of = |k: usize| (1.0 - t).powi(2) * from[k] + 2.0 * t * (1.0 - t) * control[k] + t * t * to[k];
    (of(0), of(1))
}

/// The colour of an edge of this opacity on white: strokes have none of their own here.
fn blended(opacity: f64) -> String {
    let channels = EDGE.map(|channel| 255.0 - opacity * (255.0 - f64::from(channel)));
    // Between 0 and 255.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
    let [r, g, b] = channels.map(|channel| channel.round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
