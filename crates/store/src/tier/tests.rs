//! Tiers against a model, under eight threads, and with stores that fail.

use std::collections::HashMap;

use onceflow_region::{Dense, Pixels, RegionId, RegionKind};
use proptest::prelude::*;

use super::builder::WORKSPACE;
use super::*;
use crate::blob::{BlobError, BlobStore as _, DiskBlobs, MemoryBlobs};
use crate::publish::{Fault, PublishStep, Publisher};

/// A region that its number and size tell from all others.
fn plane(number: u8, size: usize) -> Arc<Region> {
    Arc::new(Region::Dense(Dense::new(size, 1, 1, Pixels::U8(vec![number; size])).unwrap()))
}

fn key(number: u8) -> TierKey {
    TierKey::from([number; 32])
}

fn budget(bytes: u64) -> Budget {
    budget_for(1, bytes)
}

/// A budget of which this much is left when so many threads have their own.
fn budget_for(threads: u64, bytes: u64) -> Budget {
    Budget::new(threads * WORKSPACE + bytes)
}

/// A store without bounds of its own.
fn blobs() -> MemoryBlobs {
    MemoryBlobs::new(Budget::new(u64::MAX))
}

#[test]
fn tiers_are_a_store() {
    let tiers = Tiers::builder(budget(1 << 20), 100).below(blobs(), 1 << 20).threads(1).start().unwrap();
    crate::conformance::check(&tiers);
}

#[test]
fn equal_content_is_kept_once() {
    let tiers = Tiers::builder(budget(1000), 1000).threads(1).start().unwrap();
    let id = RegionId::new("image", "mask", RegionKind::Dense);
    tiers.put(key(1), plane(7, 300), Cost::recompute(1.0)).unwrap();
    tiers.put(key(2), plane(7, 300), Cost::keep()).unwrap();
    tiers.put(id.clone(), plane(7, 300), Cost::keep()).unwrap();
    assert_eq!((tiers.statistics().tiers[0].used, tiers.statistics().shared), (300, 2));
    assert!(tiers.forget(key(1)) && !tiers.forget(key(1)));
    assert!(tiers.get(key(1)).unwrap().is_none());
    assert!(tiers.get(key(2)).unwrap().is_some() && tiers.get(id.clone()).unwrap().is_some());
    // A key that leads elsewhere leaves what it led to.
    tiers.put(key(2), plane(8, 100), Cost::keep()).unwrap();
    tiers.forget(id);
    assert_eq!(tiers.statistics().tiers[0].used, 100);
}

#[test]
fn what_is_put_below_is_there_at_once_and_leaves_memory_though_somebody_holds_it() {
    let budget = budget(1000);
    let tiers = Tiers::builder(budget.clone(), 0).below(blobs(), 1000).threads(1).start().unwrap();
    let held = plane(1, 400);
    tiers.put_below(key(1), Arc::clone(&held), Cost::keep()).unwrap();
    let used = |tier: usize| tiers.statistics().tiers[tier].used;
    assert!(used(0) == 0 && used(1) >= 400);
    let weak = Arc::downgrade(&held);
    drop(held);
    assert!(weak.upgrade().is_none(), "no holder is left");
    let back = tiers.get(key(1)).unwrap().unwrap();
    assert_eq!(back.digest(), plane(1, 400).digest());
    // Memory has no share for it: it goes with its holder.
    assert_eq!((used(0), budget.used()), (0, WORKSPACE + 400));
    let weak = Arc::downgrade(&back);
    drop(back);
    assert!(weak.upgrade().is_none());
    tiers.flush().unwrap();
    assert_eq!(budget.used(), WORKSPACE);
    // The same content is not written again, and what has no room says so and can be forgotten.
    tiers.put_below(key(2), plane(1, 400), Cost::keep()).unwrap();
    assert_eq!(tiers.statistics().tiers[1].bytes_in, used(1));
    let error = tiers.put_below(key(3), plane(3, 900), Cost::keep()).unwrap_err();
    assert!(matches!(error, TierError::Stuck { .. }), "{error}");
    assert!(tiers.forget(key(3)) && tiers.get(key(1)).unwrap().is_some());
}

#[test]
fn a_store_that_fails_is_told_by_the_put_below() {
    let place = tempfile::tempdir().unwrap();
    drop(DiskBlobs::open(place.path()).unwrap());
    let fault = |step| (step == PublishStep::Write).then_some(Fault::Error(std::io::ErrorKind::StorageFull));
    let disk = DiskBlobs::open_with(place.path(), Publisher::hasty().with_faults(fault)).unwrap();
    let tiers = Tiers::builder(budget(1000), 0).below(disk, 1000).threads(1).start().unwrap();
    let error = tiers.put_below(key(1), plane(1, 100), Cost::keep()).unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!(tiers.get(key(1)).unwrap().is_some(), "it stays in memory");
}

#[test]
fn a_hit_copies_nothing_and_memory_is_given_back_by_the_last_holder() {
    let budget = budget(1000);
    let tiers = Tiers::builder(budget.clone(), 1000).threads(1).start().unwrap();
    let region = plane(1, 400);
    tiers.put_leased(key(1), Arc::clone(&region), budget.try_reserve(900).unwrap(), Cost::keep()).unwrap();
    assert!(Arc::ptr_eq(&region, &tiers.get(key(1)).unwrap().unwrap()));
    assert_eq!(budget.used(), WORKSPACE + 400);
    tiers.forget(key(1));
    tiers.flush().unwrap();
    assert_eq!(budget.used(), WORKSPACE + 400, "a holder is left");
    drop(region);
    tiers.flush().unwrap();
    assert_eq!(budget.used(), WORKSPACE);
    drop(tiers);
    assert_eq!(budget.used(), 0);
}

/// The keys that are still in memory after one region too many, under a policy.
fn kept_by(policy: EvictionPolicy) -> Vec<u8> {
    let tiers =
        Tiers::builder(budget(10_000), 300).policy(policy).below(blobs(), 1 << 20).seconds_per_byte(1e-3);
    let tiers = tiers.threads(1).start().unwrap();
    for (number, seconds) in [(1, 0.05), (2, 9.0), (3, 0.01)] {
        tiers.put(key(number), plane(number, 100), Cost::recompute(seconds)).unwrap();
    }
    tiers.get(key(1)).unwrap();
    tiers.put(key(4), plane(4, 100), Cost::keep()).unwrap();
    tiers.flush().unwrap();
    let in_memory = |number: &u8| {
        let state = tiers.shared.lock();
        state.entries[&state.index.get(&key(*number)).unwrap()].memory.is_some()
    };
    (1..=4).filter(in_memory).collect()
}

#[test]
fn policies_choose_who_leaves() {
    assert_eq!(kept_by(EvictionPolicy::Fifo), [2, 3, 4], "the first one leaves");
    assert_eq!(kept_by(EvictionPolicy::Lru), [1, 3, 4], "the first one was used since");
    assert_eq!(kept_by(EvictionPolicy::CostAware), [1, 2, 4], "the third one is made again soonest");
}

#[test]
fn regions_go_down_tier_by_tier_and_off_the_last() {
    // A blob of 100 pixels takes 164 bytes: two fit the upper store and three the lower one.
    let tiers = Tiers::builder(budget(10_000), 100).below(blobs(), 330).below(blobs(), 500).threads(1);
    let tiers = tiers.policy(EvictionPolicy::Fifo).start().unwrap();
    for number in 1..=8 {
        tiers.put(key(number), plane(number, 100), Cost::recompute(1.0)).unwrap();
        tiers.flush().unwrap();
    }
    let found: Vec<bool> = (1..=8).map(|number| tiers.contains(key(number))).collect();
    assert_eq!(found, [false, false, true, true, true, true, true, true]);
    let statistics = tiers.statistics();
    assert_eq!(statistics.dropped, 2);
    assert_eq!(statistics.tiers.iter().map(|tier| tier.used).collect::<Vec<_>>(), [100, 328, 492]);
    assert_eq!(statistics.tiers.iter().map(|tier| tier.evictions).collect::<Vec<_>>(), [7, 5, 2]);
    assert!(tiers.get(key(1)).unwrap().is_none());
    // From the lowest tier straight to memory.
    assert!(tiers.get(key(3)).unwrap().unwrap().digest() == plane(3, 100).digest());
    assert_eq!(tiers.statistics().tiers[2].hits, 1);
}

#[test]
fn what_must_be_kept_is_never_dropped() {
    let tiers = Tiers::builder(budget(250), 100).below(blobs(), 200).threads(1).start().unwrap();
    tiers.put(key(1), plane(1, 100), Cost::keep()).unwrap();
    tiers.put(key(2), plane(2, 100), Cost::keep()).unwrap();
    tiers.flush().unwrap();
    tiers.put(key(3), plane(3, 100), Cost::keep()).unwrap();
    assert_eq!(tiers.flush(), Err(TierError::Stuck { bytes: 164 }));
    let full = tiers.put(key(4), plane(4, 100), Cost::keep()).unwrap_err();
    assert_eq!(full, TierError::Full { bytes: 100, free: 50 });
    assert!(
        full.to_string().ends_with("nothing that can leave; release or forget regions, or raise the limit")
    );
    assert!((1..=3).all(|number| tiers.contains(key(number))));
    // What may be dropped makes no room for itself at the cost of what must be kept.
    assert!(tiers.put(key(5), plane(5, 40), Cost::recompute(1.0)).is_ok());
    assert!(tiers.forget(key(3)));
    tiers.put(key(4), plane(4, 100), Cost::keep()).unwrap();
}

#[test]
fn pinned_regions_stay_in_memory() {
    let tiers = Tiers::builder(budget(10_000), 100).below(blobs(), 1 << 20).threads(1).start().unwrap();
    tiers.put(key(1), plane(1, 100), Cost::recompute(0.0)).unwrap();
    let pin = tiers.pin(key(1)).unwrap().unwrap();
    assert_eq!(pin.digest(), plane(1, 100).digest());
    let again = |number| tiers.put(key(number), plane(number, 100), Cost::keep());
    (2..=6).try_for_each(again).unwrap();
    tiers.flush().unwrap();
    assert!(Arc::ptr_eq(pin.region(), &tiers.get(key(1)).unwrap().unwrap()));
    tiers.forget(key(1));
    drop(pin);
    assert!(tiers.get(key(1)).unwrap().is_none() && tiers.pin(key(9)).unwrap().is_none());
}

#[test]
fn announced_regions_are_in_memory_when_they_are_asked_for() {
    let tiers = Tiers::builder(budget(10_000), 200).below(blobs(), 1 << 20).threads(1).start().unwrap();
    for number in 1..=6 {
        tiers.put(key(number), plane(number, 100), Cost::keep()).unwrap();
    }
    tiers.flush().unwrap();
    tiers.prefetch([key(1), key(2), key(77)]);
    tiers.flush().unwrap();
    let before = tiers.statistics();
    assert_eq!((before.prefetched, before.tiers[0].used), (2, 200));
    tiers.get(key(1)).unwrap().unwrap();
    tiers.get(key(2)).unwrap().unwrap();
    let after = tiers.statistics();
    assert_eq!(after.tiers[0].hits, before.tiers[0].hits + 2);
    tiers.put(key(9), plane(9, 5000), Cost::keep()).unwrap();
    tiers.flush().unwrap();
    tiers.prefetch([key(9)]);
    tiers.flush().unwrap();
    assert_eq!(tiers.statistics().not_prefetched, 1, "it is larger than all memory");
}

#[test]
fn others_are_given_room() {
    let budget = budget(1000);
    let tiers = Tiers::builder(budget.clone(), 1000).below(blobs(), 1 << 20).threads(1).start().unwrap();
    for number in 1..=9 {
        tiers.put(key(number), plane(number, 100), Cost::keep()).unwrap();
    }
    let lease = tiers.reserve(700).unwrap();
    assert_eq!(lease.bytes(), 700);
    assert!(matches!(tiers.reserve(2000), Err(TierError::Full { .. })));
    assert!((1..=9).all(|number| tiers.contains(key(number))));
}

#[test]
fn a_failing_disk_is_told_and_tried_again() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    let place = tempfile::tempdir().unwrap();
    let (full, met) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (faults, counted) = (Arc::clone(&full), Arc::clone(&met));
    let publisher = Publisher::hasty().with_faults(move |step| {
        let fails = step == PublishStep::Sync && faults.load(Ordering::SeqCst);
        counted.fetch_add(usize::from(fails), Ordering::SeqCst);
        fails.then_some(Fault::Error(std::io::ErrorKind::StorageFull))
    });
    let disk = DiskBlobs::open_with(place.path(), publisher).unwrap();
    let tiers = Tiers::builder(budget(10_000), 100).below(disk, 1 << 20).threads(1).start().unwrap();
    full.store(true, Ordering::SeqCst);
    tiers.put(key(1), plane(1, 100), Cost::keep()).unwrap();
    tiers.put(key(2), plane(2, 100), Cost::keep()).unwrap();
    let said = tiers.flush().unwrap_err().to_string();
    assert!(said.contains("the disk is full: free space or name another folder"), "{said}");
    full.store(false, Ordering::SeqCst);
    // The background tries again by itself, and may have done so while the disk was still full: what it met then is told
    // too, each fault once. The disk has room now, so that no more come.
    let told_later = (0..100).take_while(|_| tiers.flush().is_err()).count();
    let all = met.load(Ordering::SeqCst);
    assert!(told_later < all, "one was told before, {told_later} later, of {all}");
    assert_eq!(tiers.statistics().tiers[1].used, 164);
    for number in [1, 2] {
        assert_eq!(tiers.get(key(number)).unwrap().unwrap().digest(), plane(number, 100).digest());
    }
    drop(tiers);
    assert!(DiskBlobs::open(place.path()).unwrap().list().unwrap().is_empty(), "nothing is left behind");
}

#[test]
fn damaged_regions_are_told_once_and_gone() {
    let place = tempfile::tempdir().unwrap();
    let disk = DiskBlobs::open_with(place.path(), Publisher::hasty()).unwrap();
    let tiers = Tiers::builder(budget(10_000), 0).below(disk, 1 << 20).threads(1).start().unwrap();
    tiers.put(key(1), plane(1, 100), Cost::keep()).unwrap();
    tiers.flush().unwrap();
    let disk = DiskBlobs::open(place.path()).unwrap();
    let digest = disk.list().unwrap()[0].to_string();
    let path = place.path().join(&digest[..2]).join(&digest);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[90] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = tiers.get(key(1)).unwrap_err();
    let damaged = |error: &BlobError| matches!(error, BlobError::Damaged { .. });
    assert!(
        matches!(&error, TierError::Blob(inner) | TierError::Codec(crate::codec::CodecError::Stream(inner)) if damaged(inner)),
        "{error}"
    );
    assert!(tiers.get(key(1)).unwrap().is_none());
    assert_eq!(tiers.statistics().tiers[1].used, 0);
}

#[derive(Debug, Clone)]
enum Act {
    Put { key: u8, number: u8, size: usize, droppable: bool },
    Get(u8),
    Pin(u8),
    Unpin(usize),
    Forget(u8),
    Prefetch(Vec<u8>),
    Flush,
}

fn act() -> impl Strategy<Value = Act> {
    let key = || 0u8..8;
    prop_oneof![
        6 => (key(), 0u8..6, 0usize..300, any::<bool>())
            .prop_map(|(key, number, size, droppable)| Act::Put { key, number, size: size / 100 * 100, droppable }),
        5 => key().prop_map(Act::Get),
        1 => key().prop_map(Act::Pin),
        2 => any::<usize>().prop_map(Act::Unpin),
        2 => key().prop_map(Act::Forget),
        1 => prop::collection::vec(key(), 0..4).prop_map(Act::Prefetch),
        1 => Just(Act::Flush),
    ]
}

/// What tiers should hold, beside the tiers that are tested.
struct Model {
    tiers: Tiers,
    budget: Budget,
    /// Whether the last tier has room for everything.
    vast: bool,
    regions: HashMap<u8, HeldRegion>,
    pins: Vec<(u8, Pin)>,
    /// How many were put.
    puts: usize,
}

struct HeldRegion {
    region: Arc<Region>,
    droppable: bool,
    /// How many had been put before.
    after: usize,
}

impl Model {
    fn new(policy: EvictionPolicy, vast: bool) -> Model {
        let budget = budget_for(2, 2500);
        let last = if vast { 1 << 20 } else { 700 };
        let tiers = Tiers::builder(budget.clone(), 500).policy(policy).below(blobs(), 600).policy(policy);
        let tiers = tiers.below(blobs(), last).policy(policy).threads(2).start().unwrap();
        Model { tiers, budget, vast, regions: HashMap::new(), pins: Vec::new(), puts: 0 }
    }

    fn perform(&mut self, act: &Act) {
        match act {
            Act::Put { key: at, number, size, droppable } => {
                let cost = if *droppable { Cost::recompute(f64::from(*number)) } else { Cost::keep() };
                match self.tiers.put(key(*at), plane(*number, *size), cost) {
                    Ok(()) => {
                        let region = plane(*number, *size);
                        self.regions
                            .insert(*at, HeldRegion { region, droppable: *droppable, after: self.puts });
                        self.puts += 1;
                    }
                    Err(error) => self.allow(&error, *size as u64),
                }
            }
            Act::Get(at) => match self.tiers.get(key(*at)) {
                Ok(found) => self.check(*at, found.as_ref()),
                Err(error) => self.allow(&error, 900),
            },
            Act::Pin(at) => match self.tiers.pin(key(*at)) {
                Ok(pin) => {
                    self.check(*at, pin.as_ref().map(Pin::region));
                    self.pins.extend(pin.map(|pin| (*at, pin)));
                }
                Err(error) => self.allow(&error, 900),
            },
            Act::Unpin(at) if !self.pins.is_empty() => drop(self.pins.swap_remove(at % self.pins.len())),
            Act::Unpin(_) => {}
            Act::Forget(at) => {
                self.tiers.forget(key(*at));
                self.regions.remove(at);
            }
            Act::Prefetch(keys) => self.tiers.prefetch(keys.iter().map(|at| key(*at))),
            Act::Flush => match self.tiers.flush() {
                Ok(()) => self.check_capacities(),
                Err(error) => assert!(!self.vast && matches!(error, TierError::Stuck { .. }), "{error}"),
            },
        }
        self.check_pins();
        assert!(self.budget.peak() <= self.budget.limit());
    }

    /// Memory may be full of what is pinned, or of what nothing below has room for.
    fn allow(&self, error: &TierError, bytes: u64) {
        assert!(matches!(error, TierError::Full { .. }), "{error}");
        let pinned: u64 = self.pins.iter().map(|(_, pin)| pin.bytes()).sum();
        assert!(!self.vast || pinned + bytes > 2500, "{error}: {pinned} bytes are pinned");
    }

    fn check(&mut self, at: u8, found: Option<&Arc<Region>>) {
        let Some(held) = self.regions.get(&at) else { return assert!(found.is_none()) };
        match found {
            Some(found) => assert_eq!(found.digest(), held.region.digest()),
            None => {
                // It may have gone before another thread put the same bytes to be kept, but not after.
                let same = |other: &&HeldRegion| other.region.digest() == held.region.digest();
                let mut before = self.regions.values().filter(same).filter(|other| other.after <= held.after);
                assert!(!self.vast && before.all(|other| other.droppable));
                self.regions.remove(&at);
            }
        }
    }

    /// What is pinned and not put anew is in memory, and the same.
    fn check_pins(&self) {
        for (at, pin) in &self.pins {
            if self.regions.get(at).is_some_and(|held| held.region.digest() == pin.digest()) {
                let hits = self.tiers.statistics().tiers[0].hits;
                let found = self.tiers.get(key(*at)).unwrap().unwrap();
                assert!(Arc::ptr_eq(&found, pin.region()) && self.tiers.statistics().tiers[0].hits > hits);
            }
        }
    }

    fn check_capacities(&self) {
        let pinned: u64 = self.pins.iter().map(|(_, pin)| pin.bytes()).sum();
        for (tier, statistics) in self.tiers.statistics().tiers.iter().enumerate() {
            let more = if tier == 0 { pinned } else { 0 };
            assert!(statistics.used <= statistics.capacity + more, "{statistics:?}");
        }
    }

    fn end(mut self) {
        self.pins.clear();
        let keys: Vec<u8> = self.regions.keys().copied().collect();
        for at in keys {
            self.perform(&Act::Get(at));
            self.tiers.forget(key(at));
        }
        self.tiers.flush().unwrap();
        assert!(self.tiers.statistics().tiers.iter().all(|tier| tier.used == 0));
        assert_eq!(self.budget.used(), 2 * WORKSPACE);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn tiers_hold_what_a_map_holds(acts in prop::collection::vec(act(), 0..60), policy in 0usize..3, vast in any::<bool>()) {
        let mut model = Model::new([EvictionPolicy::Fifo, EvictionPolicy::Lru, EvictionPolicy::CostAware][policy], vast);
        acts.iter().for_each(|act| model.perform(act));
        model.end();
    }
}

/// Eight threads put, get, pin, announce and forget the same regions in tiers that are far too small.
#[test]
fn threads_find_what_was_put() {
    let place = tempfile::tempdir().unwrap();
    let budget = budget_for(2, 12_000);
    let tiers = Tiers::builder(budget.clone(), 2000)
        .below(blobs(), 3000)
        .policy(EvictionPolicy::CostAware)
        .below(DiskBlobs::scratch(place.path()).unwrap(), 1 << 20)
        .start()
        .unwrap();
    let region = |at: u8| plane(at / 2, 100 + usize::from(at / 2) * 20);
    let check = |at: u8, found: &Region| assert_eq!(found.digest(), region(at).digest());
    let work = |seed: u64| {
        let mut state = seed;
        for _ in 0..250 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (at, choice) = ((state >> 33) as u8 % 40, (state >> 50) % 10);
            let result = match choice {
                0..4 => tiers.put(key(at), region(at), Cost::keep()),
                4..7 => tiers.get(key(at)).map(|found| found.iter().for_each(|found| check(at, found))),
                7 => tiers.pin(key(at)).map(|pin| pin.iter().for_each(|pin| check(at, pin))),
                8 => {
                    tiers.prefetch([key(at), key((at + 1) % 40)]);
                    Ok(())
                }
                _ => {
                    tiers.forget(key(at));
                    Ok(())
                }
            };
            assert!(matches!(result, Ok(()) | Err(TierError::Full { .. })), "{result:?}");
            assert!(budget.used() <= budget.limit());
        }
    };
    std::thread::scope(|scope| (1..=8).for_each(|seed| drop(scope.spawn(move || work(seed)))));
    tiers.flush().unwrap();
    for at in 0..40 {
        tiers.put(key(at), region(at), Cost::keep()).unwrap();
    }
    for at in 0..40 {
        check(at, &tiers.get(key(at)).unwrap().unwrap());
        tiers.forget(key(at));
    }
    tiers.flush().unwrap();
    assert!(tiers.statistics().tiers.iter().all(|tier| tier.used == 0), "{tiers:?}");
    assert_eq!(budget.used(), 2 * WORKSPACE);
    drop(tiers);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "the scratch folder goes with the tiers");
}
