use proptest::prelude::*;

use super::*;

fn attempt(gained: u64, end: Option<AttemptEnd>) -> ClaimAttempt {
    ClaimAttempt { silent: 0.0, unchanged: 0.0, running: 1.0, gained, end }
}

#[test]
fn a_bucket_is_taken_waited_for_and_given_up() {
    let rules = ClaimRules::default();
    let decide = |attempts: &[ClaimAttempt]| rules.decide(attempts, None);
    let (lost, excused) = (attempt(0, Some(AttemptEnd::Lost)), attempt(0, Some(AttemptEnd::Excused)));
    let (gained, released) = (attempt(4, Some(AttemptEnd::Lost)), attempt(0, Some(AttemptEnd::Released)));
    assert_eq!(decide(&[]), ClaimDecision::Take(1));
    assert_eq!(decide(&[attempt(0, None)]), ClaimDecision::Wait);
    assert_eq!(decide(&[lost, lost]), ClaimDecision::Take(3));
    assert_eq!(decide(&[lost, lost, lost]), ClaimDecision::GiveUp);
    assert_eq!(decide(&[gained, lost, lost]), ClaimDecision::GiveUp, "three workers were killed");
    assert_eq!(decide(&[lost, lost, gained]), ClaimDecision::Take(4), "it got further");
    assert_eq!(decide(&[lost, excused, released, lost]), ClaimDecision::Take(5));
    assert_eq!(decide(&[lost, excused, lost, released, lost]), ClaimDecision::GiveUp);
    assert_eq!(decide(&[lost, lost, lost, attempt(0, None)]), ClaimDecision::Wait, "somebody tries");
}

#[test]
fn a_straggler_is_computed_twice_and_never_three_times() {
    let rules = ClaimRules::default();
    let slow = ClaimAttempt { running: 100.0, ..attempt(0, None) };
    assert_eq!(rules.decide(&[slow], None), ClaimDecision::Wait);
    assert_eq!(rules.decide(&[slow], Some(50.0)), ClaimDecision::Wait);
    assert_eq!(rules.decide(&[slow], Some(20.0)), ClaimDecision::Take(2));
    assert_eq!(rules.decide(&[slow, attempt(0, None)], Some(20.0)), ClaimDecision::Wait);
    let quick = ClaimAttempt { running: 5.0, ..attempt(0, None) };
    assert_eq!(rules.decide(&[quick], Some(0.01)), ClaimDecision::Wait, "a start takes longer");
}

/// A watcher of one attempt, in simulated time: its clock is off by `skew` and it sees files as they were `delay` ago.
struct Watcher {
    skew: f64,
    delay: f64,
    seen: Option<(f64, f64)>,
}

impl Watcher {
    /// Looks at a file that was last written at `beat` by the server's clock.
    fn look(&mut self, now: f64, beats: &[f64]) -> ClaimAttempt {
        let visible = beats.iter().copied().filter(|beat| *beat <= now - self.delay).fold(0.0, f64::max);
        let own = now + self.skew;
        let since = match self.seen {
            Some((beat, since)) if beat == visible => since,
            _ => own,
        };
        self.seen = Some((visible, since));
        ClaimAttempt { silent: now - visible, unchanged: own - since, running: now, gained: 0, end: None }
    }
}

proptest! {
    /// Whatever the clocks and caches are, a worker that writes is not taken for lost, and one that is gone is found out.
    #[test]
    fn living_workers_are_left_alone_and_dead_ones_are_found(
        skew in -1e6..1e6f64,
        delay in 0.0..4.0f64,
        period in 0.1..3.0f64,
        death in 0.0..200.0f64,
        jitter in 0.0..1.0f64,
    ) {
        let rules = ClaimRules::default();
        let beats: Vec<f64> =
            (0..).map(|n| f64::from(n) * rules.beat() * (1.0 + 0.2 * jitter)).take_while(|at| *at < death).collect();
        let last = beats.last().copied().unwrap_or(0.0);
        let (mut watcher, mut found, mut now) = (Watcher { skew, delay, seen: None }, None, 0.0);
        while now < death + 4.0 * rules.lease && found.is_none() {
            let attempt = watcher.look(now, &beats);
            found = rules.is_over(&attempt).then_some(now);
            now += period;
        }
        let found = found.expect("a dead worker is found");
        prop_assert!(found > last + delay, "found at {} after the last sign at {}", found, last);
        prop_assert!(found >= death.min(last + rules.lease), "it was alive: {} {}", found, death);
        prop_assert!(found <= last + delay + rules.lease + 2.0 * period, "too late: {} {}", found, last);
    }

    /// Times of a server that are wrong by any amount do not end a living worker.
    #[test]
    fn wrong_times_alone_end_nothing(offset in -1e9..1e9f64, look in 0.0..9.9f64) {
        let rules = ClaimRules::default();
        let attempt = ClaimAttempt { silent: offset, unchanged: look, running: offset, gained: 0, end: None };
        prop_assert!(!rules.is_over(&attempt));
        prop_assert_eq!(rules.decide(&[attempt], None), ClaimDecision::Wait);
    }

    /// A bucket is given up only after three workers in a row were lost to it without a result between them.
    #[test]
    fn a_bucket_is_given_up_for_strikes_alone(ends in prop::collection::vec((0u64..2, 0u8..3), 0..12)) {
        let rules = ClaimRules::default();
        let kinds = [AttemptEnd::Released, AttemptEnd::Lost, AttemptEnd::Excused];
        let attempts: Vec<ClaimAttempt> =
            ends.iter().map(|(gained, kind)| attempt(*gained, Some(kinds[usize::from(*kind)]))).collect();
        let after_gain = attempts.iter().rposition(|attempt| attempt.gained > 0).unwrap_or(0);
        let lost = attempts[after_gain..].iter().filter(|a| a.end == Some(AttemptEnd::Lost)).count();
        let expected =
            if lost >= 3 { ClaimDecision::GiveUp } else { ClaimDecision::Take(attempts.len() + 1) };
        prop_assert_eq!(rules.decide(&attempts, None), expected);
    }
}
