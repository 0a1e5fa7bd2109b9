//! Synthetic tissue painted for commands, with messages for what cannot be painted.

use onceflow_study::Diagnostic;
use onceflow_synth::{MAX_SIDE, Painted, SynthError, Tissue};

use crate::EngineError;

/// Paints tissue. It takes [`bytes_to_paint`] of memory.
///
/// # Errors
/// When its nuclei are too many for labels of 16 bits and the truth is asked for.
pub fn paint(tissue: &Tissue, with_truth: bool) -> Result<Painted, EngineError> {
    onceflow_synth::paint(tissue, with_truth).map_err(|error| match error {
        SynthError::TooManyNuclei { above, height } => too_many(above, height).into(),
        other => EngineError::Internal(other.to_string()),
    })
}

/// The tissue of a size and seed.
///
/// # Errors
/// When no tissue has that size.
pub fn tissue(width: u64, height: u64, seed: u64) -> Result<Tissue, EngineError> {
    Tissue::new(width, height, seed).map_err(|error| no_tissue(width, height, &error).into())
}

/// Memory that painting and writing take at most.
pub fn bytes_to_paint(tissue: &Tissue) -> u64 {
    onceflow_synth::bytes_to_paint(tissue).saturating_add(onceflow_nuclei::PROGRAM_BYTES)
}

fn no_tissue(width: u64, height: u64, error: &SynthError) -> Diagnostic {
    let message = Diagnostic::error(format!("there is no tissue of {width} x {height} pixels"));
    match error {
        SynthError::Side { axis, found } => message
            .expected_found(format!("a {axis} of 1 to {MAX_SIDE} pixels"), found.to_string())
            .with_hint(format!("choose another {axis}")),
        other => message.with_why(other.to_string()),
    }
}

fn too_many(above: u64, height: u64) -> Diagnostic {
    let error = Diagnostic::error("the tissue has more nuclei than labels of 16 bits can tell apart");
    let error = error.expected_found("at most 65,535 nuclei", format!("more, above row {above} of {height}"));
    error.with_hint("make the image smaller, or leave --truth out; `synth:` names carry their own truth")
}
