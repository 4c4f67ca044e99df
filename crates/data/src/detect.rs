//! What a file is, by its first bytes.

use crate::error::At;
use crate::{Fault, Format, Place};

/// First bytes of files that hold no data which could be read here, and what they are.
const STRANGERS: [(&[u8], &str); 13] = [
    (b"\xff\xfe", "a UTF-16 file (BOM FF FE); save it as UTF-8"),
    (b"\xfe\xff", "a UTF-16 file (BOM FE FF); save it as UTF-8"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file, which is not read; save the table as Parquet, NPZ or CSV"),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook (.xls); save the sheet as CSV UTF-8"),
    (b"\x80\x02", "a Python pickle, which is never unpickled; save the data as CSV, NPY or Parquet"),
    (b"\x80\x03", "a Python pickle, which is never unpickled; save the data as CSV, NPY or Parquet"),
    (b"\x80\x04", "a Python pickle, which is never unpickled; save the data as CSV, NPY or Parquet"),
    (b"\x80\x05", "a Python pickle, which is never unpickled; save the data as CSV, NPY or Parquet"),
    (b"FEA1", "a Feather file of version 1; save it as version 2"),
    (b"BZh", "packed by bzip2; unpack it, or pack it by gzip"),
    (b"\xfd7zXZ\x00", "packed by xz; unpack it, or pack it by gzip"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd; unpack it, or pack it by gzip"),
    (b"%PDF", "a PDF document, not data"),
];

/// First bytes that say what the format is.
const MAGIC: [(&[u8], Format); 6] = [
    (b"\x93NUMPY", Format::Npy),
    (b"PK\x03\x04", Format::Npz),
    (b"PK\x05\x06", Format::Npz),
    (b"PAR1", Format::Parquet),
    (b"ARROW1", Format::Arrow),
    // A stream of Arrow IPC begins with the mark of a message.
    (b"\xff\xff\xff\xff", Format::Arrow),
];

const EXTENSIONS: [(&str, Format); 15] = [
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("tab", Format::Csv),
    ("libsvm", Format::Libsvm),
    ("svmlight", Format::Libsvm),
    ("svm", Format::Libsvm),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
    ("arrow", Format::Arrow),
    ("arrows", Format::Arrow),
    ("ipc", Format::Arrow),
    ("feather", Format::Arrow),
    ("data", Format::Csv),
];

/// Refuses what is no data, whatever it is called.
pub(crate) fn refuse(bytes: &[u8]) -> Result<(), At> {
    if bytes.is_empty() {
        return Err(Fault::Empty.into());
    }
    if let Some((_, what)) = STRANGERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(Fault::NotData((*what).to_owned()).into());
    }
    let first_line = |what: &str| Err(At::new(Place::line(1), Fault::NotData(what.to_owned())));
    if bytes.starts_with(b"version https://git-lfs") {
        return first_line("a Git LFS pointer, not the data; fetch them with `git lfs pull`");
    }
    let start = without_bom(bytes).trim_ascii_start();
    let begins = |tag: &[u8]| start.get(..tag.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(tag));
    if begins(b"<!doctype") || begins(b"<html") || begins(b"<head") || begins(b"<body") {
        return first_line("it looks like HTML, not data; the download may have failed");
    }
    if begins(b"<?xml") {
        return first_line("it looks like XML, not data");
    }
    Ok(())
}

/// The format: as asked for, or by the first bytes, or by the name, or by the first lines.
pub(crate) fn format(bytes: &[u8], extension: &str, asked: Option<Format>) -> Result<Format, Fault> {
    let content = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, format)| *format);
    let name = EXTENSIONS.iter().find(|(end, _)| *end == extension).map(|(_, format)| *format);
    let wanted = asked.or(if content.is_some() { content } else { name });
    let Some(wanted) = wanted else {
        return Ok(if like_libsvm(bytes) { Format::Libsvm } else { Format::Csv });
    };
    if content == Some(wanted) || (content.is_none() && matches!(wanted, Format::Csv | Format::Libsvm)) {
        return Ok(wanted);
    }
    let looks = content.map(|format| format!("; it looks like {}", title(format))).or_else(|| text_like(bytes));
    let reason = match wanted {
        Format::Csv | Format::Libsvm => format!("not {}", title(wanted)),
        Format::Npy => "not an .npy file (no \\x93NUMPY at the start)".to_owned(),
        Format::Npz => "not an .npz file (no zip archive)".to_owned(),
        Format::Parquet => "not Parquet (no PAR1 at the start)".to_owned(),
        Format::Arrow => "not Arrow IPC (neither ARROW1 nor a message at the start)".to_owned(),
    };
    Err(Fault::WrongFormat(reason + &looks.unwrap_or_default()))
}

fn title(format: Format) -> &'static str {
    match format {
        Format::Csv => "CSV",
        Format::Libsvm => "LIBSVM",
        Format::Npy => "NPY",
        Format::Npz => "a zip archive",
        Format::Parquet => "Parquet",
        Format::Arrow => "Arrow IPC",
    }
}

fn text_like(bytes: &[u8]) -> Option<String> {
    let line = first_lines(bytes).next()?;
    let looks = if like_libsvm(bytes) {
        "LIBSVM"
    } else if line.contains([',', ';', '\t']) {
        "CSV"
    } else {
        return None;
    };
    Some(format!("; it looks like {looks}"))
}

/// Whether the first lines are records of LIBSVM: a number, then pairs, and at least one pair in all.
fn like_libsvm(bytes: &[u8]) -> bool {
    let mut pairs = 0;
    for line in first_lines(bytes) {
        let mut cells = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
        let Some(label) = cells.next() else { continue };
        let pair = |cell: &str| {
            let numbers = cell.split_once(':').map(|(k, v)| (k == "qid" || k.parse::<u64>().is_ok(), v.parse::<f64>()));
            matches!(numbers, Some((true, Ok(_))))
        };
        if label.parse::<f64>().is_err() || !cells.clone().all(pair) {
            return false;
        }
        pairs += cells.count();
    }
    pairs > 0
}

/// Up to a hundred whole lines of the beginning, if that is text.
fn first_lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    const LOOK: usize = 1 << 16;
    let start = &without_bom(bytes)[..without_bom(bytes).len().min(LOOK)];
    // The end of the look may cut a letter or a line in two.
    let whole =
        if bytes.len() > LOOK { memchr::memrchr(b'\n', start).map_or(start, |end| &start[..end]) } else { start };
    std::str::from_utf8(whole).unwrap_or_default().lines().take(100)
}

/// The bytes after the mark that some programs put in front of UTF-8.
pub(crate) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
