//! Memory by reservation: a task is admitted with its outputs and scratch, gives the scratch back when it ends, and the
//! outputs when their last read is over.

use std::ops::Range;

use onceflow_region::{Budget, Lease};
use onceflow_reuse::Flow;

use super::SchedulerError;
use super::shape::FlowShape;
use crate::PartLayout;

/// What the scheduler has reserved.
#[derive(Debug)]
pub(super) struct MemoryLedger {
    budget: Budget,
    lease: Option<Lease>,
    needs: Vec<Need>,
}

/// What a task needs per pixel, and whatever its pixels.
#[derive(Clone, Copy, Debug)]
struct Need {
    outputs: u64,
    scratch: u64,
    fixed: u64,
}

impl MemoryLedger {
    /// Refuses when a single task with its inputs can never fit.
    pub(super) fn new(
        flow: &Flow,
        shape: &FlowShape,
        layout: &PartLayout,
        budget: Budget,
    ) -> Result<Self, SchedulerError> {
        let need = |task: &onceflow_reuse::FlowTask| Need {
            outputs: u64::from(task.spec.output_bytes_per_pixel),
            scratch: u64::from(task.spec.scratch_bytes_per_pixel),
            fixed: task.spec.scratch_bytes,
        };
        let needs = flow.tasks.iter().map(need).collect();
        let memory = Self { lease: budget.try_reserve(0), budget, needs };
        memory.check(flow, shape, layout, 0..layout.parts.len())?;
        Ok(memory)
    }

    /// Refuses when a single task of some parts can never fit.
    pub(super) fn check(
        &self,
        flow: &Flow,
        shape: &FlowShape,
        layout: &PartLayout,
        parts: Range<usize>,
    ) -> Result<(), SchedulerError> {
        for part in parts {
            for task in 0..flow.tasks.len() {
                let needed = self.needed(shape, layout, task, part);
                if needed > self.limit() {
                    return Err(self.too_small(flow, task, needed));
                }
            }
        }
        Ok(())
    }

    /// Reserves what a task needs, or nothing when it does not fit now.
    pub(super) fn admit(&mut self, task: usize, pixels: u64) -> bool {
        self.reserve(self.own(task, pixels))
    }

    /// Reserves bytes, or nothing when they do not fit now.
    pub(super) fn reserve(&mut self, bytes: u64) -> bool {
        self.lease.as_mut().is_some_and(|lease| lease.try_grow(bytes))
    }

    /// Bytes that are not reserved.
    pub(super) fn free(&self) -> u64 {
        self.limit().saturating_sub(self.budget.used())
    }

    /// A task ended: its scratch goes back, and its outputs too when it made none.
    pub(super) fn finished(&mut self, task: usize, pixels: u64, made: bool) {
        self.give_back(self.scratch(task, pixels));
        if !made {
            self.released(task, pixels);
        }
    }

    /// The outputs of a task go back.
    pub(super) fn released(&mut self, task: usize, pixels: u64) {
        self.give_back(self.outputs(task, pixels));
    }

    /// The error of a task that needs so many bytes and does not fit beside what is held.
    pub(super) fn stuck(&self, flow: &Flow, task: usize, bytes: u64) -> SchedulerError {
        self.too_small(flow, task, bytes.saturating_add(self.budget.used()))
    }

    /// Bytes that were reserved go back.
    pub(super) fn give_back(&mut self, bytes: u64) {
        if let Some(lease) = &mut self.lease {
            lease.shrink(lease.bytes() - bytes);
        }
    }

    /// What a task needs with its inputs, at a part and at the wider sites it belongs to.
    fn needed(&self, shape: &FlowShape, layout: &PartLayout, task: usize, part: usize) -> u64 {
        let pixels = |task: usize| {
            let scope = shape.scope[task];
            layout.pixels(scope, layout.site(scope, part))
        };
        let inputs = shape.makers[task].iter().map(|maker| self.outputs(*maker, pixels(*maker)));
        let own = [self.outputs(task, pixels(task)), self.scratch(task, pixels(task))];
        inputs.chain(own).fold(0, u64::saturating_add)
    }

    /// What a task needs besides its inputs.
    pub(super) fn own(&self, task: usize, pixels: u64) -> u64 {
        self.outputs(task, pixels).saturating_add(self.scratch(task, pixels))
    }

    /// What a task leaves behind.
    pub(super) fn outputs(&self, task: usize, pixels: u64) -> u64 {
        self.needs[task].outputs.saturating_mul(pixels)
    }

    fn scratch(&self, task: usize, pixels: u64) -> u64 {
        let Need { scratch, fixed, .. } = self.needs[task];
        scratch.saturating_mul(pixels).saturating_add(fixed)
    }

    fn limit(&self) -> u64 {
        self.budget.limit()
    }

    fn too_small(&self, flow: &Flow, task: usize, needed: u64) -> SchedulerError {
        SchedulerError::MemoryTooSmall { task: flow.tasks[task].name.clone(), needed, limit: self.limit() }
    }
}
