//! Arrays of `NumPy`: one (`.npy`) or several in a zip archive (`.npz`). Objects are never unpickled.

mod array;
mod header;

use std::io::Cursor;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::{At, excerpt};
use crate::rows::{MOST_COLUMNS, Raw, table};
use crate::select::select;
use crate::source::bounded;
use crate::{Column, Fault, Format, Options, Table};
use array::Array;

/// Reads one array of two dimensions. Its columns are called by their numbers, from 1; none is a target.
pub(crate) fn read(bytes: &[u8], options: &Options) -> Result<Table, At> {
    let x = Array::new(bytes)?;
    let (rows, columns) = matrix(&x, "X")?;
    let read = select(&names(columns), options)?;
    table(Format::Npy, raw(&x, columns, &read)?, rows, options)
}

/// Reads the features `X` of an archive, or its only array, and the target `y`, if it has one.
pub(crate) fn read_archive(bytes: &[u8], options: &Options) -> Result<Table, At> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
    let files = archive.file_names().collect::<Result<Vec<_>, _>>().map_err(|e| damaged(&e))?;
    let arrays: Vec<String> = files.iter().filter_map(|name| name.strip_suffix(".npy")).map(str::to_owned).collect();
    drop(files);
    let named = |names: [&str; 2]| arrays.iter().find(|array| names.contains(&array.as_str()));
    let (features, target) = (named(["X", "x"]), named(["y", "Y"]));
    let features = match (features, arrays.as_slice()) {
        (Some(features), _) => features,
        (None, [only]) => only,
        (None, arrays) => return Err(Fault::Shape(no_features(arrays)).into()),
    };
    let packed = member(&mut archive, features, options.limit)?;
    let x = Array::new(&packed).map_err(|fault| in_array(features, fault))?;
    let (rows, columns) = matrix(&x, features)?;
    let mut all = names(columns);
    all.extend(target.cloned());
    let read = select(&all, options)?;
    let mut raws = raw(&x, columns, &read)?;
    let mut place = None;
    if let (Some(name), Some(true)) = (target, read.get(columns)) {
        let left = options.limit.saturating_sub(packed.len() as u64);
        let packed = member(&mut archive, name, left)?;
        let y = Array::new(&packed).map_err(|fault| in_array(name, fault))?;
        match *y.shape() {
            [len] | [len, 1] if len == rows => {}
            [len] | [len, 1] => {
                return Err(Fault::Shape(format!("{features} has {rows} rows, {name} has {len}")).into());
            }
            _ => return Err(Fault::Shape(format!("{name} has {} dimensions, one is needed", y.shape().len())).into()),
        }
        place = Some(raws.len());
        raws.push(column(&y, 0, columns + 1, name.clone())?);
    }
    let mut table = table(Format::Npz, raws, rows, options)?;
    table.target = place;
    let unread = arrays.iter().filter(|array| *array != features && Some(*array) != target);
    table.notes.extend(unread.map(|array| format!("the array {} is not read", excerpt(array))));
    Ok(table)
}

fn no_features(arrays: &[String]) -> String {
    if arrays.is_empty() {
        return "a zip archive without arrays (.npy); it may be an Excel workbook: save the sheet as CSV UTF-8"
            .to_owned();
    }
    let names = arrays.iter().take(20).map(|array| excerpt(array)).collect::<Vec<_>>().join(", ");
    format!("no array is called X; arrays are {names}")
}

fn damaged(error: &ZipError) -> Fault {
    Fault::Damaged(format!("the zip archive is damaged: {error}"))
}

/// The unpacked bytes of an array.
fn member(archive: &mut ZipArchive<Cursor<&[u8]>>, array: &str, limit: u64) -> Result<Vec<u8>, Fault> {
    let file = archive.by_name(&format!("{array}.npy")).map_err(|e| damaged(&e))?;
    bounded(file, limit).map_err(|fault| match fault {
        Fault::Unreadable(e) => Fault::Damaged(format!("the array {} is damaged: {e}", excerpt(array))),
        fault => fault,
    })
}

fn in_array(name: &str, fault: Fault) -> Fault {
    match fault {
        Fault::Damaged(what) => Fault::Damaged(format!("array {}: {what}", excerpt(name))),
        Fault::Unsupported(what) => Fault::Unsupported(format!("array {}: {what}", excerpt(name))),
        Fault::WrongFormat(what) => Fault::WrongFormat(format!("array {}: {what}", excerpt(name))),
        fault => fault,
    }
}

/// Rows and columns.
fn matrix(x: &Array, name: &str) -> Result<(usize, usize), Fault> {
    match *x.shape() {
        [0, _] => Err(Fault::NoRows),
        [_, 0] => Err(Fault::Shape(format!("{} has no columns", excerpt(name)))),
        [_, columns] if columns > MOST_COLUMNS => {
            Err(Fault::Unsupported(format!("{columns} columns; at most {MOST_COLUMNS} are read")))
        }
        [rows, columns] => Ok((rows, columns)),
        _ => Err(Fault::Shape(format!("a {}-D array; {} must be 2-D", x.shape().len(), excerpt(name)))),
    }
}

fn names(columns: usize) -> Vec<String> {
    (1..=columns).map(|k| k.to_string()).collect()
}

fn raw(x: &Array, columns: usize, read: &[bool]) -> Result<Vec<Raw>, Fault> {
    (0..columns).filter(|k| read[*k]).map(|k| column(x, k, k + 1, (k + 1).to_string())).collect()
}

fn column(x: &Array, position: usize, number: usize, name: String) -> Result<Raw, Fault> {
    let (values, missing) = x.column(position)?;
    Ok(Raw { column: Column { number, name, values }, missing })
}
