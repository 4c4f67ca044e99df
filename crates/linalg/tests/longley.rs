//! The Longley regression with the certified coefficients of the NIST Statistical Reference Datasets (linear
//! regression, "Longley", observed data, higher level of difficulty).

use dido_linalg::least_squares;
use ndarray::{Array1, Array2, Axis};

/// Employment, then price deflator, GNP, unemployed, armed forces, population and year.
const DATA: [[f64; 7]; 16] = [
    [60323.0, 83.0, 234_289.0, 2356.0, 1590.0, 107_608.0, 1947.0],
    [61122.0, 88.5, 259_426.0, 2325.0, 1456.0, 108_632.0, 1948.0],
    [60171.0, 88.2, 258_054.0, 3682.0, 1616.0, 109_773.0, 1949.0],
    [61187.0, 89.5, 284_599.0, 3351.0, 1650.0, 110_929.0, 1950.0],
    [63221.0, 96.2, 328_975.0, 2099.0, 3099.0, 112_075.0, 1951.0],
    [63639.0, 98.1, 346_999.0, 1932.0, 3594.0, 113_270.0, 1952.0],
    [64989.0, 99.0, 365_385.0, 1870.0, 3547.0, 115_094.0, 1953.0],
    [63761.0, 100.0, 363_112.0, 3578.0, 3350.0, 116_219.0, 1954.0],
    [66019.0, 101.2, 397_469.0, 2904.0, 3048.0, 117_388.0, 1955.0],
    [67857.0, 104.6, 419_180.0, 2822.0, 2857.0, 118_734.0, 1956.0],
    [68169.0, 108.4, 442_769.0, 2936.0, 2798.0, 120_445.0, 1957.0],
    [66513.0, 110.8, 444_546.0, 4681.0, 2637.0, 121_950.0, 1958.0],
    [68655.0, 112.6, 482_704.0, 3813.0, 2552.0, 123_366.0, 1959.0],
    [69564.0, 114.2, 502_601.0, 3931.0, 2514.0, 125_368.0, 1960.0],
    [69331.0, 115.7, 518_173.0, 4806.0, 2572.0, 127_852.0, 1961.0],
    [70551.0, 116.9, 554_894.0, 4007.0, 2827.0, 130_081.0, 1962.0],
];

const INTERCEPT: f64 = -3_482_258.634_595_82;
const SLOPES: [f64; 6] = [
    15.061_872_271_373_3,
    -0.035_819_179_292_591_0,
    -2.020_229_803_816_83,
    -1.033_226_867_173_59,
    -0.051_104_105_653_580_7,
    1_829.151_464_613_55,
];

fn employment() -> Array1<f64> {
    DATA.iter().map(|row| row[0]).collect()
}

fn predictors() -> Array2<f64> {
    Array2::from_shape_fn((16, 6), |(i, j)| DATA[i][j + 1])
}

fn assert_slopes(slopes: impl Iterator<Item = f64>, tolerance: f64) {
    for (slope, certified) in slopes.zip(SLOPES) {
        assert!((slope / certified - 1.0).abs() < tolerance, "{slope} instead of {certified}");
    }
}

#[test]
fn standardised_longley_matches_the_certified_slopes() {
    let x = predictors();
    let centred = &x - &x.mean_axis(Axis(0)).unwrap();
    let scale = centred.std_axis(Axis(0), 1.0);
    let y = employment();
    let y = &y - y.mean().unwrap();
    let slopes = least_squares((&centred / &scale).view(), y.view()).unwrap();
    assert_slopes(slopes.iter().zip(&scale).map(|(b, s)| b / s), 1e-11);
}

/// As published, with an intercept column: condition number 5e9, so rounding alone moves the sixth digit.
#[test]
fn raw_longley_matches_the_certified_coefficients() {
    let x = Array2::from_shape_fn((16, 7), |(i, j)| if j == 0 { 1.0 } else { DATA[i][j] });
    let coefficients = least_squares(x.view(), employment().view()).unwrap();
    assert!((coefficients[0] / INTERCEPT - 1.0).abs() < 1e-5, "{}", coefficients[0]);
    assert_slopes(coefficients.iter().skip(1).copied(), 1e-5);
}
