//! NPY and NPZ: all types and orders, written here by hand.

use std::io::{Cursor, Write};

use dido_data::{Data, Missing, Options, Places, Source, Table, Values, read};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array as the format says.
fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    } else {
        bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
    }
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn table(bytes: Vec<u8>, options: &Options) -> Result<Table, String> {
    match read(&Source::bytes("t", bytes), options) {
        Ok(Data::Table(table)) => Ok(table),
        Ok(Data::Sparse(_)) => panic!("sparse"),
        Err(error) => Err(error.to_string()),
    }
}

fn columns(table: &Table) -> Vec<Vec<f64>> {
    let numbers = |values: &Values| match values {
        Values::Numbers(values) => values.clone(),
        Values::Booleans(values) => values.iter().map(|v| f64::from(u8::from(*v))).collect(),
        Values::Text(_) => panic!("text"),
    };
    table.columns.iter().map(|column| numbers(&column.values)).collect()
}

macro_rules! bytes {
    ($values:expr, $type:ty, $order:ident) => {
        $values.iter().flat_map(|v| (*v as $type).$order()).collect::<Vec<u8>>()
    };
}

#[test]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
fn all_types_orders_and_versions_say_the_same() {
    let whole = [1_i64, 2, 3, 4, 5, 6];
    let arrays = [
        ("<f8", bytes!(whole, f64, to_le_bytes)),
        (">f8", bytes!(whole, f64, to_be_bytes)),
        ("<f4", bytes!(whole, f32, to_le_bytes)),
        (">f4", bytes!(whole, f32, to_be_bytes)),
        ("<i8", bytes!(whole, i64, to_le_bytes)),
        (">i4", bytes!(whole, i32, to_be_bytes)),
        ("<i2", bytes!(whole, i16, to_le_bytes)),
        ("|i1", bytes!(whole, i8, to_le_bytes)),
        ("<u8", bytes!(whole, u64, to_le_bytes)),
        (">u4", bytes!(whole, u32, to_be_bytes)),
        (">u2", bytes!(whole, u16, to_be_bytes)),
        ("|u1", bytes!(whole, u8, to_le_bytes)),
    ];
    for (descr, data) in arrays {
        for version in 1..=3 {
            let rows = table(npy(version, descr, false, "(2, 3)", &data), &Options::default()).unwrap();
            assert_eq!(columns(&rows), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], "{descr}");
            let fortran = table(npy(version, descr, true, "(2, 3)", &data), &Options::default()).unwrap();
            assert_eq!(columns(&fortran), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "{descr}");
        }
    }
    let signed = table(npy(1, ">i2", false, "(1, 2)", &[0xff, 0xfe, 0x80, 0x00]), &Options::default()).unwrap();
    assert_eq!(columns(&signed), [[-2.0], [-32768.0]]);
    let truths = table(npy(1, "|b1", false, "(2, 1)", &[0, 1]), &Options::default()).unwrap();
    assert_eq!(columns(&truths), [[0.0, 1.0]]);
}

#[test]
fn what_is_no_matrix_of_numbers_is_refused() {
    for (bytes, part) in [
        (npy(1, "<f8", false, "(2,)", &[0; 16]), "a 1-D array"),
        (npy(1, "<f8", false, "(1, 1, 1)", &[0; 8]), "a 3-D array"),
        (npy(1, "<f8", false, "(0, 1000000000000)", &[]), "no data rows"),
        (npy(1, "<f8", false, "(1000000000000, 0)", &[]), "no columns"),
        (npy(1, "|u1", false, "(1, 2000000)", &vec![0; 2_000_000]), "2000000 columns"),
        (npy(1, "<f8", false, "(4294967296, 4294967296)", &[]), "more than memory data bytes expected, 0 found"),
        (npy(1, "<f8", false, "(1, 1)", &[0; 9]), "8 data bytes expected, 9 found"),
        (npy(1, "|O", false, "(1, 1)", b"\x80\x04cos\nsystem"), "nothing is ever unpickled"),
        (npy(1, "<U3", false, "(1, 1)", &[0; 12]), "elements of the type <U3"),
        (npy(1, "<f2", false, "(1, 1)", &[0; 2]), "elements of the type <f2"),
        (npy(1, "=f8", false, "(1, 1)", &[0; 8]), "byte order"),
        (npy(1, "|b1", false, "(1, 1)", &[2]), "the byte 2 is no truth value"),
        (npy(4, "<f8", false, "(1, 1)", &[0; 8]), "version 4.0"),
        (b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(), "ends within its header"),
        (b"\x93NUMPY\x01\x00\x01\x00{".to_vec(), "the header is not understood"),
    ] {
        let message = table(bytes, &Options::default()).unwrap_err();
        assert!(message.contains(part) && !message.contains('\n'), "{message}");
    }
}

#[test]
fn nan_is_missing_and_the_infinite_is_refused() {
    let data = |values: [f64; 4]| npy(1, "<f8", false, "(2, 2)", &values.map(f64::to_le_bytes).concat());
    let drop = Options { missing: Missing::Drop, ..Options::default() };
    let nan = data([1.0, 2.0, 3.0, f64::NAN]);
    assert!(table(nan.clone(), &Options::default()).unwrap_err().starts_with("t, row 2, column 2: missing value"));
    let kept = table(nan, &drop).unwrap();
    assert_eq!((columns(&kept), &kept.places), (vec![vec![1.0], vec![2.0]], &Places::Rows(vec![1])));
    assert_eq!(kept.missing.dropped, [2]);
    let infinite = table(data([1.0, f64::NEG_INFINITY, 3.0, 4.0]), &drop).unwrap_err();
    assert!(infinite.starts_with("t, row 1, column 2: not finite: \"-inf\""), "{infinite}");
}

fn npz(method: CompressionMethod, arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    for (name, array) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(array).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_archive_has_features_and_a_target() {
    let x = npy(1, "|u1", false, "(2, 2)", &[1, 2, 3, 4]);
    let y = npy(1, "|i1", false, "(2,)", &[0xff, 1]);
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let table =
            table(npz(method, &[("y", y.clone()), ("w", y.clone()), ("X", x.clone())]), &Options::default()).unwrap();
        assert_eq!((table.names(), table.target), (vec!["1", "2", "y"], Some(2)));
        assert_eq!(columns(&table), [[1.0, 3.0], [2.0, 4.0], [-1.0, 1.0]]);
        assert_eq!(table.notes, ["the array w is not read"]);
    }
    let stored = CompressionMethod::Stored;
    let column = npz(stored, &[("x", x.clone()), ("y", npy(1, "|u1", false, "(2, 1)", &[5, 6]))]);
    assert_eq!(columns(&table(column, &Options::default()).unwrap())[2], [5.0, 6.0]);
    let alone = table(npz(stored, &[("arr_0", x.clone())]), &Options::default()).unwrap();
    assert_eq!((alone.target, alone.columns.len()), (None, 2));
    for (arrays, part) in [
        (vec![("a", x.clone()), ("b", x.clone())], "no array is called X; arrays are a, b"),
        (vec![], "a zip archive without arrays"),
        (vec![("X", x.clone()), ("y", npy(1, "|u1", false, "(2, 2)", &[0; 4]))], "y has 2 dimensions"),
        (vec![("X", b"PK".to_vec()), ("y", y)], "array X: not an .npy file"),
    ] {
        let message = table(npz(stored, &arrays), &Options::default()).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_bomb_in_an_archive_does_not_go_off() {
    let zeros = npy(1, "|u1", false, "(4000, 1000)", &vec![0; 4_000_000]);
    let bomb = npz(CompressionMethod::Deflated, &[("X", zeros)]);
    assert!(bomb.len() < 10_000);
    let limited = Options { limit: 1 << 20, ..Options::default() };
    assert!(table(bomb, &limited).unwrap_err().contains("more than 1048576 bytes"));
}
