//! The two sizes of a chart, and what fits into them.

use super::canvas::{Chart, FONT, HEIGHT, WIDTH};
use super::range::Axis;
use kuva::render::{
    color::Color,
    render::{Primitive, Scene, TextAnchor},
};

/// How large a chart is drawn: one that is scaled down to the width of a phone cannot be read.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Ends the identifiers inside the SVG: both sizes may stand in one page.
    pub(super) suffix: &'static str,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Of the title, the note below it, the names of the axes and the ticks.
    pub(super) fonts: [u32; 4],
    /// Characters in a line of the title, the note, and a label of the legend.
    wraps: [usize; 3],
    /// The left end of the legend, and the length of its swatches. The library's own swatches are too short to show a dash.
    legend: [f64; 2],
    /// Labels of at most so many characters stand in two columns.
    halves: usize,
}

impl Size {
    pub(super) const PAGE: Self = Self {
        suffix: "",
        width: WIDTH,
        height: HEIGHT,
        fonts: [17, 13, 14, 12],
        wraps: [76, 95, 88],
        legend: [60.0, 42.0],
        halves: 39,
    };
    pub(super) const PHONE: Self = Self {
        suffix: "-narrow",
        width: 380.0,
        height: 380.0,
        fonts: [14, 12, 13, 11],
        wraps: [38, 50, 44],
        legend: [12.0, 34.0],
        halves: 0,
    };

    pub(super) fn layout(self, layout: kuva::prelude::Layout, note: &str) -> kuva::prelude::Layout {
        let ([title, small, label, tick], [title_wrap, note_wrap, _]) = (self.fonts, self.wraps);
        let layout = layout
            .with_width(self.width)
            .with_height(self.height)
            .with_font_family(FONT)
            .with_title_size(title)
            .with_title_wrap(title_wrap)
            .with_label_size(label)
            .with_tick_size(tick);
        if note.is_empty() {
            return layout;
        }
        layout.with_subtitle(note).with_subtitle_size(small).with_subtitle_wrap(note_wrap)
    }

    /// The step between two ticks of the x axis, a multiple of its own: labels as long as `longest` must not touch.
    pub(super) fn x_step(self, axis: Axis, longest: usize) -> f64 {
        let ticks = (axis.upper - axis.lower) / axis.step;
        let room = 0.78 * self.width / (0.62 * f64::from(self.fonts[3]) * (longest + 2) as f64);
        let few = [1.0, 2.0, 4.0, 5.0, 10.0].into_iter().find(|few| ticks / few <= room);
        axis.step * few.unwrap_or(20.0)
    }

    /// Adds the legend below the chart, in two columns if the labels allow it, and makes room for it.
    pub(super) fn legend(self, chart: &Chart, scene: &mut Scene) {
        const LINE: f64 = 16.0;
        const GAP: f64 = 6.0;
        let short = chart.lines.iter().all(|line| line.label.chars().count() <= self.halves);
        let rows = if short { chart.lines.len().div_ceil(2) } else { chart.lines.len() };
        let ([left, swatch], top) = (self.legend, scene.height + 14.0);
        let mut y = top;
        let mut lowest = top;
        for (k, line) in chart.lines.iter().enumerate() {
            if rows > 0 && k == rows {
                y = top;
            }
            let x = left + if k < rows { 0.0 } else { (self.width - left) / 2.0 };
            scene.add(Primitive::Line {
                x1: x,
                y1: y,
                x2: x + swatch,
                y2: y,
                stroke: Color::from(line.pen.colour),
                stroke_width: line.pen.width,
                stroke_dasharray: line.pen.dash.map(str::to_owned),
            });
            for part in wrapped(&line.label, self.wraps[2]) {
                scene.add(text(x + swatch + 9.0, y + 4.5, part, self.fonts[1]));
                y += LINE;
            }
            y += GAP;
            lowest = lowest.max(y);
        }
        scene.height = if chart.lines.is_empty() { scene.height } else { lowest + 6.0 };
    }
}

fn text(x: f64, y: f64, content: String, size: u32) -> Primitive {
    Primitive::Text { x, y, content, size, anchor: TextAnchor::Start, rotate: None, bold: false, color: None }
}

/// Lines of at most `most` characters, broken between words and, where one word is longer, inside it.
fn wrapped(label: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in label.split_whitespace() {
        let mut rest: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last_mut().expect("there is a line from the start");
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + rest.len() <= most {
                line.extend([" "].into_iter().take(space));
                line.extend(rest);
                break;
            }
            if used > 0 {
                lines.push(String::new());
            } else {
                line.extend(rest.drain(..most));
                lines.push(String::new());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_break_between_words_and_lose_nothing() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(wrapped("\u{e9}\u{e9}\u{e9} \u{e9}", 3), ["\u{e9}\u{e9}\u{e9}", "\u{e9}"]);
    }

    #[test]
    fn a_narrow_axis_has_fewer_ticks() {
        let axis = Axis { lower: 0.0, upper: 10_000.0, step: 1000.0 };
        let [page, phone] = [Size::PAGE, Size::PHONE].map(|size| size.x_step(axis, 5));
        assert!((page, phone) == (1000.0, 2000.0), "{page}, {phone}");
    }
}
