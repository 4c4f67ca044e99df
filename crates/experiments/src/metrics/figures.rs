//! Figures of merit from predictions and targets alone, as scikit-learn defines them. Where one is undefined it is absent, with
//! the reason: there is no NaN and no number in its place.

use dido_problems::Loss;

/// Why a figure has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined(pub &'static str);

/// No record, no figure.
const NO_RECORDS: Undefined = Undefined("there are no records");

/// `R^2 = 1 - sum (y - p)^2 / sum (y - mean y)^2` (`r2_score`); undefined for equal targets. It saturates: predictions whose
/// squares overflow have the least number there is.
///
/// # Errors
/// If all targets are equal, or there are none.
pub fn r2(predictions: &[f64], targets: &[f64]) -> Result<f64, Undefined> {
    let first = targets.first().ok_or(NO_RECORDS)?;
    if targets.iter().all(|y| y.total_cmp(first).is_eq()) {
        return Err(Undefined("R^2 needs targets that differ"));
    }
    let mean = targets.iter().sum::<f64>() / targets.len() as f64;
    let total: f64 = targets.iter().map(|y| (y - mean).powi(2)).sum();
    let r2 = 1.0 - squares(predictions, targets) / total;
    Ok(if r2.is_finite() { r2 } else { f64::MIN })
}

/// The root of the mean squared error (`root_mean_squared_error`). It saturates.
///
/// # Errors
/// If there are no records.
pub fn rmse(predictions: &[f64], targets: &[f64]) -> Result<f64, Undefined> {
    let error = (squares(predictions, targets) / count(targets)?).sqrt();
    Ok(super::finite_distance(error))
}

fn squares(predictions: &[f64], targets: &[f64]) -> f64 {
    predictions.iter().zip(targets).map(|(p, y)| (p - y).powi(2)).sum()
}

fn count(targets: &[f64]) -> Result<f64, Undefined> {
    if targets.is_empty() { Err(NO_RECORDS) } else { Ok(targets.len() as f64) }
}

/// The class that is predicted at a score: +1 above 0, -1 up to it, and neither for a NaN.
pub fn class_of(score: f64) -> f64 {
    if score > 0.0 {
        1.0
    } else if score <= 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The share of records whose [class](class_of), -1 or +1, is predicted (`accuracy_score`).
///
/// # Errors
/// If there are no records.
pub fn accuracy(predictions: &[f64], targets: &[f64]) -> Result<f64, Undefined> {
    let right = predictions.iter().zip(targets).filter(|&(&p, &y)| class_of(p) * y > 0.0).count();
    Ok(right as f64 / count(targets)?)
}

/// The probability that a record of class +1 has a higher score than one of class -1, ties counted half (`roc_auc_score`; the
/// statistic of Mann and Whitney).
///
/// # Errors
/// If there is one class only, or a score is NaN.
pub fn auc(predictions: &[f64], targets: &[f64]) -> Result<f64, Undefined> {
    if predictions.iter().any(|p| p.is_nan()) {
        return Err(Undefined("AUC needs scores that can be compared"));
    }
    // Adding 0 makes one zero of both, which total order would keep apart.
    let mut scores: Vec<(f64, bool)> = predictions.iter().zip(targets).map(|(p, y)| (p + 0.0, *y > 0.0)).collect();
    let positive = scores.iter().filter(|(_, positive)| *positive).count();
    let pairs = positive as f64 * (scores.len() - positive) as f64;
    if pairs <= 0.0 {
        return Err(Undefined("AUC needs records of both classes"));
    }
    scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Of every group of equal scores, the positive ones beat all negative ones below, and half of those in the group. Twice the
    // wins are whole numbers, exact up to 2^53.
    let (mut twice, mut below) = (0.0, 0.0);
    for group in scores.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let positive = group.iter().filter(|(_, positive)| *positive).count() as f64;
        let negative = group.len() as f64 - positive;
        twice += positive * (2.0 * below + negative);
        below += negative;
    }
    Ok(twice / (2.0 * pairs))
}

/// The mean loss of a record; of the logistic loss, that is `log_loss` at `1 / (1 + exp(-p))`. It saturates.
///
/// # Errors
/// If there are no records.
pub fn mean_loss(loss: Loss, predictions: &[f64], targets: &[f64]) -> Result<f64, Undefined> {
    Ok(super::finite_distance(sum_of_losses(loss, predictions, targets) / count(targets)?))
}

/// The sum of the losses of all records.
pub fn sum_of_losses(loss: Loss, predictions: &[f64], targets: &[f64]) -> f64 {
    predictions.iter().zip(targets).map(|(&p, &y)| loss.value(p, y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Result<f64, Undefined>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-15, "{found} is not {expected}");
    }

    /// The examples of scikit-learn's documentation, and small cases whose values were computed with it.
    #[test]
    fn figures_of_numbers() {
        let (y, p) = ([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]);
        close(r2(&p, &y), 0.948_608_137_044_967_8);
        close(rmse(&p, &y), 0.375_f64.sqrt());
        // The mean explains nothing, and a worse guess less than that.
        close(r2(&[2.0; 3], &[1.0, 2.0, 3.0]), 0.0);
        close(r2(&[3.0, 2.0, 1.0], &[1.0, 2.0, 3.0]), -3.0);
        assert_eq!(r2(&[1.0, 2.0], &[5.0, 5.0]), Err(Undefined("R^2 needs targets that differ")));
        assert_eq!(r2(&[1.0], &[5.0]), Err(Undefined("R^2 needs targets that differ")));
        close(rmse(&[1.0, 2.0], &[5.0, 5.0]), 12.5_f64.sqrt());
        assert_eq!(rmse(&[], &[]), Err(NO_RECORDS));
    }

    #[test]
    fn figures_that_overflow_are_the_worst_there_are() {
        for p in [1e200, f64::INFINITY, f64::NAN] {
            assert_eq!(r2(&[p, 0.0], &[0.0, 1.0]).unwrap().to_bits(), f64::MIN.to_bits());
            assert_eq!(rmse(&[p, 0.0], &[0.0, 1.0]).unwrap().to_bits(), f64::MAX.to_bits());
        }
    }

    #[test]
    fn figures_of_classes() {
        let y = [-1.0, -1.0, 1.0, 1.0];
        // roc_auc_score([0, 0, 1, 1], [.1, .4, .35, .8]) = 0.75, from its documentation.
        close(auc(&[0.1, 0.4, 0.35, 0.8], &y), 0.75);
        close(auc(&[0.3; 4], &y), 0.5);
        close(auc(&[0.0, -0.0, 0.0, -0.0], &y), 0.5);
        // One tie across the classes, and one within: of four pairs three are won and one is half.
        close(auc(&[0.1, 0.5, 0.5, 0.9], &y), 0.875);
        close(auc(&[4.0, 3.0, 2.0, 1.0], &y), 0.0);
        close(accuracy(&[-2.0, 0.5, 0.5, 0.9], &y), 0.75);
        // A score of 0 is the first class.
        close(accuracy(&[0.0; 4], &y), 0.5);
        close(accuracy(&[f64::NAN; 4], &y), 0.0);
        for one_class in [[1.0; 4], [-1.0; 4]] {
            assert_eq!(auc(&[0.1, 0.2, 0.3, 0.4], &one_class), Err(Undefined("AUC needs records of both classes")));
        }
        assert!(auc(&[f64::NAN, 0.0, 0.0, 0.0], &y).is_err());
        // log_loss(["spam", "ham", "ham", "spam"], [[.1, .9], [.9, .1], [.8, .2], [.35, .65]]) = 0.21616, from its documentation.
        let scores = [0.9_f64, 0.1, 0.2, 0.65].map(|p| (p / (1.0 - p)).ln());
        let found = mean_loss(Loss::Logistic, &scores, &[1.0, -1.0, -1.0, 1.0]).unwrap();
        assert!((found - 0.216_161_874_680_579_12).abs() < 1e-15, "{found}");
    }

    /// Every pair is looked at: the statistic by its definition, on scores with many ties.
    #[test]
    fn auc_counts_every_pair() {
        for n in 2..40_usize {
            let scores: Vec<f64> = (0..n).map(|k| (k * 7 % 5) as f64).collect();
            let y: Vec<f64> = (0..n).map(|k| if k * 11 % 3 == 0 { 1.0 } else { -1.0 }).collect();
            let (mut wins, mut pairs) = (0.0, 0.0);
            for (p, _) in scores.iter().zip(&y).filter(|(_, y)| **y > 0.0) {
                for (q, _) in scores.iter().zip(&y).filter(|(_, y)| **y < 0.0) {
                    wins += if p > q {
                        1.0
                    } else if p < q {
                        0.0
                    } else {
                        0.5
                    };
                    pairs += 1.0;
                }
            }
            close(auc(&scores, &y), wins / pairs);
        }
    }
}
