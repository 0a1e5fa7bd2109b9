//! How far a run is, told to whoever wants to know: bars on a terminal, plain lines elsewhere, a file for
//! `onceflow status`, and events for programs.

mod bars;
mod events;
mod far;
mod lines;
mod status;

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Instant;

use onceflow_engine::{Ending, PhaseBegun, Progress, RowOver, RunFolder, TaskOver};

use crate::args::ProgressMode;
use crate::failure::Failure;
use crate::terminal::Terminal;
use bars::Bars;
use events::Events;
use far::HowFar;
use lines::Lines;
pub(crate) use status::{STATUS_FILE, StatusFile};

/// Tells everybody.
pub(crate) struct RunProgress {
    far: HowFar,
    speaker: Speaker,
    status: StatusFile,
    events: Option<Events>,
}

enum Speaker {
    Bars(Bars),
    Lines(Lines),
    Silent,
}

impl RunProgress {
    /// Says nothing yet. Events go to a file, when one is named.
    pub(crate) fn new(
        terminal: &Terminal,
        folder: &RunFolder,
        events: Option<&Path>,
    ) -> Result<Self, Failure> {
        let speaker = match terminal.progress_mode() {
            ProgressMode::Never => Speaker::Silent,
            ProgressMode::Auto if std::io::stderr().is_terminal() => Speaker::Bars(Bars::new()),
            ProgressMode::Auto => Speaker::Lines(Lines::new()),
        };
        let (far, status) = (HowFar::new(Instant::now()), StatusFile::new(folder));
        let events = events.map(Events::create).transpose()?;
        Ok(Self { far, speaker, status, events })
    }

    /// Clears the terminal, so that what follows stands alone.
    pub(crate) fn clear(&mut self) {
        if let Speaker::Bars(bars) = &mut self.speaker {
            bars.end();
        }
    }

    /// Tells others how it ended.
    pub(crate) fn end(&mut self, ending: &Ending) {
        let word = ending_word(ending);
        self.status.write(&self.far, word);
        if let Some(events) = &mut self.events {
            events.end(word, &self.far);
        }
    }

    fn speak(&mut self) {
        match &mut self.speaker {
            Speaker::Bars(bars) => bars.show(&self.far),
            Speaker::Lines(lines) => lines.show(&self.far),
            Speaker::Silent => {}
        }
        self.status.refresh(&self.far);
    }
}

fn ending_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Stopped => "stopped",
        Ending::TooManyFailures => "too many rows failed",
    }
}

impl Progress for RunProgress {
    fn phase(&mut self, phase: &PhaseBegun) {
        self.far.begin(phase);
        if let Speaker::Bars(bars) = &mut self.speaker {
            bars.begin(&self.far);
        }
        self.status.write(&self.far, "running");
        if let Some(events) = &mut self.events {
            events.phase(&self.far);
        }
    }

    fn resumed(&mut self, instances: u64) {
        let text = self.far.going_on(instances);
        match &self.speaker {
            Speaker::Bars(bars) => bars.say(&text),
            Speaker::Lines(_) | Speaker::Silent => lines::say(&text),
        }
        if let Some(events) = &mut self.events {
            events.resumed(&self.far, instances);
        }
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        self.far.task(task);
        if let Some(events) = &mut self.events {
            events.task(&self.far, task);
        }
        self.speak();
    }

    fn converged(&mut self, task: usize) {
        self.far.converged(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.far.row(row);
        if let Some(events) = &mut self.events {
            events.row(&self.far, row);
        }
        self.speak();
    }
}
