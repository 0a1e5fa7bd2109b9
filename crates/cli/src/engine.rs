//! From arguments to the engine's options, and from its errors to failures.

mod buckets;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use onceflow_engine::{
    EngineError, Granularity, Level, Policy, Prepared, RunOptions, available_memory, available_workers,
};
use onceflow_region::staging::Staging;
use onceflow_study::{Diagnostic, Size, Study};

use crate::allocation::{self, METER};
use crate::args::{GrainWord, LevelWord, MachineArgs, MergeArgs};
use crate::costs::with_costs;
use crate::failure::Failure;
use crate::file::{Limit, read_text, unwritable};
use crate::study::PROGRAM;
use crate::terminal::Terminal;
pub(crate) use buckets::limits;

/// What a run may use: the command line over the study over the machine.
pub(crate) fn options(args: &MachineArgs, merge: &MergeArgs, study: &Study) -> Result<RunOptions, Failure> {
    let workers = args.workers.or(study.run.workers).and_then(|n| usize::try_from(n).ok());
    let memory = args.memory.map(|size| size.0).or(study.run.memory);
    let memory = memory.unwrap_or_else(available_memory);
    // What the report is made of comes while blocks are still kept: it has as much again as the program.
    allocation::bound(memory.saturating_sub(2 * PROGRAM));
    let (level, workers) = (level(args, merge), workers.unwrap_or_else(available_workers).max(1));
    Ok(RunOptions {
        level,
        merge: buckets::merge(merge, level, workers)?,
        workers,
        memory,
        scratch: args.scratch.clone(),
        staging: args.staging.unwrap_or_else(|| staging(study)),
        disk: Some(DISK),
        meter: Some(METER),
        policy: Policy::default(),
        pinned: args.pin,
        stop: AtomicBool::new(false),
    })
}

/// A study with what this machine is known to take, and tasks as fine as is wished.
pub(crate) fn for_machine<'s>(
    prepared: Prepared<'s>,
    args: &MachineArgs,
    terminal: &Terminal,
) -> Prepared<'s> {
    with_granularity(with_costs(prepared, args, terminal), args)
}

/// Tasks as fine as is wished: the command line over the study.
pub(crate) fn with_granularity<'s>(prepared: Prepared<'s>, args: &MachineArgs) -> Prepared<'s> {
    let said = args.granularity.map(|word| match word {
        GrainWord::Auto => Granularity::Auto,
        GrainWord::Written => Granularity::Written,
        GrainWord::Split => Granularity::Split,
        GrainWord::Fused => Granularity::Fused,
    });
    let of_study = prepared.study().run.granularity.and_then(Granularity::from_word);
    prepared.with_granularity(said.or(of_study))
}

/// The same with tasks as fine as a run had them; one of an earlier version says nothing about it.
pub(crate) fn as_fine_as<'s>(prepared: Prepared<'s>, run: &Path) -> Result<Prepared<'s>, Failure> {
    let path = run.join("granularity.json");
    if !path.is_file() {
        return Ok(prepared);
    }
    let source = read_text(&path, Limit::Description)?;
    let told = serde_json::from_str(&source.text).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read {}: {error}", path.display()));
        Failure::bad_input(error.with_hint("give the folder of a run of this study"))
    })?;
    Ok(prepared.with_grain_of(&told))
}

/// That of a study, which was checked when it was read.
fn staging(study: &Study) -> Staging {
    study.run.staging.as_deref().and_then(|words| words.parse().ok()).unwrap_or_default()
}

/// Bytes per second of a usual disk. What is made again in less time than it takes to write and read is not written; a
/// wrong guess costs time and changes no byte.
const DISK: f64 = 500e6;

/// Buckets are for machines that share no memory: what turns out to be equal is not looked for across them.
fn level(args: &MachineArgs, merge: &MergeArgs) -> Level {
    let buckets = merge.merge.is_some() || merge.buckets.is_some();
    match args.reuse {
        Some(LevelWord::None) => Level::None,
        Some(LevelWord::Stage) => Level::Stage,
        Some(LevelWord::Task) => Level::Task,
        Some(LevelWord::Dataflow) => Level::Dataflow,
        Some(LevelWord::Convergent) => Level::Convergent,
        Some(LevelWord::Object) => Level::Object,
        None if buckets => Level::Dataflow,
        None => Level::default(),
    }
}

/// The failure that an error of the engine is.
pub(crate) fn engine_failure(error: EngineError) -> Failure {
    match error {
        EngineError::Missing { message, .. } | EngineError::BadInput(message) => Failure::bad_input(*message),
        EngineError::Environment(message) => Failure::environment(*message),
        EngineError::Write { path, error } => unwritable(&path, &error),
        EngineError::Memory { task, needed, limit } => Failure::memory(
            Diagnostic::error(format!("the memory bound is too small for the task `{task}`"))
                .expected_found(format!("at least {}", Size(needed)), Size(limit).to_string())
                .with_hint(format!("give --memory '{}' or more, or make the parts smaller", Size(needed))),
        ),
        EngineError::ExactMemory { needed, limit } => Failure::memory(
            Diagnostic::error(
                "the memory bound is too small for exact seams, which take an image in one part",
            )
            .expected_found(format!("at least {}", Size(needed)), Size(limit).to_string())
            .with_hint(format!(
                "give --memory '{}' or more, or write seams = \"owned\" under [parts], which needs less",
                Size(needed)
            )),
        ),
        EngineError::BucketMemory { needed, limit } => Failure::memory(
            Diagnostic::error("the memory bound of buckets is too small for one instance")
                .expected_found(format!("at least {}", Size(needed)), Size(limit).to_string())
                .with_hint(format!(
                    "give --bucket-memory '{}' or more, or make the parts smaller",
                    Size(needed)
                )),
        ),
        EngineError::Stopped => Failure::interrupted(),
        EngineError::Several(errors) => Failure::several(errors.into_iter().map(engine_failure)),
        EngineError::Internal(message) => Failure::internal(message),
    }
}
