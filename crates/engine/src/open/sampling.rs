//! Whether every phase of a study can be sampled, also those that run after others.

use onceflow_sensitivity::{SampleError, check_size, sample};
use onceflow_study::{Design, Diagnostic, Keep, Method, Phase, Space, Study};

/// Values (rows times parameters) that are drawn to try a design; of larger designs the beginning is tried.
const MOST_TRIED: u128 = 1 << 20;

/// Rows of a large design that are drawn.
const TRIED_SIZE: u64 = 256;

/// Phases that cannot be sampled.
pub(super) fn refusals(study: &Study) -> Vec<Diagnostic> {
    study.phases.iter().filter_map(|phase| refusal(study, phase)).collect()
}

fn refusal(study: &Study, phase: &Phase) -> Option<Diagnostic> {
    let error = match study.phase_space(phase, None) {
        Ok(space) => try_sample(&space, &phase.design).err()?,
        Err(error) => return Some(cannot_sample(phase, &error)),
    };
    // Which parameters a rule will keep is not known yet: fewer may do.
    let may_pass = matches!(phase.keep, Some(Keep::Effects(_))) && depends_on_space(&error);
    (!may_pass).then(|| cannot_sample(phase, &error))
}

/// Draws a design, or the beginning of one that is large.
fn try_sample(space: &Space, design: &Design) -> Result<(), SampleError> {
    check_size(space, &design.method)?;
    let values = space.rows(&design.method).saturating_mul(space.parameters().len() as u128);
    if values <= MOST_TRIED {
        return sample(space, design).map(|_| ());
    }
    let Some(size) = design.method.size() else { return Ok(()) };
    let least = if let Method::Saltelli(saltelli) = &design.method { saltelli.replicates } else { 0 };
    let method = design.method.clone().with_size(size.min(TRIED_SIZE.max(least)));
    sample(space, &Design { method, seed: design.seed }).map(|_| ())
}

/// Whether another choice of parameters may have no such error.
fn depends_on_space(error: &SampleError) -> bool {
    matches!(
        error,
        SampleError::TooMany { .. }
            | SampleError::TooTight { .. }
            | SampleError::NothingLeft { .. }
            | SampleError::NoArrangement { .. }
            | SampleError::Unkept { .. }
            | SampleError::Coupled { .. }
    )
}

/// The message about a phase without a sample.
pub(crate) fn cannot_sample(phase: &Phase, error: &dyn std::error::Error) -> Diagnostic {
    let error = Diagnostic::error(format!("cannot sample phase `{}`: {error}", phase.name));
    error.with_hint("change the phase's method or size, or the ranges")
}
