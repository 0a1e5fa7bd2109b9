//! The straight line: a study is opened, planned and run, each by one call.

use std::time::Instant;

use onceflow_nuclei::StepProgress;

use crate::plan::check_threads_policy;
use crate::plan::looks::GrowingPhase;
use crate::progress::ProgressReport;
use crate::redo::pictures;
use crate::resume::{ResumeDecision, resume_decision};
use crate::run::run;
use crate::save::provenance;
use crate::save::{begin, save};
use crate::{
    EngineError, OpenStudy, PictureChoice, Pictures, Planned, Progress, Run, RunEnding, RunFolder,
    RunSettings,
};

/// What [`run_study`] did.
#[derive(Debug)]
pub enum RunResult {
    /// The study ran: to its end, until it was stopped, or until too many rows failed.
    Ran(Box<Run>),
    /// The folder holds all results already; nothing was computed. The JSON object of that run.
    AlreadyComplete(String),
}

/// Plans a study: what a run would compute, and why not more. Nothing is computed. `watch` is told the step of the work.
///
/// # Errors
/// When it cannot be planned, or cannot run within the memory bound.
pub fn plan_study(
    study: &OpenStudy,
    settings: &RunSettings,
    watch: &dyn Fn(StepProgress),
) -> Result<Planned, EngineError> {
    study.plan_watched(settings.level, &settings.merge, settings.workers, settings.memory, watch)
}

/// Runs a study into a folder: continues what the folder holds, runs every phase, draws pictures, writes results, report
/// and provenance, and adds the measured costs to the costs file.
///
/// # Errors
/// When the folder holds another study, when commands may not run, when the memory bound is too small, or when a file cannot
/// be written. Rows that fail are results, not errors.
pub fn run_study(
    study: &OpenStudy,
    settings: &RunSettings,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<RunResult, EngineError> {
    let began = settings.began.unwrap_or_else(Instant::now);
    if !settings.force {
        folder.refuse_foreign(&study.texts.path)?;
    }
    if let ResumeDecision::Complete(json) = resume_decision(study, settings, folder, progress)? {
        return Ok(RunResult::AlreadyComplete(json));
    }
    study.check_commands()?;
    if settings.until_decided.is_some() {
        GrowingPhase::of(&study.study)?;
    }
    check_threads_policy(&settings.policy)?;
    begin(folder, study)?;
    let mut report = ProgressReport::new(progress, folder, settings.events.as_deref())?;
    let mut run = run(study, settings, folder, &mut report)?;
    let pictures = drawn(study, settings, &run, folder, &mut report);
    run.store = None;
    run.answer.work.wall = began.elapsed().as_secs_f64();
    let provenance = provenance(study, &run, folder, &settings.command);
    save(&mut run, began, pictures.as_ref(), &provenance, folder)?;
    if let Some(warning) = settings.costs.as_ref().and_then(|file| file.add(&run.records, &run.findings)) {
        report.note(&format!("warning: {warning}"));
    }
    report.end(&run.ending);
    Ok(RunResult::Ran(Box::new(run)))
}

/// Pictures of a complete run; one that cannot be drawn is a note.
fn drawn(
    study: &OpenStudy,
    settings: &RunSettings,
    run: &Run,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Option<Pictures> {
    if settings.pictures == PictureChoice::None || run.ending != RunEnding::Complete {
        return None;
    }
    let drawn = pictures(study, run, settings, folder, progress);
    drawn.inspect_err(|error| progress.note(&format!("note: the report has no pictures: {error}"))).ok()
}
