//! The header of an array: a dictionary of Python with three keys, in any order.

use crate::Fault;
use crate::error::excerpt;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The type of an element, such as `<f8`.
    pub(super) descr: String,
    /// Whether columns follow one another, not rows.
    pub(super) fortran: bool,
    /// The dimensions.
    pub(super) shape: Vec<usize>,
}

/// The header, and the bytes after it.
///
/// # Errors
/// If the file ends before its header, or this is none.
pub(super) fn split(bytes: &[u8]) -> Result<(Header, &[u8]), Fault> {
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else {
        return Err(Fault::WrongFormat("not an .npy file (no \\x93NUMPY at the start)".to_owned()));
    };
    let cut = || Fault::Damaged("the file ends within its header".to_owned());
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let (len, rest) = match version {
        [1, 0] => rest.split_first_chunk().map(|(len, rest)| (usize::from(u16::from_le_bytes(*len)), rest)),
        [2 | 3, 0] => rest.split_first_chunk().map(|(len, rest)| (u32::from_le_bytes(*len) as usize, rest)),
        [major, minor] => {
            return Err(Fault::Unsupported(format!(
                "version {major}.{minor} of the format; 1.0, 2.0 and 3.0 are read"
            )));
        }
    }
    .ok_or_else(cut)?;
    let (header, data) = rest.split_at_checked(len).ok_or_else(cut)?;
    let text = std::str::from_utf8(header).ok();
    // The offset of the header is 10 in version 1, 12 in the others.
    let header = text.and_then(|text| Parser { rest: text }.dictionary());
    let header = header.ok_or_else(|| {
        Fault::Damaged(format!("the header is not understood: {}", excerpt(&String::from_utf8_lossy(&bytes[10..]))))
    })?;
    Ok((header, data))
}

/// Reads from the front.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn dictionary(mut self) -> Option<Header> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.string()?;
            self.expect(':')?;
            // Each key once.
            match key {
                "descr" if descr.is_none() => descr = Some(self.descr()?),
                "fortran_order" if fortran.is_none() => fortran = Some(self.boolean()?),
                "shape" if shape.is_none() => shape = Some(self.shape()?),
                _ => return None,
            }
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        let header = Header { descr: descr?, fortran: fortran?, shape: shape? };
        self.rest.trim().is_empty().then_some(header)
    }

    fn accept(&mut self, mark: char) -> bool {
        match self.rest.trim_start().strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Option<()> {
        self.accept(mark).then_some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let quote = if self.accept('\'') { '\'' } else { self.expect('"').map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        (!text.contains('\\')).then_some(text)
    }

    /// A list describes the fields of a structured array; its text says enough to refuse it.
    fn descr(&mut self) -> Option<String> {
        if !self.accept('[') {
            return self.string().map(str::to_owned);
        }
        let mut open = 1_usize;
        let end = self.rest.char_indices().find_map(|(at, letter)| {
            open = match letter {
                '[' => open + 1,
                ']' => open - 1,
                _ => open,
            };
            (open == 0).then_some(at)
        })?;
        let text = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(format!("[{text}]"))
    }

    fn boolean(&mut self) -> Option<bool> {
        let text = self.rest.trim_start();
        let (value, rest) = match text.strip_prefix("False") {
            Some(rest) => (false, rest),
            None => (true, text.strip_prefix("True")?),
        };
        self.rest = rest;
        Some(value)
    }

    fn shape(&mut self) -> Option<Vec<usize>> {
        // NumPy has at most 64 dimensions.
        const MOST: usize = 64;
        let mut shape = vec![];
        self.expect('(')?;
        while !self.accept(')') {
            shape.push(self.whole()?);
            if shape.len() > MOST {
                return None;
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Some(shape)
    }

    fn whole(&mut self) -> Option<usize> {
        let text = self.rest.trim_start();
        let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        self.rest = &text[end..];
        // Python 2 wrote long integers with an L.
        self.rest = self.rest.strip_prefix('L').unwrap_or(self.rest);
        text[..end].parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Header> {
        Parser { rest: text }.dictionary()
    }

    #[test]
    fn headers_as_numpy_writes_them() {
        let header = |shape: &[usize]| Header { descr: "<f8".into(), fortran: false, shape: shape.to_vec() };
        assert_eq!(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n"), Some(header(&[2, 3])));
        assert_eq!(parse("{\"shape\":(7,),\"fortran_order\":False,\"descr\":\"<f8\"}"), Some(header(&[7])));
        assert_eq!(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (), }"), Some(header(&[])));
        assert_eq!(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }"), Some(header(&[2, 3])));
        let structured =
            parse("{'descr': [('a', '<f8', (2,)), ('b', [('c', '<i4')])], 'fortran_order': True, 'shape': (1,)}");
        assert!(structured.is_some_and(|header| header.descr.starts_with("[(") && header.fortran));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{}",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} import os",
            "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
            "{'descr': [[['<f8'], 'fortran_order': False, 'shape': (2, 3)}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
