//! Takes buckets of a phase, one after the other, until none is left.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant, SystemTime};

use onceflow_cluster::{AttemptEnd, ClaimAttempt, ClaimDecision, ClaimOrder, ClaimRules};

use super::clock::FolderClock;
use super::{AttemptFile, AttemptLog, CutFile, PhaseFolder};

/// What a worker does next.
#[derive(Debug)]
pub(crate) enum NextClaim {
    /// Compute this bucket, of which earlier attempts left these lines of results.
    Compute { number: usize, attempt: AttemptFile, lines: Vec<String>, care: ClaimCare },
    /// Say of this bucket that it failed: it killed its workers, the last of them for this reason.
    GiveUp { number: usize, lines: Vec<String>, reason: String },
    /// All that is left is computed by others.
    Wait,
    /// Every bucket has results.
    Finished,
}

/// How carefully a bucket is computed, after what became of earlier attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClaimCare {
    /// Whether a worker was lost: each result is kept at once.
    pub(crate) keeps_each: bool,
    /// Whether it may be the bucket that ends workers: its rows are computed one by one.
    pub(crate) one_by_one: bool,
    /// The row that ended workers, and why the last of them ended: it fails.
    pub(crate) fails: Option<(usize, String)>,
}

/// Looks for buckets in the folder of a phase.
#[derive(Debug)]
pub(crate) struct Claimer {
    phase: PhaseFolder,
    owner: String,
    rules: ClaimRules,
    after: Vec<Vec<usize>>,
    seconds: Vec<f64>,
    clock: FolderClock,
    done: Vec<bool>,
    left: usize,
    /// Buckets that no worker had begun at the last look.
    free: VecDeque<usize>,
    /// What each attempt looked like at the last look.
    seen: HashMap<(usize, usize), SeenAttempt>,
    looked: Option<Instant>,
    order: ClaimOrder,
    /// Whether buckets that take long are computed twice.
    twice: bool,
}

/// What the file of an attempt looked like.
#[derive(Clone, Copy, Debug)]
struct SeenAttempt {
    looks: (u64, SystemTime),
    /// Since when it looks so.
    since: Instant,
    first: Instant,
}

/// Attempts by others at buckets that seemed free, after which a worker looks again.
const MISSES: usize = 3;
/// Buckets that others left are looked for after this share of a lease, also while there are free ones.
const SHARE_OF_LEASE: f64 = 1.0 / 3.0;
/// The folder is not looked at more often than this.
const PAUSE: Duration = Duration::from_millis(10);

impl Claimer {
    /// For a worker of this name.
    pub(crate) fn new(phase: PhaseFolder, cut: &CutFile, owner: &str, rules: ClaimRules) -> Self {
        let count = cut.buckets.len();
        Self {
            clock: FolderClock::new(&phase.leases(), owner),
            phase,
            owner: owner.into(),
            rules,
            after: cut.buckets.iter().map(|bucket| bucket.after.clone()).collect(),
            seconds: cut.buckets.iter().map(|bucket| bucket.seconds).collect(),
            done: vec![false; count],
            left: count,
            free: VecDeque::new(),
            seen: HashMap::new(),
            looked: None,
            order: ClaimOrder::new(owner),
            twice: true,
        }
    }

    /// How many buckets there are.
    pub(crate) fn len(&self) -> usize {
        self.done.len()
    }

    /// The seconds that a bucket is expected to take.
    pub(crate) fn seconds(&self, number: usize) -> f64 {
        self.seconds.get(number).copied().unwrap_or(0.0)
    }

    /// A bucket is over.
    pub(crate) fn note_done(&mut self, number: usize) {
        if let Some(done) = self.done.get_mut(number).filter(|done| !**done) {
            *done = true;
            self.left -= 1;
        }
    }

    /// What to do next.
    pub(crate) fn next(&mut self) -> io::Result<NextClaim> {
        if let Some(lost) = self.lost()? {
            return Ok(lost);
        }
        let mut misses = 0;
        loop {
            while let Some(number) = self.next_free() {
                if self.done[number] {
                    continue;
                }
                if let Some(attempt) = AttemptFile::begin(&self.phase.attempt(number, 1), &self.owner)? {
                    let care = ClaimCare::default();
                    return Ok(NextClaim::Compute { number, attempt, lines: Vec::new(), care });
                }
                misses += 1;
                if misses % MISSES == 0 {
                    break;
                }
            }
            if self.left == 0 {
                return Ok(NextClaim::Finished);
            }
            if let Some(rest) = self.looked.and_then(|looked| PAUSE.checked_sub(looked.elapsed())) {
                std::thread::sleep(rest);
            }
            let attempts = self.look()?;
            if self.left == 0 {
                return Ok(NextClaim::Finished);
            }
            if self.free.is_empty() {
                return self.taken_over(&attempts);
            }
        }
    }

    /// This bucket, if it may be taken.
    pub(crate) fn this(&mut self, number: usize) -> io::Result<NextClaim> {
        let attempts = self.look()?;
        if self.done.get(number).copied().unwrap_or(true) {
            return Ok(NextClaim::Finished);
        }
        let now = self.clock.now()?;
        Ok(self
            .decided(number, attempts.get(&number).copied().unwrap_or(0), now, None)?
            .unwrap_or(NextClaim::Wait))
    }

    fn next_free(&mut self) -> Option<usize> {
        self.order.reach(self.free.len()).and_then(|at| self.free.remove(at))
    }

    /// Reads the folder again; says how many attempts each bucket has had.
    fn look(&mut self) -> io::Result<BTreeMap<usize, usize>> {
        self.looked = Some(Instant::now());
        for number in self.phase.results()? {
            self.note_done(number);
        }
        let attempts = self.phase.attempts()?;
        let is_free = |number: &usize| {
            !self.done[*number]
                && !attempts.contains_key(number)
                && self.after[*number].iter().all(|other| self.done.get(*other).copied().unwrap_or(true))
        };
        self.free = (0..self.done.len()).filter(is_free).collect();
        Ok(attempts)
    }

    /// A bucket that another worker left: looked for now and then, so that it does not wait until all others are begun.
    fn lost(&mut self) -> io::Result<Option<NextClaim>> {
        let pause = self.rules.lease * SHARE_OF_LEASE;
        if self.looked.is_some_and(|looked| looked.elapsed().as_secs_f64() < pause) {
            return Ok(None);
        }
        let attempts = self.look()?;
        let now = self.clock.now()?;
        self.left_by_others(&attempts, now, false)
    }

    /// A bucket that another worker left, or that takes too long.
    fn taken_over(&mut self, attempts: &BTreeMap<usize, usize>) -> io::Result<NextClaim> {
        let now = self.clock.now()?;
        let mut next = self.left_by_others(attempts, now, false)?;
        if next.is_none() && self.twice {
            next = self.left_by_others(attempts, now, true)?;
        }
        Ok(next.unwrap_or(NextClaim::Wait))
    }

    /// The first bucket that may be begun again; also one whose worker lives and takes too long, where that is asked for.
    fn left_by_others(
        &mut self,
        attempts: &BTreeMap<usize, usize>,
        now: SystemTime,
        slow: bool,
    ) -> io::Result<Option<NextClaim>> {
        for (number, count) in attempts {
            // Where nothing is expected, nothing takes too long.
            let expected = Some(self.seconds(*number)).filter(|seconds| slow && *seconds > 0.0);
            if self.done.get(*number).copied().unwrap_or(true) || (slow && expected.is_none()) {
                continue;
            }
            if let Some(next) = self.decided(*number, *count, now, expected)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// What may be done with a bucket after so many attempts; nothing where another worker computes it.
    fn decided(
        &mut self,
        number: usize,
        count: usize,
        now: SystemTime,
        expected: Option<f64>,
    ) -> io::Result<Option<NextClaim>> {
        let (mut known, mut lines, mut reason) = (Vec::new(), Vec::new(), String::new());
        let mut tried = None;
        for attempt in 1..=count {
            let Some((found, log)) = self.known(number, attempt, now, &lines)? else { continue };
            if let Some(loss) = self.phase.loss_of(number, attempt) {
                reason = loss.reason;
            } else if self.rules.is_over(&found) && !log.released {
                reason = format!("{} fell silent", log.owner);
            }
            tried = log.tried.or(tried);
            lines.extend(log.lines);
            known.push(found);
        }
        let strikes = self.rules.count_strikes(&known);
        let mut care = ClaimCare {
            keeps_each: strikes > 0,
            one_by_one: tried.is_some() || strikes + 1 >= self.rules.strikes,
            fails: None,
        };
        match (self.rules.decide(&known, expected), tried) {
            (ClaimDecision::Wait, _) => return Ok(None),
            (ClaimDecision::GiveUp, None) => return Ok(Some(NextClaim::GiveUp { number, lines, reason })),
            (ClaimDecision::GiveUp, Some(row)) => care.fails = Some((row, reason)),
            (ClaimDecision::Take(_), _) => {}
        }
        let begun = AttemptFile::begin(&self.phase.attempt(number, count + 1), &self.owner)?;
        Ok(begun.map(|attempt| NextClaim::Compute { number, attempt, lines, care }))
    }

    /// What is known of an attempt; nothing where its file is gone.
    fn known(
        &mut self,
        number: usize,
        attempt: usize,
        now: SystemTime,
        earlier: &[String],
    ) -> io::Result<Option<(ClaimAttempt, AttemptLog)>> {
        let path = self.phase.attempt(number, attempt);
        let log = match AttemptLog::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            log => log?,
        };
        let (looks, seen_now) = ((log.bytes, log.modified), Instant::now());
        let fresh = SeenAttempt { looks, since: seen_now, first: seen_now };
        let seen = self.seen.entry((number, attempt)).or_insert(fresh);
        if seen.looks != looks {
            (seen.looks, seen.since) = (looks, seen_now);
        }
        let seen = *seen;
        let end = match self.phase.loss_of(number, attempt) {
            _ if log.released => Some(AttemptEnd::Released),
            Some(loss) if loss.excused => Some(AttemptEnd::Excused),
            Some(_) => Some(AttemptEnd::Lost),
            None => None,
        };
        let found = ClaimAttempt {
            silent: seconds_between(log.modified, now),
            unchanged: seen.since.elapsed().as_secs_f64(),
            running: seen.first.elapsed().as_secs_f64(),
            gained: log.lines.iter().filter(|line| !earlier.contains(line)).count() as u64,
            end,
        };
        Ok(Some((found, log)))
    }
}

fn seconds_between(earlier: SystemTime, later: SystemTime) -> f64 {
    later
        .duration_since(earlier)
        .map_or_else(|error| -error.duration().as_secs_f64(), |time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunFolder;
    use crate::work::{CutBucket, LostWorker, WorkRoot};

    fn claimed(claimer: &mut Claimer) -> usize {
        match claimer.next().unwrap() {
            NextClaim::Compute { number, .. } => number,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_lost_worker_left_does_not_wait_until_all_others_are_begun() {
        let folder = tempfile::tempdir().unwrap();
        let root = WorkRoot::of(&RunFolder::new(folder.path()));
        root.begin().unwrap();
        let plan = "0".repeat(64);
        let phase = root.phase(&plan);
        phase.make().unwrap();
        let buckets = vec![CutBucket { seconds: 1.0, after: Vec::new() }; 100];
        let cut = CutFile { version: CutFile::VERSION, plan, buckets, seconds: (100.0, 100.0) };
        let rules = ClaimRules { lease: 0.3, ..ClaimRules::default() };
        let lost = claimed(&mut Claimer::new(phase.clone(), &cut, "lost", rules));
        let mut other = Claimer::new(phase.clone(), &cut, "other", rules);
        assert_ne!(claimed(&mut other), lost);
        let loss = LostWorker { excused: true, reason: "its node is gone".into() };
        phase.note_loss((lost, 1), &loss).unwrap();
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!(claimed(&mut other), lost);
        assert!(phase.attempt(lost, 2).is_file());
        phase.note_loss((lost, 2), &loss).unwrap();
        let mut late = Claimer::new(phase.clone(), &cut, "late", rules);
        assert_eq!(claimed(&mut late), lost, "a worker that comes later begins with it");
    }
}
