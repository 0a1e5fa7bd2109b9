//! How far a run is: a line that is rewritten on a terminal, and elsewhere plain lines at growing distances.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use onceflow_engine::Progress;
use onceflow_study::with_commas;

use crate::args::ProgressMode;
use crate::terminal::Terminal;

/// Speaks of rows and tasks.
pub(crate) struct RunProgress {
    mode: Mode,
    phase: String,
    rows: (u64, u64),
    tasks: (u64, u64),
    began: Instant,
    spoke: Instant,
    pause: Duration,
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Rewrite,
    Lines,
    Silent,
}

/// Often enough to look alive, rarely enough to cost nothing.
const REWRITE: Duration = Duration::from_millis(100);
const FIRST_LINE: Duration = Duration::from_secs(1);

impl RunProgress {
    /// Says nothing yet.
    pub(crate) fn new(terminal: &Terminal) -> Self {
        let mode = match terminal.progress_mode() {
            ProgressMode::Never => Mode::Silent,
            ProgressMode::Auto if std::io::stderr().is_terminal() => Mode::Rewrite,
            ProgressMode::Auto => Mode::Lines,
        };
        let pause = if mode == Mode::Rewrite { REWRITE } else { FIRST_LINE };
        let now = Instant::now();
        Self { mode, phase: String::new(), rows: (0, 0), tasks: (0, 0), began: now, spoke: now, pause }
    }

    /// Clears the line, so that the answer stands alone.
    pub(crate) fn end(&mut self) {
        if self.mode == Mode::Rewrite {
            say("\r\x1b[K");
        }
    }

    /// Where a line of its own begins.
    fn begin(&self) -> &'static str {
        if self.mode == Mode::Rewrite { "\r" } else { "" }
    }

    fn speak(&mut self) {
        if self.mode == Mode::Silent || self.spoke.elapsed() < self.pause {
            return;
        }
        self.spoke = Instant::now();
        match self.mode {
            Mode::Rewrite => say(&format!("\r{}\x1b[K", self.line())),
            _ => {
                say(&format!("{}\n", self.line()));
                self.pause *= 2;
            }
        }
    }

    /// `screen  123 of 321 instances  1,024 of at most 2,351 tasks  12 s, about 20 s more`.
    fn line(&self) -> String {
        let number = |n: u64| with_commas(n.into());
        let seconds = self.began.elapsed().as_secs_f64();
        let done = self.tasks.0 as f64 / (self.tasks.1.max(1)) as f64;
        let more = if done > 0.02 {
            format!(", at most {:.0} s more", seconds / done - seconds)
        } else {
            String::new()
        };
        let ((rows, all_rows), (tasks, all_tasks)) = (self.rows, self.tasks);
        format!(
            "{}  {} of {} instances  {} of at most {} tasks  {seconds:.0} s{more}",
            self.phase,
            number(rows),
            number(all_rows),
            number(tasks),
            number(all_tasks)
        )
    }
}

fn say(text: &str) {
    // A closed standard error must not stop the work.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

impl Progress for RunProgress {
    fn phase(&mut self, name: &str, rows: u64, tasks: u64) {
        self.phase = name.to_owned();
        (self.rows, self.tasks) = ((0, rows), (0, tasks));
        self.began = Instant::now();
    }

    fn resumed(&mut self, rows: u64) {
        let (known, all) = (with_commas(rows.into()), with_commas(self.rows.1.into()));
        let end = if self.mode == Mode::Rewrite { "\x1b[K" } else { "" };
        say(&format!("{}going on: {known} of {all} instances are done{end}\n", self.begin()));
    }

    fn task(&mut self) {
        self.tasks.0 += 1;
        self.speak();
    }

    fn row(&mut self) {
        self.rows.0 += 1;
        self.speak();
    }
}
