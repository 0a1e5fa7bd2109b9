//! What a run took from earlier runs, result by result: a list that the run writes, and that `why` reads again.

use std::fmt::Write as _;

use onceflow_report::{EarlierRun, TakenSum};
use onceflow_reuse::{NodeId, Plan};
use onceflow_runtime::Instance;
use onceflow_study::counted;

use crate::duration_words;

/// The head of the list. A row that was taken whole has no task.
pub(crate) const HEAD: &str = "phase,task,site,row,what,seconds,run\n";

/// What was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakenKind {
    /// All that a row gave at a part.
    Row,
    /// The outputs of a row at a part, which was only compared.
    Outputs,
    /// What a task gave.
    Task,
}

/// What a phase took from earlier runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenResults {
    runs: Vec<String>,
    taken: Vec<EarlierResults>,
}

#[derive(Clone, Copy, Debug)]
struct EarlierResults {
    kind: TakenKind,
    of: TakenPlace,
    seconds: f64,
    run: usize,
}

/// Whose result it is.
#[derive(Clone, Copy, Debug)]
enum TakenPlace {
    Row { row: usize, part: usize },
    Task(Instance),
}

impl TakenKind {
    fn word(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Outputs => "outputs",
            Self::Task => "task",
        }
    }
}

impl TakenResults {
    /// A row of the plan was taken at a part, or its outputs were; the run needed so many seconds.
    pub(crate) fn note_row(&mut self, kind: TakenKind, row: usize, part: usize, run: &str, seconds: f64) {
        self.note(kind, TakenPlace::Row { row, part }, run, seconds);
    }

    /// What a task gave was taken.
    pub(crate) fn note_task(&mut self, instance: Instance, run: &str, seconds: f64) {
        self.note(TakenKind::Task, TakenPlace::Task(instance), run, seconds);
    }

    fn note(&mut self, kind: TakenKind, of: TakenPlace, run: &str, seconds: f64) {
        // Most results come from the run that the one before came from.
        let run = self.runs.iter().rposition(|known| known == run).unwrap_or_else(|| {
            self.runs.push(run.to_owned());
            self.runs.len() - 1
        });
        self.taken.push(EarlierResults { kind, of, seconds, run });
    }

    /// What a phase took of each run.
    pub(crate) fn sums(&self, phase: &str, task: impl Fn(NodeId) -> String) -> Vec<EarlierRun> {
        let named = |run: &String| EarlierRun { run: run.clone(), ..EarlierRun::default() };
        let mut sums: Vec<EarlierRun> = self.runs.iter().map(named).collect();
        for taken in &self.taken {
            let sum = &mut sums[taken.run];
            sum.seconds += taken.seconds;
            match taken.kind {
                TakenKind::Row => sum.rows += 1,
                TakenKind::Outputs => sum.compared += 1,
                TakenKind::Task => sum.tasks += 1,
            }
            let task = match taken.of {
                TakenPlace::Row { .. } => None,
                TakenPlace::Task(instance) => Some(task(instance.node)),
            };
            sum.add_of(&TakenSum { phase: phase.to_owned(), task, results: 1, seconds: taken.seconds });
        }
        sums
    }

    /// One line per result; rows have their numbers in the table.
    pub(crate) fn lines(&self, phase: &str, plan: &Plan, first: usize) -> String {
        let mut text = String::new();
        for taken in &self.taken {
            let (task, site, row) = match taken.of {
                TakenPlace::Row { row, part } => ("", part, row),
                TakenPlace::Task(Instance { node, site }) => {
                    (plan.flow().tasks[plan.task_of(node)].name.as_str(), site, plan.first_row(node) as usize)
                }
            };
            let (row, what, run) = (first + row, taken.kind.word(), one_line(&self.runs[taken.run]));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{phase},{task},{site},{row},{what},{:.6},{run}", taken.seconds);
        }
        text
    }
}

/// The name of a run is whatever someone wrote; it ends its line.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Adds what a phase took to what the phases before it took.
pub(crate) fn add(sums: &mut Vec<EarlierRun>, more: Vec<EarlierRun>) {
    for more in more {
        match sums.iter_mut().find(|sum| sum.run == more.run) {
            Some(sum) => *sum += &more,
            None => sums.push(more),
        }
    }
}

/// Says which runs the results of a row came from, and those of one of its tasks where one is named; empty when the list has none.
pub(crate) fn words(list: &str, phase: &str, task: Option<&str>, row: usize) -> String {
    let mut sums: Vec<(&str, &str, usize, f64)> = Vec::new();
    for line in list.lines().skip(1) {
        let Some(entry) = entry(line) else { continue };
        // A row that was taken whole was taken with all its tasks.
        let is_of = entry.task == task.unwrap_or_default() || entry.what == "row";
        if entry.phase != phase || entry.row != row || !is_of {
            continue;
        }
        match sums.iter_mut().find(|(what, run, ..)| (*what, *run) == (entry.what, entry.run)) {
            Some((.., sites, seconds)) => (*sites, *seconds) = (*sites + 1, *seconds + entry.seconds),
            None => sums.push((entry.what, entry.run, 1, entry.seconds)),
        }
    }
    let indent = if task.is_some() { "      " } else { "  " };
    let line = |(what, run, sites, seconds): &(&str, &str, usize, f64)| {
        let (sites, saved) = (counted(*sites, "part"), duration_words(*seconds));
        let what = match *what {
            "outputs" => "its outputs came",
            "row" if task.is_some() => "in the run its result came, with all of its row,",
            "row" => "all that it gave came",
            _ => "in the run its result came",
        };
        format!("{indent}{what} from an earlier run on {sites}, {run}: {saved} of computing saved\n")
    };
    sums.iter().map(line).collect()
}

struct EarlierEntry<'a> {
    phase: &'a str,
    task: &'a str,
    row: usize,
    what: &'a str,
    seconds: f64,
    run: &'a str,
}

/// A line of the list; none for one that is not.
fn entry(line: &str) -> Option<EarlierEntry<'_>> {
    let mut fields = line.splitn(7, ',');
    let mut next = || fields.next();
    let (phase, task, _site) = (next()?, next()?, next()?);
    let (row, what, seconds, run) = (next()?.parse().ok()?, next()?, next()?.parse().ok()?, next()?);
    Some(EarlierEntry { phase, task, row, what, seconds, run })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_is_summed_by_run() {
        let mut taken = TakenResults::default();
        taken.note_row(TakenKind::Row, 3, 0, "runs/first", 1.5);
        taken.note_row(TakenKind::Outputs, 4, 0, "runs/second", 2.0);
        taken.note_row(TakenKind::Row, 5, 0, "runs/first", 1.0);
        let of = |task: Option<&str>, results, seconds| TakenSum {
            phase: "screen".into(),
            task: task.map(str::to_owned),
            results,
            seconds,
        };
        let instance = Instance { node: NodeId(7), site: 0 };
        taken.note_task(instance, "runs/second", 4.0);
        let first = EarlierRun {
            run: "runs/first".into(),
            rows: 2,
            seconds: 2.5,
            of: vec![of(None, 2, 2.5)],
            ..EarlierRun::default()
        };
        let second = EarlierRun {
            run: "runs/second".into(),
            compared: 1,
            tasks: 1,
            seconds: 6.0,
            of: vec![of(None, 1, 2.0), of(Some("t7"), 1, 4.0)],
            ..EarlierRun::default()
        };
        let name = |node: NodeId| format!("t{}", node.0);
        assert_eq!(taken.sums("screen", name), [first.clone(), second.clone()]);
        let mut sums = vec![second];
        add(&mut sums, taken.sums("screen", name));
        assert_eq!((sums[0].compared, sums[0].seconds, &sums[1]), (2, 12.0, &first));
        assert_eq!(sums[0].of, [of(None, 2, 4.0), of(Some("t7"), 2, 8.0)]);
    }

    #[test]
    fn a_list_is_read_again_by_row_and_by_task() {
        let list = format!(
            "{HEAD}screen,,0,7,row,1.500000,/runs/a, b\nscreen,,1,7,row,0.500000,/runs/a, b\nscreen,,2,7,outputs,1.000000,x\n\
             screen,t5,0,9,task,3.000000,x\nlater,,0,7,row,9.000000,y\nbroken\n"
        );
        let row = words(&list, "screen", None, 7);
        assert!(
            row.contains("all that it gave came from an earlier run on 2 parts, /runs/a, b: 2.0 s"),
            "{row}"
        );
        assert!(row.contains("its outputs came from an earlier run on 1 part, x: 1.0 s"), "{row}");
        assert_eq!(row.lines().count(), 2);
        assert!(words(&list, "screen", Some("t5"), 9).contains("x: 3.0 s of computing saved"));
        let with_row = words(&list, "screen", Some("t5"), 7);
        assert!(
            with_row.contains("with all of its row, from an earlier run on 2 parts, /runs/a, b"),
            "{with_row}"
        );
        assert_eq!(with_row.lines().count(), 1, "its outputs were taken, and not what it gave");
        assert_eq!(words(&list, "screen", Some("t5"), 8), "");
    }
}
