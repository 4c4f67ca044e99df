//! How a line of a file becomes a record, by the kind of file.

use dido_problems::table::{
    Schema, Source, Svmlight, Unlabelled, load, load_svmlight, load_svmlight_unlabelled, load_unlabelled,
};
use dido_problems::{Features, ProblemError};
use ndarray::Array1;

/// The name of the target of a file without a header.
pub const LABEL: &str = "label";

/// What is declared of a file, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Encoding {
    /// A table with a header.
    Columns(Schema),
    /// Sparse rows.
    Svmlight(Svmlight),
}

/// The encoded records of a file, in its order.
pub struct Encoded {
    /// Features.
    pub x: Features,
    /// Targets.
    pub y: Array1<f64>,
    /// How many values were outside their declared range, by column: not private.
    pub clipped: Vec<(String, usize)>,
    /// The cells of the column asked for, if one was.
    pub extra: Vec<String>,
    /// The records that lack a value: their rows and targets are zeros. Not private.
    pub incomplete: Vec<usize>,
}

impl Encoded {
    /// The records of all, one file after the other.
    ///
    /// # Panics
    /// If there is none.
    pub fn joined(parts: Vec<Self>) -> Self {
        let x = Features::joined(parts.iter().map(|part| &part.x));
        let mut parts = parts.into_iter();
        let mut all = parts.next().expect("an experiment has a file");
        let mut y = all.y.to_vec();
        for part in parts {
            all.incomplete.extend(part.incomplete.iter().map(|record| record + y.len()));
            y.extend(part.y);
            all.extra.extend(part.extra);
            all.clipped.iter_mut().zip(part.clipped).for_each(|((_, count), (_, more))| *count += more);
        }
        Self { x, y: y.into(), ..all }
    }
}

impl Encoding {
    /// Number of features.
    pub fn dim(&self) -> usize {
        match self {
            Self::Columns(schema) => schema.dim(),
            Self::Svmlight(sparse) => sparse.dim(),
        }
    }

    /// The names of the features.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Columns(schema) => schema.names(),
            Self::Svmlight(sparse) => sparse.names(),
        }
    }

    /// What is predicted.
    pub fn target_column(&self) -> &str {
        match self {
            Self::Columns(schema) => schema.target().column(),
            Self::Svmlight(sparse) => sparse.target().column(),
        }
    }

    /// The largest size an encoded target can have.
    pub fn target_bound(&self) -> f64 {
        match self {
            Self::Columns(schema) => schema.target_bound(),
            Self::Svmlight(sparse) => sparse.target().bound(),
        }
    }

    /// The largest norm of a row that follows from the declared ranges: infinite where values have none.
    pub fn row_norm_bound(&self) -> f64 {
        match self {
            Self::Columns(schema) => schema.row_norm_bound(),
            Self::Svmlight(_) => f64::INFINITY,
        }
    }

    /// A predictor in original units: an intercept, then the coefficients.
    ///
    /// # Errors
    /// If there are not as many coefficients as features.
    pub fn original_units(&self, beta: &[f64]) -> Result<Vec<(String, f64)>, ProblemError> {
        match self {
            Self::Columns(schema) => schema.original_units(beta),
            Self::Svmlight(sparse) => sparse.original_units(beta),
        }
    }

    /// Reads a file, and the column `extra` as text.
    ///
    /// # Errors
    /// In one line: a cell that is not what was declared, or a column that is not there.
    pub fn load(&self, source: &Source, extra: Option<&str>) -> Result<Encoded, ProblemError> {
        match self {
            Self::Columns(schema) => {
                let table = load(source, schema, extra.as_slice())?;
                let extra = table.extra.into_iter().next().map_or(vec![], |(_, cells)| cells);
                Ok(Encoded {
                    x: table.x.into(),
                    y: table.y,
                    clipped: table.clipped,
                    extra,
                    incomplete: table.incomplete,
                })
            }
            Self::Svmlight(sparse) => {
                let table = load_svmlight(source, sparse)?;
                let clipped = vec![(LABEL.to_owned(), table.clipped_targets)];
                Ok(Encoded { x: table.x.into(), y: table.y, clipped, extra: table.targets, incomplete: vec![] })
            }
        }
    }

    /// Reads a file to predict for, whose target may be missing.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_unlabelled(&self, source: &Source) -> Result<Unlabelled, ProblemError> {
        match self {
            Self::Columns(schema) => load_unlabelled(source, schema),
            Self::Svmlight(sparse) => load_svmlight_unlabelled(source, sparse),
        }
    }
}
