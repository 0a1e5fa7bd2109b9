//! A table under a bound: what saves the least time per byte, and was not asked for lately, makes room for what is new.
//!
//! It is GreedyDual-Size (Cao, Irani 1997): a value is worth the seconds it saves per byte plus the age of the table when it
//! was last asked for, and the age is what the last value was worth that had to go.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use onceflow_kernels::Shape;
use onceflow_region::{Budget, Lease};

/// Tables side by side, so that workers seldom wait for each other.
const SHARDS: usize = 16;
/// The share of a full shard that goes at once: finding what is worth least means looking at all.
const SHARE: usize = 8;
/// Bytes of an entry in a map that has just doubled: seven buckets of sixteen are in use, and the old half is still there.
const fn entry_bytes<V>() -> u64 {
    (size_of::<(Shape, Entry<V>)>() as u64 + 1) * 24 / 7 + 1
}
/// Entries that a map may have room for, for each one it has: more than that is more than their bytes pay for.
const ROOM: usize = 3;

/// Values by digest, shared by all workers.
#[derive(Debug)]
pub(crate) struct Table<V> {
    shards: Vec<RwLock<Shard<V>>>,
    room: Room,
}

/// A bound on what is spare, below a budget that tasks use as well.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) spare: Budget,
    pub(super) shared: Budget,
}

#[derive(Debug)]
struct Shard<V> {
    entries: HashMap<Shape, Entry<V>, BuildHasherDefault<FirstLane>>,
    /// Values that somebody makes now.
    claimed: Vec<Shape>,
    age: f32,
    /// What its entries take of both budgets.
    leases: Option<[Lease; 2]>,
}

/// A value that is to be kept.
#[derive(Debug)]
pub(crate) struct Kept<V> {
    pub(crate) value: V,
    /// Bytes that it has elsewhere.
    pub(crate) bytes: usize,
    /// How long it took to make.
    pub(crate) seconds: f64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    /// Seconds that it saves per byte.
    rate: f32,
    /// The bits of a number: who only asks may change it.
    worth: AtomicU32,
    /// Its share of the shard's leases.
    bytes: u64,
}

impl<V> Table<V> {
    /// An empty table.
    pub(super) fn new(room: &Room) -> Self {
        let shard = || Shard { entries: HashMap::default(), claimed: Vec::new(), age: 0.0, leases: None };
        Self { shards: (0..SHARDS).map(|_| RwLock::new(shard())).collect(), room: room.clone() }
    }

    /// What is asked of the value with this digest, if it is there.
    pub(crate) fn get<T>(&self, key: Shape, take: impl FnOnce(&V) -> T) -> Option<T> {
        read(&self.shards[shard_of(key)]).get(key).map(take)
    }

    /// Gives the values of those of the keys that are there, each with its key's place, in any order and in a few pieces:
    /// whoever asks for many enters each shard once, and all can be in one at a time.
    pub(crate) fn get_all(&self, keys: &[Shape], mut take: impl FnMut(&[(usize, &V)])) {
        let mut places = [const { Vec::new() }; SHARDS];
        places.iter_mut().for_each(|places| places.reserve(keys.len() / SHARDS * 2));
        keys.iter().enumerate().for_each(|(place, key)| places[shard_of(*key)].push(place as u32));
        for (shard, places) in self.shards.iter().zip(&places) {
            let shard = read(shard);
            let of_shard = places.iter().map(|place| *place as usize);
            let mut found = Vec::with_capacity(places.len());
            found.extend(of_shard.filter_map(|place| Some((place, shard.get(keys[place])?))));
            take(&found);
        }
    }

    /// Says that somebody makes a value, unless it is there or somebody else makes it now. Who does not keep to it only
    /// makes others do the work as well.
    pub(crate) fn claim(&self, key: Shape) -> bool {
        let mut shard = self.shard(key);
        let free = !shard.entries.contains_key(&key) && !shard.claimed.contains(&key);
        if free {
            shard.claimed.push(key);
        }
        free
    }

    /// Keeps a value when there is room for it or room can be made; else it comes back.
    pub(crate) fn put(&self, key: Shape, kept: Kept<V>) -> Option<Kept<V>> {
        let bytes = entry_bytes::<V>() + kept.bytes as u64;
        let mut shard = self.shard(key);
        shard.claimed.retain(|claimed| *claimed != key);
        if bytes > self.room.most() || shard.entries.contains_key(&key) {
            return None;
        }
        let mut freed = 0;
        while !self.room.grow(&mut shard.leases, bytes) {
            if freed >= bytes || shard.entries.is_empty() {
                return Some(kept);
            }
            freed += shard.make_room();
        }
        let rate = (kept.seconds / bytes as f64) as f32;
        let worth = shard.age + rate;
        let worth = AtomicU32::new(worth.to_bits());
        shard.entries.insert(key, Entry { value: kept.value, rate, worth, bytes });
        None
    }

    /// How many values there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| read(shard).entries.len()).sum()
    }

    fn shard(&self, key: Shape) -> RwLockWriteGuard<'_, Shard<V>> {
        self.shards[shard_of(key)].write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shard_of(key: Shape) -> usize {
    // The other lane chooses the bucket.
    key.words()[1] as usize % SHARDS
}

fn read<V>(shard: &RwLock<Shard<V>>) -> RwLockReadGuard<'_, Shard<V>> {
    shard.read().unwrap_or_else(PoisonError::into_inner)
}

impl<V> Shard<V> {
    fn get(&self, key: Shape) -> Option<&V> {
        let entry = self.entries.get(&key)?;
        let worth = (self.age + entry.rate).to_bits();
        // What is not written stays in the caches of all who read it.
        if entry.worth.load(Ordering::Relaxed) != worth {
            entry.worth.store(worth, Ordering::Relaxed);
        }
        Some(&entry.value)
    }

    /// Drops a share of the values, those that are worth least; says how many bytes they had.
    fn make_room(&mut self) -> u64 {
        let mut worths: Vec<f32> = self.entries.values().map(Entry::worth).collect();
        let last = worths.len().div_ceil(SHARE) - 1;
        let (_, least, _) = worths.select_nth_unstable_by(last, f32::total_cmp);
        self.age = *least;
        let (mut freed, mut gone) = (0, 0);
        self.entries.retain(|_, entry| {
            // Of many that are worth the same only the share goes.
            let stays = entry.worth() > *least || gone > last;
            if !stays {
                gone += 1;
                freed += entry.bytes;
            }
            stays
        });
        if self.entries.capacity() > ROOM * self.entries.len() {
            self.entries.shrink_to_fit();
        }
        self.leases.iter_mut().flatten().for_each(|lease| lease.shrink(lease.bytes() - freed));
        freed
    }
}

impl<V> Entry<V> {
    fn worth(&self) -> f32 {
        f32::from_bits(self.worth.load(Ordering::Relaxed))
    }
}

impl Room {
    /// The bytes there would be if nobody else took any.
    fn most(&self) -> u64 {
        self.spare.limit().min(self.shared.limit())
    }

    /// Reserves so much more in both, or in none of them.
    fn grow(&self, leases: &mut Option<[Lease; 2]>, bytes: u64) -> bool {
        let Some([spare, shared]) = leases else {
            *leases =
                self.spare.try_reserve(bytes).zip(self.shared.try_reserve(bytes)).map(<[Lease; 2]>::from);
            return leases.is_some();
        };
        if !spare.try_grow(bytes) {
            return false;
        }
        let both = shared.try_grow(bytes);
        if !both {
            spare.shrink(spare.bytes() - bytes);
        }
        both
    }
}

/// Digests need no more spreading.
#[derive(Default)]
struct FirstLane(u64);

impl Hasher for FirstLane {
    fn finish(&self) -> u64 {
        // Maps look at the highest bits as well, and a lane has 61.
        self.0 << 3 | self.0 >> 58
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Shape {
        Shape::default().and(&[number])
    }

    fn put(table: &Table<u64>, number: u64, bytes: usize, seconds: f64) {
        table.put(key(number), Kept { value: number, bytes, seconds });
    }

    fn table(most: u64) -> (Budget, Table<u64>) {
        let budget = Budget::new(1 << 30);
        let table = Table::new(&Room { shared: budget.clone(), spare: Budget::new(most) });
        (budget, table)
    }

    #[test]
    fn values_come_back_and_their_bytes_with_the_table() {
        let (budget, table) = table(1 << 20);
        (0..1000).for_each(|number| put(&table, number, 10, 1e-6));
        assert!((0..1000).all(|number| table.get(key(number), |value| *value) == Some(number)));
        assert_eq!(table.get(key(1000), |value| *value), None);
        let mut all = Vec::new();
        let keys: Vec<Shape> = (500..1500).map(key).collect();
        table.get_all(&keys, |found| {
            all.extend(found.iter().map(|(place, value)| (*place as u64 + 500, **value)));
        });
        all.sort_unstable();
        assert_eq!(all, (500..1000).map(|number| (number, number)).collect::<Vec<_>>());
        assert_eq!(budget.used(), 1000 * (entry_bytes::<u64>() + 10));
        drop(table);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn no_room_keeps_nothing_and_little_room_some() {
        for most in [0, 1, 500, 5_000, 50_000] {
            let (budget, table) = table(most);
            for number in 0..2000 {
                put(&table, number, 10, 1e-6);
                assert!(budget.used() <= most);
            }
            let wrong = |number: &u64| table.get(key(*number), |value| *value).is_some_and(|v| v != *number);
            assert!(!(0..2000).any(|number| wrong(&number)));
            assert!(
                table.len() as u64 >= most / 2 / (entry_bytes::<u64>() + 10),
                "{} of {most}",
                table.len()
            );
        }
    }

    #[test]
    fn a_budget_that_others_use_up_is_not_exceeded() {
        let (budget, table) = table(u64::MAX);
        let others = budget.try_reserve((1 << 30) - 3 * (entry_bytes::<u64>())).unwrap();
        (0..100).for_each(|number| put(&table, number, 0, 1e-6));
        assert!((1..=3).contains(&table.len()));
        drop(others);
    }

    #[test]
    fn what_saves_most_stays_until_nobody_asks_for_it() {
        // Each shard makes room in itself alone: it must be large enough that chance leaves it some cheap values.
        let (_, table) = table(4000 * entry_bytes::<u64>());
        let dear: Vec<u64> = (0..100).collect();
        // A shard grows older by what a cheap value is worth when all of its cheap ones were replaced: by 20,000 of them
        // about five times, by 200,000 fifty times.
        dear.iter().for_each(|number| put(&table, *number, 0, 20.0));
        let kept = |table: &Table<u64>| dear.iter().filter(|n| table.get(key(**n), |_| ()).is_some()).count();
        (1_000..21_000).for_each(|number| put(&table, number, 0, 1.0));
        assert_eq!(kept(&table), 100);
        (21_000..221_000).for_each(|number| put(&table, number, 0, 1.0));
        assert_eq!(kept(&table), 0);
    }

    #[test]
    fn a_value_is_claimed_by_one_until_it_is_there() {
        let (_, table) = table(1 << 20);
        assert!(table.claim(key(1)) && !table.claim(key(1)) && table.claim(key(2)));
        put(&table, 1, 0, 1.0);
        assert!(!table.claim(key(1)));
        assert!(table.put(key(3), Kept { value: 3, bytes: 1 << 40, seconds: 1.0 }).is_none());
        assert_eq!(table.get(key(3), |value| *value), None);
    }
}
