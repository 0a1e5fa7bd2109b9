//! The catalogue of operations: what each reads, takes, makes and costs.

mod nuclei;
mod steps;

use std::collections::BTreeMap;

use crate::{Halo, ParameterKind, RegionKind, Repeats};
pub use steps::{OpStep, StepsError};

/// The operations a workflow may name, by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    specs: BTreeMap<String, OpSpec>,
}

/// The specification of one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OpSpec {
    /// The name descriptors use: `nuclei.grow`.
    pub id: String,
    /// Raised whenever the same inputs give other bytes.
    pub version: u64,
    /// One sentence, for people.
    pub about: String,
    /// The parameters it reads and how: values with the same canonical form are equal to it.
    pub parameters: Vec<OpParameter>,
    /// The regions it takes, in order.
    pub inputs: Vec<OpRegion>,
    /// The regions it makes, in order.
    pub outputs: Vec<OpRegion>,
    /// How far around a part it must see.
    pub halo: Halo,
    /// Bytes it makes per pixel of its part, all outputs together.
    pub output_bytes_per_pixel: u32,
    /// Bytes it needs per pixel of its part while it runs, beyond inputs and outputs.
    pub scratch_bytes_per_pixel: u32,
    /// Bytes it needs while it runs, whatever the size of its part: lists of fixed length, or a program of its own.
    pub scratch_bytes: u64,
    /// What it costs per pixel, in nanoseconds of one core, until a run has measured it.
    pub cost_ns_per_pixel: f64,
    /// Whether the same inputs give the same bytes.
    pub repeats: Repeats,
    /// The input whose objects it treats one by one.
    pub per_object: Option<String>,
    /// The statuses with which it may end its part.
    pub statuses: Vec<String>,
    /// The parameter that says how many pixels the largest objects have that it keeps.
    pub largest: Option<String>,
    /// Operations that together compute the same bytes; empty when it cannot be split.
    pub steps: Vec<OpStep>,
}

/// A parameter an operation reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpParameter {
    /// Its name.
    pub name: String,
    /// How it is read.
    pub kind: ParameterKind,
}

/// A region an operation takes or makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpRegion {
    /// The operation's name for it.
    pub name: String,
    /// What it must hold.
    pub kind: RegionKind,
}

impl Catalogue {
    /// A catalogue of these operations; of two with one id the later stays.
    pub fn new(specs: impl IntoIterator<Item = OpSpec>) -> Self {
        Self { specs: specs.into_iter().map(|spec| (spec.id.clone(), spec)).collect() }
    }

    /// The operations of the shipped workflows.
    pub fn nuclei() -> Self {
        Self::new(nuclei::specs())
    }

    /// The same with one operation more; it takes the place of one with its id.
    #[must_use]
    pub fn with(mut self, spec: OpSpec) -> Self {
        self.specs.insert(spec.id.clone(), spec);
        self
    }

    /// The operation with that id.
    pub fn get(&self, id: &str) -> Option<&OpSpec> {
        self.specs.get(id)
    }

    /// The ids, sorted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.specs.keys().map(String::as_str)
    }

    /// The operations, sorted by id.
    pub fn specs(&self) -> impl Iterator<Item = &OpSpec> {
        self.specs.values()
    }
}

impl OpSpec {
    /// An exact operation of version 1 that sees only its own pixels and reads, takes and makes nothing yet.
    pub fn new(id: impl Into<String>, about: impl Into<String>, cost_ns_per_pixel: f64) -> Self {
        Self {
            id: id.into(),
            version: 1,
            about: about.into(),
            parameters: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            halo: Halo::None,
            output_bytes_per_pixel: 0,
            scratch_bytes_per_pixel: 0,
            scratch_bytes: 0,
            cost_ns_per_pixel,
            repeats: Repeats::Exact,
            per_object: None,
            statuses: Vec::new(),
            largest: None,
            steps: Vec::new(),
        }
    }

    /// Sets the version: one more whenever its bytes change.
    #[must_use]
    pub fn of_version(mut self, version: u64) -> Self {
        self.version = version;
        self
    }

    /// Adds the parameters it reads.
    #[must_use]
    pub fn reads(mut self, parameters: &[(&str, ParameterKind)]) -> Self {
        let parameter =
            |(name, kind): &(&str, ParameterKind)| OpParameter { name: (*name).into(), kind: *kind };
        self.parameters.extend(parameters.iter().map(parameter));
        self
    }

    /// Adds the regions it takes.
    #[must_use]
    pub fn takes(mut self, regions: &[(&str, RegionKind)]) -> Self {
        self.inputs.extend(regions.iter().map(OpRegion::from_pair));
        self
    }

    /// Adds the regions it makes and counts their bytes.
    #[must_use]
    pub fn makes(mut self, regions: &[(&str, RegionKind)]) -> Self {
        self.outputs.extend(regions.iter().map(OpRegion::from_pair));
        self.output_bytes_per_pixel = self.outputs.iter().map(|r| r.kind.bytes_per_pixel()).sum();
        self
    }

    /// Sets the halo.
    #[must_use]
    pub fn sees(mut self, halo: Halo) -> Self {
        self.halo = halo;
        self
    }

    /// Sets the parameter that bounds the pixels of the objects that it keeps.
    #[must_use]
    pub fn keeps_up_to(mut self, parameter: &str) -> Self {
        self.largest = Some(parameter.into());
        self
    }

    /// Sets the scratch memory per pixel.
    #[must_use]
    pub fn with_scratch(mut self, bytes_per_pixel: u32) -> Self {
        self.scratch_bytes_per_pixel = bytes_per_pixel;
        self
    }

    /// Sets the scratch memory that does not depend on the size of the part.
    #[must_use]
    pub fn with_fixed_scratch(mut self, bytes: u64) -> Self {
        self.scratch_bytes = bytes;
        self
    }

    /// Sets the input whose objects it treats one by one.
    #[must_use]
    pub fn per_object_of(mut self, input: &str) -> Self {
        self.per_object = Some(input.into());
        self
    }

    /// Adds the statuses with which it may end its part.
    #[must_use]
    pub fn may_end(mut self, statuses: &[&str]) -> Self {
        self.statuses.extend(statuses.iter().map(|s| (*s).to_owned()));
        self
    }

    /// Sets the operations that together compute the same bytes for all inputs and parameters: a planner may replace it by
    /// them. See [`Catalogue::check_steps`].
    #[must_use]
    pub fn made_of(mut self, steps: impl IntoIterator<Item = OpStep>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Bytes it needs while it runs on so many pixels, beyond inputs and outputs.
    pub fn scratch(&self, pixels: u64) -> u64 {
        u64::from(self.scratch_bytes_per_pixel).saturating_mul(pixels).saturating_add(self.scratch_bytes)
    }

    /// The parameter with that name.
    pub fn parameter(&self, name: &str) -> Option<&OpParameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

impl OpRegion {
    fn from_pair((name, kind): &(&str, RegionKind)) -> Self {
        Self { name: (*name).into(), kind: *kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_says_something_sensible() {
        for spec in Catalogue::nuclei().specs() {
            assert!(spec.cost_ns_per_pixel > 0.0, "{}", spec.id);
            assert!(!spec.outputs.is_empty() || !spec.statuses.is_empty(), "{} has no effect", spec.id);
            let object = spec.per_object.as_ref();
            let input = object.and_then(|name| spec.inputs.iter().find(|r| r.name == *name));
            assert_eq!(object.is_some(), input.is_some_and(|r| r.kind.has_objects()), "{}", spec.id);
            assert_eq!(Catalogue::nuclei().check_steps(spec), Ok(()));
            assert!(spec.largest.iter().all(|name| spec.parameter(name).is_some()), "{}", spec.id);
        }
    }
}
