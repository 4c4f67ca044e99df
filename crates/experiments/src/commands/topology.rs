//! `dido topology`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use dido_experiments::ExperimentError;
use dido_experiments::topology::{Topology, compare, picture};
use dido_topology::{families, weights};

use super::output::{print, say};

#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(after_help = after_help(), allow_negative_numbers = true)]
pub struct TopologyArgs {
    /// A family, or `compare` for a table of all of them; with --weights-file by default the graph of the matrix.
    #[arg(required_unless_present = "weights_file")]
    family: Option<String>,
    #[command(flatten)]
    options: families::Options,
    /// The weight rule.
    #[arg(long, value_name = "RULE", default_value = "metropolis", conflicts_with = "weights_file")]
    weights: String,
    /// A file of the weights instead of a rule: the rows of a symmetric doubly stochastic matrix, up to 1000.
    #[arg(long, value_name = "FILE")]
    weights_file: Option<PathBuf>,
    /// Print one JSON object on the standard output.
    #[arg(long)]
    json: bool,
    /// Print the edges, one `i j` a line; with --json as a key.
    #[arg(long)]
    edge_list: bool,
    /// Print the mixing matrix, one row a line, for up to 1000 nodes; with --json as a key.
    #[arg(long)]
    matrix: bool,
    /// Print the graph in the DOT language; with --json as a key.
    #[arg(long)]
    dot: bool,
    /// Draw the graph into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn after_help() -> String {
    let mut text = "Families, their options and definitions:\n".to_owned();
    for family in families::ALL {
        let options: Vec<String> = family.options.iter().map(|option| format!("--{option}")).collect();
        // Writing into a string does not fail.
        let _ = write!(text, "  {:<22}{}\n{:24}{}\n", family.name, options.join(" "), "", family.definition);
    }
    let rules: Vec<&str> = weights::ALL.iter().map(|rule| rule.name).collect();
    let _ = write!(text, "\nWeight rules: {}", rules.join(", "));
    text
}

/// Nothing is written or printed before all of it is there.
pub fn run(args: &TopologyArgs) -> Result<(), ExperimentError> {
    if args.family.as_deref() == Some("compare") {
        return compare_families(args);
    }
    if !args.json && [args.edge_list, args.matrix, args.dot].into_iter().filter(|&asked| asked).count() > 1 {
        return Err(usage("--edge-list, --matrix and --dot exclude each other without --json"));
    }
    let topology = match (&args.family, &args.weights_file) {
        (family, Some(file)) => Topology::with_matrix(family.as_deref(), args.options.clone(), file)?,
        (Some(family), None) => Topology::new(family, args.options.clone(), &args.weights)?,
        (None, None) => return Err(usage("dido topology needs a family or --weights-file")),
    };
    let mut description = topology.describe()?;
    description.edge_list = args.edge_list.then(|| topology.edge_list());
    description.matrix = args.matrix.then(|| topology.matrix()).transpose()?;
    description.dot = args.dot.then(|| topology.graph.to_dot());
    if let Some(path) = &args.svg {
        let picture = picture::svg(&topology)?;
        std::fs::write(path, picture)
            .map_err(|error| ExperimentError::File { path: path.clone(), reason: error.to_string() })?;
    }
    if args.json {
        print(&dido_experiments::json(&description))?;
        return Ok(());
    }
    // Whoever asks for one of these wants to pass it on, and reads the rest on the standard error.
    let asked = if args.edge_list {
        Some(topology.graph.to_edge_list())
    } else if let Some(matrix) = &description.matrix {
        Some(rows(matrix))
    } else {
        description.dot.clone()
    };
    say(asked.is_some(), &description.text())?;
    if let Some(asked) = asked {
        print(&asked)?;
    }
    Ok(())
}

fn compare_families(args: &TopologyArgs) -> Result<(), ExperimentError> {
    let mut given = args.options.given();
    if let Some(option) = given.find(|option| !["nodes", "seed"].contains(option)) {
        return Err(usage(&format!("compare has no option '{option}'; its options are nodes, weights, seed, json")));
    }
    if args.edge_list || args.matrix || args.dot || args.svg.is_some() || args.weights_file.is_some() {
        let message =
            "compare prints a table; --edge-list, --matrix, --dot, --svg and --weights-file are for one family";
        return Err(usage(message));
    }
    let nodes = args.options.nodes.ok_or_else(|| usage("compare needs the option nodes"))?;
    let table = compare::compare(nodes, &args.weights, args.options.seed.unwrap_or(0))?;
    print(&if args.json { dido_experiments::json(&table) } else { table.text() + "\n" })
}

fn usage(message: &str) -> ExperimentError {
    ExperimentError::Usage(message.to_owned())
}

/// Numbers are written with as many digits as they need to be read back as the same.
fn rows(matrix: &[Vec<f64>]) -> String {
    let row = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
    matrix.iter().map(row).collect()
}
