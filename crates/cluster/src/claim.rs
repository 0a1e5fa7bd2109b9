//! Who may compute a bucket next: a pure function of what files in a shared folder say of the attempts at it.
//!
//! An attempt is a file that its worker writes to again and again. No clock of a machine is compared with that of another:
//! how long a worker has been silent is told by the times of the file server, and confirmed by the watcher's own clock.

mod order;
mod simulated;

pub use order::ClaimOrder;
pub use simulated::{ClaimedBucket, SimulatedClaims, SimulatedWorkers, simulate_claims};

/// When an attempt is over, when a bucket is given up, and when it is computed twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimRules {
    /// Seconds of silence after which a worker is lost.
    pub lease: f64,
    /// Attempts in a row that end their worker without one more result, after which the bucket is given up.
    pub strikes: usize,
    /// A bucket that takes so many times the expected time is computed a second time by a worker that has nothing to do.
    pub straggling: f64,
}

impl Default for ClaimRules {
    fn default() -> Self {
        Self { lease: 30.0, strikes: 3, straggling: 3.0 }
    }
}

/// A straggler is given at least so many seconds.
const LEAST_STRAGGLING: f64 = 10.0;

/// A worker writes so often in the time of a lease.
const BEATS: f64 = 6.0;

/// A watcher must have seen no change for this share of a lease itself before it believes the times of files.
const CONFIRMED: f64 = 1.0 / 3.0;

/// What is known of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClaimAttempt {
    /// Seconds since its last sign, by the clock of the file server.
    pub silent: f64,
    /// Seconds for which the watcher has seen no change, by its own clock.
    pub unchanged: f64,
    /// Seconds since it began, by the clock of the file server.
    pub running: f64,
    /// Results that it added to those of earlier attempts.
    pub gained: u64,
    /// How it ended, where that is known.
    pub end: Option<AttemptEnd>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// Its worker gave the bucket back.
    Released,
    /// Its worker is gone, and the bucket may be the reason.
    Lost,
    /// Its worker is gone for a reason that is not the bucket's: a node failed, a job was preempted or cancelled.
    Excused,
}

/// What a worker may do with a bucket that has no results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimDecision {
    /// Try to take it, as the attempt with this number; the first is 1.
    Take(usize),
    /// Another worker computes it.
    Wait,
    /// It killed its workers: its rows fail.
    GiveUp,
}

impl ClaimRules {
    /// How often a worker writes to its attempt, in seconds.
    pub fn beat(&self) -> f64 {
        self.lease / BEATS
    }

    /// Whether the worker of an attempt is not there any more, or gave it back.
    pub fn is_over(&self, attempt: &ClaimAttempt) -> bool {
        let silent = attempt.silent > self.lease && attempt.unchanged > self.lease * CONFIRMED;
        attempt.end.is_some() || silent || attempt.unchanged > self.lease
    }

    /// Attempts in a row that ended their worker since one gained a result, that one included.
    pub fn count_strikes(&self, attempts: &[ClaimAttempt]) -> usize {
        let mut strikes = 0;
        for attempt in attempts.iter().filter(|attempt| self.is_over(attempt)) {
            let lost = matches!(attempt.end, None | Some(AttemptEnd::Lost));
            strikes = if attempt.gained > 0 { 0 } else { strikes } + usize::from(lost);
        }
        strikes
    }

    /// Seconds after which a bucket takes too long that is expected to take so many.
    pub fn patience(&self, expected: f64) -> f64 {
        (self.straggling * expected).max(LEAST_STRAGGLING)
    }

    /// What may be done with a bucket after these attempts; `expected` are the seconds after which a worker with nothing else
    /// to do may wonder about another.
    pub fn decide(&self, attempts: &[ClaimAttempt], expected: Option<f64>) -> ClaimDecision {
        let running: Vec<&ClaimAttempt> = attempts.iter().filter(|attempt| !self.is_over(attempt)).collect();
        match (running.as_slice(), expected) {
            ([], _) if self.count_strikes(attempts) >= self.strikes => ClaimDecision::GiveUp,
            ([], _) => ClaimDecision::Take(attempts.len() + 1),
            ([only], Some(expected)) if only.running > self.patience(expected) => {
                ClaimDecision::Take(attempts.len() + 1)
            }
            _ => ClaimDecision::Wait,
        }
    }
}

#[cfg(test)]
mod tests;
