//! Refuses work that would not fit in memory, before it begins.

use onceflow_engine::available_memory;
use onceflow_study::{Diagnostic, Size};

use crate::failure::Failure;

const MIB: u64 = 1 << 20;

/// Refuses work that needs more than `asked`, or, where nothing is asked, more than the machine has.
pub fn check_memory(work: &str, needed: u64, asked: Option<Size>) -> Result<(), Failure> {
    let limit = asked.map_or_else(available_memory, |size| size.0);
    if needed <= limit {
        return Ok(());
    }
    let least = Size(needed.div_ceil(MIB).saturating_mul(MIB));
    let found = match asked {
        Some(size) => size.to_string(),
        None => format!("{}, three quarters of what is free", Size(limit / MIB * MIB)),
    };
    Err(Failure::memory(
        Diagnostic::error(format!("the memory bound is too small to {work}"))
            .expected_found(format!("at least {least}"), found)
            .with_hint(format!("give --memory '{least}' where there is as much, or a smaller image")),
    ))
}
