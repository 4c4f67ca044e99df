//! `dido init`: an experiment file for a data file. Bounds are left to be declared, unless they are asked for: then the file says
//! that nothing is private.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use dido_data::{Column, Data, DataError, Fault, Missing, Options, Source, Table, Values, read};
use dido_problems::partition;
use toml::Value;

use crate::error::ExperimentError;
use crate::file::PLACEHOLDER;

/// What the target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A number.
    Regression,
    /// One of two classes.
    Binary,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The data.
    pub file: PathBuf,
    /// How it is read; records that lack a value are let through here.
    pub options: Options,
    /// Where the experiment will lie: the path of the data starts from there.
    pub out: PathBuf,
    /// The column that is predicted.
    pub target: String,
    /// The column whose values are the parties; without it records are shuffled and given to ten.
    pub site: Option<String>,
    /// What the target is; by default two classes where it is no number.
    pub task: Option<Task>,
    /// Read bounds, levels and counts off the data.
    pub from_data: bool,
}

/// Parties, where no column says who they are.
const PARTIES: usize = 10;

/// The share of records that is held out, and the seed of the split.
const HELD_OUT: (f64, u64) = (0.2, 0);

/// The text of the experiment file.
///
/// # Errors
/// In one line, if the data cannot be read or have no such columns.
pub fn init(question: &Question) -> Result<String, ExperimentError> {
    let name = question.file.display().to_string();
    let options = Options { missing: Missing::Drop, ..question.options.clone() };
    let refuse = |fault| ExperimentError::from(DataError::whole(name.as_str(), fault));
    let table = match read(&Source::file(&question.file), &options)? {
        Data::Table(table) => table,
        Data::Sparse(_) => {
            let what = "a LIBSVM file has no columns: declare data.svmlight, as the preset a9a does".to_owned();
            return Err(refuse(Fault::WrongFormat(what)));
        }
    };
    let target = table.find(&question.target).map_err(refuse)?;
    let site = question.site.as_ref().map(|site| table.find(site)).transpose().map_err(refuse)?;
    let features: Vec<&Column> =
        (0..table.columns.len()).filter(|&k| k != target && Some(k) != site).map(|k| &table.columns[k]).collect();
    if features.is_empty() || site == Some(target) {
        return Err(refuse(Fault::Shape("there is no column besides the target and the site".to_owned())));
    }
    let draft = Draft {
        question,
        table: &table,
        target: &table.columns[target],
        site: site.map(|k| &table.columns[k]),
        features,
    };
    draft.text().map_err(refuse)
}

/// Writes the file.
///
/// # Errors
/// If it cannot be written, or is there already and not to be replaced.
pub fn write(path: &Path, text: &str, force: bool) -> Result<(), ExperimentError> {
    let mut options = std::fs::OpenOptions::new();
    let options = if force { options.create(true).truncate(true) } else { options.create_new(true) };
    let written = options.write(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let path = path.to_owned();
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return ExperimentError::Input { path, reason: "is already there; --force replaces it".to_owned() };
        }
        ExperimentError::File { path, reason: error.to_string() }
    })
}

/// An experiment in the making.
struct Draft<'a> {
    question: &'a Question,
    table: &'a Table,
    target: &'a Column,
    site: Option<&'a Column>,
    features: Vec<&'a Column>,
}

impl Draft<'_> {
    fn is_binary(&self) -> bool {
        let by_kind = if matches!(self.target.values, Values::Numbers(_)) { Task::Regression } else { Task::Binary };
        self.question.task.unwrap_or(by_kind) == Task::Binary
    }

    fn text(&self) -> Result<String, Fault> {
        let from_data = self.question.from_data;
        let stem = self.question.out.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = stem.chars().map(plain).take(100).collect();
        let mut text = if from_data { NON_PRIVATE.to_owned() } else { DECLARE.replace("PLACEHOLDER", PLACEHOLDER) };
        let _ = write!(text, "\nname = {}\n{RUN}\n[data]\nsource = {}\n", quoted(&name), quoted(&self.source()));
        if self.table.columns.iter().all(|column| column.name == column.number.to_string()) {
            text += "header = false             # columns are called by their numbers\n";
        }
        text += &reading(&self.question.options);
        if from_data {
            text += "bounds = \"from-data\"       # NON-PRIVATE: what follows was read off the records\n";
        }
        if from_data && !self.table.missing.dropped.is_empty() {
            text += "missing = \"drop\"\n";
        } else {
            text += "# missing = \"drop\"         # lets records through that lack a value: they count as zeros\n";
        }
        text += "scaling = \"range\"          # the declared range of a number becomes -1 to 1\n";
        let row_norm = format!("row_norm = {:?}", self.row_norm());
        let _ = writeln!(text, "{row_norm:<26} # of an encoded row: the root of {}", self.parts());
        let records = format!("records = {}", self.records()?);
        let _ = writeln!(text, "{records:<26} # training records of each party, after the split");
        let _ = writeln!(text, "held_out = {{ fraction = {}, seed = {}, by = \"party\" }}", HELD_OUT.0, HELD_OUT.1);
        let partition = match self.site {
            Some(site) => format!(
                "partition = {{ kind = \"by-column\", column = {} }}   # in ascending order of its values\n",
                quoted(&site.name)
            ),
            None => "partition = { kind = \"shuffled\", seed = 0 }\n".to_owned(),
        };
        text += &partition;
        let _ = writeln!(
            text,
            "target = {}",
            if self.is_binary() { self.levels(self.target, "") } else { self.range(self.target, "") }
        );
        text += "features = [               # leave out what the model must not use\n  { kind = \"intercept\" },\n";
        for column in &self.features {
            let _ = writeln!(text, "  {},", self.feature(column));
        }
        text += "]\n";
        Ok(text + if self.is_binary() { CLASSIFICATION } else { REGRESSION } + PRIVACY)
    }

    /// The path of the data, from where the experiment lies.
    fn source(&self) -> String {
        let file = &self.question.file;
        let beside = self.question.out.parent().is_none_or(|folder| folder.as_os_str().is_empty());
        if beside {
            file.display().to_string()
        } else {
            std::path::absolute(file).unwrap_or_else(|_| file.clone()).display().to_string()
        }
    }

    fn feature(&self, column: &Column) -> String {
        match &column.values {
            Values::Numbers(_) => self.range(column, "kind = \"numeric\", "),
            Values::Booleans(_) => self.levels(column, "kind = \"two-level\", "),
            // One level says nothing, and none can be declared.
            Values::Text(_) => self.levels(column, "kind = \"one-hot\", "),
        }
    }

    fn range(&self, column: &Column, kind: &str) -> String {
        let (min, max) = match &column.values {
            Values::Numbers(values) if self.question.from_data => {
                let (min, max) =
                    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
                // A constant has no range.
                (format!("{min:?}"), format!("{:?}", if min < max { max } else { min + min.abs().max(1.0) }))
            }
            _ => (quoted(PLACEHOLDER), quoted(PLACEHOLDER)),
        };
        format!("{{ {kind}column = {}, min = {min}, max = {max} }}", quoted(&column.name))
    }

    fn levels(&self, column: &Column, kind: &str) -> String {
        let levels = if self.question.from_data {
            let all: Vec<String> = counts(column).into_keys().map(|level| quoted(&level)).collect();
            format!("[{}]", all.join(", "))
        } else {
            quoted(PLACEHOLDER)
        };
        format!("{{ {kind}column = {}, levels = {levels} }}", quoted(&column.name))
    }

    /// The squares of the parts of a row: 1 for the intercept, each number and each set of levels, 1/4 for two levels.
    fn squares(&self) -> (usize, usize) {
        let two = self.features.iter().filter(|column| matches!(column.values, Values::Booleans(_))).count();
        (1 + self.features.len() - two, two)
    }

    fn parts(&self) -> String {
        match self.squares() {
            (whole, 0) => whole.to_string(),
            (whole, two) => format!("{whole} + {two}/4"),
        }
    }

    /// Rounded up.
    fn row_norm(&self) -> f64 {
        let (whole, two) = self.squares();
        ((whole as f64 + two as f64 / 4.0).sqrt() * 1e4).ceil() / 1e4
    }

    /// The training records of each party.
    fn records(&self) -> Result<String, Fault> {
        if !self.question.from_data {
            return Ok(quoted(PLACEHOLDER));
        }
        let total = self.table.records() + self.table.missing.dropped.len();
        let sizes: Vec<usize> = match self.site {
            Some(_) if !self.table.missing.dropped.is_empty() => {
                let what =
                    "some records lack a value, so their parties cannot be counted here: declare the counts".to_owned();
                return Err(Fault::Shape(what));
            }
            Some(site) => counts(site).into_values().collect(),
            None => {
                let parts = partition::contiguous(total, PARTIES).map_err(|e| Fault::Shape(e.to_string()))?;
                parts.into_iter().map(|part| part.len()).collect()
            }
        };
        let parts: Vec<Vec<usize>> = sizes.into_iter().map(|size| (0..size).collect()).collect();
        let split =
            partition::hold_out_each(&parts, HELD_OUT.0, HELD_OUT.1).map_err(|e| Fault::Shape(e.to_string()))?;
        Ok(format!("{:?}", split.into_iter().map(|(train, _)| train.len()).collect::<Vec<_>>()))
    }
}

/// The values of a column as text, in ascending order, and how often each is there.
fn counts(column: &Column) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut count = |value: String| *counts.entry(value).or_default() += 1;
    match &column.values {
        Values::Numbers(values) => values.iter().for_each(|value| count(value.to_string())),
        Values::Booleans(values) => values.iter().for_each(|v| count(if *v { "True" } else { "False" }.to_owned())),
        Values::Text(texts) => texts.iter().for_each(|text| count(text.to_owned())),
    }
    counts
}

/// The keys of the options that are not so by themselves.
fn reading(options: &Options) -> String {
    let plain = Options::default();
    let mark = |key: &str, mark: Option<u8>| mark.map(|c| format!("{key} = {}\n", quoted(&char::from(c).to_string())));
    let decimal = (options.decimal != plain.decimal).then_some(options.decimal);
    let na = options.na.iter().map(|na| quoted(na)).collect::<Vec<_>>().join(", ");
    let keys = [
        options.format.map(|format| format!("format = {}\n", quoted(&format.to_string()))),
        mark("separator", options.separator),
        mark("decimal", decimal),
        mark("comment", options.comment),
        (options.na != plain.na).then(|| format!("na = [{na}]\n")),
    ];
    keys.into_iter().flatten().collect()
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

const DECLARE: &str = "\
# Declare every \"PLACEHOLDER\", from what is public: what the columns mean, a form, a law, an earlier study. A bound that is read
# off the records is not covered by any guarantee. Numbers outside their range are moved to its end; a level that is not
# declared is refused. That these columns are there, and which of them are numbers, was read off the file: it becomes public.
# If the counts of `records` are not those of the file, the run is refused and says the right ones: declared, they are public.
";

const NON_PRIVATE: &str = "\
# NON-PRIVATE: ranges, levels and counts of this file were read off the records. Nothing that is made from it keeps a secret, and no
# epsilon in it is a guarantee. To promise something, declare them from what is public and leave out data.bounds.
";

const RUN: &str = "\
seed = \"os\"                # of the noise: a key of the operating system, which is not stored
rounds = 60                # one release in round 0, then averaging
";

const REGRESSION: &str = "
[graph]
kind = \"ring\"              # who talks to whom

# Each party releases its normal equations once: there is no step to choose. Of an algorithm that iterates, such as
# projected-dgd, `dido tune` chooses rounds and step: docs/algorithms.md says when that is better.
[algorithm]
kind = \"sufficient-statistics\"
";

const CLASSIFICATION: &str = "
[graph]
kind = \"ring\"              # who talks to whom

[objective]
loss = { kind = \"logistic\" }
regulariser = { kind = \"squared-l2\", mu = 0.05 }

# Each party releases the minimiser of its own perturbed objective once. Of an algorithm that iterates, such as dual-averaging,
# `dido tune` chooses rounds and step: docs/algorithms.md says when that is better.
[algorithm]
kind = \"objective-perturbation\"
";

const PRIVACY: &str = "
[privacy]
adjacency = \"replace-record\"
budget = { epsilon = 1.0, delta = 1e-5 }   # delta: far below one over the number of records
noise = { kind = \"calibrated\", mechanism = \"gaussian\" }
";
