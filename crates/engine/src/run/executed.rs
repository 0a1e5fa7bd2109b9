//! One phase carried out: what its tasks take, and what they gave.

use std::collections::BTreeMap;
use std::mem;
use std::path::PathBuf;

use onceflow_costs::Record;
use onceflow_kernels::object_cache::{ObjectCache, ObjectCounts, ObjectOrigins};
use onceflow_reuse::{ParameterRows, Plan};
use onceflow_runtime::{
    ExecuteOptions, Execution, ExecutionContext, KnownFrom, KnownRows, PartLayout, ResultCache, execute,
};
use onceflow_study::OnUnreadable;

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::open::metrics::Tally;
use crate::open::sources::References;
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier::TakenResults;
use crate::resume::journal::{PastPhase, RowLines};
use crate::run::bucket::{BucketResults, PublishedResults};
use crate::run::context::RunContext;
use crate::run::keep::Keeper;
use crate::run::products::{ComparedRows, Comparing, RunProducts, RunResults, count_taken};
use crate::run::recorder::RunRecorder;
use crate::run::row_numbers::RowNumbers;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// What a phase gave besides the account.
pub(super) struct Gathered {
    pub(super) tallies: Vec<Vec<Tally>>,
    pub(super) records: Vec<Record>,
    pub(super) same: Duplicates,
    pub(super) objects: BTreeMap<String, ObjectCounts>,
    pub(super) origins: Vec<ObjectOrigins>,
    pub(super) saved: References,
    pub(super) too_many: bool,
    pub(super) keeper: Keeper,
    pub(super) earlier: TakenResults,
}

/// Rows to carry out on this machine: all of a phase, or those of a bucket.
pub(super) struct PhaseWork<'w> {
    pub(super) study: &'w OpenStudy,
    pub(super) options: &'w RunSettings,
    pub(super) folder: &'w RunFolder,
    pub(super) context: &'w mut RunContext,
    /// The store of results of earlier runs, and the rows that are looked for there.
    pub(super) products: Option<(&'w RunProducts, &'w ParameterRows)>,
    /// Results that other processes published for this phase.
    pub(super) published: Option<&'w PublishedResults>,
    /// Where results go that memory has no room for, in place of the folder of the run.
    pub(super) scratch: Option<PathBuf>,
    /// Takes what becomes of each row.
    pub(super) lines: &'w mut dyn RowLines,
    /// Keeps pieces of images and results for pictures.
    pub(super) clips: &'w PictureClips,
    pub(super) progress: &'w mut dyn Progress,
    /// The numbers of the plan's rows.
    pub(super) numbers: RowNumbers,
    /// Whether a phase follows that may need the same results.
    pub(super) is_followed: bool,
    /// Whether regions of the reference row are saved: the plan has it, and phases follow.
    pub(super) saves_reference: bool,
    /// More failed rows than this stop the work.
    pub(super) most_failed: u64,
    /// Images that turned out to be unreadable.
    pub(super) unread: UnreadImages,
    /// For each part whether rows are run there; everywhere without it.
    pub(super) asked_parts: Option<Vec<bool>>,
}

/// What need not be run.
pub(super) enum KnownWork<'p> {
    /// What the journal knows of the phase.
    Past(&'p PastPhase),
    /// What the journal knows of a phase whose rows workers computed: those that failed have failed.
    Worked(&'p PastPhase),
    /// These rows at these parts.
    Instances(KnownRows),
}

impl PhaseWork<'_> {
    /// Carries out a plan of these rows.
    pub(super) fn execute(
        mut self,
        plan: &mut Plan,
        keeper: Keeper,
        known: KnownWork<'_>,
    ) -> Result<(Execution, Gathered), EngineError> {
        let resources = self.resources(plan, &keeper)?;
        let Self { study, options: settings, context, published, products, .. } = self;
        let (store, asked) = products.unzip();
        let mut recorder = resources.recorder(plan, keeper, (self.lines, self.progress));
        let known = recorder.known(plan, known, self.asked_parts.as_deref());
        let (flow, sources, references) = (&resources.flow, &resources.sources, context.references.clone());
        let budgets = [context.budget.clone(), context.spare.clone()];
        let of_run = RunResults::new(&context.results, store, (study, flow), (sources, &references), budgets);
        let of_bucket =
            published.map(|published| BucketResults { of_run: &context.results, published, sources });
        let results = of_bucket.as_ref().map_or(&of_run as &dyn ResultCache, |of_bucket| of_bucket);
        let operations = resources.operations();
        let work = resources.context(&operations, results, settings.meter);
        let options = ExecuteOptions { stop: Some(&settings.stop), known, ..resources.options.clone() };
        let ran = compare_and_run(plan, &resources.layout, &work, options, asked, &mut recorder);
        let mut gathered = gathered(recorder, context.objects.as_deref())?;
        let execution = ran?;
        of_run.note_taken(&execution.log, &mut gathered.earlier);
        Ok((execution, gathered))
    }
}

impl RunRecorder<'_> {
    /// Takes over what need not be run, and says which rows these are.
    fn known(&mut self, plan: &Plan, known: KnownWork<'_>, asked_parts: Option<&[bool]>) -> KnownRows {
        let known = match known {
            KnownWork::Past(past) => self.resume(plan, past),
            KnownWork::Worked(past) => self.take_worked(plan, past),
            KnownWork::Instances(known) => known,
        };
        self.serve(plan, without_others(plan, asked_parts, known))
    }
}

/// Compares the rows whose outputs are stored, then runs the tasks of the others; rows that are known count as taken where the
/// work was stopped.
fn compare_and_run(
    plan: &mut Plan,
    layout: &PartLayout,
    work: &ExecutionContext<'_>,
    mut options: ExecuteOptions<'_>,
    asked: Option<&ParameterRows>,
    recorder: &mut RunRecorder<'_>,
) -> Result<Execution, EngineError> {
    let compared = match (recorder.products, asked) {
        (Some(products), Some(rows)) if recorder.keeper.tasks().is_empty() => {
            let mut known = mem::take(&mut options.known);
            let comparing = Comparing { rows, context: *work, options: options.clone() };
            let compared = products.compare(plan, &mut known, &comparing, recorder)?;
            options.known = known;
            compared
        }
        _ => None,
    };
    let taken = options.known.taken(plan.reference()) as u64;
    let mut execution = execute(plan, layout, work, &options, recorder)?;
    execution.stopped |= compared.as_ref().is_some_and(ComparedRows::is_stopped);
    if execution.stopped {
        count_taken(plan, taken, &mut execution);
    }
    if let Some(compared) = compared {
        compared.add_to(plan, &mut execution);
    }
    Ok(execution)
}

/// Notes that rows have nothing to do at parts that are not asked for.
fn without_others(plan: &Plan, asked: Option<&[bool]>, mut known: KnownRows) -> KnownRows {
    for part in asked.into_iter().flat_map(|asked| (0..asked.len()).filter(|part| !asked[*part])) {
        (0..plan.rows()).for_each(|row| known.note(row, part, KnownFrom::Journal));
    }
    known
}

/// Whether images that turn out to be unreadable are left out.
pub(super) fn skips_unreadable(study: &OpenStudy) -> bool {
    study.study.run.unreadable == OnUnreadable::Skip
}

/// What a recorder has, with what is known of objects.
fn gathered(mut recorder: RunRecorder<'_>, seen: Option<&ObjectCache>) -> Result<Gathered, EngineError> {
    let (objects, origins) = seen.map(|seen| (seen.counts(), seen.take_origins())).unwrap_or_default();
    recorder.take_steps();
    let RunRecorder { tallies, records, same, saved, error, failed, most_failed, keeper, earlier, .. } =
        recorder;
    let too_many = failed.len() as u64 > most_failed;
    match error {
        Some(error) => Err(error),
        None => Ok(Gathered { tallies, records, same, objects, origins, saved, too_many, keeper, earlier }),
    }
}
