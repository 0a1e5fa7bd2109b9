//! Progress of a run: bars on a terminal, plain lines elsewhere.

mod bars;
mod lines;

use std::io::IsTerminal as _;
use std::time::Instant;

use onceflow_engine::{
    BucketOver, ImagesDigested, PhaseBegun, PicturesAhead, Progress, ProgressTracker, RowOver, TaskOver,
};
use onceflow_terminal::{ProgressMode, Terminal};

use bars::ProgressBars;
use lines::ProgressLines;

/// Shows the progress of a run.
pub(crate) struct RunProgress {
    tracker: ProgressTracker,
    display: ProgressDisplay,
}

enum ProgressDisplay {
    Bars(ProgressBars),
    Lines(ProgressLines),
    Silent,
}

impl RunProgress {
    /// Shows nothing yet.
    pub(crate) fn new(terminal: &Terminal) -> Self {
        let display = match terminal.progress_mode() {
            ProgressMode::Never => ProgressDisplay::Silent,
            ProgressMode::Auto if std::io::stderr().is_terminal() => {
                ProgressDisplay::Bars(ProgressBars::new())
            }
            ProgressMode::Auto => ProgressDisplay::Lines(ProgressLines::new()),
        };
        Self { tracker: ProgressTracker::new(Instant::now()), display }
    }

    /// Shows nothing but notes.
    pub(crate) fn silent() -> Self {
        Self { tracker: ProgressTracker::new(Instant::now()), display: ProgressDisplay::Silent }
    }

    /// Clears the bars from the terminal.
    pub(crate) fn clear(&mut self) {
        if let ProgressDisplay::Bars(bars) = &mut self.display {
            bars.end();
        }
    }

    fn show(&mut self) {
        match &mut self.display {
            ProgressDisplay::Bars(bars) => bars.show(&self.tracker),
            ProgressDisplay::Lines(lines) => lines.show(&self.tracker),
            ProgressDisplay::Silent => {}
        }
    }
}

impl Progress for RunProgress {
    fn digesting(&mut self, digested: ImagesDigested) {
        match &mut self.display {
            ProgressDisplay::Bars(bars) => bars.ending(&digested.line()),
            ProgressDisplay::Lines(lines) => lines.show_line(|| digested.line()),
            ProgressDisplay::Silent => {}
        }
    }

    fn phase(&mut self, phase: &PhaseBegun) {
        self.tracker.begin(phase);
        if let ProgressDisplay::Bars(bars) = &mut self.display {
            bars.begin(&self.tracker);
        }
    }

    fn resumed(&mut self, instances: u64) {
        let text = self.tracker.going_on(instances);
        self.note(&text);
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        self.tracker.task(task);
        self.show();
    }

    fn duplicate(&mut self, task: usize) {
        self.tracker.duplicate(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.tracker.row(row);
        self.show();
    }

    fn workers(&mut self, running: usize) {
        self.tracker.workers(running);
    }

    fn bucket(&mut self, bucket: &BucketOver<'_>) {
        self.tracker.bucket(bucket);
        self.show();
    }

    fn pictures(&mut self, ahead: &PicturesAhead) {
        match &mut self.display {
            ProgressDisplay::Bars(bars) => bars.ending(&ahead.line()),
            ProgressDisplay::Lines(_) if ahead.rows > 0 => lines::say(&ahead.line()),
            ProgressDisplay::Lines(_) | ProgressDisplay::Silent => {}
        }
    }

    fn note(&mut self, text: &str) {
        match &self.display {
            ProgressDisplay::Bars(bars) => bars.say(text),
            ProgressDisplay::Lines(_) | ProgressDisplay::Silent => lines::say(text),
        }
    }
}
