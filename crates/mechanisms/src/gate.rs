//! The only door from private to public.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dido_geometry::Rows;

use crate::audit::{Replay, Transcript};
use crate::carry::Carry;
use crate::coins::SecretCoins;
#[cfg(feature = "linalg")]
use crate::correlated::SharedNoise;
use crate::draw::add_noise;
use crate::plan::Plan;
use crate::price::Price;
use crate::{
    Adjacency, Adversary, Budget, ClassLedger, Filter, Key, Ledger, Mechanism, MechanismError, Private, Public,
    Purpose, Stream,
};

/// Where the noise comes from.
#[derive(Debug)]
enum Noise {
    /// Nowhere: this is a plan. What is released is zero, whatever went in.
    Plan,
    /// From the key streams, with any sampler: for simulations.
    Simulated(Vec<Key>),
    /// From the key streams, with exact samplers only.
    Exact(Vec<Key>),
    /// From a transcript: this is an audit.
    Replay(Replay),
}

/// The only way from [`Private`] to [`Public`], and the only writer of a [`Ledger`].
///
/// # What a release does, in this order
/// 1. computes the event of every class of nodes from the sensitivity that the value carries;
/// 2. compares it with the plan, if there is one, charges the budget, and refuses before any noise is drawn what was not
///    planned or would overspend;
/// 3. writes the ledger;
/// 4. draws the noise from the stream of (node, lane, round, draw), which is never used twice;
/// 5. lets the value go.
#[derive(Debug)]
pub struct Gate {
    /// No other gate of this process has it.
    id: u64,
    ledger: Ledger,
    filters: Vec<Filter>,
    plan: Option<Plan>,
    noise: Noise,
    /// Round and number of the next draw.
    next: (u32, u32),
    /// The same for secret coins.
    next_coins: (u32, u32),
    /// What has left, if it is to be kept.
    recorded: Option<Transcript>,
    /// What neighbours share of their noise, and what it is worth to each class.
    #[cfg(feature = "linalg")]
    shared: Option<SharedNoise>,
    worth: Option<Arc<[f64]>>,
}

/// That of the next gate of this process.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

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

    /// As [`simulated`](Self::simulated), but floating-point noise is refused, and so are several lanes, which the ledger
    /// counts once: what a deployed party uses, with keys [`from_os`](Key::from_os) that no other gate has.
    pub fn exact(
        adjacency: Adjacency,
        adversary: Adversary,
        class_of: &[usize],
        budget: Option<Budget>,
        keys: Vec<Key>,
    ) -> Self {
        Self::new(adjacency, adversary, class_of, budget, Noise::Exact(keys))
    }

    /// A gate for a dry run: it keeps the same ledger and budget, and releases nothing but zeros.
    pub fn plan(adjacency: Adjacency, adversary: Adversary, class_of: &[usize], budget: Option<Budget>) -> Self {
        Self::new(adjacency, adversary, class_of, budget, Noise::Plan)
    }

    /// A gate for an [audit](crate::audit): whatever goes in, the message of the transcript comes out. What would have been
    /// released stays inside, for [`compare`](crate::audit::compare) to say how likely the transcript is.
    ///
    /// That figure depends on records and is **not** private, so such a gate is for the owner of the data. It has no budget
    /// and no noise of its own.
    pub fn replaying(
        adjacency: Adjacency,
        adversary: Adversary,
        class_of: &[usize],
        transcript: Arc<Transcript>,
    ) -> Self {
        Self::new(adjacency, adversary, class_of, None, Noise::Replay(Replay::new(transcript)))
    }

    /// The same gate, which keeps a copy of all that leaves.
    #[must_use]
    pub fn recording(self) -> Self {
        Self { recorded: Some(Transcript::default()), ..self }
    }

    /// The same gate, which lets nothing out but what `plan` says: a release is refused, before noise is drawn, if its event
    /// is not the planned one of its class of nodes and round, or one before it was left out. With a plan whose epsilon has
    /// been checked there needs to be no budget, and so no more than what the best accountant asks for.
    ///
    /// # Errors
    /// If the plan is for other nodes, another adjacency or adversary, or does not begin with what has left already.
    pub fn with_plan(self, plan: Ledger) -> Result<Self, MechanismError> {
        let plan = Some(Plan::new(plan, &self.ledger)?);
        Ok(Self { plan, ..self })
    }

    /// The same gate, whose Gaussian noise is that of each node's own and what its neighbours share with it: it leaves
    /// the sum over all nodes, and hides each of them better. The event has the standard deviation that such noise is worth to the
    /// gate's adversary, at the worst node of a class. All nodes have to be awake; nothing is carried on, recorded or replayed.
    ///
    /// # Errors
    /// If the noise is shared by other nodes, the adversary is several colluders, the gate replays or has released something.
    ///
    /// # Complexity
    /// A factorisation of `nodes` rows, or one for each node if the adversary may be any of them.
    #[cfg(feature = "linalg")]
    pub fn with_shared_noise(self, shared: SharedNoise) -> Result<Self, MechanismError> {
        if self.replay().is_some() {
            return Err(MechanismError::Shared("a replay"));
        }
        if self.ledger.releases_per_node() > 0 {
            return Err(MechanismError::Resumed);
        }
        let worth = Some(shared.worth(self.ledger.adversary, &self.ledger)?.into());
        Ok(Self { shared: Some(shared), worth, ..self })
    }

    /// Takes out what was recorded; what leaves later is not.
    pub fn take_transcript(&mut self) -> Transcript {
        self.recorded.take().unwrap_or_default()
    }

    pub(crate) fn replay(&self) -> Option<&Replay> {
        match &self.noise {
            Noise::Replay(replay) => Some(replay),
            Noise::Plan | Noise::Simulated(_) | Noise::Exact(_) => None,
        }
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
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self {
            id,
            ledger,
            filters,
            plan: None,
            noise,
            next: (0, 0),
            next_coins: (0, 0),
            recorded: None,
            #[cfg(feature = "linalg")]
            shared: None,
            worth: None,
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
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
    /// or of rounds that are not over, exceeds the budget, or is not the beginning of the plan.
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
        if let Some(plan) = &self.plan {
            plan.begins_with(&ledger)?;
        }
        for (filter, class) in self.filters.iter_mut().zip(&ledger.classes) {
            for entry in &class.entries {
                for _ in 0..entry.releases {
                    filter.charge(&entry.event)?;
                }
            }
        }
        self.ledger = ledger;
        (self.next, self.next_coins) = ((round, 0), (round, 0));
        Ok(())
    }

    /// Coins for a secret choice in `round`, never used twice; none in a plan, which has nothing to choose from.
    ///
    /// # Errors
    /// If the round has been left already, or this is a replay.
    pub fn secret_coins(&mut self, round: u32) -> Result<Option<SecretCoins<'_>>, MechanismError> {
        let draw = number_in_round(round, self.next_coins)?;
        self.next_coins = (round, draw + 1);
        match &self.noise {
            Noise::Plan => Ok(None),
            Noise::Replay(_) => Err(MechanismError::SampledReplay),
            Noise::Simulated(keys) | Noise::Exact(keys) => {
                Ok(Some(SecretCoins { keys, stream: Stream::new(round, Purpose::Sampling, draw)? }))
            }
        }
    }

    /// Releases `value` in `round`. Rows of nodes that are asleep pass as they are: they hold public numbers only.
    ///
    /// # Errors
    /// If the value was made for another gate, a sensitivity is not finite, the release was not planned, the budget would be
    /// overspent, the round has been left already, a number of the noisy value is not finite, the noise is floating-point or
    /// there are several lanes and the gate is exact. Nothing leaves then.
    pub fn release(&mut self, round: u32, mechanism: Mechanism, value: Private<'_>) -> Result<Public, MechanismError> {
        self.admit(mechanism, &value)?;
        self.leave(round, mechanism, None, value)
    }

    /// As [`release`](Self::release), but `keep` times the noise in the latest message of each node is taken out of its value
    /// first. With `keep` times that message in the value, the noise of a node does not come back to it, and no private
    /// state has to outlive the round.
    ///
    /// The data behind the earlier messages is behind this one too: the event has the sensitivity of the value plus `keep`
    /// times that of the latest message. Proof, and what happens on a grid: `docs/theory/wang2024.md`.
    ///
    /// # Errors
    /// As [`release`](Self::release). If `keep` is not in `[0, 1]`; if records were sampled, in this round or the one of the latest
    /// message; if that was not the only message of its round, or is on another grid; if only some nodes of a class are awake.
    pub fn release_carrying(
        &mut self,
        round: u32,
        mechanism: Mechanism,
        value: Private<'_>,
        keep: f64,
    ) -> Result<Public, MechanismError> {
        self.admit(mechanism, &value)?;
        if self.worth.is_some() {
            return Err(MechanismError::Shared("noise that is carried on"));
        }
        let carry = Carry::new(keep, mechanism, &self.ledger, &value.batch)?;
        self.leave(round, mechanism, Some(&carry), value)
    }

    /// Refuses what is not for this gate.
    fn admit(&self, mechanism: Mechanism, value: &Private<'_>) -> Result<(), MechanismError> {
        if matches!(self.noise, Noise::Exact(_)) && !mechanism.is_exact() {
            return Err(MechanismError::FloatingPoint);
        }
        if value.batch.gate.is_some_and(|gate| gate != self.id) {
            return Err(MechanismError::OtherGate);
        }
        // Lanes repeat a run on the same data: each would have to be paid for.
        let lanes = value.rows.shape().lanes;
        if matches!(self.noise, Noise::Exact(_)) && lanes > 1 {
            return Err(MechanismError::Lanes(lanes));
        }
        if self.worth.is_some() {
            let asleep = value.batch.awake.as_ref().is_some_and(|awake| awake.contains(&false));
            let unfit = [
                (!matches!(mechanism, Mechanism::Gaussian(_) | Mechanism::None), "noise that is not Gaussian"),
                (asleep, "nodes that sleep"),
                (self.recorded.is_some(), "a transcript to be replayed"),
            ];
            if let Some((_, what)) = unfit.into_iter().find(|(unfit, _)| *unfit) {
                return Err(MechanismError::Shared(what));
            }
        }
        Ok(())
    }

    fn leave(
        &mut self,
        round: u32,
        mechanism: Mechanism,
        carry: Option<&Carry>,
        mut value: Private<'_>,
    ) -> Result<Public, MechanismError> {
        let draw = number_in_round(round, self.next)?;
        let worth = self.worth.clone();
        self.charge(round, Price { mechanism, value: &value, carry, worth: worth.as_deref() })?;
        value.settle();
        // Secret, and therefore wiped, on every way out of here but the last.
        let mut rows = value.rows;
        match &mut self.noise {
            Noise::Plan => rows.as_mut_slice().fill(0.0),
            Noise::Simulated(keys) | Noise::Exact(keys) => {
                let stream = Stream::new(round, Purpose::Noise, draw)?;
                if mechanism.grid().is_some() {
                    // On a grid there is no number for what is not finite.
                    finite(&rows, round)?;
                }
                match mechanism {
                    #[cfg(feature = "linalg")]
                    Mechanism::Gaussian(noise) if let Some(shared) = &self.shared => {
                        shared.add(noise.sigma(), keys, stream, &mut rows)?;
                    }
                    _ => add_noise(mechanism, keys, stream, carry, value.batch.awake.as_deref(), &mut rows)?,
                }
            }
            Noise::Replay(replay) => replay.answer(round, mechanism, carry, &mut rows)?,
        }
        self.next = (round, draw + 1);
        finite(&rows, round)?;
        rows.set_secret(false);
        if let Some(transcript) = &mut self.recorded {
            transcript.record_of_nodes(round, mechanism, rows.clone(), value.batch.awake.clone());
        }
        Ok(Public::from_release(rows))
    }

    /// Charges every class, then writes every class: a refusal leaves the ledger as it was.
    fn charge(&mut self, round: u32, price: Price<'_, '_>) -> Result<(), MechanismError> {
        let value = price.value;
        assert_eq!(value.base.len(), self.ledger.classes.len(), "one sensitivity per class of nodes");
        if value.adjacency != self.ledger.adjacency {
            return Err(MechanismError::Adjacency { expected: self.ledger.adjacency, found: value.adjacency });
        }
        // Nodes of a class share a ledger: it is charged if any of them is awake.
        let awake = |class: &ClassLedger| match &value.batch.awake {
            None => true,
            Some(awake) => class.nodes.iter().any(|&node| awake[node]),
        };
        if let Some(plan) = &self.plan {
            for (class, ledger) in self.ledger.classes.iter().enumerate().filter(|(_, ledger)| awake(ledger)) {
                plan.allows(class, ledger, round, price.event(class)?)?;
            }
        }
        if self.ledger.adversary != Adversary::HiddenActivation {
            for class in 0..self.ledger.classes.len() {
                if price.event(class)?.hides_activation() {
                    return Err(MechanismError::ActivationSeen(self.ledger.adversary));
                }
            }
        }
        for (class, filter) in self.filters.iter_mut().enumerate().filter(|(c, _)| awake(&self.ledger.classes[*c])) {
            filter.charge(&price.event(class)?)?;
        }
        for (class, ledger) in self.ledger.classes.iter_mut().enumerate().filter(|(_, ledger)| awake(ledger)) {
            ledger.record(round, price.event(class)?);
        }
        Ok(())
    }
}

/// The number of the next draw of `round`, when the one before had `next` as its next.
fn number_in_round(round: u32, next: (u32, u32)) -> Result<u32, MechanismError> {
    let (current, draw) = next;
    match round.cmp(&current) {
        std::cmp::Ordering::Less => Err(MechanismError::RepeatedStream { round, current }),
        std::cmp::Ordering::Equal => Ok(draw),
        std::cmp::Ordering::Greater => Ok(0),
    }
}

fn finite(rows: &Rows, round: u32) -> Result<(), MechanismError> {
    match rows.first_non_finite() {
        None => Ok(()),
        Some((node, lane, coordinate)) => Err(MechanismError::NonFinite { round, node, lane, coordinate }),
    }
}
