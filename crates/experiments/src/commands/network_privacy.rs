//! `dido network-privacy`.

use clap::Args;
use dido_experiments::ExperimentError;
use dido_experiments::network_privacy::{Question, network_privacy};
use dido_experiments::topology::Topology;
use dido_topology::families;

use super::output::print;

#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct NetworkArgs {
    /// A family; `dido topology --help` lists them with their options.
    family: String,
    #[command(flatten)]
    options: families::Options,
    /// The weight rule.
    #[arg(long, value_name = "RULE", default_value = "metropolis")]
    weights: String,
    /// Rounds of averaging.
    #[arg(long, value_name = "T")]
    rounds: usize,
    /// Standard deviation of the noise that each party adds to its value once.
    #[arg(long, value_name = "S")]
    sigma: f64,
    /// How far the value of one party can be moved, in the Euclidean norm.
    #[arg(long, value_name = "D", default_value_t = 1.0)]
    sensitivity: f64,
    /// The delta at which epsilon is told.
    #[arg(long, default_value_t = 1e-5)]
    delta: f64,
    /// The party that looks; by default each by itself.
    #[arg(long, value_name = "V")]
    viewer: Option<usize>,
    /// Print one JSON object on the standard output.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &NetworkArgs) -> Result<(), ExperimentError> {
    let topology = Topology::new(&args.family, args.options.clone(), &args.weights)?;
    let &NetworkArgs { rounds, sigma, sensitivity, delta, viewer, .. } = args;
    let answer = network_privacy(&topology, Question { rounds, sigma, sensitivity, delta, viewer })?;
    print(&if args.json { dido_experiments::json(&answer) } else { answer.text() + "\n" })
}
