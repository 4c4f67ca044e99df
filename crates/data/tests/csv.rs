//! CSV and LIBSVM: dialects, places, refusals.

use std::io::Write;

use dido_data::{Data, Header, Kind, Missing, Options, Places, Source, Sparse, Table, Values, read};
use flate2::Compression;
use flate2::write::GzEncoder;

fn table(text: impl Into<Vec<u8>>, options: &Options) -> Table {
    match read(&Source::bytes("t.csv", text), options).unwrap() {
        Data::Table(table) => table,
        Data::Sparse(_) => panic!("sparse"),
    }
}

fn refused(text: impl Into<Vec<u8>>, options: &Options) -> String {
    let message = read(&Source::bytes("t.csv", text), options).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1);
    message
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    match &table.columns[table.find(column).unwrap()].values {
        Values::Numbers(values) => values.clone(),
        _ => panic!("{column} holds no numbers"),
    }
}

fn texts(table: &Table, column: &str) -> Vec<String> {
    match &table.columns[table.find(column).unwrap()].values {
        Values::Text(texts) => texts.iter().map(str::to_owned).collect(),
        _ => panic!("{column} holds no text"),
    }
}

#[test]
fn lines_are_physical_whatever_ends_them() {
    let commented = Options { comment: Some(b'#'), ..Options::default() };
    for end in ["\n", "\r\n", "\r"] {
        let text = ["# one", "", "a,note,y", "1,\"x", "", "#y\",2", "", "# two", "3,z,4", ""].join(end);
        let table = table(text.as_str(), &commented);
        assert_eq!(table.places, Places::Lines(vec![4, 9]), "{end:?}");
        assert_eq!(texts(&table, "note"), [format!("x{end}{end}#y"), "z".to_owned()]);
        assert_eq!(table.place(1).to_string(), "line 9");
        assert!(refused(format!("{text}{end}5,z{end}"), &commented).starts_with("t.csv, line 11: ragged"), "{end:?}");
    }
}

#[test]
fn quotes_are_closed_and_nothing_follows_them() {
    let plain = Options::default();
    assert!(refused("a,y\n1,2\n\"3,4\n5,6\n", &plain).starts_with("t.csv, line 3: a quote is opened and never closed"));
    assert!(refused("a,y\n\"1\"2,2\n", &plain).starts_with("t.csv, line 2: there is text after a closing quote"));
    let table = table("a,y\n5\" pipe,2\n\"6\"\" pipe\",3\n", &plain);
    assert_eq!(texts(&table, "a"), ["5\" pipe", "6\" pipe"]);
}

#[test]
fn cells_agree_in_kind_in_whatever_order() {
    let plain = Options::default();
    for (cells, line) in [("1\nx", 3), ("x\n1", 3), ("True\n1", 3), ("1\nTrue", 3), ("x\nTrue", 3), ("True\nx", 3)] {
        let message = refused(format!("a,y\n{}\n", cells.replace('\n', ",1\n") + ",2"), &plain);
        assert!(message.starts_with(&format!("t.csv, line {line}, column 1 (a): ")), "{message}");
        assert!(message.contains("--text"), "{message}");
    }
    let declared = |kind| Options { kinds: vec![("a".to_owned(), kind)], ..Options::default() };
    assert_eq!(
        texts(&table("a,y\n01,1\nx,2\nTrue,3\n1_0,4\n", &declared(Kind::Text)), "a"),
        ["01", "x", "True", "1_0"]
    );
    assert!(refused("b,y\nx,1\n", &declared(Kind::Text)).contains("no column \"a\""));
    assert!(refused("a,y\nx,1\ny,2\n", &declared(Kind::Number)).contains("line 2, column 1 (a): not a number: \"x\""));
}

#[test]
fn no_ambiguous_number_is_guessed() {
    let plain = Options { separator: Some(b';'), ..Options::default() };
    for cell in ["1,234", "1.234.567", "0x10", "1_000", "12%", "1 000", "1'000"] {
        assert!(refused(format!("a;y\n{cell};1\n"), &plain).contains("ambiguous number"), "{cell}");
    }
    for cell in ["inf", "-Infinity", "1e999"] {
        assert!(refused(format!("a;y\n{cell};1\n"), &plain).contains("not finite"), "{cell}");
    }
    assert!(refused("a;y\nnan;1\n", &plain).contains("missing value \"nan\""));
    let without = Options { na: vec![], ..plain };
    assert!(refused("a;y\nnan;1\n", &without).contains("not finite: \"nan\""));
}

#[test]
fn missing_values_are_refused_or_dropped_and_counted() {
    let drop = Options { missing: Missing::Drop, na: vec!["-9".to_owned(), String::new()], ..Options::default() };
    let table = table("a,b,y\n1,u,1\n-9,,1\n2,v,-9\n3,w,4\n", &drop);
    assert_eq!((numbers(&table, "a"), texts(&table, "b")), (vec![1.0, 3.0], vec!["u".to_owned(), "w".to_owned()]));
    assert_eq!((&table.missing.dropped, &table.places), (&vec![2, 3], &Places::Lines(vec![2, 5])));
    let counts: Vec<_> = table.missing.by_column.iter().map(|(column, count)| (column.as_str(), *count)).collect();
    assert_eq!(counts, [("a", 1), ("b", 1), ("y", 1)]);
    assert!(refused("a,y\n,1\n-9,2\n", &drop).contains("every one of the 2 rows has a missing value"));
    // A column that is not read lacks nothing.
    let only = Options { only: Some(vec!["y".to_owned()]), ..Options::default() };
    assert_eq!(self::table("a,y\n,1\nx,2\n", &only).names(), ["y"]);
}

#[test]
fn columns_have_one_name_each() {
    let plain = Options::default();
    assert!(refused("a,b,a\n1,2,3\n", &plain).contains("line 1: two columns are called \"a\""));
    let drop = Options { drop: vec!["wieght".to_owned()], ..Options::default() };
    let message = refused("weight,y\n1,2\n", &drop);
    assert!(message.contains("no column \"wieght\"; columns are weight, y; did you mean `weight`?"), "{message}");
    let drop = Options { drop: vec!["1".to_owned()], ..Options::default() };
    assert_eq!(table(",y\n1,2\n", &drop).names(), ["y"]);
}

#[test]
fn other_things_are_named() {
    let plain = Options::default();
    for (bytes, part) in [
        (&b"PK\x03\x04whatever"[..], "zip archive"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x80\x04\x95", "never unpickled"),
        (b"\xff\xfea\x00", "UTF-16"),
        (b"\xef\xbb\xbf  <HTML>", "HTML"),
        (b"\x1f\x8b\x08\x00broken", "gzip data are damaged"),
        (b"\xef\xbb\xbf", "no data rows"),
        (b"\n\n", "no data rows"),
    ] {
        assert!(refused(bytes, &plain).contains(part), "{part}: {}", refused(bytes, &plain));
    }
    let yes = Options { header: Header::Yes, ..Options::default() };
    assert!(refused("1,2\n", &yes).contains("no data rows"));
    let quoted = Options { separator: Some(b'"'), ..Options::default() };
    assert!(refused("a", &quoted).contains("the separator must be"));
}

#[test]
fn a_bomb_does_not_go_off() {
    let mut packed = GzEncoder::new(vec![], Compression::best());
    packed.write_all(b"a,y\n").unwrap();
    packed.write_all(&b"1,2\n".repeat(1 << 20)).unwrap();
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 20_000);
    let limited = Options { limit: 1 << 20, ..Options::default() };
    assert!(refused(packed.clone(), &limited).contains("more than 1048576 bytes"));
    assert_eq!(table(packed, &Options::default()).records(), 1 << 20);
}

#[test]
fn a_table_shows_no_record() {
    let table = table("name,y\nsecret,71234\nhidden,1\n", &Options::default());
    let shown = format!("{table:?} {:?} {:?}", table.columns, Source::bytes("t.csv", "secret"));
    assert!(!shown.contains("secret") && !shown.contains("71234"), "{shown}");
}

fn sparse(text: &str, options: &Options) -> Result<Sparse, String> {
    match read(&Source::bytes("t.svm", text), options) {
        Ok(Data::Sparse(rows)) => Ok(rows),
        Ok(Data::Table(_)) => panic!("a table"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn sparse_rows_keep_what_is_written() {
    let rows = sparse("\u{feff}+1 2:0.5 10:-0\r\r\n# what\n2 qid:1 1:3", &Options::default()).unwrap();
    assert_eq!((rows.features, &rows.starts, &rows.indices), (10, &vec![0, 1, 2], &vec![1, 0]));
    assert_eq!((&rows.values, &rows.labels, &rows.lines), (&vec![0.5, 3.0], &vec![1.0, 2.0], &vec![1, 4]));
    assert_eq!(rows.label_texts.iter().collect::<Vec<_>>(), ["+1", "2"]);
    let zero = Options { index_base: 0, features: Some(3), ..Options::default() };
    assert_eq!(sparse("1 0:1 2:2", &zero).unwrap().indices, [0, 2]);
    for (text, part) in [
        ("1 0:1 3:2", "line 1, byte 7: index 3, but there are 3 features"),
        ("1 1:1 1:2", "index 1 is given twice"),
        ("1 1:0x10", "ambiguous number"),
        ("1 1:1,5", "ambiguous number"),
        ("x 1:1", "line 1, byte 1: not a number: \"x\""),
        ("# only\n\n", "no data rows"),
    ] {
        let message = sparse(text, &zero).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
}
