//! The elements of an array.

use super::header;
use crate::error::excerpt;
use crate::{Fault, Values};

/// An array whose data are all there.
pub(super) struct Array<'a> {
    element: Element,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

#[derive(Clone, Copy)]
enum Element {
    Bool,
    Float(usize),
    Signed(usize),
    Unsigned(usize),
}

impl Element {
    fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Float(size) | Self::Signed(size) | Self::Unsigned(size) => size,
        }
    }
}

impl<'a> Array<'a> {
    /// # Errors
    /// If the elements are no numbers or truth values, or there are more or less of them than the header says.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        let (header, data) = header::split(bytes)?;
        let (element, big_endian) = element(&header.descr)?;
        let needed = header.shape.iter().try_fold(element.size(), |bytes, len| bytes.checked_mul(*len));
        if needed != Some(data.len()) {
            let needed = needed.map_or_else(|| "more than memory".to_owned(), |bytes| bytes.to_string());
            return Err(Fault::Damaged(format!("{needed} data bytes expected, {} found", data.len())));
        }
        Ok(Self { element, big_endian, fortran: header.fortran, shape: header.shape, data })
    }

    /// The dimensions.
    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values of a column of a matrix, or of a vector, and the rows that are NaN.
    pub(super) fn column(&self, column: usize) -> Result<(Values, Vec<usize>), Fault> {
        let rows = self.shape[0];
        let columns = self.shape.get(1).copied().unwrap_or(1);
        let at = |row: usize| if self.fortran { column * rows + row } else { row * columns + column };
        let size = self.element.size();
        let elements = (0..rows).map(|row| &self.data[at(row) * size..][..size]);
        if let Element::Bool = self.element {
            let value = |bytes: &[u8]| match bytes {
                [0] => Ok(false),
                [1] => Ok(true),
                _ => Err(Fault::Damaged(format!("the byte {} is no truth value", bytes[0]))),
            };
            return Ok((Values::Booleans(elements.map(value).collect::<Result<_, _>>()?), vec![]));
        }
        let values: Vec<f64> = elements.map(|bytes| self.number(bytes)).collect();
        let missing = values.iter().enumerate().filter(|(_, value)| value.is_nan()).map(|(row, _)| row).collect();
        Ok((Values::Numbers(values), missing))
    }

    /// Whole numbers beyond 2^53 are rounded to the nearest double, as in text.
    fn number(&self, bytes: &[u8]) -> f64 {
        let mut word = [0; 8];
        let size = bytes.len();
        word[..size].copy_from_slice(bytes);
        if self.big_endian {
            word[..size].reverse();
        }
        let word = u64::from_le_bytes(word);
        match self.element {
            Element::Bool | Element::Unsigned(_) => word as f64,
            // The sign is moved to the top and back.
            Element::Signed(size) => ((word << (64 - 8 * size)).cast_signed() >> (64 - 8 * size)) as f64,
            Element::Float(4) => f64::from(f32::from_bits(u32::try_from(word).unwrap_or_default())),
            Element::Float(_) => f64::from_bits(word),
        }
    }
}

/// What an element is, and whether its most significant byte comes first.
fn element(descr: &str) -> Result<(Element, bool), Fault> {
    let unsupported = |what: String| Err(Fault::Unsupported(what));
    if descr.starts_with('[') {
        return unsupported("a structured array is not read; save its fields as columns".to_owned());
    }
    let (order, kind) = descr.split_at_checked(1).unwrap_or_default();
    let (letter, size) = kind.split_at_checked(1).unwrap_or_default();
    if letter == "O" || order == "O" {
        return unsupported("an array of pickled objects is refused: nothing is ever unpickled".to_owned());
    }
    let size = size.parse::<usize>().unwrap_or_default();
    let element = match (letter, size) {
        ("b", 1) => Element::Bool,
        ("f", 4 | 8) => Element::Float(size),
        ("i", 1 | 2 | 4 | 8) => Element::Signed(size),
        ("u", 1 | 2 | 4 | 8) => Element::Unsigned(size),
        ("c", _) => return unsupported(format!("complex{} is not supported", size.saturating_mul(8))),
        _ => {
            let known = "float32, float64, integers and bool are read";
            return unsupported(format!("elements of the type {} are not supported; {known}", excerpt(descr)));
        }
    };
    match order {
        "<" => Ok((element, false)),
        ">" => Ok((element, true)),
        "|" if element.size() == 1 => Ok((element, false)),
        _ => unsupported(format!("the byte order of the type {} is not known", excerpt(descr))),
    }
}
