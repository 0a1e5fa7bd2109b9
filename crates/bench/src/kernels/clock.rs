//! How long work takes: on the processor where the system tells it, since other programs may want the machine too.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Instant;

/// Rounds of which the shortest counts.
const ROUNDS: usize = 4;

/// Milliseconds that a round takes at least: the system counts processor time in steps of some milliseconds.
const ROUND: f64 = 60.0;

/// Milliseconds after which no further round begins.
const ENOUGH: f64 = 6000.0;

/// Rounds in which two things take turns at least, and milliseconds that all of them take at least: two threads at once are
/// disturbed more often than one.
const TURNS: usize = 8;
const TURNING: f64 = 1200.0;

/// Bytes that a copy moves.
const COPIED: usize = 64 << 20;

/// What time is measured with.
#[derive(Clone, Copy, Debug)]
pub(super) enum BenchClock {
    /// This thread's time on a processor.
    Processor,
    /// Wall time.
    Wall(Instant),
}

impl BenchClock {
    /// The best that the system has.
    pub(super) fn new() -> Self {
        processor_time().map_or_else(|| Self::Wall(Instant::now()), |_| Self::Processor)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Wall(_) => "wall",
        }
    }

    /// The least of some rounds, in milliseconds for one time; the first round warms up and does not count.
    pub(super) fn least(self, mut work: impl FnMut()) -> f64 {
        let begin = self.now();
        self.round(&mut work);
        let mut best = f64::INFINITY;
        for _ in 1..ROUNDS {
            if best.is_finite() && self.now() - begin > ENOUGH {
                break;
            }
            best = best.min(self.round(&mut work));
        }
        best
    }

    /// Milliseconds for one time. Each round is as long as the steps of the clock demand: one after a first round that took
    /// long may be too short to be seen.
    fn round(self, work: &mut impl FnMut()) -> f64 {
        let (start, mut times) = (self.now(), 0u32);
        loop {
            work();
            times += 1;
            let spent = self.now() - start;
            let goes_on = spent < ROUND && (times < 10_000 || spent <= 0.0);
            if !goes_on {
                return spent / f64::from(times);
            }
        }
    }

    /// Milliseconds of wall time for one time with each of two things, the least of rounds that take turns.
    pub(super) fn compare<T: Copy>(things: [T; 2], work: &mut impl FnMut(T)) -> (f64, f64) {
        let since = Instant::now();
        let now = || since.elapsed().as_secs_f64() * 1e3;
        let mut best = [f64::INFINITY; 2];
        let mut rounds = 0;
        while rounds < TURNS || (now() < TURNING && rounds < 200) {
            for (thing, best) in things.iter().zip(&mut best) {
                let start = now();
                work(*thing);
                *best = best.min(now() - start);
            }
            rounds += 1;
        }
        (best[0], best[1])
    }

    fn now(self) -> f64 {
        match self {
            Self::Processor => processor_time().unwrap_or(f64::NAN),
            Self::Wall(since) => since.elapsed().as_secs_f64() * 1e3,
        }
    }

    /// Bytes that are moved in a millisecond, read and written ones both counted, by a copy far larger than caches.
    pub(super) fn bandwidth(self) -> f64 {
        let (source, mut target) = (vec![1u8; COPIED], vec![0u8; COPIED]);
        let time = self.least(|| black_box(&mut target).copy_from_slice(black_box(&source)));
        2.0 * COPIED as f64 / time
    }

    /// Milliseconds that one thread and several take to read so many bytes and to write as many: no operation that does so
    /// gains more by them.
    pub(super) fn copy(threads: NonZeroUsize, bytes: usize) -> (f64, f64) {
        let (source, mut target) = (vec![1u8; bytes], vec![0u8; bytes]);
        Self::compare([1, threads.get()], &mut |threads| copy(&source, black_box(&mut target), threads))
    }

    /// How many times faster threads copy what is far larger than caches.
    pub(super) fn copy_gain(threads: NonZeroUsize) -> f64 {
        let (one, all) = Self::copy(threads, COPIED);
        one / all
    }
}

/// Copies by so many threads, the caller's among them.
fn copy(source: &[u8], target: &mut [u8], threads: usize) {
    let part = source.len().div_ceil(threads).max(1);
    let mut parts = target.chunks_mut(part).zip(source.chunks(part));
    thread::scope(|scope| {
        let own = parts.next();
        parts.for_each(|(target, source)| drop(scope.spawn(|| target.copy_from_slice(black_box(source)))));
        own.into_iter().for_each(|(target, source)| target.copy_from_slice(black_box(source)));
    });
}

/// How long this thread has run, in milliseconds, where the system says it.
pub(crate) fn processor_time() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_things_take_turns() {
        let mut calls = Vec::new();
        let (one, other) = BenchClock::compare([61, 122], &mut |milliseconds| {
            calls.push(milliseconds);
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        });
        assert!(one >= 61.0 && other >= 122.0 && calls.starts_with(&[61, 122, 61, 122]) && calls.len() == 16);
    }

    #[test]
    fn any_number_of_threads_copies_all() {
        let source: Vec<u8> = (0..=200).collect();
        for threads in [1, 2, 3, 300] {
            let mut target = vec![7; source.len()];
            copy(&source, &mut target, threads);
            assert_eq!(target, source);
        }
    }

    #[test]
    fn work_that_sleeps_takes_wall_time_and_is_done_at_least_twice() {
        let mut times = 0;
        let least = BenchClock::Wall(Instant::now()).least(|| {
            times += 1;
            std::thread::sleep(std::time::Duration::from_millis(61));
        });
        assert!(least >= 61.0 && times == 4, "{least} {times}");
    }

    #[test]
    fn rounds_after_a_slow_first_time_are_as_long_as_the_clock_demands() {
        let mut times = 0;
        let least = BenchClock::Wall(Instant::now()).least(|| {
            times += 1;
            std::thread::sleep(std::time::Duration::from_millis(if times == 1 { 61 } else { 5 }));
        });
        assert!(least >= 5.0 && times > 4, "{least} {times}");
    }
}
