//! Progress on a terminal: a bar for each stage, and a line for all of them.

use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use onceflow_engine::{ProgressTracker, StageProgress};
use onceflow_study::with_commas;

/// ProgressBars that are rewritten.
pub(super) struct ProgressBars {
    drawn: MultiProgress,
    stages: Vec<ProgressBar>,
    summary: Option<ProgressBar>,
    shown: Instant,
}

/// Often enough to look alive, rarely enough to cost nothing.
const PAUSE: Duration = Duration::from_millis(100);

impl ProgressBars {
    pub(super) fn new() -> Self {
        Self { drawn: MultiProgress::new(), stages: Vec::new(), summary: None, shown: Instant::now() }
    }

    /// ProgressBars for the stages of a phase.
    pub(super) fn begin(&mut self, far: &ProgressTracker) {
        self.end();
        let width = far.phase.stages.iter().map(String::len).max().unwrap_or(0);
        let bar = |(name, stage): (&String, &StageProgress)| {
            let bar = ProgressBar::new(stage.planned).with_prefix(format!("{name:width$}"));
            self.drawn.add(bar.with_style(style("  {prefix}  {bar:20}  {wide_msg}")))
        };
        self.stages = far.phase.stages.iter().zip(&far.stages()).map(bar).collect();
        let summary = ProgressBar::new(far.phase.instances).with_prefix(far.phase.name.clone());
        self.summary = Some(self.drawn.insert(0, summary.with_style(style("{prefix}  {wide_msg}"))));
        self.draw(far);
    }

    /// Draws how far it is, unless it did so shortly before.
    pub(super) fn show(&mut self, far: &ProgressTracker) {
        if self.shown.elapsed() >= PAUSE {
            self.draw(far);
        }
    }

    /// A line above the bars.
    pub(super) fn say(&self, line: &str) {
        // A terminal that is gone must not stop the work.
        let _ = self.drawn.println(line);
    }

    /// One line in place of the bars: the rows are over, or not begun.
    pub(super) fn ending(&mut self, line: &str) {
        self.end();
        let bar = self.drawn.add(ProgressBar::new_spinner().with_style(style("{wide_msg}")));
        bar.set_message(line.to_owned());
        self.summary = Some(bar);
    }

    /// Takes the bars away.
    pub(super) fn end(&mut self) {
        for bar in self.stages.drain(..).chain(self.summary.take()) {
            bar.finish_and_clear();
        }
        let _ = self.drawn.clear();
    }

    fn draw(&mut self, far: &ProgressTracker) {
        self.shown = Instant::now();
        for (bar, stage) in self.stages.iter().zip(far.stages()) {
            bar.set_length(stage.planned);
            bar.set_position(stage.computed);
            bar.set_message(words(stage));
        }
        if let Some(summary) = &self.summary {
            summary.set_message(far.summary());
        }
    }
}

/// `1,024 of at most 2,351 computed, 5,353 reused`.
fn words(stage: StageProgress) -> String {
    let (computed, planned) = (with_commas(stage.computed.into()), with_commas(stage.planned.into()));
    let reused = stage.asked.saturating_sub(stage.planned);
    format!("{computed} of at most {planned} computed, {} reused", with_commas(reused.into()))
}

/// A template of ours is right; were it not, the bars would look plain.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("█▉▊▋▌▍▎▏░")
}
