//! Noise that hides a message and is taken out of the next one.
//!
//! # Update
//! Message `k` of a node is `m(k) = u(k) + zeta(k)`: fresh noise on a mean that the noise has not touched. The next one is
//! made from a value `v`, which may contain `m(k)`, and the noise of which `keep` times the old one is taken out:
//!
//! ```text
//! m(k+1) = v(k+1) - keep zeta(k) + zeta(k+1),     0 <= keep <= 1.
//! ```
//!
//! With `v(k+1) = keep m(k) + ...` that is a private state `u(k+1) = keep u(k) + ...` whose own noise never comes back to it. The
//! state itself is nowhere: the old noise is drawn again, from the stream that it came from.
//!
//! # Privacy
//! All messages `m(1), m(2), ...` of all nodes are seen. Given those before, `v(k+1)` is a function of the data of its
//! node, with a sensitivity `S(k+1)`; so is `u(k+1) = v(k+1) - keep (m(k) - u(k))`, by induction, and on neighbouring data it
//! moves by at most
//!
//! ```text
//! Delta(k+1) = S(k+1) + keep Delta(k),            Delta(1) = S(1),
//! ```
//!
//! in the norm of both, in L2 if they differ. The noise `zeta(k+1)` is independent of all before it. So the likelihood of a
//! transcript is the product of the densities of `zeta(k) = m(k) - u(k)`, and round `k` is an ordinary release of a value with
//! sensitivity `Delta(k)`: adaptive composition, whatever `v` and `keep` are, as long as `keep` is public. The bound is
//! attained if the gradients of two data sets differ by as much and in one direction in every round.
//!
//! `Delta(k)` and the old noise stand in the ledger: so a run resumes, and a plan is right. What the ledger does not say is refused:
//! classes of which some nodes slept, several releases in one round. So is a secret sample of records: the mean depends on
//! the earlier samples then, and the likelihood is a mixture, not a product.
//!
//! On a grid `keep zeta` is rounded to a whole number of steps, from integers, without another error: two of them differ by at
//! most `keep` times the difference of the draws and one step, so that each release adds a step in each coordinate to `Delta`.

use crate::{
    Batch, ClassLedger, DiscreteGaussian, DiscreteLaplace, Entry, Event, Gaussian, Laplace, Ledger, Mechanism,
    MechanismError, Norm, Purpose, Sensitivity, Stream,
};

/// The part of the old noise that is taken out of the next message of each node.
pub(crate) struct Carry {
    keep: f64,
    /// The latest message of each class of nodes; nothing if it has made none, or made it without noise.
    classes: Vec<Option<Latest>>,
    class_of: Vec<usize>,
}

/// The noise of a message, and how far data can have moved its mean.
#[derive(Clone, Copy)]
pub(crate) struct Latest {
    pub mechanism: Mechanism,
    pub stream: Stream,
    sensitivity: Sensitivity,
}

impl Carry {
    /// What is carried on from the messages of `ledger` by a release through `mechanism`.
    pub fn new(keep: f64, mechanism: Mechanism, ledger: &Ledger, batch: &Batch<'_>) -> Result<Self, MechanismError> {
        if !(0.0..=1.0).contains(&keep) {
            return Err(MechanismError::Keep(keep));
        }
        if batch.is_sampled() {
            return Err(MechanismError::CarriedSample);
        }
        let mut class_of = vec![0; ledger.classes.iter().map(|class| class.nodes.len()).sum()];
        let mut classes = vec![];
        for (number, class) in ledger.classes.iter().enumerate() {
            class.nodes.iter().for_each(|&node| class_of[node] = number);
            if let Some(awake) = batch.awake()
                && let Some(&node) = class.nodes.iter().find(|&&node| awake[node] != awake[class.nodes[0]])
            {
                return Err(MechanismError::CarriedApart { node, with: class.nodes[0] });
            }
            let latest = latest(class)?;
            if latest.is_some_and(|latest| latest.mechanism.grid() != mechanism.grid()) {
                return Err(MechanismError::CarriedGrid);
            }
            classes.push(latest);
        }
        Ok(Self { keep, classes, class_of })
    }

    /// That of the next message of a class, if `own` is that of the value it is made from, on the grid if there is one.
    pub fn sensitivity(&self, class: usize, own: Sensitivity, dim: usize) -> Result<Sensitivity, MechanismError> {
        let Some(Latest { sensitivity: carried, mechanism, .. }) = self.classes[class] else { return Ok(own) };
        // An L1 bound is an L2 bound as it stands.
        let norm = if own.norm == carried.norm { own.norm } else { Norm::L2 };
        let sum = Sensitivity::new(own.value + self.keep * carried.value, norm, own.adjacency)?;
        mechanism.grid().map_or(Ok(sum), |grid| grid.inflated(sum, dim, 0.0))
    }

    /// Whether nothing is taken out of anything.
    pub fn is_empty(&self) -> bool {
        self.classes.iter().all(Option::is_none)
    }

    /// The part that is taken out, and the message of a node that it is taken from.
    pub fn of(&self, node: usize) -> Option<(f64, Latest)> {
        self.classes[self.class_of[node]].map(|latest| (self.keep, latest))
    }
}

/// The latest release of a class, if it was the only one of its round. Should other classes have released before it in that
/// round, its stream is another one, and nobody has drawn from this one: what is taken out then hides more.
fn latest(class: &ClassLedger) -> Result<Option<Latest>, MechanismError> {
    let Some(last) = class.entries.last() else { return Ok(None) };
    let rounds = u64::from(last.last - last.first) + 1;
    let before = class.entries.len().checked_sub(2).map(|before| class.entries[before].last);
    if last.releases != rounds || before.is_some_and(|before| before >= last.first) {
        return Err(MechanismError::CarriedTwice { node: class.nodes[0], round: last.last });
    }
    let noise = noise_of(last)?;
    let stream = Stream::new(last.last, Purpose::Noise, 0)?;
    Ok(noise.map(|(mechanism, sensitivity)| Latest { mechanism, stream, sensitivity }))
}

/// The noise of a release, as a mechanism that draws it again, and its sensitivity.
fn noise_of(entry: &Entry) -> Result<Option<(Mechanism, Sensitivity)>, MechanismError> {
    let on_grid = |noise: crate::Discrete| {
        let steps = (noise.sensitivity as f64).next_up();
        let sensitivity = Sensitivity::new(steps * noise.grid.step(), noise.norm, noise.adjacency)?;
        Ok::<_, MechanismError>((noise.scale as f64 * noise.grid.step(), sensitivity))
    };
    Ok(Some(match entry.event {
        Event::NonPrivate => return Ok(None),
        Event::Laplace { sensitivity, scale, .. } => (Mechanism::Laplace(Laplace::new(scale)?), sensitivity),
        Event::Gaussian { sensitivity, sigma } => (Mechanism::Gaussian(Gaussian::new(sigma)?), sensitivity),
        Event::DiscreteLaplace(noise) => {
            let (scale, sensitivity) = on_grid(noise)?;
            let noise = DiscreteLaplace::new(scale, noise.grid)?;
            (Mechanism::DiscreteLaplace { noise, float_error: 0.0 }, sensitivity)
        }
        Event::DiscreteGaussian(noise) => {
            let (scale, sensitivity) = on_grid(noise)?;
            let noise = DiscreteGaussian::new(scale, noise.grid)?;
            (Mechanism::DiscreteGaussian { noise, float_error: 0.0 }, sensitivity)
        }
        other => return Err(MechanismError::Carried { event: other.name() }),
    }))
}

/// `keep steps` rounded to a whole number, halves up: exact, and `keep` is in `[0, 1]`.
pub(crate) fn kept(keep: f64, steps: i64) -> i64 {
    let bits = keep.to_bits();
    let exponent = bits >> 52;
    // keep = mantissa / 2^shift.
    let mantissa = bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52;
    let shift = 1075 - exponent.max(1);
    let product = i128::from(mantissa) * i128::from(steps);
    if shift > 120 {
        return 0; // the product is below 2^116
    }
    // No more than `steps` in size.
    i64::try_from((product + (1 << (shift - 1))) >> shift).unwrap_or(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against fractions of small integers, and the bound on which the sensitivity on a grid rests.
    #[test]
    fn the_part_of_a_draw_is_rounded_exactly() {
        for (numerator, shift) in [(0_u32, 0_u32), (1, 0), (1, 1), (3, 2), (5, 3), (7, 4), (1023, 10)] {
            let keep = f64::from(numerator) / 2_f64.powi(i32::try_from(shift).unwrap());
            for steps in -300_i64..300 {
                let doubled = 2 * i64::from(numerator) * steps;
                let expected = (doubled + (1 << shift)).div_euclid(2 << shift);
                assert_eq!(kept(keep, steps), expected, "{keep} of {steps}");
            }
        }
        for keep in [0.0, 5e-324, 1e-30, 0.1, 0.3, 0.999_999, 1.0 - f64::EPSILON, 1.0] {
            for (a, b) in [(7, -9), (1 << 40, (1 << 40) - 3), (i64::MAX, i64::MAX - 1000), (i64::MIN, i64::MAX)] {
                let apart = (i128::from(kept(keep, a)) - i128::from(kept(keep, b))).unsigned_abs();
                let most = keep * (i128::from(a) - i128::from(b)).unsigned_abs() as f64 + 1.0;
                assert!(apart as f64 <= most * (1.0 + 1e-15), "{keep}: {a} {b}");
            }
        }
        assert_eq!(kept(1.0, i64::MIN), i64::MIN);
        assert_eq!(kept(1.0, i64::MAX), i64::MAX);
    }
}
