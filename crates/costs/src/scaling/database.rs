//! What runs measured: durations of tasks by type, machine, size and nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::curve::ScalingCurve;
use super::error::ScalingError;
use super::estimator::{EstimateOptions, ScalingEstimator};
use super::transfer::MovedCurve;

/// One measured task.
#[derive(Clone, Debug, PartialEq)]
pub struct PerformanceRecord {
    /// Its type.
    pub task: String,
    /// The machine.
    pub machine: String,
    /// The size of its input.
    pub size: f64,
    /// Nodes that it ran on.
    pub nodes: u64,
    /// The device, such as `cpu`.
    pub device: String,
    /// How long it took.
    pub seconds: f64,
    /// The most memory of one node, in bytes, if it was measured.
    pub memory: Option<u64>,
    /// When it ended, as the run says it.
    pub when: String,
    /// The run that measured it.
    pub run: String,
}

/// Whose durations are asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskKey {
    /// The task's type.
    pub task: String,
    /// The machine.
    pub machine: String,
    /// The device.
    pub device: String,
}

/// Everything that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerformanceDatabase {
    records: Vec<PerformanceRecord>,
}

impl PerformanceRecord {
    /// Whose duration it is.
    pub fn key(&self) -> TaskKey {
        TaskKey { task: self.task.clone(), machine: self.machine.clone(), device: self.device.clone() }
    }

    /// What is wrong with it, as expected and found.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        if self.task.is_empty() {
            return Some(("a task type", "an empty text".into()));
        }
        if !positive(self.size) {
            return Some(("a size above 0", self.size.to_string()));
        }
        if self.nodes == 0 {
            return Some(("nodes from 1 on", "0".into()));
        }
        (!positive(self.seconds)).then(|| ("seconds above 0", self.seconds.to_string()))
    }
}

impl PerformanceDatabase {
    /// Adds a measurement.
    ///
    /// # Errors
    /// When its numbers cannot be.
    pub fn add(&mut self, record: PerformanceRecord) -> Result<(), ScalingError> {
        if let Some((expected, found)) = record.wrong() {
            let line = self.records.len() + 1;
            return Err(ScalingError::Line { line, expected: expected.into(), found });
        }
        self.records.push(record);
        Ok(())
    }

    /// All measurements.
    pub fn records(&self) -> &[PerformanceRecord] {
        &self.records
    }

    /// Whose durations there are.
    pub fn keys(&self) -> BTreeSet<TaskKey> {
        self.records.iter().map(PerformanceRecord::key).collect()
    }

    /// The measured curves of a task by size.
    ///
    /// # Errors
    /// When it was never measured: the message says what to measure.
    pub fn curves(&self, key: &TaskKey) -> Result<Vec<(f64, ScalingCurve)>, ScalingError> {
        let mut sizes: BTreeMap<u64, Vec<(u64, f64)>> = BTreeMap::new();
        for record in self.records.iter().filter(|record| record.key() == *key) {
            // Sizes are above 0: their bits have their order.
            sizes.entry(record.size.to_bits()).or_default().push((record.nodes, record.seconds));
        }
        if sizes.is_empty() {
            return Err(self.empty(key));
        }
        let curve =
            |(size, points): (u64, Vec<(u64, f64)>)| Ok((f64::from_bits(size), ScalingCurve::new(points)?));
        sizes.into_iter().map(curve).collect()
    }

    /// An estimator of a task.
    ///
    /// # Errors
    /// When it was never measured.
    pub fn estimator(
        &self,
        key: &TaskKey,
        options: EstimateOptions,
    ) -> Result<ScalingEstimator, ScalingError> {
        let moved = |(size, curve): &(f64, ScalingCurve)| Some((*size, self.moved(key, *size, curve)?));
        let curves = self.curves(key)?;
        let moved = curves.iter().filter_map(moved).collect();
        ScalingEstimator::with_moved(curves, moved, options)
    }

    /// A curve of few points with those of the machine that has most for the same task and size.
    fn moved(&self, key: &TaskKey, size: f64, curve: &ScalingCurve) -> Option<MovedCurve> {
        let others = self.keys().into_iter().filter(|other| {
            other.task == key.task && other.device == key.device && other.machine != key.machine
        });
        let curves = others.filter_map(|other| {
            let found = self.curves(&other).ok()?.into_iter().find(|(seen, _)| *seen == size)?;
            Some((other.machine, found.1))
        });
        let (machine, most) = curves.max_by_key(|(_, curve)| curve.points().len())?;
        MovedCurve::new(curve, &most, &machine)
    }

    fn empty(&self, key: &TaskKey) -> ScalingError {
        let elsewhere = self.records.iter().filter(|record| record.task == key.task);
        let nodes: BTreeSet<u64> = elsewhere.map(|record| record.nodes).collect();
        let proposed = match (nodes.first(), nodes.last()) {
            (Some(first), Some(last)) if first != last => {
                format!("{first} and {last}: for the same size the curve of another machine gives the rest")
            }
            _ => "1, 2, 4 and 8".into(),
        };
        let task = format!("task `{}` on machine `{}`, device `{}`", key.task, key.machine, key.device);
        ScalingError::Empty { task, proposed }
    }
}
