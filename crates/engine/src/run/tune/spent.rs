//! What searches took: time and cost, those of interrupted processes included, which the journal has.

use std::time::{Duration, Instant};

use onceflow_study::TuneDesign;

use crate::resume::journal::{JournalLine, PastPhase};

/// Tasks, time and cost of the searches of a run.
#[derive(Debug, Default)]
pub(in crate::run) struct TunedWork {
    /// Tasks that were computed, and those whose results were there.
    pub(super) tasks: (u64, u64),
    all: Spent,
    /// Of the search that runs.
    search: Spent,
    since: Option<Instant>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    time: Duration,
    cost: Duration,
}

impl TunedWork {
    /// A search begins.
    pub(super) fn begin_search(&mut self) {
        self.search = Spent::default();
        self.since = Some(Instant::now());
    }

    /// Whether a search has used up this share of its time or of its cost.
    pub(super) fn is_over(&self, design: &TuneDesign, share: f64) -> bool {
        design.time.is_some_and(|most| self.search.time >= most.mul_f64(share))
            || design.cost.is_some_and(|most| self.search.cost >= most.mul_f64(share))
    }

    /// A batch is over whose tasks took these seconds: what it spent, to be noted where an earlier process has not. What such
    /// a process noted stands, so that a search that goes on ends where it would have ended.
    pub(super) fn end_batch(&mut self, past: &PastPhase, seconds: f64) -> Option<JournalLine> {
        let time = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.since = Some(Instant::now());
        let noted = past.lines.iter().find_map(|line| match line {
            JournalLine::Spent { time, cost } => Some(Spent::of(*time, *cost)),
            _ => None,
        });
        let spent = noted.unwrap_or(Spent { time, cost: Duration::from_secs_f64(seconds.clamp(0.0, 1e9)) });
        for sum in [&mut self.all, &mut self.search] {
            sum.time += spent.time;
            sum.cost += spent.cost;
        }
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let line = JournalLine::Spent { time: nanoseconds(spent.time), cost: nanoseconds(spent.cost) };
        noted.is_none().then_some(line)
    }

    /// Seconds of all batches.
    pub(super) fn seconds(&self) -> f64 {
        self.all.time.as_secs_f64()
    }
}

impl Spent {
    fn of(time: u64, cost: u64) -> Self {
        Self { time: Duration::from_nanos(time), cost: Duration::from_nanos(cost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_process_spent_counts() {
        let design = |time, cost| TuneDesign {
            time: Some(Duration::from_secs(time)),
            cost: Some(Duration::from_secs(cost)),
            ..TuneDesign::default()
        };
        let mut work = TunedWork::default();
        work.begin_search();
        let second = 1_000_000_000;
        let line = JournalLine::Spent { time: 3600 * second, cost: 100 * second };
        let mut past = PastPhase::default();
        past.lines.push(line);
        assert_eq!(work.end_batch(&past, 5.0), None, "it is in the journal");
        assert!((work.seconds() - 3600.0).abs() < 1e-9);
        assert!(work.is_over(&design(3600, 1000), 1.0) && work.is_over(&design(9000, 100), 1.0));
        assert!(!work.is_over(&design(3601, 101), 1.0) && !work.is_over(&TuneDesign::default(), 1.0));
        assert!(work.is_over(&design(4500, 1000), 0.8) && !work.is_over(&design(4501, 1000), 0.8));
        let noted = work.end_batch(&PastPhase::default(), 2.0);
        assert!(matches!(noted, Some(JournalLine::Spent { cost, .. }) if cost == 2 * second));
        work.begin_search();
        assert!(!work.is_over(&design(1, 1), 1.0), "each search has its own bounds");
    }
}
