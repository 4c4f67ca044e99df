//! The loader of svmlight files: every record where it belongs, and whatever is wrong refused by its line.

use std::path::PathBuf;

use dido_data::Options;
use dido_problems::table::{Classes, Numeric, Source, SparseTable, Svmlight, load_svmlight, load_svmlight_unlabelled};
use dido_problems::{Features, ProblemError};
use ndarray::array;

fn classes() -> Classes {
    Classes { column: "label".into(), levels: ["-1".into(), "+1".into()] }
}

fn load(text: impl Into<Vec<u8>>) -> Result<SparseTable, ProblemError> {
    load_svmlight(&Source::bytes("some.svm", text.into()), &Svmlight::new(classes(), 4, 2.0).unwrap())
}

#[test]
fn records_by_hand() {
    let table = load("+1 1:1 4:-3e1\r\n\n# nothing\n-1\n-1 2:0 3:5 # a remark\n").unwrap();
    assert_eq!(table.x.to_dense(), array![[0.5, 0.0, 0.0, -15.0], [0.0; 4], [0.0, 0.0, 2.5, 0.0]]);
    assert_eq!((table.x.nnz(), table.y, table.clipped_targets), (3, array![1.0, -1.0, -1.0], 0));
    assert_eq!(table.targets, ["+1", "-1", "-1"]);
}

#[test]
fn numbers_as_targets_are_clipped_and_scaled() {
    let target = Numeric { column: "label".into(), min: 0.0, max: 10.0, center: 5.0, scale: 5.0 };
    let declared = Svmlight::new(target, 1, 4.0).unwrap();
    let table = load_svmlight(&Source::bytes("some.svm", "12 1:1\n2.5 1:3"), &declared).unwrap();
    assert_eq!((table.y, table.clipped_targets), (array![1.0, -0.5], 1));
    // 5 + 5 x'b of the scaled feature x / 4.
    let [(_, intercept), (name, b)] = &declared.original_units(&[2.0]).unwrap()[..] else { panic!() };
    assert!((intercept - 5.0).abs() < 1e-15 && (b - 2.5).abs() < 1e-15 && name == "1");
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (line, message) in [
        ("1:1", "some.svm, line 2, byte 1: the line starts with a feature, not with a label"),
        ("2 1:1", "some.svm, line 2, column \"label\": \"2\" is not among the declared levels -1, +1"),
        ("+1 0:1", "some.svm, line 2, byte 4: index 0, but indices start from 1; pass --index-base 0 if they do not"),
        ("+1 5:1", "some.svm, line 2, byte 4: index 5, but there are 4 features"),
        ("+1 2:1 2:1", "some.svm, line 2, byte 8: index 2 is given twice"),
        ("+1 3:1 2:1", "some.svm, line 2, byte 8: indices must increase: 2 after 3"),
        ("+1 2:0 2:1", "some.svm, line 2, byte 8: index 2 is given twice"),
        ("+1 1:nan", "some.svm, line 2, byte 4: not finite: \"nan\""),
        ("+1 1:1e999", "some.svm, line 2, byte 4: not finite: \"1e999\""),
        ("+1 1:one", "some.svm, line 2, byte 4: not a number: \"one\""),
        ("+1 -1:1", "some.svm, line 2, byte 4: negative index -1"),
        ("+1 1", "some.svm, line 2, byte 4: expected index:value, found \"1\""),
    ] {
        assert_eq!(load(format!("-1 1:1\n{line}\n")).unwrap_err().to_string(), message);
    }
    let latin = load(b"-1 1:1\n+1 1:\xff\n".to_vec()).unwrap_err().to_string();
    assert_eq!(latin, "some.svm, line 2, byte 6: not UTF-8: byte 0xFF; save the file as UTF-8");
    assert_eq!(load("# nothing\n\n").unwrap_err().to_string(), "some.svm: there are no data rows");
    let long = load(format!("+1 {}", "x".repeat(9999))).unwrap_err().to_string();
    assert!(long.len() < 150, "{long}");
}

#[test]
fn declarations_that_make_no_sense_are_refused() {
    assert!(Svmlight::new(classes(), 0, 1.0).is_err());
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Svmlight::new(classes(), 1, scale).is_err(), "{scale}");
    }
    let same = Classes { levels: ["1".into(), "1".into()], ..classes() };
    assert!(Svmlight::new(same, 1, 1.0).is_err());
}

/// Sizes and norms of the file that comes with the tests, and parts of it against the dense rows.
#[test]
fn a9a_stays_sparse() {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "data", "a9a.gz"].iter().collect();
    let declared = Svmlight::new(classes(), 123, 14.0_f64.sqrt()).unwrap();
    let table = load_svmlight(&Source::file(path), &declared).unwrap();
    let positive = table.y.iter().filter(|y| **y > 0.0).count();
    assert_eq!((table.x.shape(), positive), ((32_561, 123), 7841));
    let x = Features::from(table.x);
    assert!(x.stored() <= 14 * 32_561 && x.stored() > 13 * 32_561, "{}", x.stored());
    let picked = [32_560, 0, 17, 17, 4];
    let (dense, some) = (x.dense(), x.select(&picked));
    assert!(matches!(some, Features::Sparse(_)));
    for (row, &record) in some.dense().rows().into_iter().zip(&picked) {
        assert_eq!(row, dense.row(record));
    }
    assert_eq!(some.dense(), Features::from(dense.to_owned()).select(&picked).dense());
    let twice = Features::joined([&some, &Features::from(some.dense().into_owned())].into_iter());
    assert!(matches!(twice, Features::Sparse(_)) && twice.records() == 10);
    let b = ndarray::Array1::from_shape_fn(123, |k| (k as f64).sin());
    let (sparse, expected) = (twice.dot(&b.view()), some.dense().dot(&b));
    assert!(sparse.iter().zip(expected.iter().chain(&expected)).all(|(a, b)| (a - b).abs() < 1e-14));
}

/// Lines without labels, for predictions; the first index may be 0.
#[test]
fn labels_may_be_absent_from_all_lines() {
    let declared = Svmlight::new(classes(), 3, 2.0).unwrap();
    let load = |text: &str| load_svmlight_unlabelled(&Source::bytes("some.svm", text), &declared);
    let bare = load("1:2 3:1\n2:4\n").unwrap();
    assert_eq!((bare.x.dense().into_owned(), bare.y), (array![[1.0, 0.0, 0.5], [0.0, 2.0, 0.0]], None));
    let labelled = load("+1 1:2 3:1\n-1 2:4\n").unwrap();
    assert_eq!((labelled.x.dense().into_owned(), labelled.y), (bare.x.dense().into_owned(), Some(array![1.0, -1.0])));
    assert!(load("1:2\n+1 2:4\n").unwrap_err().to_string().contains("line 2, byte 1: the line has a label"));
    assert!(load("+1 1:2\n2:4\n").unwrap_err().to_string().contains("line 2, byte 1: the line has no label"));
    let options = Options { index_base: 0, ..Options::default() };
    let from_zero = load_svmlight(&Source::bytes("some.svm", "+1 0:2 2:1\n").read_with(options), &declared).unwrap();
    assert_eq!(from_zero.x.to_dense(), array![[1.0, 0.0, 0.5]]);
}
