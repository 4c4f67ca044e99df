//! Figures of a study: any quantities against each other, on linear or logarithmic axes.

use std::sync::Arc;

use kuva::plot::{LinePlot, MarkerShape, ScatterPlot, line::LineStyle};
use kuva::prelude::{Layout, Plot, TickFormat};
use kuva::render::{
    color::Color,
    render::{Primitive, Scene, TextAnchor, render_multiple},
};

use super::canvas::{FONT, HEIGHT, WIDTH, document, name_clip_paths};
use super::range::{Axis, bounds};
use crate::report::number::significant;

/// Colours of Okabe and Ito, with a marker each: series differ without colour too.
const STYLES: [(&str, MarkerShape); 8] = [
    ("#0072b2", MarkerShape::Circle),
    ("#d55e00", MarkerShape::Square),
    ("#009e73", MarkerShape::Triangle),
    ("#000000", MarkerShape::Diamond),
    ("#cc79a7", MarkerShape::TriangleDown),
    ("#767676", MarkerShape::Plus),
    ("#56b4e9", MarkerShape::Cross),
    ("#b8860b", MarkerShape::Star),
];

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Of its file and of the identifiers inside it: lower case and hyphens.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// A line under the title.
    pub note: String,
    /// The horizontal quantity.
    pub x: Quantity,
    /// The vertical quantity.
    pub y: Quantity,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
}

/// A quantity along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Its name.
    pub label: String,
    /// Whether its axis is logarithmic: values that are not positive are not drawn then.
    pub logarithmic: bool,
}

/// Some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its entry in the legend.
    pub label: String,
    /// How it is drawn.
    pub drawn: Drawn,
    /// The points, ascending where a line joins them.
    pub points: Vec<(f64, f64)>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Markers, for what was measured.
    Markers,
    /// Markers that a line joins.
    Joined,
    /// A dashed line, for theory, in the colour of the series before it.
    Dashed,
    /// A dotted line, for a reference, in grey.
    Dotted,
}

impl Quantity {
    /// On a logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: true }
    }

    /// On a linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), logarithmic: false }
    }

    fn takes(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.logarithmic)
    }

    /// What the axis covers, and for a linear one its step.
    fn range(&self, values: &[f64]) -> Axis {
        let (low, high) = bounds(values);
        if low > high {
            return Axis { lower: 1.0, upper: 10.0, step: 1.0 };
        }
        if !self.logarithmic {
            return Axis::covering(low, high);
        }
        // Room for markers at both ends.
        let room = (high / low).powf(0.04).max(1.25);
        Axis { lower: low / room, upper: high * room, step: 1.0 }
    }
}

impl Series {
    /// A series.
    pub fn new(label: impl Into<String>, drawn: Drawn, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), drawn, points }
    }
}

impl Figure {
    /// The figure as SVG text; the same figure gives the same bytes.
    pub fn svg(&self) -> String {
        let shown = self.shown();
        let all = |pick: fn(&(f64, f64)) -> f64| -> Vec<f64> { shown.iter().flatten().map(pick).collect() };
        let (mut x, y) = (self.x.range(&all(|p| p.0)), self.y.range(&all(|p| p.1)));
        if !self.x.logarithmic && self.marked(&shown).any(|p| p.0 >= x.upper) {
            // Half of a marker on the edge would be cut off.
            x.upper += x.step;
        }
        let mut scene = render_multiple(self.marks(&shown), self.layout(x, y));
        name_clip_paths(self.name, &mut scene);
        self.legend(&mut scene);
        document(&scene, self.name, &self.title, &self.description())
    }

    /// The content of the picture in words, for readers who do not see it.
    fn description(&self) -> String {
        let names: Vec<&str> = self.series.iter().map(|series| series.label.as_str()).collect();
        format!("{} against {}: {}. {}", self.y.label, self.x.label, names.join("; "), self.note)
    }

    /// The points of each series that the axes can show.
    fn shown(&self) -> Vec<Vec<(f64, f64)>> {
        let takes = |p: &&(f64, f64)| self.x.takes(p.0) && self.y.takes(p.1);
        self.series.iter().map(|series| series.points.iter().filter(takes).copied().collect()).collect()
    }

    /// The points with a marker.
    fn marked<'a>(&'a self, shown: &'a [Vec<(f64, f64)>]) -> impl Iterator<Item = &'a (f64, f64)> {
        let has_marker = |series: &Series| matches!(series.drawn, Drawn::Markers | Drawn::Joined);
        self.series.iter().zip(shown).filter(move |(series, _)| has_marker(series)).flat_map(|(_, points)| points)
    }

    fn layout(&self, x: Axis, y: Axis) -> Layout {
        let format = |quantity: &Quantity, axis: Axis| {
            if quantity.logarithmic { TickFormat::Custom(Arc::new(tick)) } else { TickFormat::Fixed(axis.decimals()) }
        };
        let mut layout = Layout::new((x.lower, x.upper), (y.lower, y.upper))
            .with_width(WIDTH)
            .with_height(HEIGHT)
            .with_font_family(FONT)
            .with_title(self.title.as_str())
            .with_title_size(17)
            .with_label_size(14)
            .with_tick_size(12)
            .with_x_label(self.x.label.as_str())
            .with_y_label(self.y.label.as_str())
            .with_x_axis_min(x.lower)
            .with_x_axis_max(x.upper)
            .with_y_axis_min(y.lower)
            .with_y_axis_max(y.upper)
            .with_x_tick_format(format(&self.x, x))
            .with_y_tick_format(format(&self.y, y));
        layout = if self.x.logarithmic { layout.with_log_x() } else { layout.with_x_tick_step(x.step) };
        layout = if self.y.logarithmic { layout.with_log_y() } else { layout.with_y_tick_step(y.step) };
        layout.theme.grid_color = "#e4e4e4".into();
        if !self.note.is_empty() {
            layout = layout.with_subtitle(self.note.as_str()).with_subtitle_size(13).with_subtitle_wrap(95);
        }
        layout
    }

    /// Colour and marker of each series: a dashed line has those of the series before it.
    fn styles(&self) -> Vec<(&'static str, MarkerShape)> {
        let mut next = 0;
        let mut style = STYLES[0];
        let of = |series: &Series| {
            if series.drawn == Drawn::Dotted {
                return ("#767676", MarkerShape::Circle);
            }
            if series.drawn != Drawn::Dashed {
                style = STYLES[next % STYLES.len()];
                next += 1;
            }
            style
        };
        self.series.iter().map(of).collect()
    }

    fn marks(&self, shown: &[Vec<(f64, f64)>]) -> Vec<Plot> {
        let mut marks = Vec::new();
        for ((series, points), (colour, marker)) in self.series.iter().zip(shown).zip(self.styles()) {
            if series.drawn != Drawn::Markers {
                let line = LinePlot::new().with_data(points.iter().copied()).with_color(colour).with_stroke_width(1.6);
                marks.push(Plot::Line(line.with_line_style(
                    dash(series.drawn).map_or(LineStyle::Solid, |dash| LineStyle::Custom(dash.to_owned())),
                )));
            }
            if matches!(series.drawn, Drawn::Markers | Drawn::Joined) {
                let scatter = ScatterPlot::new().with_data(points.iter().copied()).with_color(colour).with_size(4.0);
                marks.push(Plot::Scatter(scatter.with_marker(marker)));
            }
        }
        marks
    }

    /// Below the figure, in two columns if the labels allow it.
    fn legend(&self, scene: &mut Scene) {
        const SWATCH: f64 = 42.0;
        const ROW: f64 = 22.0;
        let short = self.series.iter().all(|series| series.label.chars().count() <= 39);
        let rows = if short { self.series.len().div_ceil(2) } else { self.series.len() };
        for (k, (series, (colour, marker))) in self.series.iter().zip(self.styles()).enumerate() {
            let x = 60.0 + if k < rows { 0.0 } else { (WIDTH - 60.0) / 2.0 };
            let y = scene.height + 14.0 + ROW * (k % rows) as f64;
            if series.drawn != Drawn::Markers {
                scene.add(Primitive::Line {
                    x1: x,
                    y1: y,
                    x2: x + SWATCH,
                    y2: y,
                    stroke: Color::from(colour),
                    stroke_width: 1.6,
                    stroke_dasharray: dash(series.drawn).map(str::to_owned),
                });
            }
            if matches!(series.drawn, Drawn::Markers | Drawn::Joined) {
                scene.add(words((x + SWATCH / 2.0, y), glyph(marker).to_owned(), TextAnchor::Middle, Some(colour)));
            }
            scene.add(words((x + SWATCH + 9.0, y), series.label.clone(), TextAnchor::Start, None));
        }
        scene.height += if rows == 0 { 0.0 } else { 20.0 + ROW * rows as f64 };
    }
}

fn dash(drawn: Drawn) -> Option<&'static str> {
    match drawn {
        Drawn::Dashed => Some("9 5"),
        Drawn::Dotted => Some("2 4"),
        Drawn::Markers | Drawn::Joined => None,
    }
}

/// A tick of a logarithmic axis, in few characters: the name of the axis stands close.
fn tick(value: f64) -> String {
    if (1e-3..1e5).contains(&value) || value == 0.0 { significant(value) } else { format!("{value:.0e}") }
}

/// Text in the middle of a row of the legend.
fn words((x, y): (f64, f64), content: String, anchor: TextAnchor, colour: Option<&str>) -> Primitive {
    let color = colour.map(Color::from);
    Primitive::Text { x, y: y + 4.5, content, size: 13, anchor, rotate: None, bold: false, color }
}

/// A marker in the legend: the library draws them in the picture only.
fn glyph(marker: MarkerShape) -> &'static str {
    match marker {
        MarkerShape::Square => "\u{25a0}",
        MarkerShape::Triangle => "\u{25b2}",
        MarkerShape::Diamond => "\u{25c6}",
        MarkerShape::TriangleDown => "\u{25bc}",
        MarkerShape::Plus => "+",
        MarkerShape::Cross => "\u{d7}",
        MarkerShape::Star => "\u{2605}",
        _ => "\u{25cf}",
    }
}
