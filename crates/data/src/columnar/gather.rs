//! One column, array by array.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{AnyDictionaryArray, Array};
use arrow_schema::DataType;

use crate::rows::Raw;
use crate::{Column, Fault, Kind, Texts, Values};

/// A column in the making.
pub(super) struct Gather {
    /// Its place in the file, from 0.
    pub(super) position: usize,
    name: String,
    values: Values,
    missing: Vec<usize>,
}

impl Gather {
    pub(super) fn new(position: usize, name: String, kind: Kind) -> Self {
        let values = match kind {
            Kind::Number => Values::Numbers(vec![]),
            Kind::Boolean => Values::Booleans(vec![]),
            Kind::Text => Values::Text(Texts::default()),
        };
        Self { position, name, values, missing: vec![] }
    }

    pub(super) fn finish(self) -> Raw {
        let column = Column { number: self.position + 1, name: self.name, values: self.values };
        Raw { column, missing: self.missing }
    }

    pub(super) fn append(&mut self, array: &dyn Array) -> Result<(), Fault> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            return self.append_dictionary(dictionary);
        }
        let start = self.values.len();
        match &mut self.values {
            Values::Numbers(values) => {
                numbers(array, values)?;
                let nan = values[start..].iter().enumerate().filter(|(_, value)| value.is_nan());
                self.missing.extend(nan.map(|(row, _)| start + row));
            }
            Values::Booleans(values) => {
                let array = array.as_boolean_opt().ok_or_else(other_type)?;
                values.extend(array.iter().map(Option::unwrap_or_default));
                self.missing.extend(nulls(array, start));
            }
            Values::Text(texts) => {
                text(array, texts)?;
                self.missing.extend(nulls(array, start));
            }
        }
        Ok(())
    }

    /// A dictionary holds each value once, and per row the number of its value.
    fn append_dictionary(&mut self, dictionary: &dyn AnyDictionaryArray) -> Result<(), Fault> {
        let start = self.values.len();
        let mut levels = Self::new(self.position, String::new(), self.values.kind());
        levels.append(dictionary.values().as_ref())?;
        let mut absent = vec![false; levels.values.len()];
        levels.missing.iter().for_each(|level| absent[*level] = true);
        // Without a value no row has one.
        let keys = if absent.is_empty() { vec![0; dictionary.len()] } else { dictionary.normalized_keys() };
        let is_missing =
            |row: usize, key: usize| dictionary.is_null(row) || absent.get(key).is_none_or(|absent| *absent);
        let rows = keys.iter().enumerate();
        self.missing.extend(rows.filter(|(row, key)| is_missing(*row, **key)).map(|(row, _)| start + row));
        let keys = keys.into_iter();
        match (&mut self.values, &levels.values) {
            (Values::Numbers(values), Values::Numbers(levels)) => {
                values.extend(keys.map(|key| levels.get(key).copied().unwrap_or_default()));
            }
            (Values::Booleans(values), Values::Booleans(levels)) => {
                values.extend(keys.map(|key| levels.get(key).copied().unwrap_or_default()));
            }
            (Values::Text(texts), Values::Text(levels)) => {
                keys.for_each(|key| texts.push(levels.get(key).unwrap_or_default()));
            }
            _ => return Err(other_type()),
        }
        Ok(())
    }
}

fn other_type() -> Fault {
    Fault::Damaged("an array has another type than the schema".to_owned())
}

fn nulls(array: &dyn Array, start: usize) -> impl Iterator<Item = usize> {
    let nulls = (0..array.len()).filter(|row| array.is_null(*row)).map(move |row| start + row);
    // Most arrays have none.
    nulls.take(array.null_count())
}

/// Whole numbers beyond 2^53 are rounded to the nearest double, as in text. A null becomes NaN.
fn numbers(array: &dyn Array, values: &mut Vec<f64>) -> Result<(), Fault> {
    fn primitive<T: ArrowPrimitiveType>(
        array: &dyn Array,
        values: &mut Vec<f64>,
        number: impl Fn(T::Native) -> f64,
    ) -> Result<(), Fault> {
        let array = array.as_primitive_opt::<T>().ok_or_else(other_type)?;
        values.extend(array.iter().map(|value| value.map_or(f64::NAN, &number)));
        Ok(())
    }
    match array.data_type() {
        DataType::Float64 => primitive::<Float64Type>(array, values, |v| v),
        DataType::Float32 => primitive::<Float32Type>(array, values, f64::from),
        DataType::Float16 => {
            primitive::<Float16Type>(array, values, <Float16Type as ArrowPrimitiveType>::Native::to_f64)
        }
        DataType::Int64 => primitive::<Int64Type>(array, values, |v| v as f64),
        DataType::Int32 => primitive::<Int32Type>(array, values, f64::from),
        DataType::Int16 => primitive::<Int16Type>(array, values, f64::from),
        DataType::Int8 => primitive::<Int8Type>(array, values, f64::from),
        DataType::UInt64 => primitive::<UInt64Type>(array, values, |v| v as f64),
        DataType::UInt32 => primitive::<UInt32Type>(array, values, f64::from),
        DataType::UInt16 => primitive::<UInt16Type>(array, values, f64::from),
        DataType::UInt8 => primitive::<UInt8Type>(array, values, f64::from),
        DataType::Decimal128(..) => {
            let array = array.as_primitive_opt::<Decimal128Type>().ok_or_else(other_type)?;
            // The text of a decimal is exact, and is rounded once.
            let number = |row| array.value_as_string(row).parse().map_err(|_| other_type());
            for row in 0..array.len() {
                values.push(if array.is_null(row) { f64::NAN } else { number(row)? });
            }
            Ok(())
        }
        _ => Err(other_type()),
    }
}

fn text(array: &dyn Array, texts: &mut Texts) -> Result<(), Fault> {
    fn all<'a>(values: impl Iterator<Item = Option<&'a str>>, texts: &mut Texts) {
        values.for_each(|value| texts.push(value.unwrap_or_default()));
    }
    match array.data_type() {
        DataType::Utf8 => all(array.as_string::<i32>().iter(), texts),
        DataType::LargeUtf8 => all(array.as_string::<i64>().iter(), texts),
        DataType::Utf8View => all(array.as_string_view().iter(), texts),
        _ => return Err(other_type()),
    }
    Ok(())
}
