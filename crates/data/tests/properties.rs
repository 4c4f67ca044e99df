//! A table that is written by hand, in any dialect, is read as it was, and every record is on the line where it was written.

use dido_data::{Data, Header, Kind, Options, Places, Source, Values, read};
use proptest::prelude::*;

/// A cell of a column of text. Declared so, it may look like anything but a missing value, and is trimmed.
fn text() -> impl Strategy<Value = String> {
    "[a-zß0-9,;|\t\"\n#. -]{1,8}"
        .prop_map(|cell| cell.trim_matches([' ', '\t']).to_owned())
        .prop_filter("missing", |cell| !Options::NA.contains(&cell.as_str()))
}

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn csv_is_read_as_it_was_written(
        records in prop::collection::vec((any::<f64>().prop_filter("finite", |v| v.is_finite()), text(), 0..3_u8), 1..20),
        separator in prop::sample::select(vec![b',', b';', b'|', b'\t']),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        last_end: bool,
    ) {
        let mut file = format!("x{}t", char::from(separator));
        let mut line = 1;
        let mut lines = vec![];
        for (number, text, before) in &records {
            // Before each record empty lines and comments, which count as lines.
            for k in 0..*before {
                file += end;
                file += if k == 0 { "" } else { "# \"a comment" };
                line += 1;
            }
            file += end;
            line += 1;
            lines.push(line);
            file.extend([format!("{number:?}"), char::from(separator).to_string(), quoted(text)]);
            // Breaks within quotes count too.
            line += text.matches('\n').count() as u64;
        }
        if last_end {
            file += end;
        }
        let options = Options {
            separator: Some(separator),
            header: Header::Yes,
            comment: Some(b'#'),
            kinds: vec![("t".to_owned(), Kind::Text)],
            ..Options::default()
        };
        let Data::Table(table) = read(&Source::bytes("t.csv", file), &options).unwrap() else { panic!("sparse") };
        let (Values::Numbers(x), Values::Text(t)) = (&table.columns[0].values, &table.columns[1].values) else {
            panic!("other kinds: {table:?}");
        };
        prop_assert_eq!(x.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), records.iter().map(|r| r.0.to_bits()).collect::<Vec<_>>());
        // Blanks around a cell are trimmed, line breaks are not.
        prop_assert!(t.iter().eq(records.iter().map(|record| record.1.as_str())));
        prop_assert_eq!(table.places, Places::Lines(lines));
    }

    #[test]
    fn any_bytes_are_read_or_refused_in_one_line(bytes in prop::collection::vec(any::<u8>(), 0..200), name in "t\\.(csv|svm|npy|npz)") {
        if let Err(error) = read(&Source::bytes(name.clone(), bytes), &Options::default()) {
            let message = error.to_string();
            prop_assert!(message.starts_with(&name) && !message.contains(['\n', '\r']), "{}", message);
        }
    }
}
