//! Workers that take buckets in virtual time, by the rules of real workers: the same order of buckets, the same leases, the
//! same second attempts at stragglers. Only the clock and the work are made up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::{ClaimAttempt, ClaimDecision, ClaimOrder, ClaimRules};

/// A bucket as it is known before it is computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimedBucket {
    /// Seconds that it is expected to take.
    pub seconds: f64,
    /// Buckets that must be done first.
    pub after: Vec<usize>,
}

/// Workers that take buckets.
#[derive(Clone, Copy)]
pub struct SimulatedWorkers<'a> {
    /// How many.
    pub count: usize,
    /// The rules that they follow.
    pub rules: ClaimRules,
    /// Seconds that taking a bucket and leaving its results take.
    pub handing: f64,
    /// Seconds that a bucket takes in truth in an attempt.
    pub seconds: &'a dyn Fn(usize, usize) -> f64,
    /// When a worker is lost, if it is.
    pub lost: &'a dyn Fn(usize) -> Option<f64>,
}

/// What they did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedClaims {
    /// Seconds until the last bucket had results.
    pub makespan: f64,
    /// Seconds of computing, of all workers.
    pub busy: f64,
    /// Attempts at buckets.
    pub attempts: usize,
    /// Buckets that were begun a second time.
    pub again: usize,
    /// Buckets without results: all workers were lost.
    pub left: usize,
}

/// What happens next: at a time, in nanoseconds, to a worker or a bucket.
type Happening = Reverse<(u64, usize, ClaimEvent)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ClaimEvent {
    /// A worker has done an attempt at a bucket.
    Done { worker: usize, bucket: usize },
    /// A worker is gone.
    Lost { worker: usize },
    /// A bucket may be looked at by those who have nothing to do.
    Late { bucket: usize },
}

/// An attempt that runs, or whose worker is gone.
#[derive(Clone, Copy, Debug)]
struct Running {
    worker: usize,
    since: f64,
    /// When its worker gave its last sign; none while it lives.
    last: Option<f64>,
}

struct ClaimRun<'a> {
    buckets: &'a [ClaimedBucket],
    workers: &'a SimulatedWorkers<'a>,
    events: BinaryHeap<Happening>,
    count: usize,
    waits: Vec<usize>,
    waiters: BTreeMap<usize, Vec<usize>>,
    free: BTreeSet<usize>,
    attempts: Vec<Vec<Running>>,
    done: Vec<bool>,
    /// Buckets that take long, or whose worker is gone.
    late: BTreeSet<usize>,
    idle: BTreeSet<usize>,
    gone: Vec<bool>,
    orders: Vec<ClaimOrder>,
    found: SimulatedClaims,
}

/// Lets workers take buckets until all have results.
pub fn simulate_claims(buckets: &[ClaimedBucket], workers: &SimulatedWorkers<'_>) -> SimulatedClaims {
    let mut run = ClaimRun::new(buckets, workers);
    run.begin();
    while let Some(Reverse((at, _, event))) = run.events.pop() {
        run.happens(at as f64 / 1e9, event);
        if run.found.left == 0 {
            break;
        }
    }
    run.found
}

impl<'a> ClaimRun<'a> {
    fn new(buckets: &'a [ClaimedBucket], workers: &'a SimulatedWorkers<'a>) -> Self {
        let mut waiters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, bucket) in buckets.iter().enumerate() {
            bucket.after.iter().for_each(|other| waiters.entry(*other).or_default().push(number));
        }
        Self {
            buckets,
            workers,
            events: BinaryHeap::new(),
            count: 0,
            waits: buckets.iter().map(|bucket| bucket.after.len()).collect(),
            waiters,
            free: (0..buckets.len()).filter(|number| buckets[*number].after.is_empty()).collect(),
            attempts: vec![Vec::new(); buckets.len()],
            done: vec![false; buckets.len()],
            late: BTreeSet::new(),
            idle: BTreeSet::new(),
            gone: vec![false; workers.count],
            orders: (0..workers.count).map(|worker| ClaimOrder::new(&format!("worker-{worker}"))).collect(),
            found: SimulatedClaims { left: buckets.len(), ..SimulatedClaims::default() },
        }
    }

    fn begin(&mut self) {
        for worker in 0..self.workers.count {
            if let Some(when) = (self.workers.lost)(worker) {
                self.at(when, ClaimEvent::Lost { worker });
            }
            self.idle.insert(worker);
        }
        self.serve(0.0);
    }

    fn at(&mut self, seconds: f64, event: ClaimEvent) {
        self.count += 1;
        self.events.push(Reverse(((seconds.max(0.0) * 1e9) as u64, self.count, event)));
    }

    fn happens(&mut self, now: f64, event: ClaimEvent) {
        match event {
            ClaimEvent::Done { worker, bucket } if !self.gone[worker] => self.done(now, worker, bucket),
            ClaimEvent::Done { .. } => {}
            ClaimEvent::Lost { worker } => self.lose(now, worker),
            ClaimEvent::Late { bucket } if !self.done[bucket] => {
                self.late.insert(bucket);
                self.serve(now);
            }
            ClaimEvent::Late { .. } => {}
        }
    }

    fn done(&mut self, now: f64, worker: usize, bucket: usize) {
        if !self.done[bucket] {
            self.done[bucket] = true;
            self.late.remove(&bucket);
            self.found.left -= 1;
            self.found.makespan = now;
            for waiter in self.waiters.remove(&bucket).unwrap_or_default() {
                self.waits[waiter] -= 1;
                if self.waits[waiter] == 0 {
                    self.free.insert(waiter);
                }
            }
        }
        let began = self.attempts[bucket].iter().find(|attempt| attempt.worker == worker);
        self.found.busy += began.map_or(0.0, |attempt| now - attempt.since);
        self.idle.insert(worker);
        self.serve(now);
    }

    /// What it computed is looked at again when its lease is over.
    fn lose(&mut self, now: f64, worker: usize) {
        self.gone[worker] = true;
        self.idle.remove(&worker);
        for (bucket, attempts) in self.attempts.iter_mut().enumerate().filter(|(at, _)| !self.done[*at]) {
            for attempt in attempts.iter_mut().filter(|attempt| attempt.worker == worker) {
                attempt.last = Some(now);
                self.count += 1;
                let over = ((now + self.workers.rules.lease) * 1e9) as u64 + 1;
                self.events.push(Reverse((over, self.count, ClaimEvent::Late { bucket })));
            }
        }
    }

    /// Gives those who have nothing to do what is free, and then what is late.
    fn serve(&mut self, now: f64) {
        while let Some(worker) = self.idle.first().copied() {
            let Some(bucket) = self.next(now, worker) else { return };
            self.idle.remove(&worker);
            self.begin_attempt(now, worker, bucket);
        }
    }

    fn next(&mut self, now: f64, worker: usize) -> Option<usize> {
        if let Some(place) = self.orders[worker].reach(self.free.len()) {
            let bucket = self.free.iter().nth(place).copied()?;
            self.free.remove(&bucket);
            return Some(bucket);
        }
        let may = |bucket: &usize| {
            let expected = Some(self.buckets[*bucket].seconds).filter(|seconds| *seconds > 0.0);
            let attempts: Vec<ClaimAttempt> =
                self.attempts[*bucket].iter().map(|attempt| seen(attempt, now)).collect();
            matches!(self.workers.rules.decide(&attempts, expected), ClaimDecision::Take(_))
        };
        self.late.iter().copied().find(may)
    }

    fn begin_attempt(&mut self, now: f64, worker: usize, bucket: usize) {
        self.found.attempts += 1;
        self.found.again += usize::from(!self.attempts[bucket].is_empty());
        self.attempts[bucket].push(Running { worker, since: now, last: None });
        let attempt = self.attempts[bucket].len();
        let over = now + (self.workers.seconds)(bucket, attempt) + self.workers.handing;
        self.at(over, ClaimEvent::Done { worker, bucket });
        let expected = self.buckets[bucket].seconds;
        if expected > 0.0 {
            self.at(now + self.workers.rules.patience(expected) + 1e-6, ClaimEvent::Late { bucket });
        }
    }
}

/// What others know of an attempt.
fn seen(attempt: &Running, now: f64) -> ClaimAttempt {
    let silent = attempt.last.map_or(0.0, |last| now - last);
    ClaimAttempt { silent, unchanged: silent, running: now - attempt.since, gained: 0, end: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(count: usize, seconds: f64) -> Vec<ClaimedBucket> {
        vec![ClaimedBucket { seconds, after: Vec::new() }; count]
    }

    fn workers<'a>(
        count: usize,
        seconds: &'a dyn Fn(usize, usize) -> f64,
        lost: &'a dyn Fn(usize) -> Option<f64>,
    ) -> SimulatedWorkers<'a> {
        SimulatedWorkers { count, rules: ClaimRules::default(), handing: 0.0, seconds, lost }
    }

    #[test]
    fn all_buckets_are_done_once_where_nothing_goes_wrong() {
        let found = simulate_claims(&buckets(12, 2.0), &workers(4, &|_, _| 2.0, &|_| None));
        assert_eq!((found.attempts, found.again, found.left), (12, 0, 0));
        assert!((found.makespan - 6.0).abs() < 1e-6 && (found.busy - 24.0).abs() < 1e-6, "{found:?}");
        let mut chain = buckets(3, 1.0);
        (chain[1].after, chain[2].after) = (vec![0], vec![1]);
        let found = simulate_claims(&chain, &workers(3, &|_, _| 1.0, &|_| None));
        assert!((found.makespan - 3.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_lost_workers_bucket_is_computed_again_after_its_lease() {
        let lost = |worker: usize| (worker == 0).then_some(5.0);
        let found = simulate_claims(&buckets(2, 20.0), &workers(2, &|_, _| 20.0, &lost));
        assert_eq!((found.again, found.left), (1, 0));
        let lease = ClaimRules::default().lease;
        assert!((found.makespan - (5.0 + lease + 20.0)).abs() < 1e-3, "its bucket and the lease: {found:?}");
    }

    #[test]
    fn a_straggler_is_begun_once_more_and_the_first_results_count() {
        let slow = |bucket: usize, attempt: usize| if bucket == 0 && attempt == 1 { 500.0 } else { 10.0 };
        let found = simulate_claims(&buckets(4, 10.0), &workers(2, &slow, &|_| None));
        assert_eq!((found.again, found.left), (1, 0));
        assert!((found.makespan - 40.0).abs() < 1e-3, "3 times the expected time, and once more: {found:?}");
        let found = simulate_claims(&buckets(4, 0.0), &workers(2, &slow, &|_| None));
        assert_eq!(found.again, 0, "where nothing is expected nothing takes too long");
    }

    #[test]
    fn without_workers_buckets_are_left() {
        let found = simulate_claims(&buckets(3, 9.0), &workers(1, &|_, _| 9.0, &|_| Some(1.0)));
        assert_eq!((found.left, found.attempts), (3, 1));
    }
}
