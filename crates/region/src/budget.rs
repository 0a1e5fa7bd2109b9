//! The one ledger of memory: bytes are reserved before they are used, and never more than the limit.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most bytes that one read may bring into memory; larger boxes are read in parts.
pub const READ_LIMIT: u64 = 1 << 30;

/// A bound on memory, shared by everything that holds some. A clone is another handle to the same ledger.
#[derive(Clone)]
pub struct Budget(Arc<BudgetLedger>);

struct BudgetLedger {
    limit: AtomicU64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Budget {
    /// A ledger over this many bytes.
    #[inline]
    pub fn new(bytes: u64) -> Budget {
        Budget(Arc::new(BudgetLedger {
            limit: AtomicU64::new(bytes),
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }))
    }

    /// Reserves bytes, or none of them when they do not fit now. It never waits.
    #[inline]
    pub fn try_reserve(&self, bytes: u64) -> Option<Lease> {
        self.take(bytes).then(|| Lease { budget: self.clone(), bytes })
    }

    /// Bytes reserved now.
    #[inline]
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::SeqCst)
    }

    /// The most bytes that were reserved at one time.
    #[inline]
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::SeqCst)
    }

    /// The bytes there are.
    #[inline]
    pub fn limit(&self) -> u64 {
        self.0.limit.load(Ordering::SeqCst)
    }

    /// Changes the bytes there are. Leases stay: where they are more than that now, nothing is reserved until enough of
    /// them are given back.
    #[inline]
    pub fn set_limit(&self, bytes: u64) {
        self.0.limit.store(bytes, Ordering::SeqCst);
    }

    fn take(&self, bytes: u64) -> bool {
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.limit());
        match self.0.used.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits) {
            Ok(before) => {
                self.0.peak.fetch_max(before + bytes, Ordering::SeqCst);
                true
            }
            Err(_) => false,
        }
    }

    fn give_back(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::SeqCst);
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Budget({} of {} bytes, peak {})", self.used(), self.limit(), self.peak())
    }
}

/// Bytes that are reserved; dropping it gives them back.
#[derive(Debug)]
pub struct Lease {
    budget: Budget,
    bytes: u64,
}

impl Lease {
    /// How many bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back all bytes above `to`; a lease that is smaller already stays as it is.
    #[inline]
    pub fn shrink(&mut self, to: u64) {
        let surplus = self.bytes.saturating_sub(to);
        self.bytes -= surplus;
        self.budget.give_back(surplus);
    }

    /// Reserves more bytes under the same lease, or none of them when they do not fit now.
    #[inline]
    pub fn try_grow(&mut self, by: u64) -> bool {
        let fits = self.budget.take(by);
        if fits {
            self.bytes += by;
        }
        fits
    }

    /// Moves bytes into a lease of their own; `None` when this one holds fewer.
    #[inline]
    pub fn split(&mut self, bytes: u64) -> Option<Lease> {
        self.bytes = self.bytes.checked_sub(bytes)?;
        Some(Lease { budget: self.budget.clone(), bytes })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Act {
        Reserve(u64),
        Drop(usize),
        Shrink(usize, u64),
        Grow(usize, u64),
        Split(usize, u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        let bytes = prop_oneof![8 => 0u64..60, 1 => Just(u64::MAX)];
        prop_oneof![
            bytes.clone().prop_map(Act::Reserve),
            any::<usize>().prop_map(Act::Drop),
            (any::<usize>(), bytes.clone()).prop_map(|(i, n)| Act::Shrink(i, n)),
            (any::<usize>(), bytes.clone()).prop_map(|(i, n)| Act::Grow(i, n)),
            (any::<usize>(), bytes).prop_map(|(i, n)| Act::Split(i, n)),
        ]
    }

    /// Does one act on the leases as a list of numbers would do it.
    fn perform(budget: &Budget, leases: &mut Vec<Lease>, act: Act) {
        let free = budget.limit() - budget.used();
        let count = leases.len().max(1);
        match act {
            Act::Reserve(bytes) => {
                let lease = budget.try_reserve(bytes);
                assert_eq!(lease.is_some(), bytes <= free);
                leases.extend(lease);
            }
            _ if leases.is_empty() => {}
            Act::Drop(index) => drop(leases.swap_remove(index % count)),
            Act::Shrink(index, to) => leases[index % count].shrink(to),
            Act::Grow(index, by) => assert_eq!(leases[index % count].try_grow(by), by <= free),
            Act::Split(index, bytes) => {
                let split = leases[index % count].split(bytes);
                leases.extend(split);
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_used_is_the_sum_of_the_leases(acts in prop::collection::vec(act(), 0..60)) {
            let (budget, mut leases, mut peak) = (Budget::new(100), Vec::new(), 0);
            for act in acts {
                perform(&budget, &mut leases, act);
                prop_assert_eq!(budget.used(), leases.iter().map(Lease::bytes).sum::<u64>());
                prop_assert!(budget.used() <= budget.limit());
                peak = peak.max(budget.used());
            }
            prop_assert_eq!(budget.peak(), peak);
            drop(leases);
            prop_assert_eq!(budget.used(), 0);
        }
    }

    #[test]
    fn threads_never_exceed_the_limit_together() {
        let budget = Budget::new(1000);
        let work = |seed: u64| {
            let mut state = seed;
            let mut granted = 0u32;
            for _ in 0..20_000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if let Some(mut lease) = budget.try_reserve((state >> 33) % 700) {
                    granted += 1;
                    let half = lease.split(lease.bytes() / 2);
                    assert!(budget.used() <= 1000);
                    lease.shrink(10);
                    drop(half);
                }
            }
            granted
        };
        let granted: u32 = thread::scope(|scope| {
            let threads: Vec<_> = (1..=4).map(|seed| scope.spawn(move || work(seed))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(granted > 0 && budget.peak() <= 1000);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_smaller_limit_refuses_until_leases_fit_it() {
        let budget = Budget::new(100);
        let (first, second) = (budget.try_reserve(60).unwrap(), budget.try_reserve(30).unwrap());
        budget.set_limit(50);
        assert!(budget.try_reserve(1).is_none() && budget.used() == 90);
        drop(first);
        assert!(budget.try_reserve(20).is_some() && budget.try_reserve(21).is_none());
        budget.set_limit(100);
        assert!(budget.try_reserve(70).is_some());
        drop(second);
    }

    #[test]
    fn a_reservation_beyond_all_numbers_is_refused() {
        let budget = Budget::new(u64::MAX);
        let _all = budget.try_reserve(u64::MAX).unwrap();
        assert!(budget.try_reserve(1).is_none());
        assert!(budget.try_reserve(0).is_some());
    }
}
