//! What estimates must be, whatever the records are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use onceflow_costs::{ByteEstimate, CostEstimate, Costs, EstimateOrigin, Record};
use onceflow_study::OpSpec;
use proptest::collection::vec;
use proptest::prelude::*;

fn record(pixels: u64, seconds: f64) -> Record {
    let (operation, device) = ("x".into(), "cpu".into());
    Record { operation, version: 1, device, pixels, seconds, output_bytes: 0, scratch_bytes: 0, reuse: None }
}

fn costs(records: &[Record]) -> Costs {
    let mut costs = Costs::default();
    records.iter().for_each(|record| costs.add(record).unwrap());
    costs
}

fn spec() -> OpSpec {
    OpSpec { output_bytes_per_pixel: 4, scratch_bytes_per_pixel: 9, ..OpSpec::new("x", "anything", 5.0) }
}

fn seconds(records: &[Record], pixels: u64) -> CostEstimate {
    costs(records).estimate(&spec(), "cpu", pixels)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 0.01 * expected
}

/// Tasks with a fixed part of a millisecond, a few of each size, with some noise.
fn with_fixed_part(sides: &[u64]) -> Vec<Record> {
    let noise = [0.96, 1.0, 1.05, 0.98, 1.01];
    let of = |side: &u64| {
        let pixels = side * side;
        noise.map(|noise| record(pixels, (1e-3 + 1e-8 * pixels as f64) * noise))
    };
    sides.iter().flat_map(of).collect()
}

#[test]
fn nothing_measured_means_what_is_declared() {
    let costs = costs(&[record(100, 1.0)]);
    let declared = Costs::default().estimate(&spec(), "cpu", 1_000_000);
    assert_eq!(declared.origin, EstimateOrigin::Declared);
    assert!((declared.seconds - 0.005).abs() < 1e-15 && declared.low < 0.005 && declared.high > 0.005);
    let newer = OpSpec { version: 2, ..spec() };
    assert_eq!(
        costs.estimate(&newer, "cpu", 1).origin,
        EstimateOrigin::Declared,
        "another version is another task"
    );
    assert_eq!(
        costs.estimate(&spec(), "gpu", 1).origin,
        EstimateOrigin::Declared,
        "another device is another cost"
    );
    assert_eq!(costs.estimate(&spec(), "cpu", 1).origin, EstimateOrigin::Measured { records: 1 });
}

#[test]
fn one_size_is_known_by_its_quartiles_and_others_in_proportion() {
    let records: Vec<_> = (1..=5).map(|seconds| record(100, f64::from(seconds))).collect();
    let CostEstimate { seconds: middle, low, high, origin } = seconds(&records, 100);
    assert_eq!(origin, EstimateOrigin::Measured { records: 5 });
    assert!(near(middle, 3.0) && near(low, 2.0) && near(high, 4.0));
    assert!(near(seconds(&records, 200).seconds, 6.0));
    let one = seconds(&records[..1], 100);
    assert_eq!((one.seconds, one.low, one.high), (1.0, 0.5, 2.0), "one record has no spread of its own");
}

#[test]
fn small_tasks_have_a_fixed_part() {
    let records = with_fixed_part(&[64, 256, 1024]);
    for side in [64u64, 128, 256, 700, 1024, 4096] {
        let (pixels, expected) = (side * side, 1e-3 + 1e-8 * (side * side) as f64);
        let found = seconds(&records, pixels);
        assert!((found.seconds / expected - 1.0).abs() < 0.05, "{side}: {found:?}, expected {expected}");
    }
    assert!(seconds(&records, 1).seconds > 0.9e-3);
}

#[test]
fn bytes_are_bounds_and_fall_back_on_what_is_declared() {
    let declared = Costs::default().model(&spec(), "cpu");
    assert_eq!(declared.output_bytes(10), ByteEstimate { bytes: 40, origin: EstimateOrigin::Declared });
    assert_eq!(declared.scratch_bytes(10), ByteEstimate { bytes: 90, origin: EstimateOrigin::Declared });
    let with = |output_bytes, scratch_bytes| Record { output_bytes, scratch_bytes, ..record(100, 1.0) };
    let few = costs(&[with(300, 0), with(250, 0), with(100, 0)]).model(&spec(), "cpu");
    assert_eq!(few.output_bytes(100).bytes, 300, "the most of a few");
    assert_eq!(few.output_bytes(200).bytes, 600);
    assert_eq!(
        few.scratch_bytes(100),
        ByteEstimate { bytes: 900, origin: EstimateOrigin::Declared },
        "0 is not measured"
    );
    let some = costs(&[with(300, 0), with(250, 77)]).model(&spec(), "cpu");
    assert_eq!(
        some.scratch_bytes(100),
        ByteEstimate { bytes: 77, origin: EstimateOrigin::Measured { records: 2 } }
    );
    assert_eq!(declared.output_bytes(u64::MAX).bytes, u64::MAX);
}

#[test]
fn what_many_tasks_take_is_foreseen_where_some_are_dear() {
    // As a parameter makes it: a fifth of the tasks takes four times as long, and a machine that slept counts for nothing.
    let mut records: Vec<_> = (0..100).map(|n| record(100, if n % 5 == 0 { 4.0 } else { 1.0 })).collect();
    records.push(record(100, 3600.0));
    let CostEstimate { seconds, low, high, .. } = seconds(&records, 100);
    assert!(near(seconds, 1.6) && near(low, 1.0) && high >= seconds, "{low} {seconds} {high}");
}

/// Some records of one size, all of a level of reuse and of about as many seconds.
fn at(level: Option<&str>, count: usize, pixels: u64, seconds: f64) -> Vec<Record> {
    let record = Record { reuse: level.map(str::to_owned), ..record(pixels, seconds) };
    vec![record; count]
}

#[test]
fn the_nearest_level_of_reuse_that_has_several_records_counts() {
    let levels = ["dataflow", "task", "none"];
    let found = |records: &[Vec<Record>]| {
        let model = costs(&records.concat()).model_at(&spec(), "cpu", &levels);
        let CostEstimate { seconds, origin, .. } = model.seconds(100);
        let EstimateOrigin::Measured { records } = origin else { panic!("declared") };
        (seconds.round(), records)
    };
    let none = at(Some("none"), 50, 100, 5.0);
    let task = at(Some("task"), 6, 100, 2.0);
    let own = at(Some("dataflow"), 4, 100, 1.0);
    let old = at(None, 90, 100, 7.0);
    assert_eq!(found(&[none.clone(), task.clone(), own.clone(), old.clone()]), (1.0, 4), "its own");
    assert_eq!(found(&[none.clone(), task, own[..3].to_vec(), old.clone()]), (2.0, 6), "the nearest");
    assert_eq!(found(&[none, old.clone()]), (5.0, 50), "the farthest");
    assert_eq!(found(std::slice::from_ref(&old)), (7.0, 90), "older lines, which do not say it");
    let (seconds, records) = found(&[own[..3].to_vec(), at(None, 9, 100, 1.0)]);
    assert_eq!((seconds, records), (1.0, 12), "a few of each count together");
}

#[test]
fn each_size_has_its_nearest_level_and_bytes_are_those_of_all() {
    let mut records = at(Some("dataflow"), 4, 100, 1.0);
    records.extend(at(Some("none"), 4, 100, 3.0));
    records.extend(at(Some("none"), 4, 1_000_000, 9.0));
    records[5].output_bytes = 1_000;
    let model = costs(&records).model_at(&spec(), "cpu", &["dataflow", "none"]);
    assert!(near(model.seconds(100).seconds, 1.0));
    assert!(near(model.seconds(1_000_000).seconds, 9.0), "a size that its own level has not seen");
    assert_eq!(model.output_bytes(100).bytes, 1_000);
    let all = costs(&records).model(&spec(), "cpu");
    assert!(near(all.seconds(100).seconds, 2.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut costs = Costs::default();
    assert!(costs.add(&record(0, 1.0)).is_err());
    assert!(costs.add(&record(1, f64::NAN)).is_err());
    assert!(costs.is_empty());
}

/// Any records: sizes and times of all magnitudes.
fn anything() -> impl Strategy<Value = Vec<Record>> {
    let size = prop_oneof![1u64..100, 1u64..1 << 30, Just(4096u64), Just(1 << 20), 1u64..];
    let time = prop_oneof![0.0f64..10.0, 0.0f64..1e-6, 0.0f64..1e300, Just(0.0)];
    let one = (size, time, any::<u64>(), any::<u64>());
    let record = |(pixels, seconds, output_bytes, scratch_bytes)| {
        let (operation, device) = ("x".into(), "cpu".into());
        Record { operation, version: 1, device, pixels, seconds, output_bytes, scratch_bytes, reuse: None }
    };
    vec(one.prop_map(record), 1..60)
}

proptest! {
    #[test]
    fn the_order_of_records_does_not_matter(records in anything(), turn in 0usize..60, pixels in 1u64..1 << 40) {
        let mut other = records.clone();
        other.rotate_left(turn % records.len());
        other.reverse();
        let (first, second) = (costs(&records), costs(&other));
        let (a, b) = (first.model(&spec(), "cpu"), second.model(&spec(), "cpu"));
        prop_assert_eq!(a.seconds(pixels), b.seconds(pixels));
        prop_assert_eq!(a.output_bytes(pixels), b.output_bytes(pixels));
        prop_assert_eq!(a.scratch_bytes(pixels), b.scratch_bytes(pixels));
        prop_assert_eq!(first.len(), records.len() as u64);
    }

    #[test]
    fn estimates_lie_between_their_bars_and_rise_with_size(records in anything(), sizes in vec(1u64.., 2..20)) {
        let model = costs(&records).model(&spec(), "cpu");
        let measured = records.iter().map(|record| record.pixels);
        let mut sizes: Vec<u64> = sizes.into_iter().chain(measured).collect();
        sizes.sort_unstable();
        let found: Vec<CostEstimate> = sizes.iter().map(|pixels| model.seconds(*pixels)).collect();
        for CostEstimate { seconds, low, high, .. } in &found {
            prop_assert!(seconds.is_finite() && *low >= 0.0, "{found:?}");
            prop_assert!(low <= seconds && seconds <= high, "{found:?}");
        }
        for pair in found.windows(2) {
            prop_assert!(pair[0].seconds <= pair[1].seconds * (1.0 + 1e-12), "{pair:?}");
        }
        for pair in sizes.windows(2) {
            prop_assert!(model.output_bytes(pair[0]).bytes <= model.output_bytes(pair[1]).bytes.saturating_add(1));
        }
    }

    #[test]
    fn a_few_outliers_move_it_little(
        noise in vec(1.0f64..1.1, 20..40), outliers in vec((0usize..3, 0.0f64..1e6), 0..4),
    ) {
        let sizes = [4096u64, 65_536, 1 << 20];
        let expected = |pixels: u64| 1e-3 + 1e-8 * pixels as f64;
        let good = sizes.iter().flat_map(|p| noise.iter().map(|n| record(*p, n * expected(*p))));
        let bad = outliers.iter().map(|(size, s)| record(sizes[*size], *s));
        let records: Vec<Record> = good.chain(bad).collect();
        for pixels in [4096, 10_000, 65_536, 300_000, 1 << 20] {
            let CostEstimate { seconds, low, high, .. } = seconds(&records, pixels);
            let near = |found: f64| (0.98..1.13).contains(&(found / expected(pixels)));
            prop_assert!(near(seconds) && near(low) && near(high), "{pixels}: {low} {seconds} {high}");
        }
    }

    #[test]
    fn outliers_of_odd_sizes_do_not_make_sizes_of_their_own(odd in vec((1u64..1 << 22, 0.0f64..1e6), 0..3)) {
        let sides = [64u64, 256, 1024];
        let mut records = with_fixed_part(&sides);
        // Among the five records of a size itself two others would be more than a quarter: those say something.
        let is_odd = |pixels: u64| sides.iter().all(|side| !(side * side..side * side * 9 / 8).contains(&pixels));
        // Three of them in one class would still be few.
        let odd = odd.iter().filter(|(pixels, _)| is_odd(*pixels));
        records.extend(odd.map(|(pixels, seconds)| record(*pixels, *seconds)));
        for side in [70u64, 256, 900] {
            let (pixels, expected) = (side * side, 1e-3 + 1e-8 * (side * side) as f64);
            let found = seconds(&records, pixels).seconds;
            prop_assert!((found / expected - 1.0).abs() < 0.25, "{side}: {found}, expected {expected}");
        }
    }

    #[test]
    fn slower_machines_and_other_units_of_size_scale(
        times in vec(1e-4f64..1.0, 1..30), power in -3i32..4, doubled in 0u32..6, pixels in 1_000u64..1 << 30,
    ) {
        let sizes = [4096u64, 10_000, 1 << 20];
        let with = |factor: f64, shift: u32| -> Vec<Record> {
            let all = times.iter().enumerate();
            all.map(|(at, time)| record(sizes[at % 3] << shift, time * factor)).collect()
        };
        let first = seconds(&with(1.0, 0), pixels);
        // Powers of two, which move no value over the edge of its bin.
        let factor = 2f64.powi(power);
        let slower = seconds(&with(factor, 0), pixels);
        prop_assert!((slower.seconds / (factor * first.seconds) - 1.0).abs() < 1e-9, "{first:?} {slower:?}");
        let larger = seconds(&with(1.0, doubled), pixels << doubled);
        prop_assert!((larger.seconds / first.seconds - 1.0).abs() < 1e-9, "{first:?} {larger:?}");
    }

    #[test]
    fn a_bound_of_bytes_suffices_for_nearly_all(bytes in vec(0u64..1 << 40, 1..100)) {
        let records: Vec<Record> =
            bytes.iter().map(|bytes| Record { output_bytes: *bytes, ..record(1000, 1.0) }).collect();
        let bound = costs(&records).model(&spec(), "cpu").output_bytes(1000).bytes;
        let enough = bytes.iter().filter(|bytes| **bytes <= bound).count();
        prop_assert!(enough * 100 >= bytes.len() * 95, "{enough} of {}", bytes.len());
        prop_assert!(bound <= *bytes.iter().max().unwrap_or(&0).max(&1));
    }
}
