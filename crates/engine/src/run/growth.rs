//! A run until every verdict is decided: the sample of the last phase doubles from look to look. Rows of earlier looks come
//! from the journal, as those of an interrupted run do.

use std::time::Instant;

use onceflow_report::RunEnding;
use onceflow_sensitivity::{AfterLook, GrowthState, Looks, is_decided, leading_verdicts};
use onceflow_study::{Phase, RunBound, counted};

use super::{Run, run_phases};
use crate::plan::looks::GrowingPhase;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// Runs look after look.
pub(super) fn run_until_decided(
    study: &OpenStudy,
    options: &RunSettings,
    folder: &RunFolder,
    bound: RunBound,
    progress: &mut dyn Progress,
) -> Result<Run, EngineError> {
    let growing = GrowingPhase::of(&study.study)?;
    let (began, mut computed, mut earlier) = (Instant::now(), 0, None);
    for look in 0.. {
        let phases = growing.phases(&study.study, look);
        let mut run = run_phases(study, options, folder, &phases, progress)?;
        computed += computed_rows(&run);
        if let Some(earlier) = earlier.take() {
            run.follows(earlier);
        }
        if run.ending != RunEnding::Complete {
            return Ok(run);
        }
        let seconds = began.elapsed().as_secs_f64();
        let verdicts = Verdicts::of(&run);
        match after(&growing.looks, look, &verdicts, bound, &state(&run, &phases, computed, seconds)) {
            AfterLook::Grow(size) => {
                let undecided = verdicts.undecided.unwrap_or_default();
                progress.note(&format!(
                    "{} undecided at {}: on to {}",
                    counted(undecided, "verdict"),
                    growing.size_words(look),
                    growing.words_of(size)
                ));
                earlier = Some(run);
            }
            end => {
                run.answer.notes.push(note(&growing, look, end, &verdicts, bound));
                return Ok(run);
            }
        }
    }
    Err(EngineError::Internal("a run until every verdict is decided without an end".into()))
}

/// The verdicts about the first metric in the last phase.
struct Verdicts {
    metric: String,
    /// How many are undecided; `None` when there are no verdicts.
    undecided: Option<usize>,
}

impl Verdicts {
    fn of(run: &Run) -> Self {
        let metric = run.answer.table.metrics.first().cloned().unwrap_or_default();
        let analyses = run.answer.phases.last().map_or(&[][..], |phase| phase.analyses.as_slice());
        let found = leading_verdicts(analyses, &metric);
        let undecided =
            |verdict: &&onceflow_sensitivity::Verdict| !is_decided(std::slice::from_ref(*verdict));
        let undecided = found.map(|verdicts| verdicts.iter().filter(undecided).count());
        Self { metric, undecided }
    }
}

fn after(looks: &Looks, look: u32, verdicts: &Verdicts, bound: RunBound, state: &GrowthState) -> AfterLook {
    // More rows bring no verdict about a metric that has none.
    let fits = verdicts.undecided.is_some() && state.fits(bound);
    looks.after(look, verdicts.undecided == Some(0), fits)
}

fn state(run: &Run, phases: &[Phase], computed: u64, seconds: f64) -> GrowthState {
    let rows = run.answer.table.rows.len() as u64;
    let growing = run.answer.phases.last().filter(|last| phases.last().is_some_and(|p| p.name == last.name));
    // A phase of twice the size has twice the rows.
    let more = growing.map_or(0, |phase| phase.rows.len() as u64);
    GrowthState { rows, next_rows: rows.saturating_add(more), computed, seconds }
}

/// Rows that were not taken over from the journal, told by their share of the tasks.
fn computed_rows(run: &Run) -> u64 {
    let tasks = &run.answer.work.tasks;
    let known = tasks.resumed + tasks.products;
    let share = if tasks.asked > 0.0 { 1.0 - known / tasks.asked } else { 0.0 };
    (run.answer.table.rows.len() as f64 * share).round() as u64
}

fn note(growing: &GrowingPhase, look: u32, end: AfterLook, verdicts: &Verdicts, bound: RunBound) -> String {
    let (metric, size) = (&verdicts.metric, growing.size_words(look));
    let ending = match (end, verdicts.undecided) {
        (AfterLook::Decided, _) => format!("every verdict about {metric} was decided"),
        (_, None) => format!("there are no verdicts about {metric} that more rows could decide"),
        (_, Some(undecided)) => format!(
            "the bound of {bound} allowed no more; {} about {metric} undecided",
            counted(undecided, "verdict"),
        ),
    };
    let [each, all] = [growing.looks.confidence(look), growing.looks.overall()].map(percent);
    format!(
        "Phase {} grew to {size} in {}: {ending}. Its intervals are at {each} %, so that with the probability {all} % an \
         interval holds at whichever look the run ends.",
        growing.name,
        counted(look as usize + 1, "look"),
    )
}

/// With two decimals at most.
fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 1e2
}

impl Run {
    /// Adds what earlier looks of the same command computed.
    fn follows(&mut self, earlier: Self) {
        let wall = earlier.answer.work.wall;
        self.answer.work.wall += wall;
        self.answer.work.proposed += &earlier.answer.work.proposed;
        self.trace.iter_mut().for_each(|entry| entry.start += wall);
        prepend(&mut self.trace, earlier.trace);
        prepend(&mut self.records, earlier.records);
        prepend(&mut self.findings, earlier.findings);
        add_lines(&mut self.duplicates, earlier.duplicates);
        add_lines(&mut self.objects, earlier.objects);
    }
}

fn prepend<T>(later: &mut Vec<T>, mut earlier: Vec<T>) {
    earlier.append(later);
    *later = earlier;
}

/// Tables with the same head: that of the earlier one stays.
fn add_lines(later: &mut String, mut earlier: String) {
    earlier.push_str(later.split_once('\n').map_or("", |(_, lines)| lines));
    *later = earlier;
}
