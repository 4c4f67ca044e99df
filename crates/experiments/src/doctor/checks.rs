//! What is computed, beside what is known of it.

use std::time::Instant;

use dido_geometry::{Rows, Shape};
use dido_mechanisms::noise::{Gaussian, Laplace};
use dido_mechanisms::{Key, Purpose, Stream};
use dido_topology::MixingMatrix;
use dido_topology::families::{self, Options};
use dido_topology::weights;
use sha2::{Digest, Sha256};

use super::Check;
use crate::error::ExperimentError;
use crate::spec::hexadecimal;

const NODES: usize = 100;
const DEGREE: usize = 4;
/// Gossip goes on until disagreement has shrunk to this.
const AGREED: f64 = 1e-12;
/// The digest of [`transcript`]: on x86-64, whatever the instruction set.
const KNOWN: &str = "7e6b4ede9c89274b";

/// All of them.
pub fn all() -> Vec<Check> {
    let began = Instant::now();
    let mut checks = vec![
        named("consensus", consensus()),
        named("threads", threads()),
        named("known bits", known_bits()),
        named("Laplace noise", moments(true)),
        named("Gaussian noise", moments(false)),
    ];
    let seconds = began.elapsed().as_secs_f64();
    // A machine on which a second's work takes a minute is odd, and no more.
    checks.push(Check { name: "time", passed: true, detail: format!("the checks above took {seconds:.2} s") });
    checks
}

type Outcome = Result<(bool, String), ExperimentError>;

fn named(name: &'static str, outcome: Outcome) -> Check {
    let (passed, detail) = outcome.unwrap_or_else(|error| (false, error.to_string()));
    Check { name, passed, detail }
}

fn network() -> Result<MixingMatrix, ExperimentError> {
    let options = Options { nodes: Some(NODES), degree: Some(DEGREE), seed: Some(1), ..Options::default() };
    let graph = families::build("random-regular", &options)?.graph;
    Ok(weights::rule("metropolis")?.build(&graph)?)
}

/// Gossip on a random regular graph ends at the mean, at least as fast as the second singular value of the weights says.
fn consensus() -> Outcome {
    let weights = network()?;
    let lambda = weights.second_largest_singular_value()?;
    let mut x: Vec<f64> = (0..NODES).map(|i| ((i * 37) % NODES) as f64 / NODES as f64).collect();
    let mean = x.iter().sum::<f64>() / NODES as f64;
    let apart = |x: &[f64]| x.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
    let start = apart(&x);
    let mut next = vec![0.0; NODES];
    let (mut rounds, mut fast) = (0, true);
    while apart(&x) > AGREED * start && rounds < 100_000 {
        weights.mix(1, &x, &mut next);
        std::mem::swap(&mut x, &mut next);
        rounds += 1;
        fast &= apart(&x) <= lambda.powi(rounds) * start + AGREED * start;
    }
    let agreed = apart(&x) <= AGREED * start;
    let detail = format!(
        "{NODES} nodes, lambda {lambda:.4}: to {:.1e} of the mean in {rounds} rounds, {} lambda^t",
        apart(&x) / start,
        if fast { "never above" } else { "above" }
    );
    Ok((agreed && fast, detail))
}

/// Noise and gossip, as a run has them.
fn transcript() -> Result<Rows, ExperimentError> {
    const LANES: usize = 64;
    const DIM: usize = 5;
    const ROUNDS: u32 = 20;
    let weights = network()?;
    let index = |k: usize| u32::try_from(k).unwrap_or(u32::MAX);
    let keys: Vec<Key> = (0..NODES * LANES).map(|k| Key::derive(7, index(k / LANES), index(k % LANES))).collect();
    let mut x = Rows::zeros(Shape { nodes: NODES, lanes: LANES, dim: DIM });
    let mut mixed = x.clone();
    for round in 0..ROUNDS {
        let stream = Stream::new(round, Purpose::Noise, 0)?;
        if round % 2 == 0 {
            Laplace::new(0.5)?.add_simulated(&keys, stream, &mut x)?;
        } else {
            Gaussian::new(0.5)?.add_simulated(&keys, stream, &mut x)?;
        }
        weights.mix_on_threads(LANES * DIM, x.as_slice(), mixed.as_mut_slice());
        std::mem::swap(&mut x, &mut mixed);
    }
    Ok(x)
}

fn digest(rows: &Rows) -> String {
    let mut hash = Sha256::new();
    rows.as_slice().iter().for_each(|value| hash.update(value.to_bits().to_le_bytes()));
    hexadecimal(&hash.finalize())[..16].to_owned()
}

/// One thread and several give the same bits.
fn threads() -> Outcome {
    let several = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| ExperimentError::Usage(format!("no threads can be had: {error}")))?;
        pool.install(transcript).map(|rows| digest(&rows))
    };
    let (one, many) = (on(1)?, on(several)?);
    Ok((one == many, format!("1 thread: {one}; {several} threads: {many}")))
}

/// The bits are those of other machines.
fn known_bits() -> Outcome {
    let found = digest(&transcript()?);
    if !cfg!(target_arch = "x86_64") {
        return Ok((true, format!("{found}; known on x86-64 only")));
    }
    Ok((found == KNOWN, format!("{found}, expected {KNOWN}")))
}

/// Mean and variance of a million draws, within six standard errors: 2e-9 is the probability of more. The seed is fixed, so a sampler
/// that is right passes always.
fn moments(laplace: bool) -> Outcome {
    const DRAWS: usize = 1 << 20;
    let mut rows = Rows::zeros(Shape { nodes: 1, lanes: 1, dim: DRAWS });
    let (keys, stream) = ([Key::derive(3, 0, 0)], Stream::new(0, Purpose::Noise, 0)?);
    // Variance, and the fourth moment in units of its square.
    let (variance, kurtosis) = if laplace {
        Laplace::new(1.0)?.add_simulated(&keys, stream, &mut rows)?;
        (2.0, 6.0)
    } else {
        Gaussian::new(1.0)?.add_simulated(&keys, stream, &mut rows)?;
        (1.0, 3.0)
    };
    let draws = DRAWS as f64;
    let mean = rows.as_slice().iter().sum::<f64>() / draws;
    let square = rows.as_slice().iter().map(|v| v * v).sum::<f64>() / draws;
    let [off_mean, off_square] =
        [mean / (variance / draws).sqrt(), (square - variance) / (variance * ((kurtosis - 1.0) / draws).sqrt())];
    let passed = off_mean.abs() < 6.0 && off_square.abs() < 6.0;
    Ok((passed, format!("{DRAWS} draws: mean {mean:.5}, variance {square:.5} for {variance}")))
}
