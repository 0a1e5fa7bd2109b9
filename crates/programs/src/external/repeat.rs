//! Whether a program that is declared exact gives the same bytes twice: its first instance is run twice.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use onceflow_region::Region;
use onceflow_runtime::{Call, Done, OperationError};

use super::ExternalOperation;
use crate::files;
use crate::task::ProgramTask;
use crate::units::{Program as _, whole};

/// Whether two runs of the first instance gave the same bytes, once that is known.
#[derive(Debug, Default)]
pub(super) struct RepeatCheck(Mutex<Option<Result<(), OperationError>>>);

impl ExternalOperation {
    /// Runs the first instance twice and compares; its result, or none for later instances. Other workers wait meanwhile, so
    /// that no result of a program with a wrong declaration is used.
    pub(super) fn check_repeats(&self, call: &Call<'_>) -> Result<Option<Done>, OperationError> {
        let mut repeats = self.repeats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = repeats.as_ref() {
            return known.clone().map(|()| None);
        }
        // A failure says nothing about repeating: the next instance is the first.
        let start = Instant::now();
        let first = self.once(&whole(self, call)?)?;
        let seconds = start.elapsed().as_secs_f64();
        let found = compare(&first, &self.once(&whole(self, call)?)?, &self.task);
        *repeats = Some(found.clone());
        found?;
        match &self.units {
            Some(units) => units.first(self, call, first, seconds).map(Some),
            None => Ok(Some(first)),
        }
    }
}

fn compare(first: &Done, second: &Done, task: &ProgramTask) -> Result<(), OperationError> {
    if first.ended != second.ended {
        return Err(differ(task, "end in different ways"));
    }
    for ((one, two), region) in first.outputs.iter().zip(&second.outputs).zip(&task.spec.outputs) {
        if !one.is_same(two) {
            let name = &region.name;
            return Err(match difference(one, two) {
                Some((count, all)) => differ(task, &format!("differ in {count} of {all} values of `{name}`")),
                None => differ(task, &format!("differ in `{name}`")),
            });
        }
    }
    Ok(())
}

fn differ(task: &ProgramTask, how: &str) -> OperationError {
    let command = task.short_command();
    OperationError::new(format!(
        "`{command}` is declared exact, but two runs of one task {how}; \
         give it a fixed seed, or declare \"repeats\": \"close\" or \"never\""
    ))
}

/// How many values of two images differ, and how many there are; none for other regions.
fn difference(one: &Region, two: &Region) -> Option<(usize, usize)> {
    let bytes = |region: &Region| {
        let mut bytes = Vec::new();
        files::write_plain(&mut bytes, region.as_dense()?).ok()?;
        Some((bytes, region.as_dense()?.element().bytes() as usize))
    };
    let ((one, size), (two, _)) = (bytes(one)?, bytes(two)?);
    let count = one.chunks(size).zip(two.chunks(size)).filter(|(a, b)| a != b).count();
    Some((count, one.len() / size))
}
