//! How a data file is read, for the commands that look at one.

use clap::{Args, ValueEnum};
use dido_data::{Format, Header, Options};

#[derive(Args)]
pub struct ReadingArgs {
    /// The format: csv, libsvm, npy, npz, parquet or arrow [default: found by content and name]
    #[arg(long)]
    format: Option<Format>,
    /// The separator of a CSV file, as ';', tab or space [default: found]
    #[arg(long, value_name = "C", value_parser = separator)]
    separator: Option<u8>,
    /// The decimal mark of a CSV file: . or ,
    #[arg(long, value_name = "C", default_value = ".", value_parser = byte)]
    decimal: u8,
    /// Whether the first line of a CSV file names the columns [default: found; what a model predicts for has names]
    #[arg(long, value_enum)]
    header: Option<HeaderArg>,
    /// Lines of a CSV file that start with this say nothing.
    #[arg(long, value_name = "C", value_parser = byte)]
    comment: Option<u8>,
    /// The cells that mean "missing" [default: nothing, NA, ?, nan, NaN, NULL]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    na: Option<Vec<String>>,
}

#[derive(Clone, Copy, ValueEnum)]
enum HeaderArg {
    /// Tell it from the lines below.
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

impl ReadingArgs {
    /// What was asked for, and of the rest what is so by itself; `header`, where nothing was asked.
    pub fn options(&self, header: Header) -> Options {
        Options {
            format: self.format,
            separator: self.separator,
            decimal: self.decimal,
            header: match self.header {
                None => header,
                Some(HeaderArg::Auto) => Header::Auto,
                Some(HeaderArg::Yes) => Header::Yes,
                Some(HeaderArg::No) => Header::No,
            },
            comment: self.comment,
            na: self.na.clone().unwrap_or_else(|| Options::default().na),
            ..Options::default()
        }
    }
}

/// One byte, or the name of one that a shell makes hard to write.
fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        text => byte(text),
    }
}

fn byte(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one character of ASCII is needed".to_owned()),
    }
}
