//! Every file in `fixtures` is read to the values, or refused with the words, that `fixtures/cases.json` says. What depends on
//! the target, on the task or on several files is tested by the command `dido data inspect`.
#![cfg(feature = "parquet")]

use std::path::Path;

use dido_data::{Data, Header, Missing, Options, Source, Values, read};
use serde_json::Value;

/// Faults that are none of a single file: of the target, of the task and of a folder.
const ELSEWHERE: [&str; 3] = ["i12_one_class", "i17_no_target", "i20_node_width_mismatch"];

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("fixtures/cases.json")).unwrap()
}

fn options(case: &Value) -> Options {
    let mut options = Options::default();
    for (key, value) in case["options"].as_object().unwrap() {
        let text = || value.as_str().unwrap();
        let texts = || value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect();
        let number = || usize::try_from(value.as_u64().unwrap()).unwrap();
        match key.as_str() {
            "separator" => options.separator = Some(text().as_bytes()[0]),
            "decimal" => options.decimal = text().as_bytes()[0],
            "comment" => options.comment = Some(text().as_bytes()[0]),
            "header" => options.header = if text() == "yes" { Header::Yes } else { Header::No },
            "missing" => options.missing = if text() == "drop" { Missing::Drop } else { Missing::Error },
            "na" => options.na = texts(),
            "drop" => options.drop = texts(),
            "format" => options.format = Some(text().parse().unwrap()),
            "features" => options.features = Some(number()),
            "index_base" => options.index_base = u8::try_from(number()).unwrap(),
            "target" | "task" => {}
            other => panic!("unknown option {other}"),
        }
    }
    options
}

/// All numbers of a file, row by row, the last column or the label last; truth values as 1 and 0, no text.
fn rows(data: &Data) -> Vec<Vec<f64>> {
    match data {
        Data::Table(table) => {
            let value = |values: &Values, row: usize| match values {
                Values::Numbers(values) => Some(values[row]),
                Values::Booleans(values) => Some(f64::from(u8::from(values[row]))),
                Values::Text(_) => None,
            };
            (0..table.records())
                .map(|row| table.columns.iter().filter_map(|column| value(&column.values, row)).collect())
                .collect()
        }
        Data::Sparse(sparse) => (0..sparse.records())
            .map(|record| {
                let mut row = vec![0.0; sparse.features];
                sparse.row(record).for_each(|(k, value)| row[k] = value);
                row.push(sparse.labels[record]);
                row
            })
            .collect(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn every_valid_file_is_read_to_its_values() {
    let mut read_to_values = 0;
    for case in cases().iter().filter(|case| case.get("expect").is_some()) {
        let file = case["file"].as_str().unwrap();
        let data = read(&Source::file(Path::new("tests/fixtures").join(file)), &options(case)).unwrap();
        let expect = &case["expect"];
        if let Some(expected) = expect.get("missing_by_column") {
            let Data::Table(table) = &data else { panic!("{file}: no table") };
            assert_eq!(&serde_json::to_value(&table.missing.by_column).unwrap(), expected, "{file}");
            let dropped = numbers(&expect["dropped_rows"]);
            assert_eq!(table.missing.dropped.iter().map(|row| *row as f64).collect::<Vec<_>>(), dropped, "{file}");
        }
        // One-hot columns and targets of -1 and +1 are made later.
        if file.contains("v35") || file.contains("v51") {
            continue;
        }
        let mut expected: Vec<Vec<f64>> = expect["X"].as_array().unwrap().iter().map(numbers).collect();
        if !expect["y"].is_null() {
            expected.iter_mut().zip(numbers(&expect["y"])).for_each(|(row, y)| row.push(y));
        }
        let bits = |rows: Vec<Vec<f64>>| rows.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(rows(&data)), bits(expected), "{file}");
        read_to_values += 1;
    }
    assert_eq!(read_to_values, 26);
}

#[test]
fn every_invalid_file_is_refused_in_one_line_that_names_the_place() {
    let mut refused = 0;
    for case in cases().iter().filter(|case| case.get("refused").is_some()) {
        let file = case["file"].as_str().unwrap();
        let path = Path::new("tests/fixtures").join(file);
        if ELSEWHERE.iter().any(|elsewhere| file.contains(elsewhere)) {
            continue;
        }
        let message = read(&Source::file(&path), &options(case)).expect_err(file).to_string();
        assert!(message.starts_with(path.to_str().unwrap()) && !message.contains(['\n', '\r']), "{message}");
        for part in case["refused"].as_array().unwrap() {
            assert!(message.contains(part.as_str().unwrap()), "{file}: {part} is not in: {message}");
        }
        refused += 1;
    }
    assert_eq!(refused, 31);
}
