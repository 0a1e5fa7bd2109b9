//! Results on their way down: in memory until they are in the tiers, so that they can be had at any moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Lease, Region};
use onceflow_runtime::Instance;
use onceflow_store::staging::{Sink, StagingError};
use onceflow_store::tier::{Cost, TierError, Tiers};

/// Writes results to the tiers, on the thread that the staging has chosen.
pub(super) struct Down {
    tiers: Tiers,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    results: HashMap<Instance, Results>,
    announced: u64,
}

/// The results of an instance.
struct Results {
    /// Tells them from those of the same instance that were forgotten and came again.
    number: u64,
    place: SpillPlace,
}

enum SpillPlace {
    /// Not in the tiers yet. The lease is of those that were to be written and could not be.
    Memory(Vec<Arc<Region>>, Option<Lease>),
    /// In the tiers, so many.
    Below(usize),
}

/// Results that are staged.
pub(super) struct Ticket {
    instance: Instance,
    number: u64,
}

impl Down {
    pub(super) fn new(tiers: Tiers) -> Self {
        Self { tiers, state: Mutex::default() }
    }

    /// Makes results known that are about to be staged.
    pub(super) fn announce(&self, instance: Instance, outputs: &[Arc<Region>]) -> Ticket {
        let mut state = self.lock();
        state.announced += 1;
        let number = state.announced;
        state.results.insert(instance, Results { number, place: SpillPlace::Memory(outputs.to_vec(), None) });
        Ticket { instance, number }
    }

    /// The results of an instance, from wherever they are; none when there are none any more.
    pub(super) fn get(&self, instance: Instance) -> Result<Option<Vec<Arc<Region>>>, TierError> {
        let (number, count) = match self.lock().results.get(&instance) {
            None => return Ok(None),
            Some(Results { place: SpillPlace::Memory(outputs, _), .. }) => return Ok(Some(outputs.clone())),
            Some(Results { number, place: SpillPlace::Below(count) }) => (*number, *count),
        };
        (0..count).map(|output| self.tiers.get(key(number, output))).collect()
    }

    pub(super) fn forget(&self, instance: Instance) {
        if let Some(Results { number, place: SpillPlace::Below(count) }) =
            self.lock().results.remove(&instance)
        {
            self.remove(number, count);
        }
    }

    pub(super) fn forget_all(&self) {
        self.lock().results.clear();
    }

    /// What a ticket is for, unless it was forgotten.
    fn outputs(&self, ticket: &Ticket) -> Option<Vec<Arc<Region>>> {
        match self.lock().find(ticket)? {
            SpillPlace::Memory(outputs, _) => Some(outputs.clone()),
            SpillPlace::Below(_) => None,
        }
    }

    fn write_all(&self, number: u64, outputs: Vec<Arc<Region>>) -> Result<(), TierError> {
        let put = |(output, region)| self.tiers.put_below(key(number, output), region, Cost::keep());
        outputs.into_iter().enumerate().try_for_each(put)
    }

    fn remove(&self, number: u64, count: usize) {
        (0..count).for_each(|output| _ = self.tiers.forget(key(number, output)));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&mut self, ticket: &Ticket) -> Option<&mut SpillPlace> {
        let results = self.results.get_mut(&ticket.instance)?;
        (results.number == ticket.number).then_some(&mut results.place)
    }
}

impl Sink for Down {
    type Staged = Ticket;

    fn write(&self, ticket: Ticket, waited: Option<Lease>) -> Result<(), StagingError> {
        let Some(outputs) = self.outputs(&ticket) else { return Ok(()) };
        let count = outputs.len();
        let written = self.write_all(ticket.number, outputs);
        let mut state = self.lock();
        match (state.find(&ticket), &written) {
            (Some(place), Ok(())) => *place = SpillPlace::Below(count),
            (Some(SpillPlace::Memory(_, kept)), Err(_)) => *kept = waited,
            // They were forgotten meanwhile.
            _ => self.remove(ticket.number, count),
        }
        drop(state);
        if written.is_err() {
            self.remove(ticket.number, count);
        }
        Ok(written?)
    }
}

fn key(number: u64, output: usize) -> [u8; 32] {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&number.to_le_bytes());
    key[8..16].copy_from_slice(&(output as u64).to_le_bytes());
    key
}
