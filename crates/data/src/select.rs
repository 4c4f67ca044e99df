//! Which columns are read.

use crate::table::find;
use crate::{Fault, Options};

/// For each column of a file, whether it is read.
///
/// # Errors
/// If two columns have one name, an option names none of them, or none is left.
pub(crate) fn select(names: &[String], options: &Options) -> Result<Vec<bool>, Fault> {
    unique(names)?;
    let mut read = vec![options.only.is_none(); names.len()];
    for column in options.only.iter().flatten() {
        read[position(column, names)?] = true;
    }
    for column in &options.drop {
        read[position(column, names)?] = false;
    }
    if read.contains(&true) { Ok(read) } else { Err(Fault::Option("no column is left to read".to_owned())) }
}

/// The place of a column, by name or number.
pub(crate) fn position(column: &str, names: &[String]) -> Result<usize, Fault> {
    find(column, names.iter().enumerate().map(|(k, name)| (k + 1, name.as_str())))
}

fn unique(names: &[String]) -> Result<(), Fault> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Fault::SameName(crate::error::excerpt(pair[0]))),
        None => Ok(()),
    }
}
