//! What became of objects that tasks have seen: a task that works object by object computes only those that are new.
//!
//! An object is known by a digest ([`Shape`]) of everything its result follows from: the operation and its version, the
//! parameters that work on it reads, the contents of the other inputs, its runs and their place. It lives as long as one
//! phase, for contents are told apart inside one run only.

mod counts;
pub(crate) mod origins;
mod table;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_kernels::compare::LabelledRuns;
use onceflow_kernels::{Shape, SizedRuns};
use onceflow_region::Budget;

pub use counts::ObjectCounts;
pub(crate) use counts::Tally;
use origins::Origins;
use table::Room;
pub(crate) use table::{Kept, Table};

/// Results of objects, shared by all workers.
#[derive(Debug)]
pub(crate) struct ObjectsSeen {
    room: Room,
    /// Parts, the one that was asked for last at the end: what is known of one is of no use in another.
    places: Mutex<VecDeque<(usize, Arc<Place>)>>,
    tallies: Mutex<BTreeMap<String, Arc<Tally>>>,
    origins: Mutex<Vec<Origins>>,
}

/// What is known of the objects of one part.
#[derive(Debug)]
pub(crate) struct Place {
    /// Results of objects.
    pub(crate) results: Table<Words>,
    /// Objects that results are compared with.
    pub(crate) labelled: Table<Arc<LabelledRuns>>,
    /// Objects that are filtered by their sizes.
    pub(crate) sized: Table<Arc<SizedRuns>>,
}

/// The result of an object, whatever its words mean; many have none.
#[derive(Debug, Default)]
pub(crate) struct Words {
    words: Box<[u32]>,
    /// The row it was computed for.
    row: u32,
}

impl Words {
    /// What was computed for a row.
    pub(crate) fn new(words: Vec<u32>, row: u32) -> Self {
        Self { words: words.into(), row }
    }

    /// The row.
    pub(crate) fn row(&self) -> u32 {
        self.row
    }

    /// Them.
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.words
    }

    /// Bytes that they have, beside those of this.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// Many objects that are found and kept together.
pub(crate) trait Together {
    /// How many they are.
    fn objects(&self) -> usize;

    /// Number of their pixels.
    fn pixels(&self) -> u64;

    /// Bytes of memory they have.
    fn bytes(&self) -> usize;
}

/// Parts that are remembered: more than workers are in at once.
const MOST_PLACES: usize = 16;

impl ObjectsSeen {
    /// Keeps results in bytes that are spare in a budget, and are reserved in both.
    pub(crate) fn new(budget: &Budget, spare: Budget) -> Self {
        let room = Room { shared: budget.clone(), spare };
        Self { room, places: Mutex::default(), tallies: Mutex::default(), origins: Mutex::default() }
    }

    /// What each task, by its name, asked for and found.
    pub(crate) fn counts(&self) -> BTreeMap<String, ObjectCounts> {
        let counts = |(task, tally): (&String, &Arc<Tally>)| (task.clone(), tally.counts());
        lock(&self.tallies).iter().map(counts).filter(|(_, counts)| counts.asked > 0).collect()
    }

    /// Notes where the known objects of a call came from.
    pub(crate) fn note(&self, origins: Origins) {
        lock(&self.origins).push(origins);
    }

    /// Where those of all calls came from.
    pub(crate) fn origins(&self) -> Vec<Origins> {
        std::mem::take(&mut *lock(&self.origins))
    }

    /// Where a task counts.
    pub(crate) fn tally(&self, task: &str) -> Arc<Tally> {
        Arc::clone(lock(&self.tallies).entry(task.to_owned()).or_default())
    }

    /// What is known of a part.
    pub(crate) fn place(&self, site: usize) -> Arc<Place> {
        let mut places = lock(&self.places);
        let known = places.iter().position(|(other, _)| *other == site).and_then(|at| places.remove(at));
        let (_, place) = known.unwrap_or_else(|| (site, Arc::new(Place::new(&self.room))));
        places.push_back((site, Arc::clone(&place)));
        if places.len() > MOST_PLACES {
            places.pop_front();
        }
        place
    }

    /// Keeps a value of a part; when there is no room, parts that were not asked for lately are forgotten.
    pub(crate) fn keep<V>(&self, site: usize, table: &Table<V>, key: Shape, value: Kept<V>) {
        let mut refused = table.put(key, value);
        while let Some(value) = refused.filter(|_| self.forget_but(site)) {
            refused = table.put(key, value);
        }
    }

    /// Forgets the part that was asked for least lately, but not this one; says whether there was one.
    fn forget_but(&self, site: usize) -> bool {
        let mut places = lock(&self.places);
        let oldest = places.iter().position(|(other, _)| *other != site);
        oldest.and_then(|at| places.remove(at)).is_some()
    }
}

impl Place {
    fn new(room: &Room) -> Self {
        Self { results: Table::new(room), labelled: Table::new(room), sized: Table::new(room) }
    }
}

impl Together for LabelledRuns {
    fn objects(&self) -> usize {
        self.objects()
    }

    fn pixels(&self) -> u64 {
        self.pixels()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

impl Together for SizedRuns {
    fn objects(&self) -> usize {
        self.objects()
    }

    fn pixels(&self) -> u64 {
        self.pixels()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: usize) -> Kept<Words> {
        Kept { value: Words::default(), bytes, seconds: 1e-6 }
    }

    fn put(seen: &ObjectsSeen, site: usize, number: u64, bytes: usize) {
        let place = seen.place(site);
        seen.keep(site, &place.results, Shape::default().and(&[number]), kept(bytes));
    }

    fn known(seen: &ObjectsSeen, site: usize, number: u64) -> bool {
        seen.place(site).results.get(Shape::default().and(&[number]), |_| ()).is_some()
    }

    #[test]
    fn parts_that_are_long_over_are_forgotten() {
        let budget = Budget::new(u64::MAX);
        let seen = ObjectsSeen::new(&budget, Budget::new(u64::MAX));
        (0..100).for_each(|site| put(&seen, site, site as u64, 0));
        let bytes = budget.used();
        assert!(known(&seen, 99, 99) && known(&seen, 90, 90) && !known(&seen, 0, 0) && !known(&seen, 99, 90));
        assert!(budget.used() <= bytes);
        (0..100).for_each(|site| put(&seen, site, site as u64, 0));
        assert!(budget.used() <= bytes);
        drop(seen);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_new_part_finds_room_where_old_ones_took_all() {
        let seen = ObjectsSeen::new(&Budget::new(u64::MAX), Budget::new(10_000));
        put(&seen, 1, 1, 4_000);
        put(&seen, 2, 2, 4_000);
        put(&seen, 3, 3, 4_000);
        assert!(known(&seen, 3, 3) && known(&seen, 2, 2) && !known(&seen, 1, 1));
        put(&seen, 4, 4, 20_000);
        assert!(!known(&seen, 4, 4));
    }
}
