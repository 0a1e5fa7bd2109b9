//! False alarms are rare, real corners are found and named.

use super::*;
use crate::SampleRow;
use crate::random::{RandomStream, StreamPurpose};
use onceflow_study::Parameter;

fn space() -> Space {
    let words = ["a", "b", "c"].map(String::from).to_vec();
    let parameters = vec![
        Parameter::new("G1", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 }),
        Parameter::new("minSize", Domain::Steps { from: 2.0, to: 40.0, step: 2.0 }),
        Parameter::new("gain", Domain::Continuous { from: 0.0, to: 1.0 }),
        Parameter::new("recon", Domain::Values(vec![4.0, 8.0])),
        Parameter::new("method", Domain::Categories(words)),
    ];
    Space::new(parameters, vec![]).unwrap()
}

/// Rows and failures, drawn from one stream.
struct Draw(RandomStream);

impl Draw {
    fn new(seed: u64) -> Self {
        Self(RandomStream::new(seed, StreamPurpose::MonteCarlo, 0, 0))
    }

    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn place(&mut self, count: u64) -> f64 {
        self.0.below(count) as f64
    }
}

fn sample(rows: usize, draw: &mut Draw) -> Sample {
    let mut values = Vec::new();
    for _ in 0..rows {
        values.push(5.0 + 5.0 * draw.place(16));
        values.push(2.0 + 2.0 * draw.place(20));
        values.push(draw.unit());
        values.push(4.0 + 4.0 * draw.place(2));
        values.push(draw.place(3));
    }
    Sample { design: None, rows: (0..rows as u64).map(SampleRow::point).collect(), values, parameters: 5 }
}

fn said(sample: &Sample, fails: impl FnMut((usize, &[f64])) -> bool) -> Option<String> {
    let rows = (0..sample.len()).map(|row| (row, sample.numbers(row)));
    let answered: Vec<(usize, bool)> = rows.map(fails).enumerate().collect();
    cluster(&space(), sample, &answered)
}

#[test]
fn scattered_failures_raise_no_alarm() {
    for share in [0.02, 0.1, 0.4] {
        let alarms = (0..200).filter(|seed| {
            let mut draw = Draw::new(*seed);
            let sample = sample(200, &mut draw);
            said(&sample, |_| draw.unit() < share).is_some()
        });
        let alarms = alarms.count();
        assert!(alarms <= 5, "{alarms} false alarms in 200 at {share}");
    }
}

#[test]
fn a_corner_is_always_found_and_named() {
    for seed in 0..50 {
        let mut draw = Draw::new(seed);
        let sample = sample(400, &mut draw);
        let text = said(&sample, |(_, x)| (x[0] > 60.0 && x[1] < 10.0) || draw.unit() < 0.005);
        let text = text.unwrap_or_else(|| panic!("seed {seed}: no alarm"));
        assert!(text.starts_with("G1 above ") && text.contains(" and minSize below "), "{text}");
        assert!(text.contains(" failures, ") && text.ends_with(" % of the rows"), "{text}");
    }
}

#[test]
fn one_parameter_is_named_alone() {
    let mut alone = 0;
    for seed in 0..50 {
        let mut draw = Draw::new(seed);
        let sample = sample(400, &mut draw);
        let text = said(&sample, |(_, x)| x[3] == 8.0 && draw.unit() < 0.3).unwrap();
        alone += u32::from(text.starts_with("recon = 8: "));
        let text = said(&sample, |(_, x)| x[4] == 1.0 && draw.unit() < 0.5).unwrap();
        assert!(text.contains("method = b"), "{text}");
    }
    assert!(alone >= 48, "{alone} of 50");
}

#[test]
fn a_row_repeated_many_times_is_one_failure() {
    let mut draw = Draw::new(1);
    let mut sample = sample(100, &mut draw);
    let first = sample.numbers(0).to_vec();
    for row in 1..20 {
        sample.values[row * 5..row * 5 + 5].copy_from_slice(&first);
        sample.rows[row].duplicate_of = Some(0);
    }
    assert_eq!(said(&sample, |(row, _)| row < 20), None);
}

#[test]
fn the_tail_is_fishers() {
    // All 5 marked among 10 drawn of 20: C(10,5) / C(20,5) = 252 / 15504.
    assert!((ln_tail(20, 10, 5, 5) - (252.0_f64 / 15504.0).ln()).abs() < 1e-12);
    // At least 4: (C(10,4) C(10,1) + C(10,5)) / C(20,5).
    assert!((ln_tail(20, 10, 5, 4) - (2352.0_f64 / 15504.0).ln()).abs() < 1e-12);
    assert!(ln_tail(20, 10, 5, 0).abs() < 1e-12);
}

#[test]
fn numbers_are_short() {
    assert_eq!([0.123_456, 9.04, 60.0, 1234.5, 100.0].map(short), ["0.123", "9.04", "60", "1234", "100"]);
    assert_eq!(short(0.0), "0");
}
