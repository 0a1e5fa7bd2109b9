//! Logs of real clusters in the Standard Workload Format: one line of at least nine numbers for each job.

use std::sync::Arc;

use onceflow_study::{Diagnostic, SourceText, excerpt};

use super::workload::{BatchJob, RunningLoad};

/// The jobs of a log that fit a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwfLog {
    /// The jobs in the log's order; submissions count from the earliest.
    pub jobs: Vec<BatchJob>,
    /// When each of them really started.
    pub starts: Vec<u64>,
    /// Lines of jobs that were left out: no width from 1 to that of the cluster, or no time.
    pub left_out: usize,
}

/// Fields of a line that are read, from 0: number, submission, wait, run, processors, processors asked for, time asked for.
#[derive(Clone, Copy, Debug)]
struct SwfLine<'t> {
    id: &'t str,
    submit: i64,
    wait: i64,
    run: i64,
    width: i64,
    limit: i64,
}

/// A line must have the fields up to the requested time; later ones are not read.
const FIELDS: usize = 9;

/// Reads a log for a cluster of so many nodes (the log's processors).
///
/// ```
/// # use onceflow_cluster::batch::parse_swf;
/// # use onceflow_study::SourceText;
/// let log = "; UnixStartTime: 0\n1 7 0 60 4 -1 -1 4 90 -1 1\n2 9 5 30 99 -1 -1 99 60 -1 1\n";
/// let log = parse_swf(&SourceText::new("log.swf", log), 16).unwrap();
/// assert_eq!((log.jobs[0].nodes, log.jobs[0].limit, log.jobs[0].submit, log.left_out), (4, 90, 0, 1));
/// ```
///
/// # Errors
/// When a line is no job, with its number.
pub fn parse_swf(source: &Arc<SourceText>, nodes: u64) -> Result<SwfLog, Box<Diagnostic>> {
    let mut log = SwfLog::default();
    let mut submits = Vec::new();
    let mut begin = 0;
    for line in source.text.split_inclusive('\n') {
        let span = begin..begin + line.trim_end().len();
        begin += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let fields = SwfLine::read(line).map_err(|error| Box::new((*error).at(source, span, "")))?;
        match fields.job(nodes) {
            Some(job) => {
                submits.push(fields.submit);
                log.starts.push(fields.wait.max(0) as u64);
                log.jobs.push(job);
            }
            None => log.left_out += 1,
        }
    }
    let first = submits.iter().copied().min().unwrap_or_default();
    for ((job, start), submit) in log.jobs.iter_mut().zip(&mut log.starts).zip(submits) {
        job.submit = submit.abs_diff(first);
        *start = start.saturating_add(job.submit);
    }
    Ok(log)
}

impl<'t> SwfLine<'t> {
    fn read(line: &'t str) -> Result<Self, Box<Diagnostic>> {
        let fields: Vec<&str> = line.split_ascii_whitespace().take(FIELDS).collect();
        if fields.len() < FIELDS {
            let found = format!("{} fields", fields.len());
            return Err(Box::new(wrong().expected_found(format!("at least {FIELDS} numbers"), found)));
        }
        let width = [7, 4].map(|at| whole(&fields, at));
        let [asked, given] = width;
        let asked = asked?;
        Ok(Self {
            id: fields[0],
            submit: whole(&fields, 1)?,
            wait: whole(&fields, 2)?,
            run: whole(&fields, 3)?,
            width: if asked > 0 { asked } else { given? },
            limit: whole(&fields, 8)?,
        })
    }

    /// The job, if it fits and its time is known.
    fn job(&self, nodes: u64) -> Option<BatchJob> {
        let nodes = u64::try_from(self.width).ok().filter(|width| (1..=nodes).contains(width))?;
        let run = u64::try_from(self.run).ok()?;
        let limit = u64::try_from(self.limit).unwrap_or(run);
        Some(BatchJob { id: self.id.to_owned(), nodes, run, limit, after: Vec::new(), submit: 0 })
    }
}

/// Times may have decimals; a fraction of a second is left out.
fn whole(fields: &[&str], at: usize) -> Result<i64, Box<Diagnostic>> {
    let text = fields[at];
    let number = text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        (number.is_finite() && number.abs() < 1e15).then_some(number as i64)
    });
    let found = || format!("`{}` in field {}", excerpt(text), at + 1);
    number.ok_or_else(|| Box::new(wrong().expected_found("a number", found())))
}

fn wrong() -> Diagnostic {
    Diagnostic::error("the line is no job of a log in the Standard Workload Format")
        .with_hint("lines of remarks begin with `;`")
}

impl SwfLog {
    /// What ran and what waited at an instant of the log: an initial load. Times count from that instant.
    pub fn load_at(&self, instant: u64) -> (Vec<RunningLoad>, Vec<BatchJob>) {
        let (mut running, mut queued) = (Vec::new(), Vec::new());
        for (job, start) in self.jobs.iter().zip(&self.starts) {
            let end = start.saturating_add(job.run.min(job.limit));
            if *start <= instant && end > instant {
                let left = end - instant;
                let limit_left = start.saturating_add(job.limit).saturating_sub(instant).max(left);
                running.push(RunningLoad { nodes: job.nodes, left, limit_left });
            } else if job.submit <= instant && *start > instant {
                queued.push(BatchJob { submit: 0, ..job.clone() });
            }
        }
        (running, queued)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<SwfLog, String> {
        parse_swf(&SourceText::new("log.swf", text), 8).map_err(|error| error.to_string())
    }

    #[test]
    fn widths_and_limits_come_from_what_was_asked_for_else_from_what_was_given() {
        let log = parse("5 100 20 60 4 -1 -1 2 90 0\n6 90 0 60 4 -1 -1 -1 -1 0\n").unwrap();
        let shape = |at: usize| {
            let job = &log.jobs[at];
            (job.nodes, job.run, job.limit, job.submit, log.starts[at])
        };
        assert_eq!((shape(0), shape(1)), ((2, 60, 90, 10, 30), (4, 60, 60, 0, 0)));
        let (running, queued) = log.load_at(20);
        assert_eq!(running, [RunningLoad { nodes: 4, left: 40, limit_left: 40 }]);
        assert_eq!(queued.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["5"]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = parse("; a remark\n1 2 3\n").unwrap_err();
        assert!(error.contains("log.swf:2") && error.contains("found 3 fields"), "{error}");
        let error = parse("1 2 3 4 5 6 7 x 9\n").unwrap_err();
        assert!(error.contains("`x` in field 8"), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_does_harm(text in "[-0-9 .;eEx\n\t]{0,200}", any in ".{0,80}") {
            for text in [text, any] {
                if let Ok(log) = parse(&text) {
                    prop_assert!(log.jobs.iter().all(|job| (1..=8).contains(&job.nodes)));
                    prop_assert_eq!(log.jobs.len(), log.starts.len());
                    log.load_at(10);
                }
            }
        }

        #[test]
        fn large_numbers_do_no_harm(numbers in proptest::collection::vec(any::<i64>(), 9..40)) {
            let lines: Vec<String> = numbers.chunks(9).map(|line| {
                line.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
            }).collect();
            if let Ok(log) = parse(&lines.join("\n")) {
                log.load_at(u64::MAX / 2);
                let _ = super::super::Workload::new(8, log.jobs);
            }
        }
    }
}
