//! LIBSVM, also called svmlight: labelled sparse rows.
//!
//! A line is a record: its label, then pairs of an index and a value, whose indices increase; what is left out is 0. Blank
//! lines and what follows a `#` say nothing, and so does a pair with the index `qid`.

use crate::detect::without_bom;
use crate::error::{At, excerpt};
use crate::{Fault, NotANumber, Options, Place, Sparse, Texts, number};

/// The largest index, that of LIBSVM itself: what is larger was made by hashing, and no model has a place for it.
pub(crate) const LARGEST: u64 = i32::MAX as u64;

/// Reads the rows.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Sparse, At> {
    let bytes = without_bom(bytes);
    let mut rows = Sparse {
        features: 0,
        starts: vec![0],
        indices: vec![],
        values: vec![],
        labels: vec![],
        label_texts: Texts::default(),
        lines: vec![],
        notes: vec![],
    };
    let (mut comments, mut queries) = (false, false);
    for (line, number) in lines(bytes).zip(1..) {
        let line = Line { text: text(line, number)?, number, options };
        let (record, comment) = line.text.split_once('#').map_or((line.text, false), |(record, _)| (record, true));
        comments |= comment;
        line.read(record, &mut rows, &mut queries)?;
    }
    if rows.records() == 0 {
        return Err(Fault::NoRows.into());
    }
    rows.features = options.features.unwrap_or(rows.features);
    if comments {
        rows.notes.push("comments are ignored".to_owned());
    }
    if queries {
        rows.notes.push("qid is ignored".to_owned());
    }
    Ok(rows)
}

/// Lines that end with `\n`, `\r\n` or `\r`.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
            rest = None;
            return Some(bytes);
        };
        let width = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = Some(&bytes[end + width..]);
        Some(&bytes[..end])
    })
}

fn text(line: &[u8], number: u64) -> Result<&str, At> {
    std::str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        At::new(Place::line(number).byte(at + 1), Fault::NotUtf8(line[at]))
    })
}

struct Line<'a> {
    text: &'a str,
    number: u64,
    options: &'a Options,
}

impl Line<'_> {
    /// What is wrong with a part of this line.
    fn fault(&self, part: &str, fault: Fault) -> At {
        let byte = part.as_ptr().addr() - self.text.as_ptr().addr() + 1;
        At::new(Place::line(self.number).byte(byte), fault)
    }

    fn refuse(&self, part: &str, message: impl Into<String>) -> At {
        self.fault(part, Fault::Pair(message.into()))
    }

    fn read(&self, record: &str, rows: &mut Sparse, queries: &mut bool) -> Result<(), At> {
        let mut cells = record.split_ascii_whitespace().peekable();
        let Some(&label) = cells.peek() else { return Ok(()) };
        if self.is_labelled(label, rows)? {
            rows.labels.push(self.label(label, record)?);
            rows.label_texts.push(label);
            cells.next();
        }
        let mut last = None;
        for cell in cells {
            let Some((index, value)) = cell.split_once(':') else {
                return Err(self.refuse(cell, format!("expected index:value, found \"{}\"", excerpt(cell))));
            };
            if index == "qid" && last.is_none() {
                *queries = true;
                continue;
            }
            let index = self.index(cell, index, last)?;
            last = Some(index);
            rows.features = rows.features.max(index as usize + 1);
            let value = self.value(cell, value)?;
            if value != 0.0 {
                rows.indices.push(index);
                rows.values.push(value);
            }
        }
        rows.starts.push(rows.values.len());
        rows.lines.push(self.number);
        Ok(())
    }

    /// Whether a line that starts with this has a label, as the lines above.
    fn is_labelled(&self, first: &str, rows: &Sparse) -> Result<bool, At> {
        if !self.options.unlabelled {
            return Ok(true);
        }
        match (first.contains(':'), rows.labels.is_empty(), rows.records()) {
            (true, false, _) => Err(self.refuse(first, "the line has no label, and earlier lines have one")),
            (false, true, 1..) => Err(self.refuse(first, "the line has a label, and earlier lines have none")),
            (bare, ..) => Ok(!bare),
        }
    }

    fn label(&self, label: &str, record: &str) -> Result<f64, At> {
        if label.contains(':') {
            return Err(self.refuse(label, "the line starts with a feature, not with a label"));
        }
        if label.contains([',', ';']) {
            return Err(if record.contains(':') {
                self.refuse(label, format!("several labels \"{}\"; one is needed", excerpt(label)))
            } else {
                self.refuse(label, "it looks like CSV, not LIBSVM; pass --format csv")
            });
        }
        self.number(label, label)
    }

    /// The index, counted from 0.
    fn index(&self, cell: &str, index: &str, last: Option<u32>) -> Result<u32, At> {
        let base = u64::from(self.options.index_base);
        let digits = index.strip_prefix(['+', '-']).unwrap_or(index);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.refuse(cell, format!("the index is not a whole number: \"{}\"", excerpt(index))));
        }
        if index.starts_with('-') {
            return Err(self.refuse(cell, format!("negative index {}", excerpt(index))));
        }
        let Some(found) = digits.parse::<u64>().ok().filter(|found| *found <= LARGEST) else {
            return Err(self.refuse(cell, format!("the index {} is over the limit {LARGEST}", excerpt(index))));
        };
        if found < base {
            return Err(self.refuse(cell, "index 0, but indices start from 1; pass --index-base 0 if they do not"));
        }
        let counted = u32::try_from(found - base).unwrap_or(u32::MAX);
        if self.options.features.is_some_and(|features| counted as usize >= features) {
            let features = self.options.features.unwrap_or_default();
            return Err(self.refuse(cell, format!("index {found}, but there are {features} features")));
        }
        match last {
            Some(last) if last == counted => Err(self.refuse(cell, format!("index {found} is given twice"))),
            Some(last) if last > counted => {
                let before = u64::from(last) + base;
                Err(self.refuse(cell, format!("indices must increase: {found} after {before}")))
            }
            _ => Ok(counted),
        }
    }

    fn value(&self, cell: &str, value: &str) -> Result<f64, At> {
        if value.is_empty() {
            return Err(self.refuse(cell, format!("no value after \"{}\"", excerpt(cell))));
        }
        self.number(cell, value)
    }

    fn number(&self, cell: &str, text: &str) -> Result<f64, At> {
        number(text, b'.').map_err(|why| {
            let quoted = excerpt(text);
            self.fault(
                cell,
                match why {
                    NotANumber::NotFinite => Fault::NotFinite(quoted),
                    NotANumber::Text => Fault::NotANumber { cell: quoted, hint: String::new() },
                    NotANumber::Ambiguous(hint) => Fault::Ambiguous { cell: quoted, hint: format!("; {hint}") },
                },
            )
        })
    }
}
