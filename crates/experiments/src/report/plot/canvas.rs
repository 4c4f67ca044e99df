//! Drawing a chart with `kuva`; only `size.rs`, `figure.rs` and `graph.rs` beside it know the library.

use std::sync::Arc;

use kuva::plot::{BandPlot, LinePlot, ScatterPlot, line::LineStyle};
use kuva::prelude::{Layout, Plot, SvgBackend, TickFormat};
use kuva::render::render::{Primitive, Scene, render_multiple};

use super::range::{Axis, inside};
use super::size::Size;
#[cfg(feature = "png")]
use crate::report::ReportError;
use crate::report::{number::significant, wording::escape};

pub(super) const WIDTH: f64 = 760.0;
pub(super) const HEIGHT: f64 = 400.0;
pub(super) const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// How a line is drawn. The colours are those of Okabe and Ito, which readers with any of the common colour
/// deficiencies can tell apart; the dashes do so without colour.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) colour: &'static str,
    /// SVG dash pattern; none for a solid line.
    pub(super) dash: Option<&'static str>,
    pub(super) width: f64,
}

impl Pen {
    pub(super) const BOLD: Self = Self { colour: "#0072b2", dash: None, width: 2.5 };
    pub(super) const DASHED: Self = Self { colour: "#000000", dash: Some("9 5"), width: 1.6 };
    pub(super) const DASH_DOT: Self = Self { colour: "#d55e00", dash: Some("12 4 2 4"), width: 1.8 };
    pub(super) const SHORT: Self = Self { colour: "#009e73", dash: Some("5 3"), width: 1.8 };
    pub(super) const DOTTED: Self = Self { colour: "#767676", dash: Some("2 4"), width: 1.8 };
}

/// A line and its entry in the legend.
pub(super) struct Line {
    pub(super) pen: Pen,
    pub(super) label: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// What a number on the y axis stands for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// Itself.
    Linear,
    /// Its power of ten.
    Decades,
}

/// Where most lanes lie: place, lower and upper end, in the values of the axes.
#[derive(Clone)]
pub(super) struct Ribbon {
    pub(super) points: Vec<(f64, f64, f64)>,
}

/// A picture that can be written as SVG or PNG; the same picture gives the same bytes.
pub struct Picture(pub(super) Chart);

impl Picture {
    /// The SVG text.
    pub fn svg(&self) -> String {
        svg(&self.0, Size::PAGE)
    }

    /// The same picture for a narrow screen, as SVG text with identifiers of its own.
    pub fn narrow_svg(&self) -> String {
        svg(&self.0, Size::PHONE)
    }

    /// The same picture with words before all others in its note, where the reader has to know them first.
    #[must_use]
    pub fn warned(self, words: &str) -> Self {
        let Chart { note, description, .. } = self.0;
        let after = if note.is_empty() { note } else { format!("; {note}") };
        let (note, description) = (format!("{words}{after}"), format!("{words}. {description}"));
        Self(Chart { note, description, ..self.0 })
    }

    /// The bytes of the PNG, in twice the size of the SVG.
    ///
    /// # Errors
    /// If it cannot be encoded.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>, ReportError> {
        raster(&scene(&self.0, Size::PAGE))
    }
}

/// The bytes of a scene as PNG, in twice its size.
#[cfg(feature = "png")]
pub(super) fn raster(scene: &Scene) -> Result<Vec<u8>, ReportError> {
    kuva::backend::raster::RasterBackend { scale: 2.0 }.render_scene(scene).map_err(ReportError::Png)
}

/// A chart over rounds, or another number.
pub(super) struct Chart {
    /// Prefix of the identifiers inside the SVG: several charts may stand in one page.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// A line under the title.
    pub(super) note: String,
    /// The content of the picture in words, for readers who do not see it.
    pub(super) description: String,
    pub(super) x_label: String,
    pub(super) x_scale: Scale,
    pub(super) y_label: &'static str,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) scale: Scale,
    pub(super) lines: Vec<Line>,
    /// So many of the first lines join points that were measured, which are marked.
    pub(super) marked: usize,
    /// Around the first line.
    pub(super) ribbon: Option<Ribbon>,
}

fn scene(chart: &Chart, size: Size) -> Scene {
    let mut scene = render_multiple(marks(chart), layout(chart, size));
    name_clip_paths(&format!("{}{}", chart.id, size.suffix), &mut scene);
    size.legend(chart, &mut scene);
    scene
}

fn svg(chart: &Chart, size: Size) -> String {
    document(&scene(chart, size), &format!("{}{}", chart.id, size.suffix), chart.title, &chart.description)
}

/// A scene as SVG text, named for readers who do not see it; `id` begins its identifiers.
pub(super) fn document(scene: &Scene, id: &str, title: &str, description: &str) -> String {
    let (width, height) = (scene.width, scene.height);
    let drawn = SvgBackend::new().render_scene(scene);
    // The library writes a fixed size; a view box lets the picture follow the width of the page.
    let (open, rest) = drawn.split_once('>').unwrap_or(("<svg", ""));
    format!(
        "{open} viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-description\">\
         <title id=\"{id}-title\">{title}</title><desc id=\"{id}-description\">{description}</desc>{rest}\n",
        title = escape(title),
        description = escape(description),
    )
}

/// The library numbers its clip paths over the life of the process; a picture must not depend on that.
pub(super) fn name_clip_paths(prefix: &str, scene: &mut Scene) {
    for (k, element) in scene.elements.iter_mut().enumerate() {
        if let Primitive::ClipStart { id, .. } = element {
            let name = format!("{prefix}-clip-{k}");
            for definition in &mut scene.defs {
                *definition = definition.replace(&format!("id=\"{id}\""), &format!("id=\"{name}\""));
            }
            *id = name;
        }
    }
}

fn layout(chart: &Chart, size: Size) -> Layout {
    let format = |scale: Scale, axis: Axis| match scale {
        Scale::Linear => TickFormat::Fixed(axis.decimals()),
        Scale::Decades => TickFormat::Custom(Arc::new(|v| significant(10_f64.powf(v)))),
    };
    let mut layout = Layout::new((chart.x.lower, chart.x.upper), (chart.y.lower, chart.y.upper))
        .with_title(chart.title)
        .with_x_label(chart.x_label.as_str())
        .with_y_label(chart.y_label)
        .with_x_axis_min(chart.x.lower)
        .with_x_axis_max(chart.x.upper)
        .with_x_tick_step(size.x_step(chart.x, longest(chart)))
        .with_x_tick_format(format(chart.x_scale, chart.x))
        .with_y_axis_min(chart.y.lower)
        .with_y_axis_max(chart.y.upper)
        .with_y_tick_step(chart.y.step)
        .with_y_tick_format(format(chart.scale, chart.y));
    layout.theme.grid_color = "#e4e4e4".into();
    size.layout(layout, &chart.note)
}

/// Characters of the longest number at the x axis, which is that of one of its ends.
fn longest(chart: &Chart) -> usize {
    let shown = |value: f64| match chart.x_scale {
        Scale::Linear => format!("{value:.*}", chart.x.decimals()).len(),
        Scale::Decades => significant(10_f64.powf(value)).len(),
    };
    shown(chart.x.lower).max(shown(chart.x.upper))
}

/// Later lines lie on top, so the first line of the chart is drawn last.
fn marks(chart: &Chart) -> Vec<Plot> {
    let mut marks = Vec::new();
    if let Some(Ribbon { points }) = &chart.ribbon {
        let pick = |of: fn(&(f64, f64, f64)) -> f64| points.iter().map(of).collect::<Vec<_>>();
        // What lies outside the axis would be drawn over the title.
        let shown = |values: Vec<f64>| values.into_iter().map(|y| y.clamp(chart.y.lower, chart.y.upper));
        let band = BandPlot::new(pick(|p| p.0), shown(pick(|p| p.1)), shown(pick(|p| p.2)));
        marks.push(Plot::Band(band.with_color(Pen::BOLD.colour).with_opacity(0.18)));
    }
    for (k, line) in chart.lines.iter().enumerate().rev() {
        let dots = |points: Vec<(f64, f64)>| {
            Plot::Scatter(ScatterPlot::new().with_data(points).with_color(line.pen.colour).with_size(4.0))
        };
        if k < chart.marked {
            marks.push(dots(line.points.iter().copied().filter(|point| chart.y.shows(point.1)).collect()));
        }
        for part in inside(&line.points, chart.y) {
            marks.push(if part.len() == 1 {
                dots(part)
            } else {
                let style = line.pen.dash.map_or(LineStyle::Solid, |dash| LineStyle::Custom(dash.to_owned()));
                let mark = LinePlot::new()
                    .with_data(part)
                    .with_color(line.pen.colour)
                    .with_stroke_width(line.pen.width)
                    .with_line_style(style);
                Plot::Line(mark)
            });
        }
    }
    marks
}
