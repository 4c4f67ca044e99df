//! From a file to numbers: encoding, bounds, original units, and what is said when a file is wrong.

use std::fmt::Write as _;
use std::io::Write as _;

use dido_data::{Header, Missing, Options};
use dido_problems::table::{Classes, Feature, Numeric, OneHot, Schema, Source, Table, TwoLevel, load};
use dido_problems::{ProblemError, Shard};
use flate2::Compression;
use flate2::write::GzEncoder;

fn number(column: &str, min: f64, max: f64, center: f64, scale: f64) -> Numeric {
    Numeric { column: column.to_owned(), min, max, center, scale }
}

fn one_hot(value: f64, levels: &[&str]) -> OneHot {
    OneHot { column: "region".to_owned(), levels: levels.iter().map(|l| (*l).to_owned()).collect(), value }
}

fn two_level(column: &str, levels: [&str; 2]) -> TwoLevel {
    TwoLevel { column: column.to_owned(), levels: levels.map(str::to_owned) }
}

fn schema() -> Schema {
    let features = vec![
        Feature::Intercept,
        number("years", 0.0, 20.0, 8.0, 4.0).into(),
        two_level("city", ["no", "yes"]).into(),
        one_hot(0.5, &["north", "south", "west"]).into(),
    ];
    Schema::new(number("wage", 0.0, 40.0, 10.0, 5.0), features).unwrap()
}

const GOOD: &str = "wage,years,site,city,region\n15,12,a,yes,west\n50,-4,b,no,north\n";

fn loaded(bytes: impl Into<Vec<u8>>) -> Result<Table, ProblemError> {
    load(&Source::bytes("t.csv", bytes), &schema(), &["site"])
}

fn check_good(table: &Table) {
    let rows: Vec<Vec<f64>> = table.x.rows().into_iter().map(|row| row.to_vec()).collect();
    assert_eq!(rows, [[1.0, 1.0, 0.5, 0.0, 0.5], [1.0, -2.0, -0.5, 0.0, 0.0]]);
    assert_eq!(table.y.to_vec(), [1.0, 6.0]);
    assert_eq!(table.clipped, [("years".to_owned(), 1), ("wage".to_owned(), 1)]);
    assert_eq!(table.extra, [("site".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
}

#[test]
fn every_dress_of_a_file_loads_alike() {
    let gz = |text: &[u8]| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    };
    check_good(&loaded(GOOD).unwrap());
    check_good(&loaded(format!("\u{feff}{GOOD}")).unwrap());
    check_good(&loaded(GOOD.replace('\n', "\r\n")).unwrap());
    let blanks = Source::bytes("t.csv", GOOD.replace(',', " ,\t")).separated_by(b',');
    check_good(&load(&blanks, &schema(), &["site"]).unwrap());
    check_good(&loaded(GOOD.replace(',', "\t")).unwrap());
    check_good(&loaded(GOOD.replace("yes", "\"yes\"")).unwrap());
    check_good(&loaded(GOOD.trim_end()).unwrap());
    check_good(&loaded(gz(GOOD.as_bytes())).unwrap());
    let (head, tail) = GOOD.split_at(30);
    check_good(&loaded([gz(format!("\u{feff}{head}").as_bytes()), gz(tail.as_bytes())].concat()).unwrap());
    let semicolons = Source::bytes("t.csv", GOOD.replace(',', ";")).separated_by(b';');
    check_good(&load(&semicolons, &schema(), &["site"]).unwrap());

    let path = std::env::temp_dir().join(format!("dido-problems-loading-{}.csv", std::process::id()));
    std::fs::write(&path, gz(GOOD.as_bytes())).unwrap();
    let table = load(&Source::file(&path), &schema(), &["site"]);
    std::fs::remove_file(&path).unwrap();
    check_good(&table.unwrap());
}

#[test]
fn an_error_names_file_line_and_column() {
    let message = |from: &str, to: &str| {
        assert!(GOOD.contains(from));
        let unix = loaded(GOOD.replace(from, to)).unwrap_err().to_string();
        // The line is that of an editor, whatever ends it and with blank lines before.
        let windows = loaded(GOOD.replace(from, to).replace('\n', "\r\n")).unwrap_err().to_string();
        assert_eq!(unix, windows);
        let spaced = loaded(GOOD.replace(from, to).replace('\n', "\n\n\n")).unwrap_err().to_string();
        assert_eq!(spaced.replace("line 7", "line 3").replace("line 4", "line 2"), unix);
        assert!(!unix.contains('\n'));
        unix
    };
    assert_eq!(message("50", "fifty"), r#"t.csv, line 3, column "wage": "fifty" is not a number"#);
    assert_eq!(message("12", "twelve"), r#"t.csv, line 2, column "years": "twelve" is not a number"#);
    assert_eq!(
        message("-4", "NaN"),
        r#"t.csv, line 3, column 2 (years): missing value "NaN"; drop such rows with --missing drop, or the column with --drop"#
    );
    assert_eq!(message("50", "1e999"), r#"t.csv, line 3, column "wage": 1e999 is not a finite number"#);
    assert_eq!(message("50", "-inf"), r#"t.csv, line 3, column "wage": -inf is not a finite number"#);
    assert_eq!(message("50", "1,5"), "t.csv, line 3: ragged: 6 fields, 5 expected");
    assert_eq!(
        message("50", "\"1,500\""),
        r#"t.csv, line 3, column "wage": "1,500" could mean several numbers: thousands separators are not read, and a decimal comma has to be declared"#
    );
    for (from, to, place) in [("-4", " ", "line 3, column 2 (years)"), ("yes", "", "line 2, column 4 (city)")] {
        assert!(message(from, to).starts_with(&format!("t.csv, {place}: missing value; drop")));
    }
    assert_eq!(
        message("west", "Mars"),
        r#"t.csv, line 2, column "region": "Mars" is not among the declared levels north, south, west"#
    );
    assert_eq!(message(",north", ""), "t.csv, line 3: ragged: 4 fields, 5 expected");
    assert_eq!(message("west", "west,1"), "t.csv, line 2: ragged: 6 fields, 5 expected");
    assert_eq!(
        message("wage", "pay"),
        r#"t.csv, line 1: no column "wage"; columns are pay, years, site, city, region"#
    );
    assert_eq!(
        message("years", "age"),
        r#"t.csv, line 1: no column "years"; columns are wage, age, site, city, region"#
    );
    assert!(message("site", "place").starts_with(r#"t.csv, line 1: no column "site""#));
    assert_eq!(message("site", "city"), r#"t.csv, line 1: two columns are called "city"; rename one"#);
}

#[test]
fn unreadable_files_are_refused() {
    let message = |bytes: &[u8]| loaded(bytes).unwrap_err().to_string();
    let latin1 = [GOOD.as_bytes(), b"1,2,caf\xe9,no,west\n"].concat();
    assert_eq!(message(&latin1), "t.csv, line 4, offset 69: not UTF-8: byte 0xE9; save the file as UTF-8");
    assert_eq!(
        message(b"wage,y\xe9ars\n1,2\n"),
        "t.csv, line 1, offset 6: not UTF-8: byte 0xE9; save the file as UTF-8"
    );
    assert_eq!(message(b"wage,years,site,city,region\n"), "t.csv: there are no data rows");
    assert_eq!(message(b""), "t.csv: the file is empty");
    assert!(message(b"\x1f\x8bnot gzip").starts_with("t.csv: the gzip data are damaged or cut off: "));
    let missing = load(&Source::file("no/such/file.csv"), &schema(), &[]).unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.csv: cannot be read: ") && missing.contains("No such file"), "{missing}");
}

#[test]
fn declarations_that_make_no_sense_are_refused() {
    let target = || number("wage", 0.0, 1.0, 0.0, 1.0);
    let refused = |target, features: Vec<Feature>| Schema::new(target, features).unwrap_err().to_string();
    assert!(refused(target(), vec![]).contains("at least one feature"));
    assert!(refused(target(), vec![Feature::Intercept, Feature::Intercept]).contains("declared twice"));
    assert!(refused(target(), vec![target().into()]).contains("declared twice"));
    for (min, max, center, scale) in [
        (1.0, 1.0, 0.0, 1.0),
        (f64::NAN, 1.0, 0.0, 1.0),
        (0.0, f64::INFINITY, 0.0, 1.0),
        (0.0, 1.0, f64::NAN, 1.0),
        (0.0, 1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0, -1.0),
        (0.0, 1e300, 0.0, 1e-300),
    ] {
        let bad = number("v", min, max, center, scale);
        assert!(refused(target(), vec![bad.clone().into()]).starts_with(r#"column "v": "#));
        assert!(refused(bad, vec![Feature::Intercept]).starts_with(r#"column "v": "#));
    }
    for levels in [&["a"][..], &["a", "b", "a"], &["a", ""], &["a", " b"]] {
        assert!(refused(target(), vec![one_hot(1.0, levels).into()]).starts_with(r#"column "region": "#));
    }
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(target(), vec![one_hot(value, &["a", "b"]).into()]).contains("indicator"));
    }
    assert!(refused(target(), vec![two_level("city", ["x", "x"]).into()]).contains("declared twice"));
}

/// The schema of the first experiment: wages of the Current Population Survey.
#[test]
fn bounds_follow_from_the_declarations() {
    let features = vec![
        Feature::Intercept,
        number("education", 0.0, 18.0, 9.0, 9.0).into(),
        number("experience", -6.0, 64.0, 29.0, 35.0).into(),
        two_level("ethnicity", ["cauc", "afam"]).into(),
        two_level("smsa", ["no", "yes"]).into(),
        one_hot(0.5, &["northeast", "midwest", "south", "west"]).into(),
        two_level("parttime", ["no", "yes"]).into(),
    ];
    let schema = Schema::new(number("log_wage", 3.0, 9.0, 6.0, 3.0), features).unwrap();
    assert_eq!(schema.row_norm_bound().to_bits(), 2.0_f64.to_bits());
    assert_eq!(schema.target_bound().to_bits(), 1.0_f64.to_bits());
    assert_eq!(
        schema.names(),
        [
            "intercept",
            "education",
            "experience",
            "ethnicity=afam",
            "smsa=yes",
            "region=midwest",
            "region=south",
            "region=west",
            "parttime=yes"
        ]
    );
    assert_eq!(schema.dim(), 9);
}

/// All combinations of the ends of the ranges (and beyond) and of the levels: no row exceeds the bound, one attains it,
/// and the predictor in original units predicts the same.
#[test]
fn no_record_exceeds_the_bounds_and_original_units_predict_the_same() {
    let schema = schema();
    let beta = [0.7, -0.3, 1.1, 0.4, -0.9];
    let units = schema.original_units(&beta).unwrap();
    let names: Vec<&str> = units.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["intercept", "years", "city=yes", "region=south", "region=west"]);
    let mut file = "wage,years,city,region\n".to_owned();
    let mut predictions = Vec::new();
    for wage in [-5.0, 0.0, 17.5, 40.0, 99.0] {
        for years in [-1.0, 0.0, 3.25, 20.0, 21.0] {
            for city in ["no", "yes"] {
                for region in ["north", "south", "west"] {
                    writeln!(file, "{wage},{years},{city},{region}").unwrap();
                    let holds = |name: &str| name == format!("city={city}") || name == format!("region={region}");
                    let value = |name: &str| if name == "years" { f64::clamp(years, 0.0, 20.0) } else { 1.0 };
                    let terms = units.iter().filter(|(n, _)| n == "intercept" || n == "years" || holds(n));
                    predictions.push(terms.map(|(name, b)| b * value(name)).sum::<f64>());
                }
            }
        }
    }
    let table = load(&Source::bytes("all.csv", file), &schema, &[]).unwrap();
    let norms = table.x.rows().into_iter().map(|row| row.dot(&row).sqrt());
    let longest = norms.fold(0.0, f64::max);
    assert!((longest - schema.row_norm_bound()).abs() < 1e-15 && longest <= schema.row_norm_bound());
    let largest = table.y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    assert_eq!(largest.to_bits(), schema.target_bound().to_bits());
    for (row, prediction) in table.x.rows().into_iter().zip(predictions) {
        let encoded: f64 = row.iter().zip(&beta).map(|(x, b)| x * b).sum();
        assert!((10.0 + 5.0 * encoded - prediction).abs() < 1e-13, "{prediction}");
    }
    assert!(matches!(schema.original_units(&[1.0]), Err(ProblemError::Coefficients { got: 1, expected: 5 })));
    assert!(Shard::checked(table.x, table.y, schema.bounds().unwrap()).is_ok());
}

#[test]
fn a_target_of_two_classes_is_minus_one_and_one() {
    let classes = |levels: [&str; 2]| Classes { column: "city".to_owned(), levels: levels.map(str::to_owned) };
    let features = || vec![Feature::Intercept, number("years", 0.0, 20.0, 8.0, 4.0).into()];
    let schema = Schema::new(classes(["no", "yes"]), features()).unwrap();
    assert_eq!(schema.target_bound().to_bits(), 1.0_f64.to_bits());
    let of = |text: &str| load(&Source::bytes("t.csv", text), &schema, &[]);
    let table = of("years,city\n12,yes\n-4,no\n8,yes\n").unwrap();
    assert_eq!(table.y.to_vec(), [1.0, -1.0, 1.0]);
    // A slope of 2 for a step of 4 years, around 8: positive from 6 years on.
    let units = schema.original_units(&[1.0, 2.0]).unwrap();
    assert_eq!(units, [("intercept".to_owned(), -3.0), ("years".to_owned(), 0.5)]);
    for (cell, part) in [("maybe", "no, yes"), ("", "missing")] {
        let message = of(&format!("years,city\n12,yes\n3,{cell}\n")).unwrap_err().to_string();
        assert!(message.contains("line 3") && message.contains("city") && message.contains(part), "{message}");
    }
    assert!(Schema::new(classes(["a", "a"]), features()).unwrap_err().to_string().contains("declared twice"));
}

/// A record without one of its values, wherever it lacks, is a record of zeros in its place; the intercept is 0 too.
#[test]
fn an_incomplete_record_is_a_record_of_zeros() {
    let whole = "wage,years,site,city,region\n15,12,a,yes,west\n5,8,b,no,north\n25,0,a,no,south\n";
    let drop = || Options { missing: Missing::Drop, header: Header::Yes, ..Options::default() };
    let load = |text: &str, options| load(&Source::bytes("t.csv", text).read_with(options), &schema(), &["site"]);
    let complete = load(whole, drop()).unwrap();
    assert!(complete.incomplete.is_empty());
    for (cell, lacks) in
        [("5,8,b,no,north", ",8,b,no,north"), ("8,b,no", "NA,b,no"), ("b,no,n", "b,?,n"), ("north", "NULL")]
    {
        let text = whole.replacen(cell, lacks, 1);
        let table = load(&text, drop()).unwrap();
        assert_eq!(table.incomplete, [1], "{text}");
        assert_eq!((table.x.row(1).to_vec(), table.y[1].to_bits()), (vec![0.0; 5], 0));
        for record in [0, 2] {
            assert_eq!(
                (table.x.row(record), table.y[record].to_bits()),
                (complete.x.row(record), complete.y[record].to_bits())
            );
        }
        assert_eq!(table.extra, complete.extra);
        assert!(load(&text, Options { header: Header::Yes, ..Options::default() }).is_err());
    }
    // Without its place nobody knows whose record it is.
    let homeless = load(&whole.replace("8,b", "8,"), drop()).unwrap_err().to_string();
    assert!(homeless.starts_with("t.csv, line 3, column 3 (site): missing value"), "{homeless}");
    // A level that is called like a missing value is one, unless the file says otherwise.
    let levels =
        |levels| Schema::new(number("wage", 0.0, 40.0, 10.0, 5.0), vec![two_level("city", levels).into()]).unwrap();
    let text = "wage,city\n1,NA\n2,yes\n";
    let table =
        dido_problems::table::load(&Source::bytes("t.csv", text).read_with(drop()), &levels(["NA", "yes"]), &[]);
    assert_eq!(table.unwrap().x.column(0).to_vec(), [-0.5, 0.5]);
    let na = Options { na: vec!["NA".to_owned()], ..drop() };
    let refused = dido_problems::table::load(&Source::bytes("t.csv", text).read_with(na), &levels(["NA", "yes"]), &[]);
    assert!(refused.unwrap_err().to_string().contains("\"NA\" is a declared level"));
}

/// The options of a file reach its reader: a decimal comma, no header, comments.
#[test]
fn files_of_other_habits_are_read_as_they_say() {
    let schema = Schema::new(number("1", 0.0, 10.0, 0.0, 2.0), vec![number("3", -1.0, 1.0, 0.0, 1.0).into()]).unwrap();
    let options = Options { header: Header::No, decimal: b',', comment: Some(b'#'), ..Options::default() };
    let text = "# of 1999\n2,5;x;0,25\n4;y;-7\n";
    let table = load(&Source::bytes("t.csv", text).read_with(options), &schema, &["2"]).unwrap();
    assert_eq!((table.x.column(0).to_vec(), table.y.to_vec()), (vec![0.25, -1.0], vec![1.25, 2.0]));
    assert_eq!((&table.clipped[0].1, &table.extra[0].1), (&1, &vec!["x".to_owned(), "y".to_owned()]));
    // With names, a number is a name that is not there.
    let named = load(&Source::bytes("t.csv", "a,b,c\n1,2,0\n"), &schema, &[]).unwrap_err().to_string();
    assert_eq!(named, r#"t.csv: no column "3" in the header; there are a, c"#);
}

/// A number of a binary file is a level that says the same number.
#[test]
fn arrays_of_numpy_have_columns_by_number() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(header.bytes());
    bytes.extend([1.5_f64, 0.0, -3.0, 1.0].iter().flat_map(|v| v.to_le_bytes()));
    let classes = Classes { column: "2".to_owned(), levels: ["0", "1"].map(str::to_owned) };
    let schema = Schema::new(classes, vec![Feature::Intercept, number("1", -2.0, 2.0, 0.0, 2.0).into()]).unwrap();
    let table = load(&Source::bytes("t.npy", bytes), &schema, &["2"]).unwrap();
    assert_eq!((table.x.column(1).to_vec(), table.y.to_vec()), (vec![0.75, -1.0], vec![-1.0, 1.0]));
    assert_eq!((&table.clipped[0].1, &table.extra[0].1), (&1, &vec!["0".to_owned(), "1".to_owned()]));
}
