//! From arguments to the engine's settings.

use std::path::Path;

use onceflow_allocator::{begin_counting, limit_pool, peak_counted};
use onceflow_engine::{
    DocumentContent, EngineError, Granularity, ImageWatch, Level, MemoryMeter, MergeAlgorithm, MergeOptions,
    OpenStudy, PROCESS_BYTES, Pruning, RunOptions, RunSettings, SettingsLayers, SmallBucket, StoreFolder,
    TextLimit, TuneRequest, open_document, open_study, read_profile,
};
use onceflow_study::{Diagnostic, RunUntil, Size};
use onceflow_terminal::{Failure, Terminal, engine_failure};

use crate::args::{
    GranularityWord, LevelWord, MergeArgs, MergeWord, PruningWord, SettingsArgs, SmallBucketWord, UntilWord,
};
use crate::file::read_text;
use crate::problem::tell_warnings;
use crate::words::quoted;

/// Opens a study with the settings of a command line, and prints its notes.
pub(crate) fn open(study: &Path, args: &SettingsArgs<'_>, terminal: &Terminal) -> Result<OpenStudy, Failure> {
    opened(study, args, None, terminal, |layers| open_study(study, layers))
}

/// The same at a level of reuse that another process chose.
pub(crate) fn open_as(
    study: &Path,
    args: &SettingsArgs<'_>,
    level: Option<Level>,
    terminal: &Terminal,
) -> Result<OpenStudy, Failure> {
    opened(study, args, level, terminal, |layers| open_study(study, layers))
}

fn opened(
    study: &Path,
    args: &SettingsArgs<'_>,
    level: Option<Level>,
    terminal: &Terminal,
    open: impl FnOnce(&SettingsLayers) -> Result<OpenStudy, EngineError>,
) -> Result<OpenStudy, Failure> {
    let progress = terminal.shown_progress(format!("looking at the images of {}", study.display()));
    let mut layers = SettingsLayers { watch_images: ImageWatch::new(progress.steps()), ..layers(args)? };
    layers.command_line.reuse = level.or(layers.command_line.reuse);
    let study = open(&layers).map_err(|error| {
        note_warnings(study, terminal);
        engine_failure(error)
    })?;
    drop(progress);
    study.notes().iter().for_each(|note| terminal.say(note));
    bound_allocator(study.settings());
    Ok(study)
}

/// Opens a study to be tuned, and prints its notes.
pub(crate) fn open_to_tune(
    study: &Path,
    request: TuneRequest,
    args: &SettingsArgs<'_>,
    terminal: &Terminal,
) -> Result<OpenStudy, Failure> {
    opened(study, args, None, terminal, |layers| onceflow_engine::open_to_tune(study, request, layers))
}

/// Prints how many warnings a study has that cannot be opened, as its notes do after it was opened.
fn note_warnings(study: &Path, terminal: &Terminal) {
    let Ok(document) = open_document(study) else { return };
    if let Some(DocumentContent::Study(_, Some(_))) = document.content {
        tell_warnings(study, &document.diagnostics, terminal);
    }
}

/// The settings of command line, environment and profile.
pub(crate) fn layers(args: &SettingsArgs<'_>) -> Result<SettingsLayers, Failure> {
    let profile = read_profile(args.machine.profile.as_deref()).map_err(engine_failure)?;
    Ok(SettingsLayers {
        command_line: command_line(args),
        environment: RunOptions::from_environment().map_err(engine_failure)?,
        profile,
        merge: args.merge.map_or_else(|| Ok(MergeOptions::default()), merge)?,
        process_bytes: PROCESS_BYTES,
        meter: Some(MemoryMeter { begin: begin_counting, peak: peak_counted }),
        default_store: StoreFolder::of_user(),
        watch_images: ImageWatch::default(),
    })
}

/// The store of results that a verb without a study names: command line, environment, profile, else the user's own.
pub(crate) fn store_folder(
    folder: Option<&Path>,
    size: Option<Size>,
) -> Result<Option<StoreFolder>, Failure> {
    let (store, store_size) = (folder.map(Into::into), size.map(|size| size.0));
    let profile = std::env::var_os("ONCEFLOW_PROFILE").filter(|profile| !profile.is_empty());
    let layers = SettingsLayers {
        command_line: RunOptions { store, store_size, ..RunOptions::default() },
        environment: RunOptions::from_environment().map_err(engine_failure)?,
        profile: read_profile(profile.as_deref().map(Path::new)).map_err(engine_failure)?,
        default_store: StoreFolder::of_user(),
        ..SettingsLayers::default()
    };
    Ok(layers.store())
}

fn command_line(args: &SettingsArgs<'_>) -> RunOptions {
    let machine = args.machine;
    RunOptions {
        reuse: machine.reuse.map(level),
        workers: machine.workers.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        memory: machine.memory.map(|size| size.0),
        pin: machine.pin.then_some(true),
        scratch: machine.scratch.clone(),
        staging: machine.staging,
        costs: machine.costs.clone(),
        store: machine.store.clone(),
        store_size: machine.store_size.map(|size| size.0),
        blobs: machine.blobs.clone(),
        audit: machine.audit,
        granularity: machine.granularity.map(granularity),
        policy: args.policy,
        events: args.events.map(Into::into),
        pictures: args.pictures,
        allow_commands: args.allow_commands.then_some(true),
        until: args.growth.and_then(|growth| growth.until).map(until),
        at_most: args.growth.and_then(|growth| growth.at_most),
        ..RunOptions::default()
    }
}

/// Limits the memory that the allocator keeps for later blocks, so that the report, which is made while blocks are kept, has
/// as much memory as the program.
fn bound_allocator(settings: &RunSettings) {
    limit_pool(settings.memory.saturating_sub(2 * PROCESS_BYTES));
}

fn level(word: LevelWord) -> Level {
    match word {
        LevelWord::None => Level::None,
        LevelWord::Stage => Level::Stage,
        LevelWord::Task => Level::Task,
        LevelWord::Dataflow => Level::Dataflow,
        LevelWord::Convergent => Level::Convergent,
        LevelWord::Object => Level::Object,
    }
}

fn until(word: UntilWord) -> RunUntil {
    match word {
        UntilWord::Decided => RunUntil::Decided,
    }
}

fn granularity(word: GranularityWord) -> Granularity {
    match word {
        GranularityWord::Auto => Granularity::Auto,
        GranularityWord::Written => Granularity::Written,
        GranularityWord::Split => Granularity::Split,
        GranularityWord::Fused => Granularity::Fused,
    }
}

/// Options of buckets.
pub(crate) fn merge(args: &MergeArgs) -> Result<MergeOptions, Failure> {
    let number = |n: Option<u64>| n.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let given = args.buckets.as_deref().map(MergeOptions::read_buckets).transpose();
    Ok(MergeOptions {
        algorithm: args.merge.map(algorithm),
        max_bucket_size: number(args.max_bucket_size),
        max_buckets: number(args.max_buckets),
        bucket_memory: args.bucket_memory.map(|size| size.0),
        pruning: match args.trtma_pruning {
            PruningWord::Siblings => Pruning::Siblings,
            PruningWord::Global => Pruning::Global,
        },
        small: match args.trtma_small {
            SmallBucketWord::Smallest => SmallBucket::Smallest,
            SmallBucketWord::MostReuse => SmallBucket::MostReuse,
        },
        given: given.map_err(engine_failure)?,
    })
}

fn algorithm(word: MergeWord) -> MergeAlgorithm {
    match word {
        MergeWord::Naive => MergeAlgorithm::Naive,
        MergeWord::Sca => MergeAlgorithm::Sca,
        MergeWord::Rtma => MergeAlgorithm::Rtma,
        MergeWord::RtmaPacked => MergeAlgorithm::RtmaPacked,
        MergeWord::Trtma => MergeAlgorithm::Trtma,
        MergeWord::Auto => MergeAlgorithm::Auto,
    }
}

/// The study with the granularity of an earlier run; a run of a version that did not record it changes nothing.
pub(crate) fn with_granularity_of(study: OpenStudy, run: &Path) -> Result<OpenStudy, Failure> {
    let path = run.join("granularity.json");
    if !path.is_file() {
        return Ok(study);
    }
    let source = read_text(&path, TextLimit::Description)?;
    let recorded = serde_json::from_str(&source.text).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read {}: {error}", path.display()));
        Failure::bad_input(error.with_hint("give the folder of a run of this study"))
    })?;
    Ok(study.with_grain_of(&recorded))
}

/// The command that was given, as a shell takes it.
pub(crate) fn command() -> String {
    let words = crate::started::words().into_iter().map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("onceflow".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
