//! The public declarations of the columns, and what follows from them alone.

use super::feature::{Encode, Units};
use super::{Feature, Target};
use crate::{ProblemError, RecordBounds};

/// A target and a list of features, declared in public and checked.
///
/// The bounds on a record follow from the declarations, not from the data: with them a shard needs no clipping.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    target: Target,
    features: Vec<Feature>,
}

impl Schema {
    /// A schema; its encoded columns are those of the features, in their order.
    ///
    /// # Errors
    /// If there is no feature, a column is declared twice (the target counts), or a declaration makes no sense.
    pub fn new(target: impl Into<Target>, features: Vec<Feature>) -> Result<Self, ProblemError> {
        let target = target.into();
        let declared = |column: &str, problem| Err(ProblemError::Declaration { column: column.to_owned(), problem });
        if features.is_empty() {
            return declared(target.column(), "a target needs at least one feature");
        }
        if features.iter().filter(|feature| **feature == Feature::Intercept).count() > 1 {
            return declared("intercept", "declared twice");
        }
        let mut seen: Vec<&str> = Vec::new();
        for encoder in features.iter().filter_map(Feature::encoder).chain([target.encoder()]) {
            if let Err(problem) = encoder.check() {
                return declared(encoder.column(), problem);
            }
            if seen.contains(&encoder.column()) {
                return declared(encoder.column(), "declared twice");
            }
            seen.push(encoder.column());
        }
        let schema = Self { target, features };
        if schema.row_norm_bound().is_finite() {
            Ok(schema)
        } else {
            declared("row", "the bound of its norm overflows")
        }
    }

    /// The declared target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The declared features.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The names of the encoded columns: `intercept`, `column`, or `column=level`.
    pub fn names(&self) -> Vec<String> {
        self.features
            .iter()
            .flat_map(|f| f.encoder().map_or_else(|| vec!["intercept".to_owned()], Encode::names))
            .collect()
    }

    /// The number of encoded columns.
    pub fn dim(&self) -> usize {
        self.names().len()
    }

    /// The largest Euclidean norm a row can have: over the ends of every range and all levels.
    pub fn row_norm_bound(&self) -> f64 {
        self.features.iter().map(|f| f.encoder().map_or(1.0, Encode::square_bound)).sum::<f64>().sqrt()
    }

    /// The largest size an encoded target can have.
    pub fn target_bound(&self) -> f64 {
        self.target.bound()
    }

    /// Both bounds, for a [`Shard`](crate::Shard).
    ///
    /// # Errors
    /// If one is 0: a target or a row that cannot differ from 0.
    pub fn bounds(&self) -> Result<RecordBounds, ProblemError> {
        RecordBounds::new(self.row_norm_bound(), self.target_bound())
    }

    /// The predictor `x'beta` in original units: first `intercept`, then a coefficient per encoded column, such that the
    /// predicted target is `intercept + sum coefficient * (raw value, or 1 where the level holds)`; of classes, the second one
    /// where this is positive.
    ///
    /// Levels are relative to the first declared one. The raw value is the clipped one.
    ///
    /// # Errors
    /// If there are not as many coefficients as encoded columns.
    pub fn original_units(&self, beta: &[f64]) -> Result<Vec<(String, f64)>, ProblemError> {
        if beta.len() != self.dim() {
            return Err(ProblemError::Coefficients { got: beta.len(), expected: self.dim() });
        }
        let mut units = Units::default();
        let mut rest = beta;
        for feature in &self.features {
            let width = feature.encoder().map_or(1, |encoder| encoder.names().len());
            let (own, others) = rest.split_at(width);
            rest = others;
            match feature.encoder() {
                Some(encoder) => encoder.original_units(own, &mut units),
                None => units.intercept += own[0],
            }
        }
        Ok(self.target.in_original_units(units))
    }
}
