//! A cache under a memory bound that evicts by GreedyDual-Size (Cao, Irani 1997).
//!
//! The worth of a value is the seconds it saves per byte plus the age of its shard at its last lookup; the age of a shard is
//! the worth of the last evicted value.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use onceflow_region::{Budget, Lease};

use crate::ObjectHash;

/// Independently locked shards, so that workers seldom wait for each other.
const SHARDS: usize = 16;
/// A full shard evicts one in so many of its values at once, for finding the least worth takes a pass over all.
const SHARE: usize = 8;
/// Bytes of an entry in a map that has just doubled: seven buckets of sixteen are in use, and the old half still exists.
const fn entry_bytes<V>() -> u64 {
    (size_of::<(ObjectHash, StoredEntry<V>)>() as u64 + 1) * 24 / 7 + 1
}
/// The capacity of a map per entry; above it the map shrinks, since entries pay for no more.
const ROOM: usize = 3;

/// Values by hash, shared by all workers.
#[derive(Debug)]
pub struct CacheTable<V> {
    shards: Vec<RwLock<CacheShard<V>>>,
    budgets: CacheBudgets,
}

/// The cache reserves each byte in both: in the spare bytes it may use, and in the budget it shares with tasks.
#[derive(Clone, Debug)]
pub(super) struct CacheBudgets {
    pub(super) spare: Budget,
    pub(super) shared: Budget,
}

#[derive(Debug)]
struct CacheShard<V> {
    entries: HashMap<ObjectHash, StoredEntry<V>, BuildHasherDefault<FirstWordHasher>>,
    /// Keys of values that a worker is computing.
    claimed: Vec<ObjectHash>,
    age: f32,
    /// The bytes of its entries in both budgets.
    leases: Option<[Lease; 2]>,
}

/// A value to be cached.
#[derive(Debug)]
pub struct CacheEntry<V> {
    /// The value.
    pub value: V,
    /// Bytes of the heap it owns.
    pub bytes: usize,
    /// Seconds its computation took.
    pub seconds: f64,
}

#[derive(Debug)]
struct StoredEntry<V> {
    value: V,
    /// Seconds saved per byte.
    rate: f32,
    /// The bits of an `f32`; lookups change it under a read lock.
    worth: AtomicU32,
    /// Bytes of the shard's leases for this entry.
    bytes: u64,
}

impl<V> CacheTable<V> {
    /// An empty table.
    pub(super) fn new(budgets: &CacheBudgets) -> Self {
        let shard =
            || CacheShard { entries: HashMap::default(), claimed: Vec::new(), age: 0.0, leases: None };
        Self { shards: (0..SHARDS).map(|_| RwLock::new(shard())).collect(), budgets: budgets.clone() }
    }

    /// Passes the value of a key to `take`; none if it is not cached.
    pub fn get<T>(&self, key: ObjectHash, take: impl FnOnce(&V) -> T) -> Option<T> {
        read(&self.shards[shard_of(key)]).get(key).map(take)
    }

    /// Passes the cached values of many keys to `take`, each with the index of its key, in any order and in one slice per
    /// shard: each shard is locked once, for reading.
    pub fn get_all(&self, keys: &[ObjectHash], mut take: impl FnMut(&[(usize, &V)])) {
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

    /// Registers that the caller computes a value; false if it is cached or claimed. Claims are advisory: a value computed
    /// twice is only computed twice.
    pub fn claim(&self, key: ObjectHash) -> bool {
        let mut shard = self.shard(key);
        let free = !shard.entries.contains_key(&key) && !shard.claimed.contains(&key);
        if free {
            shard.claimed.push(key);
        }
        free
    }

    /// Caches a value if it fits, evicting others if necessary; returns the value if others' leases leave no room.
    pub fn put(&self, key: ObjectHash, entry: CacheEntry<V>) -> Option<CacheEntry<V>> {
        let bytes = entry_bytes::<V>() + entry.bytes as u64;
        let mut shard = self.shard(key);
        shard.claimed.retain(|claimed| *claimed != key);
        if bytes > self.budgets.most() || shard.entries.contains_key(&key) {
            return None;
        }
        let mut freed = 0;
        while !self.budgets.grow(&mut shard.leases, bytes) {
            if freed >= bytes || shard.entries.is_empty() {
                return Some(entry);
            }
            freed += shard.make_room();
        }
        let rate = (entry.seconds / bytes as f64) as f32;
        let worth = shard.age + rate;
        let worth = AtomicU32::new(worth.to_bits());
        shard.entries.insert(key, StoredEntry { value: entry.value, rate, worth, bytes });
        None
    }

    /// No worker computes anything now.
    pub(super) fn forget_claims(&self) {
        for shard in &self.shards {
            shard.write().unwrap_or_else(PoisonError::into_inner).claimed.clear();
        }
    }

    /// Number of values.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| read(shard).entries.len()).sum()
    }

    fn shard(&self, key: ObjectHash) -> RwLockWriteGuard<'_, CacheShard<V>> {
        self.shards[shard_of(key)].write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn shard_of(key: ObjectHash) -> usize {
    // The first word chooses the bucket of the map.
    key.words()[1] as usize % SHARDS
}

fn read<V>(shard: &RwLock<CacheShard<V>>) -> RwLockReadGuard<'_, CacheShard<V>> {
    shard.read().unwrap_or_else(PoisonError::into_inner)
}

impl<V> CacheShard<V> {
    fn get(&self, key: ObjectHash) -> Option<&V> {
        let entry = self.entries.get(&key)?;
        let worth = (self.age + entry.rate).to_bits();
        // An unchanged cache line stays shared between cores.
        if entry.worth.load(Ordering::Relaxed) != worth {
            entry.worth.store(worth, Ordering::Relaxed);
        }
        Some(&entry.value)
    }

    /// Evicts the values of least worth; returns their bytes.
    fn make_room(&mut self) -> u64 {
        let mut worths: Vec<f32> = self.entries.values().map(StoredEntry::worth).collect();
        let last = worths.len().div_ceil(SHARE) - 1;
        let (_, least, _) = worths.select_nth_unstable_by(last, f32::total_cmp);
        self.age = *least;
        let (mut freed, mut gone) = (0, 0);
        self.entries.retain(|_, entry| {
            // Of many of equal worth only the share is evicted.
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

impl<V> StoredEntry<V> {
    fn worth(&self) -> f32 {
        f32::from_bits(self.worth.load(Ordering::Relaxed))
    }
}

impl CacheBudgets {
    /// The bytes available when nothing else is reserved.
    #[inline]
    fn most(&self) -> u64 {
        self.spare.limit().min(self.shared.limit())
    }

    /// Reserves more bytes in both budgets, or in neither.
    #[inline]
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

/// Keys are hashes already: uses their first word.
#[derive(Default)]
struct FirstWordHasher(u64);

impl Hasher for FirstWordHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // Maps use the highest bits too, and a word has 61.
        self.0 << 3 | self.0 >> 58
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> ObjectHash {
        ObjectHash::default().and(&[number])
    }

    fn put(table: &CacheTable<u64>, number: u64, bytes: usize, seconds: f64) {
        table.put(key(number), CacheEntry { value: number, bytes, seconds });
    }

    fn table(most: u64) -> (Budget, CacheTable<u64>) {
        let budget = Budget::new(1 << 30);
        let table = CacheTable::new(&CacheBudgets { shared: budget.clone(), spare: Budget::new(most) });
        (budget, table)
    }

    #[test]
    fn values_come_back_and_their_bytes_with_the_table() {
        let (budget, table) = table(1 << 20);
        (0..1000).for_each(|number| put(&table, number, 10, 1e-6));
        assert!((0..1000).all(|number| table.get(key(number), |value| *value) == Some(number)));
        assert_eq!(table.get(key(1000), |value| *value), None);
        let mut all = Vec::new();
        let keys: Vec<ObjectHash> = (500..1500).map(key).collect();
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
    fn values_that_save_most_stay_until_lookups_end() {
        // Each shard makes room in itself alone: it must be large enough that chance leaves it some cheap values.
        let (_, table) = table(4000 * entry_bytes::<u64>());
        let dear: Vec<u64> = (0..100).collect();
        // A shard grows older by what a cheap value is worth when all of its cheap ones were replaced: by 20,000 of them
        // about five times, by 200,000 fifty times.
        dear.iter().for_each(|number| put(&table, *number, 0, 20.0));
        let kept =
            |table: &CacheTable<u64>| dear.iter().filter(|n| table.get(key(**n), |_| ()).is_some()).count();
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
        assert!(table.put(key(3), CacheEntry { value: 3, bytes: 1 << 40, seconds: 1.0 }).is_none());
        assert_eq!(table.get(key(3), |value| *value), None);
    }
}
