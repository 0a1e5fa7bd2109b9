//! Estimates from records, and from what operations declare where there are none.

use std::collections::{BTreeMap, BTreeSet};

use onceflow_study::OpSpec;

use crate::reused::Reused;
use crate::size::size_class;
use crate::{CostEstimate, CostModel, Finding, FindingSum, Record, RecordError};

/// Records of finished tasks, and what they say about the next ones.
///
/// Its size depends on how many operations, devices, sizes and levels of reuse there are, not on the number of records: of
/// each, only counts of nearly equal values are kept.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// Of each operation in each version, on each device, by size.
    measured: BTreeMap<(String, u64), BTreeMap<String, BTreeMap<u32, Reused>>>,
    /// What runs found out about each operation in each version, on whatever device.
    found: BTreeMap<(String, u64), FindingSum>,
}

impl Costs {
    /// Adds a record; the order in which they come does not matter.
    pub fn add(&mut self, record: &Record) -> Result<(), RecordError> {
        record.check()?;
        let devices = self.measured.entry((record.operation.clone(), record.version)).or_default();
        let sizes = devices.entry(record.device.clone()).or_default();
        sizes.entry(size_class(record.pixels)).or_default().add(record);
        Ok(())
    }

    /// Adds what a run found out; the order does not matter either.
    pub fn add_finding(&mut self, finding: &Finding) -> Result<(), RecordError> {
        finding.check()?;
        self.found.entry((finding.operation.clone(), finding.version)).or_default().add(finding);
        Ok(())
    }

    /// What runs found out about an operation.
    pub fn found(&self, spec: &OpSpec) -> FindingSum {
        self.found.get(&(spec.id.clone(), spec.version)).copied().unwrap_or_default()
    }

    /// What an operation costs on a device, at whatever level of reuse: made once, asked for many sizes.
    pub fn model(&self, spec: &OpSpec, device: &str) -> CostModel {
        self.model_at(spec, device, &[])
    }

    /// The same at the first of some levels of reuse of which there are several records of a size; where no level has
    /// several, all of them count. Tasks cost something else at each level: what stands between them on their core
    /// decides what they find in its caches, and each level leaves other instances to be computed.
    pub fn model_at(&self, spec: &OpSpec, device: &str, levels: &[&str]) -> CostModel {
        let devices = self.measured.get(&(spec.id.clone(), spec.version));
        let sizes = devices.and_then(|devices| devices.get(device));
        CostModel::new(spec, sizes.into_iter().flat_map(BTreeMap::values), levels)
    }

    /// What a task of an operation costs on a device, for so many pixels.
    pub fn estimate(&self, spec: &OpSpec, device: &str, pixels: u64) -> CostEstimate {
        self.model(spec, device).seconds(pixels)
    }

    /// The devices of which there are records.
    pub fn devices(&self) -> BTreeSet<&str> {
        self.measured.values().flat_map(BTreeMap::keys).map(String::as_str).collect()
    }

    /// How many records there are.
    pub fn len(&self) -> u64 {
        let devices = self.measured.values().flat_map(BTreeMap::values);
        devices.flat_map(BTreeMap::values).map(Reused::count).sum()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.measured.is_empty()
    }
}
