//! Estimates from records, and from what operations declare where there are none.

use std::collections::BTreeMap;

use onceflow_study::OpSpec;

use crate::{Record, RecordError};

/// Records of finished tasks, and what they say about the next ones.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Seconds per pixel of each operation in each version on each device.
    measured: BTreeMap<(String, u64), BTreeMap<String, Vec<f64>>>,
}

/// What a task is expected to cost. Half of all such tasks are expected between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The middle.
    pub seconds: f64,
    /// A quarter of them are cheaper.
    pub low: f64,
    /// A quarter of them are dearer.
    pub high: f64,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where an estimate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Tasks of the same operation, version and device that were measured.
    Measured {
        /// How many.
        records: usize,
    },
    /// What the operation declares: it was measured on some other machine.
    Declared,
}

/// With fewer records their spread says nothing, and the estimate is taken to be right up to [`FEW_SPREAD`].
const FEW: usize = 4;
const FEW_SPREAD: f64 = 2.0;
/// Machines differ by about so much.
const DECLARED_SPREAD: f64 = 3.0;

impl Costs {
    /// Adds a record; the order in which they come does not matter.
    pub fn add(&mut self, record: &Record) -> Result<(), RecordError> {
        record.check()?;
        let devices = self.measured.entry((record.operation.clone(), record.version)).or_default();
        let rate = record.seconds / record.pixels as f64;
        devices.entry(record.device.clone()).or_default().push(rate);
        Ok(())
    }

    /// What a task of an operation costs on a device, for so many pixels.
    pub fn estimate(&self, spec: &OpSpec, device: &str, pixels: u64) -> Estimate {
        let devices = self.measured.get(&(spec.id.clone(), spec.version));
        let rate = match devices.and_then(|devices| devices.get(device)) {
            Some(rates) => measured(rates),
            None => around(spec.cost_ns_per_pixel * 1e-9, DECLARED_SPREAD, Origin::Declared),
        };
        rate.times(pixels as f64)
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.measured.values().flat_map(BTreeMap::values).map(Vec::len).sum()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.measured.is_empty()
    }
}

impl Estimate {
    fn times(self, factor: f64) -> Self {
        let Self { seconds, low, high, origin } = self;
        Self { seconds: seconds * factor, low: low * factor, high: high * factor, origin }
    }
}

/// Median and quartiles: one task that waited for a disk does not move them.
fn measured(rates: &[f64]) -> Estimate {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let origin = Origin::Measured { records: sorted.len() };
    let middle = quantile(&sorted, 0.5);
    if sorted.len() < FEW {
        return around(middle, FEW_SPREAD, origin);
    }
    Estimate { seconds: middle, low: quantile(&sorted, 0.25), high: quantile(&sorted, 0.75), origin }
}

fn around(seconds: f64, spread: f64, origin: Origin) -> Estimate {
    Estimate { seconds, low: seconds / spread, high: seconds * spread, origin }
}

/// The value below which that share of the sorted values lies, between two of them where it must be.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * sorted.len().saturating_sub(1) as f64;
    let below = place.floor();
    let at = |place: f64| sorted.get(place as usize).copied().unwrap_or_default();
    let (low, high) = (at(below), at(place.ceil()));
    low + (high - low) * (place - below)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(pixels: u64, seconds: f64) -> Record {
        Record { operation: "x".into(), version: 1, device: "cpu".into(), pixels, seconds, output_bytes: 0 }
    }

    fn costs(records: &[Record]) -> Costs {
        let mut costs = Costs::default();
        for record in records {
            costs.add(record).unwrap();
        }
        costs
    }

    fn spec() -> OpSpec {
        OpSpec::new("x", "anything", 5.0)
    }

    #[test]
    fn nothing_measured_means_what_is_declared() {
        let costs = costs(&[record(100, 1.0)]);
        let declared = Costs::default().estimate(&spec(), "cpu", 1_000_000);
        assert_eq!(declared.origin, Origin::Declared);
        assert!((declared.seconds - 0.005).abs() < 1e-15 && declared.low < 0.005 && declared.high > 0.005);
        let newer = OpSpec { version: 2, ..spec() };
        assert_eq!(
            costs.estimate(&newer, "cpu", 1).origin,
            Origin::Declared,
            "another version is another task"
        );
        assert_eq!(
            costs.estimate(&spec(), "gpu", 1).origin,
            Origin::Declared,
            "another device is another cost"
        );
        assert_eq!(costs.estimate(&spec(), "cpu", 1).origin, Origin::Measured { records: 1 });
    }

    #[test]
    fn quartiles_are_between_the_records_and_scale_with_pixels() {
        let records: Vec<_> = (1..=5).map(|seconds| record(100, f64::from(seconds))).collect();
        let Estimate { seconds, low, high, origin } = costs(&records).estimate(&spec(), "cpu", 200);
        assert_eq!(origin, Origin::Measured { records: 5 });
        assert!((seconds - 6.0).abs() < 1e-12 && (low - 4.0).abs() < 1e-12 && (high - 8.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut costs = Costs::default();
        assert!(costs.add(&record(0, 1.0)).is_err());
        assert!(costs.add(&record(1, f64::NAN)).is_err());
        assert!(costs.is_empty());
    }

    proptest! {
        #[test]
        fn the_order_of_records_does_not_matter(
            mut seconds in proptest::collection::vec(0.0f64..10.0, 1..30), turn in 0usize..30,
        ) {
            let records = |seconds: &[f64]| seconds.iter().map(|s| record(64, *s)).collect::<Vec<_>>();
            let first = costs(&records(&seconds));
            let count = seconds.len();
            seconds.rotate_left(turn % count);
            let second = costs(&records(&seconds)).estimate(&spec(), "cpu", 64);
            prop_assert_eq!(first.estimate(&spec(), "cpu", 64), second);
            prop_assert_eq!(first.len(), count);
            let Estimate { seconds, low, high, .. } = second;
            prop_assert!(low <= seconds && seconds <= high);
        }

        #[test]
        fn a_few_outliers_move_it_little(
            seconds in proptest::collection::vec(1.0f64..1.1, 20..40), outliers in proptest::collection::vec(0.0f64..1e6, 0..4),
        ) {
            let records: Vec<_> = seconds.iter().chain(&outliers).map(|s| record(64, *s)).collect();
            let Estimate { seconds, low, high, .. } = costs(&records).estimate(&spec(), "cpu", 64);
            let near = |x: f64| (1.0 - 1e-9..1.1 + 1e-9).contains(&x);
            prop_assert!(near(seconds) && near(low) && near(high), "{low} {seconds} {high}");
        }
    }
}
