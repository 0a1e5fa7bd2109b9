//! Built-in operations: each binds an entry of the catalogue to a kernel.

mod colour;
mod composite;
mod counted;
mod known;
mod metric;
mod nuclei;
mod pixels;
mod regions;
mod sizes;
mod split;

use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::{Bits, Shape};
use onceflow_reuse::{Content, FlowTask};
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::Canonical;

use crate::objects_seen::ObjectsSeen;
use known::Known;
use regions::{done, from_bits, from_grey};

pub(crate) use colour::ROWS as STATISTICS_ROWS;
pub(crate) use composite::{Composite, StepLog};
pub(crate) use counted::Counted;
pub(crate) use metric::{Comparison, counts_of};
pub(crate) use regions::colour as colour_view;

/// What an operation does: parameters come in the order of its entry in the catalogue.
type Kernel = fn(&Arguments<'_>) -> Result<Done, OperationError>;

/// Every built-in operation by its id.
const KERNELS: [(&str, Kernel); 18] = [
    ("colour.statistics", colour::statistics),
    ("colour.transfer", colour::transfer),
    ("colour.normalize", colour::normalize),
    ("nuclei.background", nuclei::background),
    ("nuclei.red_blood_cells", nuclei::red_blood_cells),
    ("nuclei.background_and_blood", nuclei::background_and_blood),
    ("nuclei.reconstruct", nuclei::reconstruct),
    ("nuclei.candidates", nuclei::candidates),
    ("image.difference", pixels::difference),
    ("image.above", pixels::above),
    ("mask.fill_holes", pixels::fill_holes),
    ("mask.area_filter", sizes::area_filter),
    ("nuclei.grow", nuclei::grow),
    ("nuclei.clumps", sizes::clumps),
    ("nuclei.split", split::split),
    ("nuclei.separate", split::separate),
    ("nuclei.finish", sizes::finish),
    ("metric.compare", metric::compare),
];

/// The operation of a task; `None` when nothing of that id is built in. It works on objects that it has not seen only,
/// where it is told what its inputs hold.
pub(crate) fn operation(task: &FlowTask, seen: Option<&Arc<ObjectsSeen>>) -> Option<Arc<dyn Operation>> {
    let (_, kernel) = KERNELS.iter().find(|(id, _)| *id == task.spec.id)?;
    let place = |name: &str| task.reads.iter().position(|read| read.name == name);
    let order = task.spec.parameters.iter().map(|p| place(&p.name)).collect::<Option<Vec<_>>>()?;
    let known = seen.map(|seen| Known::new(task, Arc::clone(seen)));
    Some(Arc::new(BuiltIn { kernel: *kernel, order, known }))
}

/// A kernel with the way from a task's order of parameters to the catalogue's.
struct BuiltIn {
    kernel: Kernel,
    order: Vec<usize>,
    known: Option<Known>,
}

impl Operation for BuiltIn {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let parameters: Option<Vec<&Canonical>> =
            self.order.iter().map(|place| call.parameters.get(*place)).collect();
        let parameters =
            parameters.ok_or_else(|| OperationError::new("expected more parameters than were given"))?;
        let known = self.known.as_ref().filter(|_| call.contents.len() == call.inputs.len());
        let Call { inputs, contents, wanted, row, site, .. } = *call;
        (self.kernel)(&Arguments { inputs, contents, wanted, parameters, row, site, known })
    }
}

/// What a kernel is given.
pub(crate) struct Arguments<'a> {
    inputs: &'a [Arc<onceflow_region::Region>],
    contents: &'a [Content],
    /// Whether anybody wants to know what the result holds.
    wanted: bool,
    parameters: Vec<&'a Canonical>,
    row: u32,
    site: usize,
    /// Objects that were seen before; only where all contents are told.
    known: Option<&'a Known>,
}

/// The third word of contents that are digests of masks as they were written.
const WRITTEN: u64 = 0x7772_6974_7465_6e21;

impl Arguments<'_> {
    /// A mask that a task made, and what it holds where somebody asks for that.
    fn written(&self, mask: Bits) -> Result<Done, OperationError> {
        if !self.wanted {
            return self.made(mask, None);
        }
        let began = Instant::now();
        let [one, other] = mask.digest().words();
        let telling = began.elapsed().as_secs_f64();
        Ok(Done { telling, ..self.made(mask, Some(Content([one, other, WRITTEN, 0])))? })
    }

    /// A mask that holds this, if that is known. Where objects are known it stays bits until somebody wants its bytes, which
    /// none of our tasks does.
    fn made(&self, mask: Bits, content: Option<Content>) -> Result<Done, OperationError> {
        let mask = if self.known.is_some() { from_bits(mask)? } else { from_grey(mask.to_plane())? };
        Ok(Done { contents: content.into_iter().collect(), ..done([mask]) })
    }

    /// What a result holds that follows from an input and from a digest of what was done to it; none where nobody asks.
    fn derived(&self, input: usize, done: Shape) -> Option<Content> {
        Some(self.known?.content(*self.contents.get(input)?, done))
    }
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod object_tests;
#[cfg(test)]
mod size_tests;
#[cfg(test)]
mod step_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_entry_of_the_catalogue_has_a_kernel_and_no_kernel_is_without_entry() {
        let catalogue = catalogue();
        let mut known: Vec<&str> = KERNELS.iter().map(|(id, _)| *id).collect();
        known.sort_unstable();
        assert_eq!(known, catalogue.ids().collect::<Vec<_>>());
    }
}
