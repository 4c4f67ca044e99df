//! The only door from private to public.

use dido_geometry::{Rows, parallel};

use crate::{
    Adjacency, Adversary, Budget, Event, Filter, Key, Laplace, Ledger, MechanismError, Private, Public, Purpose,
    Sensitivity, Stream,
};

/// How the values that leave are made safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mechanism {
    /// Not at all: the ledger says so, and every epsilon is infinite.
    None,
    /// Independent Laplace noise on each coordinate.
    Laplace(Laplace),
}

/// Where the noise comes from.
#[derive(Debug)]
enum Noise {
    /// Nowhere: this is a plan. What is released is zero, whatever went in.
    Plan,
    /// From the key streams, with the fast floating-point samplers: for simulations.
    Simulated(Vec<Key>),
}

/// The only way from [`Private`] to [`Public`], and the only writer of a [`Ledger`].
///
/// # What a release does, in this order
/// 1. computes the event of every class of nodes from the sensitivity that the value carries;
/// 2. charges the budget, and refuses before any noise is drawn if a class would overspend;
/// 3. writes the ledger;
/// 4. draws the noise from the stream of (node, lane, round, draw), which is never used twice;
/// 5. lets the value go.
#[derive(Debug)]
pub struct Gate {
    ledger: Ledger,
    filters: Vec<Filter>,
    noise: Noise,
    /// Round and number of the next draw.
    next: (u32, u32),
}

impl Gate {
    /// A gate that draws its noise from `keys`, one for each (node, lane) in row-major order.
    /// Node `i` belongs to class `class_of[i]`.
    pub fn simulated(
        adjacency: Adjacency,
        adversary: Adversary,
        class_of: &[usize],
        budget: Option<Budget>,
        keys: Vec<Key>,
    ) -> Self {
        Self::new(adjacency, adversary, class_of, budget, Noise::Simulated(keys))
    }

    /// A gate for a dry run: it keeps the same ledger and budget, and releases nothing but zeros.
    pub fn plan(adjacency: Adjacency, adversary: Adversary, class_of: &[usize], budget: Option<Budget>) -> Self {
        Self::new(adjacency, adversary, class_of, budget, Noise::Plan)
    }

    fn new(
        adjacency: Adjacency,
        adversary: Adversary,
        class_of: &[usize],
        budget: Option<Budget>,
        noise: Noise,
    ) -> Self {
        let ledger = Ledger::new(adjacency, adversary, class_of);
        let filters = budget.map_or(vec![], |b| vec![Filter::new(b); ledger.classes.len()]);
        Self { ledger, filters, noise, next: (0, 0) }
    }

    /// What has been released so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether this is a dry run.
    pub fn is_plan(&self) -> bool {
        matches!(self.noise, Noise::Plan)
    }

    /// Continues where an interrupted run stopped: `ledger` is charged again, and rounds before `round` stay closed.
    ///
    /// # Errors
    /// If this gate has released something already, the ledger speaks of other nodes, another adjacency or adversary,
    /// or of rounds that are not over, or exceeds the budget.
    pub fn resume(&mut self, ledger: Ledger, round: u32) -> Result<(), MechanismError> {
        if self.next != (0, 0) || self.ledger.releases_per_node() > 0 {
            return Err(MechanismError::Resumed);
        }
        let open = ledger.classes.iter().flat_map(|class| &class.entries).find(|entry| entry.last >= round);
        if let Some(entry) = open {
            return Err(MechanismError::RepeatedStream { round, current: entry.last });
        }
        let same_nodes = ledger.classes.iter().map(|c| &c.nodes).eq(self.ledger.classes.iter().map(|c| &c.nodes));
        if !same_nodes || ledger.adjacency != self.ledger.adjacency || ledger.adversary != self.ledger.adversary {
            return Err(MechanismError::OtherLedger);
        }
        for (filter, class) in self.filters.iter_mut().zip(&ledger.classes) {
            for entry in &class.entries {
                for _ in 0..entry.releases {
                    filter.charge(&entry.event)?;
                }
            }
        }
        self.ledger = ledger;
        self.next = (round, 0);
        Ok(())
    }

    /// Releases `value` in `round`.
    ///
    /// # Errors
    /// If a sensitivity is not finite, the budget would be overspent, the round has been left already, or a number of
    /// the noisy value is not finite. Nothing leaves then.
    pub fn release(
        &mut self,
        round: u32,
        mechanism: Mechanism,
        mut value: Private<'_>,
    ) -> Result<Public, MechanismError> {
        let draw = self.open(round)?;
        self.charge(round, mechanism, &value)?;
        value.settle();
        // Secret, and therefore wiped, on every way out of here but the last.
        let mut rows = value.rows;
        match (&self.noise, mechanism) {
            (Noise::Plan, _) => rows.as_mut_slice().fill(0.0),
            (Noise::Simulated(_), Mechanism::None) => {}
            (Noise::Simulated(keys), Mechanism::Laplace(laplace)) => {
                add_noise(laplace, keys, Stream::new(round, Purpose::Noise, draw)?, &mut rows)?;
            }
        }
        self.next = (round, draw + 1);
        if let Some((node, lane, coordinate)) = rows.first_non_finite() {
            return Err(MechanismError::NonFinite { round, node, lane, coordinate });
        }
        rows.set_secret(false);
        Ok(Public::from_release(rows))
    }

    /// The number of the next draw of `round`.
    fn open(&self, round: u32) -> Result<u32, MechanismError> {
        let (current, draw) = self.next;
        match round.cmp(&current) {
            std::cmp::Ordering::Less => Err(MechanismError::RepeatedStream { round, current }),
            std::cmp::Ordering::Equal => Ok(draw),
            std::cmp::Ordering::Greater => Ok(0),
        }
    }

    /// Charges every class, then writes every class: a refusal leaves the ledger as it was.
    fn charge(&mut self, round: u32, mechanism: Mechanism, value: &Private<'_>) -> Result<(), MechanismError> {
        assert_eq!(value.base.len(), self.ledger.classes.len(), "one sensitivity per class of nodes");
        if value.adjacency != self.ledger.adjacency {
            return Err(MechanismError::Adjacency { expected: self.ledger.adjacency, found: value.adjacency });
        }
        for (class, filter) in self.filters.iter_mut().enumerate() {
            filter.charge(&event(mechanism, value, class)?)?;
        }
        for class in 0..self.ledger.classes.len() {
            self.ledger.classes[class].record(round, event(mechanism, value, class)?);
        }
        Ok(())
    }
}

fn event(mechanism: Mechanism, value: &Private<'_>, class: usize) -> Result<Event, MechanismError> {
    match mechanism {
        Mechanism::None => Ok(Event::NonPrivate),
        Mechanism::Laplace(laplace) => {
            let sensitivity = Sensitivity::new(value.base[class] * value.factor, value.norm, value.adjacency)?;
            Ok(Event::Laplace { sensitivity, dim: value.rows.shape().dim, scale: laplace.scale() })
        }
    }
}

/// Draws below which threads do not pay.
const WORTH_THREADS: usize = 30_000;

fn add_noise(laplace: Laplace, keys: &[Key], stream: Stream, rows: &mut Rows) -> Result<(), MechanismError> {
    let dim = rows.shape().dim;
    let draws = rows.as_slice().len();
    if keys.len() * dim != draws {
        return Err(MechanismError::Keys { keys: keys.len(), numbers: draws, dim });
    }
    parallel::for_each_range(keys.len(), rows.as_mut_slice(), draws, WORTH_THREADS, |range, rows| {
        laplace.add_simulated_range(&keys[range], stream, rows, dim).expect("one key per row, as checked above");
    });
    Ok(())
}
