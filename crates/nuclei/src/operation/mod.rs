//! Built-in operations: each binds a specification of the catalogue to a kernel.

mod colour;
mod counted;
mod lookup;
mod metric;
mod nuclei;
mod pixels;
mod regions;
mod sizes;
mod split;

use std::sync::Arc;
use std::time::Instant;

use onceflow_kernels::object_cache::ObjectCache;
use onceflow_kernels::{Bits, ObjectHash};
use onceflow_reuse::{ContentDigest, FlowTask};
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::Canonical;

use lookup::ObjectLookup;
use regions::{done, from_bits, from_grey};

pub use colour::ROWS as STATISTICS_ROWS;
pub use counted::CountedWindow;
pub use metric::{COMPARE, PartComparison, counts_of};

/// The function of an operation; parameters come in the order of its specification.
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
    (COMPARE, metric::compare),
];

/// The operation of a task; `None` if no operation with that id is built in. With a cache of objects it computes only the
/// objects that are not cached, provided that the contents of its inputs are known.
pub fn operation(task: &FlowTask, cache: Option<&Arc<ObjectCache>>) -> Option<Arc<dyn Operation>> {
    let (_, kernel) = KERNELS.iter().find(|(id, _)| *id == task.spec.id)?;
    let place = |name: &str| task.reads.iter().position(|read| read.name == name);
    let order = task.spec.parameters.iter().map(|p| place(&p.name)).collect::<Option<Vec<_>>>()?;
    let known = cache.map(|cache| ObjectLookup::new(task, Arc::clone(cache)));
    Some(Arc::new(BuiltIn { kernel: *kernel, order, known }))
}

/// A kernel, and the positions of its parameters among those of the task.
struct BuiltIn {
    kernel: Kernel,
    order: Vec<usize>,
    known: Option<ObjectLookup>,
}

impl Operation for BuiltIn {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let parameters: Option<Vec<&Canonical>> =
            self.order.iter().map(|place| call.parameters.get(*place)).collect();
        let parameters =
            parameters.ok_or_else(|| OperationError::new("expected more parameters than were given"))?;
        let known = self.known.as_ref().filter(|_| call.digests.len() == call.inputs.len());
        let Call { inputs, digests, wanted, row, site, .. } = *call;
        (self.kernel)(&Arguments { inputs, digests, wanted, parameters, row, site, known })
    }
}

/// The arguments of a kernel.
pub(crate) struct Arguments<'a> {
    inputs: &'a [Arc<onceflow_region::Region>],
    digests: &'a [ContentDigest],
    /// Whether the content of the result is requested.
    wanted: bool,
    parameters: Vec<&'a Canonical>,
    row: u32,
    site: usize,
    /// The cached objects; only if the contents of all inputs are known.
    known: Option<&'a ObjectLookup>,
}

/// The third word of contents that are hashes of masks.
const WRITTEN: u64 = 0x7772_6974_7465_6e21;

impl Arguments<'_> {
    /// A mask as the result, with its content if that is requested.
    fn written(&self, mask: Bits) -> Result<Done, OperationError> {
        if !self.wanted {
            return self.made(mask, None);
        }
        let began = Instant::now();
        let [one, other] = mask.digest().words();
        let telling = began.elapsed().as_secs_f64();
        Ok(Done { telling, ..self.made(mask, Some(ContentDigest([one, other, WRITTEN, 0])))? })
    }

    /// A mask as the result, with its content if that is known. With cached objects it stays packed in bits, which all
    /// built-in tasks read.
    fn made(&self, mask: Bits, content: Option<ContentDigest>) -> Result<Done, OperationError> {
        let mask = if self.known.is_some() { from_bits(mask)? } else { from_grey(mask.to_plane())? };
        Ok(Done { digests: content.into_iter().collect(), ..done([mask]) })
    }

    /// The content of a result derived from an input and a hash of the change; none without a cache.
    fn derived(&self, input: usize, done: ObjectHash) -> Option<ContentDigest> {
        Some(self.known?.content(*self.digests.get(input)?, done))
    }
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod object_tests;
#[cfg(test)]
mod size_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;

    #[test]
    fn every_entry_of_the_catalogue_has_a_kernel_and_no_kernel_is_without_entry() {
        let catalogue = catalogue();
        let mut known: Vec<&str> = KERNELS.iter().map(|(id, _)| *id).collect();
        known.sort_unstable();
        assert_eq!(known, catalogue.ids().collect::<Vec<_>>());
    }
}
