//! Formats that keep columns as arrays of Arrow: Parquet and Arrow IPC.

pub(crate) mod arrow;
mod gather;
mod guard;
mod pages;
pub(crate) mod parquet;
mod thrift;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};

use crate::error::At;
use crate::rows::{MOST_COLUMNS, table};
use crate::select::select;
use crate::{Fault, Format, Kind, Options, Place, Table};
use gather::Gather;

/// The columns that are read, in the making.
struct Gathering {
    columns: Vec<Gather>,
    rows: usize,
}

impl Gathering {
    /// Selects the columns. Refuses those of them that are no numbers, truth values or text.
    fn new(schema: &Schema, options: &Options) -> Result<Self, At> {
        let fields = schema.fields();
        if fields.len() > MOST_COLUMNS {
            let what = format!("{} columns; at most {MOST_COLUMNS} are read", fields.len());
            return Err(Fault::Unsupported(what).into());
        }
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let read = select(&names, options)?;
        let mut columns = vec![];
        for (position, field) in fields.iter().enumerate().filter(|(position, _)| read[*position]) {
            let kind = kind(field.data_type()).map_err(|what| {
                At::new(Place::default().column(position + 1, field.name()), Fault::ColumnType(what.to_owned()))
            })?;
            columns.push(Gather::new(position, field.name().clone(), kind));
        }
        Ok(Self { columns, rows: 0 })
    }

    /// The columns that are read, by position.
    fn positions(&self) -> Vec<usize> {
        self.columns.iter().map(|column| column.position).collect()
    }

    /// Adds a batch that has the selected columns only.
    fn add(&mut self, batch: &RecordBatch) -> Result<(), Fault> {
        if batch.num_columns() != self.columns.len() {
            return Err(Fault::Damaged("a batch has other columns than the schema".to_owned()));
        }
        for (column, array) in self.columns.iter_mut().zip(batch.columns()) {
            column.append(array.as_ref())?;
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    fn finish(self, format: Format, options: &Options) -> Result<Table, At> {
        table(format, self.columns.into_iter().map(Gather::finish).collect(), self.rows, options)
    }
}

/// What a type of Arrow is here, or what it is instead.
fn kind(data_type: &DataType) -> Result<Kind, &'static str> {
    match data_type {
        DataType::Boolean => Ok(Kind::Boolean),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(Kind::Text),
        DataType::Dictionary(_, values) => match values.as_ref() {
            DataType::Dictionary(..) => Err("a dictionary of dictionaries"),
            values => kind(values),
        },
        DataType::Decimal128(..) => Ok(Kind::Number),
        number if number.is_integer() || number.is_floating() => Ok(Kind::Number),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal256(..) => {
            Err("a decimal of other than 128 bits")
        }
        DataType::Null => Err("empty (of the type null)"),
        DataType::Struct(_) => Err("a struct"),
        DataType::Map(..) => Err("a map"),
        DataType::Union(..) => Err("a union"),
        list if list.is_nested() => Err("a list"),
        time if time.is_temporal() => Err("a date, a time or a duration"),
        binary if binary.is_binary() => Err("binary"),
        _ => Err("of a type that is not read"),
    }
}

/// An error of a library, in one line.
fn damaged(format: &str, error: &impl ToString) -> Fault {
    let text = error.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    Fault::Damaged(format!("the {format} data are damaged: {}", crate::error::shortened(&words.join(" "), 200)))
}
